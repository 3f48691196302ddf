// SPDX-License-Identifier: BSD-3-Clause
// Writes through advanced indices.
#include "impl/common/shape.hpp"
#include "impl/common/step_memory.hpp"
#include "impl/cpu/engine/copy/copy.hpp"
#include "impl/cpu/functions/index_advanced.hpp"

namespace impl::cpu {

using diopi::Status;
using diopi::TensorView;

namespace {

// out = input, then out[indices] = values or += values. `input` is null for the in-place form.
Status index_put(diopiContextHandle_t ctx, const TensorView& out, const TensorView* input,
                 diopiConstTensorHandle_t values, const diopiConstTensorHandle_t* indices, int64_t nums,
                 bool accumulate) {
  TensorView from;
  AdvancedIndex index;
  IndexMap map;
  IndexSlices slices;
  DIOPI_TRY(diopi::read_tensor(values, "values", &from));
  DIOPI_TRY(require_storage(out));
  DIOPI_TRY(diopi::require_same_dtype(from, out));
  DIOPI_TRY(diopi::require_writable(out));
  DIOPI_TRY(index.resolve(ctx, out, indices, nums));
  DIOPI_TRY(require_broadcasts_to(from, index.shape(), "input[indices]"));
  from = from.expand(index.shape());
  DIOPI_TRY(index.locate(ctx));
  DIOPI_TRY(copy_if_overlapping(ctx, out, &from));
  DIOPI_TRY(index.plan(ctx, from.stride, &map, &slices));
  map.long_sums = accumulate && has_long_sums(out.dtype, map);
  const auto copy = [&] { return input != nullptr ? copy_tensor(ctx, out, *input) : Status(); };
  return diopi::run_steps(copy, [&]() -> Status {
    if (accumulate) return accumulate_slices(ctx, Accumulate::kAdd, out.dtype, out.data, from.data, map, slices);
    if (!diopi::in_dry_run()) scatter_slices(out.data, from.data, out.itemsize(), map, slices);
    return diopiSuccess;
  });
}

}  // namespace

diopiError_t diopiIndexPutInp(diopiContextHandle_t ctx, diopiTensorHandle_t input, diopiConstTensorHandle_t values,
                              diopiConstTensorHandle_t* indices, int64_t indices_counts, bool accumulate) {
  TensorView to;
  DIOPI_TRY(diopi::read_tensor(input, "input", &to));
  return index_put(ctx, to, nullptr, values, indices, indices_counts, accumulate);
}

diopiError_t diopiIndexPut(diopiContextHandle_t ctx, diopiTensorHandle_t out, diopiConstTensorHandle_t input,
                           diopiConstTensorHandle_t values, diopiConstTensorHandle_t* indices, int64_t indices_counts,
                           bool accumulate) {
  TensorView to, from;
  DIOPI_TRY(diopi::read_tensor(out, "out", &to));
  DIOPI_TRY(diopi::read_tensor(input, "input", &from));
  DIOPI_TRY(diopi::require_same_dtype(to, from));
  DIOPI_TRY(diopi::require_same_shape(to, from));
  return index_put(ctx, to, &from, values, indices, indices_counts, accumulate);
}

}  // namespace impl::cpu
