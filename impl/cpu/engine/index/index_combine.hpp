// SPDX-License-Identifier: BSD-3-Clause
// Part of the index engine: addition to an item and multiplication of an item, for each dtype.
#ifndef IMPL_CPU_ENGINE_INDEX_INDEX_COMBINE_HPP_
#define IMPL_CPU_ENGINE_INDEX_INDEX_COMBINE_HPP_

#include <cstring>
#include <type_traits>

#include "impl/common/dtype.hpp"
#include "impl/cpu/engine/index/slices.hpp"

namespace impl::cpu::index_detail {

template <Accumulate kOp, typename T>
T combined(T sum, T value) {
  if constexpr (std::is_same_v<T, bool>) {
    return kOp == Accumulate::kAdd ? sum || value : sum && value;
  } else if constexpr (kOp == Accumulate::kAdd) {
    return static_cast<T>(sum + value);
  } else if constexpr (std::is_integral_v<T> && sizeof(T) == 2) {  // in int, the product of two uint16_t would overflow
    return static_cast<T>(static_cast<unsigned>(sum) * value);
  } else {
    return static_cast<T>(sum * value);
  }
}

// Combines items of type T on both sides.
template <typename T, Accumulate kOp>
struct Combine {
  static constexpr int64_t kSize = sizeof(T), kPackedSize = sizeof(T);
  static constexpr bool kReadsTarget = true;
  static void apply(char* dst, const char* src) {
    T value, sum;
    std::memcpy(&value, src, sizeof(T));
    std::memcpy(&sum, dst, sizeof(T));
    sum = combined<kOp>(sum, value);
    std::memcpy(dst, &sum, sizeof(T));
  }
  static void row(char* dst, const char* src, int64_t n) {
    T* __restrict to = reinterpret_cast<T*>(dst);
    const T* __restrict from = reinterpret_cast<const T*>(src);
    for (int64_t i = 0; i < n; ++i) to[i] = combined<kOp>(to[i], from[i]);
  }
};

// Combines items of float16 or bfloat16 with their float accumulators.
template <typename T, Accumulate kOp>
struct CombineWide {
  static constexpr int64_t kSize = sizeof(float), kPackedSize = sizeof(T);
  static constexpr bool kReadsTarget = true;
  static void apply(char* dst, const char* src) {
    T value;
    float sum;
    std::memcpy(&value, src, sizeof(T));
    std::memcpy(&sum, dst, sizeof(float));
    sum = combined<kOp>(sum, static_cast<float>(value));
    std::memcpy(dst, &sum, sizeof(float));
  }
};

// Calls `f` with a tag of the accumulator type of `dtype`. Signed and unsigned integers share a type, because both wrap
// around. Returns false for float16 and bfloat16, which need a wider accumulator.
template <typename F>
bool visit_accumulator(diopiDtype_t dtype, F&& f) {
  using diopi::TypeTag;
  if (diopi::is_reduced_float(dtype)) return false;
  switch (dtype) {
    case diopi_dtype_float32:
      f(TypeTag<float>{});
      return true;
    case diopi_dtype_float64:
      f(TypeTag<double>{});
      return true;
    case diopi_dtype_bool:
      f(TypeTag<bool>{});
      return true;
    case diopi_dtype_complex64:
      f(TypeTag<diopi::complex64>{});
      return true;
    case diopi_dtype_complex128:
      f(TypeTag<diopi::complex128>{});
      return true;
    default:
      break;
  }
  switch (diopi::dtype_size(dtype)) {
    case 1:
      f(TypeTag<uint8_t>{});
      return true;
    case 2:
      f(TypeTag<uint16_t>{});
      return true;
    case 4:
      f(TypeTag<uint32_t>{});
      return true;
    default:
      f(TypeTag<uint64_t>{});
      return true;
  }
}

}  // namespace impl::cpu::index_detail

#endif  // IMPL_CPU_ENGINE_INDEX_INDEX_COMBINE_HPP_
