// SPDX-License-Identifier: BSD-3-Clause
#include "impl/cpu/engine/index_tensor/offsets.hpp"

#include <algorithm>

#include "impl/common/rules/indices.hpp"
#include "impl/cpu/engine/copy/copy.hpp"

namespace impl::cpu {

using diopi::Dims;
using diopi::Status;
using diopi::TensorView;

Status OffsetTable::reserve(diopiContextHandle_t ctx, int64_t count) {
  data_ = inline_;
  if (count <= kInline) return diopiSuccess;
  return diopi::Workspace(ctx).take(count, &data_);
}

Status write_base(diopiContextHandle_t ctx, const TensorView& out, const diopi::ScatterBase& base) {
  if (base.is_zero()) fill_zero(out);
  return base.tensor() != nullptr ? copy_tensor(ctx, out, *base.tensor()) : Status(diopiSuccess);
}

Status packed_index(diopiContextHandle_t ctx, const TensorView& index, const Dims& shape, OffsetTable* scratch,
                    const int64_t** values) {
  if (index.dtype == diopi_dtype_int64 && (&shape == &index.shape || index.numel == shape.product()) &&
      index.is_contiguous()) {
    *values = index.ptr<const int64_t>();
    return diopiSuccess;
  }
  DIOPI_TRY(scratch->reserve(ctx, shape.product()));
  TensorView packed = index;
  packed.data = reinterpret_cast<char*>(scratch->data());
  packed.dtype = diopi_dtype_int64;
  packed.shape = shape;
  packed.stride = diopi::contiguous_strides(shape);
  packed.numel = shape.product();
  copy_view(packed, index);
  *values = scratch->data();
  return diopiSuccess;
}

Status add_checked_offsets(int64_t* table, const int64_t* values, int64_t count, const TensorView& index,
                           const IndexedDim& at, bool first) {
  const int64_t bad = add_index_offsets(table, values, count, at.size, at.stride, at.wrap, first);
  if (bad >= 0) return diopi::refuse_index(index, values[bad], bad, *at.tensor, at.dim, at.wrap);
  return diopiSuccess;
}

Status packed_positions(diopiContextHandle_t ctx, const Dims& shape, const Dims& stride, OffsetTable* scratch,
                        IndexMap* map) {
  int64_t step = 0, expected = 0;
  bool first = true, uniform = true;
  for (int i = shape.n - 1; i >= 0; --i) {
    if (shape[i] == 1) continue;
    if (first) step = stride[i];
    uniform = uniform && (first || stride[i] == expected);
    expected = stride[i] * shape[i];
    first = false;
  }
  map->packed_step = step;
  if (uniform) return diopiSuccess;
  DIOPI_TRY(scratch->reserve(ctx, shape.product()));
  enumerate_offsets(scratch->data(), shape, stride);
  map->packed_table = scratch->data();
  return diopiSuccess;
}

}  // namespace impl::cpu
