// SPDX-License-Identifier: BSD-3-Clause
// The CUDA thread that runs, its block, and the shared memory of the block.
#ifndef DIOPI_EMULATION_THREAD_HPP_
#define DIOPI_EMULATION_THREAD_HPP_

#include <vector_types.h>

#include <cstddef>

namespace diopi::emulation {

// A place in a kernel's source. Barriers and warp functions learn theirs from default arguments.
struct Site {
  const char* file;
  int line;
};
#define DIOPI_EMULATION_SITE const char *file = __builtin_FILE(), int line = __builtin_LINE()

struct Fiber;

struct Thread {
  uint3 index;  // threadIdx
  int linear, lane, warp;
  Fiber* fiber;
};

// One CUDA thread runs at a time, in the host thread that holds the emulation's lock.
extern Thread* current;
extern uint3 block_index;
extern dim3 block_extent, grid_extent;

inline const uint3& thread_index() { return current->index; }
inline const uint3& const_block_index() { return block_index; }
inline const dim3& const_block_extent() { return block_extent; }
inline const dim3& const_grid_extent() { return grid_extent; }

// The same bytes for all threads of a block: one variable for each key. They are all ones, which is NaN, at first.
void* shared_variable(const void* key, size_t bytes, size_t alignment);
void* dynamic_shared();

// Reports what a chip would not report, and ends the process.
[[noreturn]] void misuse(Site site, const char* what);
// Ends the kernel with an error that all later calls return, as the trap instruction does.
[[noreturn]] void trap();

}  // namespace diopi::emulation

#define threadIdx (::diopi::emulation::thread_index())
#define blockIdx (::diopi::emulation::const_block_index())
#define blockDim (::diopi::emulation::const_block_extent())
#define gridDim (::diopi::emulation::const_grid_extent())
inline constexpr int warpSize = 32;

// DIOPI_SHARED(float, tile, [32][33]);
#define DIOPI_SHARED(type, name, ...)                                                               \
  using name##_shared_type = type __VA_ARGS__;                                                      \
  static_assert(sizeof(name##_shared_type) <= 48 << 10, "static shared memory is 48 KiB large");    \
  static const char name##_shared_key = 0;                                                          \
  name##_shared_type& name = *static_cast<name##_shared_type*>(::diopi::emulation::shared_variable( \
      &name##_shared_key, sizeof(name##_shared_type), alignof(name##_shared_type)))
#define DIOPI_DYNAMIC_SHARED(type, name) type* const name = static_cast<type*>(::diopi::emulation::dynamic_shared())

// NOLINTNEXTLINE(bugprone-reserved-identifier): CUDA has this name
[[noreturn]] inline void __trap() { ::diopi::emulation::trap(); }

#endif  // DIOPI_EMULATION_THREAD_HPP_
