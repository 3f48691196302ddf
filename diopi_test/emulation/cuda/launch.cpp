// SPDX-License-Identifier: BSD-3-Clause
// Checks a launch and its arguments, and queues it.
#include <pthread.h>
#include <unistd.h>

#include <cstdio>
#include <cstring>
#include <map>

#include "api.hpp"
#include "block.hpp"
#include "memory.hpp"
#include "stream.hpp"

namespace diopi::emulation {

namespace {

std::map<const void*, size_t> dynamic_limits;  // of kernels for which it was raised

size_t dynamic_limit(const void* kernel) {
  const auto found = dynamic_limits.find(kernel);
  return found != dynamic_limits.end() ? found->second : kStaticShared;
}

cudaError_t check_launch(const Kernel& kernel, dim3 grid, dim3 extent, size_t shared) {
  if (kernel.function == nullptr) return cudaErrorInvalidDeviceFunction;
  const bool grid_fits =
      grid.x >= 1 && grid.x <= 0x7FFFFFFF && grid.y >= 1 && grid.y <= 65535 && grid.z >= 1 && grid.z <= 65535;
  const bool extent_fits = extent.x >= 1 && extent.x <= kMaxThreads && extent.y >= 1 && extent.y <= kMaxThreads &&
                           extent.z >= 1 && extent.z <= 64;
  if (!grid_fits || !extent_fits || uint64_t{extent.x} * extent.y * extent.z > kMaxThreads)
    return cudaErrorInvalidConfiguration;
  return shared <= dynamic_limit(kernel.function) ? cudaSuccess : cudaErrorInvalidValue;
}

struct Range {
  uintptr_t begin = 0, end = 0;
  bool has(uintptr_t address) const { return address >= begin && address < end; }
};

Range find_stack() {
  pthread_attr_t attributes;
  if (pthread_getattr_np(pthread_self(), &attributes) != 0) return {};
  void* bottom = nullptr;
  size_t bytes = 0;
  pthread_attr_getstack(&attributes, &bottom, &bytes);
  pthread_attr_destroy(&attributes);
  const auto begin = reinterpret_cast<uintptr_t>(bottom);
  return {begin, begin + bytes};
}

// The heap that grows by sbrk: most small objects of the host are in it. A program that is not position-independent has
// it at low addresses, which small numbers and padding may equal; there it is not known.
Range host_heap() {
  static const uintptr_t begin = [] {
    std::FILE* const maps = std::fopen("/proc/self/maps", "r");
    char line[512];
    unsigned long found = 0;  // NOLINT(google-runtime-int): for %lx
    while (maps != nullptr && std::fgets(line, sizeof(line), maps) != nullptr) {
      if (std::strstr(line, "[heap]") != nullptr) std::sscanf(line, "%lx", &found);
    }
    if (maps != nullptr) std::fclose(maps);
    return static_cast<uintptr_t>(found) >> 32 != 0 ? static_cast<uintptr_t>(found) : 0;
  }();
  return {begin, begin != 0 ? reinterpret_cast<uintptr_t>(sbrk(0)) : 0};
}

bool is_host_address(uintptr_t address) {
  static thread_local const Range stack = find_stack();
  return stack.has(address) || host_heap().has(address);
}

}  // namespace

void check_address(const void* address) {
  const std::lock_guard<std::recursive_mutex> hold(lock());
  if (address == nullptr || is_device_address(address) || is_pinned(address)) return;
  misuse({"launch of a kernel", 0}, "an argument is an address that the device cannot access");
}

void check_object(const void* object, size_t bytes) {
  const std::lock_guard<std::recursive_mutex> hold(lock());
  for (size_t at = 0; at + sizeof(uintptr_t) <= bytes; at += sizeof(uintptr_t)) {
    uintptr_t word;
    std::memcpy(&word, static_cast<const char*>(object) + at, sizeof(word));
    if (!is_host_address(word) || is_pinned(reinterpret_cast<const void*>(word))) continue;
    char what[96];
    std::snprintf(what, sizeof(what), "an argument of %zu bytes has at byte %zu an address of the host: 0x%zx", bytes,
                  at, word);
    misuse({"launch of a kernel", 0}, what);
  }
}

cudaError_t queue_kernel(Kernel kernel, dim3 grid, dim3 extent, size_t shared, cudaStream_t handle) {
  return call("cudaLaunchKernel", [&] {
    CUstream_st* const stream = find_stream(handle);
    if (stream == nullptr) return cudaErrorInvalidResourceHandle;
    if (const cudaError_t error = check_launch(kernel, grid, extent, shared); error != cudaSuccess) return error;
    queue(stream, [=] {
      const cudaError_t ordered = ordered_failure("kernel");
      return ordered != cudaSuccess ? ordered : run_grid(kernel, grid, extent, shared);
    });
    return cudaSuccess;
  });
}

}  // namespace diopi::emulation

using diopi::emulation::call;

extern "C" cudaError_t cudaFuncSetAttribute(const void* kernel, cudaFuncAttribute attribute, int value) {
  return call("cudaFuncSetAttribute", [&] {
    if (kernel == nullptr) return cudaErrorInvalidDeviceFunction;
    if (attribute == cudaFuncAttributePreferredSharedMemoryCarveout) return cudaSuccess;
    const bool fits = value >= 0 && static_cast<size_t>(value) <= diopi::emulation::kSharedLimit;
    if (attribute != cudaFuncAttributeMaxDynamicSharedMemorySize || !fits) return cudaErrorInvalidValue;
    diopi::emulation::dynamic_limits[kernel] = static_cast<size_t>(value);
    return cudaSuccess;
  });
}
