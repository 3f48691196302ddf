// SPDX-License-Identifier: BSD-3-Clause
// Measures calls. The sides take turns after every sample, so that a change of the machine's speed affects all of them.
#ifndef DIOPI_TEST_BENCHMARK_SRC_SAMPLER_HPP_
#define DIOPI_TEST_BENCHMARK_SRC_SAMPLER_HPP_

#include <string>
#include <vector>

#include "peer.hpp"

namespace diopi_bench {

struct SamplePlan {
  int samples = 7;
  double sample_seconds = 2e-3;  // a sample repeats the call until it takes this long
  double most_seconds = 8;       // slow cases stop after this time, with at least three samples
};

struct Side {
  std::string name;
  std::vector<Call> calls;      // one for each set of buffers
  std::vector<double> seconds;  // per call, one for each sample
  int64_t calls_per_sample = 0;
};

// Measures the samples of all sides. The sides have the same number of calls, which use the same buffers.
void sample(std::vector<Side>& sides, const SamplePlan& plan);

double median(std::vector<double> values);
double seconds_now();

}  // namespace diopi_bench

#endif  // DIOPI_TEST_BENCHMARK_SRC_SAMPLER_HPP_
