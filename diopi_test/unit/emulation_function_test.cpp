// SPDX-License-Identifier: BSD-3-Clause
// Warp functions, barriers, atomics and device functions do what CUDA's manual says, in every order.
#include <bitset>
#include <cmath>
#include <limits>

#include "diopi_test/unit/emulation_fixture.hpp"
#include "diopi_test/unit/emulation_kernels/functions.hpp"

namespace {

using EmulationFunction = EmulationOrder;

TEST_P(EmulationFunction, OfWarps) {
  const DeviceArray<int> out(area(16, 32));
  ASSERT_EQ(run_warp_functions(out.data()), cudaSuccess);
  const auto got = out.values();
  const auto row = [&](int index, int lane) { return got[place(index, 32, lane)]; };
  int multiples = 0;
  for (int i = 0; i < 32; i += 3) multiples |= static_cast<int>(1u << i);
  for (int lane = 0; lane < 32; ++lane) {
    const int first = lane / 8 * 8;
    SCOPED_TRACE(lane);
    EXPECT_EQ(row(0, lane), 50);
    EXPECT_EQ(row(1, lane), (first + 1) * 10);
    EXPECT_EQ(row(2, lane), (lane < 3 ? lane : lane - 3) * 10);
    EXPECT_EQ(row(3, lane), (lane == first ? lane : lane - 1) * 10);
    EXPECT_EQ(row(4, lane), (lane + 3 > 31 ? lane : lane + 3) * 10);
    EXPECT_EQ(row(5, lane), (lane == first + 7 ? lane : lane + 1) * 10);
    EXPECT_EQ(row(6, lane), (lane ^ 1) * 10);
    EXPECT_EQ(row(7, lane), multiples);
    EXPECT_EQ(row(8, lane), 1);
    EXPECT_EQ(row(9, lane), 0);
    EXPECT_EQ(row(10, lane), static_cast<int>(0x11111111u << lane % 4));
    EXPECT_EQ(row(11, lane), 4960);
    EXPECT_EQ(row(12, lane), 210);
    EXPECT_EQ(row(13, lane), -100);
    EXPECT_EQ(row(14, lane), 0);
    const int sum = first * 80 + 280;
    EXPECT_EQ(row(15, lane), sum * (1 << 3 * (lane / 8)));
  }
}

TEST_P(EmulationFunction, Barriers) {
  const DeviceArray<int> out(area(4, 96));
  ASSERT_EQ(run_barriers(out.data()), cudaSuccess);
  const auto got = out.values();
  for (size_t thread = 0; thread < 96; ++thread) {
    ASSERT_EQ(got[thread], 20);
    ASSERT_EQ(got[96 + thread], 1);
    ASSERT_EQ(got[192 + thread], 0);
    if (thread < 40) continue;  // the threads that have ended do not take part
    ASSERT_EQ(got[288 + thread], 56);
  }
}

TEST_P(EmulationFunction, Atomics) {
  const DeviceArray<int> signed_words(std::vector<int>{0, 0, 0});
  const DeviceArray<unsigned> words(std::vector<unsigned>{0xFFFFFFFFu, 0, 0xFFFFFFFFu, 0, 0});
  const DeviceArray<unsigned long long> wide(std::vector<unsigned long long>{0, 0});
  const DeviceArray<double> real(std::vector<double>{0});
  ASSERT_EQ(run_atomics(signed_words.data(), words.data(), wide.data(), real.data()), cudaSuccess);
  EXPECT_EQ(signed_words.values(), (std::vector<int>{-191, 191, -384}));
  EXPECT_EQ(words.values(), (std::vector<unsigned>{0, 0xFFFFFFFFu, 0xFFFFFFFFu, 2, 576}));
  EXPECT_EQ(wide.values(), (std::vector<unsigned long long>{18336ull << 32, 191ull << 32}));
  EXPECT_EQ(real.values()[0], 96);
}

TEST_P(EmulationFunction, FreshSharedMemoryIsNan) {
  const DeviceArray<float> out(std::vector<float>(64, 0));
  ASSERT_EQ(run_fresh_shared(out.data()), cudaSuccess);
  for (const float x : out.values()) ASSERT_TRUE(std::isnan(x));
}

IN_ALL_ORDERS(EmulationFunction);

TEST(EmulationIntrinsics, Integers) {
  EXPECT_EQ(__brev(1u), 0x80000000u);
  EXPECT_EQ(__brevll(3ull), 0xC000000000000000ull);
  EXPECT_EQ(__clz(0), 32);
  EXPECT_EQ(__clzll(1), 63);
  EXPECT_EQ(__ffs(8), 4);
  EXPECT_EQ(__ffsll(0), 0);
  EXPECT_EQ(__umulhi(0xFFFFFFFFu, 0xFFFFFFFFu), 0xFFFFFFFEu);
  EXPECT_EQ(__umul64hi(~0ull, ~0ull), ~0ull - 1);
  EXPECT_EQ(__mulhi(-1, 5), -1);
  EXPECT_EQ(__mul64hi(-1, 5), -1);
}

TEST(EmulationIntrinsics, InverseErrorFunctions) {
  const double infinity = std::numeric_limits<double>::infinity();
  for (double x : {1e-300, 1e-10, 0.1, 0.5, 0.500001, 0.9, 0.999999}) {
    EXPECT_NEAR(std::erf(erfinv(x)) / x, 1, 1e-14) << x;
    EXPECT_EQ(erfinv(-x), -erfinv(x)) << x;
  }
  for (double x : {1e-300, 1e-100, 1e-10, 0.01, 0.7, 1.0, 1.3, 1.999})
    EXPECT_NEAR(std::erfc(erfcinv(x)) / x, 1, 1e-12) << x;
  EXPECT_EQ(erfinv(1.0), infinity);
  EXPECT_EQ(erfcinv(2.0), -infinity);
  EXPECT_TRUE(std::isnan(erfinv(1.5)));
  EXPECT_TRUE(std::isnan(erfcinv(-1.0)));
  EXPECT_NEAR(normcdfinv(0.975), 1.959963984540054, 1e-12);
  EXPECT_NEAR(normcdf(1.959963984540054), 0.975, 1e-12);
}

}  // namespace
