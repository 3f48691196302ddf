// SPDX-License-Identifier: BSD-3-Clause
// What the machine can do at best: how fast memory is read and written.
#ifndef DIOPI_TEST_BENCHMARK_SRC_LIMITS_HPP_
#define DIOPI_TEST_BENCHMARK_SRC_LIMITS_HPP_

#include <cstddef>
#include <vector>

namespace diopi_bench {

struct Bandwidth {
  size_t bytes = 0;           // of all arrays together; the rates are medians of passes
  double copy = 0;            // bytes read and written per second, ordinary stores
  double triad = 0;           // a[i] = b[i] + s * c[i], ordinary stores
  double streaming_copy = 0;  // stores that bypass the caches, where the compiler knows how
  double streaming_triad = 0;
};

// One pass of the triad over `bytes` bytes at `memory`, as one call of a side takes turns with others.
void run_triad(char* memory, size_t bytes, int threads, bool streaming);

// Each of `threads` threads goes through its part of arrays of `bytes` bytes.
Bandwidth measure_bandwidth(size_t bytes, int threads, double seconds);

}  // namespace diopi_bench

#endif  // DIOPI_TEST_BENCHMARK_SRC_LIMITS_HPP_
