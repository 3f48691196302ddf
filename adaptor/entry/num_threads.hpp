// SPDX-License-Identifier: BSD-3-Clause
// DIOPI_NUM_THREADS, the size of the pool of threads.
#ifndef ADAPTOR_ENTRY_NUM_THREADS_HPP_
#define ADAPTOR_ENTRY_NUM_THREADS_HPP_

namespace diopi {

// The largest accepted number of threads. No machine has more processors; with many more threads OpenMP's library ends
// the process.
constexpr int kMostThreads = 1024;

// Whether `text` is a size of the pool: a whole number from 1 to kMostThreads in decimal digits. Null and an empty
// text count as an unset variable and are accepted.
bool is_num_threads(const char* text);

}  // namespace diopi

#endif  // ADAPTOR_ENTRY_NUM_THREADS_HPP_
