// SPDX-License-Identifier: BSD-3-Clause
// Powers of float and double.
#include "impl/cpu/pointwise/binary.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "impl/cpu/pointwise/pow_real.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>
#include "impl/cpu/math/power-inl.h"
#include "impl/cpu/simd/vector_loops-inl.h"

HWY_BEFORE_NAMESPACE();
namespace impl::cpu {
namespace HWY_NAMESPACE {

IMPL_CPU_VECTOR_FUNCTION(Pow);

BlockFn GetRealPow(diopiDtype_t dtype) { return real_vector_loop2<PowFn>(dtype); }

}  // namespace HWY_NAMESPACE
}  // namespace impl::cpu
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace impl::cpu {
HWY_EXPORT(GetRealPow);

BlockFn real_pow_kernel(diopiDtype_t dtype) { return HWY_DYNAMIC_DISPATCH(GetRealPow)(dtype); }
}  // namespace impl::cpu
#endif
