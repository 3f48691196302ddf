// SPDX-License-Identifier: BSD-3-Clause
// What a vendor implements for deformable convolution and deformable attention. All floating point tensors of a problem
// have one dtype and any strides; outputs overlap nothing. Families have checked shapes and attributes.
//
// Positions are computed in float64; float16 and bfloat16 are computed in float32 and rounded once. The bits of a
// result do not depend on the number of threads.
#ifndef IMPL_COMMON_ENGINE_DEFORM_HPP_
#define IMPL_COMMON_ENGINE_DEFORM_HPP_

#include "impl/common/plan/windows.hpp"

namespace diopi {

// The samples of a deformable convolution: for each channel, kernel position and output position, the value of `input`
// at the position of the window plus an offset, times the mask. A sample outside of the image is 0.
struct DeformSamples {
  const TensorView& input;   // [N, C, H, W]
  const TensorView& offset;  // [N, 2 * deform_groups * kernel, Ho, Wo]
  const TensorView* mask;    // [N, deform_groups * kernel, Ho, Wo]; null: 1
  const Windows& windows;
  int64_t groups, deform_groups;
};

// A level of an image pyramid whose levels are in one tensor.
struct PyramidLevel {
  int64_t height, width, start;
};

// The levels of an image pyramid, and the points at which queries read them.
struct AttentionSamples {
  const TensorView& value;     // [N, S, heads, D]
  const TensorView& location;  // [N, Q, heads, L, P, 2]: x, y
  const TensorView& weight;    // [N, Q, heads, L, P]
  const PyramidLevel* levels;  // L, each of them within `value`; on the host
};

}  // namespace diopi

namespace impl::DIOPI_VENDOR {

using diopi::AttentionSamples;
using diopi::DeformSamples;
using diopi::PyramidLevel;
using diopi::Status;
using diopi::TensorView;

// out [N, O, Ho, Wo] = sums of the samples times weight [O, C / groups, kernel...], plus bias [O], which may be null.
// `out` is not empty.
Status run_deform_conv(diopiContextHandle_t ctx, const DeformSamples& samples, const TensorView& weight,
                       const TensorView* bias, const TensorView& out);

// The gradients with respect to input, offset and mask. grad_mask is null if the samples have no mask. A gradient may
// be empty.
struct DeformGradients {
  const TensorView &input, &offset;
  const TensorView* mask;
};
Status run_deform_conv_backward_samples(diopiContextHandle_t ctx, const DeformSamples& samples,
                                        const TensorView& weight, const TensorView& grad_output,
                                        const DeformGradients& gradients);

// grad_weight = scale * the gradient, plus what grad_weight holds if `accumulate`. grad_output may be empty.
Status run_deform_conv_backward_weight(diopiContextHandle_t ctx, const DeformSamples& samples,
                                       const TensorView& grad_output, const TensorView& grad_weight, double scale,
                                       bool accumulate);

// out [N, Q, heads * D].
Status run_deform_attention(diopiContextHandle_t ctx, const AttentionSamples& samples, const TensorView& out);

struct AttentionGradients {
  const TensorView &value, &location, &weight;
};
Status run_deform_attention_backward(diopiContextHandle_t ctx, const AttentionSamples& samples,
                                     const TensorView& grad_output, const AttentionGradients& gradients);

}  // namespace impl::DIOPI_VENDOR

#endif  // IMPL_COMMON_ENGINE_DEFORM_HPP_
