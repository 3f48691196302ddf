// SPDX-License-Identifier: BSD-3-Clause
// The row engine: what kernels get as rows, for any dimensions and layouts, against loops over the elements.
#include <algorithm>
#include <atomic>
#include <cstring>

#include "diopi_test/unit/engine_fixture.hpp"
#include "impl/cpu/engine/rows/row_engine.hpp"

namespace {

using namespace impl::cpu;  // NOLINT: the tested namespace
using engine_test::Layout;
using engine_test::Shape;
using engine_test::Tensor;
using engine_test::Values;

class CpuRowEngine : public engine_test::EngineTest {};

std::atomic<int> row_calls{0}, column_calls{0};

// out[0][i] = sum of in[0][j], j <= i, + in[1][0] + in[2][i]; out[1][0] = n. The result depends on the order of the
// elements in the row. in[1] has one element per row.
void running_sum(void* const* out, const void* const* in, int64_t n, const void* params) {
  ++row_calls;
  const float *x = static_cast<const float*>(in[0]), *c = static_cast<const float*>(in[1]);
  const double* w = static_cast<const double*>(in[2]);
  float sum = 0;
  for (int64_t i = 0; i < n; ++i) {
    sum += x[i];
    static_cast<float*>(out[0])[i] = sum + *c + static_cast<float>(w[i]) + *static_cast<const float*>(params);
  }
  *static_cast<int64_t*>(out[1]) = n;
}

// Maps the number of an element of `shape` to its row, and to its place in the row.
struct Place {
  int64_t row = 0, index = 0;
  Place(const Shape& shape, uint32_t mask, int64_t i) {
    int64_t row_step = 1, index_step = 1;
    for (int d = static_cast<int>(shape.size()) - 1; d >= 0; --d) {
      const bool along = (mask >> d & 1) != 0;
      (along ? index : row) += i % shape[d] * (along ? index_step : row_step);
      (along ? index_step : row_step) *= shape[d];
      i /= shape[d];
    }
  }
};

Shape with_ones(const Shape& shape, uint32_t mask, bool in_row) {
  Shape result = shape;
  for (size_t d = 0; d < shape.size(); ++d) {
    if (((mask >> d & 1) != 0) == in_row) result[d] = 1;
  }
  return result;
}

// A RowsFn that calls a RowFn for each row.
std::atomic<int> together_calls{0};
template <RowFn kFn, int kOutputs, int kInputs>
void each_row(void* const* out, const void* const* in, const int64_t* step, int64_t n, int64_t rows,
              const void* params) {
  ++together_calls;
  for (int64_t r = 0; r < rows; ++r) {
    void* to[kOutputs];
    const void* from[kInputs];
    for (int k = 0; k < kOutputs; ++k) to[k] = static_cast<char*>(out[k]) + r * step[k];
    for (int k = 0; k < kInputs; ++k) from[k] = static_cast<const char*>(in[k]) + r * step[kOutputs + k];
    kFn(to, from, n, params);
  }
}

void expect_running_sums(diopiContextHandle_t ctx, const Shape& shape, uint32_t mask, int variant) {
  const bool converts = variant % 5 == 0;
  const float params = 3;
  RowKernel kernel;
  kernel.fn = running_sum;
  kernel.params = &params;
  kernel.num_inputs = 3;
  kernel.num_outputs = 2;
  kernel.in[0] = kernel.in[1] = kernel.out[0] = diopi_dtype_float32;
  kernel.in[2] = diopi_dtype_float64;
  kernel.out[1] = diopi_dtype_int64;
  kernel.rows = variant % 2 == 0 ? each_row<running_sum, 2, 3> : nullptr;
  kernel.most_of_rows = 40;
  Tensor x(converts ? diopi_dtype_int8 : diopi_dtype_float32, shape, engine_test::kLayouts[variant % 4]);
  Tensor c(converts ? diopi_dtype_bfloat16 : diopi_dtype_float32, with_ones(shape, mask, true),
           engine_test::kLayouts[variant / 4 % 4]);
  Tensor w(variant % 3 == 0 ? diopi_dtype_float32 : diopi_dtype_float64, with_ones(shape, mask, false),
           engine_test::kLayouts[variant / 16 % 4]);
  Tensor y(variant % 7 == 0 ? diopi_dtype_float64 : diopi_dtype_float32, shape,
           engine_test::kWritableLayouts[variant / 2 % 3]);
  Tensor count(variant % 7 == 0 ? diopi_dtype_int32 : diopi_dtype_int64, with_ones(shape, mask, true),
               engine_test::kWritableLayouts[variant % 3]);
  for (Tensor* in : {&x, &c, &w}) in->set([](int64_t i) { return static_cast<double>(i * 5 % 11 - 4); });
  const TensorView *outputs[] = {&y.view(), &count.view()}, *inputs[] = {&x.view(), &c.view(), &w.view()};
  const std::vector<char> before = x.bytes();
  ASSERT_EQ(run_rows(ctx, kernel, engine_test::dims_of(shape), mask, outputs, inputs), diopiSuccess);
  const Values got = y.values(), counts = count.values(), values = x.values(), per_row = c.values(), along = w.values();
  int64_t n = 1;
  for (size_t d = 0; d < shape.size(); ++d) n *= (mask >> d & 1) != 0 ? shape[d] : 1;
  Values sums(per_row.size());
  for (size_t i = 0; i < got.size(); ++i) {
    const Place at(shape, mask, static_cast<int64_t>(i));
    sums[at.row] += values[i];
    ASSERT_EQ(got[i], sums[at.row] + per_row[at.row] + along[at.index] + 3)
        << "mask " << mask << ", variant " << variant << ", element " << i;
  }
  for (const double k : counts) ASSERT_EQ(k, n);
  EXPECT_TRUE(y.is_untouched_outside() && count.is_untouched_outside());
  EXPECT_TRUE(x.bytes() == before);
}

TEST_F(CpuRowEngine, any_dimensions_of_any_layouts_are_rows) {
  int variant = 0;
  for (int round = 0; round < 20; ++round) {
    for (uint32_t mask = 0; mask < 16; ++mask) expect_running_sums(ctx_, {3, 5, 4, 6}, mask, ++variant);
  }
  for (const int64_t n : {1, 2, 15, 16, 17, 33, 65, 1000}) {
    for (int round = 0; round < 24; ++round) {
      expect_running_sums(ctx_, {n, 19}, 1, ++variant);
      expect_running_sums(ctx_, {19, n}, 2, ++variant);
    }
  }
}

TEST_F(CpuRowEngine, row_without_elements_is_computed_and_no_rows_are_not) {
  row_calls = 0;
  for (int variant = 1; variant < 8; ++variant) expect_running_sums(ctx_, {3, 0, 4}, 6, variant);
  EXPECT_EQ(row_calls, 7 * 3);
  row_calls = 0;
  expect_running_sums(ctx_, {0, 5}, 2, 1);
  EXPECT_EQ(row_calls, 0);
}

// out[i] = in[0][i] - in[1][0], so an engine that wrote too early would show.
void minus_first(void* const* out, const void* const* in, int64_t n, const void*) {
  ++row_calls;
  const float* x = static_cast<const float*>(in[0]);
  const float first = x[0];
  for (int64_t i = 0; i < n; ++i) static_cast<float*>(out[0])[i] = x[i] - first;
}
void minus_first_columns(void* const* out, const void* const* in, const int64_t* pitch, int64_t n, int64_t width) {
  ++column_calls;
  EXPECT_LE(width, kMaxColumns);
  for (int64_t j = 0; j < width; ++j) {
    const auto element = [&](const void* p, int64_t i, int k) {
      return reinterpret_cast<float*>(static_cast<char*>(const_cast<void*>(p)) + i * pitch[k]) + j;
    };
    const float first = *element(in[0], 0, 1);
    for (int64_t i = 0; i < n; ++i) *element(out[0], i, 0) = *element(in[0], i, 1) - first;
  }
}

RowKernel minus_first_kernel(bool with_columns) {
  RowKernel kernel;
  kernel.fn = minus_first;
  kernel.columns = with_columns ? minus_first_columns : nullptr;
  kernel.num_inputs = 1;
  kernel.in[0] = kernel.out[0] = diopi_dtype_float32;
  return kernel;
}

void expect_minus_first(const Values& got, const Values& values, const Shape& shape, uint32_t mask) {
  Values first(values.size());
  for (size_t i = 0; i < values.size(); ++i) {
    const Place at(shape, mask, static_cast<int64_t>(i));
    if (at.index == 0) first[at.row] = values[i];
    ASSERT_EQ(got[i], values[i] - first[at.row]) << i;
  }
}

double number(int64_t i) { return static_cast<double>(i * 29 % 101); }

TEST_F(CpuRowEngine, column_form_computes_adjacent_rows) {
  for (const bool with_columns : {false, true}) {
    for (const Shape& shape : {Shape{2, 9, 8}, Shape{3, 17, 65}, Shape{1, 2, 3000}, Shape{2, 3001, 9}}) {
      Tensor x(diopi_dtype_float32, shape), y(diopi_dtype_float32, shape);
      x.set(number);
      row_calls = column_calls = 0;
      const RowKernel kernel = minus_first_kernel(with_columns);
      ASSERT_EQ(run_rows(ctx_, kernel, engine_test::dims_of(shape), 2, &y.view(), &x.view()), diopiSuccess);
      EXPECT_EQ(row_calls > 0, !with_columns);
      EXPECT_EQ(column_calls > 0, with_columns);
      expect_minus_first(y.values(), x.values(), shape, 2);
      EXPECT_TRUE(y.is_untouched_outside());
    }
  }
}

TEST_F(CpuRowEngine, column_form_computes_adjacent_rows_of_other_dtypes) {
  const diopiDtype_t dtypes[][2] = {{diopi_dtype_float16, diopi_dtype_float16},
                                    {diopi_dtype_float32, diopi_dtype_float64},
                                    {diopi_dtype_uint8, diopi_dtype_float32}};
  for (const auto& [in, out] : dtypes) {
    for (const Shape& shape : {Shape{2, 9, 8}, Shape{3, 17, 65}, Shape{1, 2, 3000}}) {
      Tensor x(in, shape), y(out, shape);
      x.set(number);
      row_calls = column_calls = 0;
      const RowKernel kernel = minus_first_kernel(true);
      ASSERT_EQ(run_rows(ctx_, kernel, engine_test::dims_of(shape), 2, &y.view(), &x.view()), diopiSuccess);
      EXPECT_EQ(row_calls, 0);
      EXPECT_GT(column_calls, 0);
      expect_minus_first(y.values(), x.values(), shape, 2);
      EXPECT_TRUE(y.is_untouched_outside());
    }
  }
}

TEST_F(CpuRowEngine, column_form_is_not_called_for_packed_rows_or_an_operand_without_them) {
  row_calls = column_calls = 0;
  const RowKernel kernel = minus_first_kernel(true);
  Tensor x(diopi_dtype_float32, {40, 50}), y(diopi_dtype_float32, {40, 50});
  x.set(number);
  const diopi::Dims shape = engine_test::dims_of({40, 50});
  ASSERT_EQ(run_rows(ctx_, kernel, shape, 2, &y.view(), &x.view()), diopiSuccess);
  RowKernel sum = kernel;
  const float params = 0;
  sum.fn = running_sum;
  sum.params = &params;
  sum.num_inputs = 3;
  sum.num_outputs = 2;
  std::fill_n(sum.in, 2, diopi_dtype_float32);
  sum.in[2] = diopi_dtype_float64;
  sum.out[1] = diopi_dtype_int64;
  Tensor c(diopi_dtype_float32, {1, 50}), w(diopi_dtype_float64, {40, 50}), count(diopi_dtype_int64, {1, 50});
  const TensorView *outputs[] = {&y.view(), &count.view()}, *inputs[] = {&x.view(), &c.view(), &w.view()};
  ASSERT_EQ(run_rows(ctx_, sum, shape, 1, outputs, inputs), diopiSuccess);
  EXPECT_EQ(column_calls, 0);
  EXPECT_EQ(row_calls, 40 + 50);
}

TEST_F(CpuRowEngine, short_rows_are_computed_together) {
  RowKernel kernel = minus_first_kernel(false);
  kernel.rows = each_row<minus_first, 1, 1>;
  kernel.most_of_rows = 20;
  for (const Layout layout : engine_test::kWritableLayouts) {
    for (const int64_t n : {1, 7, 20, 21}) {
      for (const diopiDtype_t dtype : {diopi_dtype_float32, diopi_dtype_float16, diopi_dtype_int32}) {
        const Shape shape{9, 31, n};
        Tensor x(dtype, shape, layout), y(dtype, shape, layout);
        x.set(number);
        together_calls = row_calls = 0;
        ASSERT_EQ(run_rows(ctx_, kernel, engine_test::dims_of(shape), 4, &y.view(), &x.view()), diopiSuccess);
        EXPECT_EQ(row_calls, 9 * 31);
        EXPECT_EQ(together_calls > 0, n <= 20);
        EXPECT_LT(together_calls, 9 * 31 / 2);
        expect_minus_first(y.values(), x.values(), shape, 4);
        EXPECT_TRUE(y.is_untouched_outside());
      }
    }
  }
}

TEST_F(CpuRowEngine, output_may_be_the_input) {
  for (const bool with_columns : {false, true}) {
    for (const Layout layout : engine_test::kWritableLayouts) {
      for (uint32_t mask = 1; mask < 8; ++mask) {
        const Shape shape{6, 11, 17};
        Tensor x(diopi_dtype_float32, shape, layout);
        x.set(number);
        const Values before = x.values();
        const RowKernel kernel = minus_first_kernel(with_columns);
        ASSERT_EQ(run_rows(ctx_, kernel, engine_test::dims_of(shape), mask, &x.view(), &x.view()), diopiSuccess);
        expect_minus_first(x.values(), before, shape, mask);
        EXPECT_TRUE(x.is_untouched_outside());
        Tensor half(diopi_dtype_float16, shape, layout);
        half.set(number);
        ASSERT_EQ(run_rows(ctx_, kernel, engine_test::dims_of(shape), mask, &half.view(), &half.view()), diopiSuccess);
        expect_minus_first(half.values(), before, shape, mask);
        EXPECT_TRUE(half.is_untouched_outside());
      }
    }
  }
}

TEST_F(CpuRowEngine, output_may_overlap_an_input_partly) {
  Tensor memory(diopi_dtype_float32, {21, 50});
  memory.set(number);
  const TensorView x = memory.view().narrow(0, 0, 20), y = memory.view().narrow(0, 1, 20);
  const Values before = memory.values();
  for (const uint32_t mask : {1u, 2u}) {
    memory.set([&](int64_t i) { return before[i]; });
    ASSERT_EQ(run_rows(ctx_, minus_first_kernel(true), x.shape, mask, &y, &x), diopiSuccess);
    const Values after = memory.values();
    expect_minus_first(Values(after.begin() + 50, after.end()), Values(before.begin(), before.end() - 50), {20, 50},
                       mask);
  }
}

TEST_F(CpuRowEngine, output_whose_elements_share_an_address_is_refused) {
  Tensor x(diopi_dtype_float32, {3, 4}), y(diopi_dtype_float32, {3, 4}, Layout::kRepeated);
  x.set(number);
  row_calls = 0;
  EXPECT_NE(run_rows(ctx_, minus_first_kernel(true), x.view().shape, 2, &y.view(), &x.view()), diopiSuccess);
  EXPECT_EQ(row_calls, 0);
}

// out[0] = in[0]; adds the row to out[1].
void add_row(void* const* out, const void* const* in, int64_t n, const void*) {
  const float* x = static_cast<const float*>(in[0]);
  std::memcpy(out[0], x, n * sizeof(float));
  for (int64_t i = 0; i < n; ++i) static_cast<float*>(out[1])[i] += x[i];
}

TEST_F(CpuRowEngine, accumulated_output_has_the_sums_of_each_chunk) {
  for (const Layout layout : engine_test::kLayouts) {
    for (const int64_t outer : {1, 3, 7, 8, 100, 1000}) {
      for (const int64_t n : {1, 5, 33}) {
        RowKernel kernel;
        kernel.fn = add_row;
        kernel.rows = each_row<add_row, 2, 1>;
        kernel.most_of_rows = outer % 2 == 0 ? 32 : 0;
        kernel.num_inputs = 1;
        kernel.num_outputs = 2;
        kernel.in[0] = kernel.out[0] = kernel.out[1] = diopi_dtype_float32;
        kernel.first_accumulated = 1;
        kernel.chunk = 8;
        const Shape shape{outer, 3, n};  // chunks end within the loops over rows
        const int64_t rows = outer * 3, chunks = (rows + 7) / 8;
        Tensor x(diopi_dtype_float32, shape, layout), y(diopi_dtype_float32, shape, Layout::kGaps);
        x.set([](int64_t i) { return 1.0 / static_cast<double>(i % 97 + 1); });
        expect_same_bytes([&] {
          Tensor sums(diopi_dtype_float32, {chunks, n});
          sums.set([](int64_t) { return 1; });
          const TensorView outputs[] = {y.view(), sums.view()};
          EXPECT_EQ(run_rows(ctx_, kernel, engine_test::dims_of(shape), 4, outputs, &x.view()), diopiSuccess);
          Values want(chunks * n, 1);
          const Values values = x.values(), got = sums.values();
          for (int64_t i = 0; i < rows * n; ++i) want[i / n / 8 * n + i % n] += values[i];
          for (size_t i = 0; i < got.size(); ++i) EXPECT_NEAR(got[i], want[i], 1e-5) << rows << " rows, element " << i;
          EXPECT_EQ(y.values(), values);
          return sums.bytes();
        });
      }
    }
  }
}

}  // namespace
