// SPDX-License-Identifier: BSD-3-Clause
// Layouts of the tensors of a normalisation: channels in planes or in columns, one dtype for all.
#ifndef IMPL_CPU_ENGINE_NORM_LAYOUT_HPP_
#define IMPL_CPU_ENGINE_NORM_LAYOUT_HPP_

#include "impl/common/tensor_view.hpp"
#include "impl/cpu/norm/batch_group.hpp"

namespace impl::cpu {

using diopi::Dims;
using diopi::TensorView;

// The layout of the channels of a tensor: planes or columns. For any other layout, a packed copy has planes.
ChannelShape channel_shape(const TensorView& input);

// Makes `arranged` have `dtype` and the strides of row-major planes or of columns. It is `view` itself if that already
// has them, otherwise a temporary, which gets the elements of `view` if `reads`.
Status arrange(diopiContextHandle_t ctx, const TensorView& view, bool columns, diopiDtype_t dtype, bool reads,
               TensorView* arranged);
// arrange() for a tensor that is read while `out` is written: it makes a temporary also if the two overlap partly.
// `out` may be null.
Status arrange_input(diopiContextHandle_t ctx, const TensorView& view, const TensorView* out, bool columns,
                     diopiDtype_t dtype, TensorView* arranged);
// Copies the results from a temporary of arrange() to `view`.
void put_back(const TensorView& view, const TensorView& arranged);

// The dtype of two tensors; if they differ, the dtype in which the operation computes.
diopiDtype_t joint_dtype(const TensorView& a, const TensorView& b);
// The dtype in which a gradient reads and writes elements. `grad_input` may be null.
diopiDtype_t gradient_dtype(const TensorView& grad_output, const TensorView& input, const TensorView* grad_input);

}  // namespace impl::cpu

#endif  // IMPL_CPU_ENGINE_NORM_LAYOUT_HPP_
