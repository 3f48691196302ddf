// SPDX-License-Identifier: BSD-3-Clause
// Furthest point sampling with blocks: the picks and distances of the kernel that compares all points.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <random>
#include <vector>

#include "diopi_test/unit/every_target.hpp"
#include "impl/cpu/points/furthest_blocks.hpp"
#include "impl/cpu/points/nearest.hpp"

namespace {

using namespace impl::cpu;  // NOLINT: the tested namespace

constexpr float kInfinity = std::numeric_limits<float>::infinity(), kNan = std::numeric_limits<float>::quiet_NaN();

void expect_same_picks(const std::vector<float>& planes, const std::vector<float>& start, int64_t picks) {
  const auto count = static_cast<int64_t>(start.size());
  std::vector<float> least = start, want_least = start;
  std::vector<int32_t> index(picks, -1), want(picks, -1);
  pick_furthest(planes.data(), count, picks, want_least.data(), want.data());
  std::vector<char> memory(FurthestBlocks(nullptr, count, nullptr).bytes + 64);
  const auto address = reinterpret_cast<uintptr_t>(memory.data());
  const FurthestBlocks blocks(planes.data(), count, memory.data() + (64 - address % 64) % 64);
  blocks.sort();
  pick_furthest(blocks, picks, least.data(), index.data());
  EXPECT_EQ(index, want) << count << " points";
  for (int64_t i = 0; i < count; ++i) {
    ASSERT_TRUE(least[i] == want_least[i] || (std::isnan(least[i]) && std::isnan(want_least[i])))
        << "point " << i << " of " << count << ": " << least[i] << ", expected " << want_least[i];
  }
}

template <typename Number>
std::vector<float> numbers(int64_t count, const Number& number) {
  std::vector<float> result(count);
  for (float& x : result) x = number();
  return result;
}

TEST(CpuFurthestBlocks, picks_and_distances_are_those_of_all_points) {
  test::on_every_target([] {
    std::mt19937 random(3);
    std::normal_distribution<float> normal(100, 10);
    for (const int64_t count : {1, 2, 63, 64, 65, 1000, 1024, 1025, 3000}) {
      expect_same_picks(numbers(3 * count, [&] { return normal(random); }), std::vector<float>(count, 1e10f),
                        std::min<int64_t>(count, 300));
    }
  });
}

TEST(CpuFurthestBlocks, the_lowest_index_of_equal_distances_wins) {
  test::on_every_target([] {
    std::mt19937 random(4);
    for (const unsigned sides : {1, 2, 5, 12}) {
      const auto planes = numbers(int64_t{3} * 2000, [&] { return static_cast<float>(random() % sides); });
      expect_same_picks(planes, std::vector<float>(2000, 1e10f), 500);
    }
  });
}

TEST(CpuFurthestBlocks, special_coordinates_and_distances) {
  test::on_every_target([] {
    std::mt19937 random(5);
    const float special[] = {kNan, kInfinity, -kInfinity, 3e38f, -3e38f, 1e-40f, 0.0f, -0.0f, 1e19f};
    const float limits[] = {kNan, kInfinity, -kInfinity, -1.0f, -2.0f, 0.0f, 1e-3f, 0.5f};
    std::uniform_real_distribution<float> uniform(-1, 1);
    for (const unsigned every : {1, 3, 50, 100000}) {
      const auto planes = numbers(int64_t{3} * 1500, [&] {
        return random() % every == 0 ? special[random() % std::size(special)] : uniform(random);
      });
      for (const unsigned some : {1, 4, 100000}) {
        const auto start =
            numbers(1500, [&] { return random() % some == 0 ? limits[random() % std::size(limits)] : 1e10f; });
        expect_same_picks(planes, start, 200);
      }
    }
  });
}

}  // namespace
