// SPDX-License-Identifier: BSD-3-Clause
// The gradients of triangular systems. impl/common/families/linalg.hpp includes this file.
#ifndef IMPL_COMMON_FAMILIES_LINALG_TRIANGULAR_HPP_
#define IMPL_COMMON_FAMILIES_LINALG_TRIANGULAR_HPP_

#include "arguments/linalg.hpp"
#include "impl/common/engine/elementwise.hpp"
#include "impl/common/engine/linalg.hpp"
#include "impl/common/engine/reduce.hpp"
#include "impl/common/engine/triangle.hpp"
#include "impl/common/families/fill_number.hpp"
#include "impl/common/families/linalg_shapes.hpp"
#include "impl/common/families/matmul_operands.hpp"
#include "impl/common/families/outputs.hpp"
#include "impl/common/step_memory.hpp"

namespace impl::DIOPI_VENDOR {

// out = the sum of `in` over the dimensions of its batch that `out` lacks, or has once. In a dry run it writes nothing.
inline Status sum_over_batch(diopiContextHandle_t ctx, TensorView out, const TensorView& in) {
  uint32_t mask = 0;
  while (out.ndim() < in.ndim()) out = out.unsqueeze(0);
  for (int dim = 0; dim < in.ndim(); ++dim) {
    if (out.shape[dim] != in.shape[dim]) mask |= 1u << dim;
  }
  if (mask != 0) return run_reduce(ctx, diopi::ReduceOp::kSum, out, in, mask, in.dtype);
  return diopi::in_dry_run() ? Status() : copy(ctx, out, in);
}

// The tensors of a call, and its temporaries.
struct TriangularGradients {
  const diopi::TriangularSolveBackwardArgs& args;
  Dims solution, matrices;  // the shapes with the broadcast batch
  TensorView g;             // the gradient of b before it is summed
  TensorView product;       // the gradient of mat through x
  TensorView cloned;        // grad_cloned_mat, summed

  bool sums_b() const { return args.grad_b && !(args.b.shape == solution); }
  bool sums_cloned() const { return args.grad_mat && args.grad_cloned_mat && !(args.mat.shape == matrices); }

  // g: the solution of the adjoint system.
  Status solve(diopiContextHandle_t ctx) const {
    if (g.numel == 0) return diopiSuccess;
    return run_triangular_solve(ctx, g, *args.grad_x, args.mat.expand(matrices),
                                {args.upper, !args.transpose, args.unitriangular, true});
  }
  Status multiply(diopiContextHandle_t ctx) const {
    if (!args.grad_mat) return diopiSuccess;
    Dims batch = solution;
    batch.n -= 2;
    diopi::MatmulOptions options;
    options.alpha = {-1, -1};
    (args.transpose ? options.conj_a : options.conj_b) = true;
    return args.transpose ? summed_matmul(ctx, product, args.x, transposed(g), batch, options)
                          : summed_matmul(ctx, product, g, transposed(args.x), batch, options);
  }
  Status sum_cloned(diopiContextHandle_t ctx) const {
    return sums_cloned() ? sum_over_batch(ctx, cloned, *args.grad_cloned_mat) : Status();
  }
  // Writes grad_mat.
  Status finish(diopiContextHandle_t ctx) const {
    if (!args.grad_mat || args.grad_mat->numel == 0 || diopi::in_dry_run()) return diopiSuccess;
    const int64_t skipped = args.unitriangular ? 1 : 0;
    DIOPI_TRY(run_triangle(ctx, *args.grad_mat, product, !args.upper, args.upper ? skipped : -skipped));
    if (!args.grad_cloned_mat) return diopiSuccess;
    return run_binary(ctx, diopi::BinaryOp::kAdd, *args.grad_mat, *args.grad_mat, cloned, cloned.dtype);
  }
};

// The gradients if grad_x is zero.
inline Status clone_gradients(diopiContextHandle_t ctx, const diopi::TriangularSolveBackwardArgs& args) {
  const auto of_b = [&] { return args.grad_b ? fill_number(ctx, *args.grad_b, 0) : Status(); };
  const auto of_mat = [&] {
    if (!args.grad_mat) return Status();
    return args.grad_cloned_mat ? sum_over_batch(ctx, *args.grad_mat, *args.grad_cloned_mat)
                                : fill_number(ctx, *args.grad_mat, 0);
  };
  return diopi::run_steps(of_mat, of_b);
}

inline Status run(diopiContextHandle_t ctx, diopi::TriangularSolveBackwardArgs& args) {
  const TensorView &b = args.b, &mat = args.mat;
  TriangularGradients all{args, {}, {}, {}, {}, {}};
  DIOPI_TRY(system_shape(b, mat, b.shape[b.ndim() - 1], &all.solution));
  DIOPI_TRY(system_shape(b, mat, mat.shape[mat.ndim() - 1], &all.matrices));
  DIOPI_TRY(diopi::require_shape(args.x, all.solution));
  if (args.grad_x) DIOPI_TRY(diopi::require_shape(*args.grad_x, all.solution));
  if (args.grad_cloned_mat) DIOPI_TRY(diopi::require_shape(*args.grad_cloned_mat, all.matrices));
  DIOPI_TRY(diopi::require_writable({diopi::address_of(args.grad_b), diopi::address_of(args.grad_mat)}));
  if (!args.grad_x) return clone_gradients(ctx, args);
  if (args.grad_b && !all.sums_b()) {
    all.g = *args.grad_b;
  } else {
    DIOPI_TRY(diopi::make_temporary(ctx, all.solution, mat.dtype, "grad_x", &all.g));
  }
  if (args.grad_mat) DIOPI_TRY(diopi::make_temporary(ctx, mat.shape, mat.dtype, "grad_mat", &all.product));
  if (args.grad_cloned_mat) all.cloned = *args.grad_cloned_mat;
  if (all.sums_cloned()) {
    DIOPI_TRY(diopi::make_temporary(ctx, mat.shape, mat.dtype, "grad_cloned_mat", &all.cloned));
  }
  return diopi::run_steps([&] { return all.solve(ctx); },
                          [&] { return all.sums_b() ? sum_over_batch(ctx, *args.grad_b, all.g) : Status(); },
                          [&] { return all.multiply(ctx); }, [&] { return all.sum_cloned(ctx); },
                          [&] { return all.finish(ctx); });
}

}  // namespace impl::DIOPI_VENDOR

#endif  // IMPL_COMMON_FAMILIES_LINALG_TRIANGULAR_HPP_
