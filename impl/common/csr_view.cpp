// SPDX-License-Identifier: BSD-3-Clause
#include "impl/common/csr_view.hpp"

#include "impl/common/runtime_call.hpp"

namespace diopi {

namespace {

Status is_sparse(diopiConstTensorHandle_t handle, const char* name, bool* sparse) {
  *sparse = false;  // a runtime without this function has no sparse tensors
  DIOPI_REQUIRE(handle != nullptr, diopiErrorOccurred, "%s is null", name);
  if (diopiIsTensorSparse != nullptr) DIOPI_TRY_RUNTIME(name, diopiIsTensorSparse, handle, sparse);
  return diopiSuccess;
}

Status require_extent(const TensorView& part, const char* what, int64_t extent) {
  DIOPI_REQUIRE(part.ndim() == 1 && part.shape[0] == extent, diopiErrorOccurred,
                "%s has %s of shape %s, expected [%lld]", part.name, what, Text(part.shape).c_str(),
                static_cast<long long>(extent));
  return diopiSuccess;
}

Status require_parts(const CsrView& view) {
  const TensorView &rows = view.row_pointers, &columns = view.columns, &values = view.values;
  for (const TensorView* part : {&rows, &columns}) {
    DIOPI_REQUIRE(part->dtype == diopi_dtype_int32 || part->dtype == diopi_dtype_int64, diopiDtypeNotSupported,
                  "%s has indices of dtype %s, expected int32 or int64", view.name, dtype_name(part->dtype));
  }
  DIOPI_REQUIRE(rows.dtype == columns.dtype, diopiDtypeNotSupported,
                "%s has row pointers of dtype %s and column indices of dtype %s", view.name, dtype_name(rows.dtype),
                dtype_name(columns.dtype));
  DIOPI_REQUIRE(values.dtype == view.dtype, diopiDtypeNotSupported, "%s has dtype %s and values of dtype %s", view.name,
                dtype_name(view.dtype), dtype_name(values.dtype));
  DIOPI_REQUIRE(values.ndim() == 1, diopiErrorOccurred, "%s has values of shape %s, expected one dimension", view.name,
                Text(values.shape).c_str());
  DIOPI_TRY(require_extent(rows, "row pointers", view.shape[0] + 1));
  return require_extent(columns, "column indices", values.shape[0]);
}

}  // namespace

Status read_csr(diopiConstTensorHandle_t handle, const char* name, CsrView* view) {
  bool sparse = false;
  DIOPI_TRY(is_sparse(handle, name, &sparse));
  DIOPI_REQUIRE(sparse, diopiNoImplement, "%s is dense, expected a sparse matrix", name);
  DIOPI_REQUIRE(diopiGetTensorCrowIndices && diopiGetTensorColIndices && diopiGetTensorValues, diopiNoImplement,
                "%s is sparse, but the runtime does not give its parts", name);
  diopiSize_t shape{nullptr, 0};
  view->name = name;
  DIOPI_TRY_RUNTIME(name, diopiGetTensorDtype, handle, &view->dtype);
  DIOPI_REQUIRE(view->itemsize() > 0, diopiDtypeNotSupported, "%s has dtype %s (%d), which no tensor can have", name,
                dtype_name(view->dtype), static_cast<int>(view->dtype));
  DIOPI_TRY_RUNTIME(name, diopiGetTensorShape, handle, &shape);
  DIOPI_REQUIRE(shape.len == 2, diopiErrorOccurred, "%s has %lld dimensions, expected 2", name,
                static_cast<long long>(shape.len));
  view->shape = Dims(shape);
  for (const int64_t extent : view->shape) {
    DIOPI_REQUIRE(extent >= 0 && extent < INT64_MAX, diopiErrorOccurred, "%s of shape %s has an invalid extent", name,
                  Text(view->shape).c_str());
  }
  view->stride = contiguous_strides(view->shape);
  view->numel = view->shape.product();
  diopiConstTensorHandle_t rows = nullptr, columns = nullptr, values = nullptr;
  DIOPI_TRY_RUNTIME(name, diopiGetTensorCrowIndices, handle, &rows);
  DIOPI_TRY_RUNTIME(name, diopiGetTensorColIndices, handle, &columns);
  DIOPI_TRY_RUNTIME(name, diopiGetTensorValues, handle, &values);
  DIOPI_TRY(read_tensor(rows, name, &view->row_pointers));
  DIOPI_TRY(read_tensor(columns, name, &view->columns));
  DIOPI_TRY(read_tensor(values, name, &view->values));
  return require_parts(*view);
}

Status read_dense(diopiConstTensorHandle_t handle, const char* name, TensorView* view) {
  bool sparse = false;
  DIOPI_TRY(is_sparse(handle, name, &sparse));
  DIOPI_REQUIRE(!sparse, diopiNoImplement, "%s is sparse, expected a dense tensor", name);
  return read_tensor(handle, name, view);
}

}  // namespace diopi
