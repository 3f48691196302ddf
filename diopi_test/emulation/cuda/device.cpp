// SPDX-License-Identifier: BSD-3-Clause
// The properties of the emulated device: the limits of compute capability 9.0, with few multiprocessors, so that grids
// that fill the device stay small.
#include <algorithm>
#include <cstring>

#include "api.hpp"
#include "block.hpp"
#include "memory.hpp"
#include "stream.hpp"

namespace diopi::emulation {

namespace {

constexpr int kMultiprocessors = 4;
constexpr int kThreadsOfMultiprocessor = 2048;
constexpr int kBlocksOfMultiprocessor = 32;
constexpr int kSharedOfMultiprocessor = 228 << 10;
constexpr int kRegisters = 65536;
constexpr int kL2Bytes = 4 << 20;

struct Attribute {
  cudaDeviceAttr name;
  int value;
};

constexpr Attribute kAttributes[] = {
    {cudaDevAttrMaxThreadsPerBlock, kMaxThreads},
    {cudaDevAttrMaxBlockDimX, kMaxThreads},
    {cudaDevAttrMaxBlockDimY, kMaxThreads},
    {cudaDevAttrMaxBlockDimZ, 64},
    {cudaDevAttrMaxGridDimX, 0x7FFFFFFF},
    {cudaDevAttrMaxGridDimY, 65535},
    {cudaDevAttrMaxGridDimZ, 65535},
    {cudaDevAttrMaxSharedMemoryPerBlock, static_cast<int>(kStaticShared)},
    {cudaDevAttrWarpSize, 32},
    {cudaDevAttrMaxRegistersPerBlock, kRegisters},
    {cudaDevAttrMultiProcessorCount, kMultiprocessors},
    {cudaDevAttrL2CacheSize, kL2Bytes},
    {cudaDevAttrMaxThreadsPerMultiProcessor, kThreadsOfMultiprocessor},
    {cudaDevAttrUnifiedAddressing, 1},
    {cudaDevAttrMaxSharedMemoryPerMultiprocessor, kSharedOfMultiprocessor},
    {cudaDevAttrMaxRegistersPerMultiprocessor, kRegisters},
    {cudaDevAttrManagedMemory, 0},
    {cudaDevAttrPageableMemoryAccess, 0},
    {cudaDevAttrMaxSharedMemoryPerBlockOptin, static_cast<int>(kSharedLimit)},
    {cudaDevAttrMaxBlocksPerMultiprocessor, kBlocksOfMultiprocessor},
    {cudaDevAttrMemoryPoolsSupported, 1},
};

// As ten times the major number, plus the minor one.
int compute_capability() { return static_cast<int>(environment_number("DIOPI_CUDA_CAPABILITY", 90)); }

}  // namespace

}  // namespace diopi::emulation

using diopi::emulation::call;
using namespace diopi::emulation;  // NOLINT(google-build-using-namespace)

extern "C" {

cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr attribute, int device) {
  return call("cudaDeviceGetAttribute", [&] {
    if (device != 0) return cudaErrorInvalidDevice;
    const int capability = compute_capability();
    if (value != nullptr && attribute == cudaDevAttrComputeCapabilityMajor) {
      *value = capability / 10;
      return cudaSuccess;
    }
    if (value != nullptr && attribute == cudaDevAttrComputeCapabilityMinor) {
      *value = capability % 10;
      return cudaSuccess;
    }
    const auto* const found = std::find_if(std::begin(kAttributes), std::end(kAttributes),
                                           [&](const Attribute& each) { return each.name == attribute; });
    if (value == nullptr || found == std::end(kAttributes)) return cudaErrorInvalidValue;
    *value = found->value;
    return cudaSuccess;
  });
}

cudaError_t cudaGetDeviceProperties(cudaDeviceProp* properties, int device) {
  return call("cudaGetDeviceProperties", [&] {
    if (device != 0) return cudaErrorInvalidDevice;
    if (properties == nullptr) return cudaErrorInvalidValue;
    *properties = {};
    std::strcpy(properties->name, "DIOPI emulation of CUDA");
    properties->totalGlobalMem = memory_limit();
    properties->sharedMemPerBlock = kStaticShared;
    properties->regsPerBlock = properties->regsPerMultiprocessor = kRegisters;
    properties->warpSize = 32;
    properties->maxThreadsPerBlock = kMaxThreads;
    const int threads[] = {kMaxThreads, kMaxThreads, 64}, grid[] = {0x7FFFFFFF, 65535, 65535};
    std::copy_n(threads, 3, properties->maxThreadsDim);
    std::copy_n(grid, 3, properties->maxGridSize);
    properties->major = compute_capability() / 10;
    properties->minor = compute_capability() % 10;
    properties->multiProcessorCount = kMultiprocessors;
    properties->l2CacheSize = kL2Bytes;
    properties->maxThreadsPerMultiProcessor = kThreadsOfMultiprocessor;
    properties->sharedMemPerMultiprocessor = kSharedOfMultiprocessor;
    properties->sharedMemPerBlockOptin = kSharedLimit;
    return cudaSuccess;
  });
}

// Forgets the error of a kernel and the work that is queued. Memory stays allocated, unlike on a chip.
cudaError_t cudaDeviceReset() {
  const std::lock_guard<std::recursive_mutex> hold(lock());
  forget_queued_work();
  mend_device();
  cudaGetLastError();
  return cudaSuccess;
}

cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, const void* kernel, int threads, size_t shared) {
  return call("cudaOccupancyMaxActiveBlocksPerMultiprocessor", [&] {
    if (kernel == nullptr) return cudaErrorInvalidDeviceFunction;
    if (blocks == nullptr || threads <= 0 || threads > kMaxThreads || shared > kSharedLimit)
      return cudaErrorInvalidValue;
    const int warps = (threads + 31) / 32;
    int count = std::min(kBlocksOfMultiprocessor, kThreadsOfMultiprocessor / (warps * 32));
    if (shared > 0) count = std::min(count, static_cast<int>(kSharedOfMultiprocessor / (shared + 1024)));
    *blocks = count;
    return cudaSuccess;
  });
}
}
