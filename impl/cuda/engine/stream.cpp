// SPDX-License-Identifier: BSD-3-Clause
#include "impl/cuda/engine/stream.hpp"

#include "impl/common/runtime_call.hpp"
#include "impl/common/thread_state.hpp"

namespace impl::cuda {

namespace {

// Whether every later call fails with this error until the process ends: CUDA's header says so of each but the first.
bool ends_use_of_gpu(cudaError_t error) {
  switch (error) {
    case cudaErrorECCUncorrectable:
    case cudaErrorContained:
    case cudaErrorIllegalAddress:
    case cudaErrorLaunchTimeout:
    case cudaErrorAssert:
    case cudaErrorHardwareStackError:
    case cudaErrorIllegalInstruction:
    case cudaErrorMisalignedAddress:
    case cudaErrorInvalidAddressSpace:
    case cudaErrorInvalidPc:
    case cudaErrorLaunchFailure:
    case cudaErrorExternalDevice:
    case cudaErrorTensorMemoryLeak:
    case cudaErrorMpsClientTerminated:
      return true;
    default:
      return false;
  }
}

// The stream that the runtime has given to the thread's call number `call`.
struct CallStream {
  uint64_t call;
  diopiContextHandle_t ctx;
  diopiStreamHandle_t stream;
};
thread_local CallStream call_stream = {0, nullptr, nullptr};

}  // namespace

Status stream_of(diopiContextHandle_t ctx, cudaStream_t* stream) {
  const uint64_t call = diopi::call_count();
  if (call == 0 || call != call_stream.call || ctx != call_stream.ctx) {
    diopiStreamHandle_t handle = nullptr;
    DIOPI_TRY_RUNTIME("stream", diopiGetStream, ctx, &handle);
    call_stream = {call, ctx, handle};
  }
  *stream = static_cast<cudaStream_t>(call_stream.stream);
  return diopiSuccess;
}

Status checked(cudaError_t error, const char* what) {
  if (error == cudaSuccess) return diopiSuccess;
  (void)cudaGetLastError();
  return diopi::fail(
      diopiErrorOccurred, "%s failed: %s (%s)%s", what, cudaGetErrorString(error), cudaGetErrorName(error),
      ends_use_of_gpu(error) ? "; earlier work on the GPU failed, and this process cannot use it any more" : "");
}

bool on_host(const void* data) {
  cudaPointerAttributes attributes{};
  if (cudaPointerGetAttributes(&attributes, data) != cudaSuccess) {
    (void)cudaGetLastError();  // an address that CUDA does not know is the host's
    return true;
  }
  return attributes.type == cudaMemoryTypeUnregistered || attributes.type == cudaMemoryTypeHost;
}

Status is_captured(cudaStream_t stream, bool* captured) {
  cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
  DIOPI_TRY(checked(cudaStreamIsCapturing(stream, &status), "cudaStreamIsCapturing"));
  *captured = status != cudaStreamCaptureStatusNone;
  return diopiSuccess;
}

Status refuse_capture(cudaStream_t stream, const char* why) {
  bool captured = false;
  DIOPI_TRY(is_captured(stream, &captured));
  DIOPI_REQUIRE(!captured, diopiErrorOccurred, "the call cannot be captured into a graph: %s", why);
  return diopiSuccess;
}

Status read_back(diopiContextHandle_t ctx, void* host, const void* device, int64_t bytes) {
  cudaStream_t stream = nullptr;
  DIOPI_TRY(stream_of(ctx, &stream));
  DIOPI_TRY(refuse_capture(stream, kWaits));
  DIOPI_TRY(checked(cudaMemcpyAsync(host, device, static_cast<size_t>(bytes), cudaMemcpyDeviceToHost, stream),
                    "a copy to the host"));
  return checked(cudaStreamSynchronize(stream), "waiting for the stream");
}

}  // namespace impl::cuda
