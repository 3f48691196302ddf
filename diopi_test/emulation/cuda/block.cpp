// SPDX-License-Identifier: BSD-3-Clause
#include "block.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>

#include "sanitizers.hpp"

namespace diopi::emulation {

Thread* current = nullptr;
uint3 block_index;
dim3 block_extent, grid_extent;
Block& block = *new Block;

namespace {

void start_thread(Fiber* fiber) {
  const int linear = block.sequence[static_cast<size_t>(block.begun++)];
  Thread& thread = block.threads[static_cast<size_t>(linear)];
  const auto at = static_cast<unsigned>(linear);
  thread.index = {at % block_extent.x, at / block_extent.x % block_extent.y, at / (block_extent.x * block_extent.y)};
  thread.linear = linear;
  thread.lane = linear % 32;
  thread.warp = linear / 32;
  thread.fiber = fiber;
  fiber->thread = current = &thread;
}

// The threads that wait at the barrier become ready, once all that have not ended wait there.
void open_barrier() {
  block.barrier_results[block.barrier_phase] = block.barrier_count;
  block.barrier_count = 0;
  block.barrier_phase ^= 1;
  for (Fiber* const fiber : block.waiting) make_ready(fiber);
  block.waiting.clear();
}

void end_thread() {
  end_reading(*current);
  block.lanes[current->warp] &= ~(1u << current->lane);
  ++block.ended;
  happens_before(&block.grid_order);
  if (!block.waiting.empty() && static_cast<int>(block.waiting.size()) == block.size - block.ended) open_barrier();
}

bool has_fresh() { return block.begun < block.size; }

// One random choice in eight prefers a thread that waits to one that has not begun, so that warps get out of step.
bool prefers_fresh() {
  if (!has_fresh()) return false;
  return block.ready.size() == block.ready_head || !block.order.is_random() || block.order.below(8) != 0;
}

Fiber* take_ready() {
  auto& ready = block.ready;
  if (ready.size() == block.ready_head) return nullptr;
  Fiber* fiber = nullptr;
  if (block.order.kind() == Order::kForward) {
    fiber = ready[block.ready_head++];
  } else {
    if (block.order.is_random()) {
      const auto count = static_cast<uint32_t>(ready.size());
      // Often the one that became ready last, so that one warp runs far ahead of the others.
      if (block.order.below(4) == 0) std::swap(ready[block.order.below(count)], ready.back());
    }
    fiber = ready.back();
    ready.pop_back();
  }
  if (ready.size() == block.ready_head) ready.clear(), block.ready_head = 0;
  return fiber;
}

void run_threads();

Fiber* fresh_fiber() {
  if (!block.idle.empty()) {
    Fiber* const fiber = block.idle.back();
    block.idle.pop_back();
    return fiber;
  }
  block.fibers.push_back(make_fiber(run_threads));
  return block.fibers.back();
}

Fiber* next_fiber() {
  if (prefers_fresh()) return fresh_fiber();
  Fiber* const fiber = take_ready();
  return fiber != nullptr || !has_fresh() ? fiber : fresh_fiber();
}

// The code of a fiber: runs threads that have not begun, one after another. A thread that waits keeps the fiber.
void run_threads() {
  fiber_began();
  for (;;) {
    Fiber* const self = running;
    do {
      start_thread(self);
      block.run(block.arguments);
      end_thread();
    } while (!kTsan && prefers_fresh());
    self->thread = nullptr;
    Fiber* const next = next_fiber();
    if (!kTsan) block.idle.push_back(self);
    switch_to(next != nullptr ? next : &host_fiber);
  }
}

void discard_fibers() {
  for (Fiber* const fiber : block.fibers) destroy_fiber(fiber);
  block.fibers.clear();
  block.idle.clear();
  block.ready.clear();
  block.ready_head = 0;
}

void set_sequence() {
  auto& sequence = block.sequence;
  const bool reverse = block.order.kind() == Order::kReverse;
  for (int i = 0; i < block.size; ++i) sequence[static_cast<size_t>(i)] = reverse ? block.size - 1 - i : i;
  if (!block.order.is_random()) return;
  for (auto i = static_cast<uint32_t>(block.size); i > 1; --i)
    std::swap(sequence[i - 1], sequence[block.order.below(i)]);
}

// No thread of a kernel may allocate under ThreadSanitizer: the sanitizer would see races among the threads.
void prepare_for_tsan() {
  discard_fibers();
  block.ready.reserve(4 * kMaxThreads);
  block.waiting.reserve(kMaxThreads);
  block.idle.reserve(kMaxThreads);
  for (int i = 0; i < block.size; ++i) block.fibers.push_back(make_fiber(run_threads));
  block.idle = block.fibers;
}

void run_block(size_t dynamic_shared_bytes) {
  if (block.sequence.empty() || block.order.is_random()) {
    block.sequence.resize(static_cast<size_t>(block.size));
    set_sequence();
  }
  const int warps = (block.size + 31) / 32;
  for (int warp = 0; warp < warps; ++warp) {
    const int count = std::min(32, block.size - warp * 32);
    block.lanes[warp] = count == 32 ? ~0u : (1u << count) - 1;
    block.gatherings_used[warp] = 0;
  }
  block.begun = block.ended = block.barrier_count = 0;
  block.waiting.clear();
  reset_shared_memory(dynamic_shared_bytes);
  if (kTsan) prepare_for_tsan();
  while (block.error == cudaSuccess) {
    Fiber* const fiber = next_fiber();
    if (fiber == nullptr) break;
    switch_to(fiber);
  }
  if (block.error == cudaSuccess && block.ended != block.size) {
    misuse(block.barrier, block.waiting.empty() ? "lanes wait for lanes of their mask that never come"
                                                : "threads wait at a barrier that other threads never reach");
  }
}

}  // namespace

void make_ready(Fiber* fiber) { block.ready.push_back(fiber); }

void leave() {
  Fiber* const fiber = next_fiber();
  switch_to(fiber != nullptr ? fiber : &host_fiber);
}

int sync_threads(Site site, int predicate) {
  const bool first = block.waiting.empty();
  if (!first && (block.barrier.line != site.line || block.barrier.file != site.file)) {
    misuse(site, "threads of a block wait at two different barriers");
  }
  block.barrier = site;
  block.barrier_count += predicate;
  const int phase = block.barrier_phase;
  happens_before(&block.barrier_order[phase]);
  if (static_cast<int>(block.waiting.size()) + 1 == block.size - block.ended) {
    open_barrier();
  } else {
    block.waiting.push_back(running);
    leave();
  }
  happens_after(&block.barrier_order[phase]);
  return block.barrier_results[phase];
}

void trap() {
  block.error = cudaErrorLaunchFailure;
  switch_to(&host_fiber);
  std::abort();  // the host never switches back
}

void misuse(Site site, const char* what) {
  std::fprintf(stderr, "%s:%d: %s", site.file, site.line, what);
  if (current != nullptr) {
    std::fprintf(stderr, " (block %u, %u, %u, thread %u, %u, %u)", block_index.x, block_index.y, block_index.z,
                 current->index.x, current->index.y, current->index.z);
  }
  std::fputc('\n', stderr);
  std::abort();
}

cudaError_t run_grid(const Kernel& kernel, dim3 grid, dim3 extent, size_t dynamic_shared_bytes) {
  block_extent = extent;
  grid_extent = grid;
  block.run = kernel.run;
  block.arguments = kernel.arguments.get();
  block.size = static_cast<int>(extent.x * extent.y * extent.z);
  const uint64_t blocks = uint64_t{grid.x} * grid.y * grid.z;
  block.order = Order::from_environment(blocks << 10 ^ static_cast<uint64_t>(block.size));
  block.sequence.clear();
  block.threads.resize(static_cast<size_t>(block.size));
  block.gatherings.resize(static_cast<size_t>((block.size + 31) / 32 * kGatherings));
  block.error = cudaSuccess;
  begin_fibers();
  const BlockOrder order(&block.order, blocks);
  for (uint64_t i = 0; i < blocks && block.error == cudaSuccess; ++i) {
    const uint64_t at = order.at(i);
    block_index = {static_cast<unsigned>(at % grid.x), static_cast<unsigned>(at / grid.x % grid.y),
                   static_cast<unsigned>(at / grid.x / grid.y)};
    run_block(dynamic_shared_bytes);
  }
  happens_after(&block.grid_order);
  if (kTsan || block.error != cudaSuccess) discard_fibers();
  std::fill_n(block.last_gathering, block.size, nullptr);
  if (kTsan) release_shared_memory();
  current = nullptr;
  return block.error;
}

}  // namespace diopi::emulation
