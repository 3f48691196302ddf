// SPDX-License-Identifier: BSD-3-Clause
// Moments of elements whose distances, sums or squares leave the range of float32.
#include <cmath>
#include <vector>

#include "diopi_test/unit/engine_fixture.hpp"
#include "diopi_test/unit/every_target.hpp"
#include "impl/cpu/norm/batch_group.hpp"

namespace {

using namespace impl::cpu;  // NOLINT: the tested namespace
using engine_test::Tensor;
using engine_test::Values;

constexpr double kHuge = 3e38;
constexpr int64_t kColumns = 3, kMostRows = 128;  // rows of a call for columns

class CpuNormRange : public engine_test::EngineTest {};

// The moments of `count` elements from `first` on, `step` apart.
struct Wanted {
  double mean = 0, m2 = 0, square = 0;
  Wanted(const Values& x, int64_t first, int64_t count, int64_t step) {
    for (int64_t i = 0; i < count; ++i) mean += x[first + i * step] / static_cast<double>(count);
    for (int64_t i = 0; i < count; ++i) {
      const double v = x[first + i * step];
      m2 += (v - mean) * (v - mean);
      square += v * v;
    }
  }
};

void expect_moments(double mean, double m2, const Wanted& want) {
  EXPECT_NEAR(mean, want.mean, 1e-6 * kHuge);
  EXPECT_NEAR(m2, want.m2, 1e-6 * want.square);
}

void expect_segments(diopiDtype_t dtype, const Tensor& x, int64_t length) {
  const NchwKernels& kernels = *nchw_kernels(dtype);
  for (const auto moments : {kernels.moments, kernels.precise_moments}) {
    for (int64_t k = 0; k < kColumns; ++k) {
      const char* const row = x.view().data + k * length * x.view().itemsize();
      const Moments m = moments(row, nullptr, {1, length, length});
      expect_moments(m.mean, m.m2, Wanted(x.values(), k * length, length, 1));
    }
    const Moments all = moments(x.view().data, nullptr, {kColumns, length, length});
    expect_moments(all.mean, all.m2, Wanted(x.values(), 0, kColumns * length, 1));
  }
}

void expect_columns(diopiDtype_t dtype, const Tensor& x, int64_t rows) {
  double mean[kColumns], m2[kColumns];
  nhwc_kernels(dtype)->moments(x.view().data, rows, kColumns, kColumns, mean, m2);
  for (int64_t c = 0; c < kColumns; ++c) expect_moments(mean[c], m2[c], Wanted(x.values(), c, rows, kColumns));
}

TEST_F(CpuNormRange, moments_of_huge_elements_are_those_of_float64) {
  test::on_every_target([] {
    for (const diopiDtype_t dtype : {diopi_dtype_bfloat16, diopi_dtype_float32}) {
      for (const int64_t length : {1, 2, 7, 33, 128, 1000, 70001}) {
        Tensor x(dtype, {length * kColumns});
        x.set([](int64_t i) { return (static_cast<double>(i * 37 % 101) / 50 - 1) * kHuge; });
        expect_segments(dtype, x, length);
        if (length <= kMostRows) expect_columns(dtype, x, length);
      }
    }
  });
}

TEST_F(CpuNormRange, one_huge_element_does_not_hide_the_others) {
  test::on_every_target([] {
    Tensor x(diopi_dtype_float32, {1000 * kColumns});
    x.set([](int64_t i) { return i % 777 == 5 ? kHuge : static_cast<double>(i % 7); });
    expect_segments(diopi_dtype_float32, x, 1000);
  });
}

}  // namespace
