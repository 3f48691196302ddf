// SPDX-License-Identifier: BSD-3-Clause
#include "impl/cpu/softmax/masked.hpp"

#include <limits>

#include "impl/common/kernel_table.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "impl/cpu/softmax/masked.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "impl/cpu/math/exp-inl.h"
#include "impl/cpu/simd/load_store-inl.h"

HWY_BEFORE_NAMESPACE();
namespace impl::cpu {
namespace HWY_NAMESPACE {

// Calls f(i, load, store) for each vector of a row; the lanes behind the end of the row are 0.
template <typename S, class F>
HWY_INLINE void for_row(int64_t n, F f) {
  const int64_t lanes = lanes_of<S>();
  int64_t i = 0;
  for (; i + lanes <= n; i += lanes) {
    f(
        i, [](const auto* p) HWY_ATTR { return load_vector(p); }, [](auto v, auto* p) HWY_ATTR { store_vector(v, p); });
  }
  if (i == n) return;
  const int64_t count = n - i;
  f(
      i, [=](const auto* p) HWY_ATTR { return load_some(p, count); },
      [=](auto v, auto* p) HWY_ATTR { store_some(v, p, count); });
}

// Replaces the hidden elements of a row.
template <typename T>
HWY_INLINE void hide(const MaskedRow& row, T value, T* z) {
  const int64_t visible = std::min(row.visible, row.n);
  if (row.mask != nullptr && row.mask_step == 0) {
    if (row.mask[0] != 0) std::fill_n(z, row.n, value);
  } else if (row.mask != nullptr) {
    for (int64_t i = 0; i < visible; ++i) z[i] = row.mask[i] != 0 ? value : z[i];
  }
  std::fill(z + visible, z + row.n, value);
}

template <typename S>
void masked_softmax(const MaskedRow& row, const void* input, void* output, char* memory) {
  using T = ComputeOf<S>;
  const TagOf<S> d;
  const S* in = static_cast<const S*>(input);
  T* z = reinterpret_cast<T*>(memory);
  const auto scale = hn::Set(d, static_cast<T>(row.scale));
  for_row<S>(row.n, [&](int64_t i, auto load, auto store) HWY_ATTR { store(hn::Mul(load(in + i), scale), z + i); });
  hide(row, T(-10000), z);
  // The lanes behind the end repeat the first element.
  const int64_t lanes = lanes_of<S>(), padded = (row.n + lanes - 1) / lanes * lanes;
  std::fill(z + row.n, z + padded, z[0]);
  auto most = hn::Set(d, -std::numeric_limits<T>::infinity());
  for (int64_t i = 0; i < padded; i += lanes) most = hn::Max(most, hn::LoadU(d, z + i));
  const auto shift = hn::MaxOfLanes(d, most);
  auto sum = hn::Zero(d);
  for_row<T>(row.n, [&](int64_t i, auto, auto store) HWY_ATTR {
    const auto p = Exp(d, hn::Sub(hn::LoadU(d, z + i), shift));
    sum = hn::Add(sum, i + lanes <= row.n ? p : keep_some<T>(p, row.n - i));
    store(p, z + i);
  });
  const auto inverse = hn::Set(d, T(1) / hn::GetLane(hn::SumOfLanes(d, sum)));
  S* out = static_cast<S*>(output);
  for_row<S>(row.n, [&](int64_t i, auto load, auto store) HWY_ATTR { store(hn::Mul(load(z + i), inverse), out + i); });
}

template <typename S>
void masked_softmax_backward(const MaskedRow& row, const void* grad_output, const void* output, void* grad_input,
                             char* memory) {
  using T = ComputeOf<S>;
  const TagOf<S> d;
  const S *g = static_cast<const S*>(grad_output), *y = static_cast<const S*>(output);
  T* z = reinterpret_cast<T*>(memory);
  auto sum = hn::Zero(d);
  for_row<S>(row.n, [&](int64_t i, auto load, auto) HWY_ATTR { sum = hn::MulAdd(load(g + i), load(y + i), sum); });
  const auto total = hn::SumOfLanes(d, sum), scale = hn::Set(d, static_cast<T>(row.scale));
  for_row<S>(row.n, [&](int64_t i, auto load, auto store)
                        HWY_ATTR { store(hn::Mul(hn::Mul(scale, load(y + i)), hn::Sub(load(g + i), total)), z + i); });
  hide(row, T(0), z);
  S* out = static_cast<S*>(grad_input);
  for_row<S>(row.n, [&](int64_t i, auto load, auto store) HWY_ATTR { store(load(z + i), out + i); });
}

MaskedSoftmaxFn GetMaskedSoftmax(diopiDtype_t dtype) {
  return diopi::kernel_for<diopi::FloatingTypes>(dtype,
                                                 [](auto tag) { return masked_softmax<diopi::tagged<decltype(tag)>>; });
}
MaskedSoftmaxBackwardFn GetMaskedSoftmaxBackward(diopiDtype_t dtype) {
  return diopi::kernel_for<diopi::FloatingTypes>(
      dtype, [](auto tag) { return masked_softmax_backward<diopi::tagged<decltype(tag)>>; });
}

}  // namespace HWY_NAMESPACE
}  // namespace impl::cpu
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace impl::cpu {
HWY_EXPORT(GetMaskedSoftmax);
HWY_EXPORT(GetMaskedSoftmaxBackward);

MaskedSoftmaxFn masked_softmax_kernel(diopiDtype_t dtype) { return HWY_DYNAMIC_DISPATCH(GetMaskedSoftmax)(dtype); }
MaskedSoftmaxBackwardFn masked_softmax_backward_kernel(diopiDtype_t dtype) {
  return HWY_DYNAMIC_DISPATCH(GetMaskedSoftmaxBackward)(dtype);
}
}  // namespace impl::cpu
#endif
