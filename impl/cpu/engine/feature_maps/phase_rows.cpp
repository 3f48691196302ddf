// SPDX-License-Identifier: BSD-3-Clause
#include "impl/cpu/engine/feature_maps/phase_rows.hpp"

#include "impl/common/kernel_table.hpp"
#include "impl/common/parallel.hpp"
#include "impl/cpu/engine/norm/layout.hpp"
#include "impl/cpu/engine/temporary.hpp"

namespace impl::cpu {
namespace {

int64_t row_count(const TensorView& view, const PhaseRow& row) {
  const int64_t elements = row.width * row.items;
  return elements == 0 ? 0 : view.numel / elements;
}

diopi::Picoseconds row_cost(const PhaseRow& row) { return diopi::Picoseconds{row.elements() * 1000}; }

}  // namespace

Status make_phase_rows(diopiContextHandle_t ctx, const TensorView& like, const PhaseRow& row, diopiDtype_t dtype,
                       TensorView* rows) {
  diopi::Dims shape;
  shape.push_back(row_count(like, row));
  shape.push_back(row.elements());
  return make_temporary(ctx, shape, dtype, rows);
}

Status split_into_phases(diopiContextHandle_t ctx, const TensorView& view, const PhaseRow& row, diopiDtype_t dtype,
                         TensorView* rows) {
  TensorView packed;
  DIOPI_TRY(arrange_input(ctx, view, nullptr, false, dtype, &packed));
  *rows = packed;
  if (row.phases == 1) return diopiSuccess;
  DIOPI_TRY(make_phase_rows(ctx, view, row, dtype, rows));
  diopi::for_itemsize(packed.itemsize(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    const T* from = packed.ptr<T>();
    T* to = rows->ptr<T>();
    diopi::parallel_for(row_count(view, row), row_cost(row),
                        [=](int64_t begin, int64_t end) { split_rows(row, from, to, begin, end); });
    return 0;
  });
  return diopiSuccess;
}

void merge_phases(const TensorView& rows, const PhaseRow& row, const TensorView& packed) {
  diopi::for_itemsize(packed.itemsize(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    const T* from = rows.ptr<T>();
    T* to = packed.ptr<T>();
    diopi::parallel_for(row_count(packed, row), row_cost(row),
                        [=](int64_t begin, int64_t end) { merge_rows(row, from, to, begin, end); });
    return 0;
  });
}

}  // namespace impl::cpu
