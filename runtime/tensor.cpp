// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/tensor.hpp"

#include <algorithm>
#include <mutex>
#include <new>

#include "impl/common/dtype.hpp"

namespace diopirt {
namespace {

std::mutex list_mutex;
diopiTensor* list_head = nullptr;
int64_t list_length = 0;

void unlink_tensor(diopiTensor* tensor) {
  const std::lock_guard<std::mutex> lock(list_mutex);
  (tensor->previous != nullptr ? tensor->previous->next : list_head) = tensor->next;
  if (tensor->next != nullptr) tensor->next->previous = tensor->previous;
  tensor->previous = tensor->next = nullptr;
  --list_length;
}

// Computes the span of a row-major tensor. The number of bytes must fit 64 bits, even if extents of 0 are replaced by
// 1.
Status row_major_span(Geometry* geometry) {
  int64_t bytes = geometry->itemsize;
  bool empty = false;
  for (int64_t i = 0; i < geometry->ndim; ++i) {
    empty |= geometry->shape[i] == 0;
    const int64_t extent = std::max<int64_t>(geometry->shape[i], 1);
    DIOPI_REQUIRE(!__builtin_mul_overflow(bytes, extent, &bytes), diopiErrorOccurred,
                  "the shape has more than 2^63 bytes");
  }
  geometry->numel = geometry->span = empty ? 0 : bytes / geometry->itemsize;
  return diopiSuccess;
}

Status strided_span(Geometry* geometry) {
  DIOPI_TRY(row_major_span(geometry));
  if (geometry->numel == 0) return diopiSuccess;
  int64_t span = 1;
  for (int64_t i = 0; i < geometry->ndim; ++i) {
    int64_t reach = 0;
    const bool overflow = __builtin_mul_overflow(geometry->shape[i] - 1, geometry->stride[i], &reach) ||
                          __builtin_add_overflow(span, reach, &span);
    DIOPI_REQUIRE(!overflow, diopiErrorOccurred, "the strides span more than 2^63 elements");
  }
  geometry->span = span;
  return diopiSuccess;
}

}  // namespace

int32_t element_size(diopiDtype_t dtype) {
  if (dtype == diopi_dtype_tfloat32 || dtype == diopi_dtype_complex32) return 4;
  return diopi::dtype_size(dtype);
}

Status check_geometry(const diopiSize_t& shape, const diopiSize_t* stride, diopiDtype_t dtype, Geometry* geometry) {
  geometry->itemsize = element_size(dtype);
  DIOPI_REQUIRE(geometry->itemsize != 0, diopiDtypeNotSupported, "dtype = %d is unknown", static_cast<int>(dtype));
  DIOPI_REQUIRE(shape.len >= 0 && (shape.len == 0 || shape.data != nullptr), diopiErrorOccurred,
                "shape has %lld dimensions and %s data", static_cast<long long>(shape.len),
                shape.data == nullptr ? "no" : "some");
  geometry->ndim = shape.len;
  geometry->shape = shape.data;
  for (int64_t i = 0; i < shape.len; ++i) {
    DIOPI_REQUIRE(shape.data[i] >= 0, diopiErrorOccurred, "shape[%lld] = %lld is negative", static_cast<long long>(i),
                  static_cast<long long>(shape.data[i]));
  }
  if (stride == nullptr || (stride->data == nullptr && shape.len != 0)) {
    geometry->stride = nullptr;
    DIOPI_TRY(row_major_span(geometry));
  } else {
    DIOPI_REQUIRE(stride->len == shape.len, diopiErrorOccurred, "stride has %lld entries for %lld dimensions",
                  static_cast<long long>(stride->len), static_cast<long long>(shape.len));
    geometry->stride = stride->data;
    for (int64_t i = 0; i < shape.len; ++i) {
      DIOPI_REQUIRE(stride->data[i] >= 0, diopiErrorOccurred, "stride[%lld] = %lld is negative",
                    static_cast<long long>(i), static_cast<long long>(stride->data[i]));
    }
    DIOPI_TRY(strided_span(geometry));
  }
  int64_t bytes = 0;
  DIOPI_REQUIRE(!__builtin_mul_overflow(geometry->span, static_cast<int64_t>(geometry->itemsize), &bytes),
                diopiErrorOccurred, "the tensor has more than 2^63 bytes");
  return diopiSuccess;
}

Status new_tensor(diopiTensor** tensor) {
  *tensor = new (std::nothrow) diopiTensor;
  DIOPI_REQUIRE(*tensor != nullptr, diopiErrorOccurred, "out of memory");
  return diopiSuccess;
}

Status set_geometry(diopiTensor* tensor, const Geometry& geometry, diopiDtype_t dtype) {
  int64_t* shape = tensor->inline_dims;
  int64_t* stride = tensor->inline_dims + diopiTensor::kInlineDims;
  if (geometry.ndim > diopiTensor::kInlineDims) {
    tensor->long_dims.reset(new (std::nothrow) int64_t[2 * geometry.ndim]);
    DIOPI_REQUIRE(tensor->long_dims != nullptr, diopiErrorOccurred, "out of memory");
    shape = tensor->long_dims.get();
    stride = shape + geometry.ndim;
  }
  int64_t step = 1;
  for (int64_t i = geometry.ndim - 1; i >= 0; --i) {
    shape[i] = geometry.shape[i];
    stride[i] = geometry.stride != nullptr ? geometry.stride[i] : step;
    step *= std::max<int64_t>(shape[i], 1);
  }
  tensor->shape = {shape, geometry.ndim};
  tensor->stride = {stride, geometry.ndim};
  tensor->dtype = dtype;
  tensor->numel = geometry.numel;
  tensor->itemsize = geometry.itemsize;
  return diopiSuccess;
}

void set_storage(diopiTensor* tensor, Storage* storage, int64_t offset) {
  tensor->storage = storage;
  tensor->offset = offset;
  tensor->data = storage->data != nullptr ? static_cast<char*>(storage->data) + offset * tensor->itemsize : nullptr;
}

void reset_tensor(diopiTensor* tensor) {
  release_storage(tensor->storage);
  for (diopiTensor* part : {tensor->crow_indices, tensor->col_indices, tensor->values}) {
    if (part != nullptr) release(part);
  }
  tensor->data = nullptr;
  tensor->sparse = false;
  tensor->offset = 0;
  tensor->storage = nullptr;
  tensor->owner = nullptr;
  tensor->crow_indices = tensor->col_indices = tensor->values = nullptr;
  tensor->long_dims.reset();
}

void link_tensor(diopiTensor* tensor) {
  const std::lock_guard<std::mutex> lock(list_mutex);
  tensor->owner = nullptr;
  tensor->previous = nullptr;
  tensor->next = list_head;
  if (list_head != nullptr) list_head->previous = tensor;
  list_head = tensor;
  ++list_length;
}

int64_t count_linked_tensors() {
  const std::lock_guard<std::mutex> lock(list_mutex);
  return list_length;
}

void visit_linked_tensors(void (*visit)(const diopiTensor*, void*), void* argument) {
  const std::lock_guard<std::mutex> lock(list_mutex);
  for (const diopiTensor* tensor = list_head; tensor != nullptr; tensor = tensor->next) visit(tensor, argument);
}

void retain(diopiTensor* tensor) { tensor->references.fetch_add(1, std::memory_order_relaxed); }

void release(diopiTensor* tensor) {
  if (tensor->references.fetch_sub(1, std::memory_order_acq_rel) != 1) return;
  unlink_tensor(tensor);
  reset_tensor(tensor);
  delete tensor;
}

Status create_on(Storage* storage, const Geometry& geometry, diopiDtype_t dtype, int64_t offset, diopiTensor** tensor) {
  diopiTensor* result = nullptr;
  DIOPI_TRY(new_tensor(&result));
  const Status status = set_geometry(result, geometry, dtype);
  if (!status.ok()) {
    delete result;
    return status;
  }
  set_storage(result, storage, offset);
  link_tensor(result);
  *tensor = result;
  return diopiSuccess;
}

Status create_with(Storage* storage, const Geometry& geometry, diopiDtype_t dtype, diopiTensor** tensor) {
  const Status status = create_on(storage, geometry, dtype, 0, tensor);
  if (!status.ok()) release_storage(storage);
  return status;
}

}  // namespace diopirt
