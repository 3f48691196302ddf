// SPDX-License-Identifier: BSD-3-Clause
// The state of each thread that calls the library: its last message, and the name of its current operator.
#ifndef IMPL_COMMON_THREAD_STATE_HPP_
#define IMPL_COMMON_THREAD_STATE_HPP_

#include <cstdint>

namespace diopi {

// Whether the calling thread has memory for its state. The C library allocates thread-local variables when a thread
// first uses one, and ends the process if malloc fails. So this function tests with malloc first. If that fails, the
// thread has no message of its own, and last_error() returns `complaint`, which must be a literal.
bool thread_is_ready(const char* complaint);

// The number of messages that the calling thread has stored so far.
uint64_t message_count();

}  // namespace diopi

#endif  // IMPL_COMMON_THREAD_STATE_HPP_
