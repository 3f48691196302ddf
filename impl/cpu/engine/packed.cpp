// SPDX-License-Identifier: BSD-3-Clause
#include "impl/cpu/engine/packed.hpp"

#include <algorithm>

#include "impl/common/step_memory.hpp"
#include "impl/common/temporary.hpp"
#include "impl/cpu/engine/copy/copy.hpp"

namespace impl::cpu {

namespace {

bool has_packed_rows(const TensorView& view) {
  const int last = view.ndim() - 1;
  return view.numel == 0 || last < 0 || view.shape[last] == 1 || view.stride[last] == 1;
}

// A row-major copy in which the rows of a dimension of stride 0 are held once.
Status packed_copy_of(diopiContextHandle_t ctx, const TensorView& view, diopiDtype_t dtype, TensorView* packed) {
  TensorView once = view;
  for (int i = 0; i + 1 < view.ndim(); ++i) {
    if (view.stride[i] == 0) once.shape[i] = std::min<int64_t>(view.shape[i], 1);
  }
  once.numel = once.shape.product();
  DIOPI_TRY(diopi::make_temporary(ctx, once.shape, dtype, view.name, packed));
  if (once.numel > 0 && !diopi::in_dry_run()) copy_view(*packed, once);
  *packed = packed->expand(view.shape);
  return diopiSuccess;
}

}  // namespace

Status pack_input(diopiContextHandle_t ctx, const TensorView& view, diopiDtype_t dtype, TensorView* packed) {
  *packed = view;
  if (view.dtype == dtype && view.is_contiguous()) return diopiSuccess;
  DIOPI_TRY(diopi::make_temporary(ctx, view.shape, dtype, view.name, packed));
  if (view.numel > 0 && !diopi::in_dry_run()) copy_view(*packed, view);
  return diopiSuccess;
}

Status pack_rows(diopiContextHandle_t ctx, const TensorView& view, diopiDtype_t dtype, TensorView* packed) {
  *packed = view;
  if (view.dtype == dtype && has_packed_rows(view)) return diopiSuccess;
  return packed_copy_of(ctx, view, dtype, packed);
}

Status pack_output_rows(diopiContextHandle_t ctx, const TensorView& view, bool reads, TensorView* packed) {
  *packed = view;
  if (has_packed_rows(view)) return diopiSuccess;
  DIOPI_TRY(diopi::make_temporary(ctx, view.shape, view.dtype, view.name, packed));
  if (reads && !diopi::in_dry_run()) copy_view(*packed, view);
  return diopiSuccess;
}

void unpack(const TensorView& view, const TensorView& packed) {
  if (view.data != packed.data && view.numel > 0 && !diopi::in_dry_run()) copy_view(view, packed);
}

}  // namespace impl::cpu
