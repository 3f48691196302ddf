// SPDX-License-Identifier: BSD-3-Clause
// Measures calls. The sides take turns after every sample, so that a change of the machine's speed affects all of them.
#ifndef DIOPI_TEST_BENCHMARK_SRC_SAMPLER_HPP_
#define DIOPI_TEST_BENCHMARK_SRC_SAMPLER_HPP_

#include <functional>
#include <string>
#include <vector>

#include "peer.hpp"

namespace diopi_bench {

struct SamplePlan {
  int samples = 7;
  double sample_seconds = 2e-3;  // a sample repeats the call until it takes this long
  double most_seconds = 8;       // slow cases stop after this time, with at least `least_samples`
  int least_samples = 3;
  bool launched = false;  // measures the time until calls on a device are launched, not until they have finished
};

struct Side {
  std::string name;
  std::vector<Call> calls;            // one for each set of buffers
  std::function<void()> synchronize;  // waits until the calls have finished
  std::vector<double> seconds = {};   // per call, one for each sample
  int64_t calls_per_sample = 0;
  bool is_long = false;
};

// Measures the samples of all sides. The sides have the same number of calls, which use the same buffers. If `restore`
// is given, it is called before each call with the number of the set, and its time does not count.
void sample(std::vector<Side>& sides, const SamplePlan& plan, const std::function<void(int)>& restore);

double median(std::vector<double> values);
double seconds_now();

}  // namespace diopi_bench

#endif  // DIOPI_TEST_BENCHMARK_SRC_SAMPLER_HPP_
