// SPDX-License-Identifier: BSD-3-Clause
// Functions of complex numbers at infinities, at the ends of the range, and where terms could cancel.
#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <cstdint>
#include <limits>
#include <vector>

#include "impl/cpu/pointwise/activation.hpp"
#include "impl/cpu/pointwise/unary.hpp"

namespace {

using impl::cpu::ActivationGradient;
using impl::cpu::UnaryOp;
using Z = std::complex<double>;

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

Z apply(UnaryOp op, Z z) {
  Z result;
  void* out[] = {&result};
  const void* in[] = {&z};
  impl::cpu::complex_unary_kernel(op, diopi_dtype_complex128)(out, in, 1, nullptr);
  return result;
}

bool is_nan(Z z) { return std::isnan(z.real()) && std::isnan(z.imag()); }

// Complex numbers with an infinite part, combined with every kind of other part.
std::vector<Z> infinite_numbers() {
  std::vector<Z> numbers;
  for (const double infinity : {kInfinity, -kInfinity}) {
    for (const double other : {0.0, -1.5, kInfinity, -kInfinity, kNaN}) {
      numbers.emplace_back(infinity, other);
      numbers.emplace_back(other, infinity);
    }
  }
  return numbers;
}

TEST(Complex, infinite_numbers_have_reciprocals_that_are_zero_or_nan) {
  for (const Z z : infinite_numbers()) {
    for (const UnaryOp op : {UnaryOp::kReciprocal, UnaryOp::kRsqrt}) {
      const Z result = apply(op, z);
      EXPECT_TRUE(result == 0.0 || is_nan(result)) << z << " gives " << result;
    }
  }
}

TEST(Complex, infinite_numbers_have_logarithms_with_an_infinite_or_nan_real_part) {
  for (const Z z : infinite_numbers()) {
    const double real = apply(UnaryOp::kLog1p, z).real();
    EXPECT_TRUE(real == kInfinity || std::isnan(real)) << z << " gives " << real;
  }
}

// Near -1 the square of the absolute value of 1 + z is small, while its terms are about 1.
TEST(Complex, log1p_does_not_cancel_near_minus_one) {
  for (const Z z : {Z(-1, 3.6e-4), Z(-1, -1e-7), Z(-1 + 1e-9, 1e-6), Z(-0.999, 1e-3), Z(-0.6, 0.3), Z(-0.5, 1e-4)}) {
    const Z result = apply(UnaryOp::kLog1p, z);
    const std::complex<long double> w(z), exact = std::log(1.0L + w);
    EXPECT_LE(std::abs(std::complex<long double>(result) - exact), 5e-16L * std::abs(exact))
        << z << " gives " << result;
  }
}

TEST(Complex, sigmoid_of_negative_infinity_is_zero_or_nan) {
  for (const double imaginary : {0.0, 2.0, -2.0, kInfinity, kNaN}) {
    const Z result = apply(UnaryOp::kSigmoid, {-kInfinity, imaginary});
    EXPECT_TRUE(result == 0.0 || is_nan(result)) << imaginary << " gives " << result;
  }
}

TEST(Complex, sign_has_absolute_value_one_at_both_ends_of_the_range) {
  constexpr double kMost = std::numeric_limits<double>::max(), kLeast = std::numeric_limits<double>::denorm_min();
  for (const double size : {kMost, 1e308, 1.0, 1e-300, 3e-310, kLeast}) {
    for (const Z direction : {Z(1, 1), Z(-1, 1), Z(1, -1), Z(-1, 0), Z(0, 1)}) {
      const Z result = apply(UnaryOp::kSgn, size * direction), exact = direction / std::abs(direction);
      EXPECT_LE(std::abs(result - exact), 1e-15) << size << " " << direction << " gives " << result;
    }
  }
}

// The gradient is s (1 + z (1 - s)). If s is 1 except for e^-z, the difference 1 - s is multiplied by |z|.
TEST(Complex, gradient_of_silu_does_not_cancel) {
  for (const Z z : {Z(30, 1e10), Z(36, -1e14), Z(20, 7.0)}) {
    const Z grad = 1;
    Z result;
    void* out[] = {&result};
    const void* in[] = {&grad, &z};
    impl::cpu::complex_gradient_kernel(ActivationGradient::kSilu, diopi_dtype_complex128)(out, in, 1, nullptr);
    const std::complex<long double> w(z), one = 1, s = one / (one + std::exp(-w)), rest = one / (one + std::exp(w));
    const std::complex<long double> exact = std::conj(s * (one + w * rest));
    EXPECT_LE(std::abs(std::complex<long double>(result) - exact), 1e-15L * std::abs(exact))
        << z << " gives " << result;
  }
}

}  // namespace
