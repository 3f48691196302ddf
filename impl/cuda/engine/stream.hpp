// SPDX-License-Identifier: BSD-3-Clause
// The stream of a call, and calls of the CUDA runtime with errors as Status.
#ifndef IMPL_CUDA_ENGINE_STREAM_HPP_
#define IMPL_CUDA_ENGINE_STREAM_HPP_

#include <cuda_runtime_api.h>

#include <cstdint>

#include "impl/common/error.hpp"

namespace impl::cuda {

using diopi::Status;

// The stream of the context. A call asks the runtime for it once, before it writes: later uses in the call cannot fail.
Status stream_of(diopiContextHandle_t ctx, cudaStream_t* stream);

// A Status of what a function of the CUDA runtime, or launch(), returned. `what` names the work in the message, which
// also says if the process cannot use the GPU any more. CUDA forgets the error: later calls do not report it again.
Status checked(cudaError_t error, const char* what);

// Whether the memory is the host's: a number of the caller stands in the place of a tensor. Kernels cannot read it.
bool on_host(const void* data);

// Whether the stream is captured into a graph: then nothing may wait for it, and no memory may be allocated.
Status is_captured(cudaStream_t stream, bool* captured);

// An error if the stream is captured; `why` says what the call needs. The capture stays valid.
Status refuse_capture(cudaStream_t stream, const char* why);
inline constexpr char kTakesMemory[] = "the first such call of a stream takes memory: make it once before the capture";
inline constexpr char kWaits[] = "the host waits for a number that the GPU computes";

// Copies `bytes` to the host and waits for the stream.
Status read_back(diopiContextHandle_t ctx, void* host, const void* device, int64_t bytes);

}  // namespace impl::cuda

#endif  // IMPL_CUDA_ENGINE_STREAM_HPP_
