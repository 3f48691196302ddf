// SPDX-License-Identifier: BSD-3-Clause
// Controls the threads of the process between samples.
#ifndef DIOPI_TEST_BENCHMARK_SRC_THREADS_HPP_
#define DIOPI_TEST_BENCHMARK_SRC_THREADS_HPP_

namespace diopi_bench {

// Waits until all other threads sleep: OpenMP's threads wait actively after their work, on cores that the next side
// needs.
void settle();

// Moves the calling thread to the first of the process's cores, and all others to the remaining cores. The kernel of a
// virtual machine does not see which cores are idle: a thread of a pool that has once slept on its caller's core is
// woken there again, and both then share the core for milliseconds.
// again, and both take turns for milliseconds.
void spread_threads();

}  // namespace diopi_bench

#endif  // DIOPI_TEST_BENCHMARK_SRC_THREADS_HPP_
