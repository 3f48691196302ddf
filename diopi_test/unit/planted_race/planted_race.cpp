// SPDX-License-Identifier: BSD-3-Clause
// A program in which ThreadSanitizer must find a race. Without it, a clean run of the other tests would not show that
// the sanitizer works. `planted_race` has no race; `planted_race race` has one inside a parallel region.
#include <cstdio>
#include <vector>

#include "impl/common/parallel.hpp"

int main(int argc, char**) {
  constexpr int64_t kCount = 1000;
  constexpr int kRounds = 50;
  std::vector<int64_t> values(kCount);
  int64_t total = 0, shared = 0;
  for (int round = 0; round < kRounds; ++round) {
    diopi::parallel_for(kCount, 1, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) values[i] += i;
      if (argc > 1) shared += end - begin;
    });
    for (const int64_t value : values) total += value;
  }
  std::printf("%lld %lld\n", static_cast<long long>(total), static_cast<long long>(shared));
  return total == kCount * (kCount - 1) / 2 * kRounds * (kRounds + 1) / 2 ? 0 : 2;
}
