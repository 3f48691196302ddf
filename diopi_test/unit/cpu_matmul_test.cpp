// SPDX-License-Identifier: BSD-3-Clause
// Each implementation of matrix products by its name: it computes the product or declines and writes nothing. Factors
// are small whole numbers, so every order of the terms gives the same sum.
#include "impl/cpu/matmul/matmul.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <random>
#include <string>
#include <vector>

#include "diopi_test/unit/every_target.hpp"
#include "diopi_test/unit/strided_tensor.hpp"
#include "impl/cpu/matmul/few_rows.hpp"
#include "impl/cpu/matmul/goto.hpp"
#include "impl/cpu/matmul/reference.hpp"
#include "impl/cpu/matmul/small.hpp"

namespace {

using namespace impl::cpu;  // NOLINT: the tested namespace
using diopi::bfloat16;
using diopi::float16;
using engine_test::Shape;
using engine_test::StridedTensor;

constexpr Candidate<MatmulProblem> kImplementations[] = {
    {"small", matmul_small}, {"few_rows", matmul_few_rows}, {"onednn", matmul_onednn},
    {"goto", matmul_goto},   {"openblas", matmul_openblas}, {"reference", matmul_reference},
};

// Whether an implementation has products of this dtype.
bool has_dtype(const std::string& name, diopiDtype_t dtype) {
  if (name == "small") return small_kernel(dtype) != nullptr;
  if (name == "few_rows" || name == "goto") return diopi::is_floating(dtype);
  if (name == "onednn") {
    return dtype == diopi_dtype_float32 || (dtype == diopi_dtype_bfloat16 && onednn::multiplies_bfloat16());
  }
  const bool wide = dtype == diopi_dtype_float32 || dtype == diopi_dtype_float64 || diopi::is_complex(dtype);
  return name == "reference" || wide;
}

enum class Layout { kPacked, kTransposed, kGaps, kSpread, kOneRow, kOneColumn, kOneMatrix };
constexpr Layout kOfOut[] = {Layout::kPacked, Layout::kTransposed, Layout::kGaps, Layout::kSpread};
constexpr Layout kOfInput[] = {Layout::kPacked, Layout::kTransposed, Layout::kGaps,     Layout::kSpread,
                               Layout::kOneRow, Layout::kOneColumn,  Layout::kOneMatrix};

Shape strides(const Shape& shape, Layout layout) {
  const size_t row = shape.size() - 2, col = row + 1;
  Shape result(shape.size());
  const bool spread = layout == Layout::kSpread;
  result[col] = layout == Layout::kOneColumn ? 0 : layout == Layout::kTransposed ? shape[row] : spread ? 2 : 1;
  result[row] = layout == Layout::kOneRow ? 0 : layout == Layout::kTransposed ? 1 : shape[col] * (spread ? 2 : 1);
  if (layout == Layout::kGaps) result[row] += 3;
  int64_t step = (shape[row] - 1) * result[row] + (shape[col] - 1) * result[col] + 1;
  if (layout == Layout::kGaps) step += 5;
  for (size_t dim = row; dim-- > 0;) {
    result[dim] = layout == Layout::kOneMatrix ? 0 : step;
    step *= shape[dim];
  }
  return result;
}

enum class Mode { kPlain, kBias, kAccumulate };

struct Case {
  Shape batch;
  int64_t m, n, k;
  Layout out = Layout::kPacked, a = Layout::kPacked, b = Layout::kPacked;
  Mode mode = Mode::kPlain;
  bool conj_a = false, conj_b = false;

  Shape shape(int64_t rows, int64_t cols) const {
    Shape result = batch;
    result.push_back(rows);
    result.push_back(cols);
    return result;
  }
  bool is_packed() const { return out == Layout::kPacked && a == Layout::kPacked && b == Layout::kPacked; }
};

// The operands of a case with elements of T and a result of Out.
template <typename T, typename Out>
struct Operands {
  Operands(const Case& c, std::mt19937* random)
      : a(c.shape(c.m, c.k), strides(c.shape(c.m, c.k), c.a)),
        b(c.shape(c.k, c.n), strides(c.shape(c.k, c.n), c.b)),
        bias({c.n}, {1}),
        start(c.shape(c.m, c.n), strides(c.shape(c.m, c.n), c.out)) {
    a.fill(random, 3);
    b.fill(random, 3);
    bias.fill(random, 9);
    start.fill(random, 9);
  }
  MatmulProblem problem(const Case& c, diopiContextHandle_t ctx, StridedTensor<Out>* out) {
    MatmulProblem p;
    p.ctx = ctx;
    p.out = out->view();
    p.a = a.view();
    p.b = b.view();
    p.bias = c.mode == Mode::kBias ? bias.view().data : nullptr;
    p.accumulate = c.mode == Mode::kAccumulate;
    p.conj_a = c.conj_a;
    p.conj_b = c.conj_b;
    return p;
  }

  StridedTensor<T> a, b, bias;
  StridedTensor<Out> start;
};

template <typename T, typename Out>
std::vector<engine_test::Wide<T>> product(const Case& c, const Operands<T, Out>& o) {
  const std::vector<engine_test::Wide<T>> a = o.a.wide(c.conj_a), b = o.b.wide(c.conj_b);
  std::vector<engine_test::Wide<T>> result(static_cast<size_t>(o.start.size()));
  for (int64_t i = 0; i < o.start.size(); ++i) {
    const int64_t item = i / (c.m * c.n), row = i / c.n % c.m, col = i % c.n;
    engine_test::Wide<T> sum{};
    if (c.mode == Mode::kBias) sum = engine_test::widened(o.bias.get(col));
    if constexpr (std::is_same_v<T, Out>) {
      if (c.mode == Mode::kAccumulate) sum = engine_test::widened(o.start.get(i));
    }
    for (int64_t k = 0; k < c.k; ++k) {
      sum += a[(item * c.m + row) * c.k + k] * b[(item * c.k + k) * c.n + col];
    }
    result[i] = sum;
  }
  return result;
}

template <typename T, typename Out = T>
void expect_case(const Case& c, std::mt19937* random) {
  Operands<T, Out> o(c, random);
  const std::vector<engine_test::Wide<T>> want = product(c, o);
  for (const Candidate<MatmulProblem>& implementation : kImplementations) {
    SCOPED_TRACE(::testing::Message() << diopi::dtype_name(diopi::dtype_of<T>) << " " << c.m << " x " << c.k << " x "
                                      << c.n << ", batch of " << c.batch.size() << " dimensions, layouts "
                                      << static_cast<int>(c.out) << static_cast<int>(c.a) << static_cast<int>(c.b)
                                      << ", mode " << static_cast<int>(c.mode));
    const engine_test::Context ctx;
    StridedTensor<Out> out = o.start;
    diopi::Status status;
    const SkipReason reason = implementation.run(o.problem(c, ctx.get(), &out), &status);
    const bool known = has_dtype(implementation.name, diopi::dtype_of<T>);
    if (reason == nullptr) {
      ASSERT_TRUE(known) << implementation.name;
      ASSERT_EQ(status, diopiSuccess) << implementation.name;
      engine_test::expect_elements(out, want, implementation.name);
      continue;
    }
    ASSERT_FALSE(known && c.is_packed()) << implementation.name << " declines: " << reason;
    ASSERT_STRNE(reason, "") << implementation.name;
    ASSERT_TRUE(out.bytes() == o.start.bytes()) << implementation.name << " declines, but writes";
  }
}

// Extents around the blocks of the kernels; then products that have few rows, few columns, and long sums.
const Case kShapes[] = {
    {{}, 1, 1, 1},    {{}, 1, 17, 5},    {{}, 17, 1, 6},    {{}, 2, 3, 4},     {{}, 7, 15, 16},   {{}, 16, 16, 33},
    {{3}, 6, 31, 9},  {{2, 3}, 5, 4, 3}, {{4}, 1, 33, 8},   {{}, 25, 65, 40},  {{}, 33, 48, 64},  {{}, 3, 700, 30},
    {{}, 700, 4, 30}, {{}, 5, 9, 1100},  {{}, 40, 20, 515}, {{2}, 26, 50, 70}, {{}, 100, 97, 20}, {{}, 8, 130, 260},
};

template <typename T, typename Out = T>
void expect_shapes(int rounds) {
  std::mt19937 random(11);
  for (const Case& shape : kShapes) {
    expect_case<T, Out>(shape, &random);
    for (int round = 0; round < rounds; ++round) {
      Case c = shape;
      c.out = kOfOut[random() % std::size(kOfOut)];
      c.a = kOfInput[random() % std::size(kOfInput)];
      c.b = kOfInput[random() % std::size(kOfInput)];
      const auto mode = random() % 3;
      const bool packed_rows = c.out == Layout::kPacked || c.out == Layout::kGaps;
      const bool sums = diopi::compute_dtype(diopi::dtype_of<T>) == diopi::dtype_of<T>;
      if (mode == 1 && packed_rows) c.mode = Mode::kBias;
      if (mode == 2 && sums) c.mode = Mode::kAccumulate;
      if (engine_test::kIsComplex<T>) {
        c.conj_a = random() % 2 == 0;
        c.conj_b = random() % 2 == 0;
      }
      expect_case<T, Out>(c, &random);
    }
  }
}

class CpuMatmul : public engine_test::EngineTest {};

TEST_F(CpuMatmul, each_implementation_computes_floating_point_products_or_declines) {
  expect_shapes<float>(4);
  expect_shapes<double>(4);
  expect_shapes<float16>(2);
  expect_shapes<bfloat16>(2);
}

TEST_F(CpuMatmul, each_implementation_computes_complex_and_integer_products_or_declines) {
  expect_shapes<diopi::complex64>(2);
  expect_shapes<diopi::complex128>(1);
  expect_shapes<int8_t>(1);  // sums wrap around
  expect_shapes<uint8_t>(1);
  expect_shapes<int32_t>(1);
  expect_shapes<int64_t>(1);
}

TEST_F(CpuMatmul, sums_of_reduced_floats_can_be_written_in_float32) {
  expect_shapes<bfloat16, float>(0);
  expect_shapes<float16, float>(1);
}

TEST_F(CpuMatmul, long_bfloat16_sums_are_computed_from_rows_and_columns) {
  std::mt19937 random(13);
  for (const Layout out : {Layout::kPacked, Layout::kGaps, Layout::kTransposed}) {
    for (const Mode mode : {Mode::kPlain, Mode::kBias}) {
      if (out == Layout::kTransposed && mode == Mode::kBias) continue;  // a bias needs packed rows
      const Case c{{}, 140, 40, 2100, out, Layout::kTransposed, Layout::kPacked, mode};
      expect_case<bfloat16, bfloat16>(c, &random);
      expect_case<bfloat16, float>(c, &random);
    }
  }
}

TEST_F(CpuMatmul, each_vector_target_computes_the_same_products) {
  test::on_every_target([] {
    expect_shapes<float>(0);
    expect_shapes<double>(0);
  });
}

TEST_F(CpuMatmul, long_sums_of_few_columns_are_computed_on_every_vector_target) {
  test::on_every_target([] {
    std::mt19937 random(17);
    for (int64_t n = 1; n <= 17; ++n) {
      for (const Layout b : {Layout::kPacked, Layout::kTransposed}) {
        const int64_t m = n % 3 + 1, k = std::min(m, n) == 1 ? 2001 : 2101;  // oneDNN declines long single rows
        const Case c{{}, m, n, k, Layout::kPacked, Layout::kPacked, b};
        expect_case<float, float>(c, &random);
        expect_case<double, double>(c, &random);
        expect_case<bfloat16, bfloat16>(c, &random);
        expect_case<float16, float>(c, &random);
      }
    }
  });
}

template <typename T>
void expect_bits_do_not_depend_on_threads(const Case& c) {
  std::mt19937 random(5);
  std::normal_distribution<float> normal;
  Operands<T, T> o(c, &random);
  for (StridedTensor<T>* operand : {&o.a, &o.b}) {
    for (int64_t i = 0; i < operand->size(); ++i) operand->set(i, T(normal(random)));
  }
  for (const Candidate<MatmulProblem>& implementation : kImplementations) {
    if (!has_dtype(implementation.name, diopi::dtype_of<T>)) continue;
    engine_test::expect_same_bits(implementation.name, [&] {
      const engine_test::Context ctx;
      StridedTensor<T> out = o.start;
      diopi::Status status;
      EXPECT_EQ(implementation.run(o.problem(c, ctx.get(), &out), &status), nullptr) << implementation.name;
      EXPECT_EQ(status, diopiSuccess);
      return out.bytes();
    });
  }
}

TEST_F(CpuMatmul, the_bits_of_a_product_do_not_depend_on_the_number_of_threads) {
  const Case cases[] = {
      {{}, 100, 120, 200}, {{}, 5, 1500, 60}, {{7}, 20, 33, 40}, {{}, 12, 20, 1100}, {{}, 200, 3, 4100}};
  for (const Case& c : cases) {
    expect_bits_do_not_depend_on_threads<float>(c);
    expect_bits_do_not_depend_on_threads<double>(c);
    expect_bits_do_not_depend_on_threads<bfloat16>(c);
  }
  expect_bits_do_not_depend_on_threads<bfloat16>({{}, 140, 40, 2100, Layout::kPacked, Layout::kTransposed});
}

// The reason for which `implementation` declines a float32 case; an empty text if it accepts it.
std::string declined(SkipReason (*implementation)(const MatmulProblem&, diopi::Status*), const Case& c) {
  std::mt19937 random(1);
  const engine_test::Context ctx;
  Operands<float, float> o(c, &random);
  StridedTensor<float> out = o.start;
  diopi::Status status;
  const SkipReason reason = implementation(o.problem(c, ctx.get(), &out), &status);
  return reason == nullptr ? "" : reason;
}

TEST_F(CpuMatmul, layouts_that_an_implementation_cannot_use_are_declined) {
  Case c{{}, 8, 9, 10};
  c.out = Layout::kSpread;
  EXPECT_EQ(declined(matmul_small, c), "rows of b or out are not packed");
  EXPECT_EQ(declined(matmul_openblas, c), "neither the rows nor the columns of out are packed");
  EXPECT_EQ(declined(matmul_onednn, c), "neither the rows nor the columns of out are packed");
  for (const auto implementation : {matmul_goto, matmul_few_rows, matmul_reference}) {
    EXPECT_EQ(declined(implementation, c), "");
  }
  c.out = Layout::kPacked;
  c.b = Layout::kTransposed;
  EXPECT_EQ(declined(matmul_small, c), "rows of b or out are not packed");
  EXPECT_EQ(declined(matmul_onednn, {{}, 1, 9, 3000}),
            "oneDNN adds the terms of a single row or column one after another");
}

TEST_F(CpuMatmul, dtypes_without_a_kernel_have_none) {
  for (const diopiDtype_t dtype : {diopi_dtype_int32, diopi_dtype_uint8, diopi_dtype_bool, diopi_dtype_complex64}) {
    EXPECT_EQ(small_kernel(dtype), nullptr);
    EXPECT_EQ(goto_kernel(dtype), nullptr);
    EXPECT_EQ(few_rows_kernel(dtype), nullptr);
  }
  EXPECT_EQ(small_kernel(diopi_dtype_bfloat16), nullptr);
  EXPECT_EQ(reference_kernel(diopi_dtype_bool), nullptr);
}

TEST_F(CpuMatmul, an_operand_for_blas_is_the_view_itself_or_a_packed_copy) {
  const engine_test::Context ctx;
  for (const Layout layout : kOfInput) {
    const Shape shape{3, 4, 5};
    StridedTensor<float> tensor(shape, strides(shape, layout));
    std::mt19937 random(2);
    tensor.fill(&random, 100);
    const diopi::TensorView view = tensor.view();
    diopi::TensorView operand;
    BlasLayout blas;
    const bool usable = blas_layout(view, &blas);
    ASSERT_EQ(as_blas_operand(ctx.get(), view, &operand), diopiSuccess);
    EXPECT_EQ(operand.data == view.data, usable) << static_cast<int>(layout);
    ASSERT_TRUE(blas_layout(operand, &blas));
    EXPECT_GE(blas.ld, blas.transposed ? 4 : 5);
    for (int64_t i = 0; i < tensor.size(); ++i) {
      const int64_t at[] = {i / 20, i / 5 % 4, i % 5};
      const int64_t offset = at[0] * operand.stride[0] + at[1] * operand.stride[1] + at[2] * operand.stride[2];
      ASSERT_EQ(operand.ptr<float>()[offset], tensor.get(i)) << static_cast<int>(layout);
    }
  }
}

}  // namespace
