// SPDX-License-Identifier: BSD-3-Clause
// Stacks that threads of a block run on. A thread that waits keeps its stack, and another fiber runs.
#ifndef DIOPI_TEST_EMULATION_CUDA_FIBER_HPP_
#define DIOPI_TEST_EMULATION_CUDA_FIBER_HPP_

#include <diopi_emulation/thread.hpp>

namespace diopi::emulation {

struct Fiber {
  void* stack_pointer = nullptr;  // while it does not run
  char* stack = nullptr;          // null for the stack of the host thread
  Thread* thread = nullptr;
  void* sanitizer = nullptr;  // what the sanitizer knows the fiber by
};

// The fiber whose code runs, and the one of the host thread that runs a kernel.
extern Fiber* running;
extern Fiber host_fiber;

// Makes the calling host thread's stack the host fiber.
void begin_fibers();
// A fiber that runs entry when it is first switched to; entry never returns.
Fiber* make_fiber(void (*entry)());
void destroy_fiber(Fiber* fiber);
void switch_to(Fiber* fiber);
// The first call of a fiber's entry.
void fiber_began();

}  // namespace diopi::emulation

#endif  // DIOPI_TEST_EMULATION_CUDA_FIBER_HPP_
