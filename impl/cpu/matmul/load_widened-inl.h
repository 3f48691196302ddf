/* SPDX-License-Identifier: BSD-3-Clause */
// Loads terms of a matrix product as vectors of the type of the sums.
#if defined(IMPL_CPU_MATMUL_LOAD_WIDENED_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef IMPL_CPU_MATMUL_LOAD_WIDENED_INL_H_
#undef IMPL_CPU_MATMUL_LOAD_WIDENED_INL_H_
#else
#define IMPL_CPU_MATMUL_LOAD_WIDENED_INL_H_
#endif

#include <hwy/highway.h>

#include <cstdint>
#include <type_traits>

#include "impl/common/dtype.hpp"
#include "impl/cpu/simd/float16-inl.h"

HWY_BEFORE_NAMESPACE();
namespace impl::cpu {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// The type of the sums. float16 and bfloat16 are summed in float32.
template <typename T>
using Summand = std::conditional_t<std::is_same_v<T, double>, double, float>;

template <typename T, class D>
HWY_INLINE hn::Vec<D> load_terms(D d, const T* HWY_RESTRICT p) {
  if constexpr (std::is_same_v<T, diopi::float16>) {
    return load_float16(d, reinterpret_cast<const uint16_t*>(p));
  } else if constexpr (std::is_same_v<T, diopi::bfloat16>) {
    return load_bfloat16(d, reinterpret_cast<const uint16_t*>(p));
  } else {
    return hn::LoadU(d, p);
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace impl::cpu
HWY_AFTER_NAMESPACE();

#endif  // include guard
