// SPDX-License-Identifier: BSD-3-Clause
// The reduction engine: every kernel against loops over the elements, for any axes and layouts.
#include <cmath>
#include <limits>
#include <random>

#include "diopi_test/unit/engine_fixture.hpp"
#include "diopi_test/unit/every_target.hpp"
#include "impl/cpu/engine/reduce/kernels.hpp"

namespace {

using namespace impl::cpu;  // NOLINT: the tested namespace
using engine_test::Layout;
using engine_test::Shape;
using engine_test::Tensor;
using engine_test::Values;

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

class CpuReduce : public engine_test::EngineTest {};

Shape reduced_shape(const Shape& shape, uint32_t mask, bool keepdim) {
  Shape result;
  for (size_t i = 0; i < shape.size(); ++i) {
    const bool reduced = (mask >> i & 1) != 0;
    if (!reduced || keepdim) result.push_back(reduced ? 1 : shape[i]);
  }
  return result;
}

// The elements of each result, in row-major order of their positions.
std::vector<Values> groups_of(const Tensor& input, uint32_t mask) {
  const diopi::Dims& shape = input.view().shape;
  int64_t outputs = 1;
  for (int d = 0; d < shape.n; ++d) outputs *= (mask >> d & 1) != 0 ? 1 : shape[d];
  std::vector<Values> groups(outputs);
  const Values values = input.values();
  for (size_t i = 0; i < values.size(); ++i) {
    int64_t rest = static_cast<int64_t>(i), group = 0, step = 1;
    for (int d = shape.n - 1; d >= 0; --d) {
      if ((mask >> d & 1) == 0) {
        group += rest % shape[d] * step;
        step *= shape[d];
      }
      rest /= shape[d];
    }
    groups[group].push_back(values[i]);
  }
  return groups;
}

double fold(ReduceOp op, const Values& values) {
  double result = op == ReduceOp::kProd || op == ReduceOp::kAll ? 1 : 0;
  if (op == ReduceOp::kMaximum || op == ReduceOp::kMinimum) result = values.at(0);
  for (const double x : values) {
    if (op == ReduceOp::kSum || op == ReduceOp::kMean) result += x;
    if (op == ReduceOp::kProd) result *= x;
    if (op == ReduceOp::kAny && x != 0) result = 1;
    if (op == ReduceOp::kAll && x == 0) result = 0;
    if (std::isnan(result)) continue;
    if (op == ReduceOp::kMaximum && !(x <= result)) result = x;
    if (op == ReduceOp::kMinimum && !(x >= result)) result = x;
  }
  return op == ReduceOp::kMean ? result / static_cast<double>(values.size()) : result;
}

// Numbers with an exact result in every dtype: small integers, for products 1, -1 and a few 2.
double element(ReduceOp op, int64_t i, int64_t numel) {
  if (op == ReduceOp::kProd) return i % 499 == 7 ? 2 : i % 3 == 0 ? -1 : 1;
  if (op == ReduceOp::kAny) return i % 5 == 4 && i % 7 < 3;
  if (op == ReduceOp::kAll) return i % 11 != 4 || i % 7 < 3;
  return static_cast<double>((i * 37 + i / 91) % (numel < 100 ? 101 : 43));
}

struct Case {
  ReduceOp op;
  diopiDtype_t kernel, in, out;
};

const Case kCases[] = {
    {ReduceOp::kSum, diopi_dtype_int64, diopi_dtype_int8, diopi_dtype_int64},
    {ReduceOp::kSum, diopi_dtype_float32, diopi_dtype_float32, diopi_dtype_float32},
    {ReduceOp::kSum, diopi_dtype_float64, diopi_dtype_bfloat16, diopi_dtype_float32},
    {ReduceOp::kSum, diopi_dtype_complex64, diopi_dtype_complex64, diopi_dtype_complex64},
    {ReduceOp::kMean, diopi_dtype_float64, diopi_dtype_float64, diopi_dtype_float64},
    {ReduceOp::kMean, diopi_dtype_complex128, diopi_dtype_complex128, diopi_dtype_complex128},
    {ReduceOp::kProd, diopi_dtype_int64, diopi_dtype_int64, diopi_dtype_int64},
    {ReduceOp::kProd, diopi_dtype_float32, diopi_dtype_float16, diopi_dtype_float32},
    {ReduceOp::kMaximum, diopi_dtype_uint8, diopi_dtype_uint8, diopi_dtype_uint8},
    {ReduceOp::kMaximum, diopi_dtype_float32, diopi_dtype_float32, diopi_dtype_float32},
    {ReduceOp::kMinimum, diopi_dtype_int16, diopi_dtype_int16, diopi_dtype_int32},
    {ReduceOp::kMinimum, diopi_dtype_float64, diopi_dtype_float64, diopi_dtype_float64},
    {ReduceOp::kAny, diopi_dtype_bool, diopi_dtype_float32, diopi_dtype_bool},
    {ReduceOp::kAll, diopi_dtype_bool, diopi_dtype_bool, diopi_dtype_bool},
};

void expect_reduced(diopiContextHandle_t ctx, const Case& c, const Shape& shape, uint32_t mask, int variant) {
  const Layout in_layout = engine_test::kLayouts[variant % 4],
               out_layout = engine_test::kWritableLayouts[variant / 4 % 3];
  Tensor input(c.in, shape, in_layout);
  Tensor output(c.out, reduced_shape(shape, mask, variant % 2 == 0), out_layout);
  input.set([&](int64_t i) { return element(c.op, i, input.view().numel); });
  const std::vector<char> before = input.bytes();
  const ReduceKernel* kernel = reduce_kernel(c.op, c.kernel);
  ASSERT_NE(kernel, nullptr);
  ASSERT_EQ(run_reduce(ctx, *kernel, &output.view(), input.view(), mask), diopiSuccess);
  const std::vector<Values> groups = groups_of(input, mask);
  const Values got = output.values();
  ASSERT_EQ(got.size(), groups.size());
  for (size_t i = 0; i < got.size(); ++i) {
    ASSERT_EQ(got[i], fold(c.op, groups[i])) << "op " << static_cast<int>(c.op) << ", " << diopi::dtype_name(c.in)
                                             << ", mask " << mask << ", variant " << variant << ", result " << i;
  }
  EXPECT_TRUE(output.is_untouched_outside());
  EXPECT_TRUE(input.bytes() == before);
}

TEST_F(CpuReduce, any_axes_of_any_layout_are_reduced_as_loops_would) {
  test::on_every_target([&] {
    int variant = 0;
    for (const Case& c : kCases) {
      for (uint32_t mask = 0; mask < 16; ++mask, ++variant) expect_reduced(ctx_, c, {3, 5, 4, 6}, mask, variant);
      for (const int64_t n : {1, 2, 7, 8, 9, 15, 16, 17, 31, 33, 63, 64, 65, 129, 3001}) {
        for (const uint32_t mask : {1u, 2u}) {
          expect_reduced(ctx_, c, {n, 5}, mask, ++variant);
          expect_reduced(ctx_, c, {5, n}, mask, ++variant);
        }
      }
    }
  });
}

TEST_F(CpuReduce, long_reductions_are_merged_from_their_chunks) {
  for (const Case& c : kCases) {
    if (c.op != ReduceOp::kSum && c.op != ReduceOp::kMaximum) continue;
    expect_reduced(ctx_, c, {70001}, 1, 0);     // chunks of a row
    expect_reduced(ctx_, c, {9001, 21}, 1, 0);  // chunks of columns
  }
}

TEST_F(CpuReduce, reduction_of_nothing_is_the_identity) {
  const struct {
    ReduceOp op;
    diopiDtype_t dtype;
    double want;
  } cases[] = {{ReduceOp::kSum, diopi_dtype_float32, 0},
               {ReduceOp::kProd, diopi_dtype_int64, 1},
               {ReduceOp::kMean, diopi_dtype_float64, kNan},
               {ReduceOp::kAny, diopi_dtype_bool, 0},
               {ReduceOp::kAll, diopi_dtype_bool, 1}};
  for (const auto& c : cases) {
    const Tensor input(c.dtype, {3, 0}), output(c.dtype, {3});
    ASSERT_EQ(run_reduce(ctx_, *reduce_kernel(c.op, c.dtype), &output.view(), input.view(), 2), diopiSuccess);
    for (const double x : output.values()) {
      EXPECT_TRUE(x == c.want || (std::isnan(x) && std::isnan(c.want))) << static_cast<int>(c.op);
    }
  }
  const Tensor input(diopi_dtype_float32, {0, 4});
  Tensor none(diopi_dtype_float32, {0});
  const ReduceKernel* maximum = reduce_kernel(ReduceOp::kMaximum, diopi_dtype_float32);
  EXPECT_EQ(run_reduce(ctx_, *maximum, &none.view(), input.view(), 2), diopiSuccess);
  EXPECT_TRUE(none.is_untouched_outside());
}

// The sum of n equal numbers: if they were added one after the other, the error would grow with n. In columns, runs of
// 64 rows and then 64 such runs are added one after the other, so the bound has more constant terms.
TEST_F(CpuReduce, error_of_sum_grows_with_the_logarithm_of_its_length) {
  test::on_every_target([&] {
    for (const int64_t n : {1000, 30000, 600000}) {
      for (const bool columns : {false, true}) {
        const int64_t width = columns ? 5 : 1;
        Tensor input(diopi_dtype_float32, {n / width, width}), output(diopi_dtype_float32, {width});
        input.set([](int64_t) { return 0.1; });
        const ReduceKernel& kernel = *reduce_kernel(ReduceOp::kSum, diopi_dtype_float32);
        ASSERT_EQ(run_reduce(ctx_, kernel, &output.view(), input.view(), 1), diopiSuccess);
        const double want = static_cast<double>(n / width) * static_cast<double>(0.1f);
        for (const double got : output.values()) {
          EXPECT_NEAR(got, want, want * 0x1p-24 * (std::log2(n) + (columns ? 128 : 16)))
              << n << ", columns " << columns;
        }
      }
    }
  });
}

TEST_F(CpuReduce, result_has_the_same_bits_on_any_number_of_threads) {
  std::mt19937 random(3);
  std::normal_distribution<double> normal;
  for (const diopiDtype_t dtype : {diopi_dtype_float32, diopi_dtype_bfloat16}) {
    for (const Shape& shape : {Shape{300000, 1}, Shape{3, 70000}, Shape{20000, 17}, Shape{1000, 400}}) {
      Tensor input(dtype, shape);
      input.set([&](int64_t) { return normal(random); });
      const ReduceKernel* kernel = dtype == diopi_dtype_float32 ? reduce_kernel(ReduceOp::kSum, dtype)
                                                                : half_reduce_kernel(ReduceOp::kSum, dtype);
      if (kernel == nullptr) kernel = reduce_kernel(ReduceOp::kSum, diopi_dtype_float32);
      for (const uint32_t mask : {1u, 2u, 3u}) {
        expect_same_bytes([&] {
          const Tensor output(diopi_dtype_float32, reduced_shape(shape, mask, false));
          EXPECT_EQ(run_reduce(ctx_, *kernel, &output.view(), input.view(), mask), diopiSuccess);
          return output.bytes();
        });
      }
    }
  }
}

TEST_F(CpuReduce, halves_are_summed_in_float) {
  test::on_every_target([&] {
    for (const diopiDtype_t dtype : {diopi_dtype_float16, diopi_dtype_bfloat16}) {
      for (const ReduceOp op : {ReduceOp::kSum, ReduceOp::kMean}) {
        const ReduceKernel* kernel = half_reduce_kernel(op, dtype);
        if (kernel == nullptr) continue;
        for (const Shape& shape : {Shape{0, 3}, Shape{1, 1}, Shape{40, 33}, Shape{33, 40}, Shape{5000, 4}}) {
          for (const uint32_t mask : {1u, 2u, 3u}) {
            Tensor input(dtype, shape), output(diopi_dtype_float32, reduced_shape(shape, mask, false));
            input.set([](int64_t i) { return static_cast<double>(i % 32) - 15; });
            ASSERT_EQ(run_reduce(ctx_, *kernel, &output.view(), input.view(), mask), diopiSuccess);
            const std::vector<Values> groups = groups_of(input, mask);
            const Values got = output.values();
            for (size_t i = 0; i < got.size(); ++i) {
              if (op == ReduceOp::kMean && groups[i].empty()) {
                EXPECT_TRUE(std::isnan(got[i]));
              } else {
                EXPECT_EQ(got[i], static_cast<float>(fold(op, groups[i]))) << shape[0] << " x " << shape[1];
              }
            }
          }
        }
      }
    }
  });
}

// The first element beyond all others, and NaN beyond every number.
int64_t extreme_position(const Values& values, bool largest) {
  size_t best = 0;
  for (size_t i = 0; i < values.size() && !std::isnan(values[best]); ++i) {
    if (std::isnan(values[i]) || (largest ? values[i] > values[best] : values[i] < values[best])) best = i;
  }
  return static_cast<int64_t>(best);
}

void expect_extremum(diopiContextHandle_t ctx, diopiDtype_t dtype, const Shape& shape, uint32_t mask, int variant) {
  const bool largest = variant % 2 == 0, with_value = variant / 2 % 2 == 0, with_nan = variant / 4 % 2 == 0;
  Tensor input(dtype, shape, engine_test::kLayouts[variant % 4]);
  input.set([&](int64_t i) {
    const bool is_nan = with_nan && i % 53 == 31 && (dtype == diopi_dtype_float32 || dtype == diopi_dtype_float64);
    return is_nan ? kNan : static_cast<double>((i * 7 + i / 13) % (dtype == diopi_dtype_bool ? 2 : 19));
  });
  const Shape results = reduced_shape(shape, mask, with_nan);
  Tensor value(dtype, results, Layout::kGaps), position(diopi_dtype_int64, results, Layout::kTransposed);
  const TensorView outputs[] = {with_value ? value.view() : position.view(), position.view()};
  const ReduceKernel* kernel = extremum_kernel(largest, dtype, with_value);
  ASSERT_NE(kernel, nullptr);
  ASSERT_EQ(run_reduce(ctx, *kernel, outputs, input.view(), mask), diopiSuccess);
  const std::vector<Values> groups = groups_of(input, mask);
  const Values positions = position.values(), values = value.values();
  for (size_t i = 0; i < groups.size(); ++i) {
    const int64_t want = extreme_position(groups[i], largest);
    ASSERT_EQ(positions[i], want) << diopi::dtype_name(dtype) << ", mask " << mask << ", variant " << variant;
    if (!with_value) continue;
    const double x = groups[i][want];
    ASSERT_TRUE(values[i] == x || (std::isnan(values[i]) && std::isnan(x)));
  }
  EXPECT_TRUE(value.is_untouched_outside() && position.is_untouched_outside());
}

TEST_F(CpuReduce, extremum_is_the_first_of_equal_elements_in_row_major_order) {
  test::on_every_target([&] {
    int variant = 0;
    for (const diopiDtype_t dtype : {diopi_dtype_uint8, diopi_dtype_int32, diopi_dtype_int64, diopi_dtype_float32,
                                     diopi_dtype_float64, diopi_dtype_bool}) {
      for (int round = 0; round < 2; ++round) {
        for (uint32_t mask = 0; mask < 16; ++mask) expect_extremum(ctx_, dtype, {3, 5, 4, 6}, mask, ++variant);
      }
      for (const int64_t n : {1, 15, 16, 17, 64, 65, 1000, 3001}) {
        for (int round = 0; round < 4; ++round) {
          expect_extremum(ctx_, dtype, {n, 6}, round % 2 + 1, ++variant);
        }
      }
      expect_extremum(ctx_, dtype, {70001}, 1, 8);
      expect_extremum(ctx_, dtype, {9001, 21}, 1, 8);
      ++variant;
    }
  });
}

TEST_F(CpuReduce, extremum_is_nan_if_an_element_is_nan) {
  for (const ReduceOp op : {ReduceOp::kMaximum, ReduceOp::kMinimum}) {
    for (const int64_t n : {1, 16, 33, 1000}) {
      for (const int64_t at : {int64_t{0}, n / 2, n - 1}) {
        Tensor input(diopi_dtype_float32, {n}), output(diopi_dtype_float32, {});
        input.set([&](int64_t i) { return i == at ? kNan : static_cast<double>(i); });
        ASSERT_EQ(run_reduce(ctx_, *reduce_kernel(op, diopi_dtype_float32), &output.view(), input.view(), 1),
                  diopiSuccess);
        EXPECT_TRUE(std::isnan(output.values()[0])) << at << " of " << n;
      }
    }
  }
}

TEST_F(CpuReduce, output_may_overlap_the_input) {
  Tensor input(diopi_dtype_float32, {4, 40});
  input.set([](int64_t i) { return static_cast<double>(i % 17); });
  const std::vector<Values> groups = groups_of(input, 1);
  const TensorView output = input.view().select(0, 2);  // its elements are read by later columns
  ASSERT_EQ(run_reduce(ctx_, *reduce_kernel(ReduceOp::kSum, diopi_dtype_float32), &output, input.view(), 1),
            diopiSuccess);
  const Values got = input.values();
  for (int64_t i = 0; i < 40; ++i) EXPECT_EQ(got[80 + i], fold(ReduceOp::kSum, groups[i]));
  EXPECT_TRUE(input.is_untouched_outside());
}

TEST_F(CpuReduce, output_whose_elements_share_an_address_is_refused) {
  Tensor input(diopi_dtype_float32, {3, 4}), output(diopi_dtype_float32, {3}, Layout::kRepeated);
  input.set([](int64_t) { return 1; });
  const std::vector<char> before = output.bytes();
  const ReduceKernel& kernel = *reduce_kernel(ReduceOp::kSum, diopi_dtype_float32);
  EXPECT_NE(run_reduce(ctx_, kernel, &output.view(), input.view(), 2), diopiSuccess);
  EXPECT_TRUE(output.bytes() == before);
}

TEST_F(CpuReduce, dtypes_without_a_kernel_are_declined) {
  EXPECT_EQ(reduce_kernel(ReduceOp::kSum, diopi_dtype_int32), nullptr);
  EXPECT_EQ(reduce_kernel(ReduceOp::kProd, diopi_dtype_float16), nullptr);
  EXPECT_EQ(reduce_kernel(ReduceOp::kMean, diopi_dtype_int64), nullptr);
  EXPECT_EQ(reduce_kernel(ReduceOp::kMaximum, diopi_dtype_complex64), nullptr);
  EXPECT_EQ(reduce_kernel(ReduceOp::kAny, diopi_dtype_complex64)->in, diopi_dtype_bool);
  EXPECT_EQ(half_reduce_kernel(ReduceOp::kProd, diopi_dtype_float16), nullptr);
  EXPECT_EQ(half_reduce_kernel(ReduceOp::kSum, diopi_dtype_float32), nullptr);
  EXPECT_EQ(extremum_kernel(true, diopi_dtype_complex64, true), nullptr);
}

}  // namespace
