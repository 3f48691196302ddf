// SPDX-License-Identifier: BSD-3-Clause
// The clock of all times that the layer measures. It counts ticks: those of the processor's counter where the kernel
// uses this counter for its own clock, because reading it takes half as long; nanoseconds of the steady clock
// elsewhere.
#ifndef ADAPTOR_LAYER_CLOCK_HPP_
#define ADAPTOR_LAYER_CLOCK_HPP_

#if defined(__x86_64__)
#include <x86intrin.h>
#endif

#include <chrono>
#include <cmath>
#include <cstdint>

namespace diopi::layer {

namespace detail {

extern bool clock_is_counter;

inline int64_t steady_nanoseconds() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

}  // namespace detail

// Chooses the clock. Called once, before the first call is observed.
void start_clock();

// The begin of a measured piece of work. The processor may read its counter some instructions earlier.
inline int64_t begin_ticks() {
#if defined(__x86_64__)
  if (__builtin_expect(static_cast<int>(detail::clock_is_counter), 1) != 0) return static_cast<int64_t>(__rdtsc());
#endif
  return detail::steady_nanoseconds();
}

// The end of a measured piece of work: read when all instructions in front have ended.
inline int64_t end_ticks() {
#if defined(__x86_64__)
  unsigned processor = 0;
  if (__builtin_expect(static_cast<int>(detail::clock_is_counter), 1) != 0) {
    return static_cast<int64_t>(__rdtscp(&processor));
  }
#endif
  return detail::steady_nanoseconds();
}

// Translates ticks. The length of a tick is measured from start_clock() to the construction.
class TickLength {
 public:
  TickLength();
  int64_t duration(int64_t ticks) const { return std::llround(static_cast<double>(ticks) * length_); }
  // The time of the steady clock.
  int64_t time(int64_t ticks) const { return first_time_ + duration(ticks - first_tick_); }
  double length() const { return length_; }

 private:
  int64_t first_tick_, first_time_;
  double length_;  // nanoseconds
};

}  // namespace diopi::layer

#endif  // ADAPTOR_LAYER_CLOCK_HPP_
