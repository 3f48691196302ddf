// SPDX-License-Identifier: BSD-3-Clause
// Cholesky decompositions by blocks, against the product of the factors.
#include <gtest/gtest.h>

#include <cstdlib>
#include <random>
#include <vector>

#include "impl/common/openmp.hpp"
#include "impl/cpu/linalg/cholesky_blocked.hpp"

namespace {

// A row-major matrix I + B B^T / n.
template <typename T>
std::vector<T> definite(int64_t n) {
  std::mt19937 random(1);
  std::uniform_real_distribution<double> number(-1, 1);
  std::vector<double> b(n * n);
  for (double& x : b) x = number(random);
  std::vector<T> a(n * n);
  for (int64_t i = 0; i < n; ++i) {
    for (int64_t j = 0; j <= i; ++j) {
      double sum = i == j ? 1 : 0;
      for (int64_t k = 0; k < n; ++k) sum += b[i * n + k] * b[j * n + k] / static_cast<double>(n);
      a[i * n + j] = a[j * n + i] = static_cast<T>(sum);
    }
  }
  return a;
}

template <typename T>
class Cholesky : public testing::Test {
 protected:
  static constexpr diopiDtype_t kDtype = std::is_same_v<T, float> ? diopi_dtype_float32 : diopi_dtype_float64;

  static int factor(std::vector<T>* a, int64_t n, bool upper, int64_t threads) {
    const int before = omp_get_max_threads();
    omp_set_num_threads(static_cast<int>(threads));
    constexpr size_t kLine = 64;
    const auto bytes = static_cast<size_t>(impl::cpu::blocked_cholesky_work(n, threads)) * sizeof(T);
    void* const work = std::aligned_alloc(kLine, (bytes + kLine - 1) / kLine * kLine);
    const int order = impl::cpu::blocked_cholesky_kernel(kDtype)({a->data(), n, upper, work, threads});
    std::free(work);
    omp_set_num_threads(before);
    return order;
  }
  // Element (i, j) of the lower factor.
  static double lower(const std::vector<T>& factor, int64_t n, bool upper, int64_t i, int64_t j) {
    return factor[upper ? j * n + i : i * n + j];
  }
};

using Types = testing::Types<float, double>;
TYPED_TEST_SUITE(Cholesky, Types);

TYPED_TEST(Cholesky, the_product_of_the_factors_is_the_matrix) {
  for (const int64_t n : {1, 95, 97, 250, 500}) {
    const std::vector<TypeParam> a = definite<TypeParam>(n);
    for (const bool upper : {false, true}) {
      std::vector<TypeParam> l = a, with_one_thread = a;
      ASSERT_EQ(this->factor(&l, n, upper, 2), 0);
      ASSERT_EQ(this->factor(&with_one_thread, n, upper, 1), 0);
      for (int64_t i = 0; i < n; ++i) {
        for (int64_t j = 0; j <= i; ++j) {
          double sum = 0;
          for (int64_t k = 0; k <= j; ++k) sum += this->lower(l, n, upper, i, k) * this->lower(l, n, upper, j, k);
          ASSERT_NEAR(sum, a[i * n + j], sizeof(TypeParam) == 4 ? 2e-6 : 4e-15) << n << ": " << i << ", " << j;
          ASSERT_EQ(this->lower(l, n, upper, i, j), this->lower(with_one_thread, n, upper, i, j));
        }
      }
    }
  }
}

TYPED_TEST(Cholesky, the_first_minor_that_is_not_positive_is_found) {
  constexpr int64_t kRows = 300;
  for (const int64_t wrong : {0, 95, 96, 200, 299}) {
    for (const bool upper : {false, true}) {
      std::vector<TypeParam> a = definite<TypeParam>(kRows);
      a[wrong * kRows + wrong] = -1;
      EXPECT_EQ(this->factor(&a, kRows, upper, 2), wrong + 1);
    }
  }
}

}  // namespace
