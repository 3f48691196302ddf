// SPDX-License-Identifier: BSD-3-Clause
#include "sampler.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>

#include "threads.hpp"

namespace diopi_bench {
namespace {

// Uses the sets of buffers in turn. All sides share the counter, so no side finds data in the cache that another side
// has just used.
class Rotation {
 public:
  explicit Rotation(size_t sets) : sets_(sets) {}

  double run(const Side& side, int64_t times) {
    const double begin = seconds_now();
    if (sets_ == 1) {
      side.calls[0](times, false);
    } else {
      for (int64_t i = 0; i < times; ++i) {
        side.calls[next_](1, false);
        next_ = next_ + 1 == sets_ ? 0 : next_ + 1;
      }
    }
    return seconds_now() - begin;
  }

 private:
  size_t sets_, next_ = 0;
};

// Calls the operator once for each set of buffers, so that the side allocates its memory before the measurement.
void visit_all(Rotation& rotation, const Side& side) {
  constexpr double kLongest = 2;
  const double begin = seconds_now();
  for (size_t i = 0; i < side.calls.size() && seconds_now() - begin < kLongest; ++i) rotation.run(side, 1);
}

// Returns the number of calls that take the time of a sample.
int64_t calibrate(Rotation& rotation, const Side& side, double sample_seconds) {
  int64_t times = 1;
  for (;;) {
    const double seconds = rotation.run(side, times);
    if (seconds >= 0.5 * sample_seconds) {
      return std::max<int64_t>(1, std::llround(std::ceil(static_cast<double>(times) * sample_seconds / seconds)));
    }
    times = seconds < 0.05 * sample_seconds ? times * 8 : times * 2;
  }
}

}  // namespace

double seconds_now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

double median(std::vector<double> values) {
  if (values.empty()) return 0;
  std::sort(values.begin(), values.end());
  const size_t middle = values.size() / 2;
  return values.size() % 2 == 1 ? values[middle] : 0.5 * (values[middle - 1] + values[middle]);
}

void sample(std::vector<Side>& sides, const SamplePlan& plan) {
  Rotation rotation(sides[0].calls.size());
  const double begin = seconds_now();
  for (Side& side : sides) {
    settle();
    spread_threads();
    visit_all(rotation, side);
    side.calls_per_sample = calibrate(rotation, side, plan.sample_seconds);
  }
  for (int i = 0; i < plan.samples; ++i) {
    if (i >= 3 && seconds_now() - begin > plan.most_seconds) return;
    for (size_t turn = 0; turn < sides.size(); ++turn) {
      Side& side = sides[(turn + i) % sides.size()];  // the first side changes in every turn
      if (sides.size() > 1) settle();
      spread_threads();
      rotation.run(side, std::max<int64_t>(1, side.calls_per_sample / 8));
      side.seconds.push_back(rotation.run(side, side.calls_per_sample) / static_cast<double>(side.calls_per_sample));
    }
  }
}

}  // namespace diopi_bench
