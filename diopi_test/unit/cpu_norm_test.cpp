// SPDX-License-Identifier: BSD-3-Clause
// Batch and group normalisation, and their kernels, against loops in float64.
#include <cmath>
#include <numeric>

#include "diopi_test/unit/engine_fixture.hpp"
#include "diopi_test/unit/every_target.hpp"
#include "impl/cpu/engine/rows/row_engine.hpp"
#include "impl/cpu/norm/batch_group.hpp"

namespace {

using namespace impl::cpu;  // NOLINT: the tested namespace
using engine_test::Tensor;
using engine_test::tolerance;
using engine_test::Values;

constexpr diopiDtype_t kDtypes[] = {diopi_dtype_float16, diopi_dtype_bfloat16, diopi_dtype_float32,
                                    diopi_dtype_float64};

class CpuNorm : public engine_test::EngineTest {};

double x_at(int64_t i) { return static_cast<double>(i * 37 % 101) / 8 - 5; }
double dy_at(int64_t i) { return static_cast<double>(i * 13 % 31) / 16 - 1; }

// The rounding of the compute dtype of sums of about 1000 terms.
double sum_rounding(diopiDtype_t dtype) { return 64 * (dtype == diopi_dtype_float64 ? 0x1p-53 : 0x1p-24); }

// The moments and gradient sums of the elements whose numbers are in `elements`.
struct Sums {
  double mean = 0, m2 = 0, dy = 0, dy_xmu = 0;
  double dy_magnitude = 0, dy_xmu_magnitude = 0, square = 0;
  Sums(const Values& x, const Values& grad, const std::vector<int64_t>& elements) {
    const double n = static_cast<double>(elements.size());
    for (const int64_t i : elements) mean += x[i] / n;
    for (const int64_t i : elements) {
      m2 += (x[i] - mean) * (x[i] - mean);
      square += x[i] * x[i];
      dy += grad[i];
      dy_xmu += grad[i] * (x[i] - mean);
      dy_magnitude += std::fabs(grad[i]);
      dy_xmu_magnitude += std::fabs(grad[i]) * (std::fabs(x[i]) + std::fabs(mean));
    }
  }
  double invstd(double n, double eps) const { return 1 / std::sqrt(m2 / n + eps); }
};

TEST_F(CpuNorm, moments_of_disjoint_sets_are_merged) {
  const Values x{3, -1, 4, 1, -5, 9, 2, 6};
  for (size_t split = 0; split <= x.size(); ++split) {
    Moments all, rest;
    for (size_t i = 0; i < x.size(); ++i) (i < split ? all : rest).add(1, x[i], 0);
    all.add(rest.count, rest.mean, rest.m2);
    EXPECT_EQ(all.count, 8);
    EXPECT_NEAR(all.mean, 2.375, 1e-15);
    EXPECT_NEAR(all.m2, 127.875, 1e-13);
  }
  Moments none;
  none.add(0, 7, 7);
  EXPECT_EQ(none.mean, 0);
}

std::vector<int64_t> elements_of(const StridedSegments& s) {
  std::vector<int64_t> elements;
  for (int64_t k = 0; k < s.count; ++k) {
    for (int64_t i = 0; i < s.length; ++i) elements.push_back(k * s.step + i);
  }
  return elements;
}

void expect_segment_sums(diopiDtype_t dtype, const StridedSegments& s, const Tensor& x, const Tensor& dy) {
  const NchwKernels& kernels = *nchw_kernels(dtype);
  const std::vector<int64_t> elements = elements_of(s);
  const Values xs = x.values(), dys = dy.values();
  const Sums want(xs, dys, elements);
  const double rounding = sum_rounding(dtype);
  for (const auto moments : {kernels.moments, kernels.precise_moments}) {
    const Moments m = moments(x.view().data, nullptr, s);
    EXPECT_EQ(m.count, static_cast<double>(elements.size()));
    EXPECT_NEAR(m.mean, want.mean, rounding * 8);
    EXPECT_NEAR(m.m2, want.m2, rounding * want.square);
  }
  double sums[2];
  Values sum_dy(s.count), sum_dy_xmu(s.count);
  kernels.grad_sums(dy.view().data, x.view().data, s, want.mean, sums);
  kernels.segment_sums(dy.view().data, x.view().data, s, want.mean, sum_dy.data(), sum_dy_xmu.data());
  EXPECT_NEAR(sums[0], want.dy, rounding * want.dy_magnitude);
  EXPECT_NEAR(sums[1], want.dy_xmu, rounding * want.dy_xmu_magnitude);
  for (int64_t k = 0; k < s.count; ++k) {
    double a = 0, b = 0;
    for (int64_t i = k * s.step; i < k * s.step + s.length; ++i) {
      a += dys[i];
      b += dys[i] * (xs[i] - want.mean);
    }
    EXPECT_NEAR(sum_dy[k], a, rounding * want.dy_magnitude);
    EXPECT_NEAR(sum_dy_xmu[k], b, rounding * want.dy_xmu_magnitude);
  }
}

// y = (x - mean) scale + shift and dx = dy scale - a - (x - mean) b; elements between the segments keep their values.
void expect_segment_maps(diopiDtype_t dtype, const StridedSegments& s, const Tensor& x, const Tensor& dy) {
  const Values xs = x.values(), dys = dy.values(), scale{1.5, -0.75, 2}, shift{0.25, 3, -1};
  const double mean = 0.375, a = 0.5, b = -0.625;
  for (const int64_t step : {0, 1}) {
    Tensor y(dtype, {x.view().numel}), dx(dtype, {x.view().numel});
    for (Tensor* t : {&y, &dx}) t->set([](int64_t) { return 77; });
    const SegmentConstants constants{scale.data(), shift.data(), step};
    nchw_kernels(dtype)->normalize(y.view().data, x.view().data, s, mean, constants);
    nchw_kernels(dtype)->grad_input(dx.view().data, dy.view().data, x.view().data, s, mean, a, b,
                                    {scale.data(), nullptr, step});
    const Values ys = y.values(), dxs = dx.values();
    for (int64_t i = 0; i < x.view().numel; ++i) {
      const int64_t k = i / s.step, c = k * step;
      const bool inside = i % s.step < s.length && k < s.count;
      const double distance = xs[i] - mean, want_y = inside ? distance * scale[c] + shift[c] : 77;
      const double want_dx = inside ? dys[i] * scale[c] - a - distance * b : 77;
      ASSERT_NEAR(ys[i], want_y, inside ? tolerance(dtype, want_y, std::fabs(distance) * 2 + 3) : 0) << i;
      ASSERT_NEAR(dxs[i], want_dx, inside ? tolerance(dtype, want_dx, std::fabs(distance) + 3) : 0) << i;
    }
    EXPECT_TRUE(y.is_untouched_outside() && dx.is_untouched_outside());
  }
}

TEST_F(CpuNorm, segments_of_planes_agree_with_float64) {
  test::on_every_target([] {
    for (const diopiDtype_t dtype : kDtypes) {
      for (const int64_t count : {1, 3}) {
        for (const int64_t length : {1, 2, 3, 4, 7, 8, 9, 15, 16, 17, 31, 32, 33, 63, 64, 65, 129, 1000, 3001}) {
          const StridedSegments s{count, length, length + count};
          Tensor x(dtype, {count * s.step}), dy(dtype, {count * s.step});
          x.set(x_at);
          dy.set(dy_at);
          expect_segment_sums(dtype, s, x, dy);
          expect_segment_maps(dtype, s, x, dy);
        }
      }
    }
  });
}

TEST_F(CpuNorm, precise_mean_is_right_where_elements_cancel) {
  test::on_every_target([] {
    constexpr int64_t kCount = 20000;
    Tensor x(diopi_dtype_float32, {kCount});
    x.set([](int64_t i) { return (i * 7919 % kCount < kCount / 2 ? 12345.6 : -12345.6) + 0.001; });
    const Values xs = x.values();
    const double mean = std::accumulate(xs.begin(), xs.end(), 0.0) / kCount;
    const Moments m = nchw_kernels(diopi_dtype_float32)->precise_moments(x.view().data, nullptr, {1, kCount, kCount});
    EXPECT_NEAR(m.mean, mean, 1e-6);
  });
}

void expect_columns(diopiDtype_t dtype, int64_t rows, int64_t width) {
  const int64_t pitch = width + 3;
  const diopiDtype_t compute = diopi::compute_dtype(dtype);
  Tensor x(dtype, {rows, pitch}), dy(dtype, {rows, pitch}), y(dtype, {rows, pitch}), dx(dtype, {rows, pitch});
  Tensor mean(compute, {width}), scale(compute, {width}), shift(compute, {width}), b(compute, {width});
  x.set(x_at);
  dy.set(dy_at);
  for (Tensor* t : {&y, &dx}) t->set([](int64_t) { return 77; });
  mean.set([](int64_t c) { return static_cast<double>(c % 5) / 8; });
  scale.set([](int64_t c) { return static_cast<double>(c % 7) / 4 - 1; });
  shift.set([](int64_t c) { return static_cast<double>(c % 3) - 1; });
  b.set([](int64_t c) { return static_cast<double>(c % 4) / 2 - 1; });
  const NhwcKernels& kernels = *nhwc_kernels(dtype);
  Values means(width + 1, 77), m2(width + 1, 77), sums(width + 1, 77), products(width + 1, 77);
  kernels.moments(x.view().data, rows, pitch, width, means.data(), m2.data());
  kernels.grad_sums(dy.view().data, x.view().data, rows, pitch, width, mean.view().data, sums.data(), products.data());
  const void* const forward[] = {mean.view().data, scale.view().data, shift.view().data};
  const void* const backward[] = {mean.view().data, scale.view().data, shift.view().data, b.view().data};
  kernels.normalize(y.view().data, x.view().data, rows, pitch, width, forward);
  kernels.grad_input(dx.view().data, dy.view().data, x.view().data, rows, pitch, width, backward);
  const Values xs = x.values(), dys = dy.values(), ys = y.values(), dxs = dx.values();
  const Values mu = mean.values(), k = scale.values(), a = shift.values(), bs = b.values();
  for (int64_t c = 0; c < pitch; ++c) {
    std::vector<int64_t> elements;
    double product = 0;
    for (int64_t i = c; i < rows * pitch; i += pitch) {
      elements.push_back(i);
      const double d = c < width ? xs[i] - mu[c] : 0, y_want = c < width ? d * k[c] + a[c] : 77;
      const double dx_want = c < width ? dys[i] * k[c] - a[c] - d * bs[c] : 77;
      product += dys[i] * d;
      ASSERT_NEAR(ys[i], y_want, c < width ? tolerance(dtype, y_want, std::fabs(d) + 2) : 0) << width;
      ASSERT_NEAR(dxs[i], dx_want, c < width ? tolerance(dtype, dx_want, std::fabs(d) + 2) : 0) << width;
    }
    if (c >= width) continue;
    const Sums want(xs, dys, elements);
    ASSERT_NEAR(means[c], want.mean, sum_rounding(dtype) * 8) << c << " of " << width;
    ASSERT_NEAR(m2[c], want.m2, sum_rounding(dtype) * want.square);
    ASSERT_NEAR(sums[c], want.dy, sum_rounding(dtype) * want.dy_magnitude);
    ASSERT_NEAR(products[c], product, sum_rounding(dtype) * (want.dy_xmu_magnitude + want.dy_magnitude));
  }
  for (const Values* written : {&means, &m2, &sums, &products}) EXPECT_EQ(written->back(), 77);
  EXPECT_TRUE(y.is_untouched_outside() && dx.is_untouched_outside());
}

TEST_F(CpuNorm, columns_agree_with_float64) {
  test::on_every_target([] {
    for (const diopiDtype_t dtype : kDtypes) {
      for (const int64_t width : {1, 2, 3, 4, 7, 8, 9, 15, 16, 17, 31, 33, 64, 65}) {
        for (const int64_t rows : {1, 5, 128}) expect_columns(dtype, rows, width);
      }
      expect_columns(dtype, 3, kMaxColumns);
    }
  });
}

// Batch normalisation, forward and backward, with the numbers of elements of channel c.
struct Batch {
  ChannelShape shape;
  Tensor x, y, dy, dx;
  Values weight, bias, mean, invstd, m2, sum_dy, sum_dy_xmu;
  Batch(bool columns, diopiDtype_t dtype, int64_t samples, int64_t channels, int64_t space)
      : shape{columns, samples, channels, space, dtype},
        x(dtype, {samples * channels * space}),
        y(dtype, {x.view().numel}),
        dy(dtype, {x.view().numel}),
        dx(dtype, {x.view().numel}),
        weight(channels),
        bias(channels),
        mean(channels),
        invstd(channels),
        m2(channels),
        sum_dy(channels),
        sum_dy_xmu(channels) {
    x.set(x_at);
    dy.set(dy_at);
    for (int64_t c = 0; c < channels; ++c) {
      weight[c] = static_cast<double>(c % 5) / 4 + 0.5;
      bias[c] = static_cast<double>(c % 3) - 1;
      mean[c] = static_cast<double>(c % 7) / 8;
      invstd[c] = static_cast<double>(c % 4) / 8 + 0.25;
    }
  }
  std::vector<int64_t> elements(int64_t c) const {
    std::vector<int64_t> result;
    for (int64_t i = 0; i < x.view().numel; ++i) {
      if ((shape.columns ? i : i / shape.space) % shape.channels == c) result.push_back(i);
    }
    return result;
  }
  void run(diopiContextHandle_t ctx, bool training) {
    const BatchForward forward{weight.data(), bias.data(), mean.data(), invstd.data(), m2.data(), training, 1e-3};
    EXPECT_EQ(batch_forward(ctx, shape, y.view().data, x.view().data, forward), diopiSuccess);
    const BatchBackward backward{weight.data(), mean.data(), invstd.data(), sum_dy.data(), sum_dy_xmu.data(), training};
    EXPECT_EQ(batch_backward(ctx, shape, dx.view().data, dy.view().data, x.view().data, backward), diopiSuccess);
  }
};

void expect_channels(const Batch& b, bool training, const Values& given_mean, const Values& given_invstd) {
  const Values xs = b.x.values(), ys = b.y.values(), dys = b.dy.values(), dxs = b.dx.values();
  const diopiDtype_t dtype = b.shape.dtype;
  const double rounding = sum_rounding(dtype);
  for (int64_t c = 0; c < b.shape.channels; ++c) {
    const std::vector<int64_t> elements = b.elements(c);
    const Sums sums(xs, dys, elements);
    const double n = static_cast<double>(elements.size());
    const double mean = training ? sums.mean : given_mean[c], r = training ? sums.invstd(n, 1e-3) : given_invstd[c];
    ASSERT_NEAR(b.mean[c], mean, rounding * 8);
    ASSERT_NEAR(b.invstd[c], r, rounding * r);
    double product = 0;
    for (const int64_t i : elements) product += dys[i] * (xs[i] - mean);
    ASSERT_NEAR(b.sum_dy[c], sums.dy, rounding * sums.dy_magnitude);
    ASSERT_NEAR(b.sum_dy_xmu[c], product, rounding * (sums.dy_xmu_magnitude + sums.dy_magnitude));
    for (const int64_t i : elements) {
      const double h = (xs[i] - mean) * r, want_y = h * b.weight[c] + b.bias[c];
      const double centred = training ? dys[i] - sums.dy / n - h * r * product / n : dys[i];
      const double want_dx = centred * r * b.weight[c];
      ASSERT_NEAR(ys[i], want_y, tolerance(dtype, want_y, 8 * (std::fabs(h) + 2))) << "channel " << c;
      ASSERT_NEAR(dxs[i], want_dx, tolerance(dtype, want_dx, 32 * (std::fabs(h) + 2))) << "channel " << c;
    }
  }
}

TEST_F(CpuNorm, batch_statistics_and_gradients_are_those_of_each_channel) {
  for (const diopiDtype_t dtype : kDtypes) {
    for (const bool columns : {false, true}) {
      for (const bool training : {false, true}) {
        for (const int64_t space : {1, 17, 300}) {
          expect_same_bytes([&] {
            Batch b(columns, dtype, 3, 40, space);
            const Values mean = b.mean, invstd = b.invstd;
            b.run(ctx_, training);
            expect_channels(b, training, mean, invstd);
            std::vector<char> bytes = b.y.bytes();
            bytes.insert(bytes.end(), b.dx.bytes().begin(), b.dx.bytes().end());
            EXPECT_TRUE(b.y.is_untouched_outside() && b.dx.is_untouched_outside());
            return bytes;
          });
        }
      }
    }
  }
}

// Group normalisation of 2 samples against the formulas of each group.
std::vector<char> expect_groups(diopiContextHandle_t ctx, const GroupShape& shape) {
  const int64_t numel = shape.count() * shape.elements(), channels = shape.groups * shape.channels;
  Tensor x(shape.dtype, {numel}), y(shape.dtype, {numel}), dy(shape.dtype, {numel}), dx(shape.dtype, {numel});
  x.set(x_at);
  dy.set(dy_at);
  Values weight(channels), bias(channels), mean(shape.count()), invstd(shape.count()), dw(channels), db(channels);
  for (int64_t c = 0; c < channels; ++c) {
    weight[c] = static_cast<double>(c % 5) / 4 + 0.5;
    bias[c] = static_cast<double>(c % 3) - 1;
  }
  EXPECT_EQ(group_forward(ctx, shape, y.view().data, x.view().data, weight.data(), bias.data(), 1e-3, mean.data(),
                          invstd.data()),
            diopiSuccess);
  EXPECT_EQ(group_backward(ctx, shape, dx.view().data, dy.view().data, x.view().data, weight.data(),
                           {mean.data(), invstd.data()}, dw.data(), db.data()),
            diopiSuccess);
  const Values xs = x.values(), ys = y.values(), dxs = dx.values(), dys = dy.values();
  Values want_dw(channels), want_db(channels);
  const double n = static_cast<double>(shape.elements()), rounding = sum_rounding(shape.dtype);
  for (int64_t g = 0; g < shape.count(); ++g) {
    std::vector<int64_t> elements(shape.elements());
    std::iota(elements.begin(), elements.end(), g * shape.elements());
    const Sums sums(xs, dys, elements);
    const double r = sums.invstd(n, 1e-3);
    EXPECT_NEAR(mean[g], sums.mean, rounding * 8);
    EXPECT_NEAR(invstd[g], r, rounding * r);
    const auto channel = [&](int64_t i) { return i / shape.space % channels; };
    const auto h = [&](int64_t i) { return (xs[i] - sums.mean) * r; };
    double mean_g = 0, mean_gh = 0;
    for (const int64_t i : elements) {
      mean_g += dys[i] * weight[channel(i)] / n;
      mean_gh += dys[i] * weight[channel(i)] * h(i) / n;
      want_dw[channel(i)] += dys[i] * h(i);
      want_db[channel(i)] += dys[i];
    }
    for (const int64_t i : elements) {
      const double want_y = h(i) * weight[channel(i)] + bias[channel(i)];
      const double want_dx = r * (dys[i] * weight[channel(i)] - mean_g - h(i) * mean_gh);
      EXPECT_NEAR(ys[i], want_y, tolerance(shape.dtype, want_y, 8 * (std::fabs(h(i)) + 2))) << i;
      EXPECT_NEAR(dxs[i], want_dx, tolerance(shape.dtype, want_dx, 32 * (std::fabs(h(i)) + 2))) << i;
    }
  }
  for (int64_t c = 0; c < channels; ++c) {
    EXPECT_NEAR(dw[c], want_dw[c], rounding * 4 * static_cast<double>(shape.samples * shape.space));
    EXPECT_NEAR(db[c], want_db[c], rounding * static_cast<double>(shape.samples * shape.space));
  }
  std::vector<char> bytes = y.bytes();
  bytes.insert(bytes.end(), dx.bytes().begin(), dx.bytes().end());
  EXPECT_TRUE(y.is_untouched_outside() && dx.is_untouched_outside());
  return bytes;
}

TEST_F(CpuNorm, group_statistics_and_gradients_are_those_of_each_group_of_each_sample) {
  for (const diopiDtype_t dtype : kDtypes) {
    for (const GroupShape& shape : {GroupShape{2, 3, 4, 17, dtype}, GroupShape{2, 20, 2, 9, dtype},
                                    GroupShape{1, 1, 1, 1000, dtype}, GroupShape{3, 2, 3, 1, dtype}}) {
      expect_same_bytes([&] { return expect_groups(ctx_, shape); });
    }
  }
}

TEST_F(CpuNorm, dtypes_that_are_not_floating_point_are_declined) {
  for (const diopiDtype_t dtype :
       {diopi_dtype_int32, diopi_dtype_bool, diopi_dtype_complex64, diopi_dtype_unsupported}) {
    EXPECT_EQ(nchw_kernels(dtype), nullptr);
    EXPECT_EQ(nhwc_kernels(dtype), nullptr);
  }
}

}  // namespace
