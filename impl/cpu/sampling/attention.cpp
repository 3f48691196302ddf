// SPDX-License-Identifier: BSD-3-Clause
#include "impl/cpu/sampling/attention.hpp"

#include <algorithm>

#include "impl/common/kernel_table.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "impl/cpu/sampling/attention.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>
#include "impl/cpu/sampling/point_rows-inl.h"

HWY_BEFORE_NAMESPACE();
namespace impl::cpu {
namespace HWY_NAMESPACE {

// The point of a level at a normalised location [x, y].
template <typename T>
HWY_INLINE ZeroPaddedPoint attention_point(const PyramidLevel& level, const T* location) {
  const double x = static_cast<double>(location[0]) * static_cast<double>(level.width) - 0.5;
  const double y = static_cast<double>(location[1]) * static_cast<double>(level.height) - 0.5;
  return zero_padded_point(y, x, level.height, level.width);
}

template <typename T>
void attention_rows(const DeformAttention& a, void* out, int64_t begin, int64_t end) {
  const TagOf<T> d;
  const int64_t pitch = a.heads * a.depth;
  for (int64_t r = begin; r < end; ++r) {
    const int64_t head = r % a.heads, n = r / a.heads / a.queries;
    const T* value = static_cast<const T*>(a.value) + n * a.cells * pitch + head * a.depth;
    const T* weight = static_cast<const T*>(a.weight) + r * a.levels * a.points;
    const T* location = static_cast<const T*>(a.location) + 2 * r * a.levels * a.points;
    T* to = static_cast<T*>(out) + r * a.depth;
    std::fill_n(to, a.depth, T{0});
    for (int64_t i = 0; i < a.levels * a.points; ++i) {
      const PyramidLevel& level = a.level[i / a.points];
      const ZeroPaddedPoint point = attention_point(level, location + 2 * i);
      const NeighbourRows<T> rows(point, value + level.start * pitch, pitch, static_cast<const T*>(a.zeros));
      const auto factor = hn::Set(d, weight[i]);
      for_vectors<T>(a.depth, [&](int64_t c, auto load, auto store, auto) {
        store(hn::MulAdd(factor, rows.sample(c, load), load(to + c)), to + c);
      });
    }
  }
}

// The gradients of one query of one head.
template <typename T>
HWY_INLINE void attention_query_gradients(const DeformAttention& a, const T* grad, const T* value, const T* weight,
                                          const T* location, T* to_value, T* to_weight, T* to_location) {
  const int64_t pitch = a.heads * a.depth;
  for (int64_t i = 0; i < a.levels * a.points; ++i) {
    const PyramidLevel& level = a.level[i / a.points];
    const ZeroPaddedPoint point = attention_point(level, location + 2 * i);
    PointGradient found;
    if (point.inside) {
      const NeighbourRows<T> rows(point, value + level.start * pitch, pitch, static_cast<const T*>(a.zeros));
      add_point_gradient(point, grad, rows, a.depth, &found);
      found.x *= static_cast<double>(level.width) * static_cast<double>(weight[i]);
      found.y *= static_cast<double>(level.height) * static_cast<double>(weight[i]);
      add_to_neighbours(point, grad, weight[i], to_value + level.start * pitch, pitch, a.depth);
    }
    to_weight[i] = static_cast<T>(found.sample);
    to_location[2 * i] = static_cast<T>(found.x);
    to_location[2 * i + 1] = static_cast<T>(found.y);
  }
}

template <typename T>
void attention_gradients(const DeformAttention& a, const DeformAttentionGradients& g, int64_t begin, int64_t end) {
  for (int64_t h = begin; h < end; ++h) {
    const int64_t n = h / a.heads, head = h % a.heads;
    const int64_t plane = n * a.cells * a.heads * a.depth + head * a.depth;
    for (int64_t q = 0; q < a.queries; ++q) {
      const int64_t row = (n * a.queries + q) * a.heads + head, samples = row * a.levels * a.points;
      attention_query_gradients(a, static_cast<const T*>(g.grad_output) + row * a.depth,
                                static_cast<const T*>(a.value) + plane, static_cast<const T*>(a.weight) + samples,
                                static_cast<const T*>(a.location) + 2 * samples, static_cast<T*>(g.value) + plane,
                                static_cast<T*>(g.weight) + samples, static_cast<T*>(g.location) + 2 * samples);
    }
  }
}

using Wide = diopi::TypeList<float, double>;

DeformAttentionFn GetDeformAttention(diopiDtype_t dtype) {
  return diopi::kernel_for<Wide>(dtype, [](auto tag) { return attention_rows<diopi::tagged<decltype(tag)>>; });
}
DeformAttentionBackwardFn GetDeformAttentionBackward(diopiDtype_t dtype) {
  return diopi::kernel_for<Wide>(dtype, [](auto tag) { return attention_gradients<diopi::tagged<decltype(tag)>>; });
}

}  // namespace HWY_NAMESPACE
}  // namespace impl::cpu
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace impl::cpu {
HWY_EXPORT(GetDeformAttention);
HWY_EXPORT(GetDeformAttentionBackward);

DeformAttentionFn deform_attention_kernel(diopiDtype_t dtype) {
  return HWY_DYNAMIC_DISPATCH(GetDeformAttention)(dtype);
}
DeformAttentionBackwardFn deform_attention_backward_kernel(diopiDtype_t dtype) {
  return HWY_DYNAMIC_DISPATCH(GetDeformAttentionBackward)(dtype);
}

}  // namespace impl::cpu
#endif
