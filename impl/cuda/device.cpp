// SPDX-License-Identifier: BSD-3-Clause
// The callbacks that every vendor registers: device memory, copies and streams of CUDA.
#include <cuda_runtime_api.h>
#include <diopi/diopi_register.h>

#include <cstdint>

#include "impl/common/error.hpp"

// Weak references, so that a process whose runtime lacks these functions can load the library.
extern "C" {
#define DIOPI_WEAK __attribute__((weak))
DIOPI_WEAK diopiError_t diopiRegisterStreamCreateFunc(create_stream_func_t);
DIOPI_WEAK diopiError_t diopiRegisterStreamDestroyFunc(destroy_stream_func_t);
DIOPI_WEAK diopiError_t diopiRegisterSynchronizeStreamFunc(sync_stream_func_t);
DIOPI_WEAK diopiError_t diopiRegisterDeviceMallocFunc(malloc_func_t);
DIOPI_WEAK diopiError_t diopiRegisterDevMemFreeFunc(free_func_t);
DIOPI_WEAK diopiError_t diopiRegisterMemcpyH2DAsyncFunc(memcpy_h2d_async_func_t);
DIOPI_WEAK diopiError_t diopiRegisterMemcpyD2HAsyncFunc(memcpy_d2h_async_func_t);
DIOPI_WEAK diopiError_t diopiRegisterMemcpyD2DAsyncFunc(memcpy_d2d_async_func_t);
DIOPI_WEAK diopiError_t diopiRegisterGetLastErrorFunc(get_last_error_string_func_t);
#undef DIOPI_WEAK
}

namespace impl::cuda {

namespace {

// 0 for success; otherwise the message names the function and the error of CUDA.
int32_t report(cudaError_t error, const char* function) {
  if (error == cudaSuccess) return 0;
  return diopi::fail(diopiErrorOccurred, "%s failed: %s (%s)", function, cudaGetErrorString(error),
                     cudaGetErrorName(error));
}

cudaStream_t stream_of(diopiStreamHandle_t handle) { return static_cast<cudaStream_t>(handle); }

void* allocate(uint64_t bytes) {
  void* memory = nullptr;
  if (report(cudaMalloc(&memory, bytes > 0 ? bytes : 1), "cudaMalloc") == 0) return memory;
  (void)cudaGetLastError();  // the next call must not report this error again
  return nullptr;
}

void release(void* memory) { (void)report(cudaFree(memory), "cudaFree"); }

int32_t create_stream(diopiStreamHandle_t* stream) {
  cudaStream_t created = nullptr;
  const int32_t status = report(cudaStreamCreateWithFlags(&created, cudaStreamNonBlocking), "cudaStreamCreate");
  *stream = created;
  return status;
}

int32_t destroy_stream(diopiStreamHandle_t stream) {
  return report(cudaStreamDestroy(stream_of(stream)), "cudaStreamDestroy");
}

int32_t synchronize_stream(diopiStreamHandle_t stream) {
  return report(cudaStreamSynchronize(stream_of(stream)), "cudaStreamSynchronize");
}

int32_t copy(diopiStreamHandle_t stream, void* dst, const void* src, uint64_t bytes, cudaMemcpyKind kind) {
  if (bytes == 0) return 0;
  return report(cudaMemcpyAsync(dst, src, bytes, kind, stream_of(stream)), "cudaMemcpyAsync");
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

template <typename Callback>
diopi::Status offer(diopiError_t (*registration)(Callback), Callback callback) {
  return registration != nullptr ? registration(callback) : diopiSuccess;
}

diopi::Status register_callbacks() {
  DIOPI_TRY(offer(diopiRegisterDeviceMallocFunc, allocate));
  DIOPI_TRY(offer(diopiRegisterDevMemFreeFunc, release));
  DIOPI_TRY(offer(diopiRegisterMemcpyH2DAsyncFunc, copy_to_device));
  DIOPI_TRY(offer(diopiRegisterMemcpyD2HAsyncFunc, copy_to_host));
  DIOPI_TRY(offer(diopiRegisterMemcpyD2DAsyncFunc, copy_on_device));
  DIOPI_TRY(offer(diopiRegisterStreamCreateFunc, create_stream));
  DIOPI_TRY(offer(diopiRegisterStreamDestroyFunc, destroy_stream));
  DIOPI_TRY(offer(diopiRegisterSynchronizeStreamFunc, synchronize_stream));
  return offer(diopiRegisterGetLastErrorFunc, diopi::last_error);
}

}  // namespace

int32_t init_library() {
  int version = 0, devices = 0;
  if (cudaDriverGetVersion(&version) == cudaSuccess && version == 0) {
    return diopi::fail(diopiErrorOccurred, "no driver of NVIDIA GPUs is installed: libcuda.so.1 was not found");
  }
  const int32_t status = report(cudaGetDeviceCount(&devices), "cudaGetDeviceCount");
  if (status != 0) return status;
  return register_callbacks();
}

int32_t finalize_library() { return 0; }

const char* diopiGetVendorName() { return "CudaDevice"; }

const char* diopiGetImplVersion() { return "1.0.0"; }

const char* diopiGetLastErrorString() { return diopi::last_error(); }

}  // namespace impl::cuda
