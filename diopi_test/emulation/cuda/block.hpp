// SPDX-License-Identifier: BSD-3-Clause
// The block that runs: its threads, who is ready, who waits.
#ifndef DIOPI_TEST_EMULATION_CUDA_BLOCK_HPP_
#define DIOPI_TEST_EMULATION_CUDA_BLOCK_HPP_

#include <cuda_runtime.h>

#include <cstdint>
#include <vector>

#include "fiber.hpp"
#include "order.hpp"

namespace diopi::emulation {

inline constexpr int kMaxThreads = 1024;
inline constexpr size_t kStaticShared = 48 << 10;
inline constexpr size_t kSharedLimit = 227 << 10;  // as compute capability 9.0

// Lanes of a warp that meet. Two buffers, because one lane may be at the next exchange of the same mask while another
// has not read yet.
struct Gathering {
  uint32_t mask = 0, arrived = 0;
  uint32_t unread = 0;  // lanes that may still read the values
  Site site = {"", 0};
  int phase = 0;
  uint64_t values[2][32];
  char order[2];  // addresses for happens_before
};
inline constexpr int kGatherings = 33;  // of a warp: each lane is in one at most, and one more is free

struct Block {
  // Of the kernel.
  void (*run)(const void*) = nullptr;
  const void* arguments = nullptr;
  int size = 0;
  Order order;
  // Of the block.
  std::vector<Thread> threads;
  std::vector<int> sequence;  // the order in which threads begin
  int begun = 0, ended = 0;
  std::vector<Fiber*> fibers, idle, ready;
  size_t ready_head = 0;
  uint32_t lanes[kMaxThreads / 32];             // of each warp, those that have not ended
  std::vector<Gathering> gatherings;            // kGatherings for each warp
  int gatherings_used[kMaxThreads / 32] = {};   // of each warp
  Gathering* last_gathering[kMaxThreads] = {};  // of each thread, the one that it may still read
  // The barrier.
  std::vector<Fiber*> waiting;
  Site barrier = {"", 0};
  int barrier_count = 0, barrier_results[2] = {0, 0}, barrier_phase = 0;
  char barrier_order[2], grid_order;
  cudaError_t error = cudaSuccess;
};

extern Block& block;  // never destroyed: a thread of the host may still run when the process ends

// The thread has read the values of the last gathering that it was in.
void end_reading(const Thread& thread);
// Switches to a fiber that can run; to the host if there is none.
void leave();
void make_ready(Fiber* fiber);

// Runs all blocks of a kernel. Returns the error that the kernel ended with.
cudaError_t run_grid(const Kernel& kernel, dim3 grid, dim3 extent, size_t dynamic_shared_bytes);

// Shared memory of the next block: nothing is in use.
void reset_shared_memory(size_t dynamic_bytes);
void release_shared_memory();

}  // namespace diopi::emulation

#endif  // DIOPI_TEST_EMULATION_CUDA_BLOCK_HPP_
