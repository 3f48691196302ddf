// SPDX-License-Identifier: BSD-3-Clause
#include "stream.hpp"

#include <algorithm>
#include <chrono>
#include <deque>
#include <memory>
#include <vector>

#include "api.hpp"
#include "memory.hpp"
#include "order.hpp"

namespace {

using Clock = std::chrono::steady_clock;

struct EventState {
  uint64_t recorded = 0, completed = 0;  // how often
  Clock::time_point time;
};

struct Operation {
  uint64_t sequence;
  std::function<cudaError_t()> run;
  std::shared_ptr<EventState> awaited;  // null: the operation does not wait for an event
  uint64_t generation = 0;
};

}  // namespace

struct CUstream_st {
  std::deque<Operation> operations;
  std::shared_ptr<diopi::emulation::Capture> capture;
  bool non_blocking = false;  // does not wait for the default stream, and the default stream does not wait for it
  bool destroyed = false;
};

struct CUevent_st {
  std::shared_ptr<EventState> state = std::make_shared<EventState>();
  bool timing = true;
};

namespace diopi::emulation {

namespace {

std::vector<std::unique_ptr<CUstream_st>> streams;  // the first is the default stream
std::vector<std::unique_ptr<CUevent_st>> events;
uint64_t sequence = 0;
bool in_host_function = false;

CUstream_st* default_stream() {
  if (streams.empty()) streams.push_back(std::make_unique<CUstream_st>());
  return streams.front().get();
}

CUevent_st* find_event(cudaEvent_t handle) {
  for (const auto& event : events) {
    if (event.get() == handle) return handle;
  }
  return nullptr;
}

bool may_run(const CUstream_st& stream) {
  if (stream.operations.empty()) return false;
  const Operation& first = stream.operations.front();
  if (first.awaited != nullptr && first.awaited->completed < first.generation) return false;
  if (stream.non_blocking) return true;
  const CUstream_st* const common = default_stream();
  for (const auto& other : streams) {
    const bool waits = &stream == common ? !other->non_blocking : other.get() == common;
    if (waits && !other->operations.empty() && other->operations.front().sequence < first.sequence) return false;
  }
  return true;
}

CUstream_st* choose(Order& order) {
  CUstream_st* chosen = nullptr;
  uint32_t count = 0;
  for (const auto& stream : streams) {
    if (!may_run(*stream)) continue;
    ++count;
    const bool later = chosen != nullptr && stream->operations.front().sequence > chosen->operations.front().sequence;
    const bool takes =
        chosen == nullptr || (order.is_random() ? order.below(count) == 0 : later == (order.kind() == Order::kReverse));
    if (takes) chosen = stream.get();
  }
  return chosen;
}

void remove_destroyed_streams() {
  const auto gone = [](const std::unique_ptr<CUstream_st>& stream) {
    return stream->destroyed && stream->operations.empty();
  };
  streams.erase(std::remove_if(streams.begin(), streams.end(), gone), streams.end());
}

template <typename F>
cudaError_t run_until(F&& done) {
  if (broken() != cudaSuccess || done()) return broken();
  const OpenMemory open;
  Order order = Order::from_environment(1);
  while (!done()) {
    CUstream_st* const stream = choose(order);
    if (stream == nullptr) return cudaErrorUnknown;  // cannot be: an event is recorded before it is awaited
    Operation operation = std::move(stream->operations.front());
    stream->operations.pop_front();
    const cudaError_t error = operation.run ? operation.run() : cudaSuccess;
    if (error == cudaSuccess) continue;
    break_device(error);
    return error;
  }
  remove_destroyed_streams();
  return cudaSuccess;
}

cudaError_t create_stream(cudaStream_t* handle, unsigned flags) {
  if (handle == nullptr || flags > cudaStreamNonBlocking) return cudaErrorInvalidValue;
  default_stream();
  streams.push_back(std::make_unique<CUstream_st>());
  streams.back()->non_blocking = flags == cudaStreamNonBlocking;
  *handle = streams.back().get();
  return cudaSuccess;
}

cudaError_t create_event(cudaEvent_t* handle, unsigned flags) {
  if (handle == nullptr) return cudaErrorInvalidValue;
  events.push_back(std::make_unique<CUevent_st>());
  events.back()->timing = (flags & cudaEventDisableTiming) == 0;
  *handle = events.back().get();
  return cudaSuccess;
}

bool is_complete(const CUevent_st& event) { return event.state->completed >= event.state->recorded; }

}  // namespace

CUstream_st* find_stream(cudaStream_t handle) {
  if (handle == nullptr || handle == cudaStreamLegacy) return default_stream();
  for (const auto& stream : streams) {
    if (stream.get() == handle && !stream->destroyed) return handle;
  }
  return nullptr;
}

void queue(CUstream_st* stream, Work work) {
  if (stream->capture != nullptr) {
    stream->capture->work.push_back(std::move(work));
  } else {
    stream->operations.push_back({++sequence, std::move(work), nullptr, 0});
  }
}

std::shared_ptr<Capture>& capture_of(CUstream_st* stream) { return stream->capture; }

cudaError_t refuse_capture(CUstream_st* stream) {
  if (stream->capture == nullptr) return cudaSuccess;
  stream->capture->valid = false;
  return cudaErrorStreamCaptureUnsupported;
}

cudaError_t refuse_any_capture(bool unless_relaxed) {
  cudaError_t error = cudaSuccess;
  for (const auto& stream : streams) {
    if (stream->capture == nullptr || (unless_relaxed && stream->capture->relaxed)) continue;
    error = refuse_capture(stream.get());
  }
  return error;
}

cudaError_t finish(CUstream_st* stream) {
  if (const cudaError_t error = refuse_capture(stream); error != cudaSuccess) return error;
  return run_until([&] { return stream->operations.empty(); });
}

cudaError_t finish_all() {
  if (const cudaError_t error = refuse_any_capture(false); error != cudaSuccess) return error;
  return run_until([] {
    return std::all_of(streams.begin(), streams.end(), [](const auto& stream) { return stream->operations.empty(); });
  });
}

void forget_queued_work() {
  for (const auto& stream : streams) stream->operations.clear();
  for (const auto& event : events) event->state->completed = event->state->recorded;
}

bool runs_host_function() { return in_host_function; }

}  // namespace diopi::emulation

using diopi::emulation::call;
using namespace diopi::emulation;  // NOLINT(google-build-using-namespace)

extern "C" {

cudaError_t cudaStreamCreate(cudaStream_t* stream) {
  return call("cudaStreamCreate", [&] { return create_stream(stream, cudaStreamDefault); });
}

cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned int flags) {
  return call("cudaStreamCreateWithFlags", [&] { return create_stream(stream, flags); });
}

// Work that is queued still runs.
cudaError_t cudaStreamDestroy(cudaStream_t stream) {
  return call("cudaStreamDestroy", [&] {
    CUstream_st* const found = find_stream(stream);
    if (found == nullptr || found == default_stream()) return cudaErrorInvalidResourceHandle;
    found->destroyed = true;
    remove_destroyed_streams();
    return cudaSuccess;
  });
}

cudaError_t cudaStreamSynchronize(cudaStream_t stream) {
  return call("cudaStreamSynchronize", [&] {
    CUstream_st* const found = find_stream(stream);
    return found != nullptr ? finish(found) : cudaErrorInvalidResourceHandle;
  });
}

cudaError_t cudaStreamQuery(cudaStream_t stream) {
  return call("cudaStreamQuery", [&] {
    CUstream_st* const found = find_stream(stream);
    if (found == nullptr) return cudaErrorInvalidResourceHandle;
    if (const cudaError_t error = refuse_capture(found); error != cudaSuccess) return error;
    return found->operations.empty() ? cudaSuccess : cudaErrorNotReady;
  });
}

cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned int flags) {
  return call("cudaStreamWaitEvent", [&] {
    CUstream_st* const found = find_stream(stream);
    if (found == nullptr || find_event(event) == nullptr) return cudaErrorInvalidResourceHandle;
    if (flags != 0) return cudaErrorInvalidValue;
    if (const cudaError_t error = refuse_capture(found); error != cudaSuccess) return error;
    found->operations.push_back({++sequence, nullptr, event->state, event->state->recorded});
    return cudaSuccess;
  });
}

cudaError_t cudaLaunchHostFunc(cudaStream_t stream, cudaHostFn_t function, void* data) {
  return call("cudaLaunchHostFunc", [&] {
    CUstream_st* const found = find_stream(stream);
    if (found == nullptr) return cudaErrorInvalidResourceHandle;
    if (function == nullptr) return cudaErrorInvalidValue;
    queue(found, [=] {
      const ClosedMemory closed;
      in_host_function = true;
      function(data);
      in_host_function = false;
      return cudaSuccess;
    });
    return cudaSuccess;
  });
}

cudaError_t cudaDeviceSynchronize() {
  return call("cudaDeviceSynchronize", [] { return finish_all(); });
}

cudaError_t cudaEventCreate(cudaEvent_t* event) {
  return call("cudaEventCreate", [&] { return create_event(event, cudaEventDefault); });
}

cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned int flags) {
  return call("cudaEventCreateWithFlags", [&] { return create_event(event, flags); });
}

cudaError_t cudaEventDestroy(cudaEvent_t event) {
  return call("cudaEventDestroy", [&] {
    const auto found =
        std::find_if(events.begin(), events.end(), [&](const auto& each) { return each.get() == event; });
    if (found == events.end()) return cudaErrorInvalidResourceHandle;
    events.erase(found);
    return cudaSuccess;
  });
}

cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream) {
  return call("cudaEventRecord", [&] {
    CUstream_st* const found = find_stream(stream);
    if (found == nullptr || find_event(event) == nullptr) return cudaErrorInvalidResourceHandle;
    if (const cudaError_t error = refuse_capture(found); error != cudaSuccess) return error;
    const uint64_t generation = ++event->state->recorded;
    queue(found, [state = event->state, generation] {
      state->completed = std::max(state->completed, generation);
      state->time = Clock::now();
      return cudaSuccess;
    });
    return cudaSuccess;
  });
}

cudaError_t cudaEventQuery(cudaEvent_t event) {
  return call("cudaEventQuery", [&] {
    if (find_event(event) == nullptr) return cudaErrorInvalidResourceHandle;
    return is_complete(*event) ? cudaSuccess : cudaErrorNotReady;
  });
}

cudaError_t cudaEventSynchronize(cudaEvent_t event) {
  return call("cudaEventSynchronize", [&] {
    if (find_event(event) == nullptr) return cudaErrorInvalidResourceHandle;
    return run_until([&] { return is_complete(*event); });
  });
}

cudaError_t cudaEventElapsedTime(float* milliseconds, cudaEvent_t start, cudaEvent_t end) {
  return call("cudaEventElapsedTime", [&] {
    if (milliseconds == nullptr) return cudaErrorInvalidValue;
    for (const cudaEvent_t event : {start, end}) {
      if (find_event(event) == nullptr || !event->timing || event->state->recorded == 0)
        return cudaErrorInvalidResourceHandle;
      if (!is_complete(*event)) return cudaErrorNotReady;
    }
    *milliseconds = std::chrono::duration<float, std::milli>(end->state->time - start->state->time).count();
    return cudaSuccess;
  });
}
}
