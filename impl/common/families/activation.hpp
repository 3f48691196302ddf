// SPDX-License-Identifier: BSD-3-Clause
// Activations and their gradients. impl/<vendor>/functions/activation.cpp includes this file.
#ifndef IMPL_COMMON_FAMILIES_ACTIVATION_HPP_
#define IMPL_COMMON_FAMILIES_ACTIVATION_HPP_

#include <cmath>
#include <cstring>

#include "arguments/activation.hpp"
#include "impl/common/engine/activation.hpp"
#include "impl/common/engine/elementwise.hpp"
#include "impl/common/families/promoted_operands.hpp"

namespace impl::DIOPI_VENDOR {

inline constexpr diopiScalar_t kZeroParameter{diopi_dtype_int64, {0}};

// Two numbers, which fit the compute dtype of `dtype`, as its elements.
inline ActivationParams make_params(diopiDtype_t dtype, const diopiScalar_t& first,
                                    const diopiScalar_t& second = kZeroParameter) {
  ActivationParams params;
  const diopiDtype_t compute = diopi::compute_dtype(dtype);
  diopi::store_number(first, compute, params.bytes);
  diopi::store_number(second, compute, params.bytes + diopi::dtype_size(compute));
  return params;
}

template <typename Args>
Status activation(diopiContextHandle_t ctx, UnaryOp op, const Args& args) {
  return run_unary(ctx, op, args.out, args.input);
}

inline bool is_tanh(const char* approximate) { return approximate != nullptr && std::strcmp(approximate, "tanh") == 0; }

inline Status run(diopiContextHandle_t ctx, diopi::ReluArgs& args) { return activation(ctx, UnaryOp::kRelu, args); }
inline Status run(diopiContextHandle_t ctx, diopi::SigmoidArgs& args) {
  return activation(ctx, UnaryOp::kSigmoid, args);
}
inline Status run(diopiContextHandle_t ctx, diopi::SiluArgs& args) { return activation(ctx, UnaryOp::kSilu, args); }
inline Status run(diopiContextHandle_t ctx, diopi::GeluArgs& args) {
  return activation(ctx, is_tanh(args.approximate) ? UnaryOp::kGeluTanh : UnaryOp::kGelu, args);
}
inline Status run(diopiContextHandle_t ctx, diopi::HardswishArgs& args) {
  return activation(ctx, UnaryOp::kHardswish, args);
}

inline bool is_nan(const diopiScalar_t& number) { return diopi::is_floating(number) && std::isnan(number.fval); }

// For integers, the bounds lose their fractions.
inline Status run(diopiContextHandle_t ctx, diopi::HardtanhArgs& args) {
  constexpr diopiScalar_t kInfinity{diopi_dtype_float64, {INFINITY}}, kNan{diopi_dtype_float64, {NAN}};
  const diopiDtype_t dtype = args.input.dtype;
  if (is_nan(*args.min_val) || is_nan(*args.max_val)) {  // a NaN bound makes every element NaN
    return run_activation(ctx, ParametricActivation::kThreshold, args.out, args.input,
                          make_params(dtype, kInfinity, kNan));
  }
  const bool exact = diopi::is_exact(dtype);
  return run_activation(ctx, ParametricActivation::kHardtanh, args.out, args.input,
                        make_params(dtype, exact ? diopi::whole_part(*args.min_val) : *args.min_val,
                                    exact ? diopi::whole_part(*args.max_val) : *args.max_val));
}

inline Status run(diopiContextHandle_t ctx, diopi::ThresholdArgs& args) {
  return run_activation(ctx, ParametricActivation::kThreshold, args.out, args.input,
                        make_params(args.input.dtype, *args.threshold, *args.value));
}
inline Status run(diopiContextHandle_t ctx, diopi::LeakyReluArgs& args) {
  return run_activation(ctx, ParametricActivation::kLeakyRelu, args.out, args.input,
                        make_params(args.input.dtype, *args.negative_slope));
}

// `point`: the operand at which the derivative is computed.
template <typename Args>
Status gradient(diopiContextHandle_t ctx, ActivationGradient op, Args& args, TensorView Args::*point,
                const diopiScalar_t& first = kZeroParameter, const diopiScalar_t& second = kZeroParameter) {
  DIOPI_TRY(round_operands(ctx, args.promoted, args.grad_input, {&args.grad_output, &(args.*point)}));
  return run_activation_gradient(ctx, op, args.grad_input, args.grad_output, args.*point, args.promoted,
                                 make_params(args.promoted, first, second));
}

inline Status run(diopiContextHandle_t ctx, diopi::TanhBackwardArgs& args) {
  return gradient(ctx, ActivationGradient::kTanh, args, &diopi::TanhBackwardArgs::output);
}
inline Status run(diopiContextHandle_t ctx, diopi::SigmoidBackwardArgs& args) {
  return gradient(ctx, ActivationGradient::kSigmoid, args, &diopi::SigmoidBackwardArgs::output);
}
inline Status run(diopiContextHandle_t ctx, diopi::SiluBackwardArgs& args) {
  return gradient(ctx, ActivationGradient::kSilu, args, &diopi::SiluBackwardArgs::input);
}
inline Status run(diopiContextHandle_t ctx, diopi::GeluBackwardArgs& args) {
  const ActivationGradient op = is_tanh(args.approximate) ? ActivationGradient::kGeluTanh : ActivationGradient::kGelu;
  return gradient(ctx, op, args, &diopi::GeluBackwardArgs::input);
}
inline Status run(diopiContextHandle_t ctx, diopi::HardswishBackwardArgs& args) {
  return gradient(ctx, ActivationGradient::kHardswish, args, &diopi::HardswishBackwardArgs::input);
}
inline Status run(diopiContextHandle_t ctx, diopi::HardtanhBackwardArgs& args) {
  return gradient(ctx, ActivationGradient::kHardtanh, args, &diopi::HardtanhBackwardArgs::input, *args.min_val,
                  *args.max_val);
}
inline Status run(diopiContextHandle_t ctx, diopi::ThresholdBackwardArgs& args) {
  return gradient(ctx, ActivationGradient::kThreshold, args, &diopi::ThresholdBackwardArgs::input, *args.threshold);
}
inline Status run(diopiContextHandle_t ctx, diopi::LeakyReluBackwardArgs& args) {
  return gradient(ctx, ActivationGradient::kLeakyRelu, args, &diopi::LeakyReluBackwardArgs::input,
                  *args.negative_slope);
}

}  // namespace impl::DIOPI_VENDOR

#include "functions/activation.hpp"

#endif  // IMPL_COMMON_FAMILIES_ACTIVATION_HPP_
