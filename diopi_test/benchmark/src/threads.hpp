// SPDX-License-Identifier: BSD-3-Clause
// The threads of the process between samples.
#ifndef DIOPI_TEST_BENCHMARK_SRC_THREADS_HPP_
#define DIOPI_TEST_BENCHMARK_SRC_THREADS_HPP_

namespace diopi_bench {

// Until all other threads sleep: OpenMP's spin for a while after the work is done, on the next one's cores.
void settle();

// Puts the calling thread on the first of the process's cores and all others on the rest. A virtual machine's kernel
// does not see which cores are idle: a pool's thread that has once slept on its caller's core is woken there again and
// again, and both take turns for milliseconds.
void spread_threads();

}  // namespace diopi_bench

#endif  // DIOPI_TEST_BENCHMARK_SRC_THREADS_HPP_
