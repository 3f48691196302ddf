// SPDX-License-Identifier: BSD-3-Clause
// The state of each thread that calls the library: its last message, and the name of its current operator.
#ifndef IMPL_COMMON_THREAD_STATE_HPP_
#define IMPL_COMMON_THREAD_STATE_HPP_

#include <cstdint>

namespace diopi {

struct ThreadState {
  uint64_t messages;  // stored so far
  uint64_t calls;     // of entries, begun so far
  bool ready;         // prepare_thread() has succeeded
};

// __thread, because an access to a thread_local variable of another file first looks for its constructor.
extern __thread ThreadState thread_state;

// Allocates memory for the thread's message. The C library allocates thread-local variables of other libraries when a
// thread first uses one, and ends the process if malloc fails. So this function also tests with malloc whether there is
// memory for them. If there is none, last_error() returns `complaint`, which must be a literal.
bool prepare_thread(const char* complaint) __attribute__((cold));

// Whether the calling thread has memory for its state.
inline bool thread_is_ready(const char* complaint) {
  return __builtin_expect(thread_state.ready, 1) || prepare_thread(complaint);
}

// The number of messages that the calling thread has stored so far.
inline uint64_t message_count() { return thread_state.messages; }

// The number of calls of entries that the calling thread has begun so far.
inline uint64_t call_count() { return thread_state.calls; }

}  // namespace diopi

#endif  // IMPL_COMMON_THREAD_STATE_HPP_
