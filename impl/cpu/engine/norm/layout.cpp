// SPDX-License-Identifier: BSD-3-Clause
#include "impl/cpu/engine/norm/layout.hpp"

#include <algorithm>

#include "impl/common/shape.hpp"
#include "impl/common/temporary.hpp"
#include "impl/cpu/engine/copy/copy.hpp"

namespace impl::cpu {

namespace {

// Row-major strides, or the strides of columns, in which channels (dimension 1) are innermost.
Dims channel_strides(const Dims& shape, bool columns) {
  if (!columns || shape.n < 2) return diopi::contiguous_strides(shape);
  Dims moved = shape;
  std::copy(shape.v + 2, shape.v + shape.n, moved.v + 1);
  moved[shape.n - 1] = shape[1];
  const Dims packed = diopi::contiguous_strides(moved);
  Dims result = packed;
  result[1] = packed[shape.n - 1];
  std::copy(packed.v + 1, packed.v + shape.n - 1, result.v + 2);
  return result;
}

bool has_strides(const TensorView& view, const Dims& stride) {
  for (int i = 0; i < view.ndim(); ++i) {
    if (view.shape[i] != 1 && view.stride[i] != stride[i]) return false;
  }
  return true;
}

}  // namespace

ChannelShape channel_shape(const TensorView& input) {
  ChannelShape shape;
  shape.samples = input.shape[0];
  shape.channels = input.shape[1];
  shape.space = 1;
  for (int i = 2; i < input.ndim(); ++i) shape.space *= input.shape[i];
  shape.columns = shape.space == 1 || (has_strides(input, channel_strides(input.shape, true)) &&
                                       !has_strides(input, channel_strides(input.shape, false)));
  return shape;
}

Status arrange(diopiContextHandle_t ctx, const TensorView& view, bool columns, diopiDtype_t dtype, bool reads,
               TensorView* arranged) {
  const Dims stride = channel_strides(view.shape, columns);
  *arranged = view;
  if (view.dtype == dtype && has_strides(view, stride)) return diopiSuccess;
  DIOPI_TRY(diopi::make_temporary(ctx, view.shape, dtype, view.name, arranged));
  arranged->stride = stride;
  if (reads && view.numel > 0) copy_view(*arranged, view);
  return diopiSuccess;
}

Status arrange_input(diopiContextHandle_t ctx, const TensorView& view, const TensorView* out, bool columns,
                     diopiDtype_t dtype, TensorView* arranged) {
  TensorView apart = view;
  if (out != nullptr && !diopi::is_same_view(*out, view)) DIOPI_TRY(copy_if_overlapping(ctx, *out, &apart));
  return arrange(ctx, apart, columns, dtype, true, arranged);
}

void put_back(const TensorView& view, const TensorView& arranged) {
  if (view.data != arranged.data && view.numel > 0) copy_view(view, arranged);
}

diopiDtype_t joint_dtype(const TensorView& a, const TensorView& b) {
  return a.dtype == b.dtype ? a.dtype : diopi::compute_dtype(diopi::promote_types(a.dtype, b.dtype));
}

diopiDtype_t gradient_dtype(const TensorView& grad_output, const TensorView& input, const TensorView* grad_input) {
  const diopiDtype_t joint = joint_dtype(grad_output, input);
  return grad_input != nullptr && grad_input->dtype != joint ? diopi::compute_dtype(joint) : joint;
}

}  // namespace impl::cpu
