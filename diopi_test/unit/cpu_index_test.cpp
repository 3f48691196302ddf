// SPDX-License-Identifier: BSD-3-Clause
// The index engine: order and bits of accumulation for any number of threads.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <functional>
#include <random>
#include <vector>

#include "impl/common/openmp.hpp"
#include "diopirt_host.h"
#include "impl/cpu/engine/index/along_dim.hpp"
#include "impl/cpu/engine/index/slices.hpp"
#include "impl/cpu/tensor/fill.hpp"

namespace impl::cpu {
int32_t init_library();
}

namespace {

using namespace impl::cpu;  // NOLINT: the tested namespace
using diopi::bfloat16;

// Offsets with few distinct values, so that each occurs often.
std::vector<int64_t> offsets(int64_t count, int64_t rows, int64_t width) {
  std::mt19937 random(5);
  std::vector<int64_t> table(count);
  for (int64_t& t : table) t = static_cast<int64_t>(random() % rows) * width;
  return table;
}

template <typename T>
std::vector<T> numbers(int64_t count) {
  std::mt19937 random(7);
  std::normal_distribution<float> normal;
  std::vector<T> result(count);
  for (T& x : result) x = T(normal(random));
  return result;
}

class Context {
 public:
  Context() { EXPECT_EQ(diopirtCreateContext(nullptr, &ctx_), diopiSuccess); }
  ~Context() { EXPECT_EQ(diopirtDestroyContext(ctx_), diopiSuccess); }
  operator diopiContextHandle_t() const { return ctx_; }  // NOLINT

 private:
  diopiContextHandle_t ctx_ = nullptr;
};

class CpuIndex : public testing::Test {
 protected:
  void SetUp() override { ASSERT_EQ(impl::cpu::init_library(), 0); }
  void TearDown() override { omp_set_num_threads(threads_); }

  // Runs `f` on 1, 2 and 5 threads. All runs must write the same bytes.
  template <typename T>
  void expect_same_bits(const std::vector<T>& start, const std::function<void(T*)>& f) {
    std::vector<T> first;
    for (const int threads : {1, 2, 5}) {
      omp_set_num_threads(threads);
      std::vector<T> result = start;
      f(result.data());
      if (first.empty()) first = result;
      ASSERT_EQ(std::memcmp(first.data(), result.data(), sizeof(T) * result.size()), 0) << threads << " threads";
    }
    ASSERT_NE(std::memcmp(first.data(), start.data(), sizeof(T) * start.size()), 0);
  }

 private:
  int threads_ = omp_get_max_threads();
};

template <typename T>
void accumulate(diopiContextHandle_t ctx, T* indexed, int64_t rows, int64_t count, int64_t width) {
  const std::vector<int64_t> table = offsets(count, rows, width);
  const std::vector<T> packed = numbers<T>(count * width);
  IndexMap map{count, table.data(), width, nullptr};
  IndexSlices slices;
  if (width > 1) slices.push_back(width, 1, 1);
  ASSERT_EQ(accumulate_slices(ctx, Accumulate::kAdd, diopi::dtype_of<T>, indexed, packed.data(), map, slices),
            diopiSuccess);
}

TEST_F(CpuIndex, accumulated_points_have_the_same_bits_on_any_number_of_threads) {
  Context ctx;
  expect_same_bits<float>(numbers<float>(300), [&](float* p) { accumulate(ctx, p, 300, 200000, 1); });
  expect_same_bits<bfloat16>(numbers<bfloat16>(300), [&](bfloat16* p) { accumulate(ctx, p, 300, 200000, 1); });
}

TEST_F(CpuIndex, accumulated_rows_have_the_same_bits_on_any_number_of_threads) {
  Context ctx;
  expect_same_bits<float>(numbers<float>(9000), [&](float* p) { accumulate(ctx, p, 30, 900, 300); });
  expect_same_bits<bfloat16>(numbers<bfloat16>(9000), [&](bfloat16* p) { accumulate(ctx, p, 30, 900, 300); });
  expect_same_bits<float>(numbers<float>(210), [&](float* p) { accumulate(ctx, p, 30, 90000, 7); });
}

TEST_F(CpuIndex, the_last_of_several_values_stays_on_any_number_of_threads) {
  constexpr int64_t kCount = 200000, kRows = 300;
  const std::vector<int64_t> table = offsets(kCount, kRows, 1);
  const std::vector<float> packed = numbers<float>(kCount);
  const IndexMap map{kCount, table.data(), 1, nullptr};
  std::vector<float> want(kRows, 0.0f);
  for (int64_t k = 0; k < kCount; ++k) want[table[k]] = packed[k];
  expect_same_bits<float>(std::vector<float>(kRows, 0.0f), [&](float* p) {
    scatter_slices(p, packed.data(), sizeof(float), map, {});
    for (int64_t i = 0; i < kRows; ++i) ASSERT_EQ(p[i], want[i]);
  });
}

TEST_F(CpuIndex, scattered_sums_along_either_dimension_have_the_same_bits_on_any_number_of_threads) {
  Context ctx;
  constexpr int64_t kRows = 400, kColumns = 300;
  for (const int dim : {0, 1}) {
    const std::vector<int64_t> index = offsets(kRows * kColumns, 20, 1);
    const std::vector<bfloat16> packed = numbers<bfloat16>(kRows * kColumns);
    DimIndex dim_index;
    for (const int64_t extent : {kRows, kColumns}) dim_index.shape.push_back(extent);
    dim_index.dim = dim;
    dim_index.size = 20;
    dim_index.index = index.data();
    dim_index.packed_stride = dim_index.index_stride = dim_index.indexed_stride =
        diopi::contiguous_strides(dim_index.shape);
    expect_same_bits<bfloat16>(numbers<bfloat16>(kRows * kColumns), [&](bfloat16* p) {
      ASSERT_EQ(scatter_reduce_along_dim(ctx, Accumulate::kAdd, diopi_dtype_bfloat16, p, packed.data(), dim_index),
                diopiSuccess);
    });
  }
}

TEST_F(CpuIndex, bfloat16_is_rounded_once_per_sum) {
  Context ctx;
  // In bfloat16, adding ones one after another to 256 would give 256.
  bfloat16 target(256.0f);
  const std::vector<bfloat16> ones(256, bfloat16(1.0f));
  const std::vector<int64_t> table(256, 0);
  const IndexMap map{256, table.data(), 1, nullptr};
  ASSERT_EQ(accumulate_slices(ctx, Accumulate::kAdd, diopi_dtype_bfloat16, &target, ones.data(), map, {}),
            diopiSuccess);
  EXPECT_EQ(static_cast<float>(target), 512.0f);
}

TEST_F(CpuIndex, short_runs_with_gaps_between_them_are_gathered) {
  // Pairs, three elements apart on the indexed side: an item is a pair, but the stride is not a multiple of a pair.
  for (const int64_t rows : {3, 20000}) {
    const std::vector<int32_t> indexed = [&] {
      std::vector<int32_t> result(4 * rows * 3);
      for (size_t i = 0; i < result.size(); ++i) result[i] = static_cast<int32_t>(i);
      return result;
    }();
    const std::vector<int64_t> table = {2 * rows * 3, 0, 3 * rows * 3};
    const IndexMap map{3, table.data(), rows * 2, nullptr};
    IndexSlices slices;
    slices.push_back(rows, 3, 2);
    slices.push_back(2, 1, 1);
    std::vector<int32_t> packed(3 * rows * 2);
    gather_slices(packed.data(), indexed.data(), sizeof(int32_t), map, slices);
    for (int64_t k = 0; k < 3; ++k) {
      for (int64_t i = 0; i < rows * 2; ++i) {
        ASSERT_EQ(packed[k * rows * 2 + i], indexed[table[k] + i / 2 * 3 + i % 2]) << k << " " << i;
      }
    }
  }
}

TEST_F(CpuIndex, the_first_index_out_of_range_is_found) {
  std::vector<int64_t> index(100000, 3);
  std::vector<int64_t> table(index.size());
  index[77777] = -6;
  index[88888] = 5;
  EXPECT_EQ(add_index_offsets(table.data(), index.data(), 100000, 5, 1, true), 77777);
  index[77777] = INT64_MIN;
  EXPECT_EQ(add_index_offsets(table.data(), index.data(), 100000, 5, 1, true), 77777);
  index[77777] = -5;
  EXPECT_EQ(add_index_offsets(table.data(), index.data(), 100000, 5, 1, true), 88888);
}

// The extremes of integers, of which only every `step`-th is an element of the tensor.
template <typename T>
void expect_range(std::vector<T> values, int64_t step) {
  const int64_t count = static_cast<int64_t>(values.size()) / step;
  diopi::TensorView view;
  view.data = reinterpret_cast<char*>(values.data());
  view.dtype = diopi::dtype_of<T>;
  view.numel = count;
  view.shape.push_back(count);
  view.stride.push_back(step);
  int64_t beyond = 0;  // each time the extremes are other elements
  for (const int threads : {1, 2, 5}) {
    omp_set_num_threads(threads);
    for (const int64_t at : {int64_t{0}, count / 2, count - 1}) {
      ++beyond;
      values[at * step] = static_cast<T>(-beyond);
      values[(count - 1 - at) * step + (count == 1 ? 0 : step - 1)] = static_cast<T>(99 + beyond);  // none if step > 1
      int64_t least = 0, most = 0;
      index_range(view, &least, &most);
      int64_t smallest = INT64_MAX, largest = INT64_MIN;
      for (int64_t i = 0; i < count; ++i) {
        smallest = std::min<int64_t>(smallest, values[i * step]);
        largest = std::max<int64_t>(largest, values[i * step]);
      }
      EXPECT_EQ(least, smallest) << threads << " " << at;
      EXPECT_EQ(most, largest) << threads << " " << at;
    }
  }
}

TEST_F(CpuIndex, the_range_of_integers_is_found_on_all_threads) {
  expect_range(std::vector<int32_t>(200001, 3), 1);
  expect_range(std::vector<int32_t>(200001, 3), 3);
  expect_range(std::vector<int64_t>(200001, 3), 1);
  expect_range(std::vector<int16_t>(1, 3), 1);
}

}  // namespace
