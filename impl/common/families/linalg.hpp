// SPDX-License-Identifier: BSD-3-Clause
// Factorisations of matrices and triangular systems. impl/<vendor>/functions/linalg.cpp includes this file.
#ifndef IMPL_COMMON_FAMILIES_LINALG_HPP_
#define IMPL_COMMON_FAMILIES_LINALG_HPP_

#include "arguments/linalg.hpp"
#include "impl/common/engine/copy.hpp"
#include "impl/common/engine/linalg.hpp"
#include "impl/common/families/fill_number.hpp"
#include "impl/common/families/linalg_shapes.hpp"
#include "impl/common/families/linalg_triangular.hpp"
#include "impl/common/families/outputs.hpp"

namespace impl::DIOPI_VENDOR {

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

// Writes the identity, for matrices that have no elements to reflect.
inline Status write_identity(diopiContextHandle_t ctx, const TensorView& q) {
  TensorView diagonal = q;
  const int last = q.ndim() - 1;
  diagonal.stride[last - 1] += diagonal.stride[last];
  --diagonal.shape.n, --diagonal.stride.n;
  diagonal.numel = diagonal.shape.product();
  DIOPI_TRY(fill_number(ctx, q, 0));
  return fill_number(ctx, diagonal, 1);
}

inline Status run(diopiContextHandle_t ctx, diopi::LinalgQRArgs& args) {
  Dims q, r;
  qr_shapes(args.A, args.mode, &q, &r);
  DIOPI_TRY(diopi::require_shape(args.Q, q));
  DIOPI_TRY(diopi::require_shape(args.R, r));
  DIOPI_TRY(diopi::require_writable({&args.Q, &args.R}));
  const bool wants_q = args.Q.numel > 0;
  if (args.A.numel == 0) return wants_q ? write_identity(ctx, args.Q) : Status();
  return run_qr(ctx, wants_q ? &args.Q : nullptr, args.R, args.A);
}

}  // namespace impl::DIOPI_VENDOR

#include "functions/linalg.hpp"

#endif  // IMPL_COMMON_FAMILIES_LINALG_HPP_
