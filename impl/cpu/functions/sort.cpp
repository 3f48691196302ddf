// SPDX-License-Identifier: BSD-3-Clause
#include "impl/common/families/sort.hpp"

#include "impl/common/workspace.hpp"
#include "impl/cpu/sort/sort.hpp"

namespace impl::cpu {

namespace {

diopi::Dims without(const diopi::Dims& dims, int dim) {
  diopi::Dims rest;
  for (int i = 0; i < dims.n; ++i) {
    if (i != dim) rest.push_back(dims[i]);
  }
  return rest;
}

}  // namespace

Status run_sort(diopiContextHandle_t ctx, const TensorView* values, const TensorView& indices, const TensorView& in,
                int dim, bool descending) {
  SortPlan plan;
  plan.dtype = in.dtype;
  plan.input = in.data;
  plan.indices = indices.data;
  plan.index_dtype = indices.dtype;
  plan.n = in.shape[dim];
  plan.k = indices.shape[dim];
  plan.descending = descending;
  plan.input_stride = in.stride[dim];
  plan.indices_stride = indices.stride[dim];
  plan.outer = without(in.shape, dim);
  plan.input_outer = without(in.stride, dim);
  plan.indices_outer = without(indices.stride, dim);
  plan.values_outer = plan.indices_outer;
  if (values != nullptr) {
    plan.values = values->data;
    plan.values_stride = values->stride[dim];
    plan.values_outer = without(values->stride, dim);
    plan.in_place = diopi::may_overlap(*values, in);
  }
  void* scratch = nullptr;
  DIOPI_TRY(diopi::Workspace(ctx).take_bytes(sort_scratch_bytes(plan), &scratch));
  sort_rows(plan, scratch);
  return diopiSuccess;
}

}  // namespace impl::cpu
