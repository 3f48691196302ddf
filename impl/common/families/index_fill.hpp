// SPDX-License-Identifier: BSD-3-Clause
// Fills the slices that an index picks. impl/<vendor>/functions/index_fill.cpp includes this file.
#ifndef IMPL_COMMON_FAMILIES_INDEX_FILL_HPP_
#define IMPL_COMMON_FAMILIES_INDEX_FILL_HPP_

#include "arguments/index_fill.hpp"
#include "impl/common/engine/index.hpp"
#include "impl/common/families/overlap.hpp"

namespace impl::DIOPI_VENDOR {

// Makes `value` an element of the dtype of `out`, without dimensions, in memory that `out` does not overlap.
inline Status convert_value(diopiContextHandle_t ctx, const TensorView& out, TensorView* value) {
  value->shape = value->stride = diopi::Dims();
  if (value->dtype == out.dtype) return replace_if_overlapping(ctx, out, value);
  TensorView converted;
  DIOPI_TRY(diopi::make_temporary(ctx, value->shape, out.dtype, value->name, &converted));
  DIOPI_TRY(copy(ctx, converted, *value));
  *value = converted;
  return diopiSuccess;
}

inline Status run(diopiContextHandle_t ctx, diopi::IndexFillArgs& args) {
  TensorView &out = args.out, &in = args.input, &index = args.index, &value = args.value;
  DIOPI_TRY(diopi::require_writable(out));
  const diopiScalar_t* number = args.value_number.scalar;
  if (number != nullptr) args.value_number.set(*number, "value", in.dtype, &value);
  for (TensorView* view : {&out, &in, &index}) {
    if (view->ndim() == 0) *view = view->unsqueeze(0);
  }
  if (index.numel == 0) return copy(ctx, out, in);
  DIOPI_TRY(replace_if_overlapping(ctx, out, &index));
  DIOPI_TRY(convert_value(ctx, out, &value));
  diopi::AdvancedIndex filled(out);
  for (int64_t d = 0; d < args.dim; ++d) DIOPI_TRY(filled.add(nullptr));
  DIOPI_TRY(filled.add(&index));
  DIOPI_TRY(filled.broadcast());
  const ScatterBase base = diopi::is_same_view(out, in) ? ScatterBase::kept() : ScatterBase::copy_of(in);
  return scatter(ctx, ScatterOp::kReplace, out, base, value.expand(filled.shape()), filled);
}

}  // namespace impl::DIOPI_VENDOR

#include "functions/index_fill.hpp"

#endif  // IMPL_COMMON_FAMILIES_INDEX_FILL_HPP_
