// SPDX-License-Identifier: BSD-3-Clause
// Accumulation of values into a short line on several threads: order, bits, and indices out of range.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <random>
#include <vector>

#include "impl/common/openmp.hpp"
#include "diopirt_host.h"
#include "impl/cpu/engine/index/scatter_reduce_1d.hpp"
#include "impl/cpu/engine/long_sum.hpp"

namespace impl::cpu {
int32_t init_library();
}

namespace {

using namespace impl::cpu;  // NOLINT: the tested namespace

class CpuScatterReduce1d : public testing::Test {
 protected:
  void SetUp() override {
    ASSERT_EQ(impl::cpu::init_library(), 0);
    ASSERT_EQ(diopirtCreateContext(nullptr, &ctx_), diopiSuccess);
  }
  void TearDown() override {
    omp_set_num_threads(threads_);
    EXPECT_EQ(diopirtDestroyContext(ctx_), diopiSuccess);
  }

  template <typename T, typename I>
  bool add(Accumulate op, std::vector<T>* line, int64_t step, const std::vector<I>& index,
           const std::vector<T>& values) {
    ScatterReduce1d sums;
    const auto size = static_cast<int64_t>(line->size()) / step;
    EXPECT_EQ(sums.prepare(ctx_, op, diopi::dtype_of<T>, line->data(), size, step * sizeof(T), sizeof(I) == 8),
              diopiSuccess);
    EXPECT_TRUE(sums.is_ready());
    return sums.add({index.data(), reinterpret_cast<const char*>(values.data()), static_cast<int64_t>(index.size())});
  }

  template <typename T, typename I>
  void expect_in_order(Accumulate op, int64_t size, int64_t step, int64_t n) {
    std::mt19937 random(static_cast<unsigned>(size + n));
    std::normal_distribution<float> normal(1.0f, 0.1f);
    std::vector<I> index(n);
    std::vector<T> values(n), want(size * step);
    for (I& i : index) i = static_cast<I>(random() % static_cast<unsigned>(size));
    for (T& v : values) v = T(normal(random) * 3);
    for (T& v : want) v = T(normal(random) * 3);
    const std::vector<T> start = want;
    for (int64_t k = 0; k < n; ++k) {
      T& item = want[static_cast<int64_t>(index[k]) * step];
      item = op == Accumulate::kAdd ? T(item + values[k]) : T(item * values[k]);
    }
    for (const int threads : {2, 3, 5, 16, 40}) {
      omp_set_num_threads(threads);
      if (size < std::min(threads, kMaxLineThreads)) continue;
      std::vector<T> line = start;
      ASSERT_TRUE((add<T, I>(op, &line, step, index, values)));
      ASSERT_EQ(std::memcmp(line.data(), want.data(), sizeof(T) * line.size()), 0)
          << threads << " threads, " << n << " values, " << size << " items of " << sizeof(T) << " bytes";
    }
  }

  template <typename T, typename I>
  void expect_in_order() {
    for (const int64_t n : {int64_t{1}, int64_t{7}, int64_t{1000}, kValuesTogether}) {
      expect_in_order<T, I>(Accumulate::kAdd, 300, 1, n);
      expect_in_order<T, I>(Accumulate::kAdd, 8191, 3, n);
    }
    expect_in_order<T, I>(Accumulate::kMultiply, 20000, 1, 1000);
  }

  diopiContextHandle_t context() const { return ctx_; }

 private:
  diopiContextHandle_t ctx_ = nullptr;
  int threads_ = omp_get_max_threads();
};

TEST_F(CpuScatterReduce1d, values_are_taken_in_their_order_on_any_number_of_threads) {
  expect_in_order<float, int64_t>();
  expect_in_order<float, int32_t>();
  expect_in_order<double, int64_t>();
  expect_in_order<double, int32_t>();
  expect_in_order<uint32_t, int64_t>();
  expect_in_order<uint64_t, int32_t>();
}

TEST_F(CpuScatterReduce1d, all_values_for_one_item_fit_into_its_list) {
  omp_set_num_threads(3);
  for (const int64_t item : {0, 99}) {
    std::vector<float> line(100, 1.0f);
    const std::vector<int64_t> index(kValuesTogether, item);
    const std::vector<float> ones(kValuesTogether, 1.0f);
    ASSERT_TRUE(add(Accumulate::kAdd, &line, 1, index, ones));
    for (int64_t i = 0; i < 100; ++i) EXPECT_EQ(line[i], i == item ? kValuesTogether + 1.0f : 1.0f);
  }
}

TEST_F(CpuScatterReduce1d, sums_of_many_values_lose_nothing) {
  constexpr int64_t kPieces = 400;
  omp_set_num_threads(3);
  const std::vector<int64_t> index(kValuesTogether, 1);
  const std::vector<float> ones(kValuesTogether, 1.0f);
  std::vector<LongSum<float>> line(100, LongSum<float>(0.5f));
  ScatterReduce1d sums;
  ASSERT_EQ(sums.prepare_long(context(), diopi_dtype_float32, line.data(), 100, sizeof(line[0]), true), diopiSuccess);
  ASSERT_TRUE(sums.is_ready());
  for (int64_t i = 0; i < kPieces; ++i) {
    ASSERT_TRUE(sums.add({index.data(), reinterpret_cast<const char*>(ones.data()), kValuesTogether}));
  }
  EXPECT_EQ(line[1].value(), static_cast<float>(kPieces * kValuesTogether));  // a float sum would stay at 2^24
  EXPECT_EQ(line[0].value(), 0.5f);
}

TEST_F(CpuScatterReduce1d, long_sums_keep_signs_of_zero_and_infinities) {
  LongSum<double> zero(-0.0), infinite(1.0);
  zero.add(-0.0);
  EXPECT_TRUE(std::signbit(zero.value()));
  infinite.add(std::numeric_limits<double>::infinity());
  infinite.add(1.0);
  EXPECT_EQ(infinite.value(), std::numeric_limits<double>::infinity());
  infinite.add(-std::numeric_limits<double>::infinity());
  EXPECT_TRUE(std::isnan(infinite.value()));
}

template <typename I>
std::vector<I> indices_out_of_range() {
  std::vector<I> result{-1, 100, std::numeric_limits<I>::min(), std::numeric_limits<I>::max()};
  if constexpr (sizeof(I) == 8) result.push_back((I{1} << 32) + 5);
  return result;
}

TEST_F(CpuScatterReduce1d, nothing_is_written_where_an_index_is_out_of_range) {
  const auto check = [this](auto bad, int64_t n, int64_t place) {
    std::vector<float> line(100, 1.0f);
    std::vector<decltype(bad)> index(n, 3);
    index[place] = bad;
    EXPECT_FALSE(add(Accumulate::kAdd, &line, 1, index, std::vector<float>(n, 1.0f))) << bad << " at " << place;
    for (const float v : line) EXPECT_EQ(v, 1.0f);
  };
  omp_set_num_threads(2);
  for (const int64_t n : {1, 5, 1003}) {
    for (const int64_t place : {int64_t{0}, n / 2, n - 1}) {
      for (const int64_t bad : indices_out_of_range<int64_t>()) check(bad, n, place);
      for (const int32_t bad : indices_out_of_range<int32_t>()) check(bad, n, place);
    }
  }
}

}  // namespace
