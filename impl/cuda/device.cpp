// SPDX-License-Identifier: BSD-3-Clause
// The callbacks that every vendor registers: device memory, copies and streams of CUDA.
#include <cuda_runtime_api.h>

#include <cstdint>
#include <cstdlib>

#include "impl/common/registration.hpp"
#include "impl/cuda/engine/deferred.hpp"
#include "impl/cuda/engine/scratch.hpp"
#include "impl/cuda/engine/stream.hpp"

namespace impl::cuda {

namespace {

cudaStream_t stream_of(diopiStreamHandle_t handle) { return static_cast<cudaStream_t>(handle); }

void* allocate(uint64_t bytes) {
  void* memory = nullptr;
  const cudaError_t error = cudaMalloc(&memory, bytes > 0 ? bytes : 1);
  if (error == cudaSuccess) return memory;
  size_t free = 0, total = 0;
  if (error != cudaErrorMemoryAllocation || cudaMemGetInfo(&free, &total) != cudaSuccess) {
    (void)checked(error, "cudaMalloc");
    return nullptr;
  }
  (void)cudaGetLastError();  // the next call must not report this error again
  (void)diopi::fail(diopiErrorOccurred, "cudaMalloc failed: the GPU has %zu bytes, of which %zu are free", total, free);
  return nullptr;
}

void release(void* memory) { (void)checked(cudaFree(memory), "cudaFree"); }

int32_t create_stream(diopiStreamHandle_t* stream) {
  cudaStream_t created = nullptr;
  const int32_t status =
      checked(cudaStreamCreateWithFlags(&created, cudaStreamNonBlocking), "cudaStreamCreateWithFlags");
  *stream = created;
  return status;
}

// The stream is destroyed also if a check of its last calls has failed.
int32_t destroy_stream(diopiStreamHandle_t stream) {
  const Status earlier = forget_checks(stream_of(stream)), freed = free_scratch(stream_of(stream));
  if (earlier.ok() && freed.ok()) return checked(cudaStreamDestroy(stream_of(stream)), "cudaStreamDestroy");
  (void)cudaStreamDestroy(stream_of(stream));
  return earlier.ok() ? freed : earlier;
}

int32_t synchronize_stream(diopiStreamHandle_t stream) { return synchronize(stream_of(stream)); }

int32_t copy(diopiStreamHandle_t stream, void* dst, const void* src, uint64_t bytes, cudaMemcpyKind kind) {
  if (bytes == 0) return 0;
  return checked(cudaMemcpyAsync(dst, src, bytes, kind, stream_of(stream)), "cudaMemcpyAsync");
}

int32_t copy_to_device(diopiStreamHandle_t stream, void* dst, const void* src, uint64_t bytes) {
  return copy(stream, dst, src, bytes, cudaMemcpyHostToDevice);
}

int32_t copy_to_host(diopiStreamHandle_t stream, void* dst, const void* src, uint64_t bytes) {
  return copy(stream, dst, src, bytes, cudaMemcpyDeviceToHost);
}

int32_t copy_on_device(diopiStreamHandle_t stream, void* dst, const void* src, uint64_t bytes) {
  return copy(stream, dst, src, bytes, cudaMemcpyDeviceToDevice);
}

Status check_driver() {
  int driver = 0, needed = 0, devices = 0;
  DIOPI_TRY(checked(cudaDriverGetVersion(&driver), "cudaDriverGetVersion"));
  DIOPI_REQUIRE(driver != 0, diopiErrorOccurred,
                "no driver of NVIDIA GPUs is installed: libcuda.so.1 was not found or cannot be used");
  const cudaError_t error = cudaGetDeviceCount(&devices);
  if (error == cudaErrorInsufficientDriver && cudaRuntimeGetVersion(&needed) == cudaSuccess) {
    (void)cudaGetLastError();
    return diopi::fail(diopiErrorOccurred, "the driver of NVIDIA GPUs supports CUDA %d.%d, expected %d.%d or newer",
                       driver / 1000, driver % 1000 / 10, needed / 1000, needed % 1000 / 10);
  }
  if (error == cudaErrorNoDevice) {
    (void)cudaGetLastError();
    const char* const visible = std::getenv("CUDA_VISIBLE_DEVICES");
    const bool is_set = visible != nullptr;
    return diopi::fail(diopiErrorOccurred, "there is no NVIDIA GPU that this process may use%s%.64s%s",
                       is_set ? ": CUDA_VISIBLE_DEVICES is \"" : "", is_set ? visible : "", is_set ? "\"" : "");
  }
  return checked(error, "cudaGetDeviceCount");
}

// Requires that the kernels of this library can run on the current GPU.
Status check_gpu() {
  int gpu = 0, major = 0, minor = 0;
  DIOPI_TRY(checked(cudaGetDevice(&gpu), "cudaGetDevice"));
  DIOPI_TRY(checked(cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, gpu), "cudaDeviceGetAttribute"));
  DIOPI_TRY(checked(cudaDeviceGetAttribute(&minor, cudaDevAttrComputeCapabilityMinor, gpu), "cudaDeviceGetAttribute"));
  DIOPI_REQUIRE(10 * major + minor >= DIOPI_CUDA_OLDEST, diopiErrorOccurred,
                "GPU %d has compute capability %d.%d, expected %d.%d or newer", gpu, major, minor,
                DIOPI_CUDA_OLDEST / 10, DIOPI_CUDA_OLDEST % 10);
  return diopiSuccess;
}

Status start() {
  DIOPI_TRY(check_driver());
  DIOPI_TRY(check_gpu());
  return diopi::register_device({allocate, release, copy_to_device, copy_to_host, copy_on_device, create_stream,
                                 destroy_stream, synchronize_stream});
}

}  // namespace

int32_t init_library() { return start(); }

int32_t finalize_library() { return 0; }

const char* diopiGetVendorName() { return "CudaDevice"; }

const char* diopiGetImplVersion() { return "1.0.0"; }

const char* diopiGetLastErrorString() { return diopi::last_error(); }

}  // namespace impl::cuda
