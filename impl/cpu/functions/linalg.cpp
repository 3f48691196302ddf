// SPDX-License-Identifier: BSD-3-Clause
#include "impl/common/families/linalg.hpp"

#include <climits>

#include "impl/common/parallel.hpp"
#include "impl/common/shape.hpp"
#include "impl/common/temporary.hpp"
#include "impl/common/workspace.hpp"
#include "impl/cpu/engine/copy/copy.hpp"
#include "impl/cpu/linalg/lapack.hpp"
#include "impl/cpu/matmul/tiling.hpp"

namespace impl::cpu {

namespace {

// A row-major copy of all matrices, those of an expanded batch included.
Status matrices_of(diopiContextHandle_t ctx, const TensorView& view, TensorView* packed) {
  DIOPI_TRY(diopi::make_temporary(ctx, view.shape, view.dtype, view.name, packed));
  copy_view(*packed, view);
  return diopiSuccess;
}

Status require_blas_extent(const TensorView& view) {
  for (int d = view.ndim() - 2; d < view.ndim(); ++d) {
    DIOPI_REQUIRE(view.shape[d] <= INT_MAX, diopiErrorOccurred, "%s of shape %s has more than 2^31 rows or columns",
                  view.name, diopi::Text(view.shape).c_str());
  }
  return diopiSuccess;
}

int64_t rows_in(const TensorView& view) { return view.shape[view.ndim() - 2]; }
int64_t columns_in(const TensorView& view) { return view.shape[view.ndim() - 1]; }

// Calls f(number of a matrix) for all matrices, in parallel. Each call of OpenBLAS has one thread, because with several
// threads the bits of its results would depend on their number.
template <typename F>
void for_each_matrix(const TensorView& packed, const F& f) {
  const int64_t size = rows_in(packed) * columns_in(packed), count = packed.numel / size;
  const int64_t cost = 500'000 + size * rows_in(packed) * 100;
  diopi::parallel_for(count, diopi::Picoseconds{cost}, [&](int64_t begin, int64_t end) {
    const SingleThread single;
    for (int64_t i = begin; i < end; ++i) f(i);
  });
}

char* matrix_at(const TensorView& packed, int64_t i) {
  return packed.data + i * rows_in(packed) * columns_in(packed) * packed.itemsize();
}

}  // namespace

Status run_cholesky(diopiContextHandle_t ctx, const TensorView& out, const TensorView& info, const TensorView& mat,
                    bool upper, bool check) {
  DIOPI_TRY(require_blas_extent(mat));
  TensorView factor, orders;
  DIOPI_TRY(diopi::make_temporary(ctx, info.shape, diopi_dtype_int32, info.name, &orders));
  DIOPI_TRY(matrices_of(ctx, mat, &factor));
  const CholeskyFn kernel = cholesky_kernel(mat.dtype);
  const MatrixFn clear = clear_kernel(mat.dtype, !upper);
  const int64_t n = rows_in(mat);
  for_each_matrix(factor, [&](int64_t i) {
    orders.ptr<int32_t>()[i] = kernel(matrix_at(factor, i), n, upper);
    clear(matrix_at(factor, i), n);
  });
  for (int64_t i = 0; check && i < orders.numel; ++i) {
    const int order = orders.ptr<int32_t>()[i];
    DIOPI_REQUIRE(order == 0, diopiErrorOccurred,
                  "mat is not positive definite: the leading minor of order %d of matrix %lld is not positive", order,
                  static_cast<long long>(i));
  }
  copy_view(out, factor);
  copy_view(info, orders);
  return diopiSuccess;
}

Status run_cholesky_backward(diopiContextHandle_t ctx, const TensorView& grad_mat, const TensorView& grad_output,
                             const TensorView& factor, bool upper) {
  DIOPI_TRY(require_blas_extent(factor));
  TensorView l, s;
  DIOPI_TRY(matrices_of(ctx, factor, &l));
  DIOPI_TRY(matrices_of(ctx, grad_output, &s));
  const diopiDtype_t dtype = factor.dtype;
  const MatrixFn project = adjoint_projection_kernel(dtype, upper), clear = clear_kernel(dtype, !upper);
  const SolveFn multiply = product_kernel(dtype), solve = solve_kernel(dtype);
  const int64_t n = rows_in(factor);
  for_each_matrix(l, [&](int64_t i) {
    char *const a = matrix_at(l, i), *const x = matrix_at(s, i);
    clear(x, n);
    // For an upper factor U, X^H is the upper triangle of grad_output U^H.
    multiply({upper, true, true, false, upper}, a, x, n, n);
    project(x, n);
    solve({upper, !upper, true, false, false}, a, x, n, n);
    solve({upper, upper, true, false, true}, a, x, n, n);
  });
  copy_view(grad_mat, s);
  return diopiSuccess;
}

Status run_triangular_solve(diopiContextHandle_t ctx, const TensorView& out, const TensorView& b, const TensorView& mat,
                            const TriangularSystem& system) {
  DIOPI_TRY(require_blas_extent(mat));
  DIOPI_TRY(require_blas_extent(b));
  TensorView a, x;
  DIOPI_TRY(matrices_of(ctx, mat, &a));
  DIOPI_TRY(matrices_of(ctx, b, &x));
  const SolveFn solve = solve_kernel(mat.dtype);
  const TriangularProduct how{system.upper, system.transpose, false, system.unit_diagonal, false};
  for_each_matrix(x, [&](int64_t i) { solve(how, matrix_at(a, i), matrix_at(x, i), rows_in(b), columns_in(b)); });
  copy_view(out, x);
  return diopiSuccess;
}

}  // namespace impl::cpu
