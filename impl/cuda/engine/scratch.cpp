// SPDX-License-Identifier: BSD-3-Clause
#include "impl/cuda/engine/scratch.hpp"

#include <algorithm>
#include <mutex>
#include <vector>

#include "impl/common/step_memory.hpp"

namespace impl::cuda {

namespace {

// The default stream of each device has the same handle.
struct Owned {
  cudaStream_t stream;
  int device;
  StreamScratch scratch;
};

struct AllScratch {
  std::mutex mutex;
  std::vector<Owned> streams;
};

AllScratch& all_scratch() {
  static AllScratch all;
  return all;
}

Status allocate(cudaStream_t stream, StreamScratch* scratch) {
  constexpr size_t kTicketBytes = StreamScratch::kTickets * sizeof(unsigned);
  void* memory = nullptr;
  DIOPI_TRY(refuse_capture(stream, kTakesMemory));
  DIOPI_TRY(checked(cudaMalloc(&memory, kTicketBytes + StreamScratch::kBytes), "cudaMalloc"));
  const Status status = checked(cudaMemsetAsync(memory, 0, kTicketBytes, stream), "cudaMemsetAsync");
  if (!status.ok()) {
    (void)cudaFree(memory);
    return status;
  }
  scratch->tickets = static_cast<unsigned*>(memory);
  scratch->memory = static_cast<char*>(memory) + kTicketBytes;
  return diopiSuccess;
}

}  // namespace

Status scratch_of(diopiContextHandle_t ctx, StreamScratch* scratch) {
  if (diopi::in_dry_run()) return diopiSuccess;
  cudaStream_t stream = nullptr;
  int device = 0;
  DIOPI_TRY(stream_of(ctx, &stream));
  DIOPI_TRY(checked(cudaGetDevice(&device), "cudaGetDevice"));
  AllScratch& all = all_scratch();
  const std::lock_guard<std::mutex> lock(all.mutex);
  for (const Owned& each : all.streams) {
    if (each.stream != stream || each.device != device) continue;
    *scratch = each.scratch;
    return diopiSuccess;
  }
  all.streams.reserve(all.streams.size() + 1);
  DIOPI_TRY(allocate(stream, scratch));
  all.streams.push_back({stream, device, *scratch});
  return diopiSuccess;
}

Status free_scratch(cudaStream_t stream) {
  AllScratch& all = all_scratch();
  const std::lock_guard<std::mutex> lock(all.mutex);
  const auto found = std::find_if(all.streams.begin(), all.streams.end(),
                                  [stream](const Owned& each) { return each.stream == stream; });
  if (found == all.streams.end()) return diopiSuccess;
  const Status freed = checked(cudaFree(found->scratch.tickets), "cudaFree");
  all.streams.erase(found);
  return freed;
}

}  // namespace impl::cuda
