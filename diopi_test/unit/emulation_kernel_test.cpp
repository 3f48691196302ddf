// SPDX-License-Identifier: BSD-3-Clause
// Right kernels give right results in every order.
#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <set>
#include <string>
#include <vector>

#include "diopi_test/unit/emulation_fixture.hpp"
#include "diopi_test/unit/emulation_kernels/kernels.hpp"

namespace {

std::vector<float> numbers(size_t count) {
  std::vector<float> result(count);
  for (size_t i = 0; i < count; ++i) result[i] = static_cast<float>((i * 7919 + 13) % 1009) / 100.0f - 5.0f;
  return result;
}

using EmulationKernel = EmulationOrder;

TEST_P(EmulationKernel, AddsElements) {
  const auto a = numbers(1003), b = numbers(1003);
  const DeviceArray<float> x(a), y(b), out(a.size());
  ASSERT_EQ(run_add_scaled(out.data(), x.data(), y.data(), 2, 1003, nullptr), cudaSuccess);
  const auto got = out.values();
  for (size_t i = 0; i < a.size(); ++i) ASSERT_FLOAT_EQ(got[i], a[i] + 2 * b[i]) << i;
}

TEST_P(EmulationKernel, MovesVectors) {
  const auto a = numbers(4096);
  const DeviceArray<float> x(a), out(a.size());
  ASSERT_EQ(run_copy_vectors(out.data(), x.data(), 4096, nullptr), cudaSuccess);
  EXPECT_EQ(out.values(), a);
}

TEST_P(EmulationKernel, ReducesRows) {
  const int rows = 5, length = 700;
  const auto a = numbers(area(rows, length));
  const DeviceArray<float> x(a), out(rows);
  ASSERT_EQ(run_variance_rows(out.data(), x.data(), rows, length, nullptr), cudaSuccess);
  const auto got = out.values();
  for (int row = 0; row < rows; ++row) {
    const auto begin = a.begin() + static_cast<ptrdiff_t>(row) * length;
    const double mean = std::accumulate(begin, begin + length, 0.0) / length;
    double squares = 0;
    for (int i = 0; i < length; ++i) squares += (begin[i] - mean) * (begin[i] - mean);
    EXPECT_NEAR(got[static_cast<size_t>(row)], squares / length, 1e-4) << row;
  }
}

TEST_P(EmulationKernel, SumsBlocks) {
  const auto a = numbers(1000);
  const DeviceArray<float> x(a), sum(std::vector<float>(1, 0));
  ASSERT_EQ(run_sum_all(sum.data(), x.data(), 1000, nullptr), cudaSuccess);
  EXPECT_NEAR(sum.values()[0], std::accumulate(a.begin(), a.end(), 0.0), 1e-2);
}

// The numbers 0 to grid - 1 in the order in which these blocks run.
std::vector<int> blocks_in_order(int grid) {
  const DeviceArray<int> blocks(static_cast<size_t>(grid)), count(std::vector<int>(1, 0));
  EXPECT_EQ(run_record_blocks(blocks.data(), count.data(), grid, nullptr), cudaSuccess);
  return blocks.values();
}

TEST_P(EmulationKernel, RunsEachBlockOnce) {
  for (const int grid : {1, 2, 3, 12, 64, 1000}) {
    auto blocks = blocks_in_order(grid);
    std::sort(blocks.begin(), blocks.end());
    for (int i = 0; i < grid; ++i) ASSERT_EQ(blocks[static_cast<size_t>(i)], i) << grid;
  }
}

TEST(EmulationBlockOrder, ASeedChoosesAnOrderOfItsOwn) {
  std::set<std::vector<int>> orders;
  const std::string settings[] = {"forward", "reverse", "1", "2", "3", "4"};
  for (const std::string& setting : settings) {
    const Setting order("DIOPI_CUDA_ORDER", setting);
    const auto blocks = blocks_in_order(1000);
    EXPECT_EQ(blocks, blocks_in_order(1000)) << setting;
    orders.insert(blocks);
  }
  EXPECT_EQ(orders.size(), std::size(settings));
}

TEST_P(EmulationKernel, MultipliesMatrices) {
  const int size = 27;
  const auto a = numbers(area(size, size));
  const DeviceArray<float> x(a), out(a.size());
  ASSERT_EQ(run_multiply(out.data(), x.data(), x.data(), size, nullptr), cudaSuccess);
  const auto got = out.values();
  for (int i = 0; i < size; ++i) {
    for (int j = 0; j < size; ++j) {
      double sum = 0;
      for (int k = 0; k < size; ++k) sum += a[place(i, size, k)] * a[place(k, size, j)];
      ASSERT_NEAR(got[place(i, size, j)], sum, 1e-2) << i << ", " << j;
    }
  }
}

TEST_P(EmulationKernel, Transposes) {
  const int rows = 70, columns = 45;
  const auto a = numbers(area(rows, columns));
  const DeviceArray<float> x(a), out(a.size());
  ASSERT_EQ(run_transpose(out.data(), x.data(), rows, columns, nullptr), cudaSuccess);
  const auto got = out.values();
  for (int i = 0; i < rows; ++i) {
    for (int j = 0; j < columns; ++j) ASSERT_EQ(got[place(j, rows, i)], a[place(i, columns, j)]);
  }
}

TEST_P(EmulationKernel, FindsPositiveNumbers) {
  const auto a = numbers(1000);
  std::vector<int> expected;
  for (int i = 0; i < 1000; ++i) {
    if (a[static_cast<size_t>(i)] > 0) expected.push_back(i);
  }
  const DeviceArray<float> x(a);
  const DeviceArray<int> positions(a.size()), count(1);
  ASSERT_EQ(run_find_positive(positions.data(), count.data(), x.data(), 1000, nullptr), cudaSuccess);
  ASSERT_EQ(count.values()[0], static_cast<int>(expected.size()));
  auto got = positions.values();
  got.resize(expected.size());
  EXPECT_EQ(got, expected);
}

TEST_P(EmulationKernel, SortsInDynamicSharedMemory) {
  auto a = numbers(512);
  const DeviceArray<float> x(a);
  ASSERT_EQ(run_sort_block(x.data(), 512, nullptr), cudaSuccess);
  std::sort(a.begin(), a.end());
  EXPECT_EQ(x.values(), a);
}

TEST_P(EmulationKernel, AddsAtomically) {
  std::vector<int> values(1000), expected(10);
  for (size_t i = 0; i < values.size(); ++i) ++expected[static_cast<size_t>(values[i] = static_cast<int>(i * i % 10))];
  const DeviceArray<int> in(values), histogram(std::vector<int>(10, 0));
  ASSERT_EQ(run_count_values(histogram.data(), in.data(), 1000, nullptr), cudaSuccess);
  EXPECT_EQ(histogram.values(), expected);
}

TEST_P(EmulationKernel, AddsHalvesAtomically) {
  const DeviceArray<uint16_t> in(std::vector<uint16_t>(100, 0x3C00)), sum(std::vector<uint16_t>(1, 0));  // 100 ones
  ASSERT_EQ(run_add_halves(sum.data(), in.data(), 100, nullptr), cudaSuccess);
  EXPECT_EQ(sum.values()[0], 0x5640);  // 100
}

IN_ALL_ORDERS(EmulationKernel);

}  // namespace
