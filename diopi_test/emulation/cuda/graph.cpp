// SPDX-License-Identifier: BSD-3-Clause
// Captures of streams and graphs. A graph has the work of one stream in order. CUDA captures events, too, and with them
// other streams; here a call with an event of a captured stream fails, as does one that waits for it.
#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "api.hpp"
#include "stream.hpp"

struct CUgraph_st {
  std::vector<diopi::emulation::Work> work;
};

struct CUgraphExec_st {
  std::vector<diopi::emulation::Work> work;
};

namespace diopi::emulation {

namespace {

std::vector<std::unique_ptr<CUgraph_st>> graphs;
std::vector<std::unique_ptr<CUgraphExec_st>> executables;

template <typename T>
typename std::vector<std::unique_ptr<T>>::iterator find(std::vector<std::unique_ptr<T>>& all, const T* handle) {
  return std::find_if(all.begin(), all.end(), [&](const auto& each) { return each.get() == handle; });
}

template <typename T>
cudaError_t destroy(std::vector<std::unique_ptr<T>>& all, const T* handle) {
  const auto found = find(all, handle);
  if (found == all.end()) return cudaErrorInvalidValue;
  all.erase(found);
  return cudaSuccess;
}

}  // namespace

}  // namespace diopi::emulation

using diopi::emulation::call;
using namespace diopi::emulation;  // NOLINT(google-build-using-namespace)

extern "C" {

cudaError_t cudaStreamBeginCapture(cudaStream_t stream, cudaStreamCaptureMode mode) {
  return call("cudaStreamBeginCapture", [&] {
    CUstream_st* const found = find_stream(stream);
    if (found == nullptr) return cudaErrorInvalidResourceHandle;
    if (mode < cudaStreamCaptureModeGlobal || mode > cudaStreamCaptureModeRelaxed) return cudaErrorInvalidValue;
    if (found == find_stream(nullptr)) return cudaErrorStreamCaptureUnsupported;
    if (capture_of(found) != nullptr) return cudaErrorIllegalState;
    capture_of(found) = std::make_shared<Capture>();
    capture_of(found)->relaxed = mode == cudaStreamCaptureModeRelaxed;
    return cudaSuccess;
  });
}

cudaError_t cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t* graph) {
  return call("cudaStreamEndCapture", [&] {
    CUstream_st* const found = find_stream(stream);
    if (found == nullptr) return cudaErrorInvalidResourceHandle;
    if (graph == nullptr) return cudaErrorInvalidValue;
    *graph = nullptr;
    const std::shared_ptr<Capture> capture = std::exchange(capture_of(found), nullptr);
    if (capture == nullptr) return cudaErrorIllegalState;
    if (!capture->valid) return cudaErrorStreamCaptureInvalidated;
    graphs.push_back(std::make_unique<CUgraph_st>(CUgraph_st{std::move(capture->work)}));
    *graph = graphs.back().get();
    return cudaSuccess;
  });
}

cudaError_t cudaStreamIsCapturing(cudaStream_t stream, cudaStreamCaptureStatus* status) {
  return call("cudaStreamIsCapturing", [&] {
    CUstream_st* const found = find_stream(stream);
    if (found == nullptr) return cudaErrorInvalidResourceHandle;
    if (status == nullptr) return cudaErrorInvalidValue;
    const auto& capture = capture_of(found);
    *status = capture == nullptr ? cudaStreamCaptureStatusNone
              : capture->valid   ? cudaStreamCaptureStatusActive
                                 : cudaStreamCaptureStatusInvalidated;
    return cudaSuccess;
  });
}

cudaError_t cudaGraphInstantiate(cudaGraphExec_t* executable, cudaGraph_t graph,
                                 unsigned long long flags) {  // NOLINT(google-runtime-int)
  return call("cudaGraphInstantiate", [&] {
    if (executable == nullptr || find(graphs, graph) == graphs.end() || flags != 0) return cudaErrorInvalidValue;
    executables.push_back(std::make_unique<CUgraphExec_st>(CUgraphExec_st{graph->work}));
    *executable = executables.back().get();
    return cudaSuccess;
  });
}

cudaError_t cudaGraphLaunch(cudaGraphExec_t executable, cudaStream_t stream) {
  return call("cudaGraphLaunch", [&] {
    CUstream_st* const found = find_stream(stream);
    if (found == nullptr) return cudaErrorInvalidResourceHandle;
    if (find(executables, executable) == executables.end()) return cudaErrorInvalidValue;
    for (const Work& work : executable->work) queue(found, work);
    return cudaSuccess;
  });
}

// Executables of the graph stay.
cudaError_t cudaGraphDestroy(cudaGraph_t graph) {
  return call("cudaGraphDestroy", [&] { return destroy(graphs, graph); });
}

// Launches that are queued still run.
cudaError_t cudaGraphExecDestroy(cudaGraphExec_t executable) {
  return call("cudaGraphExecDestroy", [&] { return destroy(executables, executable); });
}
}
