// SPDX-License-Identifier: BSD-3-Clause
// Running sums by a block of the vendor cuda: they have the bits of a loop.
#include <cmath>
#include <functional>
#include <random>

#include "diopi_test/unit/emulation_fixture.hpp"
#include "diopi_test/unit/emulation_kernels/functions.hpp"

namespace {

class RunningSums : public EmulationOrder {};
INSTANTIATE_TEST_SUITE_P(Orders, RunningSums, testing::Values("forward", "reverse", "4711"), order_name);

// Compares the sums of weight(0), weight(1), ... with those of a loop. Returns how many steps of the loop were rounded.
int check_sums(const std::function<double(int)>& weight, int n) {
  std::vector<double> weights;
  weights.reserve(static_cast<size_t>(n));
  for (int i = 0; i < n; ++i) weights.push_back(weight(i));
  const DeviceArray<double> from(weights), to(weights.size());
  EXPECT_EQ(run_running_sums(to.data(), from.data(), n), cudaSuccess);
  const std::vector<double> sums = to.values();
  double sum = 0;
  int rounded = 0;
  for (size_t i = 0; i < weights.size(); ++i) {
    const double before = sum;
    sum += weights[i];
    if (sum - before != weights[i]) ++rounded;
    EXPECT_EQ(sum, sums[i]) << "sum " << i << " of " << n;
    if (testing::Test::HasFailure()) break;
  }
  return rounded;
}

TEST_P(RunningSums, HaveTheBitsOfALoop) {
  std::mt19937_64 random(7);
  const auto unit = [&] { return static_cast<double>(random() >> 11) * 0x1p-53; };
  for (const int n : {1, 8, 4096, 4097, 9001}) {
    EXPECT_EQ(check_sums([&](int) { return static_cast<double>(static_cast<float>(unit())); }, n), 0);
    check_sums([&](int) { return std::exp(80 * unit() - 40); }, n);
    check_sums([&](int i) { return std::ldexp(1 + unit(), 2000 * i / n - 1000); }, n);
    check_sums([&](int) { return unit() < 0.9 ? 0 : unit(); }, n);
  }
}

TEST_P(RunningSums, AreRoundedToEvenHalfway) {
  std::mt19937_64 random(7);
  const auto weight = [&](int i) { return i == 0 ? 0x1p53 : static_cast<double>(random() % 8) * 0.5; };
  EXPECT_GT(check_sums(weight, 9001), 6000);
}

TEST_P(RunningSums, MayBeSubnormalOrInfinite) {
  std::mt19937_64 random(7);
  check_sums([&](int) { return static_cast<double>(random() % 9) * 0x1p-1074; }, 5000);
  check_sums([&](int) { return static_cast<double>(random() >> 11) * 0x1p971; }, 5000);
  check_sums([](int) { return 0.0; }, 5000);
}

}  // namespace
