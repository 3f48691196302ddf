// SPDX-License-Identifier: BSD-3-Clause
#include "impl/common/families/linalg.hpp"

#include <algorithm>
#include <climits>
#include <cstring>
#include <optional>

#include "impl/common/parallel.hpp"
#include "impl/common/shape.hpp"
#include "impl/common/temporary.hpp"
#include "impl/common/workspace.hpp"
#include "impl/cpu/engine/copy/copy.hpp"
#include "impl/cpu/linalg/cholesky_blocked.hpp"
#include "impl/cpu/linalg/lapack.hpp"
#include "impl/cpu/linalg/qr.hpp"
#include "impl/cpu/linalg/qr_blocked.hpp"
#include "impl/cpu/matmul/tiling.hpp"
#include "impl/cpu/tensor/tril_triu.hpp"

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

int64_t most_threads() { return omp_in_parallel() != 0 ? 1 : omp_get_max_threads(); }

int64_t rows_in(const TensorView& view) { return view.shape[view.ndim() - 2]; }
int64_t columns_in(const TensorView& view) { return view.shape[view.ndim() - 1]; }

// A matrix that one thread factors is also copied by one: in the meantime, the other threads fall asleep.
bool takes_one_thread(const TensorView& matrices) {
  return matrices.numel == rows_in(matrices) * columns_in(matrices) &&
         !is_for_blocked_cholesky(matrices.dtype, rows_in(matrices));
}

// Calls f(number of a part) for all parts of all matrices, in parallel. Each call of OpenBLAS has one thread, because
// with several threads the bits of its results would depend on their number.
template <typename F>
void for_each_part(const TensorView& packed, int64_t parts, const F& f) {
  const int64_t size = rows_in(packed) * columns_in(packed), count = packed.numel / size;
  const int64_t cost = 500'000 + size * rows_in(packed) * 100 / parts;
  diopi::parallel_for(count * parts, diopi::Picoseconds{cost}, [&](int64_t begin, int64_t end) {
    const SingleThread single;
    for (int64_t i = begin; i < end; ++i) f(i);
  });
}

template <typename F>
void for_each_matrix(const TensorView& packed, const F& f) {
  for_each_part(packed, 1, f);
}

char* matrix_at(const TensorView& packed, int64_t i) {
  return packed.data + i * rows_in(packed) * columns_in(packed) * packed.itemsize();
}

// The rows or columns of a part. The number of threads does not decide it: OpenBLAS does not promise the same bits for
// another number of columns.
constexpr int64_t kTogether = 128;

// Calls `run` with each triangle and the parts of its matrix in `x`.
void run_in_parts(SolveFn run, const TriangularProduct& how, const TensorView& triangles, const TensorView& x) {
  const int64_t columns = columns_in(x), extent = how.right ? rows_in(x) : columns;
  const int64_t parts = (extent + kTogether - 1) / kTogether;
  for_each_part(x, parts, [&](int64_t i) {
    FactorPart part{matrix_at(x, i / parts), rows_in(x), columns, columns};
    const int64_t first = i % parts * kTogether;
    (how.right ? part.rows : part.columns) = std::min(kTogether, extent - first);
    part.data = static_cast<char*>(part.data) + (how.right ? first * columns : first) * x.itemsize();
    run(how, matrix_at(triangles, i / parts), part);
  });
}

}  // namespace

Status run_cholesky(diopiContextHandle_t ctx, const TensorView& out, const TensorView& info, const TensorView& mat,
                    bool upper, bool check) {
  DIOPI_TRY(require_blas_extent(mat));
  std::optional<SingleThread> single;
  if (takes_one_thread(mat)) single.emplace();
  TensorView factor, orders;
  DIOPI_TRY(diopi::make_temporary(ctx, info.shape, diopi_dtype_int32, info.name, &orders));
  DIOPI_TRY(matrices_of(ctx, mat, &factor));
  const MatrixFn clear = clear_kernel(mat.dtype, !upper);
  const int64_t n = rows_in(mat);
  if (is_for_blocked_cholesky(mat.dtype, n)) {
    const int64_t threads = most_threads();
    char* work = nullptr;
    DIOPI_TRY(diopi::Workspace(ctx).take(blocked_cholesky_work(n, threads) * mat.itemsize(), &work));
    for (int64_t i = 0; i < orders.numel; ++i) {
      orders.ptr<int32_t>()[i] = blocked_cholesky_kernel(mat.dtype)({matrix_at(factor, i), n, upper, work, threads});
    }
  } else {
    const CholeskyFn kernel = cholesky_kernel(mat.dtype);
    for_each_matrix(factor, [&](int64_t i) { orders.ptr<int32_t>()[i] = kernel(matrix_at(factor, i), n, n, upper); });
  }
  for_each_matrix(factor, [&](int64_t i) { clear(matrix_at(factor, i), n); });
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
  // For an upper factor U, X^H is the upper triangle of grad_output U^H.
  const TriangularProduct product{upper, true, true, false, upper}, left{upper, !upper, true, false, false},
      right{upper, upper, true, false, true};
  for_each_matrix(s, [&](int64_t i) { clear(matrix_at(s, i), n); });
  run_in_parts(multiply, product, l, s);
  for_each_matrix(s, [&](int64_t i) { project(matrix_at(s, i), n); });
  run_in_parts(solve, left, l, s);
  run_in_parts(solve, right, l, s);
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
  // BLAS conjugates only transposed matrices.
  const bool conjugates = system.conjugate && !system.transpose && diopi::is_complex(mat.dtype);
  const MatrixFn conjugate = conjugation_kernel(mat.dtype);
  if (conjugates) for_each_matrix(a, [&](int64_t i) { conjugate(matrix_at(a, i), rows_in(a)); });
  run_in_parts(solve_kernel(mat.dtype), {system.upper, system.transpose, system.conjugate, system.unit_diagonal, false},
               a, x);
  copy_view(out, x);
  return diopiSuccess;
}

namespace {

// What run_qr() computes from `factored`, which has the transposed matrices: LAPACK's are column-major. `product` gets
// the transposed Q of each; it is null if Q is not wanted.
struct QrCall {
  TensorView factored;
  const TensorView* product;
  int64_t rows, columns, q_columns;

  int64_t reflections() const { return std::min(rows, columns); }
  int64_t count() const { return factored.numel / (rows * columns); }
};

// Decomposes large matrices one after another, each on all threads.
Status decompose_blocked(diopiContextHandle_t ctx, const QrCall& call) {
  const diopiDtype_t dtype = call.factored.dtype;
  const int64_t threads = most_threads();
  char* work;
  DIOPI_TRY(diopi::Workspace(ctx).take(
      blocked_qr_work(call.rows, call.columns, call.q_columns, threads) * call.factored.itemsize(), &work));
  for (int64_t i = 0; i < call.count(); ++i) {
    const BlockedQr matrix{matrix_at(call.factored, i), call.rows, call.columns, work, threads};
    blocked_qr_kernel(dtype)(matrix);
    if (call.product != nullptr) {
      blocked_qr_product_kernel(dtype)(matrix, matrix_at(*call.product, i), call.q_columns);
    }
  }
  return diopiSuccess;
}

Status decompose_each(diopiContextHandle_t ctx, const QrCall& call) {
  const diopiDtype_t dtype = call.factored.dtype;
  const int64_t size = call.factored.itemsize(), reflections = call.reflections();
  const int64_t work_length = qr_work(std::max(call.columns, call.q_columns)), threads = most_threads();
  char *factors, *work;
  diopi::Workspace workspace(ctx);
  DIOPI_TRY(workspace.take(call.count() * reflections * size, &factors));
  DIOPI_TRY(workspace.take(threads * work_length * size, &work));
  const QrFn decompose = qr_kernel(dtype);
  const QrProductFn multiply = qr_product_kernel(dtype);
  for_each_matrix(call.factored, [&](int64_t i) {
    char* const mine = work + (threads > 1 ? omp_get_thread_num() : 0) * work_length * size;
    QrMatrix matrix{matrix_at(call.factored, i),      call.rows, call.columns,
                    factors + i * reflections * size, mine,      work_length};
    decompose(matrix);
    if (call.product == nullptr) return;
    std::memcpy(matrix_at(*call.product, i), matrix.data, call.rows * reflections * size);
    matrix.data = matrix_at(*call.product, i);
    matrix.columns = call.q_columns;
    multiply(matrix, reflections);
  });
  return diopiSuccess;
}

}  // namespace

Status run_qr(diopiContextHandle_t ctx, const TensorView* q, const TensorView& r, const TensorView& a) {
  DIOPI_TRY(require_blas_extent(a));
  const int row = a.ndim() - 2, column = row + 1;
  QrCall call{{}, nullptr, a.shape[row], a.shape[column], q == nullptr ? 0 : q->shape[column]};
  TensorView product;
  DIOPI_TRY(matrices_of(ctx, a.transposed(row, column), &call.factored));
  if (q != nullptr) {
    DIOPI_TRY(diopi::make_temporary(ctx, q->transposed(row, column).shape, a.dtype, q->name, &product));
    call.product = &product;
  }
  const bool blocked = is_for_blocked_qr(a.dtype, call.rows, call.columns);
  DIOPI_TRY(blocked ? decompose_blocked(ctx, call) : decompose_each(ctx, call));
  copy_triangle(r, call.factored.transposed(row, column).narrow(row, 0, r.shape[row]), false, 0);
  if (q != nullptr) copy_view(*q, product.transposed(row, column));
  return diopiSuccess;
}

}  // namespace impl::cpu
