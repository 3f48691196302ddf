// SPDX-License-Identifier: BSD-3-Clause
#include "impl/cpu/engine/cast/cast.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "impl/cpu/engine/cast/cast_simd.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "impl/cpu/engine/cast/cast-inl.h"
#include "impl/cpu/engine/cast/cast_loops-inl.h"

HWY_BEFORE_NAMESPACE();
namespace impl::cpu {
namespace HWY_NAMESPACE {

// Returns the loops for pairs of dtypes that are common in models; null for other pairs, which use the baseline's
// loops.
template <typename F>
CastFn find_loop_from(diopiDtype_t to) {
  switch (to) {
    case diopi_dtype_bool:
      return std::is_same_v<F, bool> ? nullptr : convert_loop<bool, F>;
    case diopi_dtype_int8:
      return convert_loop<int8_t, F>;
    case diopi_dtype_uint8:
      return convert_loop<std::conditional_t<std::is_floating_point_v<F>, uint8_t, int8_t>, F>;  // the same bits
    case diopi_dtype_int16:
      return convert_loop<int16_t, F>;
    case diopi_dtype_int32:
      return convert_loop<int32_t, F>;
    case diopi_dtype_int64:
      return convert_loop<int64_t, F>;
    case diopi_dtype_float32:
      return convert_loop<float, F>;
    case diopi_dtype_float64:
      return convert_loop<double, F>;
    default:
      return nullptr;
  }
}

CastFn GetCastLoop(diopiDtype_t from, diopiDtype_t to) {
  if (from == to) return nullptr;
  switch (from) {
    case diopi_dtype_bool:
      return find_loop_from<bool>(to);
    case diopi_dtype_int8:
      return find_loop_from<int8_t>(to);
    case diopi_dtype_uint8:
      return find_loop_from<uint8_t>(to);
    case diopi_dtype_int16:
      return find_loop_from<int16_t>(to);
    case diopi_dtype_int32:
      return find_loop_from<int32_t>(to);
    case diopi_dtype_int64:
      return find_loop_from<int64_t>(to);
    case diopi_dtype_float32:
      return find_loop_from<float>(to);
    case diopi_dtype_float64:
      return find_loop_from<double>(to);
    default:
      return nullptr;
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace impl::cpu
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace impl::cpu {

#define DIOPI_DISPATCH_CAST(name, Exported) \
  HWY_EXPORT(Exported);                     \
  void cast_##name(void* dst, const void* src, int64_t n) { HWY_DYNAMIC_DISPATCH(Exported)(dst, src, n); }

DIOPI_DISPATCH_CAST(float16_to_float32, Float16ToFloat32)
DIOPI_DISPATCH_CAST(float32_to_float16, Float32ToFloat16)
DIOPI_DISPATCH_CAST(bfloat16_to_float32, Bfloat16ToFloat32)
DIOPI_DISPATCH_CAST(float32_to_bfloat16, Float32ToBfloat16)
DIOPI_DISPATCH_CAST(float64_to_float32, Float64ToFloat32)
DIOPI_DISPATCH_CAST(float32_to_float64, Float32ToFloat64)
DIOPI_DISPATCH_CAST(float32_to_int32, Float32ToInt32)
DIOPI_DISPATCH_CAST(float32_to_int64, Float32ToInt64)
DIOPI_DISPATCH_CAST(float64_to_int32, Float64ToInt32)
DIOPI_DISPATCH_CAST(float64_to_int64, Float64ToInt64)
DIOPI_DISPATCH_CAST(int32_to_float32, Int32ToFloat32)
DIOPI_DISPATCH_CAST(float16_to_int32, Float16ToInt32)
DIOPI_DISPATCH_CAST(bfloat16_to_int32, Bfloat16ToInt32)

HWY_EXPORT(GetCastLoop);
CastFn cast_loop(diopiDtype_t from, diopiDtype_t to) { return HWY_DYNAMIC_DISPATCH(GetCastLoop)(from, to); }

}  // namespace impl::cpu
#endif  // HWY_ONCE
