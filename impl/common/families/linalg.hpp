// SPDX-License-Identifier: BSD-3-Clause
// Factorisations of matrices and triangular systems. impl/<vendor>/functions/linalg.cpp includes this file.
#ifndef IMPL_COMMON_FAMILIES_LINALG_HPP_
#define IMPL_COMMON_FAMILIES_LINALG_HPP_

#include "arguments/linalg.hpp"
#include "impl/common/engine/copy.hpp"
#include "impl/common/engine/linalg.hpp"
#include "impl/common/families/outputs.hpp"

namespace impl::DIOPI_VENDOR {

using diopi::Dims;

inline Status run(diopiContextHandle_t ctx, diopi::CholeskyArgs& args) {
  DIOPI_TRY(diopi::require_writable({&args.out, &args.info}));
  if (args.out.numel == 0) {
    TensorView zero;  // matrices without rows are positive definite
    int32_t number = 0;
    zero.data = reinterpret_cast<char*>(&number);
    zero.dtype = diopi_dtype_int32;
    zero.numel = 1;
    return copy(ctx, args.info, zero);
  }
  return run_cholesky(ctx, args.out, args.info, args.mat, args.upper, args.checkerror);
}

inline Status run(diopiContextHandle_t ctx, diopi::CholeskyBackwardArgs& args) {
  DIOPI_TRY(diopi::require_writable(args.grad_mat));
  if (args.grad_mat.numel == 0) return diopiSuccess;
  return run_cholesky_backward(ctx, args.grad_mat, args.grad_output, args.L, args.upper);
}

// The shape [batch..., rows, columns] with the broadcast batch of `b` and `mat`.
inline Status system_shape(const TensorView& b, const TensorView& mat, int64_t columns, Dims* shape) {
  TensorView other = mat;
  other.shape.n -= 2;
  DIOPI_TRY(diopi::broadcast_shapes(diopi::part_of(b.shape, 0, -2), "the batch of b", other, shape));
  DIOPI_REQUIRE(shape->n + 2 <= diopi::kMaxDims, diopiErrorOccurred,
                "b and mat make a result of %d dimensions; at most %d are supported", shape->n + 2, diopi::kMaxDims);
  shape->push_back(mat.shape[mat.ndim() - 1]);
  shape->push_back(columns);
  return diopiSuccess;
}

inline Status run(diopiContextHandle_t ctx, diopi::TriangularSolveArgs& args) {
  const TensorView &b = args.b, &mat = args.mat;
  Dims solution, matrices;
  DIOPI_TRY(system_shape(b, mat, b.shape[b.ndim() - 1], &solution));
  DIOPI_TRY(system_shape(b, mat, mat.shape[mat.ndim() - 1], &matrices));
  DIOPI_TRY(diopi::require_result_shape(args.out, solution));
  DIOPI_TRY(diopi::require_result_shape(args.cloned_mat, matrices));
  DIOPI_TRY(diopi::require_writable({&args.out, &args.cloned_mat}));
  const TensorView all = mat.expand(matrices);
  if (args.out.numel > 0) {
    DIOPI_TRY(
        run_triangular_solve(ctx, args.out, b.expand(solution), all, {args.upper, args.transpose, args.unitriangular}));
  }
  return copy(ctx, args.cloned_mat, all);
}

}  // namespace impl::DIOPI_VENDOR

#include "functions/linalg.hpp"

#endif  // IMPL_COMMON_FAMILIES_LINALG_HPP_
