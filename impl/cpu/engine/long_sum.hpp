// SPDX-License-Identifier: BSD-3-Clause
// Sums whose error does not grow with the number of terms. They are used where a sum in the type of the terms would
// lose digits.
#ifndef IMPL_CPU_ENGINE_LONG_SUM_HPP_
#define IMPL_CPU_ENGINE_LONG_SUM_HPP_

#include "impl/common/dtype.hpp"

namespace impl::cpu {

// Returns whether a sum in this dtype may lose digits.
inline bool is_inexact(diopiDtype_t dtype) { return diopi::is_floating(dtype) || diopi::is_complex(dtype); }

// Adds numbers of a narrower type in double. The error of the sum stays below the rounding error of the narrower type.
template <typename T>
class LongSum {
 public:
  LongSum() = default;
  explicit LongSum(T start) : sum_(wide(start)) {}
  void add(T term) { sum_ += wide(term); }
  T value() const {
    if constexpr (sizeof(T) == 2) {
      return T(static_cast<float>(sum_));
    } else {
      return static_cast<T>(sum_);
    }
  }

 private:
  static double wide(T x) {
    if constexpr (sizeof(T) == 2) {
      return static_cast<double>(static_cast<float>(x));
    } else {
      return static_cast<double>(x);
    }
  }
  double sum_;
};

// Adds doubles and keeps the rounding error of each addition in a second sum (compensated summation).
template <>
class LongSum<double> {
 public:
  LongSum() = default;
  explicit LongSum(double start) : sum_(start), lost_(0) {}
  void add(double term) {
    const double next = sum_ + term, added = next - sum_;
    lost_ += (sum_ - (next - added)) + (term - added);
    sum_ = next;
  }
  // lost_ is NaN if the sum is not finite.
  double value() const { return lost_ == lost_ && lost_ != 0 ? sum_ + lost_ : sum_; }

 private:
  double sum_, lost_;
};

template <typename R>
class LongSum<std::complex<R>> {
 public:
  LongSum() = default;
  explicit LongSum(std::complex<R> start) : real_(start.real()), imaginary_(start.imag()) {}
  void add(std::complex<R> term) {
    real_.add(term.real());
    imaginary_.add(term.imag());
  }
  std::complex<R> value() const { return {real_.value(), imaginary_.value()}; }

 private:
  LongSum<R> real_, imaginary_;
};

}  // namespace impl::cpu

#endif  // IMPL_CPU_ENGINE_LONG_SUM_HPP_
