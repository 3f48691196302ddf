// SPDX-License-Identifier: BSD-3-Clause
// The framework's functions that make, share and free tensors.
#include <new>

#include "impl/common/dtype.hpp"
#include "runtime/context.hpp"

namespace diopirt {
namespace {

Status create_view(const diopiTensor* base, const Geometry& geometry, int64_t offset, diopiTensor** view) {
  DIOPI_REQUIRE(!base->sparse, diopiErrorOccurred, "a sparse tensor has no views");
  DIOPI_REQUIRE(offset >= 0, diopiErrorOccurred, "offset = %lld is negative", static_cast<long long>(offset));
  const int64_t room = static_cast<int64_t>(base->storage->bytes) / geometry.itemsize;
  DIOPI_REQUIRE(offset <= room && geometry.span <= room - offset, diopiErrorOccurred,
                "the view spans %lld elements from element %lld of a storage of %lld",
                static_cast<long long>(geometry.span), static_cast<long long>(offset), static_cast<long long>(room));
  DIOPI_TRY(create_on(base->storage, geometry, base->dtype, offset, view));
  retain_storage(base->storage);
  return diopiSuccess;
}

Status check_index_part(const diopiTensor* part, const char* name) {
  DIOPI_REQUIRE(part != nullptr && !part->sparse, diopiErrorOccurred, "%s is null or sparse", name);
  DIOPI_REQUIRE(part->dtype == diopi_dtype_int32 || part->dtype == diopi_dtype_int64, diopiDtypeNotSupported,
                "%s has dtype %s, expected int32 or int64", name, diopi::dtype_name(part->dtype));
  DIOPI_REQUIRE(part->shape.len >= 1, diopiErrorOccurred, "%s has no dimension", name);
  return diopiSuccess;
}

// Checks the shapes. Dimensions are: batches, rows, columns, then the dense dimensions of the values.
Status check_csr(const diopiTensor* crow, const diopiTensor* col, const diopiTensor* values, const diopiSize_t& shape) {
  DIOPI_TRY(check_index_part(crow, "crow_indices"));
  DIOPI_TRY(check_index_part(col, "col_indices"));
  DIOPI_REQUIRE(values != nullptr && !values->sparse, diopiErrorOccurred, "values is null or sparse");
  DIOPI_REQUIRE(crow->dtype == col->dtype, diopiDtypeNotSupported, "crow_indices is %s, col_indices is %s",
                diopi::dtype_name(crow->dtype), diopi::dtype_name(col->dtype));
  DIOPI_REQUIRE(crow->storage->device == values->storage->device && col->storage->device == values->storage->device,
                diopiErrorOccurred, "crow_indices, col_indices and values are not on one device");
  const int64_t batches = crow->shape.len - 1;
  const int64_t dense = values->shape.len - batches - 1;
  DIOPI_REQUIRE(col->shape.len == batches + 1 && dense >= 0 && shape.len == batches + 2 + dense, diopiErrorOccurred,
                "%lld, %lld and %lld dimensions of crow_indices, col_indices and values do not make %lld",
                static_cast<long long>(crow->shape.len), static_cast<long long>(col->shape.len),
                static_cast<long long>(values->shape.len), static_cast<long long>(shape.len));
  for (int64_t i = 0; i < batches; ++i) {
    const int64_t expected = shape.data[i];
    DIOPI_REQUIRE(
        crow->shape.data[i] == expected && col->shape.data[i] == expected && values->shape.data[i] == expected,
        diopiErrorOccurred, "the parts disagree with shape[%lld] = %lld", static_cast<long long>(i),
        static_cast<long long>(expected));
  }
  const int64_t rows = shape.data[batches];
  DIOPI_REQUIRE(crow->shape.data[batches] - 1 == rows, diopiErrorOccurred,
                "crow_indices has %lld entries for %lld rows", static_cast<long long>(crow->shape.data[batches]),
                static_cast<long long>(rows));
  DIOPI_REQUIRE(col->shape.data[batches] == values->shape.data[batches], diopiErrorOccurred,
                "%lld col_indices for %lld values", static_cast<long long>(col->shape.data[batches]),
                static_cast<long long>(values->shape.data[batches]));
  for (int64_t i = 0; i < dense; ++i) {
    DIOPI_REQUIRE(values->shape.data[batches + 1 + i] == shape.data[batches + 2 + i], diopiErrorOccurred,
                  "values disagree with shape[%lld] = %lld", static_cast<long long>(batches + 2 + i),
                  static_cast<long long>(shape.data[batches + 2 + i]));
  }
  return diopiSuccess;
}

}  // namespace
}  // namespace diopirt

using diopirt::Geometry;
using diopirt::OperatorScope;
using diopirt::Storage;

diopiError_t diopirtCreateTensor(diopiContextHandle_t ctx, diopiSize_t shape, const diopiSize_t* stride,
                                 diopiDtype_t dtype, diopiDevice_t device, diopiTensorHandle_t* tensor) {
  const OperatorScope scope("diopirtCreateTensor");
  DIOPI_REQUIRE(tensor != nullptr, diopiErrorOccurred, "tensor is null");
  *tensor = nullptr;
  DIOPI_REQUIRE(ctx != nullptr, diopiErrorOccurred, "ctx is null");
  Geometry geometry;
  DIOPI_TRY(diopirt::check_geometry(shape, stride, dtype, &geometry));
  const auto bytes = static_cast<size_t>(geometry.span_bytes());
  Storage* storage = nullptr;
  DIOPI_TRY(diopirt::allocate_storage(*ctx->vendor, device, bytes, bytes, &storage));
  return diopirt::create_with(storage, geometry, dtype, tensor);
}

diopiError_t diopirtWrapMemory(diopiContextHandle_t ctx, void* data, size_t bytes, diopiSize_t shape,
                               const diopiSize_t* stride, diopiDtype_t dtype, diopiDevice_t device,
                               diopirtReleaseMemory_t release, void* user_data, diopiTensorHandle_t* tensor) {
  const OperatorScope scope("diopirtWrapMemory");
  DIOPI_REQUIRE(tensor != nullptr, diopiErrorOccurred, "tensor is null");
  *tensor = nullptr;
  DIOPI_REQUIRE(ctx != nullptr, diopiErrorOccurred, "ctx is null");
  Geometry geometry;
  DIOPI_TRY(diopirt::check_geometry(shape, stride, dtype, &geometry));
  DIOPI_REQUIRE(static_cast<size_t>(geometry.span_bytes()) <= bytes, diopiErrorOccurred,
                "the tensor needs %lld bytes of %zu", static_cast<long long>(geometry.span_bytes()), bytes);
  Storage* storage = nullptr;
  DIOPI_TRY(diopirt::wrap_storage(*ctx->vendor, device, data, bytes, nullptr, nullptr, &storage));
  DIOPI_TRY(diopirt::create_with(storage, geometry, dtype, tensor));
  storage->release = release;  // only now: on failure the caller keeps the memory
  storage->user_data = user_data;
  return diopiSuccess;
}

diopiError_t diopirtCreateView(diopiConstTensorHandle_t base, diopiSize_t shape, const diopiSize_t* stride,
                               int64_t offset, diopiTensorHandle_t* view) {
  const OperatorScope scope("diopirtCreateView");
  DIOPI_REQUIRE(view != nullptr, diopiErrorOccurred, "view is null");
  *view = nullptr;
  DIOPI_REQUIRE(base != nullptr, diopiErrorOccurred, "base is null");
  Geometry geometry;
  DIOPI_TRY(diopirt::check_geometry(shape, stride, base->dtype, &geometry));
  return diopirt::create_view(base, geometry, offset, view);
}

diopiError_t diopirtCreateSparseCsr(diopiTensorHandle_t crow_indices, diopiTensorHandle_t col_indices,
                                    diopiTensorHandle_t values, diopiSize_t shape, diopiTensorHandle_t* tensor) {
  const OperatorScope scope("diopirtCreateSparseCsr");
  DIOPI_REQUIRE(tensor != nullptr, diopiErrorOccurred, "tensor is null");
  *tensor = nullptr;
  Geometry geometry;
  DIOPI_REQUIRE(values != nullptr, diopiErrorOccurred, "values is null or sparse");
  DIOPI_TRY(diopirt::check_geometry(shape, nullptr, values->dtype, &geometry));
  DIOPI_TRY(diopirt::check_csr(crow_indices, col_indices, values, shape));
  diopiTensor* result = nullptr;
  DIOPI_TRY(diopirt::new_tensor(&result));
  const diopi::Status status = diopirt::set_geometry(result, geometry, values->dtype);
  if (!status.ok()) {
    delete result;
    return status;
  }
  result->sparse = true;
  result->crow_indices = crow_indices;
  result->col_indices = col_indices;
  result->values = values;
  for (diopiTensor* part : {crow_indices, col_indices, values}) diopirt::retain(part);
  diopirt::link_tensor(result);
  *tensor = result;
  return diopiSuccess;
}

diopiError_t diopirtRetainTensor(diopiTensorHandle_t tensor) {
  const OperatorScope scope("diopirtRetainTensor");
  DIOPI_REQUIRE(tensor != nullptr, diopiErrorOccurred, "tensor is null");
  diopirt::retain(tensor);
  return diopiSuccess;
}

diopiError_t diopirtReleaseTensor(diopiTensorHandle_t tensor) {
  if (tensor == nullptr) return diopiSuccess;
  const OperatorScope scope("diopirtReleaseTensor");
  // The context holds the last reference of a temporary. The order of the two reads matters: a context that gives up a
  // tensor first clears its ownership, then drops its reference.
  const bool last = tensor->references.load(std::memory_order_acquire) == 1;
  DIOPI_REQUIRE(!last || tensor->owner.load(std::memory_order_relaxed) == nullptr, diopiErrorOccurred,
                "the tensor belongs to the context through which it was required");
  diopirt::release(tensor);
  return diopiSuccess;
}
