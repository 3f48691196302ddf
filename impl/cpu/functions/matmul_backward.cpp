// SPDX-License-Identifier: BSD-3-Clause
// Gradients of torch.matmul. Each is a product that is summed over the batches to which its operand was broadcast.
#include "impl/common/shape.hpp"
#include "impl/common/step_memory.hpp"
#include "impl/cpu/engine/copy/copy.hpp"
#include "impl/cpu/functions/matmul.hpp"

namespace impl::cpu {
namespace {

using diopi::Dims;

// Reads the gradient of one operand. A null handle means that it is not wanted.
Status read_gradient(diopiTensorHandle_t handle, const char* name, diopiConstTensorHandle_t operand,
                     const char* operand_name, TensorView* grad) {
  TensorView like;
  if (handle == nullptr) return diopiSuccess;
  DIOPI_TRY(diopi::read_tensor(handle, name, grad));
  DIOPI_TRY(diopi::read_tensor(operand, operand_name, &like));
  DIOPI_TRY(require_dtype_of(*grad, like));
  DIOPI_TRY(diopi::require_same_shape(*grad, like));
  return diopi::require_writable(*grad);
}

// The dimensions of `batch` over which a gradient of shape [..., rows, columns] is summed.
uint32_t summed_dims(const TensorView& grad, const Dims& batch) {
  uint32_t mask = 0;
  const int lead = batch.n - (grad.ndim() - 2);
  for (int dim = 0; dim < batch.n; ++dim) {
    if (dim < lead || grad.shape[dim - lead] != batch[dim]) mask |= 1u << dim;
  }
  return mask;
}

// Moves the dimensions of `mask` behind dimension `ndim - 1 - from_end`, and merges them with the next dimension.
Status merge_summed(diopiContextHandle_t ctx, const TensorView& view, uint32_t mask, int from_end, TensorView* merged) {
  TensorView moved = view;
  moved.shape.n = moved.stride.n = 0;
  const auto take = [&](int dim) {
    moved.shape.push_back(view.shape[dim]);
    moved.stride.push_back(view.stride[dim]);
  };
  const int anchor = view.ndim() - from_end;  // the dimension with which the summed dimensions are merged
  int first = 0;
  for (int dim = 0; dim < view.ndim(); ++dim) {
    if (dim == anchor) {
      first = moved.ndim();
      for (int i = 0; i < view.ndim() - 2; ++i) {
        if ((mask >> i & 1) != 0) take(i);
      }
    }
    if (dim >= view.ndim() - 2 || (mask >> dim & 1) == 0) take(dim);
  }
  return merge_dims(ctx, moved, first, first + __builtin_popcount(mask), merged);
}

// Computes grad = sum over the batches of a @ b.
Status summed_matmul(diopiContextHandle_t ctx, const TensorView& grad, const TensorView& a, const TensorView& b,
                     const Dims& batch, bool conj_a, bool conj_b) {
  MatmulCall call;
  call.ctx = ctx;
  call.conj_a = conj_a;
  call.conj_b = conj_b;
  const uint32_t mask = summed_dims(grad, batch);
  DIOPI_TRY(merge_summed(ctx, expand_batch(a, batch), mask, 1, &call.a));
  DIOPI_TRY(merge_summed(ctx, expand_batch(b, batch), mask, 2, &call.b));
  call.out = grad;
  call.out.shape.n = call.out.stride.n = 0;
  const int lead = batch.n - (grad.ndim() - 2);
  for (int dim = 0; dim < batch.n + 2; ++dim) {
    if (dim < batch.n && (mask >> dim & 1) != 0) continue;
    call.out.shape.push_back(grad.shape[dim - lead]);
    call.out.stride.push_back(grad.stride[dim - lead]);
  }
  return matmul_into(call);
}

}  // namespace

Status merge_dims(diopiContextHandle_t ctx, const TensorView& view, int first, int last, TensorView* merged) {
  TensorView source = view;
  int64_t extent = view.shape[last];
  bool mergeable = true;
  for (int dim = last - 1; dim >= first; --dim) {
    mergeable = mergeable && (view.shape[dim] == 1 || view.stride[dim] == view.stride[last] * extent);
    extent *= view.shape[dim];
  }
  if (!mergeable && view.numel > 0) {
    DIOPI_TRY(make_temporary(ctx, view.shape, view.dtype, &source));
    copy_view(source, view);
  }
  TensorView result = source;
  result.name = view.name;
  result.shape.n = result.stride.n = 0;
  for (int dim = 0; dim < source.ndim(); ++dim) {
    if (dim >= first && dim < last) continue;
    result.shape.push_back(dim == last ? extent : source.shape[dim]);
    result.stride.push_back(source.stride[dim]);
  }
  *merged = result;
  return diopiSuccess;
}

Status require_differentiable(const TensorView& view) {
  DIOPI_REQUIRE(!diopi::is_integral(view.dtype), diopiDtypeNotSupported,
                "%s has dtype %s, expected a floating point or complex one", view.name, diopi::dtype_name(view.dtype));
  return diopiSuccess;
}

diopiError_t diopiMatmulBackward(diopiContextHandle_t ctx, diopiTensorHandle_t grad_input,
                                 diopiTensorHandle_t grad_other, diopiConstTensorHandle_t grad_out,
                                 diopiConstTensorHandle_t input, diopiConstTensorHandle_t other) {
  MatmulShape m;
  TensorView grad, d_input, d_other;
  DIOPI_TRY(resolve_matmul(input, other, &m));
  DIOPI_TRY(require_differentiable(m.a));
  DIOPI_TRY(diopi::read_tensor(grad_out, "grad_out", &grad));
  DIOPI_TRY(require_dtype_of(grad, m.a));
  DIOPI_TRY(diopi::require_result_shape(&grad, m.out_shape));
  DIOPI_TRY(read_gradient(grad_input, "grad_input", input, "input", &d_input));
  DIOPI_TRY(read_gradient(grad_other, "grad_other", other, "other", &d_other));
  grad = as_matmul_result(grad, m);
  const TensorView input_t = m.a.transposed(m.a.ndim() - 2, m.a.ndim() - 1);
  const TensorView other_t = m.b.transposed(m.b.ndim() - 2, m.b.ndim() - 1);
  if (m.a_is_vector) d_input = d_input.unsqueeze(0);
  if (m.b_is_vector) d_other = d_other.unsqueeze(1);
  const auto of_input = [&] {
    return grad_input != nullptr ? summed_matmul(ctx, d_input, grad, other_t, m.batch, false, true) : Status();
  };
  const auto of_other = [&] {
    return grad_other != nullptr ? summed_matmul(ctx, d_other, input_t, grad, m.batch, true, false) : Status();
  };
  return diopi::run_steps(of_input, of_other);
}

}  // namespace impl::cpu
