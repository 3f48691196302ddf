// SPDX-License-Identifier: BSD-3-Clause
// Activations and their gradients.
#include <diopi/functions.h>

#include <cstring>

#include "impl/cpu/functions/operands.hpp"
#include "impl/cpu/functions/unary_call.hpp"
#include "impl/cpu/kernels/half.hpp"

namespace impl::cpu {

using diopi::read_tensor;

namespace {

constexpr diopiScalar_t kZero{diopi_dtype_int64, {0}};

// Two numbers of one compute dtype, as the kernels read them.
struct Parameters {
  alignas(16) char bytes[32];

  Parameters(diopiDtype_t dtype, const diopiScalar_t& first, const diopiScalar_t& second) {
    store_scalar(first, dtype, bytes);
    store_scalar(second, dtype, bytes + diopi::dtype_size(dtype));
  }
};

Status parametric(diopiContextHandle_t ctx, ParametricActivation op, diopiTensorHandle_t out, const char* out_name,
                  diopiConstTensorHandle_t input, const diopiScalar_t& first, const diopiScalar_t& second) {
  TensorView o, a;
  DIOPI_TRY(read_tensor(input, "input", &a));
  DIOPI_TRY(read_tensor(out, out_name, &o));
  const diopiDtype_t compute = diopi::compute_dtype(a.dtype);
  const BlockFn fn = parametric_activation_kernel(op, compute);
  if (fn == nullptr) return unsupported_operand(a);
  DIOPI_TRY(diopi::require_castable(a.dtype, o));
  DIOPI_TRY(diopi::require_result_shape(o, a));
  const Parameters params(compute, first, second);
  return run_elementwise(ctx, uniform_kernel(fn, compute, 1, params.bytes), &o, &a);
}

// grad_input = derivative at `point` times grad_output; `point_name` is the contract's name of the latter operand.
Status gradient(diopiContextHandle_t ctx, ActivationGradient op, diopiTensorHandle_t grad_input,
                diopiConstTensorHandle_t grad_output, diopiConstTensorHandle_t point, const char* point_name,
                const diopiScalar_t* first = nullptr, const diopiScalar_t* second = nullptr) {
  TensorView result, grad, at;
  DIOPI_TRY(read_tensor(grad_output, "grad_output", &grad));
  DIOPI_TRY(read_tensor(point, point_name, &at));
  DIOPI_TRY(read_tensor(grad_input, "grad_input", &result));
  diopi::drop_dim_of_number(&grad, at.shape);
  for (const TensorView* view : {&grad, &at}) {
    if (activation_gradient_kernel(op, diopi::compute_dtype(view->dtype)) == nullptr) return unsupported_operand(*view);
  }
  const diopiDtype_t promoted = diopi::ResultType().tensor(grad.dtype, grad.ndim()).tensor(at.dtype, at.ndim()).get();
  const bool uniform = grad.dtype == promoted && at.dtype == promoted && result.dtype == promoted;
  const BlockFn half = uniform ? half_gradient_kernel(op, promoted) : nullptr;
  const diopiDtype_t compute = half != nullptr ? promoted : diopi::compute_dtype(promoted);
  const BlockFn fn = half != nullptr ? half : activation_gradient_kernel(op, compute);
  if (fn == nullptr) return unsupported_operand(at);
  DIOPI_TRY(diopi::require_castable(promoted, result));
  DIOPI_TRY(require_broadcast_shape(result, grad, at));
  const Parameters params(diopi::compute_dtype(compute), first != nullptr ? *first : kZero,
                          second != nullptr ? *second : kZero);
  const TensorView inputs[] = {grad, at};
  return run_elementwise(ctx, uniform_kernel(fn, compute, 2, params.bytes), &result, inputs);
}

// Whether `approximate` asks for the form with tanh; null stands for "none".
Status read_approximate(const char* approximate, bool* with_tanh) {
  *with_tanh = approximate != nullptr && std::strcmp(approximate, "tanh") == 0;
  DIOPI_REQUIRE(*with_tanh || approximate == nullptr || std::strcmp(approximate, "none") == 0, diopiErrorOccurred,
                "approximate = \"%.32s\" is neither \"none\" nor \"tanh\"", approximate);
  return diopiSuccess;
}

}  // namespace

diopiError_t diopiRelu(diopiContextHandle_t ctx, diopiTensorHandle_t out, diopiConstTensorHandle_t input) {
  return call_unary(ctx, UnaryOp::kRelu, out, "out", input);
}
diopiError_t diopiReluInp(diopiContextHandle_t ctx, diopiTensorHandle_t input) {
  return call_unary(ctx, UnaryOp::kRelu, input, "input", input);
}

diopiError_t diopiSigmoid(diopiContextHandle_t ctx, diopiTensorHandle_t out, diopiConstTensorHandle_t input) {
  return call_unary(ctx, UnaryOp::kSigmoid, out, "out", input);
}
diopiError_t diopiSigmoidInp(diopiContextHandle_t ctx, diopiTensorHandle_t input) {
  return call_unary(ctx, UnaryOp::kSigmoid, input, "input", input);
}

diopiError_t diopiSilu(diopiContextHandle_t ctx, diopiTensorHandle_t out, diopiConstTensorHandle_t input) {
  return call_unary(ctx, UnaryOp::kSilu, out, "out", input);
}
diopiError_t diopiSiluInp(diopiContextHandle_t ctx, diopiTensorHandle_t input) {
  return call_unary(ctx, UnaryOp::kSilu, input, "input", input);
}

diopiError_t diopiGelu(diopiContextHandle_t ctx, diopiTensorHandle_t out, diopiConstTensorHandle_t input,
                       const char* approximate) {
  bool with_tanh;
  DIOPI_TRY(read_approximate(approximate, &with_tanh));
  return call_unary(ctx, with_tanh ? UnaryOp::kGeluTanh : UnaryOp::kGelu, out, "out", input);
}

diopiError_t diopiHardswish(diopiContextHandle_t ctx, diopiTensorHandle_t out, diopiConstTensorHandle_t input) {
  return call_unary(ctx, UnaryOp::kHardswish, out, "out", input);
}
diopiError_t diopiHardswishInp(diopiContextHandle_t ctx, diopiTensorHandle_t input) {
  return call_unary(ctx, UnaryOp::kHardswish, input, "input", input);
}

diopiError_t diopiHardtanh(diopiContextHandle_t ctx, diopiTensorHandle_t out, diopiConstTensorHandle_t input,
                           const diopiScalar_t* min_val, const diopiScalar_t* max_val) {
  return parametric(ctx, ParametricActivation::kHardtanh, out, "out", input, *min_val, *max_val);
}
diopiError_t diopiHardtanhInp(diopiContextHandle_t ctx, diopiTensorHandle_t input, const diopiScalar_t* min_val,
                              const diopiScalar_t* max_val) {
  return parametric(ctx, ParametricActivation::kHardtanh, input, "input", input, *min_val, *max_val);
}

diopiError_t diopiThreshold(diopiContextHandle_t ctx, diopiTensorHandle_t out, diopiConstTensorHandle_t input,
                            const diopiScalar_t* threshold, const diopiScalar_t* value) {
  return parametric(ctx, ParametricActivation::kThreshold, out, "out", input, *threshold, *value);
}
diopiError_t diopiThresholdInp(diopiContextHandle_t ctx, diopiTensorHandle_t input, const diopiScalar_t* threshold,
                               const diopiScalar_t* value) {
  return parametric(ctx, ParametricActivation::kThreshold, input, "input", input, *threshold, *value);
}

diopiError_t diopiLeakyRelu(diopiContextHandle_t ctx, diopiTensorHandle_t out, diopiConstTensorHandle_t input,
                            const diopiScalar_t* negative_slope) {
  return parametric(ctx, ParametricActivation::kLeakyRelu, out, "out", input, *negative_slope, kZero);
}
diopiError_t diopiLeakyReluInp(diopiContextHandle_t ctx, diopiTensorHandle_t input,
                               const diopiScalar_t* negative_slope) {
  return parametric(ctx, ParametricActivation::kLeakyRelu, input, "input", input, *negative_slope, kZero);
}

diopiError_t diopiTanhBackward(diopiContextHandle_t ctx, diopiTensorHandle_t grad_input,
                               diopiConstTensorHandle_t grad_output, diopiConstTensorHandle_t output) {
  return gradient(ctx, ActivationGradient::kTanh, grad_input, grad_output, output, "output");
}

diopiError_t diopiSigmoidBackward(diopiContextHandle_t ctx, diopiTensorHandle_t grad_input,
                                  diopiConstTensorHandle_t grad_output, diopiConstTensorHandle_t output) {
  return gradient(ctx, ActivationGradient::kSigmoid, grad_input, grad_output, output, "output");
}

diopiError_t diopiSiluBackward(diopiContextHandle_t ctx, diopiTensorHandle_t grad_input,
                               diopiConstTensorHandle_t grad_output, diopiConstTensorHandle_t input) {
  return gradient(ctx, ActivationGradient::kSilu, grad_input, grad_output, input, "input");
}

diopiError_t diopiGeluBackward(diopiContextHandle_t ctx, diopiTensorHandle_t grad_input,
                               diopiConstTensorHandle_t grad_output, diopiConstTensorHandle_t input,
                               const char* approximate) {
  bool with_tanh;
  DIOPI_TRY(read_approximate(approximate, &with_tanh));
  return gradient(ctx, with_tanh ? ActivationGradient::kGeluTanh : ActivationGradient::kGelu, grad_input, grad_output,
                  input, "input");
}

diopiError_t diopiHardswishBackward(diopiContextHandle_t ctx, diopiTensorHandle_t grad_input,
                                    diopiConstTensorHandle_t grad_output, diopiConstTensorHandle_t input) {
  return gradient(ctx, ActivationGradient::kHardswish, grad_input, grad_output, input, "input");
}

diopiError_t diopiHardtanhBackward(diopiContextHandle_t ctx, diopiTensorHandle_t grad_input,
                                   diopiConstTensorHandle_t grad_output, diopiConstTensorHandle_t input,
                                   const diopiScalar_t* min_val, const diopiScalar_t* max_val) {
  return gradient(ctx, ActivationGradient::kHardtanh, grad_input, grad_output, input, "input", min_val, max_val);
}

diopiError_t diopiThresholdBackward(diopiContextHandle_t ctx, diopiTensorHandle_t grad_input,
                                    diopiConstTensorHandle_t grad_output, diopiConstTensorHandle_t input,
                                    const diopiScalar_t* threshold) {
  return gradient(ctx, ActivationGradient::kThreshold, grad_input, grad_output, input, "input", threshold);
}

diopiError_t diopiLeakyReluBackward(diopiContextHandle_t ctx, diopiTensorHandle_t grad_input,
                                    diopiConstTensorHandle_t grad_output, diopiConstTensorHandle_t input,
                                    const diopiScalar_t* negative_slope, bool input_is_result) {
  // The sign of a result tells the sign of its input only where the slope keeps it.
  const double slope = diopi::scalar_as<double>(*negative_slope);
  DIOPI_REQUIRE(!input_is_result || slope >= 0, diopiErrorOccurred,
                "negative_slope = %g is negative, with which the gradient does not follow from a result", slope);
  return gradient(ctx, ActivationGradient::kLeakyRelu, grad_input, grad_output, input, "input", negative_slope);
}

}  // namespace impl::cpu
