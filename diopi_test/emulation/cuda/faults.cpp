// SPDX-License-Identifier: BSD-3-Clause
// Says what an access that faults means, if a kernel made it, or if it was to memory of the device. The process then
// ends as it would have ended.
#include <signal.h>
#include <unistd.h>

#include <cstdio>

#include "block.hpp"
#include "memory.hpp"

namespace diopi::emulation {

namespace {

struct sigaction earlier_segv, earlier_bus;

// snprintf is not on the list of functions that handlers may call, but it takes no lock for these formats.
void describe(const void* address) {
  const ArenaState arena = arena_state();
  const auto at = reinterpret_cast<uintptr_t>(address);
  const bool of_device = at >= arena.begin && at < arena.end;
  char text[256];
  int length = 0;
  if (current != nullptr) {
    length = std::snprintf(
        text, sizeof(text),
        "A kernel accesses memory that is not allocated, at %p (block %u, %u, %u, thread %u, %u, %u).\n", address,
        block_index.x, block_index.y, block_index.z, current->index.x, current->index.y, current->index.z);
  } else if (of_device && !arena.open) {
    length = std::snprintf(text, sizeof(text), "The host accesses memory of the device at %p.\n", address);
  } else if (of_device) {
    length = std::snprintf(text, sizeof(text), "A copy accesses memory of the device that is not allocated, at %p.\n",
                           address);
  }
  if (length > 0) static_cast<void>(!write(STDERR_FILENO, text, static_cast<size_t>(length)));
}

// The instruction faults again when the handler has returned; the earlier handler then handles the fault.
void handle(int signal, siginfo_t* information, void*) {
  describe(information->si_addr);
  sigaction(signal, signal == SIGBUS ? &earlier_bus : &earlier_segv, nullptr);
}

}  // namespace

void install_fault_handler() {
  struct sigaction action = {};
  action.sa_sigaction = handle;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK;
  sigaction(SIGSEGV, &action, &earlier_segv);
  sigaction(SIGBUS, &action, &earlier_bus);
}

}  // namespace diopi::emulation
