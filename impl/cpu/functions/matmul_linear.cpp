// SPDX-License-Identifier: BSD-3-Clause
// torch.nn.functional.linear and its gradients.
#include "impl/common/shape.hpp"
#include "impl/common/step_memory.hpp"
#include "impl/cpu/engine/reduce/kernels.hpp"
#include "impl/cpu/functions/matmul.hpp"

namespace impl::cpu {
namespace {

using diopi::Dims;

struct LinearShape {
  TensorView input;                // [lead..., rows, in]; a vector becomes one row
  TensorView weight;               // [out, in]; a vector becomes one row
  Dims input_shape, weight_shape;  // shapes of the given tensors
  bool vector_input = false, vector_weight = false;
  Dims out_shape;
};

Status resolve_linear(diopiConstTensorHandle_t input, diopiConstTensorHandle_t weight, LinearShape* s) {
  DIOPI_TRY(diopi::read_tensor(input, "input", &s->input));
  DIOPI_TRY(diopi::read_tensor(weight, "weight", &s->weight));
  const TensorView &x = s->input, &w = s->weight;
  DIOPI_TRY(require_matmul_dtype(x));
  DIOPI_TRY(require_dtype_of(w, x));
  DIOPI_REQUIRE(x.ndim() >= 1 && x.ndim() < diopi::kMaxDims, diopiErrorOccurred,
                "input has shape %s, expected 1 to %d dimensions", diopi::Text(x.shape).c_str(), diopi::kMaxDims - 1);
  DIOPI_REQUIRE(w.ndim() == 1 || w.ndim() == 2, diopiErrorOccurred, "weight has shape %s, expected 1 or 2 dimensions",
                diopi::Text(w.shape).c_str());
  const int64_t features = x.shape[x.ndim() - 1];
  DIOPI_REQUIRE(w.shape[w.ndim() - 1] == features, diopiErrorOccurred,
                "weight of shape %s has %lld columns, expected %lld for input of shape %s",
                diopi::Text(w.shape).c_str(), static_cast<long long>(w.shape[w.ndim() - 1]),
                static_cast<long long>(features), diopi::Text(x.shape).c_str());
  s->out_shape = x.shape;
  --s->out_shape.n;
  s->input_shape = x.shape;
  s->weight_shape = w.shape;
  s->vector_weight = w.ndim() == 1;
  s->vector_input = x.ndim() == 1;
  if (!s->vector_weight) s->out_shape.push_back(w.shape[0]);
  if (s->vector_weight) s->weight = w.unsqueeze(0);
  if (s->vector_input) s->input = x.unsqueeze(0);
  return diopiSuccess;
}

// Views a tensor of out_shape as [lead..., rows, out].
TensorView as_linear_result(const TensorView& out, const LinearShape& s) {
  TensorView matrix = s.vector_weight ? out.unsqueeze(out.ndim()) : out;
  return s.vector_input ? matrix.unsqueeze(0) : matrix;
}

// Expands `matrix` to the batches of `like`.
TensorView shared_matrix(const TensorView& matrix, const TensorView& like) {
  Dims batch = like.shape;
  batch.n -= 2;
  return expand_batch(matrix, batch);
}

Status read_grad(diopiTensorHandle_t handle, const char* name, const TensorView& like, const Dims& shape,
                 TensorView* grad) {
  if (handle == nullptr) return diopiSuccess;
  DIOPI_TRY(diopi::read_tensor(handle, name, grad));
  DIOPI_TRY(require_dtype_of(*grad, like));
  DIOPI_TRY(diopi::require_result_shape(grad, shape));
  return diopi::require_writable(*grad);
}

// The gradient of the bias. The bias may have any shape that broadcasts to the result, so some dimensions are summed.
struct BiasGradient {
  TensorView view;    // with the rank of the result
  uint32_t mask = 0;  // dimensions that are summed
};

// `result` is grad_output, with a last dimension of 1 if the weight is a vector.
Status read_bias_gradient(diopiTensorHandle_t handle, const TensorView& result, const LinearShape& s,
                          BiasGradient* bias) {
  if (handle == nullptr) return diopiSuccess;
  TensorView& view = bias->view;
  Dims shape;
  DIOPI_TRY(diopi::read_tensor(handle, "grad_bias", &view));
  DIOPI_TRY(require_dtype_of(view, result));
  DIOPI_REQUIRE(!s.vector_weight, diopiErrorOccurred,
                "grad_bias has shape %s, expected null for a weight of 1 dimension", diopi::Text(view.shape).c_str());
  DIOPI_TRY(diopi::broadcast_shapes(result, view, &shape));
  DIOPI_REQUIRE(shape == result.shape, diopiErrorOccurred,
                "grad_bias has shape %s, which does not broadcast to that of grad_output, %s",
                diopi::Text(view.shape).c_str(), diopi::Text(result.shape).c_str());
  DIOPI_TRY(diopi::require_writable(view));
  while (view.ndim() < result.ndim()) view = view.unsqueeze(0);
  for (int dim = 0; dim < result.ndim(); ++dim) {
    if (view.shape[dim] != result.shape[dim]) bias->mask |= 1u << dim;
  }
  return diopiSuccess;
}

// Merges all dimensions except the last.
Status as_rows(diopiContextHandle_t ctx, const TensorView& view, TensorView* rows) {
  return merge_dims(ctx, view, 0, view.ndim() - 2, rows);
}

Status sum_rows(diopiContextHandle_t ctx, const TensorView& result, const BiasGradient& bias) {
  const ReduceKernel* sum = reduce_kernel(ReduceOp::kSum, diopi::compute_dtype(result.dtype));
  return run_reduce(ctx, *sum, &bias.view, result, bias.mask);
}

Status weight_gradient(diopiContextHandle_t ctx, const TensorView& grad, const LinearShape& s, const TensorView& out) {
  MatmulCall call;
  TensorView rows;
  call.ctx = ctx;
  call.out = s.vector_weight ? out.unsqueeze(0) : out;
  DIOPI_TRY(as_rows(ctx, grad, &rows));
  DIOPI_TRY(as_rows(ctx, s.input, &call.b));
  call.a = rows.transposed(0, 1);
  call.conj_b = true;
  return matmul_into(call);
}

Status input_gradient(diopiContextHandle_t ctx, const TensorView& grad, const LinearShape& s, const TensorView& out) {
  MatmulCall call;
  call.ctx = ctx;
  call.out = s.vector_input ? out.unsqueeze(0) : out;
  call.a = grad;
  call.b = shared_matrix(s.weight, s.input);
  call.conj_b = true;
  return matmul_into(call);
}

}  // namespace

diopiError_t diopiLinear(diopiContextHandle_t ctx, diopiTensorHandle_t out, diopiConstTensorHandle_t input,
                         diopiConstTensorHandle_t weight, diopiConstTensorHandle_t bias) {
  LinearShape s;
  MatmulCall call;
  TensorView addend;
  call.ctx = ctx;
  DIOPI_TRY(resolve_linear(input, weight, &s));
  DIOPI_TRY(diopi::read_tensor(out, "out", &call.out));
  DIOPI_TRY(require_dtype_of(call.out, s.input));
  DIOPI_TRY(diopi::require_result_shape(&call.out, s.out_shape));
  DIOPI_TRY(diopi::require_writable(call.out));
  if (bias != nullptr) {
    DIOPI_TRY(diopi::read_tensor(bias, "bias", &addend));
    DIOPI_TRY(require_dtype_of(addend, s.input));
    DIOPI_REQUIRE(!s.vector_weight, diopiErrorOccurred, "bias has shape %s, expected null for a weight of 1 dimension",
                  diopi::Text(addend.shape).c_str());
    Dims shape;
    DIOPI_TRY(diopi::broadcast_shapes(call.out, addend, &shape));
    DIOPI_REQUIRE(shape == call.out.shape, diopiErrorOccurred, "bias has shape %s, which does not broadcast to %s",
                  diopi::Text(addend.shape).c_str(), diopi::Text(call.out.shape).c_str());
    call.c = &addend;
  }
  call.out = as_linear_result(call.out, s);
  call.a = s.input;
  call.b = shared_matrix(s.weight.transposed(0, 1), s.input);
  return matmul_into(call);
}

diopiError_t diopiLinearBackward(diopiContextHandle_t ctx, diopiTensorHandle_t grad_input,
                                 diopiTensorHandle_t grad_weight, diopiTensorHandle_t grad_bias,
                                 diopiConstTensorHandle_t grad_output, diopiConstTensorHandle_t input,
                                 diopiConstTensorHandle_t weight) {
  LinearShape s;
  TensorView grad, d_input, d_weight;
  BiasGradient d_bias;
  DIOPI_TRY(resolve_linear(input, weight, &s));
  DIOPI_TRY(require_differentiable(s.input));
  DIOPI_TRY(diopi::read_tensor(grad_output, "grad_output", &grad));
  DIOPI_TRY(require_dtype_of(grad, s.input));
  DIOPI_TRY(diopi::require_result_shape(&grad, s.out_shape));
  DIOPI_TRY(read_grad(grad_input, "grad_input", s.input, s.input_shape, &d_input));
  DIOPI_TRY(read_grad(grad_weight, "grad_weight", s.input, s.weight_shape, &d_weight));
  const TensorView result = grad;
  DIOPI_TRY(read_bias_gradient(grad_bias, result, s, &d_bias));
  grad = as_linear_result(grad, s);
  const auto bias = [&] { return grad_bias != nullptr ? sum_rows(ctx, result, d_bias) : Status(); };
  const auto of_weight = [&] { return grad_weight != nullptr ? weight_gradient(ctx, grad, s, d_weight) : Status(); };
  const auto of_input = [&] { return grad_input != nullptr ? input_gradient(ctx, grad, s, d_input) : Status(); };
  return diopi::run_steps(bias, of_weight, of_input);
}

}  // namespace impl::cpu
