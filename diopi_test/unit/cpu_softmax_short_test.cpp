// SPDX-License-Identifier: BSD-3-Clause
// Softmax of short rows, several at a time: each row has the result that it has alone, and the formula's.
#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <vector>

#include "diopi_test/unit/every_target.hpp"
#include "impl/cpu/softmax/softmax.hpp"

namespace {

using impl::cpu::SoftmaxOp;

// What the operation computes of a row; `y` is only read by gradients.
std::vector<double> expected(SoftmaxOp op, const float* x, const float* y, int64_t n) {
  std::vector<double> result(n);
  double top = -INFINITY, sum = 0, dot = 0, total = 0;
  for (int64_t i = 0; i < n; ++i) top = std::max<double>(top, x[i]);
  for (int64_t i = 0; i < n; ++i) {
    sum += std::exp(x[i] - top);
    dot += static_cast<double>(x[i]) * y[i];
    total += x[i];
  }
  for (int64_t i = 0; i < n; ++i) {
    switch (op) {
      case SoftmaxOp::kSoftmax:
        result[i] = std::exp(x[i] - top) / sum;
        break;
      case SoftmaxOp::kLogSoftmax:
        result[i] = x[i] - top - std::log(sum);
        break;
      case SoftmaxOp::kSoftmaxBackward:
        result[i] = y[i] * (x[i] - dot);
        break;
      case SoftmaxOp::kLogSoftmaxBackward:
        result[i] = x[i] - std::exp(static_cast<double>(y[i])) * total;
        break;
    }
  }
  return result;
}

class ShortSoftmax : public testing::Test {
 protected:
  static constexpr int64_t kMostRows = 9, kMost = 160, kGap = 3;
  static constexpr float kUntouched = 77;
  std::vector<float> x = std::vector<float>(kMostRows * (kMost + kGap));
  std::vector<float> y = x;

  ShortSoftmax() {
    std::mt19937 random(1);
    std::normal_distribution<float> number;
    for (float& v : x) v = number(random);
    for (float& v : y) v = -std::fabs(number(random));
  }
  // The results of `rows` rows of n elements, of which the gaps between them are not changed.
  std::vector<float> compute(SoftmaxOp op, int64_t n, int64_t first, int64_t rows, bool in_place) const {
    const int64_t step[3] = {(n + kGap) * 4, (n + kGap) * 4, (n + kGap) * 4};
    std::vector<float> copy = x, out(x.size(), kUntouched);
    float* const to = (in_place ? copy : out).data() + first * (n + kGap);
    void* const outs[] = {to};
    const void* const ins[] = {(in_place ? copy : x).data() + first * (n + kGap), y.data() + first * (n + kGap)};
    impl::cpu::softmax_rows_kernel(op, diopi_dtype_float32)(outs, ins, step, n, rows, nullptr);
    return in_place ? copy : out;
  }
  void check(SoftmaxOp op, int64_t n, int64_t rows) const {
    const std::vector<float> together = compute(op, n, 0, rows, false), in_place = compute(op, n, 0, rows, true);
    for (int64_t r = 0; r < rows; ++r) {
      const int64_t at = r * (n + kGap);
      const std::vector<double> row = expected(op, x.data() + at, y.data() + at, n);
      const std::vector<float> alone = compute(op, n, r, 1, false);
      for (int64_t i = 0; i < n; ++i) {
        ASSERT_NEAR(together[at + i], row[i], 2e-5 * (1 + std::fabs(row[i]))) << n << ": " << r << ", " << i;
        ASSERT_EQ(together[at + i], alone[at + i]);
        ASSERT_EQ(together[at + i], in_place[at + i]);
      }
      for (int64_t i = n; i < n + kGap; ++i) ASSERT_EQ(together[at + i], kUntouched);
    }
    ASSERT_EQ(together[rows * (n + kGap)], kUntouched);
  }
};

TEST_F(ShortSoftmax, each_row_is_computed_as_if_alone) {
  test::on_every_target([&] {
    for (const SoftmaxOp op :
         {SoftmaxOp::kSoftmax, SoftmaxOp::kLogSoftmax, SoftmaxOp::kSoftmaxBackward, SoftmaxOp::kLogSoftmaxBackward}) {
      const int64_t most = impl::cpu::softmax_short_row(op);
      for (const int64_t n : {1, 2, 3, 4, 7, 8, 15, 16, 17, 31, 32, 33, 47, 63, 64, 65, 80, 97, 112, 127, 128}) {
        for (const int64_t rows : {1, 3, 4, 8}) {
          if (n <= most) check(op, n, rows);
        }
      }
    }
  });
}

TEST_F(ShortSoftmax, rows_without_a_maximum_are_nan) {
  for (const float bad : {INFINITY, NAN, -INFINITY}) {
    std::fill_n(x.begin() + 8, 5, bad);  // row 1 of rows of 5 elements and gaps of 3
    const std::vector<float> out = compute(SoftmaxOp::kSoftmax, 5, 0, 4, false);
    for (int64_t i = 0; i < 5; ++i) {
      EXPECT_TRUE(std::isnan(out[8 + i]));
      EXPECT_FALSE(std::isnan(out[i])) << "the row before";
      EXPECT_FALSE(std::isnan(out[16 + i])) << "the row behind";
    }
  }
}

}  // namespace
