// SPDX-License-Identifier: BSD-3-Clause
#include "sampler.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>

#include "threads.hpp"

namespace diopi_bench {
namespace {

// A call that takes longer needs no further call before its sample.
constexpr double kLongCall = 1e-2;
// Launched calls that have not been waited for: fewer than the queue of a device holds, so no launch waits for room.
constexpr int64_t kMostQueued = 32;

// Uses the sets of buffers in turn. All sides share the counter, so no side finds data in the cache that another side
// has just used.
class Rotation {
 public:
  Rotation(size_t sets, bool launched, const std::function<void(int)>& restore)
      : sets_(sets), launched_(launched), restore_(restore) {}

  size_t sets() const { return sets_; }

  double run(const Side& side, int64_t times) {
    if (restore_) return run_restored(side, times);
    if (launched_) return run_launched(side, times);
    const double begin = seconds_now();
    call(side, times);
    side.synchronize();
    return seconds_now() - begin;
  }

 private:
  void call(const Side& side, int64_t times) {
    if (sets_ == 1) return side.calls[0](times, false);
    for (int64_t i = 0; i < times; ++i) side.calls[advance()](1, false);
  }

  double run_launched(const Side& side, int64_t times) {
    double seconds = 0;
    for (int64_t left = times; left > 0; left -= kMostQueued) {
      const double begin = seconds_now();
      call(side, std::min(left, kMostQueued));
      seconds += seconds_now() - begin;
      side.synchronize();
    }
    return seconds;
  }

  double run_restored(const Side& side, int64_t times) {
    double seconds = 0;
    for (int64_t i = 0; i < times; ++i) {
      const size_t set = advance();
      restore_(static_cast<int>(set));
      const double begin = seconds_now();
      side.calls[set](1, false);
      side.synchronize();
      seconds += seconds_now() - begin;
    }
    return seconds;
  }

  size_t advance() {
    const size_t set = next_;
    next_ = next_ + 1 == sets_ ? 0 : next_ + 1;
    return set;
  }

  size_t sets_, next_ = 0;
  bool launched_;
  const std::function<void(int)>& restore_;
};

// Calls the operator once for each set of buffers, so that the side allocates its memory before the measurement. The
// call whose results are compared has done this for a single set.
void visit_all(Rotation& rotation, const Side& side) {
  constexpr double kLongest = 2;
  const double begin = seconds_now();
  for (size_t i = 0; rotation.sets() > 1 && i < rotation.sets() && seconds_now() - begin < kLongest; ++i) {
    rotation.run(side, 1);
  }
}

// Sets the number of calls that take the time of a sample. A single call that takes a good part of the time for the
// case counts as a sample.
void calibrate(Rotation& rotation, Side& side, const SamplePlan& plan) {
  int64_t times = 1;
  for (;;) {
    const double seconds = rotation.run(side, times);
    if (times == 1 && seconds >= 0.25 * plan.most_seconds) side.seconds.push_back(seconds);
    if (seconds >= 0.5 * plan.sample_seconds) {
      const double calls = std::ceil(static_cast<double>(times) * plan.sample_seconds / seconds);
      side.calls_per_sample = std::max<int64_t>(1, std::llround(calls));
      side.is_long = seconds / static_cast<double>(times) >= kLongCall;
      return;
    }
    times = seconds < 0.05 * plan.sample_seconds ? times * 8 : times * 2;
  }
}

bool have_samples(const std::vector<Side>& sides, int count) {
  return std::all_of(sides.begin(), sides.end(),
                     [&](const Side& side) { return side.seconds.size() >= static_cast<size_t>(count); });
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

void sample(std::vector<Side>& sides, const SamplePlan& plan, const std::function<void(int)>& restore) {
  Rotation rotation(sides[0].calls.size(), plan.launched, restore);
  const double begin = seconds_now();
  for (Side& side : sides) {
    settle();
    spread_threads();
    visit_all(rotation, side);
    calibrate(rotation, side, plan);
  }
  for (int i = 0; i < plan.samples; ++i) {
    if (have_samples(sides, plan.least_samples) && seconds_now() - begin > plan.most_seconds) return;
    for (size_t turn = 0; turn < sides.size(); ++turn) {
      Side& side = sides[(turn + i) % sides.size()];  // the first side changes in every turn
      if (sides.size() > 1) settle();
      spread_threads();
      if (!side.is_long) rotation.run(side, std::max<int64_t>(1, side.calls_per_sample / 8));
      side.seconds.push_back(rotation.run(side, side.calls_per_sample) / static_cast<double>(side.calls_per_sample));
    }
  }
}

}  // namespace diopi_bench
