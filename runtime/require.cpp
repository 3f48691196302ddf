// SPDX-License-Identifier: BSD-3-Clause
// Temporaries: tensors and buffers that an operator requires. The context of the call owns them.
#include "runtime/require.hpp"

#include <new>

namespace diopirt {
namespace {

Status take_storage(diopiContext* ctx, diopiDevice_t device, size_t bytes, Storage** storage) {
  DIOPI_REQUIRE(device == diopi_host || device == diopi_device, diopiErrorOccurred, "device = %d is unknown",
                static_cast<int>(device));
  ++ctx->counts.requests;
  const auto so_far = static_cast<uint64_t>(ctx->counts.requested_bytes);
  ctx->counts.requested_bytes = static_cast<int64_t>(so_far + bytes);  // failed requests of any size count too
  *storage = ctx->idle[device].take(bytes);
  if (*storage != nullptr) return diopiSuccess;
  const size_t capacity = ctx->caching ? FreeList::round_up(bytes) : bytes;
  Status status = allocate_storage(*ctx->vendor, device, bytes, capacity, storage);
  if (!status.ok() && ctx->idle[device].bytes() != 0) {  // no memory: frees the cached memory
    ctx->idle[device].clear();
    status = allocate_storage(*ctx->vendor, device, bytes, capacity, storage);
  }
  DIOPI_TRY(status);
  if (bytes != 0) ++ctx->counts.allocations;
  return diopiSuccess;
}

Status take_handle(diopiContext* ctx, diopiTensor** tensor) {
  if (ctx->spare.empty()) return new_tensor(tensor);
  *tensor = ctx->spare.back();
  ctx->spare.pop_back();
  return diopiSuccess;
}

Status make_room(diopiContext* ctx) {
  const size_t needed = ctx->owned.size() + ctx->spare.size() + 1;
  if (ctx->owned.capacity() >= needed && ctx->spare.capacity() >= needed) return diopiSuccess;
  try {
    ctx->owned.reserve(2 * needed + 16);
    ctx->spare.reserve(2 * needed + 16);
  } catch (const std::bad_alloc&) {
    return fail(diopiErrorOccurred, "out of memory");
  }
  return diopiSuccess;
}

}  // namespace

Status require_tensor(diopiContext* ctx, const Geometry& geometry, diopiDtype_t dtype, diopiDevice_t device,
                      diopiTensor** tensor) {
  const std::lock_guard<std::mutex> lock(ctx->mutex);
  DIOPI_TRY(make_room(ctx));
  diopiTensor* handle = nullptr;
  DIOPI_TRY(take_handle(ctx, &handle));
  Storage* storage = nullptr;
  Status status = set_geometry(handle, geometry, dtype);
  if (status.ok()) status = take_storage(ctx, device, static_cast<size_t>(geometry.span_bytes()), &storage);
  if (!status.ok()) {
    reset_tensor(handle);
    ctx->spare.push_back(handle);
    return status;
  }
  set_storage(handle, storage, 0);
  handle->owner = ctx;
  ctx->owned.push_back(handle);
  *tensor = handle;
  return diopiSuccess;
}

}  // namespace diopirt

using diopirt::Geometry;
using diopirt::OperatorScope;

diopiError_t diopiRequireTensor(diopiContextHandle_t ctx, diopiTensorHandle_t* tensor, const diopiSize_t* size,
                                const diopiSize_t* stride, const diopiDtype_t dtype, const diopiDevice_t device) {
  const OperatorScope scope("diopiRequireTensor");
  DIOPI_REQUIRE(ctx != nullptr && tensor != nullptr && size != nullptr, diopiErrorOccurred, "%s is null",
                ctx == nullptr      ? "ctx"
                : tensor == nullptr ? "tensor"
                                    : "size");
  *tensor = nullptr;
  Geometry geometry;
  DIOPI_TRY(diopirt::check_geometry(*size, stride, dtype, &geometry));
  return diopirt::require_tensor(ctx, geometry, dtype, device, tensor);
}

diopiError_t diopiRequireBuffer(diopiContextHandle_t ctx, diopiTensorHandle_t* tensor, int64_t num_bytes,
                                diopiDevice_t device) {
  const OperatorScope scope("diopiRequireBuffer");
  DIOPI_REQUIRE(ctx != nullptr && tensor != nullptr, diopiErrorOccurred, "%s is null",
                ctx == nullptr ? "ctx" : "tensor");
  *tensor = nullptr;
  DIOPI_REQUIRE(num_bytes >= 0, diopiErrorOccurred, "num_bytes = %lld is negative", static_cast<long long>(num_bytes));
  Geometry geometry;
  geometry.shape = &num_bytes;
  geometry.ndim = 1;
  geometry.numel = geometry.span = num_bytes;
  geometry.itemsize = 1;
  return diopirt::require_tensor(ctx, geometry, diopi_dtype_uint8, device, tensor);
}
