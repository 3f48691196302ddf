// SPDX-License-Identifier: BSD-3-Clause
// Packed keys: their order, sorting on one thread and on several, and selection of few elements of a row.
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <numeric>
#include <random>
#include <vector>

#include "diopi_test/unit/every_target.hpp"
#include "impl/common/openmp.hpp"
#include "impl/cpu/sort/keys.hpp"
#include "impl/cpu/sort/topk_small_k.hpp"

namespace impl::cpu {
namespace {

template <typename T>
typename SortKey<T>::Key key_of(T value) {
  return SortKey<T>::encode(reinterpret_cast<const char*>(&value));
}

template <typename T>
T value_of(typename SortKey<T>::Key key) {
  const auto bits = SortKey<T>::decode(key);
  T value;
  std::memcpy(&value, &bits, sizeof(value));
  return value;
}

template <typename T>
void expect_order(const std::vector<T>& increasing) {
  for (size_t i = 0; i < increasing.size(); ++i) {
    if (i > 0) {
      EXPECT_LT(key_of(increasing[i - 1]), key_of(increasing[i])) << i;
    }
    if (SortKey<T>::is_exact(key_of(increasing[i]))) {
      EXPECT_EQ(value_of<T>(key_of(increasing[i])), increasing[i]) << i;
    }
  }
}

TEST(CpuSort, keys_of_numbers_have_their_order) {
  using F = std::numeric_limits<float>;
  using D = std::numeric_limits<double>;
  expect_order<float>({-F::infinity(), F::lowest(), -1, -F::min(), -F::denorm_min(), 0, F::denorm_min(), F::min(), 1,
                       F::max(), F::infinity(), F::quiet_NaN()});
  expect_order<double>({-D::infinity(), D::lowest(), -1, -D::denorm_min(), 0, D::denorm_min(), 1, D::max(),
                        D::infinity(), D::quiet_NaN()});
  expect_order<int8_t>({-128, -1, 0, 1, 127});
  expect_order<int64_t>({INT64_MIN, -1, 0, 1, INT64_MAX});
  expect_order<uint64_t>({0, 1, UINT64_MAX});
  expect_order<bool>({false, true});
}

TEST(CpuSort, zeros_and_all_not_a_numbers_share_a_key) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  EXPECT_EQ(key_of(-0.0f), key_of(0.0f));
  EXPECT_EQ(key_of(-nan), key_of(nan));
  EXPECT_FALSE(SortKey<float>::is_exact(key_of(-0.0f)));
  EXPECT_FALSE(SortKey<float>::is_exact(key_of(nan)));
  EXPECT_EQ(key_of(diopi::float16(-0.0f)), key_of(diopi::float16(0.0f)));
  EXPECT_EQ(key_of(diopi::bfloat16(-nan)), key_of(diopi::bfloat16(nan)));
}

template <typename P>
void expect_sorted(int64_t n) {
  std::mt19937_64 random(static_cast<uint64_t>(n));
  std::vector<P> keys(n), scratch(n);
  for (int64_t i = 0; i < n; ++i) keys[i] = Packing<P>::pack(random() % 100, i);
  std::vector<P> expected = keys;
  std::sort(expected.begin(), expected.end());
  const int threads = omp_get_max_threads();
  for (int count : {1, 2, 3, 4, 7}) {
    omp_set_num_threads(count);
    std::vector<P> got = keys;
    sort_packed_parallel(got.data(), n, scratch.data());
    EXPECT_TRUE(got == expected) << n << " keys, " << count << " threads";
  }
  omp_set_num_threads(threads);
}

TEST(CpuSort, packed_keys_are_sorted_by_any_number_of_threads) {
  test::on_every_target([] {
    for (int64_t n : {0, 1, 2, 23, 24, 25, 1000, 65535}) {
      expect_sorted<uint32_t>(n);
      expect_sorted<uint64_t>(n);
      expect_sorted<Packed128>(n);
    }
  });
  for (int64_t n : {65536, 131073, 300000}) {
    expect_sorted<uint64_t>(n);
    expect_sorted<Packed128>(n);
  }
}

// Rows with few distinct values, some of which are extremes that share a key with the padding; in both directions.
template <typename T>
void expect_few(std::mt19937* random, int64_t n, int64_t stride) {
  using Key = typename SortKey<T>::Key;
  const Key special[] = {0, SortKey<T>::kSign, SortKey<T>::kAll, static_cast<Key>(SortKey<T>::kAll >> 1)};
  std::vector<Key> row(n * stride);
  for (const int values : {1, 3, 1000}) {
    for (Key& x : row) x = (*random)() % 4 == 0 ? special[(*random)() % 4] : static_cast<Key>((*random)() % values);
    for (const bool descending : {false, true}) {
      const auto key = [&](int64_t i) {
        const Key k = SortKey<T>::encode(reinterpret_cast<const char*>(&row[i * stride]));
        return descending ? static_cast<Key>(~k) : k;
      };
      std::vector<int64_t> order(n);
      std::iota(order.begin(), order.end(), 0);
      std::stable_sort(order.begin(), order.end(), [&](int64_t a, int64_t b) { return key(a) < key(b); });
      const int64_t k = std::min(n, kSmallK);
      std::vector<int64_t> got(k, -1);
      topk_small_k_function(diopi::dtype_of<T>)(row.data(), n, stride, descending, k, got.data());
      order.resize(k);
      EXPECT_EQ(got, order) << n << " elements, stride " << stride << ", descending " << descending;
    }
  }
}

TEST(CpuSort, few_of_a_row_are_the_first_of_its_stable_order) {
  test::on_every_target([] {
    std::mt19937 random(5);
    for (const int64_t n : {1, 2, 7, 31, 32, 33, 64, 81, 500, 2048}) {
      for (const int64_t stride : {1, 3}) {
        expect_few<float>(&random, n, stride);
        expect_few<double>(&random, n, stride);
        expect_few<diopi::bfloat16>(&random, n, stride);
        expect_few<int64_t>(&random, n, stride);
        expect_few<int8_t>(&random, n, stride);
        expect_few<bool>(&random, n, stride);
      }
    }
  });
}

}  // namespace
}  // namespace impl::cpu
