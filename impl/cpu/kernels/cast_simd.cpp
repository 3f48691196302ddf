#include "cast.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "impl/cpu/kernels/cast_simd.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "cast-inl.h"

#if HWY_ONCE
namespace impl::cpu {

#define DIOPI_DISPATCH_CAST(name) \
  HWY_EXPORT(name);               \
  void cast_##name(void* dst, const void* src, int64_t n) { HWY_DYNAMIC_DISPATCH(name)(dst, src, n); }

DIOPI_DISPATCH_CAST(float16_to_float32)
DIOPI_DISPATCH_CAST(float32_to_float16)
DIOPI_DISPATCH_CAST(bfloat16_to_float32)
DIOPI_DISPATCH_CAST(float32_to_bfloat16)
DIOPI_DISPATCH_CAST(float64_to_float32)
DIOPI_DISPATCH_CAST(float32_to_float64)
DIOPI_DISPATCH_CAST(float32_to_int32)
DIOPI_DISPATCH_CAST(float32_to_int64)
DIOPI_DISPATCH_CAST(float64_to_int64)
DIOPI_DISPATCH_CAST(int32_to_float32)

}  // namespace impl::cpu
#endif  // HWY_ONCE
