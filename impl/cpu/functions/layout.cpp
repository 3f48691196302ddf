// SPDX-License-Identifier: BSD-3-Clause
// Copies between layouts and dtypes.
#include "impl/common/allocate.hpp"
#include "impl/common/shape.hpp"
#include "impl/cpu/engine/copy/copy.hpp"

namespace impl::cpu {

using diopi::Dims;
using diopi::Status;
using diopi::TensorView;

namespace {

// Strides in which channels are innermost and the batch is outermost.
Dims channels_last_strides(const Dims& shape) {
  Dims stride;
  stride.n = shape.n;
  int64_t step = 1;
  stride[1] = step;
  step *= shape[1] > 1 ? shape[1] : 1;
  for (int i = shape.n - 1; i >= 2; --i) {
    stride[i] = step;
    step *= shape[i] > 1 ? shape[i] : 1;
  }
  stride[0] = step;
  return stride;
}

Status strides_of_format(const TensorView& input, diopiMemoryFormat_t format, Dims* stride) {
  int rank = 0;
  switch (format) {
    case Contiguous:
      *stride = diopi::contiguous_strides(input.shape);
      return diopiSuccess;
    case Preserve:
      *stride = input.is_dense() ? input.stride : diopi::contiguous_strides(input.shape);
      return diopiSuccess;
    case ChannelsLast1d:
      rank = 3;
      break;
    case ChannelsLast:
      rank = 4;
      break;
    case ChannelsLast3d:
      rank = 5;
      break;
  }
  DIOPI_REQUIRE(rank != 0, diopiErrorOccurred, "memoryFormat = %d is not a memory format", static_cast<int>(format));
  DIOPI_REQUIRE(input.ndim() == rank, diopiErrorOccurred,
                "memoryFormat = %d needs an input with %d dimensions, but its shape is %s", static_cast<int>(format),
                rank, diopi::Text(input.shape).c_str());
  *stride = channels_last_strides(input.shape);
  return diopiSuccess;
}

}  // namespace

diopiError_t diopiCopyInp(diopiContextHandle_t ctx, diopiConstTensorHandle_t src, diopiTensorHandle_t dest) {
  TensorView from, to;
  DIOPI_TRY(diopi::read_tensor(src, "src", &from));
  DIOPI_TRY(diopi::read_tensor(dest, "dest", &to));
  DIOPI_TRY(require_storage(from));
  DIOPI_TRY(require_storage(to));
  DIOPI_TRY(require_broadcasts_to(from, to.shape, "dest"));
  DIOPI_TRY(diopi::require_writable(to));
  return copy_tensor(ctx, to, from);
}

diopiError_t diopiCastDtype(diopiContextHandle_t ctx, diopiTensorHandle_t out, diopiConstTensorHandle_t input) {
  TensorView from, to;
  DIOPI_TRY(diopi::read_tensor(input, "input", &from));
  DIOPI_TRY(diopi::read_tensor(out, "out", &to));
  DIOPI_TRY(require_storage(from));
  DIOPI_TRY(require_storage(to));
  DIOPI_TRY(diopi::require_result_shape(&to, from));
  DIOPI_TRY(diopi::require_writable(to));
  return copy_tensor(ctx, to, from);
}

diopiError_t diopiContiguous(diopiContextHandle_t ctx, diopiTensorHandle_t* out, diopiConstTensorHandle_t input,
                             diopiMemoryFormat_t memoryFormat) {
  TensorView from, to;
  Dims stride;
  DIOPI_TRY(diopi::read_tensor(input, "input", &from));
  DIOPI_TRY(require_storage(from));
  DIOPI_TRY(strides_of_format(from, memoryFormat, &stride));
  DIOPI_TRY(diopi::allocate_output(ctx, "out", from.shape, &stride, from.dtype, out, &to));
  copy_view(to, from);
  return diopiSuccess;
}

}  // namespace impl::cpu
