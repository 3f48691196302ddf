// SPDX-License-Identifier: BSD-3-Clause
// Opens an allocation at the first access of the device. Says what any other access that faults means, if a kernel made
// it, or if it was to memory of the device. The process then ends as it would have ended.
#include <signal.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>

#include "block.hpp"
#include "memory.hpp"

namespace diopi::emulation {

namespace {

using Action = struct sigaction;

Action earlier_segv, earlier_bus;
volatile sig_atomic_t described = 0;

// snprintf is not on the list of functions that handlers may call, but it takes no lock for these formats.
void describe(const void* address) {
  char text[256];
  int length = 0;
  if (current != nullptr && is_device_thread()) {
    length = std::snprintf(
        text, sizeof(text),
        "A kernel accesses memory that is not allocated, at %p (block %u, %u, %u, thread %u, %u, %u).\n", address,
        block_index.x, block_index.y, block_index.z, current->index.x, current->index.y, current->index.z);
  } else if (is_device_address(address)) {
    const char* const format = is_device_thread()
                                   ? "A copy accesses memory of the device that is not allocated, at %p.\n"
                                   : "The host accesses memory of the device at %p.\n";
    length = std::snprintf(text, sizeof(text), format, address);
  }
  if (length > 0) static_cast<void>(!write(STDERR_FILENO, text, static_cast<size_t>(length)));
}

Action& earlier(int signal) { return signal == SIGBUS ? earlier_bus : earlier_segv; }

// The instruction runs again when the handler has returned. If it faults again, the earlier handler handles the fault;
// if that one has called this handler back, the fault ends the process.
void handle(int signal, siginfo_t* information, void*) {
  const int error = errno;
  if (!open_at(information->si_addr)) {
    if (described != 0) {
      ::signal(signal, SIG_DFL);
    } else {
      describe(information->si_addr);
      described = 1;
      sigaction(signal, &earlier(signal), nullptr);
    }
  }
  errno = error;
}

}  // namespace

void install_fault_handler() {
  Action action = {};
  action.sa_sigaction = handle;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK;
  for (const int signal : {SIGSEGV, SIGBUS}) {
    Action before = {};
    sigaction(signal, &action, &before);
    if (before.sa_sigaction != handle) earlier(signal) = before;
  }
}

}  // namespace diopi::emulation
