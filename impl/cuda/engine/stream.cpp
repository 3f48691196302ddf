// SPDX-License-Identifier: BSD-3-Clause
#include "impl/cuda/engine/stream.hpp"

#include "impl/common/runtime_call.hpp"

namespace impl::cuda {

Status stream_of(diopiContextHandle_t ctx, cudaStream_t* stream) {
  diopiStreamHandle_t handle = nullptr;
  DIOPI_TRY_RUNTIME("stream", diopiGetStream, ctx, &handle);
  *stream = static_cast<cudaStream_t>(handle);
  return diopiSuccess;
}

Status checked(cudaError_t error, const char* what) {
  DIOPI_REQUIRE(error == cudaSuccess, diopiErrorOccurred, "%s failed: %s (%s)", what, cudaGetErrorString(error),
                cudaGetErrorName(error));
  return diopiSuccess;
}

bool on_host(const void* data) {
  cudaPointerAttributes attributes{};
  if (cudaPointerGetAttributes(&attributes, data) != cudaSuccess) {
    (void)cudaGetLastError();  // an address that CUDA does not know is the host's
    return true;
  }
  return attributes.type == cudaMemoryTypeUnregistered || attributes.type == cudaMemoryTypeHost;
}

Status read_back(diopiContextHandle_t ctx, void* host, const void* device, int64_t bytes) {
  cudaStream_t stream = nullptr;
  DIOPI_TRY(stream_of(ctx, &stream));
  DIOPI_TRY(checked(cudaMemcpyAsync(host, device, static_cast<size_t>(bytes), cudaMemcpyDeviceToHost, stream),
                    "a copy to the host"));
  return checked(cudaStreamSynchronize(stream), "waiting for the stream");
}

}  // namespace impl::cuda
