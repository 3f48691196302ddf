// SPDX-License-Identifier: BSD-3-Clause
// Vector norms, their gradient, and scaling to unit norm: reductions, element-wise operations and row kernels.
#include "impl/cpu/norm/vector_norm.hpp"

#include "impl/common/engine/elementwise.hpp"
#include "impl/common/engine/norm_vector.hpp"
#include "impl/common/shape.hpp"
#include "impl/common/temporary.hpp"
#include "impl/cpu/engine/norm/layout.hpp"

namespace impl::cpu {

namespace {

// The dtype in which tensors are computed together.
diopiDtype_t joint_compute_dtype(std::initializer_list<const TensorView*> views) {
  bool wide = false;
  for (const TensorView* view : views) wide = wide || view->dtype == diopi_dtype_float64;
  return wide ? diopi_dtype_float64 : diopi_dtype_float32;
}

// Divides g by the number of elements that equal the extreme norm of their row.
Status divide_by_extremes(diopiContextHandle_t ctx, const VectorNormBackwardProblem& p, diopiDtype_t dtype,
                          TensorView* g) {
  TensorView hits, counts, shares;
  DIOPI_TRY(diopi::make_temporary(ctx, p.input.shape, dtype, "hits", &hits));
  const TensorView operands[] = {p.input, p.norm};
  DIOPI_TRY(run_elementwise(ctx, uniform_kernel(is_extreme_kernel(dtype), dtype, 2), &hits, operands));
  DIOPI_TRY(diopi::make_temporary(ctx, p.norm.shape, dtype, "counts", &counts));
  DIOPI_TRY(run_reduce(ctx, ReduceOp::kSum, counts, hits, p.mask, dtype));
  DIOPI_TRY(diopi::make_temporary(ctx, p.norm.shape, dtype, "shares", &shares));
  DIOPI_TRY(run_binary(ctx, diopi::BinaryOp::kDiv, shares, *g, counts, dtype));
  *g = shares;
  return diopiSuccess;
}

// Whether a row kernel is faster than a reduction and element-wise operations: rows along an axis are packed, so that
// they are read in place, and long enough for the start of each row not to matter.
bool has_long_packed_rows(const TensorView& view, int axis) {
  constexpr int64_t kShort = 16;
  return view.ndim() == 0 || (view.stride[axis] == 1 && view.shape[axis] > kShort);
}

uint32_t mask_of(const TensorView& view, int axis) { return view.ndim() == 0 ? 0 : 1u << axis; }

// The gradient of a finite order from the norms of all rows and their sums of grad_output * input.
Status normalize_backward_by_sums(diopiContextHandle_t ctx, const NormalizeBackwardProblem& p,
                                  const NormalizeParams& params) {
  const diopiDtype_t compute = joint_compute_dtype({&p.grad_input, &p.grad_output, &p.input});
  diopi::Dims shape = p.input.shape;
  shape[p.axis] = 1;
  TensorView norm, products, sums;
  DIOPI_TRY(diopi::require_writable(p.grad_input));
  DIOPI_TRY(diopi::make_temporary(ctx, shape, compute, "norm", &norm));
  DIOPI_TRY(diopi::make_temporary(ctx, p.input.shape, compute, "products", &products));
  DIOPI_TRY(diopi::make_temporary(ctx, shape, compute, "sums", &sums));
  DIOPI_TRY(run_vector_norm(ctx, norm, p.input, mask_of(p.input, p.axis), p.p));
  DIOPI_TRY(run_binary(ctx, diopi::BinaryOp::kMul, products, p.grad_output, p.input, compute));
  DIOPI_TRY(run_reduce(ctx, ReduceOp::kSum, sums, products, mask_of(p.input, p.axis), compute));
  const TensorView operands[] = {p.grad_output, p.input, norm, sums};
  return run_elementwise(ctx, uniform_kernel(normalize_backward_block_kernel(compute), compute, 4, &params),
                         &p.grad_input, operands);
}

}  // namespace

Status run_vector_norm(diopiContextHandle_t ctx, const TensorView& out, const TensorView& in, uint32_t mask, double p) {
  const double order = diopi::norm_order(p, out, in);
  ReduceKernel kernel = *vector_norm_kernel(requested_kernel_dtype(out, in), order);
  kernel.params = &order;
  return run_reduce(ctx, kernel, &out, in, mask);
}

Status run_vector_norm_backward(diopiContextHandle_t ctx, const VectorNormBackwardProblem& p) {
  const diopiDtype_t dtype = joint_compute_dtype({&p.grad_input, &p.grad_output, &p.input, &p.norm});
  TensorView g = p.grad_output;
  if (std::isinf(p.p) && p.input.numel > 0) DIOPI_TRY(divide_by_extremes(ctx, p, dtype, &g));
  const TensorView operands[] = {g, p.input, p.norm};
  return run_elementwise(ctx, uniform_kernel(vector_norm_backward_kernel(dtype), dtype, 3, &p.p), &p.grad_input,
                         operands);
}

Status run_normalize(diopiContextHandle_t ctx, const NormalizeProblem& p) {
  const diopiDtype_t dtype = joint_dtype(p.out, p.input);
  if (has_long_packed_rows(p.input, p.axis)) {
    const NormalizeParams params{p.p, p.eps};
    RowKernel kernel;
    kernel.fn = normalize_kernel(dtype);
    kernel.params = &params;
    kernel.num_inputs = 1;
    kernel.in[0] = kernel.out[0] = dtype;
    return run_rows(ctx, kernel, p.input.shape, mask_of(p.input, p.axis), &p.out, &p.input);
  }
  const diopiDtype_t compute = joint_compute_dtype({&p.input, &p.out});
  diopi::Dims shape = p.input.shape;
  shape[p.axis] = 1;
  TensorView norm;
  DIOPI_TRY(diopi::require_writable(p.out));
  DIOPI_TRY(diopi::make_temporary(ctx, shape, compute, "norm", &norm));
  DIOPI_TRY(run_vector_norm(ctx, norm, p.input, mask_of(p.input, p.axis), p.p));
  const TensorView operands[] = {p.input, norm};
  return run_elementwise(ctx, uniform_kernel(divide_by_norm_kernel(compute), compute, 2, &p.eps), &p.out, operands);
}

Status run_normalize_backward(diopiContextHandle_t ctx, const NormalizeBackwardProblem& p) {
  const NormalizeParams params{p.p, p.eps};
  if (!std::isinf(p.p) && !has_long_packed_rows(p.input, p.axis)) return normalize_backward_by_sums(ctx, p, params);
  const diopiDtype_t dtype = gradient_dtype(p.grad_output, p.input, &p.grad_input);
  RowKernel kernel;
  kernel.fn = normalize_backward_kernel(dtype);
  kernel.params = &params;
  kernel.num_inputs = 2;
  kernel.in[0] = kernel.in[1] = kernel.out[0] = dtype;
  const TensorView operands[] = {p.grad_output, p.input};
  return run_rows(ctx, kernel, p.input.shape, mask_of(p.input, p.axis), &p.grad_input, operands);
}

}  // namespace impl::cpu
