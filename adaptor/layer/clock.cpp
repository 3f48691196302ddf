// SPDX-License-Identifier: BSD-3-Clause
#include "adaptor/layer/clock.hpp"

#include <cstdio>
#include <cstring>

namespace diopi::layer {

bool detail::clock_is_counter = false;

namespace {

// The ticks and the steady clock at the same moment.
struct Moment {
  int64_t tick = 0, time = 0;
};
Moment first;

Moment now() { return {end_ticks(), detail::steady_nanoseconds()}; }

// The kernel chooses the counter only if it has the same speed on all processors and in all their states.
bool kernel_uses_counter() {
#if defined(__x86_64__)
  std::FILE* const file = std::fopen("/sys/devices/system/clocksource/clocksource0/current_clocksource", "re");
  if (file == nullptr) return false;
  char name[16] = "";
  const bool is_counter = std::fgets(name, sizeof(name), file) != nullptr && std::strcmp(name, "tsc\n") == 0;
  std::fclose(file);
  return is_counter;
#else
  return false;
#endif
}

}  // namespace

void start_clock() {
  detail::clock_is_counter = kernel_uses_counter();
  first = now();
}

TickLength::TickLength() : first_tick_(first.tick), first_time_(first.time), length_(1) {
  if (!detail::clock_is_counter) return;
  Moment last = now();
  // A tick is known to one part in a thousand after 100 us.
  while (last.time - first.time < 100000) last = now();
  length_ = static_cast<double>(last.time - first.time) / static_cast<double>(last.tick - first.tick);
}

}  // namespace diopi::layer
