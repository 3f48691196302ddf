// SPDX-License-Identifier: BSD-3-Clause
// Sort, Argsort, Topk and the gradient of a sort.
#include "impl/cpu/sort/sort.hpp"

#include <diopi/functions.h>

#include "impl/common/checked.hpp"
#include "impl/common/shape.hpp"
#include "impl/common/workspace.hpp"
#include "impl/cpu/sort/scatter_back.hpp"
#include "impl/cpu/tensor/fill.hpp"

namespace impl::cpu {

using diopi::Dims;
using diopi::read_tensor;
using diopi::Status;
using diopi::TensorView;

namespace {

struct Operands {
  TensorView input, values, indices;
  bool has_values = true;
  int dim = 0;
};

Dims without(const Dims& dims, int dim) {
  Dims rest;
  for (int i = 0; i < dims.n; ++i) {
    if (i != dim) rest.push_back(dims[i]);
  }
  return rest;
}

Status check_dtypes(const Operands& t) {
  const diopiDtype_t dtype = t.input.dtype;
  DIOPI_REQUIRE(diopi::is_floating(dtype) || diopi::is_integral(dtype) || dtype == diopi_dtype_bool,
                diopiDtypeNotSupported, "input has dtype %s, expected a real one or bool", diopi::dtype_name(dtype));
  if (t.has_values) DIOPI_TRY(diopi::require_dtype(t.values, dtype));
  DIOPI_REQUIRE(t.indices.dtype == diopi_dtype_int64 || t.indices.dtype == diopi_dtype_int32, diopiDtypeNotSupported,
                "%s has dtype %s, expected int64 or int32", t.indices.name, diopi::dtype_name(t.indices.dtype));
  return diopiSuccess;
}

Status check_memory(const Operands& t) {
  DIOPI_TRY(diopi::require_writable(t.indices));
  DIOPI_REQUIRE(!diopi::may_overlap(t.indices, t.input), diopiErrorOccurred, "%s shares memory with input",
                t.indices.name);
  if (!t.has_values) return diopiSuccess;
  DIOPI_TRY(diopi::require_writable(t.values));
  DIOPI_REQUIRE(!diopi::may_overlap(t.values, t.indices), diopiErrorOccurred, "values shares memory with indices");
  DIOPI_REQUIRE(!diopi::may_overlap(t.values, t.input) || diopi::is_same_view(t.values, t.input), diopiErrorOccurred,
                "values overlaps input partly");
  return diopiSuccess;
}

// Checks all arguments, then writes the first `k` elements of each row.
Status run(diopiContextHandle_t ctx, Operands* t, int64_t k, bool descending) {
  DIOPI_TRY(check_dtypes(*t));
  Dims expected = t->input.shape;
  if (expected.n > 0) expected[t->dim] = k;
  if (t->has_values) DIOPI_TRY(diopi::require_result_shape(&t->values, expected));
  DIOPI_TRY(diopi::require_result_shape(&t->indices, expected));
  DIOPI_TRY(check_memory(*t));
  if (t->input.ndim() == 0) {  // is sorted like one row of one element
    t->input = t->input.unsqueeze(0);
    t->indices = t->indices.unsqueeze(0);
    if (t->has_values) t->values = t->values.unsqueeze(0);
  }
  const int64_t n = t->input.shape[t->dim];
  DIOPI_TRY(diopi::require_numbered(t->indices, n, t->input));
  DIOPI_REQUIRE(n <= kMaxSortedRow || t->input.itemsize() == 8, diopiErrorOccurred,
                "dim = %d of input of shape %s has %lld elements; at most %lld are sorted", t->dim,
                diopi::Text(t->input.shape).c_str(), static_cast<long long>(n), static_cast<long long>(kMaxSortedRow));
  if (t->indices.numel == 0) return diopiSuccess;
  SortPlan plan;
  plan.dtype = t->input.dtype;
  plan.input = t->input.data;
  plan.indices = t->indices.data;
  plan.index_dtype = t->indices.dtype;
  plan.n = n;
  plan.k = t->indices.shape[t->dim];
  plan.descending = descending;
  plan.input_stride = t->input.stride[t->dim];
  plan.indices_stride = t->indices.stride[t->dim];
  plan.outer = without(t->input.shape, t->dim);
  plan.input_outer = without(t->input.stride, t->dim);
  plan.indices_outer = without(t->indices.stride, t->dim);
  plan.values_outer = plan.indices_outer;
  if (t->has_values) {
    plan.values = t->values.data;
    plan.values_stride = t->values.stride[t->dim];
    plan.values_outer = without(t->values.stride, t->dim);
    plan.in_place = diopi::may_overlap(t->values, t->input);
  }
  void* scratch = nullptr;
  DIOPI_TRY(diopi::Workspace(ctx).take_bytes(sort_scratch_bytes(plan), &scratch));
  sort_rows(plan, scratch);
  return diopiSuccess;
}

}  // namespace

diopiError_t diopiSort(diopiContextHandle_t ctx, diopiTensorHandle_t values, diopiTensorHandle_t indices,
                       diopiConstTensorHandle_t input, int64_t dim, bool descending, const bool* pStable) {
  Operands t;
  DIOPI_TRY(read_tensor(input, "input", &t.input));
  DIOPI_TRY(read_tensor(values, "values", &t.values));
  DIOPI_TRY(read_tensor(indices, "indices", &t.indices));
  DIOPI_TRY(diopi::wrap_dim(dim, t.input, "dim", &t.dim));
  return run(ctx, &t, t.input.ndim() == 0 ? 1 : t.input.shape[t.dim], descending);
}

diopiError_t diopiArgsort(diopiContextHandle_t ctx, diopiTensorHandle_t out, diopiConstTensorHandle_t input,
                          bool stable, const int64_t* dim, bool descending) {
  Operands t;
  t.has_values = false;
  DIOPI_TRY(read_tensor(input, "input", &t.input));
  DIOPI_TRY(read_tensor(out, "out", &t.indices));
  DIOPI_TRY(diopi::wrap_dim(dim != nullptr ? *dim : -1, t.input, "dim", &t.dim));
  return run(ctx, &t, t.input.ndim() == 0 ? 1 : t.input.shape[t.dim], descending);
}

diopiError_t diopiTopk(diopiContextHandle_t ctx, diopiTensorHandle_t values, diopiTensorHandle_t indices,
                       diopiConstTensorHandle_t input, int64_t k, int64_t dim, bool largest, bool sorted) {
  Operands t;
  DIOPI_TRY(read_tensor(input, "input", &t.input));
  DIOPI_TRY(read_tensor(values, "values", &t.values));
  DIOPI_TRY(read_tensor(indices, "indices", &t.indices));
  DIOPI_TRY(diopi::wrap_dim(dim, t.input, "dim", &t.dim));
  const int64_t n = t.input.ndim() == 0 ? 1 : t.input.shape[t.dim];
  DIOPI_REQUIRE(k >= 0 && k <= n, diopiErrorOccurred, "k = %lld is out of range [0, %lld] for input of shape %s",
                static_cast<long long>(k), static_cast<long long>(n), diopi::Text(t.input.shape).c_str());
  return run(ctx, &t, k, largest);
}

diopiError_t diopiSortBackward(diopiContextHandle_t ctx, diopiTensorHandle_t grad_input,
                               diopiConstTensorHandle_t grad_output, int64_t dim, diopiConstTensorHandle_t indices,
                               diopiSize_t sizes, bool keepdim) {
  TensorView result, grad, index;
  DIOPI_TRY(read_tensor(grad_input, "grad_input", &result));
  DIOPI_TRY(read_tensor(grad_output, "grad_output", &grad));
  DIOPI_TRY(read_tensor(indices, "indices", &index));
  DIOPI_REQUIRE(sizes.len >= 0 && sizes.len <= diopi::kMaxDims, diopiErrorOccurred, "sizes has %lld dimensions",
                static_cast<long long>(sizes.len));
  DIOPI_TRY(diopi::require_result_shape(&result, Dims(sizes)));
  int axis = 0;
  DIOPI_TRY(diopi::wrap_dim(dim, result, "dim", &axis));
  DIOPI_REQUIRE(diopi::is_floating(result.dtype), diopiDtypeNotSupported,
                "grad_input has dtype %s, expected a floating one", diopi::dtype_name(result.dtype));
  DIOPI_TRY(diopi::require_same_dtype(grad, result));
  DIOPI_REQUIRE(index.numel == 0 || index.dtype == diopi_dtype_int64 || index.dtype == diopi_dtype_int32,
                diopiDtypeNotSupported, "indices has dtype %s, expected int64 or int32",
                diopi::dtype_name(index.dtype));
  diopi::drop_dim_of_number(&grad, result.shape);
  diopi::drop_dim_of_number(&index, result.shape);
  DIOPI_TRY(diopi::require_same_shape(index, grad));
  Dims rows = result.shape;
  if (rows.n > 0) rows[axis] = grad.ndim() == rows.n ? grad.shape[axis] : 0;
  DIOPI_TRY(diopi::require_shape(grad, rows));
  DIOPI_TRY(diopi::require_writable(result));
  DIOPI_REQUIRE(!diopi::may_overlap(result, grad) && !diopi::may_overlap(result, index), diopiErrorOccurred,
                "grad_input shares memory with %s", diopi::may_overlap(result, grad) ? "grad_output" : "indices");
  if (grad.numel > 0) {
    int64_t least = 0, most = 0;
    index_range(diopi::without_repeats(index), &least, &most);
    const int64_t n = result.ndim() == 0 ? 1 : result.shape[axis];
    DIOPI_REQUIRE(least >= 0 && most < n, diopiErrorOccurred, "indices has %lld, which is out of range [0, %lld)",
                  static_cast<long long>(least < 0 ? least : most), static_cast<long long>(n));
  }
  fill_constant(result, int64_t{0});
  scatter_rows(result, axis, index, grad);
  return diopiSuccess;
}

}  // namespace impl::cpu
