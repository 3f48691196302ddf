// SPDX-License-Identifier: BSD-3-Clause
// Compares the means of small planes with sums in float64.
#include <gtest/gtest.h>

#include <random>
#include <vector>

#include "diopi_test/unit/every_target.hpp"
#include "diopi_test/unit/strided_tensor.hpp"
#include "impl/cpu/pool/pool.hpp"

namespace {

using namespace impl::cpu;  // NOLINT: the tested namespace
using engine_test::StridedTensor;

template <typename T>
void expect_small_means(int64_t n) {
  constexpr int64_t kPlanes = 37;
  std::mt19937 random(9);
  StridedTensor<T> x({kPlanes, n}, {n, 1}), y({kPlanes}, {1});
  x.fill(&random, 30);
  std::vector<double> want(kPlanes);
  for (int64_t i = 0; i < x.size(); ++i) want[i / n] += static_cast<double>(x.get(i));
  for (double& sum : want) sum = static_cast<double>(static_cast<T>(sum) / static_cast<T>(n));
  ASSERT_TRUE(small_plane_means(diopi::dtype_of<T>, x.view().data, y.view().data, kPlanes, n));
  engine_test::expect_elements(y, want, "the mean");
}

class CpuPoolMeans : public engine_test::EngineTest {};

TEST_F(CpuPoolMeans, small_planes_have_their_means) {
  test::on_every_target([] {
    for (const int64_t n : {1, 3, 7, 8, 16, 31, 32, 33, 49, 500}) {
      expect_small_means<float>(n);
      expect_small_means<double>(n);
    }
  });
}

}  // namespace
