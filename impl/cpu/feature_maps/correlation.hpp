// SPDX-License-Identifier: BSD-3-Clause
// Correlation of patches of two feature maps, and its gradients. All arrays of a call have one type, float or double.
#ifndef IMPL_CPU_FEATURE_MAPS_CORRELATION_HPP_
#define IMPL_CPU_FEATURE_MAPS_CORRELATION_HPP_

#include "impl/common/dtype.hpp"
#include "impl/cpu/feature_maps/phases.hpp"

namespace impl::cpu {

// Pairs are vertical, horizontal. The maps are [N, C, height] of rows `row`, which have as many phases as the
// horizontal stride.
struct CorrelationCall {
  const void *first = nullptr, *second = nullptr;
  const void* grad = nullptr;  // [N, patch, patch, out_height, out_width]
  PhaseRow row;
  int64_t channels = 0, height = 0, out_height = 0, out_width = 0;
  int64_t kernel[2] = {1, 1}, patch[2] = {1, 1}, padding[2] = {0, 0}, dilation[2] = {1, 1};
  int64_t patch_dilation[2] = {1, 1}, stride[2] = {1, 1};

  // How far position p of the patch moves the second map.
  int64_t shift(int i, int64_t p) const { return p * patch_dilation[i] - patch_dilation[i] * (patch[i] - 1) / 2; }
};

// Writes the planes [begin, end) of rows of the output, numbered [N, patch[0], out_height].
using CorrelationFn = void (*)(const CorrelationCall& call, void* out, int64_t begin, int64_t end);
CorrelationFn correlation_kernel(diopiDtype_t dtype);
// Writes rows [begin, end) of all channels of the gradient of a map, numbered [N, height], in the layout of the maps.
CorrelationFn correlation_first_gradient_kernel(diopiDtype_t dtype);
CorrelationFn correlation_second_gradient_kernel(diopiDtype_t dtype);

}  // namespace impl::cpu

#endif  // IMPL_CPU_FEATURE_MAPS_CORRELATION_HPP_
