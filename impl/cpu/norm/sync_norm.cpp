// SPDX-License-Identifier: BSD-3-Clause
#include "impl/cpu/norm/sync_norm.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "impl/cpu/norm/sync_norm.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>
#include "impl/cpu/simd/row_loops-inl.h"

HWY_BEFORE_NAMESPACE();
namespace impl::cpu {
namespace HWY_NAMESPACE {

template <typename T>
void sync_norm_block(void* const* out, const void* const* in, int64_t n, const void*) {
  const T *x = static_cast<const T*>(in[0]), *mean = static_cast<const T*>(in[1]), *std = static_cast<const T*>(in[2]);
  const T *weight = static_cast<const T*>(in[3]), *bias = static_cast<const T*>(in[4]);
  T *norm = static_cast<T*>(out[0]), *y = static_cast<T*>(out[1]);
  for_vectors<T>(n, [&](int64_t i, auto load, auto store, auto) {
    const auto v = hn::Div(hn::Sub(load(x + i), load(mean + i)), load(std + i));
    const auto scaled = hn::Add(hn::Mul(v, load(weight + i)), load(bias + i));
    store(v, norm + i);
    store(scaled, y + i);
  });
}

BlockFn GetSyncNorm(diopiDtype_t dtype) {
  return dtype == diopi_dtype_float64 ? sync_norm_block<double> : sync_norm_block<float>;
}

}  // namespace HWY_NAMESPACE
}  // namespace impl::cpu
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace impl::cpu {
HWY_EXPORT(GetSyncNorm);

BlockFn sync_norm_kernel(diopiDtype_t dtype) { return HWY_DYNAMIC_DISPATCH(GetSyncNorm)(dtype); }
}  // namespace impl::cpu
#endif
