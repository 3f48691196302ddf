// SPDX-License-Identifier: BSD-3-Clause
// Tensors with gaps for tests of the CPU vendor's engines, and whole numbers, whose sums are exact in every dtype.
#ifndef DIOPI_TEST_UNIT_STRIDED_TENSOR_HPP_
#define DIOPI_TEST_UNIT_STRIDED_TENSOR_HPP_

#include <gtest/gtest.h>

#include <algorithm>
#include <complex>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <random>
#include <type_traits>
#include <vector>

#include "diopi_test/unit/engine_fixture.hpp"

namespace impl::cpu::onednn {
bool multiplies_bfloat16();  // its header needs oneDNN's headers
}

namespace engine_test {

template <typename T>
inline constexpr bool kIsComplex = false;
template <typename R>
inline constexpr bool kIsComplex<std::complex<R>> = true;

// The type in which a test computes exact results.
template <typename T>
using Wide =
    std::conditional_t<std::is_integral_v<T>, int64_t, std::conditional_t<kIsComplex<T>, std::complex<double>, double>>;

template <typename T>
Wide<T> widened(T value) {
  if constexpr (std::is_class_v<T> && !kIsComplex<T>) {
    return static_cast<double>(static_cast<float>(value));
  } else {
    return static_cast<Wide<T>>(value);
  }
}

template <typename T, typename W>
T narrowed(W value) {
  if constexpr (std::is_class_v<T> && !kIsComplex<T>) {
    return T(static_cast<float>(value));
  } else {
    return static_cast<T>(value);
  }
}

template <typename W>
W conjugate(W value, bool really = true) {
  if constexpr (kIsComplex<W>) return really ? std::conj(value) : value;
  return value;
}

// A whole number between -limit and limit; from 0 on if T is unsigned.
template <typename T>
T whole_number(std::mt19937* random, int64_t limit) {
  const auto pick = [&] { return static_cast<int64_t>((*random)() % static_cast<uint64_t>(2 * limit + 1)) - limit; };
  if constexpr (kIsComplex<T>) {
    const auto real = static_cast<typename T::value_type>(pick());
    return T(real, static_cast<typename T::value_type>(pick()));
  } else {
    const int64_t value = pick();
    return narrowed<T>(std::is_unsigned_v<T> ? std::abs(value) : value);
  }
}

inline int64_t count_of(const Shape& shape) {
  int64_t result = 1;
  for (const int64_t extent : shape) result *= extent;
  return result;
}

// The strides of a tensor whose dimensions are in memory in the order of `order`, the innermost first. The innermost
// dimension has stride `step`; `gap` elements follow each run of the innermost dimension.
inline Shape strides_of(const Shape& shape, const std::vector<int>& order, int64_t step = 1, int64_t gap = 0) {
  Shape stride(shape.size());
  for (const int dim : order) {
    stride[dim] = step;
    step *= shape[dim];
    if (dim == order[0]) step += gap;
  }
  return stride;
}

// A tensor that owns its memory: an odd number of elements lies before it and behind it.
template <typename T>
class StridedTensor {
 public:
  StridedTensor(const Shape& shape, const Shape& stride) : offsets_(static_cast<size_t>(count_of(shape)), kMargin) {
    int64_t run = 1, room = 2 * kMargin + 1;
    for (size_t dim = shape.size(); dim-- > 0;) {
      for (size_t i = 0; i < offsets_.size(); ++i) {
        offsets_[i] += static_cast<int64_t>(i) / run % shape[dim] * stride[dim];
      }
      run *= shape[dim];
      room += (shape[dim] - 1) * stride[dim];
    }
    memory_.assign(static_cast<size_t>(room) * sizeof(T), kFiller);
    view_.name = "tensor";
    view_.dtype = diopi::dtype_of<T>;
    view_.numel = count_of(shape);
    for (const int64_t extent : shape) view_.shape.push_back(extent);
    for (const int64_t step : stride) view_.stride.push_back(step);
  }

  diopi::TensorView view() {
    view_.data = memory_.data() + kMargin * sizeof(T);
    return view_;
  }
  int64_t size() const { return static_cast<int64_t>(offsets_.size()); }
  // The element with this number in row-major order.
  T get(int64_t i) const {
    T value;
    std::memcpy(&value, memory_.data() + offsets_[i] * sizeof(T), sizeof(T));
    return value;
  }
  void set(int64_t i, T value) { std::memcpy(memory_.data() + offsets_[i] * sizeof(T), &value, sizeof(T)); }
  // All elements in row-major order, conjugated if `conj`.
  std::vector<Wide<T>> wide(bool conj = false) const {
    std::vector<Wide<T>> result(offsets_.size());
    for (int64_t i = 0; i < size(); ++i) result[i] = conjugate(widened(get(i)), conj);
    return result;
  }
  void fill(std::mt19937* random, int64_t limit) {
    for (int64_t i = 0; i < size(); ++i) set(i, whole_number<T>(random, limit));
  }
  const std::vector<char>& bytes() const { return memory_; }
  // Whether the bytes between the elements, before them and behind them have their first value.
  bool gaps_are_untouched() const {
    std::vector<char> copy = memory_;
    for (const int64_t offset : offsets_) std::fill_n(copy.begin() + offset * sizeof(T), sizeof(T), kFiller);
    return std::all_of(copy.begin(), copy.end(), [](char c) { return c == kFiller; });
  }

 private:
  static constexpr int64_t kMargin = 35;
  static constexpr char kFiller = 0x55;
  std::vector<int64_t> offsets_;
  std::vector<char> memory_;
  diopi::TensorView view_;
};

// Requires that `tensor` has the elements `want`, and that nothing else was written.
template <typename T, typename W>
void expect_elements(const StridedTensor<T>& tensor, const std::vector<W>& want, const char* what) {
  for (int64_t i = 0; i < tensor.size(); ++i) {
    const T got = tensor.get(i), expected = narrowed<T>(want[i]);
    ASSERT_TRUE(widened(got) == widened(expected))
        << what << ": element " << i << " is wrong by " << std::abs(widened(got) - widened(expected));
  }
  ASSERT_TRUE(tensor.gaps_are_untouched()) << what << " writes outside of its result";
}

class Context {
 public:
  Context() { EXPECT_EQ(diopirtCreateContext(nullptr, &ctx_), diopiSuccess); }
  ~Context() { EXPECT_EQ(diopirtDestroyContext(ctx_), diopiSuccess); }
  Context(const Context&) = delete;
  Context& operator=(const Context&) = delete;
  diopiContextHandle_t get() const { return ctx_; }

 private:
  diopiContextHandle_t ctx_ = nullptr;
};

// Calls `run`, which returns the bytes of a result, on 1, 2 and 5 threads. The bytes must be the same.
template <typename F>
void expect_same_bits(const char* what, const F& run) {
  omp_set_num_threads(1);
  const std::vector<char> first = run();
  for (const int threads : {2, 5, 16}) {
    omp_set_num_threads(threads);
    ASSERT_TRUE(run() == first) << what << " on " << threads << " threads";
  }
}

}  // namespace engine_test

#endif  // DIOPI_TEST_UNIT_STRIDED_TENSOR_HPP_
