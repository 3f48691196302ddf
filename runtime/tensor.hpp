// SPDX-License-Identifier: BSD-3-Clause
// The struct that a tensor handle points to.
#ifndef RUNTIME_TENSOR_HPP_
#define RUNTIME_TENSOR_HPP_

#include <diopirt_host.h>

#include <atomic>
#include <cstdint>
#include <memory>

#include "runtime/storage.hpp"

// The first cache line holds everything that a vendor reads in every call.
struct alignas(64) diopiTensor {
  void* data = nullptr;  // of the first element
  diopiSize_t shape{nullptr, 0};
  diopiSize_t stride{nullptr, 0};
  diopiDtype_t dtype = diopi_dtype_unsupported;
  bool sparse = false;
  int64_t numel = 0;
  int64_t offset = 0;  // of the first element in the storage, in elements

  diopirt::Storage* storage = nullptr;
  int32_t itemsize = 0;
  std::atomic<int32_t> references{1};
  std::atomic<diopiContext*> owner{nullptr};  // the context that holds one of the references
  // Parts of a tensor of compressed sparse rows.
  diopiTensor* crow_indices = nullptr;
  diopiTensor* col_indices = nullptr;
  diopiTensor* values = nullptr;
  // Links in the list of tensors that no context owns.
  diopiTensor* previous = nullptr;
  diopiTensor* next = nullptr;

  static constexpr int kInlineDims = 8;
  int64_t inline_dims[2 * kInlineDims];
  std::unique_ptr<int64_t[]> long_dims;  // shape and strides of tensors of higher rank
};

namespace diopirt {

// Bytes per element, also for dtypes that can only be stored; 0 for a value outside the enum.
int32_t element_size(diopiDtype_t dtype);

// Sizes, strides and the number of elements that they span, checked against overflow.
struct Geometry {
  const int64_t* shape = nullptr;
  const int64_t* stride = nullptr;  // null: row-major
  int64_t ndim = 0;
  int64_t numel = 0;
  int64_t span = 0;  // elements from the first to the last, inclusive; 0 if numel is 0
  int32_t itemsize = 0;

  int64_t span_bytes() const { return span * itemsize; }
};
Status check_geometry(const diopiSize_t& shape, const diopiSize_t* stride, diopiDtype_t dtype, Geometry* geometry);

// Makes a handle without storage. Sizes are copied into the handle.
Status new_tensor(diopiTensor** tensor);
Status set_geometry(diopiTensor* tensor, const Geometry& geometry, diopiDtype_t dtype);
// Sets the storage of a tensor. The tensor takes over the caller's reference.
void set_storage(diopiTensor* tensor, Storage* storage, int64_t offset);
// A tensor at `offset` elements into `storage`. On success it takes over the reference of the storage.
Status create_on(Storage* storage, const Geometry& geometry, diopiDtype_t dtype, int64_t offset, diopiTensor** tensor);
// A tensor on the whole of `storage`. It takes over the reference, and drops it on failure. No context owns it.
Status create_with(Storage* storage, const Geometry& geometry, diopiDtype_t dtype, diopiTensor** tensor);
// Drops the references of the handle and resets it for reuse.
void reset_tensor(diopiTensor* tensor);

// Adds a tensor to the list of tensors that no context owns.
void link_tensor(diopiTensor* tensor);
int64_t count_linked_tensors();
// Calls `visit(tensor, argument)` for each tensor of the list.
void visit_linked_tensors(void (*visit)(const diopiTensor*, void*), void* argument);

void retain(diopiTensor* tensor);
void release(diopiTensor* tensor);

}  // namespace diopirt

#endif  // RUNTIME_TENSOR_HPP_
