// SPDX-License-Identifier: BSD-3-Clause
// The row kernels of layer normalisation, and renorm, against loops in float64.
#include <cmath>
#include <limits>

#include "diopi_test/unit/engine_fixture.hpp"
#include "diopi_test/unit/every_target.hpp"
#include "impl/cpu/norm/layer.hpp"
#include "impl/cpu/norm/renorm.hpp"

namespace {

using namespace impl::cpu;  // NOLINT: the tested namespace
using engine_test::Tensor;
using engine_test::tolerance;
using engine_test::Values;

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kEps = 1e-3;
constexpr diopiDtype_t kDtypes[] = {diopi_dtype_float16, diopi_dtype_bfloat16, diopi_dtype_float32,
                                    diopi_dtype_float64};
constexpr int64_t kLengths[] = {1, 2, 3, 4, 7, 8, 9, 15, 16, 17, 31, 33, 64, 65, 1000, 3001};

class CpuNormRows : public engine_test::EngineTest {};

// A row x with its gradient, weights and statistics; h = (x - mean) rstd.
struct Row {
  diopiDtype_t dtype, compute;
  int64_t n;
  Tensor x, dy, weight, bias, mean, rstd;
  Values h;
  Row(diopiDtype_t row_dtype, int64_t length)
      : dtype(row_dtype),
        compute(diopi::compute_dtype(row_dtype)),
        n(length),
        x(dtype, {n}),
        dy(dtype, {n}),
        weight(compute, {n}),
        bias(compute, {n}),
        mean(compute, {}),
        rstd(compute, {}) {
    x.set([](int64_t i) { return static_cast<double>(i * 37 % 101) / 8 - 5; });
    dy.set([](int64_t i) { return static_cast<double>(i * 13 % 31) / 16 - 1; });
    weight.set([](int64_t i) { return static_cast<double>(i % 5) / 4 + 0.5; });
    bias.set([](int64_t i) { return static_cast<double>(i % 3) - 1; });
    double sum = 0, m2 = 0;
    const Values xs = x.values();
    for (const double v : xs) sum += v / static_cast<double>(n);
    for (const double v : xs) m2 += (v - sum) * (v - sum);
    const double r = 1 / std::sqrt(m2 / static_cast<double>(n) + kEps);
    mean.set([&](int64_t) { return sum; });
    rstd.set([&](int64_t) { return r; });
    for (const double v : xs) h.push_back((v - sum) * r);
  }
  // The error of h: x and the mean are rounded before the subtraction.
  double magnitude(int64_t i) const { return 8 * (std::fabs(h[i]) + 2) + 8 * rstd.values()[0]; }
};

void expect_layer_norm(const Row& row, bool has_weight, bool has_bias) {
  Tensor y(row.dtype, {row.n}), mean(row.compute, {}), rstd(row.compute, {});
  const LayerParams params{kEps, has_weight, has_bias};
  void* const out[] = {y.view().data, mean.view().data, rstd.view().data};
  const void* in[3] = {row.x.view().data};
  int inputs = 1;
  if (has_weight) in[inputs++] = row.weight.view().data;
  if (has_bias) in[inputs++] = row.bias.view().data;
  layer_norm_kernel(row.dtype)(out, in, row.n, &params);
  const Values w = row.weight.values(), b = row.bias.values(), got = y.values();
  const double r = row.rstd.values()[0];
  EXPECT_NEAR(mean.values()[0], row.mean.values()[0], tolerance(row.compute, 0, 8));
  EXPECT_NEAR(rstd.values()[0], r, tolerance(row.compute, 0, r));
  for (int64_t i = 0; i < row.n; ++i) {
    const double want = row.h[i] * (has_weight ? w[i] : 1) + (has_bias ? b[i] : 0);
    ASSERT_NEAR(got[i], want, tolerance(row.dtype, want, row.magnitude(i))) << i << " of " << row.n;
  }
  EXPECT_TRUE(y.is_untouched_outside() && mean.is_untouched_outside() && rstd.is_untouched_outside());
}

TEST_F(CpuNormRows, layer_norm_of_a_row_agrees_with_float64) {
  test::on_every_target([] {
    for (const diopiDtype_t dtype : kDtypes) {
      for (const int64_t n : kLengths) {
        const Row row(dtype, n);
        for (const int wants : {0, 1, 2, 3}) expect_layer_norm(row, (wants & 1) != 0, (wants & 2) != 0);
      }
    }
  });
}

void expect_layer_gradient(const Row& row, const LayerGradients& wants) {
  Tensor dx(row.dtype, {row.n}), dw(row.compute, {row.n}), db(row.compute, {row.n});
  for (Tensor* sums : {&dw, &db}) sums->set([](int64_t i) { return static_cast<double>(i % 4); });
  void* out[3] = {};
  int outputs = 0;
  if (wants.wants_input) out[outputs++] = dx.view().data;
  if (wants.wants_weight) out[outputs++] = dw.view().data;
  if (wants.wants_bias) out[outputs++] = db.view().data;
  const void* const in[] = {row.dy.view().data, row.x.view().data, row.mean.view().data, row.rstd.view().data,
                            row.weight.view().data};
  layer_norm_backward_kernel(row.dtype)(out, in, row.n, &wants);
  const Values w = row.weight.values(), dy = row.dy.values(), got = dx.values(), dws = dw.values(), dbs = db.values();
  const double r = row.rstd.values()[0];
  double mean_g = 0, mean_gh = 0;
  const auto g = [&](int64_t i) { return dy[i] * (wants.has_weight ? w[i] : 1); };
  for (int64_t i = 0; i < row.n; ++i) {
    mean_g += g(i) / static_cast<double>(row.n);
    mean_gh += g(i) * row.h[i] / static_cast<double>(row.n);
  }
  for (int64_t i = 0; i < row.n; ++i) {
    const double want = r * (g(i) - mean_g - row.h[i] * mean_gh), start = static_cast<double>(i % 4);
    const double room = tolerance(row.compute, 0, row.magnitude(i) + 4);
    if (wants.wants_input) {
      ASSERT_NEAR(got[i], want, tolerance(row.dtype, want, row.magnitude(i) * (r + 1) * 4)) << i << " of " << row.n;
    }
    ASSERT_NEAR(dws[i], start + (wants.wants_weight ? dy[i] * row.h[i] : 0), wants.wants_weight ? room : 0);
    ASSERT_NEAR(dbs[i], start + (wants.wants_bias ? dy[i] : 0), wants.wants_bias ? room : 0);
  }
  EXPECT_TRUE(dx.is_untouched_outside() && dw.is_untouched_outside() && db.is_untouched_outside());
}

TEST_F(CpuNormRows, layer_norm_gradient_of_a_row_is_written_or_added) {
  test::on_every_target([] {
    for (const diopiDtype_t dtype : kDtypes) {
      for (const int64_t n : kLengths) {
        const Row row(dtype, n);
        for (int wants = 0; wants < 16; ++wants) {
          expect_layer_gradient(row, {(wants & 1) != 0, (wants & 2) != 0, (wants & 4) != 0, (wants & 8) != 0});
        }
      }
    }
  });
}

TEST_F(CpuNormRows, dtypes_that_are_not_floating_point_are_declined) {
  for (const diopiDtype_t dtype :
       {diopi_dtype_int32, diopi_dtype_bool, diopi_dtype_complex64, diopi_dtype_unsupported}) {
    EXPECT_EQ(layer_norm_kernel(dtype), nullptr);
    EXPECT_EQ(layer_norm_backward_kernel(dtype), nullptr);
  }
}

double norm_of(const Values& row, double p) {
  double sum = p == -kInfinity ? kInfinity : 0;
  for (const double x : row) {
    const double a = std::fabs(x);
    if (std::isinf(p)) sum = p > 0 ? std::fmax(sum, a) : std::fmin(sum, a);
    if (std::isinf(p)) continue;
    sum += p == 0 ? static_cast<double>(a != 0) : std::pow(a, p);
  }
  return std::isinf(p) || p == 0 ? sum : std::pow(sum, 1 / p);
}

// Renorms every second row of a table; rows lie along either dimension.
std::vector<char> expect_renorm(diopiDtype_t dtype, int64_t width, bool across, double p, double max_norm) {
  constexpr int64_t kRows = 9;
  Tensor table(dtype, {kRows * width});
  table.set([](int64_t i) { return i % 7 == 3 ? 0 : static_cast<double>(i * 37 % 101) / 32 - 1.5; });
  const int64_t step = across ? kRows : 1, next = across ? 1 : width;
  const Values before = table.values();
  const int64_t offsets[] = {8 * next, 0, 4 * next, 2 * next, 6 * next};
  renorm_rows(dtype, table.view().data, offsets, 5, width, step, max_norm, p);
  const Values after = table.values();
  for (int64_t r = 0; r < kRows; ++r) {
    Values row;
    for (int64_t i = 0; i < width; ++i) row.push_back(before[r * next + i * step]);
    const double norm = norm_of(row, p), scale = r % 2 == 0 && norm > max_norm ? max_norm / (norm + 1e-7) : 1;
    for (int64_t i = 0; i < width; ++i) {
      const double want = row[i] * scale;
      EXPECT_NEAR(after[r * next + i * step], want, scale == 1 ? 0 : tolerance(dtype, want, std::fabs(want)))
          << diopi::dtype_name(dtype) << ", norm " << p << ", row " << r << ", element " << i << " of " << width;
    }
  }
  std::vector<char> bytes = table.bytes();
  EXPECT_TRUE(table.is_untouched_outside());
  return bytes;
}

TEST_F(CpuNormRows, rows_beyond_the_limit_are_scaled_to_it_and_others_keep_their_bits) {
  for (const diopiDtype_t dtype : kDtypes) {
    for (const int64_t width : {1, 5, 16, 257, 1000}) {
      for (const double p : {0.0, 0.5, 1.0, 2.0, 3.0, kInfinity, -kInfinity}) {
        for (const double max_norm : {0.75, 20.0}) {
          expect_same_bytes([&] { return expect_renorm(dtype, width, width % 2 == 0, p, max_norm); });
        }
      }
    }
  }
}

}  // namespace
