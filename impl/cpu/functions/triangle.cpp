// SPDX-License-Identifier: BSD-3-Clause
// Triangular parts of matrices.
#include "impl/common/shape.hpp"
#include "impl/cpu/engine/copy/copy.hpp"
#include "impl/cpu/tensor/tril_triu.hpp"

namespace impl::cpu {

using diopi::Status;
using diopi::TensorView;

namespace {

Status require_matrices(const TensorView& view) {
  DIOPI_REQUIRE(view.ndim() >= 2, diopiErrorOccurred, "%s has shape %s, expected at least two dimensions", view.name,
                diopi::Text(view.shape).c_str());
  return require_storage(view);
}

Status triangle(diopiContextHandle_t ctx, diopiTensorHandle_t out, diopiConstTensorHandle_t input, bool lower,
                int64_t diagonal) {
  TensorView to, from;
  DIOPI_TRY(diopi::read_tensor(out, "out", &to));
  DIOPI_TRY(diopi::read_tensor(input, "input", &from));
  DIOPI_TRY(require_matrices(from));
  DIOPI_TRY(require_storage(to));
  DIOPI_TRY(diopi::require_castable(from.dtype, to));
  DIOPI_TRY(diopi::require_same_shape(to, from));
  DIOPI_TRY(diopi::require_writable(to));
  if (to.dtype != from.dtype) {  // converts first, because zero is zero in every dtype
    DIOPI_TRY(copy_tensor(ctx, to, from));
    from = to;
  } else if (!diopi::is_same_view(to, from)) {
    DIOPI_TRY(copy_if_overlapping(ctx, to, &from));
  }
  copy_triangle(to, from, lower, diagonal);
  return diopiSuccess;
}

}  // namespace

diopiError_t diopiTril(diopiContextHandle_t ctx, diopiTensorHandle_t out, diopiConstTensorHandle_t input,
                       int64_t diagonal) {
  return triangle(ctx, out, input, true, diagonal);
}

diopiError_t diopiTriu(diopiContextHandle_t ctx, diopiTensorHandle_t out, diopiConstTensorHandle_t input,
                       int64_t diagonal) {
  return triangle(ctx, out, input, false, diagonal);
}

diopiError_t diopiTriuInp(diopiContextHandle_t ctx, diopiTensorHandle_t input, int64_t diagonal) {
  TensorView view;
  DIOPI_TRY(diopi::read_tensor(input, "input", &view));
  DIOPI_TRY(require_matrices(view));
  DIOPI_TRY(diopi::require_writable(view));
  copy_triangle(view, view, false, diagonal);
  return diopiSuccess;
}

}  // namespace impl::cpu
