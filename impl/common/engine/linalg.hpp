// SPDX-License-Identifier: BSD-3-Clause
// What a vendor implements for linear algebra. The matrices are in the last two dimensions; the dimensions in front are
// the same for all tensors of a call, with stride 0 where they are broadcast. All tensors have one dtype, float32,
// float64 or complex, and are not empty. Families have checked the arguments; outputs overlap nothing.
#ifndef IMPL_COMMON_ENGINE_LINALG_HPP_
#define IMPL_COMMON_ENGINE_LINALG_HPP_

#include "impl/common/tensor_view.hpp"

namespace diopi {

// Which triangle of a matrix A counts, and what is solved: A x = b, or A^T x = b; of the conjugate matrix if
// `conjugate`.
struct TriangularSystem {
  bool upper, transpose, unit_diagonal, conjugate = false;
};

}  // namespace diopi

namespace impl::DIOPI_VENDOR {

using diopi::Status;
using diopi::TensorView;
using diopi::TriangularSystem;

// out = L with mat = L L^H, or L^H if `upper`; the other triangle is 0. Only one triangle of `mat` is read. `info`, of
// dtype int32, gets 0, or the order of the first leading minor that is not positive; with `check` that is an error
// before the first write.
Status run_cholesky(diopiContextHandle_t ctx, const TensorView& out, const TensorView& info, const TensorView& mat,
                    bool upper, bool check);
// The gradient with the formula of the registry.
Status run_cholesky_backward(diopiContextHandle_t ctx, const TensorView& grad_mat, const TensorView& grad_output,
                             const TensorView& factor, bool upper);

// Solves the system for each matrix `mat` [.., m, m]; out and b are [.., m, k].
Status run_triangular_solve(diopiContextHandle_t ctx, const TensorView& out, const TensorView& b, const TensorView& mat,
                            const TriangularSystem& system);

// Reflections as LAPACK's geqrf makes them: Q R = A for each matrix `a` [.., m, n]. R is [.., k, n] or [.., m, n] with
// k = min(m, n), and zero below the diagonal; q is [.., m, k] or [.., m, m], or null.
Status run_qr(diopiContextHandle_t ctx, const TensorView* q, const TensorView& r, const TensorView& a);

}  // namespace impl::DIOPI_VENDOR

#endif  // IMPL_COMMON_ENGINE_LINALG_HPP_
