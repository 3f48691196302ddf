// SPDX-License-Identifier: BSD-3-Clause
// Streams queue their work. It runs when the host waits for it, in an order that the streams and their events allow.
#ifndef DIOPI_TEST_EMULATION_CUDA_STREAM_HPP_
#define DIOPI_TEST_EMULATION_CUDA_STREAM_HPP_

#include <cuda_runtime_api.h>

#include <functional>

namespace diopi::emulation {

// The stream of a handle, with null for the default stream; null if there is no such stream.
CUstream_st* find_stream(cudaStream_t handle);
void queue(CUstream_st* stream, std::function<cudaError_t()> work);
// Runs work until the stream, or every stream, has none left.
cudaError_t finish(CUstream_st* stream);
cudaError_t finish_all();
// Of all streams: what a failed kernel leaves undone.
void forget_queued_work();
bool runs_host_function();

}  // namespace diopi::emulation

#endif  // DIOPI_TEST_EMULATION_CUDA_STREAM_HPP_
