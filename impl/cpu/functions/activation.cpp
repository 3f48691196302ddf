// SPDX-License-Identifier: BSD-3-Clause
// Activations and their gradients.
#include <diopi/functions.h>

#include <cmath>
#include <cstring>
#include <limits>

#include "impl/common/workspace.hpp"
#include "impl/cpu/engine/copy/copy.hpp"
#include "impl/cpu/functions/operands.hpp"
#include "impl/cpu/functions/unary_call.hpp"
#include "impl/cpu/pointwise/half.hpp"

namespace impl::cpu {

using diopi::read_tensor;

namespace {

constexpr diopiScalar_t kZero{diopi_dtype_int64, {0}};
constexpr diopiScalar_t kInfinity{diopi_dtype_float64, {std::numeric_limits<double>::infinity()}};
constexpr diopiScalar_t kNan{diopi_dtype_float64, {std::numeric_limits<double>::quiet_NaN()}};

// A parameter of an activation, with its name in the contract.
struct Number {
  const diopiScalar_t* value = &kZero;
  const char* name = "";
};

bool is_nan(const Number& number) { return diopi::is_floating(*number.value) && std::isnan(number.value->fval); }

// Two numbers of one compute dtype, in the format of the kernels.
struct Parameters {
  alignas(16) char bytes[32];

  Status read(diopiDtype_t dtype, const Number& first, const Number& second) {
    DIOPI_TRY(store_value(*first.value, first.name, dtype, bytes));
    return store_value(*second.value, second.name, dtype, bytes + diopi::dtype_size(dtype));
  }
};

// Reads a bound of Hardtanh. Results may equal the bound, so it must fit the dtype. For integers the bound is truncated
// to a whole number first, and for unsigned integers it must not be negative.
Status read_bound(Number* bound, const TensorView& input, diopiScalar_t* whole) {
  if (diopi::is_integral(input.dtype)) {
    *whole = *bound->value;
    if (diopi::is_floating(*whole)) {
      DIOPI_TRY(diopi::require_fits(*whole, bound->name, diopi_dtype_int64));
      whole->stype = diopi_dtype_int64;
      whole->ival = static_cast<int64_t>(bound->value->fval);
    }
    bound->value = whole;
    DIOPI_REQUIRE(whole->ival >= 0 || !diopi::is_unsigned(input.dtype), diopiErrorOccurred,
                  "%s = %lld is negative, but %s has dtype %s", bound->name, static_cast<long long>(whole->ival),
                  input.name, diopi::dtype_name(input.dtype));
  }
  return diopi::require_fits(*bound->value, bound->name, input.dtype);
}

Status parametric(diopiContextHandle_t ctx, ParametricActivation op, diopiTensorHandle_t out, const char* out_name,
                  diopiConstTensorHandle_t input, Number first, Number second = {}) {
  TensorView o, a;
  DIOPI_TRY(read_tensor(input, "input", &a));
  DIOPI_TRY(read_tensor(out, out_name, &o));
  const diopiDtype_t compute = diopi::compute_dtype(a.dtype);
  BlockFn fn = parametric_activation_kernel(op, compute);
  if (fn == nullptr) return unsupported_operand(a);
  DIOPI_TRY(diopi::require_castable(a.dtype, o));
  DIOPI_TRY(diopi::require_result_shape(o, a));
  diopiScalar_t bounds[2];
  if (op == ParametricActivation::kHardtanh) {
    DIOPI_TRY(read_bound(&first, a, &bounds[0]));
    DIOPI_TRY(read_bound(&second, a, &bounds[1]));
    if (is_nan(first) || is_nan(second)) {  // a NaN bound makes every element NaN
      first.value = &kInfinity;
      second.value = &kNan;
      op = ParametricActivation::kThreshold;
      fn = parametric_activation_kernel(op, compute);
    }
  }
  // Only the value of Threshold is written to the result, so only it must fit the dtype.
  if (op == ParametricActivation::kThreshold) DIOPI_TRY(diopi::require_fits(*second.value, second.name, a.dtype));
  Parameters params;
  DIOPI_TRY(params.read(compute, first, second));
  return run_elementwise(ctx, uniform_kernel(fn, compute, 1, params.bytes), &o, &a);
}

// Converts `view` to the 16-bit dtype to which it is promoted. The kernels read float32, which would skip this
// rounding.
Status round_to(diopiContextHandle_t ctx, diopiDtype_t dtype, TensorView* view) {
  if (view->dtype == dtype || !diopi::is_reduced_float(dtype)) return diopiSuccess;
  TensorView rounded = *view;
  rounded.dtype = dtype;
  rounded.stride = diopi::contiguous_strides(view->shape);
  void* memory = nullptr;
  DIOPI_TRY(diopi::Workspace(ctx).take_items(view->numel, diopi::dtype_size(dtype), &memory));
  rounded.data = static_cast<char*>(memory);
  copy_view(rounded, *view);
  *view = rounded;
  return diopiSuccess;
}

// grad_input = the derivative at `point` times grad_output. `point_name` is the contract's name of the operand `point`.
Status gradient(diopiContextHandle_t ctx, ActivationGradient op, diopiTensorHandle_t grad_input,
                diopiConstTensorHandle_t grad_output, diopiConstTensorHandle_t point, const char* point_name,
                const Number& first = {}, const Number& second = {}) {
  TensorView result, grad, at;
  DIOPI_TRY(read_tensor(grad_output, "grad_output", &grad));
  DIOPI_TRY(read_tensor(point, point_name, &at));
  DIOPI_TRY(read_tensor(grad_input, "grad_input", &result));
  diopi::drop_dim_of_number(&grad, at.shape);
  const diopiDtype_t promoted = diopi::ResultType().tensor(grad.dtype, grad.ndim()).tensor(at.dtype, at.ndim()).get();
  const bool uniform = grad.dtype == promoted && at.dtype == promoted && result.dtype == promoted;
  const BlockFn half = uniform ? half_gradient_kernel(op, promoted) : nullptr;
  const diopiDtype_t compute = half != nullptr ? promoted : diopi::compute_dtype(promoted);
  const BlockFn fn = half != nullptr ? half : activation_gradient_kernel(op, compute);
  if (fn == nullptr) return unsupported_dtype(promoted, {&grad, &at});
  DIOPI_TRY(diopi::require_castable(promoted, result));
  DIOPI_TRY(require_broadcast_shape(result, grad, at));
  Parameters params;
  DIOPI_TRY(params.read(diopi::compute_dtype(compute), first, second));
  DIOPI_TRY(round_to(ctx, promoted, &grad));
  DIOPI_TRY(round_to(ctx, promoted, &at));
  const TensorView inputs[] = {grad, at};
  return run_elementwise(ctx, uniform_kernel(fn, compute, 2, params.bytes), &result, inputs);
}

// Whether `approximate` is "tanh". Null means "none".
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
  return parametric(ctx, ParametricActivation::kHardtanh, out, "out", input, {min_val, "min_val"},
                    {max_val, "max_val"});
}
diopiError_t diopiHardtanhInp(diopiContextHandle_t ctx, diopiTensorHandle_t input, const diopiScalar_t* min_val,
                              const diopiScalar_t* max_val) {
  return parametric(ctx, ParametricActivation::kHardtanh, input, "input", input, {min_val, "min_val"},
                    {max_val, "max_val"});
}

diopiError_t diopiThreshold(diopiContextHandle_t ctx, diopiTensorHandle_t out, diopiConstTensorHandle_t input,
                            const diopiScalar_t* threshold, const diopiScalar_t* value) {
  return parametric(ctx, ParametricActivation::kThreshold, out, "out", input, {threshold, "threshold"},
                    {value, "value"});
}
diopiError_t diopiThresholdInp(diopiContextHandle_t ctx, diopiTensorHandle_t input, const diopiScalar_t* threshold,
                               const diopiScalar_t* value) {
  return parametric(ctx, ParametricActivation::kThreshold, input, "input", input, {threshold, "threshold"},
                    {value, "value"});
}

diopiError_t diopiLeakyRelu(diopiContextHandle_t ctx, diopiTensorHandle_t out, diopiConstTensorHandle_t input,
                            const diopiScalar_t* negative_slope) {
  return parametric(ctx, ParametricActivation::kLeakyRelu, out, "out", input, {negative_slope, "negative_slope"});
}
diopiError_t diopiLeakyReluInp(diopiContextHandle_t ctx, diopiTensorHandle_t input,
                               const diopiScalar_t* negative_slope) {
  return parametric(ctx, ParametricActivation::kLeakyRelu, input, "input", input, {negative_slope, "negative_slope"});
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
  return gradient(ctx, ActivationGradient::kHardtanh, grad_input, grad_output, input, "input", {min_val, "min_val"},
                  {max_val, "max_val"});
}

diopiError_t diopiThresholdBackward(diopiContextHandle_t ctx, diopiTensorHandle_t grad_input,
                                    diopiConstTensorHandle_t grad_output, diopiConstTensorHandle_t input,
                                    const diopiScalar_t* threshold) {
  return gradient(ctx, ActivationGradient::kThreshold, grad_input, grad_output, input, "input",
                  {threshold, "threshold"});
}

diopiError_t diopiLeakyReluBackward(diopiContextHandle_t ctx, diopiTensorHandle_t grad_input,
                                    diopiConstTensorHandle_t grad_output, diopiConstTensorHandle_t input,
                                    const diopiScalar_t* negative_slope, bool input_is_result) {
  // A negative slope changes signs. Then the sign of the result does not determine the sign of the input.
  const double slope = diopi::scalar_as<double>(*negative_slope);
  DIOPI_REQUIRE(!input_is_result || slope >= 0, diopiErrorOccurred,
                "negative_slope = %g is negative, expected at least 0: the gradient cannot be computed from a result",
                slope);
  return gradient(ctx, ActivationGradient::kLeakyRelu, grad_input, grad_output, input, "input",
                  {negative_slope, "negative_slope"});
}

}  // namespace impl::cpu
