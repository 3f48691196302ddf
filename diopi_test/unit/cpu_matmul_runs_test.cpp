// SPDX-License-Identifier: BSD-3-Clause
// Sums of products are added in runs. The first term is 1, and each other term is half an ULP of 1 at most: added one
// after another, all of them are lost, whatever the instructions. In runs, only those of the first run are lost.
#include "impl/cpu/matmul/matmul.hpp"

#include <gtest/gtest.h>

#include <limits>

#include "diopi_test/unit/strided_tensor.hpp"

namespace {

using namespace impl::cpu;  // NOLINT: the tested namespace
using engine_test::StridedTensor;

using Implementation = SkipReason (*)(const MatmulProblem& product, diopi::Status* status);

template <typename T>
struct RealOf {
  using type = T;
};
template <typename R>
struct RealOf<std::complex<R>> {
  using type = R;
};

// Expects that at most `together` terms of each sum of a product of `depth` are lost.
template <typename T>
void expect_runs(Implementation implementation, int64_t depth, int64_t run, int64_t together) {
  using R = typename RealOf<T>::type;
  constexpr int64_t kRows = 13, kCols = 37;
  const R ulp = std::numeric_limits<R>::epsilon(), term = ulp / 4;
  StridedTensor<T> a({kRows, depth}, {depth, 1}), b({depth, kCols}, {kCols, 1}), out({kRows, kCols}, {kCols, 1});
  for (int64_t i = 0; i < a.size(); ++i) a.set(i, T(i % depth == 0 ? R(1) : term));
  for (int64_t i = 0; i < b.size(); ++i) b.set(i, T(R(1)));
  const engine_test::Context ctx;
  MatmulProblem p;
  p.ctx = ctx.get();
  p.out = out.view();
  p.a = a.view();
  p.b = b.view();
  p.run = run;
  diopi::Status status;
  ASSERT_EQ(implementation(p, &status), nullptr);
  ASSERT_EQ(status, diopiSuccess);
  const double exact = 1 + static_cast<double>(depth - 1) * term,
               rounded = ulp / 2 * ((depth + together - 1) / together);
  for (int64_t i = 0; i < out.size(); ++i) {
    const auto got = static_cast<double>(std::real(out.get(i)));
    ASSERT_NEAR(got, exact, static_cast<double>(together) * term + rounded) << "depth " << depth << ", element " << i;
  }
}

class CpuMatmulRuns : public engine_test::EngineTest {};

TEST_F(CpuMatmulRuns, complex_products_are_added_in_runs_of_32) {
  for (const int64_t depth : {64, 108, 500, 2048}) {
    expect_runs<diopi::complex64>(matmul_openblas, depth, 0, 32);
    expect_runs<diopi::complex128>(matmul_openblas, depth, 0, 32);
    expect_runs<diopi::complex64>(matmul_reference, depth, 0, 32);
    expect_runs<diopi::complex128>(matmul_reference, depth, 0, 32);
  }
}

TEST_F(CpuMatmulRuns, longer_complex_sums_have_at_most_64_runs) {
  expect_runs<diopi::complex64>(matmul_openblas, 9000, 0, 141);
  expect_runs<diopi::complex128>(matmul_openblas, 9000, 0, 141);
}

TEST_F(CpuMatmulRuns, the_caller_can_limit_the_runs_of_float64) {
  for (const Implementation implementation : {matmul_small, matmul_goto, matmul_openblas, matmul_reference}) {
    for (const int64_t depth : {32, 100, 400}) expect_runs<double>(implementation, depth, 16, 16);
  }
}

TEST_F(CpuMatmulRuns, an_implementation_without_runs_declines_them) {
  StridedTensor<double> a({2, 40}, {40, 1}), b({40, 3}, {3, 1}), out({2, 3}, {3, 1});
  const engine_test::Context ctx;
  MatmulProblem p;
  p.ctx = ctx.get();
  p.out = out.view();
  p.a = a.view();
  p.b = b.view();
  p.run = 16;
  diopi::Status status;
  EXPECT_NE(matmul_few_rows(p, &status), nullptr);
}

}  // namespace
