// SPDX-License-Identifier: BSD-3-Clause
// The limits of the machine: how fast it reads and writes memory.
#ifndef DIOPI_TEST_BENCHMARK_SRC_LIMITS_HPP_
#define DIOPI_TEST_BENCHMARK_SRC_LIMITS_HPP_

#include <cstddef>
#include <vector>

namespace diopi_bench {

struct Bandwidth {
  size_t bytes = 0;           // of all arrays together; the rates are medians of passes
  double copy = 0;            // bytes read and written per second, ordinary stores
  double triad = 0;           // a[i] = b[i] + s * c[i], ordinary stores
  double streaming_copy = 0;  // stores that bypass the caches, if the compiler supports them
  double streaming_triad = 0;
};

// Runs one pass of the triad over `bytes` bytes at `memory`: one call of the side "triad".
void run_triad(char* memory, size_t bytes, int threads, bool streaming);

// Measures the bandwidth. Each of `threads` threads processes its part of arrays of `bytes` bytes.
Bandwidth measure_bandwidth(size_t bytes, int threads, double seconds);

}  // namespace diopi_bench

#endif  // DIOPI_TEST_BENCHMARK_SRC_LIMITS_HPP_
