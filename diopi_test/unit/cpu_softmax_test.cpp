// SPDX-License-Identifier: BSD-3-Clause
// The kernels of softmax, log-softmax and their gradients against float64: along rows, down columns, and through the
// row engine.
#include <cmath>
#include <limits>

#include "diopi_test/unit/engine_fixture.hpp"
#include "diopi_test/unit/every_target.hpp"
#include "impl/cpu/softmax/softmax.hpp"

namespace {

using namespace impl::cpu;  // NOLINT: the tested namespace
using engine_test::Layout;
using engine_test::Shape;
using engine_test::Tensor;
using engine_test::tolerance;
using engine_test::Values;

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr SoftmaxOp kOps[] = {SoftmaxOp::kSoftmax, SoftmaxOp::kLogSoftmax, SoftmaxOp::kSoftmaxBackward,
                              SoftmaxOp::kLogSoftmaxBackward};
constexpr diopiDtype_t kDtypes[] = {diopi_dtype_float16, diopi_dtype_bfloat16, diopi_dtype_float32,
                                    diopi_dtype_float64};

class CpuSoftmax : public engine_test::EngineTest {};

bool is_gradient(SoftmaxOp op) { return op == SoftmaxOp::kSoftmaxBackward || op == SoftmaxOp::kLogSoftmaxBackward; }

// The result of one row, and for each element the magnitude that its error is relative to.
struct Expected {
  Values value, magnitude;
};

// `x` is the input, or the gradient g; `y` is the result of the forward operation.
Expected expected(SoftmaxOp op, const Values& x, const Values& y) {
  double max = -kInfinity;
  long double exact_sum = 0, exact_dot = 0;  // wider, so that these sums are right where float64 is tested
  double weight = 0;
  for (const double v : x) max = v > max ? v : max;
  for (size_t i = 0; i < x.size(); ++i) {
    exact_sum += is_gradient(op) ? x[i] : std::exp(x[i] - max);
    exact_dot += is_gradient(op) ? x[i] * y[i] : 0;
    weight += op == SoftmaxOp::kSoftmaxBackward ? std::fabs(x[i] * y[i]) : std::fabs(x[i]);
  }
  const double sum = static_cast<double>(exact_sum), dot = static_cast<double>(exact_dot);
  Expected e{x, x};
  for (size_t i = 0; i < x.size(); ++i) {
    double& v = e.value[i];
    if (op == SoftmaxOp::kSoftmax) v = std::exp(x[i] - max) / sum;
    if (op == SoftmaxOp::kLogSoftmax) v = x[i] - max - std::log(sum);
    if (op == SoftmaxOp::kSoftmaxBackward) v = y[i] * (x[i] - dot);
    if (op == SoftmaxOp::kLogSoftmaxBackward) v = x[i] - std::exp(y[i]) * sum;
    e.magnitude[i] = std::fabs(v);
    // A difference has the errors of its terms, and a logarithm has the relative error of its argument.
    if (op == SoftmaxOp::kLogSoftmax) e.magnitude[i] = std::fabs(x[i] - max) + std::log(sum) + 1;
    if (op == SoftmaxOp::kSoftmaxBackward) e.magnitude[i] = y[i] * (std::fabs(x[i]) + weight);
    if (op == SoftmaxOp::kLogSoftmaxBackward) e.magnitude[i] = std::fabs(x[i]) + std::exp(y[i]) * weight;
  }
  return e;
}

// Inputs of a test in `dtype`: x or g, and y.
struct Inputs {
  Tensor x, y;
  Inputs(SoftmaxOp op, diopiDtype_t dtype, const Shape& shape, Layout layout)
      : x(dtype, shape, layout), y(dtype, shape, layout) {
    const bool is_log = op == SoftmaxOp::kLogSoftmaxBackward;
    x.set([](int64_t i) { return static_cast<double>(i * 37 % 101) / 8 - 6; });
    y.set([&](int64_t i) { return is_log ? -static_cast<double>(i * 7 % 31) / 4 : static_cast<double>(i % 13) / 64; });
  }
};

// Compares the rows of `got` along dimension `dim` of a matrix.
void expect_rows(SoftmaxOp op, const Inputs& in, const Values& got, int dim) {
  const diopi::Dims& shape = in.x.view().shape;
  const diopiDtype_t dtype = in.x.view().dtype;
  const int64_t n = shape[dim], rows = shape[1 - dim];
  const Values x = in.x.values(), y = in.y.values();
  for (int64_t r = 0; r < rows; ++r) {
    Values row_x, row_y;
    const auto place = [&](int64_t i) { return dim == 1 ? r * n + i : i * rows + r; };
    for (int64_t i = 0; i < n; ++i) {
      row_x.push_back(x[place(i)]);
      row_y.push_back(y[place(i)]);
    }
    const Expected want = expected(op, row_x, row_y);
    for (int64_t i = 0; i < n; ++i) {
      ASSERT_NEAR(got[place(i)], want.value[i], tolerance(dtype, want.value[i], want.magnitude[i]))
          << "op " << static_cast<int>(op) << ", " << diopi::dtype_name(dtype) << ", element " << i << " of " << n;
    }
  }
}

void expect_row_kernel(SoftmaxOp op, diopiDtype_t dtype, int64_t n, bool in_place) {
  const Inputs in(op, dtype, {1, n}, Layout::kContiguous), kept(op, dtype, {1, n}, Layout::kContiguous);
  Tensor apart(dtype, {1, n});
  const TensorView& out = in_place ? in.x.view() : apart.view();
  void* const outputs[] = {out.data};
  const void* const inputs[] = {in.x.view().data, in.y.view().data};
  const RowFn kernel = softmax_kernel(op, dtype);
  ASSERT_NE(kernel, nullptr);
  kernel(outputs, inputs, n, nullptr);
  expect_rows(op, kept, (in_place ? in.x : apart).values(), 1);
  EXPECT_TRUE(apart.is_untouched_outside());
}

TEST_F(CpuSoftmax, rows_of_any_length_agree_with_float64) {
  test::on_every_target([] {
    for (const SoftmaxOp op : kOps) {
      for (const diopiDtype_t dtype : kDtypes) {
        for (int64_t n = 0; n < 68; ++n) expect_row_kernel(op, dtype, n, n % 3 == 0);
        for (const int64_t n : {127, 128, 129, 1000, 5001}) expect_row_kernel(op, dtype, n, n == 1000);
      }
    }
  });
}

// The columns are a part of a matrix: neither the columns beside them nor the rows after them are written.
void expect_column_kernel(SoftmaxOp op, diopiDtype_t dtype, int64_t n, int64_t width, bool in_place) {
  constexpr int64_t kBeside = 3;
  const Shape shape{n, width + kBeside};
  const Inputs in(op, dtype, shape, Layout::kContiguous), kept(op, dtype, {n, width + kBeside}, Layout::kContiguous);
  Tensor apart(dtype, shape);
  apart.set([](int64_t) { return 77; });
  const Tensor& result = in_place ? in.x : apart;
  const Values before = result.values();
  void* const outputs[] = {result.view().data};
  const void* const inputs[] = {in.x.view().data, in.y.view().data};
  const int64_t step = (width + kBeside) * apart.view().itemsize(), pitch[] = {step, step, step};
  const ColumnFn kernel = softmax_columns_kernel(op, dtype);
  ASSERT_NE(kernel, nullptr);
  kernel(outputs, inputs, pitch, n, width);
  Values got = result.values();
  const Values x = kept.x.values(), y = kept.y.values();
  for (int64_t j = 0; j < width + kBeside; ++j) {
    Values row_x, row_y;
    for (int64_t i = 0; i < n; ++i) {
      row_x.push_back(x[i * shape[1] + j]);
      row_y.push_back(y[i * shape[1] + j]);
    }
    const Expected want = expected(op, row_x, row_y);
    for (int64_t i = 0; i < n; ++i) {
      const double value = j < width ? want.value[i] : before[i * shape[1] + j];
      ASSERT_NEAR(got[i * shape[1] + j], value, j < width ? tolerance(dtype, value, want.magnitude[i]) : 0)
          << "op " << static_cast<int>(op) << ", " << diopi::dtype_name(dtype) << ", " << n << " x " << width
          << ", column " << j;
    }
  }
  EXPECT_TRUE(apart.is_untouched_outside());
}

TEST_F(CpuSoftmax, columns_of_any_width_agree_with_float64) {
  test::on_every_target([] {
    for (const SoftmaxOp op : kOps) {
      for (const diopiDtype_t dtype : kDtypes) {
        for (const int64_t width : {1, 2, 3, 4, 7, 8, 9, 15, 16, 17, 31, 33, 64, 65}) {
          expect_column_kernel(op, dtype, 5, width, width % 2 == 0);
        }
        expect_column_kernel(op, dtype, 1, 20, false);
        expect_column_kernel(op, dtype, 3, kMaxColumns, false);
        expect_column_kernel(op, dtype, 300, 9, true);
      }
    }
  });
}

// A row and a column with these elements.
Values computed(SoftmaxOp op, diopiDtype_t dtype, const Values& x, bool columns) {
  const int64_t n = static_cast<int64_t>(x.size());
  Tensor in(dtype, {n}), out(dtype, {n});
  in.set([&](int64_t i) { return x[i]; });
  void* const outputs[] = {out.view().data};
  const void* const inputs[] = {in.view().data};
  const int64_t pitch[] = {in.view().itemsize(), in.view().itemsize()};
  if (columns) {
    softmax_columns_kernel(op, dtype)(outputs, inputs, pitch, n, 1);
  } else {
    softmax_kernel(op, dtype)(outputs, inputs, n, nullptr);
  }
  return out.values();
}

TEST_F(CpuSoftmax, large_numbers_and_infinities_do_not_overflow) {
  test::on_every_target([] {
    for (const diopiDtype_t dtype : kDtypes) {
      for (const bool columns : {false, true}) {
        for (const size_t n : {2, 5, 16, 40}) {
          Values x(n, -kInfinity);
          x[0] = x[n - 1] = 60000;
          const Values y = computed(SoftmaxOp::kSoftmax, dtype, x, columns);
          const Values log_y = computed(SoftmaxOp::kLogSoftmax, dtype, x, columns);
          for (size_t i = 0; i < n; ++i) {
            const bool is_largest = i == 0 || i == n - 1;
            EXPECT_EQ(y[i], is_largest ? 0.5 : 0) << i << " of " << n;
            if (is_largest) {
              EXPECT_NEAR(log_y[i], -std::log(2), tolerance(dtype, 0.7, 0.7));
            } else {
              EXPECT_EQ(log_y[i], -kInfinity);
            }
          }
          for (const double all : {-kInfinity, kInfinity, std::nan("")}) {
            for (const SoftmaxOp op : {SoftmaxOp::kSoftmax, SoftmaxOp::kLogSoftmax}) {
              for (const double v : computed(op, dtype, Values(n, all), columns)) EXPECT_TRUE(std::isnan(v)) << all;
            }
          }
        }
      }
    }
  });
}

RowKernel row_kernel(SoftmaxOp op, diopiDtype_t dtype) {
  RowKernel kernel;
  kernel.fn = softmax_kernel(op, dtype);
  kernel.columns = softmax_columns_kernel(op, dtype);
  kernel.num_inputs = is_gradient(op) ? 2 : 1;
  kernel.in[0] = kernel.in[1] = kernel.out[0] = dtype;
  return kernel;
}

TEST_F(CpuSoftmax, row_engine_runs_the_kernels_on_any_layout_with_the_same_bits_on_any_number_of_threads) {
  int variant = 0;
  for (const SoftmaxOp op : kOps) {
    for (const diopiDtype_t dtype : kDtypes) {
      for (const Shape& shape : {Shape{30, 20}, Shape{130, 70}, Shape{3, 500}}) {
        for (int dim = 0; dim < 2; ++dim, ++variant) {
          const Inputs in(op, dtype, shape, engine_test::kLayouts[variant % 4]);
          const TensorView inputs[] = {in.x.view(), in.y.view()};
          expect_same_bytes([&] {
            Tensor out(dtype, shape, engine_test::kWritableLayouts[variant % 3]);
            EXPECT_EQ(run_rows(ctx_, row_kernel(op, dtype), in.x.view().shape, 1u << dim, &out.view(), inputs),
                      diopiSuccess);
            expect_rows(op, in, out.values(), dim);
            const std::vector<char> bytes = out.bytes();
            EXPECT_TRUE(out.is_untouched_outside());
            return bytes;
          });
        }
      }
    }
  }
}

TEST_F(CpuSoftmax, dtypes_that_are_not_floating_point_are_declined) {
  for (const SoftmaxOp op : kOps) {
    for (const diopiDtype_t dtype :
         {diopi_dtype_int32, diopi_dtype_bool, diopi_dtype_complex64, diopi_dtype_unsupported}) {
      EXPECT_EQ(softmax_kernel(op, dtype), nullptr);
      EXPECT_EQ(softmax_columns_kernel(op, dtype), nullptr);
    }
  }
}

}  // namespace
