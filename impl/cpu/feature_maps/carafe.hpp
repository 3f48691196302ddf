// SPDX-License-Identifier: BSD-3-Clause
// Reassembly of features by masks, and its gradients. A kernel computes whole rows. All arrays of a call have one type,
// float or double.
#ifndef IMPL_CPU_FEATURE_MAPS_CARAFE_HPP_
#define IMPL_CPU_FEATURE_MAPS_CARAFE_HPP_

#include <cstdint>

#include "impl/common/dtype.hpp"

namespace impl::cpu {

struct CarafeCall {
  int64_t images = 0, channels = 0, height = 0, width = 0;  // of the features
  int64_t kernel = 1, groups = 1, scale = 1;
  const void* features = nullptr;  // [N, C, H, pitch]: each feature `scale` times, between margins of zeros
  const void* grad = nullptr;      // [N, C, scale * H, pitch]: gradients of the outputs between margins of zeros
  const void* masks = nullptr;     // [N, groups * kernel * kernel, scale * H, scale * W]

  int64_t out_height() const { return scale * height; }
  int64_t out_width() const { return scale * width; }
  int64_t radius() const { return (kernel - 1) / 2; }
  int64_t margin() const { return radius() * scale; }
  int64_t pitch() const { return out_width() + 2 * margin(); }
  int64_t group_channels() const { return channels / groups; }
};

// The elements that may be read behind the last row of `features` and `grad`.
inline constexpr int64_t kCarafeSlack = 64;

// Writes rows [begin, end) of `width` elements, each element `repeat` times and the row between margins of zeros.
using WidenRowsFn = void (*)(const void* in, void* out, int64_t width, int64_t repeat, int64_t margin, int64_t begin,
                             int64_t end);
WidenRowsFn widen_rows_kernel(diopiDtype_t dtype);

// Writes rows [begin, end) of all channels: those of the output and of the gradient of the masks are numbered [N, scale
// * H], those of the gradient of the features [N, H].
using CarafeFn = void (*)(const CarafeCall& call, void* out, int64_t begin, int64_t end);
CarafeFn carafe_kernel(diopiDtype_t dtype);
CarafeFn carafe_mask_gradient_kernel(diopiDtype_t dtype);
CarafeFn carafe_feature_gradient_kernel(diopiDtype_t dtype);

}  // namespace impl::cpu

#endif  // IMPL_CPU_FEATURE_MAPS_CARAFE_HPP_
