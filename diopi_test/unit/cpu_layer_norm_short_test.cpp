// SPDX-License-Identifier: BSD-3-Clause
// Layer normalisation of short rows that are far from 0: their mean is not a float32 number.
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "diopi_test/unit/every_target.hpp"
#include "impl/cpu/norm/layer.hpp"

namespace {

void expect_normalised(int64_t n) {
  constexpr int64_t kRows = 5;
  std::vector<float> x(kRows * n), y(x.size()), mean(kRows), rstd(kRows);
  for (int64_t i = 0; i < kRows * n; ++i) x[i] = 4096 + static_cast<float>(i * 29 % 47) / 16;
  const impl::cpu::LayerParams params{0, false, false};
  void* const out[] = {y.data(), mean.data(), rstd.data()};
  const void* const in[] = {x.data()};
  const int64_t step[] = {n * 4, 4, 4, n * 4};
  impl::cpu::layer_norm_rows_kernel(diopi_dtype_float32)(out, in, step, n, kRows, &params);
  for (int64_t r = 0; r < kRows; ++r) {
    double sum = 0, squares = 0;
    for (int64_t i = 0; i < n; ++i) sum += x[r * n + i];
    for (int64_t i = 0; i < n; ++i) squares += std::pow(x[r * n + i] - sum / static_cast<double>(n), 2);
    const double scale = 1 / std::sqrt(squares / static_cast<double>(n));
    EXPECT_NEAR(rstd[r], scale, 1e-6 * scale);
    for (int64_t i = 0; i < n; ++i) {
      ASSERT_NEAR(y[r * n + i], (x[r * n + i] - sum / static_cast<double>(n)) * scale, 2e-6) << n << ": " << r;
    }
  }
}

TEST(LayerNormShort, rows_far_from_0_keep_their_digits) {
  test::on_every_target([] {
    for (const int64_t n : {3, 7, 24, 61, 128}) {
      if (n <= impl::cpu::layer_norm_short_row(false)) expect_normalised(n);
    }
  });
}

}  // namespace
