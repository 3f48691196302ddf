// SPDX-License-Identifier: BSD-3-Clause
// Allocation, copies and fills of the runtime's interface.
#include <cstdlib>
#include <cstring>
#include <vector>

#include "api.hpp"
#include "memory.hpp"
#include "stream.hpp"

namespace diopi::emulation {

namespace {

// Whether these bytes are all in one allocation.
bool is_in_allocation(const void* address, size_t bytes) {
  const Allocation* const found = find_allocation(address);
  if (found == nullptr) return false;
  const auto offset = static_cast<size_t>(static_cast<const char*>(address) - found->address);
  return bytes <= found->bytes - offset;
}

struct Copy {
  char* to;
  const char* from;
  size_t bytes;
  bool to_device, from_device;
};

cudaError_t check(const Copy& copy, cudaMemcpyKind kind) {
  if (kind < cudaMemcpyHostToHost || kind > cudaMemcpyDefault) return cudaErrorInvalidMemcpyDirection;
  if (copy.bytes == 0) return cudaSuccess;
  if (copy.to == nullptr || copy.from == nullptr) return cudaErrorInvalidValue;
  const bool to_device = kind == cudaMemcpyHostToDevice || kind == cudaMemcpyDeviceToDevice;
  const bool from_device = kind == cudaMemcpyDeviceToHost || kind == cudaMemcpyDeviceToDevice;
  // As on a chip, the device side of a copy may be pinned memory of the host; pageable memory may not.
  if (kind != cudaMemcpyDefault) {
    const bool to_fits = copy.to_device ? to_device : !to_device || is_pinned(copy.to);
    const bool from_fits = copy.from_device ? from_device : !from_device || is_pinned(copy.from);
    if (!to_fits || !from_fits) return cudaErrorInvalidValue;
  }
  if (copy.to_device && !is_in_allocation(copy.to, copy.bytes)) return cudaErrorInvalidValue;
  if (copy.from_device && !is_in_allocation(copy.from, copy.bytes)) return cudaErrorInvalidValue;
  return cudaSuccess;
}

cudaError_t copy_on(cudaStream_t handle, void* to, const void* from, size_t bytes, cudaMemcpyKind kind, bool waits) {
  CUstream_st* const stream = find_stream(handle);
  if (stream == nullptr) return cudaErrorInvalidResourceHandle;
  const Copy copy = {static_cast<char*>(to), static_cast<const char*>(from), bytes, is_device_address(to),
                     is_device_address(from)};
  if (const cudaError_t error = check(copy, kind); error != cudaSuccess) return error;
  if (bytes == 0) return waits ? finish(stream) : cudaSuccess;
  // A graph reads and writes the memory of the host when it runs.
  const bool captured = capture_of(stream) != nullptr;
  const bool stages = copy.to_device && !copy.from_device && !is_pinned(from) && !captured;
  if (stages) {
    queue(stream, [copy, data = std::vector<char>(copy.from, copy.from + bytes)] {
      std::memcpy(copy.to, data.data(), copy.bytes);
      return cudaSuccess;
    });
  } else {
    queue(stream, [copy] {
      std::memmove(copy.to, copy.from, copy.bytes);
      return cudaSuccess;
    });
  }
  const bool to_pageable = !copy.to_device && !is_pinned(to);
  return waits || (to_pageable && !captured) ? finish(stream) : cudaSuccess;
}

cudaError_t set_on(cudaStream_t handle, void* address, int value, size_t bytes) {
  CUstream_st* const stream = find_stream(handle);
  if (stream == nullptr) return cudaErrorInvalidResourceHandle;
  if (bytes == 0) return cudaSuccess;
  if (!is_in_allocation(address, bytes)) return cudaErrorInvalidValue;
  queue(stream, [=] {
    std::memset(address, value, bytes);
    return cudaSuccess;
  });
  return cudaSuccess;
}

cudaError_t allocate_to(void** address, size_t bytes) {
  if (address == nullptr) return cudaErrorInvalidValue;
  if (const cudaError_t error = refuse_any_capture(true); error != cudaSuccess) return error;
  *address = nullptr;
  if (bytes == 0) return cudaSuccess;
  *address = allocate(bytes);
  return *address != nullptr ? cudaSuccess : cudaErrorMemoryAllocation;
}

bool is_allocation(const void* address) {
  const Allocation* const found = find_allocation(address);
  return found != nullptr && found->address == address;
}

cudaError_t allocate_pinned(void** address, size_t bytes) {
  if (address == nullptr) return cudaErrorInvalidValue;
  if (const cudaError_t error = refuse_any_capture(true); error != cudaSuccess) return error;
  *address = nullptr;
  if (bytes == 0) return cudaSuccess;
  *address = std::malloc(bytes);
  if (*address == nullptr) return cudaErrorMemoryAllocation;
  pin(*address, bytes);
  return cudaSuccess;
}

}  // namespace

}  // namespace diopi::emulation

using diopi::emulation::call;
using namespace diopi::emulation;  // NOLINT(google-build-using-namespace)

extern "C" {

cudaError_t cudaMalloc(void** address, size_t bytes) {
  return call("cudaMalloc", [&] { return allocate_to(address, bytes); });
}

// Waits for the device, as a chip's runtime does.
cudaError_t cudaFree(void* address) {
  return call("cudaFree", [&] {
    if (address == nullptr) return cudaSuccess;
    if (!is_allocation(address)) return cudaErrorInvalidValue;
    const cudaError_t error = finish_all();
    if (error == cudaSuccess) release(address);
    return error;
  });
}

cudaError_t cudaMallocAsync(void** address, size_t bytes, cudaStream_t stream) {
  return call("cudaMallocAsync", [&] {
    return find_stream(stream) != nullptr ? allocate_to(address, bytes) : cudaErrorInvalidResourceHandle;
  });
}

// The stream releases the memory when it comes to it; other streams may still use it wrongly.
cudaError_t cudaFreeAsync(void* address, cudaStream_t stream) {
  return call("cudaFreeAsync", [&] {
    CUstream_st* const found = find_stream(stream);
    if (found == nullptr) return cudaErrorInvalidResourceHandle;
    if (address == nullptr) return cudaSuccess;
    if (!is_allocation(address)) return cudaErrorInvalidValue;
    queue(found, [=] { return release(address) ? cudaSuccess : cudaErrorIllegalAddress; });
    return cudaSuccess;
  });
}

cudaError_t cudaMallocHost(void** address, size_t bytes) {
  return call("cudaMallocHost", [&] { return allocate_pinned(address, bytes); });
}

cudaError_t cudaHostAlloc(void** address, size_t bytes, unsigned int flags) {
  return call("cudaHostAlloc", [&] { return flags <= 7 ? allocate_pinned(address, bytes) : cudaErrorInvalidValue; });
}

cudaError_t cudaFreeHost(void* address) {
  return call("cudaFreeHost", [&] {
    if (address == nullptr) return cudaSuccess;
    const cudaError_t error = finish_all();
    if (error != cudaSuccess) return error;
    if (!unpin(address)) return cudaErrorInvalidValue;
    std::free(address);
    return cudaSuccess;
  });
}

cudaError_t cudaHostRegister(void* address, size_t bytes, unsigned int flags) {
  return call("cudaHostRegister", [&] {
    if (address == nullptr || bytes == 0 || flags != cudaHostRegisterDefault) return cudaErrorInvalidValue;
    if (is_pinned(address)) return cudaErrorHostMemoryAlreadyRegistered;
    pin(address, bytes);
    return cudaSuccess;
  });
}

cudaError_t cudaHostUnregister(void* address) {
  return call("cudaHostUnregister", [&] {
    const cudaError_t error = finish_all();
    if (error != cudaSuccess) return error;
    return unpin(address) ? cudaSuccess : cudaErrorHostMemoryNotRegistered;
  });
}

cudaError_t cudaPointerGetAttributes(cudaPointerAttributes* attributes, const void* address) {
  return call("cudaPointerGetAttributes", [&] {
    if (attributes == nullptr) return cudaErrorInvalidValue;
    void* const same = const_cast<void*>(address);
    if (find_allocation(address) != nullptr) {
      *attributes = {cudaMemoryTypeDevice, 0, same, nullptr};
    } else if (is_pinned(address)) {
      *attributes = {cudaMemoryTypeHost, 0, same, same};
    } else {
      *attributes = {cudaMemoryTypeUnregistered, -2, nullptr, same};
    }
    return cudaSuccess;
  });
}

cudaError_t cudaMemGetInfo(size_t* free, size_t* total) {
  return call("cudaMemGetInfo", [&] {
    if (free == nullptr || total == nullptr) return cudaErrorInvalidValue;
    *total = memory_limit();
    *free = *total > memory_in_use() ? *total - memory_in_use() : 0;
    return cudaSuccess;
  });
}

cudaError_t cudaMemcpy(void* to, const void* from, size_t bytes, cudaMemcpyKind kind) {
  return call("cudaMemcpy", [&] { return copy_on(nullptr, to, from, bytes, kind, true); });
}

// Pageable memory of the host is read before the call returns, and written before it returns, as on a chip.
cudaError_t cudaMemcpyAsync(void* to, const void* from, size_t bytes, cudaMemcpyKind kind, cudaStream_t stream) {
  return call("cudaMemcpyAsync", [&] { return copy_on(stream, to, from, bytes, kind, false); });
}

cudaError_t cudaMemset(void* address, int value, size_t bytes) {
  return call("cudaMemset", [&] { return set_on(nullptr, address, value, bytes); });
}

cudaError_t cudaMemsetAsync(void* address, int value, size_t bytes, cudaStream_t stream) {
  return call("cudaMemsetAsync", [&] { return set_on(stream, address, value, bytes); });
}
}
