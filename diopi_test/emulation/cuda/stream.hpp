// SPDX-License-Identifier: BSD-3-Clause
// Streams queue their work. It runs when the host waits for it, in an order that the streams and their events allow.
#ifndef DIOPI_TEST_EMULATION_CUDA_STREAM_HPP_
#define DIOPI_TEST_EMULATION_CUDA_STREAM_HPP_

#include <cuda_runtime_api.h>

#include <functional>
#include <memory>
#include <vector>

namespace diopi::emulation {

using Work = std::function<cudaError_t()>;

// What a stream collects in place of its queue while it is captured.
struct Capture {
  std::vector<Work> work;
  bool relaxed = false;  // calls that might wait for the device, such as cudaMalloc, are allowed
  bool valid = true;
};

// The stream of a handle, with null for the default stream; null if there is no such stream.
CUstream_st* find_stream(cudaStream_t handle);
// Work of a stream that is captured is not queued, but becomes part of the capture.
void queue(CUstream_st* stream, Work work);
// The capture of a stream; null if it is not captured.
std::shared_ptr<Capture>& capture_of(CUstream_st* stream);
// For calls that CUDA refuses while a stream is captured: its error if that one is captured. Its capture fails then.
cudaError_t refuse_capture(CUstream_st* stream);
// The same if any stream is captured, in a mode in which calls that might wait are refused (`unless_relaxed`) or in
// any.
cudaError_t refuse_any_capture(bool unless_relaxed);
// Runs work until the stream, or every stream, has none left.
cudaError_t finish(CUstream_st* stream);
cudaError_t finish_all();
// Of all streams: what a failed kernel leaves undone.
void forget_queued_work();
bool runs_host_function();

}  // namespace diopi::emulation

#endif  // DIOPI_TEST_EMULATION_CUDA_STREAM_HPP_
