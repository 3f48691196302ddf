/* SPDX-License-Identifier: BSD-3-Clause */
/* Generated from proto/registry by adaptor/codegen/headers.py. Do not edit. */
/**
 * @file
 * Operators of DIOPI. All are weak: where a vendor's library has no such operator, its address is null. Rules that
 * hold for every operator are in proto/registry/README.md. A parameter's comment names the dtypes that it may have:
 * - integral: int8, uint8, int16, uint16, int32, uint32, int64, uint64
 * - floating: float16, bfloat16, float32, float64
 * - complex: complex64, complex128
 */
#ifndef DIOPI_FUNCTIONS_H_
#define DIOPI_FUNCTIONS_H_

#include "diopirt.h"

#ifdef __cplusplus
extern "C" {
#endif

/** @name activation
 * Activation functions and their gradients.
 * - shape: out has the shape of input; gradients have the broadcast shape of grad_output and the other operand.
 * - broadcasting: None forward; grad_output and the other operand of a gradient broadcast.
 * - strides: Any for every tensor; inputs may be expanded.
 * - aliasing: The output may be an input itself; an input that overlaps it in another way is copied first.
 * - empty: Empty and 0-d tensors are ordinary.
 * - nan: As IEEE arithmetic has it; NaN stays NaN.
 * - accumulation: None; float16 and bfloat16 are computed in float32 and rounded once.
 * - determinism: The same bits for any number of threads.
 * - checks:
 *   - The shapes of the inputs must broadcast. [inputs-broadcastable]
 *   - Each output must have the broadcast shape of the operands. [outputs-shape]
 *   - The dtype of the result must be castable to the dtype of each output. [outputs-castable]
 */
/** @{ */

/**
 * Element-wise rectified linear unit max(0, x), `torch.relu`.
 *
 * @param[in]  ctx    context of the call
 * @param[out] out    integral, floating, complex
 * @param[in]  input  integral, floating
 *
 * - formula: out = max(0, input)
 * - source: torch.relu
 */
DIOPI_API diopiError_t diopiRelu(diopiContextHandle_t ctx, diopiTensorHandle_t out, diopiConstTensorHandle_t input);

/**
 * Rectified linear unit in place, `torch.relu_`.
 *
 * @param[in]     ctx    context of the call
 * @param[in,out] input  integral, floating
 *
 * As diopiRelu, except:
 * - formula: input = max(0, input)
 */
DIOPI_API diopiError_t diopiReluInp(diopiContextHandle_t ctx, diopiTensorHandle_t input);

/**
 * Element-wise clamp to [min_val, max_val], `torch.nn.functional.hardtanh`.
 *
 * @param[in]  ctx      context of the call
 * @param[out] out      integral, floating, complex
 * @param[in]  input    integral, floating
 * @param[in]  min_val  scalar
 * @param[in]  max_val  scalar
 *
 * - formula: out = min(max(input, min_val), max_val)
 * - checks:
 *   - The whole part of min_val must fit the dtype of input. [diopiHardtanh-min_val-whole-fits]
 *   - The whole part of max_val must fit the dtype of input. [diopiHardtanh-max_val-whole-fits]
 *   - If the dtype of input is unsigned, the whole part of min_val must be at least 0. [diopiHardtanh-min_val-value]
 *   - If the dtype of input is unsigned, the whole part of max_val must be at least 0. [diopiHardtanh-max_val-value]
 * - source: torch.nn.functional.hardtanh
 * - notes: Where min_val exceeds max_val, max_val comes out. A bound that is NaN makes NaN of every element. Where
 *   input is integral, the fractions of the bounds are cut off. With 0 and 6 this is `torch.nn.functional.relu6`.
 */
DIOPI_API diopiError_t diopiHardtanh(diopiContextHandle_t ctx, diopiTensorHandle_t out,
                                     diopiConstTensorHandle_t input, const diopiScalar_t* min_val,
                                     const diopiScalar_t* max_val);

/**
 * Clamp to [min_val, max_val] in place, `torch.nn.functional.hardtanh_`.
 *
 * @param[in]     ctx      context of the call
 * @param[in,out] input    integral, floating
 * @param[in]     min_val  scalar
 * @param[in]     max_val  scalar
 *
 * As diopiHardtanh, except:
 * - formula: input = min(max(input, min_val), max_val)
 */
DIOPI_API diopiError_t diopiHardtanhInp(diopiContextHandle_t ctx, diopiTensorHandle_t input,
                                        const diopiScalar_t* min_val, const diopiScalar_t* max_val);

/**
 * Gradient of diopiHardtanh: grad_output where min_val < input < max_val, else 0.
 *
 * @param[in]  ctx          context of the call
 * @param[out] grad_input   floating, complex
 * @param[in]  grad_output  integral, floating, bool
 * @param[in]  input        integral, floating, bool
 * @param[in]  min_val      scalar
 * @param[in]  max_val      scalar
 *
 * - formula: grad_input = input <= min_val or input >= max_val ? 0 : grad_output
 * - checks:
 *   - The promoted dtype must be floating point. [diopiHardtanhBackward-promoted-dtype]
 *   - min_val must fit the dtype of the computation. [diopiHardtanhBackward-min_val-fits]
 *   - max_val must fit the dtype of the computation. [diopiHardtanhBackward-max_val-fits]
 * - source: torch.ops.aten.hardtanh_backward
 */
DIOPI_API diopiError_t diopiHardtanhBackward(diopiContextHandle_t ctx, diopiTensorHandle_t grad_input,
                                             diopiConstTensorHandle_t grad_output, diopiConstTensorHandle_t input,
                                             const diopiScalar_t* min_val, const diopiScalar_t* max_val);

/**
 * Element-wise x * relu6(x + 3) / 6, `torch.nn.functional.hardswish`.
 *
 * @param[in]  ctx    context of the call
 * @param[out] out    floating, complex
 * @param[in]  input  floating
 *
 * - formula: out = input * min(max(input + 3, 0), 6) / 6
 * - source: torch.nn.functional.hardswish
 */
DIOPI_API diopiError_t diopiHardswish(diopiContextHandle_t ctx, diopiTensorHandle_t out,
                                      diopiConstTensorHandle_t input);

/**
 * Hard swish in place, `torch.nn.functional.hardswish(inplace=True)`.
 *
 * @param[in]     ctx    context of the call
 * @param[in,out] input  floating
 *
 * As diopiHardswish, except:
 * - formula: input = input * min(max(input + 3, 0), 6) / 6
 */
DIOPI_API diopiError_t diopiHardswishInp(diopiContextHandle_t ctx, diopiTensorHandle_t input);

/**
 * Gradient of diopiHardswish with respect to its input.
 *
 * @param[in]  ctx          context of the call
 * @param[out] grad_input   floating, complex
 * @param[in]  grad_output  integral, floating, bool
 * @param[in]  input        integral, floating, bool
 *
 * - formula: grad_input = grad_output * (input <= -3 ? 0 : input < 3 ? input / 3 + 1 / 2 : 1)
 * - checks:
 *   - The promoted dtype must be floating point. [diopiHardswishBackward-promoted-dtype]
 * - source: torch.ops.aten.hardswish_backward
 */
DIOPI_API diopiError_t diopiHardswishBackward(diopiContextHandle_t ctx, diopiTensorHandle_t grad_input,
                                              diopiConstTensorHandle_t grad_output, diopiConstTensorHandle_t input);

/**
 * Element-wise x where x > threshold, else value, `torch.nn.functional.threshold`.
 *
 * @param[in]  ctx        context of the call
 * @param[out] out        integral, floating, complex
 * @param[in]  input      integral, floating
 * @param[in]  threshold  scalar
 * @param[in]  value      scalar
 *
 * - formula: out = input <= threshold ? value : input
 * - checks:
 *   - threshold must fit the dtype of the computation. [diopiThreshold-threshold-fits]
 *   - value must fit the dtype of input. [diopiThreshold-value-fits]
 * - source: torch.nn.functional.threshold
 */
DIOPI_API diopiError_t diopiThreshold(diopiContextHandle_t ctx, diopiTensorHandle_t out,
                                      diopiConstTensorHandle_t input, const diopiScalar_t* threshold,
                                      const diopiScalar_t* value);

/**
 * Threshold in place, `torch.nn.functional.threshold_`.
 *
 * @param[in]     ctx        context of the call
 * @param[in,out] input      integral, floating
 * @param[in]     threshold  scalar
 * @param[in]     value      scalar
 *
 * As diopiThreshold, except:
 * - formula: input = input <= threshold ? value : input
 */
DIOPI_API diopiError_t diopiThresholdInp(diopiContextHandle_t ctx, diopiTensorHandle_t input,
                                         const diopiScalar_t* threshold, const diopiScalar_t* value);

/**
 * Gradient of diopiThreshold: grad_output where input > threshold, else 0.
 *
 * @param[in]  ctx          context of the call
 * @param[out] grad_input   integral, floating, complex
 * @param[in]  grad_output  integral, floating, bool
 * @param[in]  input        integral, floating, bool
 * @param[in]  threshold    scalar
 *
 * - formula: grad_input = input <= threshold ? 0 : grad_output
 * - checks:
 *   - The promoted dtype must be real. [diopiThresholdBackward-promoted-dtype]
 *   - threshold must fit the dtype of the computation. [diopiThresholdBackward-threshold-fits]
 * - source: torch.ops.aten.threshold_backward
 */
DIOPI_API diopiError_t diopiThresholdBackward(diopiContextHandle_t ctx, diopiTensorHandle_t grad_input,
                                              diopiConstTensorHandle_t grad_output, diopiConstTensorHandle_t input,
                                              const diopiScalar_t* threshold);

/**
 * Element-wise Gaussian error linear unit, `torch.nn.functional.gelu`.
 *
 * @param[in]  ctx          context of the call
 * @param[out] out          floating, complex
 * @param[in]  input        floating
 * @param[in]  approximate  null or "none": exact, with erf; "tanh": approximate
 *
 * - formula: out = input * (1 + erf(input / sqrt(2))) / 2, or with tanh: input * (1 + tanh(sqrt(2 / pi) * (input +
 *   0.044715 * input^3))) / 2
 * - nan: NaN for NaN and for -Inf.
 * - checks:
 *   - approximate must be "none" or "tanh". [diopiGelu-approximate-string]
 * - source: torch.nn.functional.gelu
 * - notes: The CPU vendor does not cancel for negative input, so that small results keep their relative accuracy.
 */
DIOPI_API diopiError_t diopiGelu(diopiContextHandle_t ctx, diopiTensorHandle_t out, diopiConstTensorHandle_t input,
                                 const char* approximate);

/**
 * Gradient of diopiGelu with respect to its input.
 *
 * @param[in]  ctx          context of the call
 * @param[out] grad_input   floating, complex
 * @param[in]  grad_output  integral, floating, bool
 * @param[in]  input        integral, floating, bool
 * @param[in]  approximate  as in the forward call; null: "none"
 *
 * - formula: grad_input = grad_output times the derivative of diopiGelu at input
 * - nan: NaN for NaN and for infinities. For every finite input the derivative is a number, 0 far below and 1 far
 *   above.
 * - checks:
 *   - The promoted dtype must be floating point. [diopiGeluBackward-promoted-dtype]
 *   - approximate must be "none" or "tanh". [diopiGeluBackward-approximate-string]
 * - source: torch.ops.aten.gelu_backward
 */
DIOPI_API diopiError_t diopiGeluBackward(diopiContextHandle_t ctx, diopiTensorHandle_t grad_input,
                                         diopiConstTensorHandle_t grad_output, diopiConstTensorHandle_t input,
                                         const char* approximate);

/**
 * Element-wise x where x > 0, else negative_slope * x, `torch.nn.functional.leaky_relu`.
 *
 * @param[in]  ctx             context of the call
 * @param[out] out             floating, complex
 * @param[in]  input           floating
 * @param[in]  negative_slope  scalar
 *
 * - formula: out = input > 0 ? input : negative_slope * input
 * - checks:
 *   - negative_slope must fit the dtype of the computation. [diopiLeakyRelu-negative_slope-fits]
 * - source: torch.nn.functional.leaky_relu
 */
DIOPI_API diopiError_t diopiLeakyRelu(diopiContextHandle_t ctx, diopiTensorHandle_t out,
                                      diopiConstTensorHandle_t input, const diopiScalar_t* negative_slope);

/**
 * Leaky ReLU in place, `torch.nn.functional.leaky_relu_`.
 *
 * @param[in]     ctx             context of the call
 * @param[in,out] input           floating
 * @param[in]     negative_slope  scalar
 *
 * As diopiLeakyRelu, except:
 * - formula: input = input > 0 ? input : negative_slope * input
 */
DIOPI_API diopiError_t diopiLeakyReluInp(diopiContextHandle_t ctx, diopiTensorHandle_t input,
                                         const diopiScalar_t* negative_slope);

/**
 * Gradient of diopiLeakyRelu with respect to its input.
 *
 * @param[in]  ctx              context of the call
 * @param[out] grad_input       floating, complex
 * @param[in]  grad_output      integral, floating, bool
 * @param[in]  input            integral, floating, bool
 * @param[in]  negative_slope   scalar
 * @param[in]  input_is_result  whether `input` holds the output of the forward call, as after the in-place form
 *
 * - formula: grad_input = input > 0 ? grad_output : negative_slope * grad_output
 * - checks:
 *   - The promoted dtype must be floating point. [diopiLeakyReluBackward-promoted-dtype]
 *   - If input_is_result is true, negative_slope must be at least 0. [diopiLeakyReluBackward-negative_slope-value]
 *   - negative_slope must fit the dtype of the computation. [diopiLeakyReluBackward-negative_slope-fits]
 * - source: torch.ops.aten.leaky_relu_backward
 */
DIOPI_API diopiError_t diopiLeakyReluBackward(diopiContextHandle_t ctx, diopiTensorHandle_t grad_input,
                                              diopiConstTensorHandle_t grad_output, diopiConstTensorHandle_t input,
                                              const diopiScalar_t* negative_slope, bool input_is_result);

/**
 * Gradient of diopiTanh from its output: grad_output * (1 - output^2).
 *
 * @param[in]  ctx          context of the call
 * @param[out] grad_input   floating, complex
 * @param[in]  grad_output  integral, floating, complex, bool
 * @param[in]  output       integral, floating, complex, bool
 *
 * - formula: grad_input = grad_output * conj(1 - output^2)
 * - checks:
 *   - The promoted dtype must be floating point or complex. [diopiTanhBackward-promoted-dtype]
 * - source: torch.ops.aten.tanh_backward
 */
DIOPI_API diopiError_t diopiTanhBackward(diopiContextHandle_t ctx, diopiTensorHandle_t grad_input,
                                         diopiConstTensorHandle_t grad_output, diopiConstTensorHandle_t output);

/**
 * Logistic sigmoid in place, `torch.sigmoid_`.
 *
 * @param[in]     ctx    context of the call
 * @param[in,out] input  integral, floating, complex, bool
 *
 * As diopiSigmoid, except:
 * - formula: input = 1 / (1 + exp(-input))
 */
DIOPI_API diopiError_t diopiSigmoidInp(diopiContextHandle_t ctx, diopiTensorHandle_t input);

/**
 * Element-wise logistic sigmoid 1 / (1 + exp(-x)), `torch.sigmoid`.
 *
 * @param[in]  ctx    context of the call
 * @param[out] out    floating, complex
 * @param[in]  input  integral, floating, complex, bool
 *
 * - formula: out = 1 / (1 + exp(-input))
 * - nan: As IEEE 754 has it; NaN stays NaN. A complex input whose real part is -Inf gives zero, or NaN in both parts as
 *   PyTorch has it where the imaginary part is not zero.
 * - source: torch.sigmoid
 * - notes: Integers and bool are computed in float32. The CPU vendor is within 2 ULP of the exact result.
 */
DIOPI_API diopiError_t diopiSigmoid(diopiContextHandle_t ctx, diopiTensorHandle_t out, diopiConstTensorHandle_t input);

/**
 * Gradient of diopiSigmoid from its output: grad_output * output * (1 - output).
 *
 * @param[in]  ctx          context of the call
 * @param[out] grad_input   floating, complex
 * @param[in]  grad_output  integral, floating, complex, bool
 * @param[in]  output       integral, floating, complex, bool
 *
 * - formula: grad_input = grad_output * conj(output * (1 - output))
 * - checks:
 *   - The promoted dtype must be floating point or complex. [diopiSigmoidBackward-promoted-dtype]
 * - source: torch.ops.aten.sigmoid_backward
 */
DIOPI_API diopiError_t diopiSigmoidBackward(diopiContextHandle_t ctx, diopiTensorHandle_t grad_input,
                                            diopiConstTensorHandle_t grad_output, diopiConstTensorHandle_t output);

/**
 * Sigmoid linear unit in place, `torch.nn.functional.silu(inplace=True)`.
 *
 * @param[in]     ctx    context of the call
 * @param[in,out] input  floating, complex
 *
 * As diopiSilu, except:
 * - formula: input = input / (1 + exp(-input))
 */
DIOPI_API diopiError_t diopiSiluInp(diopiContextHandle_t ctx, diopiTensorHandle_t input);

/**
 * Element-wise sigmoid linear unit x * sigmoid(x), `torch.nn.functional.silu`.
 *
 * @param[in]  ctx    context of the call
 * @param[out] out    floating, complex
 * @param[in]  input  floating, complex
 *
 * - formula: out = input / (1 + exp(-input))
 * - nan: NaN for NaN and for -Inf.
 * - source: torch.nn.functional.silu
 */
DIOPI_API diopiError_t diopiSilu(diopiContextHandle_t ctx, diopiTensorHandle_t out, diopiConstTensorHandle_t input);

/**
 * Gradient of diopiSilu with respect to its input.
 *
 * @param[in]  ctx          context of the call
 * @param[out] grad_input   floating, complex
 * @param[in]  grad_output  integral, floating, complex, bool
 * @param[in]  input        integral, floating, complex, bool
 *
 * - formula: grad_input = grad_output * conj(s * (1 + input * (1 - s))), with s = sigmoid(input)
 * - nan: NaN for NaN and for infinities. For every finite input the derivative is a number, 0 far below and 1 far
 *   above.
 * - checks:
 *   - The promoted dtype must be floating point or complex. [diopiSiluBackward-promoted-dtype]
 * - source: torch.ops.aten.silu_backward
 */
DIOPI_API diopiError_t diopiSiluBackward(diopiContextHandle_t ctx, diopiTensorHandle_t grad_input,
                                         diopiConstTensorHandle_t grad_output, diopiConstTensorHandle_t input);

/** @} */

/** @name addc
 * Fused multiply-add, divide-add and linear interpolation, element-wise.
 * - shape: out has the broadcast shape of the operands; in place, the other operands broadcast to the shape of input.
 * - broadcasting: Shapes are aligned at their last dimensions; a size of 1 stretches to the other's size.
 * - strides: Any for every tensor; an operand may be expanded.
 * - aliasing: out may be an operand itself; an operand that overlaps out in another way is copied first.
 * - empty: Empty and 0-d operands are ordinary.
 * - nan: As IEEE arithmetic has it; integers wrap around.
 * - accumulation: None; float16 and bfloat16 are computed in float32 and rounded once.
 * - determinism: The same bits for any number of threads.
 * - checks:
 *   - The shapes of the inputs must broadcast. [inputs-broadcastable]
 *   - Each output must have the broadcast shape of the operands. [outputs-shape]
 *   - The dtype of the result must be castable to the dtype of each output. [outputs-castable]
 *   - value must fit the dtype of the computation. [value-fits]
 *   - weight must fit the dtype of the computation. [weight-fits]
 */
/** @{ */

/**
 * Element-wise input + value * tensor1 * tensor2, `torch.addcmul`.
 *
 * @param[in]  ctx      context of the call
 * @param[out] out      integral, floating, complex, bool
 * @param[in]  input    integral, floating, complex, bool
 * @param[in]  tensor1  integral, floating, complex, bool
 * @param[in]  tensor2  integral, floating, complex, bool
 * @param[in]  value    scalar
 *
 * - formula: out = input + value * tensor1 * tensor2
 * - checks:
 *   - The promoted dtype must not be bool. [diopiAddcmul-promoted-dtype]
 * - source: torch.addcmul
 * - notes: Where the promoted dtype is integral, the fraction of value is cut off.
 */
DIOPI_API diopiError_t diopiAddcmul(diopiContextHandle_t ctx, diopiTensorHandle_t out, diopiConstTensorHandle_t input,
                                    diopiConstTensorHandle_t tensor1, diopiConstTensorHandle_t tensor2,
                                    const diopiScalar_t* value);

/**
 * Adds value * tensor1 * tensor2 to input in place, `torch.Tensor.addcmul_`.
 *
 * @param[in]     ctx      context of the call
 * @param[in,out] input    integral, floating, complex, bool
 * @param[in]     tensor1  integral, floating, complex, bool
 * @param[in]     tensor2  integral, floating, complex, bool
 * @param[in]     value    scalar
 *
 * As diopiAddcmul, except:
 * - formula: input = input + value * tensor1 * tensor2
 */
DIOPI_API diopiError_t diopiAddcmulInp(diopiContextHandle_t ctx, diopiTensorHandle_t input,
                                       diopiConstTensorHandle_t tensor1, diopiConstTensorHandle_t tensor2,
                                       const diopiScalar_t* value);

/**
 * Element-wise input + value * tensor1 / tensor2, `torch.addcdiv`.
 *
 * @param[in]  ctx      context of the call
 * @param[out] out      integral, floating, complex, bool
 * @param[in]  input    integral, floating, complex, bool
 * @param[in]  tensor1  integral, floating, complex, bool
 * @param[in]  tensor2  integral, floating, complex, bool
 * @param[in]  value    scalar
 *
 * - formula: out = input + value * tensor1 / tensor2
 * - checks:
 *   - The promoted dtype must be floating point or complex. [diopiAddcdiv-promoted-dtype]
 * - source: torch.addcdiv
 */
DIOPI_API diopiError_t diopiAddcdiv(diopiContextHandle_t ctx, diopiTensorHandle_t out, diopiConstTensorHandle_t input,
                                    diopiConstTensorHandle_t tensor1, diopiConstTensorHandle_t tensor2,
                                    const diopiScalar_t* value);

/**
 * Adds value * tensor1 / tensor2 to input in place, `torch.Tensor.addcdiv_`.
 *
 * @param[in]     ctx      context of the call
 * @param[in,out] input    integral, floating, complex, bool
 * @param[in]     tensor1  integral, floating, complex, bool
 * @param[in]     tensor2  integral, floating, complex, bool
 * @param[in]     value    scalar
 *
 * As diopiAddcdiv, except:
 * - formula: input = input + value * tensor1 / tensor2
 */
DIOPI_API diopiError_t diopiAddcdivInp(diopiContextHandle_t ctx, diopiTensorHandle_t input,
                                       diopiConstTensorHandle_t tensor1, diopiConstTensorHandle_t tensor2,
                                       const diopiScalar_t* value);

/**
 * Linear interpolation input + weight * (end - input) with a tensor weight, `torch.lerp`.
 *
 * @param[in]  ctx     context of the call
 * @param[out] out     floating, complex
 * @param[in]  input   floating, complex
 * @param[in]  end     floating, complex
 * @param[in]  weight  floating, complex
 *
 * - formula: out = input + weight * (end - input)
 * - checks:
 *   - input, end and weight must have the same dtype. [diopiLerpTensor-input-same-dtype]
 * - source: torch.lerp
 * - notes: Where abs(weight) is 0.5 or more, end - (end - input) * (1 - weight) is computed, which is exact at weight
 *   1.
 */
DIOPI_API diopiError_t diopiLerpTensor(diopiContextHandle_t ctx, diopiTensorHandle_t out,
                                       diopiConstTensorHandle_t input, diopiConstTensorHandle_t end,
                                       diopiConstTensorHandle_t weight);

/**
 * Linear interpolation input + weight * (end - input) with a scalar weight, `torch.lerp`.
 *
 * @param[in]  ctx     context of the call
 * @param[out] out     floating, complex
 * @param[in]  input   floating, complex
 * @param[in]  end     floating, complex
 * @param[in]  weight  scalar
 *
 * As diopiLerpTensor.
 */
DIOPI_API diopiError_t diopiLerpScalar(diopiContextHandle_t ctx, diopiTensorHandle_t out,
                                       diopiConstTensorHandle_t input, diopiConstTensorHandle_t end,
                                       const diopiScalar_t* weight);

/** @} */

/** @name binary
 * Arithmetic of two operands, element-wise with broadcasting.
 * - shape: out has the broadcast shape of the operands; in place, the other operands broadcast to the shape of input.
 * - broadcasting: Shapes are aligned at their last dimensions; a size of 1 stretches to the other's size.
 * - strides: Any for every tensor; an operand may be expanded.
 * - aliasing: out may be an operand itself; an operand that overlaps out in another way is copied first.
 * - empty: Empty and 0-d operands are ordinary.
 * - nan: As IEEE arithmetic has it; integers wrap around.
 * - accumulation: None; float16 and bfloat16 are computed in float32 and rounded once.
 * - determinism: The same bits for any number of threads.
 * - checks:
 *   - The shapes of the inputs must broadcast. [inputs-broadcastable]
 *   - Each output must have the broadcast shape of the operands. [outputs-shape]
 *   - The dtype of the result must be castable to the dtype of each output. [outputs-castable]
 */
/** @{ */

/**
 * Element-wise input + alpha * other with broadcasting, `torch.add`.
 *
 * @param[in]  ctx    context of the call
 * @param[out] out    integral, floating, complex, bool
 * @param[in]  input  integral, floating, complex, bool
 * @param[in]  other  integral, floating, complex, bool
 * @param[in]  alpha  null: 1
 *
 * - formula: out = input + alpha * other
 * - checks:
 *   - If the promoted dtype is integral or bool, alpha must be a whole number. [diopiAdd-alpha-whole]
 *   - alpha must fit the promoted dtype. [diopiAdd-alpha-fits]
 * - source: torch.add
 * - notes: For bool the sum is a logical or, and alpha = 0 or false leaves other out. Where the promoted dtype is
 *   integral or bool, a floating-point alpha counts as an int64.
 */
DIOPI_API diopiError_t diopiAdd(diopiContextHandle_t ctx, diopiTensorHandle_t out, diopiConstTensorHandle_t input,
                                diopiConstTensorHandle_t other, const diopiScalar_t* alpha);

/**
 * Adds alpha * other to input in place, `torch.Tensor.add_`.
 *
 * @param[in]     ctx    context of the call
 * @param[in,out] input  integral, floating, complex, bool
 * @param[in]     other  integral, floating, complex, bool
 * @param[in]     alpha  null: 1
 *
 * As diopiAdd, except:
 * - formula: input = input + alpha * other
 */
DIOPI_API diopiError_t diopiAddInp(diopiContextHandle_t ctx, diopiTensorHandle_t input,
                                   diopiConstTensorHandle_t other, const diopiScalar_t* alpha);

/**
 * Element-wise input + alpha * other with a scalar other, `torch.add`.
 *
 * @param[in]  ctx    context of the call
 * @param[out] out    integral, floating, complex, bool
 * @param[in]  input  integral, floating, complex, bool
 * @param[in]  other  scalar
 * @param[in]  alpha  null: 1
 *
 * As diopiAdd.
 */
DIOPI_API diopiError_t diopiAddScalar(diopiContextHandle_t ctx, diopiTensorHandle_t out,
                                      diopiConstTensorHandle_t input, const diopiScalar_t* other,
                                      const diopiScalar_t* alpha);

/**
 * Adds the scalar alpha * other to input in place, `torch.Tensor.add_`.
 *
 * @param[in]     ctx    context of the call
 * @param[in,out] input  integral, floating, complex, bool
 * @param[in]     other  scalar
 * @param[in]     alpha  null: 1
 *
 * As diopiAdd, except:
 * - formula: input = input + alpha * other
 */
DIOPI_API diopiError_t diopiAddInpScalar(diopiContextHandle_t ctx, diopiTensorHandle_t input,
                                         const diopiScalar_t* other, const diopiScalar_t* alpha);

/**
 * Element-wise input - alpha * other with broadcasting, `torch.sub`.
 *
 * @param[in]  ctx    context of the call
 * @param[out] out    integral, floating, complex, bool
 * @param[in]  input  integral, floating, complex, bool
 * @param[in]  other  integral, floating, complex, bool
 * @param[in]  alpha  null: 1
 *
 * - formula: out = input - alpha * other
 * - checks:
 *   - The promoted dtype must not be bool. [diopiSub-promoted-dtype]
 *   - If the promoted dtype is integral or bool, alpha must be a whole number. [diopiSub-alpha-whole]
 *   - The negative of alpha must fit the promoted dtype. [diopiSub-alpha-negative-fits]
 * - source: torch.sub
 * - notes: Where the promoted dtype is integral, a floating-point alpha counts as an int64.
 */
DIOPI_API diopiError_t diopiSub(diopiContextHandle_t ctx, diopiTensorHandle_t out, diopiConstTensorHandle_t input,
                                diopiConstTensorHandle_t other, const diopiScalar_t* alpha);

/**
 * Subtracts alpha * other from input in place, `torch.Tensor.sub_`.
 *
 * @param[in]     ctx    context of the call
 * @param[in,out] input  integral, floating, complex, bool
 * @param[in]     other  integral, floating, complex, bool
 * @param[in]     alpha  null: 1
 *
 * As diopiSub, except:
 * - formula: input = input - alpha * other
 */
DIOPI_API diopiError_t diopiSubInp(diopiContextHandle_t ctx, diopiTensorHandle_t input,
                                   diopiConstTensorHandle_t other, const diopiScalar_t* alpha);

/**
 * Element-wise input - alpha * other with a scalar other, `torch.sub`.
 *
 * @param[in]  ctx    context of the call
 * @param[out] out    integral, floating, complex, bool
 * @param[in]  input  integral, floating, complex, bool
 * @param[in]  other  scalar
 * @param[in]  alpha  null: 1
 *
 * As diopiSub.
 */
DIOPI_API diopiError_t diopiSubScalar(diopiContextHandle_t ctx, diopiTensorHandle_t out,
                                      diopiConstTensorHandle_t input, const diopiScalar_t* other,
                                      const diopiScalar_t* alpha);

/**
 * Subtracts the scalar alpha * other from input in place, `torch.Tensor.sub_`.
 *
 * @param[in]     ctx    context of the call
 * @param[in,out] input  integral, floating, complex, bool
 * @param[in]     other  scalar
 * @param[in]     alpha  null: 1
 *
 * As diopiSub, except:
 * - formula: input = input - alpha * other
 */
DIOPI_API diopiError_t diopiSubInpScalar(diopiContextHandle_t ctx, diopiTensorHandle_t input,
                                         const diopiScalar_t* other, const diopiScalar_t* alpha);

/**
 * Element-wise input * other with broadcasting, `torch.mul`.
 *
 * @param[in]  ctx    context of the call
 * @param[out] out    integral, floating, complex, bool
 * @param[in]  input  integral, floating, complex, bool
 * @param[in]  other  integral, floating, complex, bool
 *
 * - formula: out = input * other
 * - source: torch.mul
 * - notes: For bool the product is a logical and.
 */
DIOPI_API diopiError_t diopiMul(diopiContextHandle_t ctx, diopiTensorHandle_t out, diopiConstTensorHandle_t input,
                                diopiConstTensorHandle_t other);

/**
 * Multiplies input by other in place, `torch.Tensor.mul_`.
 *
 * @param[in]     ctx    context of the call
 * @param[in,out] input  integral, floating, complex, bool
 * @param[in]     other  integral, floating, complex, bool
 *
 * As diopiMul, except:
 * - formula: input = input * other
 */
DIOPI_API diopiError_t diopiMulInp(diopiContextHandle_t ctx, diopiTensorHandle_t input, diopiConstTensorHandle_t other);

/**
 * Element-wise input * other with a scalar other, `torch.mul`.
 *
 * @param[in]  ctx    context of the call
 * @param[out] out    integral, floating, complex, bool
 * @param[in]  input  integral, floating, complex, bool
 * @param[in]  other  scalar
 *
 * As diopiMul.
 */
DIOPI_API diopiError_t diopiMulScalar(diopiContextHandle_t ctx, diopiTensorHandle_t out,
                                      diopiConstTensorHandle_t input, const diopiScalar_t* other);

/**
 * Multiplies input by a scalar in place, `torch.Tensor.mul_`.
 *
 * @param[in]     ctx    context of the call
 * @param[in,out] input  integral, floating, complex, bool
 * @param[in]     other  scalar
 *
 * As diopiMul, except:
 * - formula: input = input * other
 */
DIOPI_API diopiError_t diopiMulInpScalar(diopiContextHandle_t ctx, diopiTensorHandle_t input,
                                         const diopiScalar_t* other);

/**
 * Element-wise input / other with broadcasting and a choice of rounding, `torch.div`.
 *
 * @param[in]  ctx            context of the call
 * @param[out] out            integral, floating, complex, bool
 * @param[in]  input          integral, floating, complex, bool
 * @param[in]  other          integral, floating, complex, bool
 * @param[in]  rounding_mode  diopiRoundMode_t
 *
 * - formula: out = round(input / other)
 * - checks:
 *   - rounding_mode must be RoundModeNone, RoundModeTrunc or RoundModeFloor. [diopiDiv-rounding_mode-enum]
 *   - If rounding_mode is not RoundModeNone, the promoted dtype must not be complex or bool. [diopiDiv-promoted-dtype]
 *   - If rounding_mode is not RoundModeNone and the promoted dtype is integral and out has at least 1 element, other
 *     must have no zero. A device may report this when the stream is synchronised. [diopiDiv-other-nonzero]
 * - source: torch.div
 * - notes: RoundModeNone divides exactly, integers and bool in float32, and a scalar is not converted to the promoted
 *   dtype before; RoundModeTrunc rounds towards zero and RoundModeFloor down, and a scalar that the promoted dtype
 *   makes 0 of is a zero. Where out has no elements a zero is no error. A zero divisor of integers is an error that
 *   depends on data; PyTorch reports it on the CPU and returns a value on CUDA, and a device may do either. Quotients
 *   of float16 and bfloat16 are rounded to whole numbers in float32. PyTorch rounds them to their dtype first, so in
 *   bfloat16 10.99 becomes 11.
 */
DIOPI_API diopiError_t diopiDiv(diopiContextHandle_t ctx, diopiTensorHandle_t out, diopiConstTensorHandle_t input,
                                diopiConstTensorHandle_t other, diopiRoundMode_t rounding_mode);

/**
 * Divides input by other in place, `torch.Tensor.div_`.
 *
 * @param[in]     ctx            context of the call
 * @param[in,out] input          integral, floating, complex, bool
 * @param[in]     other          integral, floating, complex, bool
 * @param[in]     rounding_mode  diopiRoundMode_t
 *
 * As diopiDiv, except:
 * - formula: input = round(input / other)
 */
DIOPI_API diopiError_t diopiDivInp(diopiContextHandle_t ctx, diopiTensorHandle_t input,
                                   diopiConstTensorHandle_t other, diopiRoundMode_t rounding_mode);

/**
 * Element-wise input / other with a scalar other, `torch.div`.
 *
 * @param[in]  ctx            context of the call
 * @param[out] out            integral, floating, complex, bool
 * @param[in]  input          integral, floating, complex, bool
 * @param[in]  other          scalar
 * @param[in]  rounding_mode  diopiRoundMode_t
 *
 * As diopiDiv.
 */
DIOPI_API diopiError_t diopiDivScalar(diopiContextHandle_t ctx, diopiTensorHandle_t out,
                                      diopiConstTensorHandle_t input, const diopiScalar_t* other,
                                      diopiRoundMode_t rounding_mode);

/**
 * Divides input by a scalar in place, `torch.Tensor.div_`.
 *
 * @param[in]     ctx            context of the call
 * @param[in,out] input          integral, floating, complex, bool
 * @param[in]     other          scalar
 * @param[in]     rounding_mode  diopiRoundMode_t
 *
 * As diopiDiv, except:
 * - formula: input = round(input / other)
 */
DIOPI_API diopiError_t diopiDivInpScalar(diopiContextHandle_t ctx, diopiTensorHandle_t input,
                                         const diopiScalar_t* other, diopiRoundMode_t rounding_mode);

/**
 * Element-wise remainder with the sign of the divisor, `torch.remainder(tensor, tensor)`.
 *
 * @param[in]  ctx    context of the call
 * @param[out] out    integral, floating, complex, bool
 * @param[in]  input  integral, floating, bool
 * @param[in]  other  integral, floating, bool
 *
 * - formula: out = input - floor(input / other) * other
 * - checks:
 *   - The promoted dtype must not be bool. [diopiRemainderTensor-promoted-dtype]
 *   - If the promoted dtype is integral and out has at least 1 element, other must have no zero. A device may report
 *     this when the stream is synchronised. [diopiRemainderTensor-other-nonzero]
 * - source: torch.remainder
 * - notes: The result has the sign of other, or is zero. Operands are rounded to a promoted dtype of 16 bits first,
 *   also a scalar. A scalar that the promoted dtype makes 0 of is a zero. Where out has no elements a zero is no error.
 *   A zero divisor of integers is an error that depends on data; PyTorch reports it on the CPU and returns a value on
 *   CUDA, and a device may do either.
 */
DIOPI_API diopiError_t diopiRemainderTensor(diopiContextHandle_t ctx, diopiTensorHandle_t out,
                                            diopiConstTensorHandle_t input, diopiConstTensorHandle_t other);

/**
 * Element-wise remainder of a tensor by a scalar, with the scalar's sign, `torch.remainder(tensor, scalar)`.
 *
 * @param[in]  ctx    context of the call
 * @param[out] out    integral, floating, complex, bool
 * @param[in]  input  integral, floating, bool
 * @param[in]  other  scalar
 *
 * As diopiRemainderTensor.
 */
DIOPI_API diopiError_t diopiRemainderScalar(diopiContextHandle_t ctx, diopiTensorHandle_t out,
                                            diopiConstTensorHandle_t input, const diopiScalar_t* other);

/**
 * Element-wise remainder of a scalar by a tensor, with the divisor's sign, `torch.remainder(scalar, tensor)`.
 *
 * @param[in]  ctx    context of the call
 * @param[out] out    integral, floating, complex, bool
 * @param[in]  input  scalar
 * @param[in]  other  integral, floating, bool
 *
 * As diopiRemainderTensor.
 */
DIOPI_API diopiError_t diopiRemainder(diopiContextHandle_t ctx, diopiTensorHandle_t out, const diopiScalar_t* input,
                                      diopiConstTensorHandle_t other);

/** @} */

/** @name clamp
 * Limiting elements to a range given by scalars or tensors.
 * - shape: out has the broadcast shape of the operands; in place, the other operands broadcast to the shape of input.
 * - broadcasting: Shapes are aligned at their last dimensions; a size of 1 stretches to the other's size.
 * - strides: Any for every tensor; an operand may be expanded.
 * - aliasing: out may be an operand itself; an operand that overlaps out in another way is copied first.
 * - empty: Empty and 0-d operands are ordinary.
 * - nan: NaN in input or in a bound wins.
 * - accumulation: None; operands are compared in their promoted dtype.
 * - determinism: The same bits for any number of threads.
 * - checks:
 *   - The shapes of the inputs must broadcast. [inputs-broadcastable]
 *   - Each output must have the broadcast shape of the operands. [outputs-shape]
 *   - The dtype of the result must be castable to the dtype of each output. [outputs-castable]
 *   - min must fit the promoted dtype. [min-fits]
 *   - max must fit the promoted dtype. [max-fits]
 */
/** @{ */

/**
 * Limits input to [min, max] in place with scalar bounds, `torch.Tensor.clamp_`.
 *
 * @param[in]     ctx    context of the call
 * @param[in,out] input  integral, floating, bool
 * @param[in]     min    null: no lower bound
 * @param[in]     max    null: no upper bound
 *
 * As diopiClamp, except:
 * - formula: input = min(max(input, min), max)
 */
DIOPI_API diopiError_t diopiClampInpScalar(diopiContextHandle_t ctx, diopiTensorHandle_t input,
                                           const diopiScalar_t* min, const diopiScalar_t* max);

/**
 * Limits input to [min, max] in place with tensor bounds, `torch.Tensor.clamp_`.
 *
 * @param[in]     ctx    context of the call
 * @param[in,out] input  integral, floating, bool
 * @param[in]     min    null: no lower bound; integral, floating, bool
 * @param[in]     max    null: no upper bound; integral, floating, bool
 *
 * As diopiClamp, except:
 * - formula: input = min(max(input, min), max)
 */
DIOPI_API diopiError_t diopiClampInp(diopiContextHandle_t ctx, diopiTensorHandle_t input,
                                     diopiConstTensorHandle_t min, diopiConstTensorHandle_t max);

/**
 * Limits elements to [min, max] with scalar bounds, `torch.clamp`.
 *
 * @param[in]  ctx    context of the call
 * @param[out] out    integral, floating, complex, bool
 * @param[in]  input  integral, floating, bool
 * @param[in]  min    null: no lower bound
 * @param[in]  max    null: no upper bound
 *
 * As diopiClamp.
 */
DIOPI_API diopiError_t diopiClampScalar(diopiContextHandle_t ctx, diopiTensorHandle_t out,
                                        diopiConstTensorHandle_t input, const diopiScalar_t* min,
                                        const diopiScalar_t* max);

/**
 * Limits elements to [min, max] with tensor bounds that broadcast, `torch.clamp`.
 *
 * @param[in]  ctx    context of the call
 * @param[out] out    integral, floating, complex, bool
 * @param[in]  input  integral, floating, bool
 * @param[in]  min    null: no lower bound; integral, floating, bool
 * @param[in]  max    null: no upper bound; integral, floating, bool
 *
 * - formula: out = min(max(input, min), max)
 * - checks:
 *   - min and max must not all be null. [diopiClamp-min-any-given]
 *   - If min is given and max is given, the promoted dtype must not be bool. [diopiClamp-promoted-dtype]
 * - source: torch.clamp
 * - notes: Where min exceeds max, max comes out.
 */
DIOPI_API diopiError_t diopiClamp(diopiContextHandle_t ctx, diopiTensorHandle_t out, diopiConstTensorHandle_t input,
                                  diopiConstTensorHandle_t min, diopiConstTensorHandle_t max);

/**
 * Limits input from above by a scalar in place, `torch.Tensor.clamp_max_`.
 *
 * @param[in]     ctx    context of the call
 * @param[in,out] input  integral, floating, bool
 * @param[in]     max    scalar
 *
 * As diopiClampMax, except:
 * - formula: input = min(input, max)
 */
DIOPI_API diopiError_t diopiClampMaxInpScalar(diopiContextHandle_t ctx, diopiTensorHandle_t input,
                                              const diopiScalar_t* max);

/**
 * Limits input from above by a tensor in place, `torch.Tensor.clamp_max_`.
 *
 * @param[in]     ctx    context of the call
 * @param[in,out] input  integral, floating, bool
 * @param[in]     max    integral, floating, bool
 *
 * As diopiClampMax, except:
 * - formula: input = min(input, max)
 */
DIOPI_API diopiError_t diopiClampMaxInp(diopiContextHandle_t ctx, diopiTensorHandle_t input,
                                        diopiConstTensorHandle_t max);

/**
 * Limits elements from above by a scalar, `torch.clamp_max`.
 *
 * @param[in]  ctx    context of the call
 * @param[out] out    integral, floating, complex, bool
 * @param[in]  input  integral, floating, bool
 * @param[in]  max    scalar
 *
 * As diopiClampMax.
 */
DIOPI_API diopiError_t diopiClampMaxScalar(diopiContextHandle_t ctx, diopiTensorHandle_t out,
                                           diopiConstTensorHandle_t input, const diopiScalar_t* max);

/**
 * Limits elements from above by a tensor that broadcasts, `torch.clamp_max`.
 *
 * @param[in]  ctx    context of the call
 * @param[out] out    integral, floating, complex, bool
 * @param[in]  input  integral, floating, bool
 * @param[in]  max    integral, floating, bool
 *
 * - formula: out = min(input, max)
 * - source: torch.clamp_max
 */
DIOPI_API diopiError_t diopiClampMax(diopiContextHandle_t ctx, diopiTensorHandle_t out,
                                     diopiConstTensorHandle_t input, diopiConstTensorHandle_t max);

/**
 * Limits input from below by a scalar in place, `torch.Tensor.clamp_min_`.
 *
 * @param[in]     ctx    context of the call
 * @param[in,out] input  integral, floating, bool
 * @param[in]     min    scalar
 *
 * As diopiClampMin, except:
 * - formula: input = max(input, min)
 */
DIOPI_API diopiError_t diopiClampMinInpScalar(diopiContextHandle_t ctx, diopiTensorHandle_t input,
                                              const diopiScalar_t* min);

/**
 * Limits input from below by a tensor in place, `torch.Tensor.clamp_min_`.
 *
 * @param[in]     ctx    context of the call
 * @param[in,out] input  integral, floating, bool
 * @param[in]     min    integral, floating, bool
 *
 * As diopiClampMin, except:
 * - formula: input = max(input, min)
 */
DIOPI_API diopiError_t diopiClampMinInp(diopiContextHandle_t ctx, diopiTensorHandle_t input,
                                        diopiConstTensorHandle_t min);

/**
 * Limits elements from below by a scalar, `torch.clamp_min`.
 *
 * @param[in]  ctx    context of the call
 * @param[out] out    integral, floating, complex, bool
 * @param[in]  input  integral, floating, bool
 * @param[in]  min    scalar
 *
 * As diopiClampMin.
 */
DIOPI_API diopiError_t diopiClampMinScalar(diopiContextHandle_t ctx, diopiTensorHandle_t out,
                                           diopiConstTensorHandle_t input, const diopiScalar_t* min);

/**
 * Limits elements from below by a tensor that broadcasts, `torch.clamp_min`.
 *
 * @param[in]  ctx    context of the call
 * @param[out] out    integral, floating, complex, bool
 * @param[in]  input  integral, floating, bool
 * @param[in]  min    integral, floating, bool
 *
 * - formula: out = max(input, min)
 * - source: torch.clamp_min
 */
DIOPI_API diopiError_t diopiClampMin(diopiContextHandle_t ctx, diopiTensorHandle_t out,
                                     diopiConstTensorHandle_t input, diopiConstTensorHandle_t min);

/** @} */

/** @name compare
 * Element-wise comparisons, maximum and minimum of two operands, and NaN tests.
 * - shape: out has the broadcast shape of the operands; in place, the other operands broadcast to the shape of input.
 * - broadcasting: Shapes are aligned at their last dimensions; a size of 1 stretches to the other's size.
 * - strides: Any for every tensor; an operand may be expanded.
 * - aliasing: out may be an operand itself; an operand that overlaps out in another way is copied first.
 * - empty: Empty and 0-d operands are ordinary.
 * - nan: A comparison with NaN is false, except that NaN differs from everything; -0 equals 0.
 * - accumulation: None; operands are compared in their promoted dtype.
 * - determinism: The same bits for any number of threads.
 * - checks:
 *   - The shapes of the inputs must broadcast. [inputs-broadcastable]
 *   - Each output must have the broadcast shape of the operands. [outputs-shape]
 *   - The dtype of the result must be castable to the dtype of each output. [outputs-castable]
 * - notes: A comparison is a bool, cast to the dtype of out.
 */
/** @{ */

/**
 * Element-wise input == other with a scalar other, `torch.eq`.
 *
 * @param[in]  ctx    context of the call
 * @param[out] out    integral, floating, complex, bool
 * @param[in]  input  integral, floating, complex, bool
 * @param[in]  other  scalar
 *
 * As diopiEq.
 */
DIOPI_API diopiError_t diopiEqScalar(diopiContextHandle_t ctx, diopiTensorHandle_t out,
                                     diopiConstTensorHandle_t input, const diopiScalar_t* other);

/**
 * Replaces input by input == scalar, `torch.Tensor.eq_`.
 *
 * @param[in]     ctx    context of the call
 * @param[in,out] input  integral, floating, complex, bool
 * @param[in]     other  scalar
 *
 * As diopiEq, except:
 * - formula: input = input == other
 */
DIOPI_API diopiError_t diopiEqInpScalar(diopiContextHandle_t ctx, diopiTensorHandle_t input,
                                        const diopiScalar_t* other);

/**
 * Element-wise input == other with broadcasting, `torch.eq`.
 *
 * @param[in]  ctx    context of the call
 * @param[out] out    integral, floating, complex, bool
 * @param[in]  input  integral, floating, complex, bool
 * @param[in]  other  integral, floating, complex, bool
 *
 * - formula: out = input == other
 * - source: torch.eq
 */
DIOPI_API diopiError_t diopiEq(diopiContextHandle_t ctx, diopiTensorHandle_t out, diopiConstTensorHandle_t input,
                               diopiConstTensorHandle_t other);

/**
 * Replaces input by input == other, `torch.Tensor.eq_`.
 *
 * @param[in]     ctx    context of the call
 * @param[in,out] input  integral, floating, complex, bool
 * @param[in]     other  integral, floating, complex, bool
 *
 * As diopiEq, except:
 * - formula: input = input == other
 */
DIOPI_API diopiError_t diopiEqInp(diopiContextHandle_t ctx, diopiTensorHandle_t input, diopiConstTensorHandle_t other);

/**
 * Element-wise input != other with a scalar other, `torch.ne`.
 *
 * @param[in]  ctx    context of the call
 * @param[out] out    integral, floating, complex, bool
 * @param[in]  input  integral, floating, complex, bool
 * @param[in]  other  scalar
 *
 * As diopiNe.
 */
DIOPI_API diopiError_t diopiNeScalar(diopiContextHandle_t ctx, diopiTensorHandle_t out,
                                     diopiConstTensorHandle_t input, const diopiScalar_t* other);

/**
 * Replaces input by input != scalar, `torch.Tensor.ne_`.
 *
 * @param[in]     ctx    context of the call
 * @param[in,out] input  integral, floating, complex, bool
 * @param[in]     other  scalar
 *
 * As diopiNe, except:
 * - formula: input = input != other
 */
DIOPI_API diopiError_t diopiNeInpScalar(diopiContextHandle_t ctx, diopiTensorHandle_t input,
                                        const diopiScalar_t* other);

/**
 * Element-wise input != other with broadcasting, `torch.ne`.
 *
 * @param[in]  ctx    context of the call
 * @param[out] out    integral, floating, complex, bool
 * @param[in]  input  integral, floating, complex, bool
 * @param[in]  other  integral, floating, complex, bool
 *
 * - formula: out = input != other
 * - source: torch.ne
 */
DIOPI_API diopiError_t diopiNe(diopiContextHandle_t ctx, diopiTensorHandle_t out, diopiConstTensorHandle_t input,
                               diopiConstTensorHandle_t other);

/**
 * Replaces input by input != other, `torch.Tensor.ne_`.
 *
 * @param[in]     ctx    context of the call
 * @param[in,out] input  integral, floating, complex, bool
 * @param[in]     other  integral, floating, complex, bool
 *
 * As diopiNe, except:
 * - formula: input = input != other
 */
DIOPI_API diopiError_t diopiNeInp(diopiContextHandle_t ctx, diopiTensorHandle_t input, diopiConstTensorHandle_t other);

/**
 * Element-wise input >= other with a scalar other, `torch.ge`.
 *
 * @param[in]  ctx    context of the call
 * @param[out] out    integral, floating, complex, bool
 * @param[in]  input  integral, floating, bool
 * @param[in]  other  scalar
 *
 * As diopiGe.
 */
DIOPI_API diopiError_t diopiGeScalar(diopiContextHandle_t ctx, diopiTensorHandle_t out,
                                     diopiConstTensorHandle_t input, const diopiScalar_t* other);

/**
 * Replaces input by input >= scalar, `torch.Tensor.ge_`.
 *
 * @param[in]     ctx    context of the call
 * @param[in,out] input  integral, floating, bool
 * @param[in]     other  scalar
 *
 * As diopiGe, except:
 * - formula: input = input >= other
 */
DIOPI_API diopiError_t diopiGeInpScalar(diopiContextHandle_t ctx, diopiTensorHandle_t input,
                                        const diopiScalar_t* other);

/**
 * Element-wise input >= other with broadcasting, `torch.ge`.
 *
 * @param[in]  ctx    context of the call
 * @param[out] out    integral, floating, complex, bool
 * @param[in]  input  integral, floating, bool
 * @param[in]  other  integral, floating, bool
 *
 * - formula: out = input >= other
 * - source: torch.ge
 */
DIOPI_API diopiError_t diopiGe(diopiContextHandle_t ctx, diopiTensorHandle_t out, diopiConstTensorHandle_t input,
                               diopiConstTensorHandle_t other);

/**
 * Replaces input by input >= other, `torch.Tensor.ge_`.
 *
 * @param[in]     ctx    context of the call
 * @param[in,out] input  integral, floating, bool
 * @param[in]     other  integral, floating, bool
 *
 * As diopiGe, except:
 * - formula: input = input >= other
 */
DIOPI_API diopiError_t diopiGeInp(diopiContextHandle_t ctx, diopiTensorHandle_t input, diopiConstTensorHandle_t other);

/**
 * Element-wise input > other with a scalar other, `torch.gt`.
 *
 * @param[in]  ctx    context of the call
 * @param[out] out    integral, floating, complex, bool
 * @param[in]  input  integral, floating, bool
 * @param[in]  other  scalar
 *
 * As diopiGt.
 */
DIOPI_API diopiError_t diopiGtScalar(diopiContextHandle_t ctx, diopiTensorHandle_t out,
                                     diopiConstTensorHandle_t input, const diopiScalar_t* other);

/**
 * Replaces input by input > scalar, `torch.Tensor.gt_`.
 *
 * @param[in]     ctx    context of the call
 * @param[in,out] input  integral, floating, bool
 * @param[in]     other  scalar
 *
 * As diopiGt, except:
 * - formula: input = input > other
 */
DIOPI_API diopiError_t diopiGtInpScalar(diopiContextHandle_t ctx, diopiTensorHandle_t input,
                                        const diopiScalar_t* other);

/**
 * Element-wise input > other with broadcasting, `torch.gt`.
 *
 * @param[in]  ctx    context of the call
 * @param[out] out    integral, floating, complex, bool
 * @param[in]  input  integral, floating, bool
 * @param[in]  other  integral, floating, bool
 *
 * - formula: out = input > other
 * - source: torch.gt
 */
DIOPI_API diopiError_t diopiGt(diopiContextHandle_t ctx, diopiTensorHandle_t out, diopiConstTensorHandle_t input,
                               diopiConstTensorHandle_t other);

/**
 * Replaces input by input > other, `torch.Tensor.gt_`.
 *
 * @param[in]     ctx    context of the call
 * @param[in,out] input  integral, floating, bool
 * @param[in]     other  integral, floating, bool
 *
 * As diopiGt, except:
 * - formula: input = input > other
 */
DIOPI_API diopiError_t diopiGtInp(diopiContextHandle_t ctx, diopiTensorHandle_t input, diopiConstTensorHandle_t other);

/**
 * Element-wise input <= other with a scalar other, `torch.le`.
 *
 * @param[in]  ctx    context of the call
 * @param[out] out    integral, floating, complex, bool
 * @param[in]  input  integral, floating, bool
 * @param[in]  other  scalar
 *
 * As diopiLe.
 */
DIOPI_API diopiError_t diopiLeScalar(diopiContextHandle_t ctx, diopiTensorHandle_t out,
                                     diopiConstTensorHandle_t input, const diopiScalar_t* other);

/**
 * Replaces input by input <= scalar, `torch.Tensor.le_`.
 *
 * @param[in]     ctx    context of the call
 * @param[in,out] input  integral, floating, bool
 * @param[in]     other  scalar
 *
 * As diopiLe, except:
 * - formula: input = input <= other
 */
DIOPI_API diopiError_t diopiLeInpScalar(diopiContextHandle_t ctx, diopiTensorHandle_t input,
                                        const diopiScalar_t* other);

/**
 * Element-wise input <= other with broadcasting, `torch.le`.
 *
 * @param[in]  ctx    context of the call
 * @param[out] out    integral, floating, complex, bool
 * @param[in]  input  integral, floating, bool
 * @param[in]  other  integral, floating, bool
 *
 * - formula: out = input <= other
 * - source: torch.le
 */
DIOPI_API diopiError_t diopiLe(diopiContextHandle_t ctx, diopiTensorHandle_t out, diopiConstTensorHandle_t input,
                               diopiConstTensorHandle_t other);

/**
 * Replaces input by input <= other, `torch.Tensor.le_`.
 *
 * @param[in]     ctx    context of the call
 * @param[in,out] input  integral, floating, bool
 * @param[in]     other  integral, floating, bool
 *
 * As diopiLe, except:
 * - formula: input = input <= other
 */
DIOPI_API diopiError_t diopiLeInp(diopiContextHandle_t ctx, diopiTensorHandle_t input, diopiConstTensorHandle_t other);

/**
 * Element-wise input < other with a scalar other, `torch.lt`.
 *
 * @param[in]  ctx    context of the call
 * @param[out] out    integral, floating, complex, bool
 * @param[in]  input  integral, floating, bool
 * @param[in]  other  scalar
 *
 * As diopiLt.
 */
DIOPI_API diopiError_t diopiLtScalar(diopiContextHandle_t ctx, diopiTensorHandle_t out,
                                     diopiConstTensorHandle_t input, const diopiScalar_t* other);

/**
 * Replaces input by input < scalar, `torch.Tensor.lt_`.
 *
 * @param[in]     ctx    context of the call
 * @param[in,out] input  integral, floating, bool
 * @param[in]     other  scalar
 *
 * As diopiLt, except:
 * - formula: input = input < other
 */
DIOPI_API diopiError_t diopiLtInpScalar(diopiContextHandle_t ctx, diopiTensorHandle_t input,
                                        const diopiScalar_t* other);

/**
 * Element-wise input < other with broadcasting, `torch.lt`.
 *
 * @param[in]  ctx    context of the call
 * @param[out] out    integral, floating, complex, bool
 * @param[in]  input  integral, floating, bool
 * @param[in]  other  integral, floating, bool
 *
 * - formula: out = input < other
 * - source: torch.lt
 */
DIOPI_API diopiError_t diopiLt(diopiContextHandle_t ctx, diopiTensorHandle_t out, diopiConstTensorHandle_t input,
                               diopiConstTensorHandle_t other);

/**
 * Replaces input by input < other, `torch.Tensor.lt_`.
 *
 * @param[in]     ctx    context of the call
 * @param[in,out] input  integral, floating, bool
 * @param[in]     other  integral, floating, bool
 *
 * As diopiLt, except:
 * - formula: input = input < other
 */
DIOPI_API diopiError_t diopiLtInp(diopiContextHandle_t ctx, diopiTensorHandle_t input, diopiConstTensorHandle_t other);

/**
 * Element-wise larger of input and other with broadcasting, NaN wins, `torch.maximum`.
 *
 * @param[in]  ctx    context of the call
 * @param[out] out    integral, floating, complex, bool
 * @param[in]  input  integral, floating, bool
 * @param[in]  other  integral, floating, bool
 *
 * - formula: out = max(input, other)
 * - nan: NaN in either operand wins; of two zeros either sign may come out.
 * - source: torch.maximum
 * - notes: The result has the promoted dtype, cast to that of out.
 */
DIOPI_API diopiError_t diopiMaximum(diopiContextHandle_t ctx, diopiTensorHandle_t out, diopiConstTensorHandle_t input,
                                    diopiConstTensorHandle_t other);

/**
 * Element-wise smaller of input and other with broadcasting, NaN wins, `torch.minimum`.
 *
 * @param[in]  ctx    context of the call
 * @param[out] out    integral, floating, complex, bool
 * @param[in]  input  integral, floating, bool
 * @param[in]  other  integral, floating, bool
 *
 * - formula: out = min(input, other)
 * - nan: NaN in either operand wins; of two zeros either sign may come out.
 * - source: torch.minimum
 * - notes: The result has the promoted dtype, cast to that of out.
 */
DIOPI_API diopiError_t diopiMinimum(diopiContextHandle_t ctx, diopiTensorHandle_t out, diopiConstTensorHandle_t input,
                                    diopiConstTensorHandle_t other);

/**
 * Element-wise test for NaN; a complex number is NaN where either part is, `torch.isnan`.
 *
 * @param[in]  ctx    context of the call
 * @param[out] out    integral, floating, complex, bool
 * @param[in]  input  integral, floating, complex, bool
 *
 * - formula: out = input != input
 * - shape: out has the shape of input.
 * - broadcasting: None.
 * - nan: NaN gives true, everything else false; integers and bool are never NaN.
 * - source: torch.isnan
 */
DIOPI_API diopiError_t diopiIsNan(diopiContextHandle_t ctx, diopiTensorHandle_t out, diopiConstTensorHandle_t input);

/** @} */

/** @name complex
 * Making complex tensors and taking them apart.
 * - shape: out has the broadcast shape of the operands.
 * - strides: Any for every tensor; inputs may be expanded.
 * - empty: Empty and 0-d tensors are ordinary.
 * - determinism: The same bits for any number of threads.
 */
/** @{ */

/**
 * Complex tensor from absolute value and angle, `torch.polar`.
 *
 * @param[in]  ctx    context of the call
 * @param[out] out    complex
 * @param[in]  abs    float32, float64
 * @param[in]  angle  float32, float64
 *
 * - formula: out = abs * cos(angle) + i * abs * sin(angle)
 * - broadcasting: Shapes are aligned at their last dimensions; a size of 1 stretches to the other's size.
 * - aliasing: out must not overlap an operand.
 * - nan: Each part is the product of abs and the sine or cosine of angle: IEEE arithmetic, with NaN for an infinite
 *   angle.
 * - accumulation: None; the functions are computed in the dtype of the operands.
 * - checks:
 *   - The shapes of abs and angle must broadcast. [diopiPolar-abs-broadcastable]
 *   - out must have the broadcast shape of the operands. [diopiPolar-out-shape]
 *   - abs and angle must have the same dtype. [diopiPolar-abs-same-dtype]
 *   - If the dtype of abs is float32, the dtype of out must be complex64. [diopiPolar-out-of-float32]
 *   - If the dtype of abs is float64, the dtype of out must be complex128. [diopiPolar-out-of-float64]
 * - source: torch.polar
 */
DIOPI_API diopiError_t diopiPolar(diopiContextHandle_t ctx, diopiTensorHandle_t out, diopiConstTensorHandle_t abs,
                                  diopiConstTensorHandle_t angle);

/**
 * Complex tensor from real and imaginary parts, `torch.complex`.
 *
 * @param[in]  ctx   context of the call
 * @param[out] out   complex
 * @param[in]  real  float32, float64
 * @param[in]  imag  float32, float64
 *
 * - formula: out = real + i * imag
 * - broadcasting: Shapes are aligned at their last dimensions; a size of 1 stretches to the other's size.
 * - aliasing: out must not overlap an operand.
 * - nan: Moved unchanged, like every other value.
 * - accumulation: None.
 * - checks:
 *   - The shapes of real and imag must broadcast. [diopiComplex-real-broadcastable]
 *   - out must have the broadcast shape of the operands. [diopiComplex-out-shape]
 *   - real and imag must have the same dtype. [diopiComplex-real-same-dtype]
 *   - If the dtype of the real parts is float32, the dtype of out must be complex64. [diopiComplex-out-of-float32]
 *   - If the dtype of the real parts is float64, the dtype of out must be complex128. [diopiComplex-out-of-float64]
 * - source: torch.complex
 */
DIOPI_API diopiError_t diopiComplex(diopiContextHandle_t ctx, diopiTensorHandle_t out, diopiConstTensorHandle_t real,
                                    diopiConstTensorHandle_t imag);

/**
 * Element-wise complex conjugate, written out, `torch.conj_physical`.
 *
 * @param[in]  ctx    context of the call
 * @param[out] out    integral, floating, complex, bool
 * @param[in]  input  integral, floating, complex, bool
 *
 * - formula: out = input with the sign of the imaginary part changed; a number without imaginary part is copied
 * - shape: out has the shape of input.
 * - broadcasting: None.
 * - aliasing: out may be input itself; where they overlap in another way, the result is that of a copy of input.
 * - nan: Moved; of a NaN the sign changes.
 * - accumulation: None.
 * - checks:
 *   - out must have the shape of input. [diopiConj-out-shape]
 *   - The dtype of input must be castable to the dtype of out. [diopiConj-out-castable]
 * - source: torch.conj_physical
 */
DIOPI_API diopiError_t diopiConj(diopiContextHandle_t ctx, diopiTensorHandle_t out, diopiConstTensorHandle_t input);

/**
 * Imaginary part of a complex tensor, copied, `torch.imag`.
 *
 * @param[in]  ctx    context of the call
 * @param[out] out    integral, floating, complex, bool
 * @param[in]  input  complex
 *
 * - formula: out = the imaginary part of input
 * - shape: out has the shape of input.
 * - broadcasting: None.
 * - aliasing: out may overlap input; the result is that of a copy of input.
 * - nan: Moved unchanged, like every other value.
 * - accumulation: None; the part is converted to the dtype of out as diopiCastDtype does it.
 * - checks:
 *   - out must have the shape of input. [diopiImag-out-shape]
 *   - The dtype of the real parts must be castable to the dtype of out. [diopiImag-out-castable]
 * - source: torch.imag
 * - notes: out may have a complex dtype, for example that of input; then its imaginary parts are 0.
 */
DIOPI_API diopiError_t diopiImag(diopiContextHandle_t ctx, diopiTensorHandle_t out, diopiConstTensorHandle_t input);

/**
 * Real part of a complex tensor, copied, `torch.real`.
 *
 * @param[in]  ctx    context of the call
 * @param[out] out    integral, floating, complex, bool
 * @param[in]  input  integral, floating, complex, bool
 *
 * As diopiImag, except:
 * - formula: out = the real part of input; a number without imaginary part is copied
 * - source: torch.real
 */
DIOPI_API diopiError_t diopiReal(diopiContextHandle_t ctx, diopiTensorHandle_t out, diopiConstTensorHandle_t input);

/** @} */

/** @name concat
 * Joining and splitting tensors along a dimension.
 * - broadcasting: None.
 * - strides: Any for every tensor; inputs may be expanded.
 * - empty: Empty and 0-d tensors are ordinary.
 * - nan: Moved unchanged, like every other value.
 * - determinism: Exact, so the same bits for any number of threads.
 * - checks:
 *   - The dtype of each tensor must be castable to the dtype of out. [out-castable]
 */
/** @{ */

/**
 * Concatenates tensors along an existing dimension, `torch.cat`.
 *
 * @param[in]  ctx         context of the call
 * @param[out] out         integral, floating, complex, bool
 * @param[in]  tensors     list of `num_inputs` tensors; integral, floating, complex, bool
 * @param[in]  num_inputs  integer
 * @param[in]  dim         integer
 *
 * - formula: out = tensors[0], tensors[1], ... side by side along dimension dim
 * - shape: The tensors have the shape of out but in dimension dim, where theirs add up to that of out. A
 *   one-dimensional tensor without elements joins anything.
 * - aliasing: out may overlap an input; the result is that of copies.
 * - accumulation: None; each tensor is converted to the dtype of out as diopiCastDtype does it.
 * - checks:
 *   - Tensors must have at least 1 entry. [diopiCat-tensors-length]
 *   - out must have at least 1 dimension. [diopiCat-out-ndim]
 *   - dim must be a dimension of out. [diopiCat-dim-in-range]
 *   - The tensors must have the extents of out in each dimension but dim; a tensor of shape [0] may stand among them.
 *     [diopiCat-tensors-match]
 *   - out must have the shape of the result. [diopiCat-out-shape]
 * - source: torch.cat
 */
DIOPI_API diopiError_t diopiCat(diopiContextHandle_t ctx, diopiTensorHandle_t out, diopiConstTensorHandle_t* tensors,
                                int64_t num_inputs, int64_t dim);

/**
 * Splits a tensor along a dimension into copies of given sizes, `torch.split_with_sizes`.
 *
 * @param[in]  ctx         context of the call
 * @param[out] outs        list of `num_outs` tensors; integral, floating, complex, bool
 * @param[in]  num_outs    integer
 * @param[in]  input       integral, floating, complex, bool
 * @param[in]  splitSizes  list of integers
 * @param[in]  dim         integer
 *
 * - formula: outs[k] = splitSizes[k] entries of input along dimension dim, after those of the outputs before it
 * - shape: outs[k] has the shape of input with splitSizes[k] in dimension dim; these add up to the extent of input.
 * - aliasing: An output may overlap input; the result is that of a copy of input.
 * - accumulation: None; input is converted to the dtype of each output as diopiCastDtype does it.
 * - checks:
 *   - input must have at least 1 dimension. [diopiSplitWithSizes-input-ndim]
 *   - dim must be a dimension of input. [diopiSplitWithSizes-dim-in-range]
 *   - splitSizes must have exactly as many entries as the length of outs. [diopiSplitWithSizes-splitSizes-length]
 *   - Each entry of splitSizes must be at least 0. [diopiSplitWithSizes-splitSizes-values]
 *   - The sum of splitSizes must be input[dim]. [diopiSplitWithSizes-splitSizes-sum]
 *   - The dtype of input must be castable to the dtype of outs. [diopiSplitWithSizes-outs-castable]
 *   - outs must have the shape of the result. [diopiSplitWithSizes-outs-shape]
 * - source: torch.split_with_sizes
 */
DIOPI_API diopiError_t diopiSplitWithSizes(diopiContextHandle_t ctx, diopiTensorHandle_t* outs, int64_t num_outs,
                                           diopiConstTensorHandle_t input, const diopiSize_t splitSizes, int64_t dim);

/**
 * Joins tensors of one shape along a new dimension, `torch.stack`.
 *
 * @param[in]  ctx         context of the call
 * @param[out] out         integral, floating, complex, bool
 * @param[in]  tensors     list of `numTensors` tensors; integral, floating, complex, bool
 * @param[in]  numTensors  integer
 * @param[in]  dim         integer
 *
 * - formula: out[.., k, ..] = tensors[k] with k in dimension dim
 * - shape: All tensors have one shape; out has one dimension more, at dim, of as many entries as there are tensors.
 * - aliasing: out may overlap an input; the result is that of copies.
 * - accumulation: None; each tensor is converted to the dtype of out as diopiCastDtype does it.
 * - checks:
 *   - Tensors must have at least 1 entry. [diopiStack-tensors-length]
 *   - dim must be a dimension of out. [diopiStack-dim-in-range]
 *   - The tensors must have the same shape. [diopiStack-tensors-same-shape]
 *   - out must have the shape of the result. [diopiStack-out-shape]
 * - source: torch.stack
 */
DIOPI_API diopiError_t diopiStack(diopiContextHandle_t ctx, diopiTensorHandle_t out,
                                  diopiConstTensorHandle_t* tensors, int64_t numTensors, int64_t dim);

/** @} */

/** @name conv
 * Convolution and transposed convolution in two and three dimensions, with gradients.
 * - checks:
 *   - The tensors must have the same dtype. [tensors-same-dtype]
 *   - Each entry of stride must be at least 1. [stride-values]
 *   - Each entry of dilation must be at least 1. [dilation-values]
 *   - Each entry of padding must be at least 0. [padding-values]
 *   - groups must be at least 1. [groups-value]
 *   - weight[0] must be a positive multiple of groups. [weight-divisible]
 *   - Each entry of output_padding must be at least 0. [output_padding-values]
 *   - grad_input and input must have the same shape. [grad_input-same-shape]
 *   - grad_weight and weight must have the same shape. [grad_weight-same-shape]
 */
/** @{ */

/**
 * Two-dimensional convolution, `torch.nn.functional.conv2d`.
 *
 * @param[in]  ctx       context of the call
 * @param[out] out       integral, floating, complex
 * @param[in]  input     integral, floating, complex
 * @param[in]  weight    integral, floating, complex
 * @param[in]  bias      may be null; integral, floating, complex
 * @param[in]  stride    list of integers
 * @param[in]  padding   list of integers
 * @param[in]  dilation  list of integers
 * @param[in]  groups    integer
 *
 * - formula: out[n, o, y] = bias[o] + sum over c, k of weight[o, c, k] * input[n, g * C / groups + c, y * stride + k *
 *   dilation - padding], where g is the group of o and positions outside of input count as 0
 * - shape: input [N, C, H, W] or without N, weight [O, C / groups, kernel...], bias [O]; out [N, O, ...] with extents
 *   (input + 2 * padding - dilation * (kernel - 1) - 1) / stride + 1, rounded down.
 * - broadcasting: stride, padding and dilation of one value hold for all dimensions.
 * - strides: Any; packed channels-last and channels-first tensors are read where they lie.
 * - aliasing: Results may overlap inputs in any way: they are then made in a temporary.
 * - empty: Without images or output channels nothing is written; without input channels out is bias, or 0.
 * - nan: As sums of products in IEEE arithmetic. It is not specified whether padding is multiplied, which gives NaN if
 *   the other factor is NaN or infinite.
 * - accumulation: float16 and bfloat16 sum in float32 and round once; float32, float64 and complex sum in their own
 *   precision, never in a lower one; integers wrap around.
 * - determinism: The same bits for any number of threads; the order of a sum depends on dtypes, shapes and strides.
 * - checks:
 *   - stride must have 1 or 2 entries. [diopiConvolution2d-stride-length]
 *   - padding must have 1 or 2 entries. [diopiConvolution2d-padding-length]
 *   - dilation must have 1 or 2 entries. [diopiConvolution2d-dilation-length]
 *   - input must have 3 or 4 dimensions. [diopiConvolution2d-input-ndim]
 *   - weight must have 4 dimensions. [diopiConvolution2d-weight-ndim]
 *   - input[-3] and groups * weight[1] must be equal. [diopiConvolution2d-input-equal]
 *   - The padded input must have room for weight, enlarged by dilation. [diopiConvolution2d-input-fits-kernel]
 *   - bias must have the shape [weight[0]]. [diopiConvolution2d-bias-shape]
 *   - out must have the shape of the result. [diopiConvolution2d-out-shape]
 * - source: torch.nn.functional.conv2d
 * - notes: Integers are accepted with any dilation and groups, which PyTorch refuses on CPU.
 */
DIOPI_API diopiError_t diopiConvolution2d(diopiContextHandle_t ctx, diopiTensorHandle_t out,
                                          diopiConstTensorHandle_t input, diopiConstTensorHandle_t weight,
                                          diopiConstTensorHandle_t bias, diopiSize_t stride, diopiSize_t padding,
                                          diopiSize_t dilation, int64_t groups);

/**
 * Gradients of diopiConvolution2d with respect to input, weight and bias.
 *
 * @param[in]  ctx          context of the call
 * @param[out] grad_input   may be null; floating, complex
 * @param[out] grad_weight  may be null; floating, complex
 * @param[out] grad_bias    may be null; floating, complex
 * @param[in]  grad_output  floating, complex
 * @param[in]  input        floating, complex
 * @param[in]  weight       floating, complex
 * @param[in]  bias_sizes   shape of the bias; null: the forward call had none
 * @param[in]  stride       list of integers
 * @param[in]  padding      list of integers
 * @param[in]  dilation     list of integers
 * @param[in]  groups       integer
 *
 * - formula: grad_input[n, c] = sum of grad_output * conj(weight) over the windows that meet an element; grad_weight[o,
 *   c, k] = sum over n, y of grad_output[n, o, y] * conj(input there); grad_bias[o] = sum of grad_output[:, o]
 * - shape: grad_output as out of diopiConvolution2d; grad_input as input, grad_weight as weight, grad_bias [O].
 * - broadcasting: stride, padding and dilation of one value hold for all dimensions.
 * - strides: Any; packed channels-last and channels-first tensors are read where they lie.
 * - aliasing: A gradient must not overlap what later ones read; they are written in the order grad_bias, grad_weight,
 *   grad_input.
 * - empty: Sums over no images are 0.
 * - nan: As sums of products in IEEE arithmetic. It is not specified whether padding is multiplied, which gives NaN if
 *   the other factor is NaN or infinite.
 * - accumulation: float16 and bfloat16 sum in float32 and round once; float32, float64 and complex sum in their own
 *   precision, never in a lower one; integers wrap around.
 * - determinism: The same bits for any number of threads; the order of a sum depends on dtypes, shapes and strides.
 * - checks:
 *   - The checks of diopiConvolution2d hold too.
 *   - grad_bias must have the shape [weight[0]]. [diopiConvolution2dBackward-grad_bias-shape]
 *   - If grad_bias is given, bias_sizes must have the shape [weight[0]]. [diopiConvolution2dBackward-bias_sizes-shape]
 *   - grad_output must have the shape of the result of diopiConvolution2d.
 *     [diopiConvolution2dBackward-grad_output-shape]
 * - source: Autograd of torch.nn.functional.conv2d
 * - notes: Elements of input that no window meets get the gradient 0.
 */
DIOPI_API diopiError_t diopiConvolution2dBackward(diopiContextHandle_t ctx, diopiTensorHandle_t grad_input,
                                                  diopiTensorHandle_t grad_weight, diopiTensorHandle_t grad_bias,
                                                  diopiConstTensorHandle_t grad_output,
                                                  diopiConstTensorHandle_t input, diopiConstTensorHandle_t weight,
                                                  diopiSize_t* bias_sizes, diopiSize_t stride, diopiSize_t padding,
                                                  diopiSize_t dilation, int64_t groups);

/**
 * Two-dimensional transposed convolution, `torch.nn.functional.conv_transpose2d`.
 *
 * @param[in]  ctx             context of the call
 * @param[out] out             floating, complex, int64
 * @param[in]  input           floating, complex, int64
 * @param[in]  weight          floating, complex, int64
 * @param[in]  bias            may be null; floating, complex, int64
 * @param[in]  stride          list of integers
 * @param[in]  padding         list of integers
 * @param[in]  output_padding  list of integers
 * @param[in]  groups          integer
 * @param[in]  dilation        list of integers
 *
 * - formula: out[n, g * Q + q, y] = bias[g * Q + q] + sum over the input channels c of the group g, over x and k with x
 *   * stride + k * dilation - padding = y, of input[n, c, x] * weight[c, q, k], where Q = weight[1]
 * - shape: input [N, C, H, W] or without N, weight [C, O / groups, kernel...], bias [O]; out [N, O, ...] with extents
 *   (input - 1) * stride - 2 * padding + dilation * (kernel - 1) + output_padding + 1.
 * - broadcasting: stride, padding, output_padding and dilation of one value hold for all dimensions.
 * - strides: Any; packed channels-last and channels-first tensors are read where they lie.
 * - aliasing: out may overlap input and weight in any way: it is then made in a temporary.
 * - empty: Without images nothing is written.
 * - nan: As sums of products in IEEE arithmetic. It is not specified whether padding is multiplied, which gives NaN if
 *   the other factor is NaN or infinite.
 * - accumulation: float16 and bfloat16 sum in float32 and round once; float32, float64 and complex sum in their own
 *   precision, never in a lower one; integers wrap around.
 * - determinism: The same bits for any number of threads; the order of a sum depends on dtypes, shapes and strides.
 * - checks:
 *   - stride must have 1 or 2 entries. [diopiConvTranspose2d-stride-length]
 *   - padding must have 1 or 2 entries. [diopiConvTranspose2d-padding-length]
 *   - output_padding must have 1 or 2 entries. [diopiConvTranspose2d-output_padding-length]
 *   - dilation must have 1 or 2 entries. [diopiConvTranspose2d-dilation-length]
 *   - input must have 3 or 4 dimensions. [diopiConvTranspose2d-input-ndim]
 *   - weight must have 4 dimensions. [diopiConvTranspose2d-weight-ndim]
 *   - input must have no extent of 0 among its last 2. [diopiConvTranspose2d-input-not-empty]
 *   - weight must have no extent of 0. [diopiConvTranspose2d-weight-not-empty]
 *   - input[-3] and weight[0] must be equal. [diopiConvTranspose2d-input-equal]
 *   - bias must have the shape [groups * weight[1]]. [diopiConvTranspose2d-bias-shape]
 *   - output_padding must be less than stride or less than dilation in each dimension.
 *     [diopiConvTranspose2d-output_padding-below-step]
 *   - padding must leave at least one element of the output in each dimension.
 *     [diopiConvTranspose2d-padding-leaves-output]
 *   - out must have the shape of the result. [diopiConvTranspose2d-out-shape]
 * - source: torch.nn.functional.conv_transpose2d
 */
DIOPI_API diopiError_t diopiConvTranspose2d(diopiContextHandle_t ctx, diopiTensorHandle_t out,
                                            diopiConstTensorHandle_t input, diopiConstTensorHandle_t weight,
                                            diopiConstTensorHandle_t bias, diopiSize_t stride, diopiSize_t padding,
                                            diopiSize_t output_padding, int64_t groups, diopiSize_t dilation);

/**
 * Gradients of diopiConvTranspose2d with respect to input, weight and bias.
 *
 * @param[in]  ctx             context of the call
 * @param[out] grad_input      may be null; floating, complex
 * @param[out] grad_weight     may be null; floating, complex
 * @param[out] grad_bias       may be null; floating, complex
 * @param[in]  grad_output     floating, complex
 * @param[in]  input           floating, complex
 * @param[in]  weight          floating, complex
 * @param[in]  bias_sizes      shape of the bias; null: the forward call had none
 * @param[in]  stride          list of integers
 * @param[in]  padding         list of integers
 * @param[in]  dilation        list of integers
 * @param[in]  output_padding  list of integers
 * @param[in]  groups          integer
 *
 * - formula: grad_input[n, c, x] = sum over k of grad_output * conj(weight) where the forward call multiplies this
 *   input; grad_weight[c, q, k] = sum over n, x of grad_output there * conj(input[n, c, x]); grad_bias[o] = sum of
 *   grad_output[:, o]
 * - shape: grad_output as out of diopiConvTranspose2d for some output_padding that it accepts; grad_input as input,
 *   grad_weight as weight, grad_bias [O].
 * - broadcasting: stride, padding, output_padding and dilation of one value hold for all dimensions.
 * - strides: Any; packed channels-last and channels-first tensors are read where they lie.
 * - aliasing: A gradient must not overlap what later ones read; they are written in the order grad_weight, grad_input,
 *   grad_bias.
 * - empty: Sums over no images are 0.
 * - nan: As sums of products in IEEE arithmetic. It is not specified whether padding is multiplied, which gives NaN if
 *   the other factor is NaN or infinite.
 * - accumulation: float16 and bfloat16 sum in float32 and round once; float32, float64 and complex sum in their own
 *   precision, never in a lower one; integers wrap around.
 * - determinism: The same bits for any number of threads; the order of a sum depends on dtypes, shapes and strides.
 * - checks:
 *   - The checks of diopiConvTranspose2d hold too.
 *   - grad_bias must have the shape [groups * weight[1]]. [diopiConvTranspose2dBackward-grad_bias-shape]
 *   - If grad_bias is given, bias_sizes must have the shape [groups * weight[1]].
 *     [diopiConvTranspose2dBackward-bias_sizes-shape]
 *   - grad_output must have the shape [input[:-3], groups * weight[1], any, any].
 *     [diopiConvTranspose2dBackward-grad_output-shape]
 *   - The extents of grad_output must be those of the output for an output_padding that is less than stride or less
 *     than dilation. [diopiConvTranspose2dBackward-grad_output-fits-input]
 * - source: Autograd of torch.nn.functional.conv_transpose2d
 * - notes: The output padding of the forward call follows from the extents of grad_output. output_padding is not
 *   compared with them, because callers pass 0 whatever the forward call had.
 */
DIOPI_API diopiError_t diopiConvTranspose2dBackward(diopiContextHandle_t ctx, diopiTensorHandle_t grad_input,
                                                    diopiTensorHandle_t grad_weight, diopiTensorHandle_t grad_bias,
                                                    diopiConstTensorHandle_t grad_output,
                                                    diopiConstTensorHandle_t input, diopiConstTensorHandle_t weight,
                                                    diopiSize_t* bias_sizes, diopiSize_t stride, diopiSize_t padding,
                                                    diopiSize_t dilation, diopiSize_t output_padding, int64_t groups);

/**
 * Three-dimensional transposed convolution, `torch.nn.functional.conv_transpose3d`.
 *
 * @param[in]  ctx             context of the call
 * @param[out] out             floating, complex, int64
 * @param[in]  input           floating, complex, int64
 * @param[in]  weight          floating, complex, int64
 * @param[in]  bias            may be null; floating, complex, int64
 * @param[in]  stride          list of integers
 * @param[in]  padding         list of integers
 * @param[in]  output_padding  list of integers
 * @param[in]  groups          integer
 * @param[in]  dilation        list of integers
 *
 * - formula: out[n, g * Q + q, y] = bias[g * Q + q] + sum over the input channels c of the group g, over x and k with x
 *   * stride + k * dilation - padding = y, of input[n, c, x] * weight[c, q, k], where Q = weight[1]
 * - shape: input [N, C, D, H, W] or without N, weight [C, O / groups, kernel...], bias [O]; out [N, O, ...] with
 *   extents (input - 1) * stride - 2 * padding + dilation * (kernel - 1) + output_padding + 1.
 * - broadcasting: stride, padding, output_padding and dilation of one value hold for all dimensions.
 * - strides: Any; packed channels-last and channels-first tensors are read where they lie.
 * - aliasing: out may overlap input and weight in any way: it is then made in a temporary.
 * - empty: Without images nothing is written.
 * - nan: As sums of products in IEEE arithmetic. It is not specified whether padding is multiplied, which gives NaN if
 *   the other factor is NaN or infinite.
 * - accumulation: float16 and bfloat16 sum in float32 and round once; float32, float64 and complex sum in their own
 *   precision, never in a lower one; integers wrap around.
 * - determinism: The same bits for any number of threads; the order of a sum depends on dtypes, shapes and strides.
 * - checks:
 *   - stride must have 1 or 3 entries. [diopiConvTranspose3d-stride-length]
 *   - padding must have 1 or 3 entries. [diopiConvTranspose3d-padding-length]
 *   - output_padding must have 1 or 3 entries. [diopiConvTranspose3d-output_padding-length]
 *   - dilation must have 1 or 3 entries. [diopiConvTranspose3d-dilation-length]
 *   - input must have 4 or 5 dimensions. [diopiConvTranspose3d-input-ndim]
 *   - weight must have 5 dimensions. [diopiConvTranspose3d-weight-ndim]
 *   - input must have no extent of 0 among its last 3. [diopiConvTranspose3d-input-not-empty]
 *   - weight must have no extent of 0. [diopiConvTranspose3d-weight-not-empty]
 *   - input[-4] and weight[0] must be equal. [diopiConvTranspose3d-input-equal]
 *   - bias must have the shape [groups * weight[1]]. [diopiConvTranspose3d-bias-shape]
 *   - output_padding must be less than stride or less than dilation in each dimension.
 *     [diopiConvTranspose3d-output_padding-below-step]
 *   - padding must leave at least one element of the output in each dimension.
 *     [diopiConvTranspose3d-padding-leaves-output]
 *   - out must have the shape of the result. [diopiConvTranspose3d-out-shape]
 * - source: torch.nn.functional.conv_transpose3d
 */
DIOPI_API diopiError_t diopiConvTranspose3d(diopiContextHandle_t ctx, diopiTensorHandle_t out,
                                            diopiConstTensorHandle_t input, diopiConstTensorHandle_t weight,
                                            diopiConstTensorHandle_t bias, diopiSize_t stride, diopiSize_t padding,
                                            diopiSize_t output_padding, int64_t groups, diopiSize_t dilation);

/**
 * Gradients of diopiConvTranspose3d with respect to input, weight and bias.
 *
 * @param[in]  ctx             context of the call
 * @param[out] grad_input      may be null; floating, complex
 * @param[out] grad_weight     may be null; floating, complex
 * @param[out] grad_bias       may be null; floating, complex
 * @param[in]  grad_output     floating, complex
 * @param[in]  input           floating, complex
 * @param[in]  weight          floating, complex
 * @param[in]  bias_sizes      shape of the bias; null: the forward call had none
 * @param[in]  stride          list of integers
 * @param[in]  padding         list of integers
 * @param[in]  dilation        list of integers
 * @param[in]  output_padding  list of integers
 * @param[in]  groups          integer
 *
 * - formula: grad_input[n, c, x] = sum over k of grad_output * conj(weight) where the forward call multiplies this
 *   input; grad_weight[c, q, k] = sum over n, x of grad_output there * conj(input[n, c, x]); grad_bias[o] = sum of
 *   grad_output[:, o]
 * - shape: grad_output as out of diopiConvTranspose3d for some output_padding that it accepts; grad_input as input,
 *   grad_weight as weight, grad_bias [O].
 * - broadcasting: stride, padding, output_padding and dilation of one value hold for all dimensions.
 * - strides: Any; packed channels-last and channels-first tensors are read where they lie.
 * - aliasing: A gradient must not overlap what later ones read; they are written in the order grad_weight, grad_input,
 *   grad_bias.
 * - empty: Sums over no images are 0.
 * - nan: As sums of products in IEEE arithmetic. It is not specified whether padding is multiplied, which gives NaN if
 *   the other factor is NaN or infinite.
 * - accumulation: float16 and bfloat16 sum in float32 and round once; float32, float64 and complex sum in their own
 *   precision, never in a lower one; integers wrap around.
 * - determinism: The same bits for any number of threads; the order of a sum depends on dtypes, shapes and strides.
 * - checks:
 *   - The checks of diopiConvTranspose3d hold too.
 *   - grad_bias must have the shape [groups * weight[1]]. [diopiConvTranspose3dBackward-grad_bias-shape]
 *   - If grad_bias is given, bias_sizes must have the shape [groups * weight[1]].
 *     [diopiConvTranspose3dBackward-bias_sizes-shape]
 *   - grad_output must have the shape [input[:-4], groups * weight[1], any, any, any].
 *     [diopiConvTranspose3dBackward-grad_output-shape]
 *   - The extents of grad_output must be those of the output for an output_padding that is less than stride or less
 *     than dilation. [diopiConvTranspose3dBackward-grad_output-fits-input]
 * - source: Autograd of torch.nn.functional.conv_transpose3d
 * - notes: The output padding of the forward call follows from the extents of grad_output. output_padding is not
 *   compared with them, because callers pass 0 whatever the forward call had.
 */
DIOPI_API diopiError_t diopiConvTranspose3dBackward(diopiContextHandle_t ctx, diopiTensorHandle_t grad_input,
                                                    diopiTensorHandle_t grad_weight, diopiTensorHandle_t grad_bias,
                                                    diopiConstTensorHandle_t grad_output,
                                                    diopiConstTensorHandle_t input, diopiConstTensorHandle_t weight,
                                                    diopiSize_t* bias_sizes, diopiSize_t stride, diopiSize_t padding,
                                                    diopiSize_t dilation, diopiSize_t output_padding, int64_t groups);

/**
 * Three-dimensional convolution, `torch.nn.functional.conv3d`.
 *
 * @param[in]  ctx       context of the call
 * @param[out] out       integral, floating, complex
 * @param[in]  input     integral, floating, complex
 * @param[in]  weight    integral, floating, complex
 * @param[in]  bias      may be null; integral, floating, complex
 * @param[in]  stride    list of integers
 * @param[in]  padding   list of integers
 * @param[in]  dilation  list of integers
 * @param[in]  groups    integer
 *
 * - formula: out[n, o, y] = bias[o] + sum over c, k of weight[o, c, k] * input[n, g * C / groups + c, y * stride + k *
 *   dilation - padding], where g is the group of o and positions outside of input count as 0
 * - shape: input [N, C, D, H, W] or without N, weight [O, C / groups, kernel...], bias [O]; out [N, O, ...] with
 *   extents (input + 2 * padding - dilation * (kernel - 1) - 1) / stride + 1, rounded down.
 * - broadcasting: stride, padding and dilation of one value hold for all dimensions.
 * - strides: Any; packed channels-last and channels-first tensors are read where they lie.
 * - aliasing: Results may overlap inputs in any way: they are then made in a temporary.
 * - empty: Without images or output channels nothing is written; without input channels out is bias, or 0.
 * - nan: As sums of products in IEEE arithmetic. It is not specified whether padding is multiplied, which gives NaN if
 *   the other factor is NaN or infinite.
 * - accumulation: float16 and bfloat16 sum in float32 and round once; float32, float64 and complex sum in their own
 *   precision, never in a lower one; integers wrap around.
 * - determinism: The same bits for any number of threads; the order of a sum depends on dtypes, shapes and strides.
 * - checks:
 *   - stride must have 1 or 3 entries. [diopiConvolution3d-stride-length]
 *   - padding must have 1 or 3 entries. [diopiConvolution3d-padding-length]
 *   - dilation must have 1 or 3 entries. [diopiConvolution3d-dilation-length]
 *   - input must have 4 or 5 dimensions. [diopiConvolution3d-input-ndim]
 *   - weight must have 5 dimensions. [diopiConvolution3d-weight-ndim]
 *   - input[-4] and groups * weight[1] must be equal. [diopiConvolution3d-input-equal]
 *   - The padded input must have room for weight, enlarged by dilation. [diopiConvolution3d-input-fits-kernel]
 *   - bias must have the shape [weight[0]]. [diopiConvolution3d-bias-shape]
 *   - out must have the shape of the result. [diopiConvolution3d-out-shape]
 * - source: torch.nn.functional.conv3d
 */
DIOPI_API diopiError_t diopiConvolution3d(diopiContextHandle_t ctx, diopiTensorHandle_t out,
                                          diopiConstTensorHandle_t input, diopiConstTensorHandle_t weight,
                                          diopiConstTensorHandle_t bias, diopiSize_t stride, diopiSize_t padding,
                                          diopiSize_t dilation, int64_t groups);

/**
 * Gradients of diopiConvolution3d with respect to input, weight and bias.
 *
 * @param[in]  ctx          context of the call
 * @param[out] grad_input   may be null; floating, complex
 * @param[out] grad_weight  may be null; floating, complex
 * @param[out] grad_bias    may be null; floating, complex
 * @param[in]  grad_output  floating, complex
 * @param[in]  input        floating, complex
 * @param[in]  weight       floating, complex
 * @param[in]  bias_sizes   shape of the bias; null: the forward call had none
 * @param[in]  stride       list of integers
 * @param[in]  padding      list of integers
 * @param[in]  dilation     list of integers
 * @param[in]  groups       integer
 *
 * - formula: grad_input[n, c] = sum of grad_output * conj(weight) over the windows that meet an element; grad_weight[o,
 *   c, k] = sum over n, y of grad_output[n, o, y] * conj(input there); grad_bias[o] = sum of grad_output[:, o]
 * - shape: grad_output as out of diopiConvolution3d; grad_input as input, grad_weight as weight, grad_bias [O].
 * - broadcasting: stride, padding and dilation of one value hold for all dimensions.
 * - strides: Any; packed channels-last and channels-first tensors are read where they lie.
 * - aliasing: A gradient must not overlap what later ones read; they are written in the order grad_bias, grad_weight,
 *   grad_input.
 * - empty: Sums over no images are 0.
 * - nan: As sums of products in IEEE arithmetic. It is not specified whether padding is multiplied, which gives NaN if
 *   the other factor is NaN or infinite.
 * - accumulation: float16 and bfloat16 sum in float32 and round once; float32, float64 and complex sum in their own
 *   precision, never in a lower one; integers wrap around.
 * - determinism: The same bits for any number of threads; the order of a sum depends on dtypes, shapes and strides.
 * - checks:
 *   - The checks of diopiConvolution3d hold too.
 *   - grad_bias must have the shape [weight[0]]. [diopiConvolution3dBackward-grad_bias-shape]
 *   - If grad_bias is given, bias_sizes must have the shape [weight[0]]. [diopiConvolution3dBackward-bias_sizes-shape]
 *   - grad_output must have the shape of the result of diopiConvolution3d.
 *     [diopiConvolution3dBackward-grad_output-shape]
 * - source: Autograd of torch.nn.functional.conv3d
 * - notes: Elements of input that no window meets get the gradient 0.
 */
DIOPI_API diopiError_t diopiConvolution3dBackward(diopiContextHandle_t ctx, diopiTensorHandle_t grad_input,
                                                  diopiTensorHandle_t grad_weight, diopiTensorHandle_t grad_bias,
                                                  diopiConstTensorHandle_t grad_output,
                                                  diopiConstTensorHandle_t input, diopiConstTensorHandle_t weight,
                                                  diopiSize_t* bias_sizes, diopiSize_t stride, diopiSize_t padding,
                                                  diopiSize_t dilation, int64_t groups);

/** @} */

/** @name cumulative
 * Running sums along a dimension.
 * - shape: The output has the shape of the input.
 * - broadcasting: None.
 * - strides: Any for every tensor; the input may be expanded.
 * - aliasing: The output may be the input itself.
 * - empty: Empty and 0-d tensors are ordinary.
 * - nan: As IEEE addition has it; integers wrap around in the dtype of the output.
 * - accumulation: The elements are converted to the dtype of the output first, as `dtype=` does it in PyTorch: float32
 *   into int16 drops fractions, complex numbers into a real dtype their imaginary parts. In order; float16 and bfloat16
 *   in float32, integers in int64; into bool the result is whether any element so far is true (PyTorch has no running
 *   sum of bool; programs for DIOPI 1.0 call it).
 * - determinism: The same bits for any number of threads.
 * - checks:
 *   - dim must be a dimension of input. [dim-in-range]
 *   - dim must be a dimension of grad_output. [dim-in-range]
 *   - Each output must have the broadcast shape of the operands. [outputs-shape]
 * - source: torch.cumsum
 */
/** @{ */

/**
 * Running sum along a dimension, `torch.cumsum`.
 *
 * @param[in]  ctx    context of the call
 * @param[out] out    integral, floating, complex, bool
 * @param[in]  input  integral, floating, complex, bool
 * @param[in]  dim    integer
 *
 * - formula: out[i] = sum of input[j] over j <= i, along dim
 */
DIOPI_API diopiError_t diopiCumsum(diopiContextHandle_t ctx, diopiTensorHandle_t out, diopiConstTensorHandle_t input,
                                   int64_t dim);

/**
 * Gradient of diopiCumsum: the running sum of grad_output from the end of the dimension.
 *
 * @param[in]  ctx          context of the call
 * @param[out] grad_input   integral, floating, complex, bool
 * @param[in]  grad_output  integral, floating, complex, bool
 * @param[in]  dim          integer
 *
 * - formula: grad_input[i] = sum of grad_output[j] over j >= i, along dim
 */
DIOPI_API diopiError_t diopiCumsumBackward(diopiContextHandle_t ctx, diopiTensorHandle_t grad_input,
                                           diopiConstTensorHandle_t grad_output, int64_t dim);

/** @} */

/** @name detection
 * Box suppression and region pooling as in torchvision.
 * - broadcasting: None.
 * - strides: Any, for inputs and outputs.
 * - aliasing: None.
 * - determinism: The same bits for any number of threads.
 */
/** @{ */

/**
 * Indices of the boxes kept by non-maximum suppression, best score first, `torchvision.ops.nms`.
 *
 * @param[in]  ctx            context of the call
 * @param[out] out            created by the callee; int64
 * @param[in]  boxes          corners (x1, y1, x2, y2), [boxes, 4]; floating
 * @param[in]  confidence     score of each box; floating
 * @param[in]  iou_threshold  number
 *
 * - formula: of the boxes in the order of decreasing confidence, keep the best one and drop each one whose intersection
 *   over union with it is greater than iou_threshold, then the best one of the rest, and so on
 * - shape: out has one element for each kept box.
 * - empty: Without boxes, out is empty.
 * - nan: A confidence of NaN is the best one. An intersection over union of NaN, as of two boxes without area, drops no
 *   box.
 * - accumulation: Intersection over union is computed in float64.
 * - checks:
 *   - boxes must have the shape [any, 4]. [diopiNms-boxes-shape]
 *   - confidence must have the shape [boxes[0]]. [diopiNms-confidence-shape]
 *   - boxes and confidence must have the same dtype. [diopiNms-boxes-same-dtype]
 * - source: torchvision.ops.nms
 * - notes: Boxes of equal confidence keep their order. The area of a box is the product of its sides, which is negative
 *   if one pair of corners is reversed; the sides of an intersection are at least 0.
 */
DIOPI_API diopiError_t diopiNms(diopiContextHandle_t ctx, diopiTensorHandle_t* out, diopiConstTensorHandle_t boxes,
                                diopiConstTensorHandle_t confidence, double iou_threshold);

/**
 * Average of bilinear samples in each bin of regions of interest, `torchvision.ops.roi_align`.
 *
 * @param[in]  ctx             context of the call
 * @param[out] out             floating
 * @param[in]  input           floating
 * @param[in]  rois            (batch index, x1, y1, x2, y2) per region; floating
 * @param[in]  spatial_scale   number
 * @param[in]  pooled_height   integer
 * @param[in]  pooled_width    integer
 * @param[in]  sampling_ratio  samples per bin and direction; 0 or less: adaptive
 * @param[in]  aligned         flag
 *
 * - formula: start = coordinate * spatial_scale - (0.5 if aligned, else 0); size = end - start, at least 1 if not
 *   aligned; bin = size / pooled; g = sampling_ratio, or size / pooled rounded up if it is not positive; samples lie at
 *   start + p * bin + (i + 0.5) * bin / g; out = sum of the samples of a bin / max(number of samples, 1)
 * - shape: input [N, C, H, W]; rois [K, 5]; out [K, C, pooled_height, pooled_width].
 * - empty: Without regions, channels or bins, nothing is written.
 * - nan: As IEEE arithmetic has it. A sample at a position that is NaN or infinite is 0.
 * - accumulation: Positions and weights are computed in float64. How many samples a bin has and which of them lie
 *   inside of the map is decided by positions in float32, or in float64 for float64, of which each operation is
 *   rounded, as in torchvision without fused operations. Sums of float16 and bfloat16 are computed in float32, others
 *   in their own precision.
 * - checks:
 *   - input must have 4 dimensions. [diopiRoiAlign-input-ndim]
 *   - input must have no extent of 0 among its last 2. [diopiRoiAlign-input-not-empty]
 *   - rois must have the shape [any, 5]. [diopiRoiAlign-rois-shape]
 *   - out, input and rois must have the same dtype. [diopiRoiAlign-out-same-dtype]
 *   - spatial_scale must be finite. [diopiRoiAlign-spatial_scale-value]
 *   - pooled_height must be at least 0. [diopiRoiAlign-pooled_height-value]
 *   - pooled_width must be at least 0. [diopiRoiAlign-pooled_width-value]
 *   - sampling_ratio must be at least -2147483648 and be at most 32768. [diopiRoiAlign-sampling_ratio-value]
 *   - out must have the shape [rois[0], input[1], pooled_height, pooled_width]. [diopiRoiAlign-out-shape]
 *   - The first number of each row of rois, without its fraction, must be the number of an image of input. A device may
 *     report this when the stream is synchronised. [diopiRoiAlign-rois-image]
 * - source: torchvision.ops.roi_align
 * - notes: A sample outside of [-1, H] or [-1, W] is 0; otherwise its position is clamped to the pixels, and it is
 *   bilinear. Positions and weights have more digits than in torchvision, which computes them in the dtype of input;
 *   for float16, it rounds each operation to float16.
 */
DIOPI_API diopiError_t diopiRoiAlign(diopiContextHandle_t ctx, diopiTensorHandle_t out,
                                     diopiConstTensorHandle_t input, diopiConstTensorHandle_t rois,
                                     double spatial_scale, int64_t pooled_height, int64_t pooled_width,
                                     int64_t sampling_ratio, bool aligned);

/**
 * Gradient of diopiRoiAlign with respect to its input; out has shape [batch_size, channels, height, width].
 *
 * @param[in]  ctx             context of the call
 * @param[out] out             floating
 * @param[in]  grad            floating
 * @param[in]  rois            (batch index, x1, y1, x2, y2) per region; floating
 * @param[in]  spatial_scale   number
 * @param[in]  pooled_height   integer
 * @param[in]  pooled_width    integer
 * @param[in]  batch_size      integer
 * @param[in]  channels        integer
 * @param[in]  height          integer
 * @param[in]  width           integer
 * @param[in]  sampling_ratio  samples per bin and direction; 0 or less: adaptive
 * @param[in]  aligned         flag
 *
 * - formula: out = sum over all samples of grad / max(number of samples, 1) times the bilinear weight of the element in
 *   the sample
 * - shape: out [batch_size, channels, height, width]; rois [K, 5]; grad [K, channels, pooled_height, pooled_width].
 * - empty: Without regions or bins, out is 0.
 * - nan: As IEEE arithmetic has it. A sample at a position that is NaN or infinite has no gradient.
 * - accumulation: Positions and weights are computed in float64. How many samples a bin has and which of them lie
 *   inside of the map is decided by positions in float32, or in float64 for float64, of which each operation is
 *   rounded, as in torchvision without fused operations. Sums of float16 and bfloat16 are computed in float32, others
 *   in their own precision, in the order of the regions.
 * - checks:
 *   - rois must have the shape [any, 5]. [diopiRoiAlignBackward-rois-shape]
 *   - out, grad and rois must have the same dtype. [diopiRoiAlignBackward-out-same-dtype]
 *   - spatial_scale must be finite. [diopiRoiAlignBackward-spatial_scale-value]
 *   - pooled_height must be at least 0. [diopiRoiAlignBackward-pooled_height-value]
 *   - pooled_width must be at least 0. [diopiRoiAlignBackward-pooled_width-value]
 *   - batch_size must be at least 0. [diopiRoiAlignBackward-batch_size-value]
 *   - channels must be at least 0. [diopiRoiAlignBackward-channels-value]
 *   - height must be at least 1. [diopiRoiAlignBackward-height-value]
 *   - width must be at least 1. [diopiRoiAlignBackward-width-value]
 *   - sampling_ratio must be at least -2147483648 and be at most 32768. [diopiRoiAlignBackward-sampling_ratio-value]
 *   - out must have the shape [batch_size, channels, height, width]. [diopiRoiAlignBackward-out-shape]
 *   - grad must have the shape [rois[0], channels, pooled_height, pooled_width]. [diopiRoiAlignBackward-grad-shape]
 *   - The first number of each row of rois, without its fraction, must be the number of an image of out. A device may
 *     report this when the stream is synchronised. [diopiRoiAlignBackward-rois-image]
 * - source: gradient of torchvision.ops.roi_align with respect to input
 */
DIOPI_API diopiError_t diopiRoiAlignBackward(diopiContextHandle_t ctx, diopiTensorHandle_t out,
                                             diopiConstTensorHandle_t grad, diopiConstTensorHandle_t rois,
                                             double spatial_scale, int64_t pooled_height, int64_t pooled_width,
                                             int64_t batch_size, int64_t channels, int64_t height, int64_t width,
                                             int64_t sampling_ratio, bool aligned);

/** @} */

/** @name distance
 * Pairwise distances between sets of vectors.
 * - broadcasting: The dimensions before the last two, of input1 and input2 with each other.
 * - strides: Any for every tensor; inputs may be expanded.
 * - aliasing: An output must not overlap an input.
 * - empty: Without rows the result is empty; vectors without elements have the distance 0 and empty gradients.
 * - nan: A NaN in either vector makes their distance NaN; otherwise as IEEE arithmetic has it.
 * - accumulation: Sums are computed in the dtype of the operands, in blocks, so that long sums lose no digits.
 * - determinism: The same bits for any number of threads.
 * - checks:
 *   - input1 must have at least 2 dimensions. [input1-ndim]
 *   - input2 must have at least 2 dimensions. [input2-ndim]
 *   - input1[-1] and input2[-1] must be equal. [input1-equal]
 *   - The shapes of input1[:-2] and input2[:-2] must broadcast. [input1-broadcastable]
 *   - p must be at least 0. [p-value]
 */
/** @{ */

/**
 * p-norm distance between every pair of rows of two batches, `torch.cdist`.
 *
 * @param[in]  ctx           context of the call
 * @param[out] out           float32, float64
 * @param[in]  input1        float32, float64
 * @param[in]  input2        float32, float64
 * @param[in]  p             number
 * @param[in]  compute_mode  null or 0: matrix products where either set has more than 25 rows; 1: always; 2: never (p =
 *         2 only)
 *
 * - formula: out[.., i, j] = (sum over k of |input1[.., i, k] - input2[.., j, k]|^p)^(1/p); for p = 0 the number of k
 *   where they differ; for p = infinity the maximum
 * - shape: out has the broadcast shape of the dimensions before the last two, then the rows of input1 and those of
 *   input2.
 * - checks:
 *   - out, input1 and input2 must have the same dtype. [diopiCdist-out-same-dtype]
 *   - compute_mode must be at least 0 and be at most 2. [diopiCdist-compute_mode-value]
 *   - out must have the shape of the result. [diopiCdist-out-shape]
 * - source: torch.cdist
 * - notes: compute_mode is a wish for speed, of which the result may depend by rounding only. For p = infinity, PyTorch
 *   ignores a NaN that a number follows.
 */
DIOPI_API diopiError_t diopiCdist(diopiContextHandle_t ctx, diopiTensorHandle_t out, diopiConstTensorHandle_t input1,
                                  diopiConstTensorHandle_t input2, double p, const int64_t* compute_mode);

/**
 * Gradient of diopiCdist with respect to input1.
 *
 * @param[in]  ctx          context of the call
 * @param[out] grad_input   float32, float64
 * @param[in]  grad_output  float32, float64
 * @param[in]  input1       float32, float64
 * @param[in]  input2       float32, float64
 * @param[in]  p            number
 * @param[in]  cdist        result of the forward call; float32, float64
 *
 * - formula: grad_input[.., i, k] = sum over j of g * d' with g = grad_output[.., i, j], D = cdist[.., i, j], d =
 *   input1[.., i, k] - input2[.., j, k], and d' = 0 (p = 0), sign(d) (p = 1), d / D (p = 2), sign(d) where |d| = D else
 *   0 (p = infinity), else sign(d) * (|d| / D)^(p - 1); d' = 0 where D = 0 and p is none of 0, 1 and infinity, and
 *   where d = 0 and p < 1
 * - shape: grad_input has the broadcast shape of the dimensions before the last two, then the last two extents of
 *   input1; grad_output and cdist have the shape of diopiCdist's result.
 * - checks:
 *   - input1, input2, grad_input, grad_output and cdist must have the same dtype.
 *     [diopiCdistBackward-input1-same-dtype]
 *   - grad_input must have the shape of the result. [diopiCdistBackward-grad_input-shape]
 *   - grad_output must have the shape of the result of diopiCdist. [diopiCdistBackward-grad_output-shape]
 *   - cdist must have the shape of the result of diopiCdist. [diopiCdistBackward-cdist-shape]
 * - source: torch.ops.aten._cdist_backward
 * - notes: The caller sums grad_input over the dimensions that input1 lacks.
 */
DIOPI_API diopiError_t diopiCdistBackward(diopiContextHandle_t ctx, diopiTensorHandle_t grad_input,
                                          diopiConstTensorHandle_t grad_output, diopiConstTensorHandle_t input1,
                                          diopiConstTensorHandle_t input2, double p, diopiConstTensorHandle_t cdist);

/** @} */

/** @name dropout
 * Dropout with an explicit mask.
 */
/** @{ */

/**
 * Zeroes elements with probability p and scales the rest by 1 / (1 - p), `torch.nn.functional.dropout`.
 *
 * @param[in]     ctx        context of the call
 * @param[out]    out        floating
 * @param[out]    mask       1 where the element is kept, 0 where it is zeroed, for the backward pass; may be null
 *         without train; integral, floating, bool
 * @param[in]     input      floating
 * @param[in]     p          number
 * @param[in]     train      flag
 * @param[in,out] generator  may be null without train
 *
 * - formula: train: mask_i = 1 where word_i * 2^-32 < 1 - p, else 0; out = input * (mask * s) with s = 1 / (1 - p), and
 *   s = 0 where p = 1. Otherwise out = input and mask = 1 where it is given
 * - shape: out has the shape of input; mask has it too, or one that broadcasts to it.
 * - broadcasting: A mask of extents 1 or of fewer dimensions drops whole slices, as dropout2d does with [N, C, 1, 1].
 * - strides: Any.
 * - aliasing: out may be input itself; mask shares memory with neither.
 * - empty: Nothing is drawn for an empty mask.
 * - nan: A dropped element is multiplied by zero, so NaN and infinities give NaN, and the sign of zero stays.
 * - accumulation: float32 for float16 and bfloat16; scale and product are rounded once each.
 * - determinism: As for the family random, the bits depend on seed and offset only.
 * - checks:
 *   - p must be within [0, 1]. [diopiDropout-p-value]
 *   - out and input must have the same shape. [diopiDropout-out-same-shape]
 *   - mask must broadcast to the shape of input. [diopiDropout-mask-broadcasts]
 *   - If train is true, mask must not be null. [diopiDropout-mask-given]
 *   - If train is true, generator must not be null. [diopiDropout-generator-given]
 * - source: torch.nn.functional.dropout, torch.native_dropout, dropout2d
 * - notes: Words as in diopiUniformInp, one per element of mask in row-major order, whatever p is. Without train
 *   nothing is drawn, and the generator stays as it is.
 */
DIOPI_API diopiError_t diopiDropout(diopiContextHandle_t ctx, diopiTensorHandle_t out, diopiTensorHandle_t mask,
                                    diopiConstTensorHandle_t input, double p, bool train,
                                    diopiGeneratorHandle_t generator);

/**
 * Dropout in place, `torch.nn.functional.dropout(inplace=True)`.
 *
 * @param[in]     ctx        context of the call
 * @param[in,out] input      floating
 * @param[out]    mask       1 where the element is kept, 0 where it is zeroed, for the backward pass; may be null
 *         without train; integral, floating, bool
 * @param[in]     p          number
 * @param[in]     train      flag
 * @param[in,out] generator  may be null without train
 *
 * As diopiDropout, except:
 * - formula: as diopiDropout, with input in place of out
 * - shape: mask has the shape of input, or one that broadcasts to it.
 * - aliasing: mask shares no memory with input.
 */
DIOPI_API diopiError_t diopiDropoutInp(diopiContextHandle_t ctx, diopiTensorHandle_t input, diopiTensorHandle_t mask,
                                       double p, bool train, diopiGeneratorHandle_t generator);

/** @} */

/** @name embedding
 * Table lookups and their gradients.
 * - strides: Any for every tensor; inputs and indices may be expanded.
 * - empty: Empty and 0-d tensors are ordinary; an empty index picks nothing.
 * - nan: Moved or added like every other value.
 * - determinism: The same bits for any number of threads.
 */
/** @{ */

/**
 * Scales rows named by indices whose norm exceeds max_norm down to it, in place, `torch.embedding_renorm_`.
 *
 * @param[in]     ctx        context of the call
 * @param[in,out] inout      floating
 * @param[in]     indices    int32, int64
 * @param[in]     max_norm   number
 * @param[in]     norm_type  number
 *
 * - formula: inout[r, :] *= max_norm / (n + 1e-7) for each row r named by indices whose norm n of order norm_type
 *   exceeds max_norm
 * - shape: inout has two dimensions, indices any number.
 * - broadcasting: None.
 * - aliasing: None.
 * - accumulation: Norms are summed in float64; a row is scaled once however often it is named.
 * - checks:
 *   - inout must have 2 dimensions. [diopiEmbeddingRenorm_-inout-ndim]
 *   - Each element of indices must be a position of inout in dimension 0. A device may report this when the stream is
 *     synchronised. [diopiEmbeddingRenorm_-indices-index]
 * - source: torch.embedding_renorm_
 */
DIOPI_API diopiError_t diopiEmbeddingRenorm_(diopiContextHandle_t ctx, diopiTensorHandle_t inout,
                                             diopiConstTensorHandle_t indices, double max_norm, double norm_type);

/**
 * Rows of weight picked by indices, `torch.nn.functional.embedding`.
 *
 * @param[in]  ctx                context of the call
 * @param[out] out                integral, floating, complex, bool
 * @param[in]  weight             integral, floating, complex, bool
 * @param[in]  indices            int32, int64
 * @param[in]  padding_idx        row whose gradient is zero; no effect on the forward result
 * @param[in]  scale_grad_byfreq  used by the backward call only
 * @param[in]  sparse             used by the backward call only
 *
 * - formula: out[i, :] = weight[indices[i], :]
 * - shape: weight is [rows, width]; out has the shape of indices followed by width.
 * - broadcasting: None.
 * - aliasing: out may overlap weight; the result is that of a copy of weight.
 * - accumulation: None.
 * - checks:
 *   - weight must have 2 dimensions. [diopiEmbedding-weight-ndim]
 *   - out must have the shape [indices[:], weight[1]]. [diopiEmbedding-out-shape]
 *   - out and weight must have the same dtype. [diopiEmbedding-out-same-dtype]
 *   - Each element of indices must be a position of weight in dimension 0. A device may report this when the stream is
 *     synchronised. [diopiEmbedding-indices-index]
 * - source: torch.nn.functional.embedding
 */
DIOPI_API diopiError_t diopiEmbedding(diopiContextHandle_t ctx, diopiTensorHandle_t out,
                                      diopiConstTensorHandle_t weight, diopiConstTensorHandle_t indices,
                                      int64_t padding_idx, bool scale_grad_byfreq, bool sparse);

/**
 * Gradient of diopiEmbedding with respect to weight, dense, `torch.ops.aten.embedding_dense_backward`.
 *
 * @param[in]  ctx                context of the call
 * @param[out] out                gradient of the table, [num_weights, embedding size]; integral, floating, complex,
 *         bool
 * @param[in]  grad               integral, floating, complex, bool
 * @param[in]  indices            int32, int64
 * @param[in]  num_weights        integer
 * @param[in]  padding_idx        row that receives no gradient; negative: none
 * @param[in]  scale_grad_byfreq  divide each gradient by how often its row occurs
 * @param[in]  sparse             has no effect: the result is dense
 *
 * - formula: out = 0; out[indices[i], :] += grad[i, :] for every i with indices[i] != padding_idx, divided by the
 *   number of such i with the same index if scale_grad_byfreq
 * - shape: out is [num_weights, width]; grad has the shape of indices followed by width.
 * - broadcasting: None.
 * - aliasing: out may overlap grad; the result is that of a copy of grad.
 * - accumulation: In float32 or wider, rounded once for float16 and bfloat16; the error does not grow with the number
 *   of terms of an element; integers wrap, bool is `or`. Shares of integers are cut off, so that a row which occurs
 *   more than once gets 0; bool has no shares.
 * - checks:
 *   - out must have 2 dimensions. [diopiEmbeddingBackward-out-ndim]
 *   - out must have the shape [num_weights, any]. [diopiEmbeddingBackward-out-shape]
 *   - grad must have the shape [indices[:], out[1]]. [diopiEmbeddingBackward-grad-shape]
 *   - grad and out must have the same dtype. [diopiEmbeddingBackward-grad-same-dtype]
 *   - Each element of indices must be a position of out in dimension 0. A device may report this when the stream is
 *     synchronised. [diopiEmbeddingBackward-indices-index]
 * - source: torch.ops.aten.embedding_dense_backward
 */
DIOPI_API diopiError_t diopiEmbeddingBackward(diopiContextHandle_t ctx, diopiTensorHandle_t out,
                                              diopiConstTensorHandle_t grad, diopiConstTensorHandle_t indices,
                                              int64_t num_weights, int64_t padding_idx, bool scale_grad_byfreq,
                                              bool sparse);

/** @} */

/** @name equal
 * Whether two tensors are equal.
 */
/** @{ */

/**
 * Whether two tensors have the same shape and elements, `torch.equal`.
 *
 * @param[in]  ctx    context of the call
 * @param[out] out    host memory that receives the answer
 * @param[in]  input  integral, floating, complex, bool
 * @param[in]  other  integral, floating, complex, bool
 *
 * - formula: out = whether input and other have one shape, and input == other for each element
 * - shape: The shapes may differ; then out is false.
 * - broadcasting: None.
 * - strides: Any for every tensor; inputs may be expanded.
 * - aliasing: input and other may overlap.
 * - empty: Two empty tensors of one shape are equal. 0-d tensors are ordinary.
 * - nan: NaN is equal to nothing, not even to itself; -0 equals 0.
 * - accumulation: None; operands are compared in their promoted dtype.
 * - determinism: The same answer for any number of threads.
 * - source: torch.equal
 * - notes: PyTorch refuses operands of different dtypes on the CPU and promotes them on CUDA. The answer is in host
 *   memory, so a device finishes the comparison before the call returns.
 */
DIOPI_API diopiError_t diopiEqual(diopiContextHandle_t ctx, bool* out, diopiConstTensorHandle_t input,
                                  diopiConstTensorHandle_t other);

/** @} */

/** @name fill
 * Filling tensors with constants, ranges and grids.
 * - broadcasting: None.
 * - strides: Any.
 * - aliasing: Not applicable.
 * - empty: An empty tensor is left as it is.
 * - nan: As the numbers given.
 * - accumulation: Not applicable.
 * - determinism: One right answer.
 */
/** @{ */

/**
 * Sets every element to value, `torch.Tensor.fill_`.
 *
 * @param[in]  ctx    context of the call
 * @param[out] input  integral, floating, complex, bool
 * @param[in]  value  scalar
 *
 * - formula: input_i = value
 * - shape: Any.
 * - checks:
 *   - value must fit the dtype of input. [diopiFill-value-fits]
 * - source: torch.Tensor.fill_
 * - notes: The fraction of a value is cut off for an integer dtype.
 */
DIOPI_API diopiError_t diopiFill(diopiContextHandle_t ctx, diopiTensorHandle_t input, const diopiScalar_t* value);

/**
 * One-hot encoding of class indices, `torch.nn.functional.one_hot`.
 *
 * @param[in]  ctx          context of the call
 * @param[out] out          integral, floating
 * @param[in]  input        int32, int64
 * @param[in]  num_classes  number of classes; -1: one more than the largest index
 *
 * - formula: out[..., c] = 1 where input[...] = c, else 0
 * - shape: out has the shape of input and a last dimension of num_classes, or of max(input) + 1 where that is -1.
 * - aliasing: None.
 * - checks:
 *   - num_classes must be at least -1. [diopiOneHot-num_classes-value]
 *   - If input has 0 elements, num_classes must be at least 1. [diopiOneHot-num_classes-of-empty]
 *   - If num_classes is at least 0, each element of input must be 0 to below num_classes. A device may report this when
 *     the stream is synchronised. [diopiOneHot-input-index]
 *   - If num_classes is -1, each element of input must be at least 0. A device may report this when the stream is
 *     synchronised. [diopiOneHot-input-elements]
 *   - out must have the shape of the result. [diopiOneHot-out-shape]
 * - source: torch.nn.functional.one_hot
 */
DIOPI_API diopiError_t diopiOneHot(diopiContextHandle_t ctx, diopiTensorHandle_t out, diopiConstTensorHandle_t input,
                                   int64_t num_classes);

/**
 * Evenly spaced numbers from start to end, both included, `torch.linspace`.
 *
 * @param[in]  ctx    context of the call
 * @param[out] out    integral, floating, complex
 * @param[in]  start  scalar
 * @param[in]  end    scalar
 * @param[in]  steps  integer
 *
 * - formula: out_i = start + i * s for i < floor(steps / 2), else end - (steps - 1 - i) * s; s = (end - start) / (steps
 *   - 1)
 * - shape: out is [steps].
 * - accumulation: float64, rounded once.
 * - checks:
 *   - steps must be at least 0. [diopiLinspace-steps-value]
 *   - out must have the shape [steps]. [diopiLinspace-out-shape]
 *   - If steps is not 0, start must fit the dtype of out. [diopiLinspace-start-fits]
 *   - If steps is at least 2, end must fit the dtype of out. [diopiLinspace-end-fits]
 * - source: torch.linspace
 * - notes: One step gives start. For an integer dtype start and end are truncated first, the results at the end.
 *   Complex results have no imaginary part.
 */
DIOPI_API diopiError_t diopiLinspace(diopiContextHandle_t ctx, diopiTensorHandle_t out, const diopiScalar_t* start,
                                     const diopiScalar_t* end, int64_t steps);

/**
 * Numbers from start in steps of step, end excluded, `torch.arange`.
 *
 * @param[in]  ctx    context of the call
 * @param[out] out    integral, floating
 * @param[in]  start  scalar
 * @param[in]  end    scalar
 * @param[in]  step   scalar
 *
 * - formula: out_i = start + i * step
 * - shape: out is [ceil((end - start) / step)].
 * - nan: Bounds and step are finite.
 * - accumulation: float64 for floating dtypes, rounded once (twice for the 16-bit ones); int64 for integer dtypes,
 *   exact.
 * - checks:
 *   - step must not be 0. [diopiArange-step-value]
 *   - If the dtype of out is int64, the whole part of step must not be 0. [diopiArange-step-whole-value]
 *   - start must be finite. [diopiArange-start-value]
 *   - end must be finite. [diopiArange-end-value]
 *   - step must be finite. [diopiArange-step-finite]
 *   - If step is greater than 0, start must be at most end. [diopiArange-start-ordered]
 *   - If step is less than 0, end must be at most start. [diopiArange-end-ordered]
 *   - out must have the shape of the result. [diopiArange-out-shape]
 * - source: torch.arange
 * - notes: The length is exact where all three are integers, else computed in float64. For an integer dtype start and
 *   step are truncated for the values, but not for the length; only for int64 all three are truncated for both, as in
 *   PyTorch. So from 0 to 2.5 in steps of 1 there are 2 elements in int64 and 3 in int32.
 */
DIOPI_API diopiError_t diopiArange(diopiContextHandle_t ctx, diopiTensorHandle_t out, const diopiScalar_t* start,
                                   const diopiScalar_t* end, const diopiScalar_t* step);

/**
 * Coordinate grids of one-dimensional tensors, matrix indexing, `torch.meshgrid(indexing="ij")`.
 *
 * @param[in]  ctx        context of the call
 * @param[out] outs       list of `inputsNum` tensors; integral, floating, complex, bool
 * @param[in]  inputs     list of `inputsNum` tensors; integral, floating, complex, bool
 * @param[in]  inputsNum  integer
 *
 * - formula: outs[k][i_0, i_1, ...] = inputs[k][i_k]
 * - shape: inputs have at most one dimension; outs all have the shape [elements of inputs[0], elements of inputs[1],
 *   ...].
 * - aliasing: None.
 * - checks:
 *   - Inputs must have at least 1 entry and at most 16 entries. [diopiMeshGrid-inputs-length]
 *   - Each input must have at most 1 dimension. [diopiMeshGrid-inputs-ndim]
 *   - The inputs and outs must have the same dtype. [diopiMeshGrid-inputs-same-dtype]
 *   - outs must have the shape of the result. [diopiMeshGrid-outs-shape]
 * - source: torch.meshgrid(indexing="ij")
 */
DIOPI_API diopiError_t diopiMeshGrid(diopiContextHandle_t ctx, diopiTensorHandle_t* outs,
                                     diopiConstTensorHandle_t* inputs, int64_t inputsNum);

/**
 * Sets every element to one, `torch.ones`.
 *
 * @param[in]  ctx   context of the call
 * @param[out] out   integral, floating, complex, bool
 * @param[in]  size  shape of `out`
 *
 * - formula: out_i = 1
 * - shape: out has the shape size.
 * - checks:
 *   - out must have the shape of size. [diopiOnes-out-shape]
 * - source: torch.ones
 */
DIOPI_API diopiError_t diopiOnes(diopiContextHandle_t ctx, diopiTensorHandle_t out, diopiSize_t size);

/**
 * Sets every element to zero, `torch.zeros`.
 *
 * @param[in]  ctx   context of the call
 * @param[out] out   integral, floating, complex, bool
 * @param[in]  size  shape of `out`
 *
 * - formula: out_i = 0
 * - shape: out has the shape size.
 * - checks:
 *   - out must have the shape of size. [diopiZeros-out-shape]
 * - source: torch.zeros
 */
DIOPI_API diopiError_t diopiZeros(diopiContextHandle_t ctx, diopiTensorHandle_t out, diopiSize_t size);

/**
 * Sets every element to zero in place, `torch.Tensor.zero_`.
 *
 * @param[in]  ctx   context of the call
 * @param[out] self  integral, floating, complex, bool
 *
 * - formula: self_i = 0
 * - shape: Any.
 * - source: torch.Tensor.zero_
 */
DIOPI_API diopiError_t diopiZeroInp(diopiContextHandle_t ctx, diopiTensorHandle_t self);

/** @} */

/** @name foreach
 * Operations on lists of tensors, as optimisers and gradient scaling use them.
 * - broadcasting: None.
 * - strides: Any, also different ones for each tensor.
 * - empty: An empty list does nothing; empty tensors are ordinary.
 * - nan: As IEEE arithmetic has it.
 * - determinism: The same bits for any number of threads.
 */
/** @{ */

/**
 * Adds a scalar to each tensor of a list, `torch._foreach_add`.
 *
 * @param[in]  ctx        context of the call
 * @param[out] outs       list of `inputSize` tensors; integral, floating, complex, bool
 * @param[in]  inputs     list of `inputSize` tensors; integral, floating, complex, bool
 * @param[in]  inputSize  integer
 * @param[in]  other      scalar
 *
 * - formula: outs[k] = inputs[k] + other
 * - shape: outs[k] has the shape of inputs[k]; the tensors of a list may differ in shape and dtype.
 * - aliasing: outs[k] may be inputs[k]; other overlap is not allowed.
 * - accumulation: None.
 * - checks:
 *   - The inputs and outs must have the same shape. [diopiForeachaddScalar-inputs-same-shape]
 *   - Torch.can_cast must allow the conversion of each promoted dtype to that of the output.
 *     [diopiForeachaddScalar-outs-castable]
 * - source: torch._foreach_add
 * - notes: Each result has the dtype to which inputs[k] and other promote, as in diopiAddScalar, and is converted to
 *   the dtype of the output if torch.can_cast allows it; nothing is written unless it does for all.
 */
DIOPI_API diopiError_t diopiForeachaddScalar(diopiContextHandle_t ctx, diopiTensorHandle_t* outs,
                                             diopiConstTensorHandle_t* inputs, int64_t inputSize,
                                             const diopiScalar_t* other);

/**
 * Adds a scalar to each tensor of a list in place, `torch._foreach_add_`.
 *
 * @param[in]     ctx        context of the call
 * @param[in,out] inputs     list of `inputSize` tensors; integral, floating, complex, bool
 * @param[in]     inputSize  integer
 * @param[in]     other      scalar
 *
 * - formula: inputs[k] = inputs[k] + other
 * - shape: The tensors may differ in shape and dtype.
 * - aliasing: The tensors overlap nothing.
 * - accumulation: None.
 * - checks:
 *   - Torch.can_cast must allow the conversion of each promoted dtype to that of the tensor.
 *     [diopiForeachaddInpScalar-inputs-castable]
 * - source: torch._foreach_add_
 * - notes: Each result has the dtype to which inputs[k] and other promote, as in diopiAddInpScalar, and is converted to
 *   the dtype of the output if torch.can_cast allows it; nothing is written unless it does for all.
 */
DIOPI_API diopiError_t diopiForeachaddInpScalar(diopiContextHandle_t ctx, diopiTensorHandle_t* inputs,
                                                int64_t inputSize, const diopiScalar_t* other);

/**
 * Multiplies each tensor of a list by a scalar, `torch._foreach_mul`.
 *
 * @param[in]  ctx        context of the call
 * @param[out] outs       list of `inputSize` tensors; integral, floating, complex, bool
 * @param[in]  inputs     list of `inputSize` tensors; integral, floating, complex, bool
 * @param[in]  inputSize  integer
 * @param[in]  other      scalar
 *
 * - formula: outs[k] = inputs[k] * other
 * - shape: outs[k] has the shape of inputs[k]; the tensors of a list may differ in shape and dtype.
 * - aliasing: outs[k] may be inputs[k]; other overlap is not allowed.
 * - accumulation: None.
 * - checks:
 *   - The inputs and outs must have the same shape. [diopiForeachmulScalar-inputs-same-shape]
 *   - Torch.can_cast must allow the conversion of each promoted dtype to that of the output.
 *     [diopiForeachmulScalar-outs-castable]
 * - source: torch._foreach_mul
 * - notes: Each result has the dtype to which inputs[k] and other promote, as in diopiMulScalar, and is converted to
 *   the dtype of the output if torch.can_cast allows it; nothing is written unless it does for all.
 */
DIOPI_API diopiError_t diopiForeachmulScalar(diopiContextHandle_t ctx, diopiTensorHandle_t* outs,
                                             diopiConstTensorHandle_t* inputs, int64_t inputSize,
                                             const diopiScalar_t* other);

/**
 * Multiplies each tensor of a list by a scalar in place, `torch._foreach_mul_`.
 *
 * @param[in]     ctx        context of the call
 * @param[in,out] inputs     list of `inputSize` tensors; integral, floating, complex, bool
 * @param[in]     inputSize  integer
 * @param[in]     other      scalar
 *
 * - formula: inputs[k] = inputs[k] * other
 * - shape: The tensors may differ in shape and dtype.
 * - aliasing: The tensors overlap nothing.
 * - accumulation: None.
 * - checks:
 *   - Torch.can_cast must allow the conversion of each promoted dtype to that of the tensor.
 *     [diopiForeachmulInpScalar-inputs-castable]
 * - source: torch._foreach_mul_
 * - notes: Each result has the dtype to which inputs[k] and other promote, as in diopiMulInpScalar, and is converted to
 *   the dtype of the output if torch.can_cast allows it; nothing is written unless it does for all.
 */
DIOPI_API diopiError_t diopiForeachmulInpScalar(diopiContextHandle_t ctx, diopiTensorHandle_t* inputs,
                                                int64_t inputSize, const diopiScalar_t* other);

/**
 * Multiplies each tensor of a list by a 0-d tensor, `torch._foreach_mul`.
 *
 * @param[in]  ctx        context of the call
 * @param[out] outs       list of `inputSize` tensors; integral, floating, complex, bool
 * @param[in]  inputs     list of `inputSize` tensors; integral, floating, complex, bool
 * @param[in]  inputSize  integer
 * @param[in]  other      integral, floating, complex, bool
 *
 * - formula: outs[k] = inputs[k] * other
 * - shape: outs[k] has the shape of inputs[k]; the tensors of a list may differ in shape and dtype.
 * - aliasing: outs[k] may be inputs[k]; other overlap is not allowed.
 * - accumulation: None.
 * - checks:
 *   - The inputs and outs must have the same shape. [diopiForeachmulTensor-inputs-same-shape]
 *   - other must have 1 element. [diopiForeachmulTensor-other-numel]
 *   - Torch.can_cast must allow the conversion of each promoted dtype to that of the output.
 *     [diopiForeachmulTensor-outs-castable]
 * - source: torch._foreach_mul
 * - notes: Each result has the dtype to which inputs[k] and other promote, as in diopiMul, and is converted to the
 *   dtype of the output if torch.can_cast allows it; nothing is written unless it does for all. other counts as a 0-d
 *   tensor, whatever its rank.
 */
DIOPI_API diopiError_t diopiForeachmulTensor(diopiContextHandle_t ctx, diopiTensorHandle_t* outs,
                                             diopiConstTensorHandle_t* inputs, int64_t inputSize,
                                             const diopiConstTensorHandle_t other);

/**
 * Multiplies each tensor of a list by a 0-d tensor in place, `torch._foreach_mul_`.
 *
 * @param[in]     ctx        context of the call
 * @param[in,out] inputs     list of `inputSize` tensors; integral, floating, complex, bool
 * @param[in]     inputSize  integer
 * @param[in]     other      integral, floating, complex, bool
 *
 * - formula: inputs[k] = inputs[k] * other
 * - shape: The tensors may differ in shape and dtype.
 * - aliasing: The tensors overlap nothing.
 * - accumulation: None.
 * - checks:
 *   - other must have 1 element. [diopiForeachmulInpTensor-other-numel]
 *   - Torch.can_cast must allow the conversion of each promoted dtype to that of the tensor.
 *     [diopiForeachmulInpTensor-inputs-castable]
 * - source: torch._foreach_mul_
 * - notes: Each result has the dtype to which inputs[k] and other promote, as in diopiMulInp, and is converted to the
 *   dtype of the output if torch.can_cast allows it; nothing is written unless it does for all. other counts as a 0-d
 *   tensor, whatever its rank.
 */
DIOPI_API diopiError_t diopiForeachmulInpTensor(diopiContextHandle_t ctx, diopiTensorHandle_t* inputs,
                                                int64_t inputSize, const diopiConstTensorHandle_t other);

/**
 * Vector norm of each tensor of a list, `torch._foreach_norm`.
 *
 * @param[in]  ctx        context of the call
 * @param[out] outs       list of `inputSize` tensors; floating
 * @param[in]  inputs     list of `inputSize` tensors; floating, complex
 * @param[in]  inputSize  integer
 * @param[in]  ord        scalar
 *
 * - formula: outs[k] = norm of order ord of all elements of inputs[k], as diopiLinalgVecNorm has it
 * - shape: outs[k] is 0-d; the tensors of inputs may differ in shape and dtype.
 * - aliasing: Outputs overlap nothing.
 * - empty: An empty list does nothing; the norm of nothing is 0. If the order is negative or infinite, it does not
 *   exist.
 * - accumulation: Sums of powers in float64; 16-bit dtypes in short float32 runs first; rounded once.
 * - checks:
 *   - outs must have 1 element. [diopiForeachnormScalar-outs-numel]
 *   - outs must have at most 1 dimension. [diopiForeachnormScalar-outs-ndim]
 *   - No tensor may be empty if ord is negative or infinite. [diopiForeachnormScalar-inputs-not-empty]
 * - source: torch._foreach_norm
 */
DIOPI_API diopiError_t diopiForeachnormScalar(diopiContextHandle_t ctx, diopiTensorHandle_t* outs,
                                              diopiConstTensorHandle_t* inputs, int64_t inputSize,
                                              const diopiScalar_t* ord);

/**
 * Multiplies gradients by inv_scale and notes Inf or NaN, `torch._amp_foreach_non_finite_check_and_unscale_`.
 *
 * @param[in]     ctx               context of the call
 * @param[in,out] scaled_grads      list of `num_scaled_grads` tensors; floating
 * @param[in]     num_scaled_grads  integer
 * @param[in,out] found_inf         set to 1 where an Inf or NaN is found, else left as it is; float32
 * @param[in]     inv_scale         float32
 *
 * - formula: found_inf = 1 if an element of scaled_grads is infinite or NaN; scaled_grads[k] = scaled_grads[k] *
 *   inv_scale
 * - shape: The tensors of scaled_grads may differ in shape and dtype; found_inf and inv_scale have one element.
 * - aliasing: The tensors overlap nothing.
 * - nan: Elements are looked at before they are multiplied. If inv_scale is 1, gradients keep their bits.
 * - accumulation: Products in float32, in float64 for float64, rounded once.
 * - checks:
 *   - found_inf must have 1 element. [diopiAmpForeachNonFiniteCheckAndUnscaleInp-found_inf-numel]
 *   - inv_scale must have 1 element. [diopiAmpForeachNonFiniteCheckAndUnscaleInp-inv_scale-numel]
 * - source: torch._amp_foreach_non_finite_check_and_unscale_
 */
DIOPI_API diopiError_t diopiAmpForeachNonFiniteCheckAndUnscaleInp(diopiContextHandle_t ctx,
                                                                  diopiTensorHandle_t* scaled_grads,
                                                                  int64_t num_scaled_grads,
                                                                  diopiTensorHandle_t found_inf,
                                                                  diopiConstTensorHandle_t inv_scale);

/**
 * Grows or shrinks the loss scale after a step, `torch._amp_update_scale_`.
 *
 * @param[in]     ctx                   context of the call
 * @param[in,out] current_scale         float32
 * @param[in,out] growth_tracker        number of steps without Inf or NaN in a row; int32
 * @param[in]     found_inf             float32
 * @param[in]     scale_growth_factor   number
 * @param[in]     scale_backoff_factor  number
 * @param[in]     growth_interval       integer
 *
 * - formula: if found_inf is not 0: current_scale = current_scale * scale_backoff_factor, growth_tracker = 0; else if
 *   growth_tracker + 1 = growth_interval: current_scale = current_scale * scale_growth_factor if that is finite in
 *   float32, growth_tracker = 0; else growth_tracker = growth_tracker + 1
 * - shape: All tensors have one element.
 * - aliasing: The tensors overlap nothing.
 * - empty: No tensor is empty.
 * - accumulation: Products in float64, rounded once to float32.
 * - checks:
 *   - current_scale must have 1 element. [diopiAmpUpdateScaleInp-current_scale-numel]
 *   - growth_tracker must have 1 element. [diopiAmpUpdateScaleInp-growth_tracker-numel]
 *   - found_inf must have 1 element. [diopiAmpUpdateScaleInp-found_inf-numel]
 * - source: torch._amp_update_scale_
 */
DIOPI_API diopiError_t diopiAmpUpdateScaleInp(diopiContextHandle_t ctx, diopiTensorHandle_t current_scale,
                                              diopiTensorHandle_t growth_tracker, diopiConstTensorHandle_t found_inf,
                                              double scale_growth_factor, double scale_backoff_factor,
                                              int32_t growth_interval);

/** @} */

/** @name im2col
 * Sliding windows: unfolding along a dimension, blocks to columns and back.
 * - broadcasting: None.
 * - strides: Any.
 * - determinism: The same bits for any number of threads.
 */
/** @{ */

/**
 * All windows of a size along a dimension, as a new last dimension, `torch.Tensor.unfold`.
 *
 * @param[in]  ctx    context of the call
 * @param[out] out    integral, floating, complex, bool
 * @param[in]  input  integral, floating, complex, bool
 * @param[in]  dim    integer
 * @param[in]  size   integer
 * @param[in]  step   integer
 *
 * - formula: out[.., i, .., j] = input[.., i * step + j, ..]
 * - shape: out has the shape of input with (n - size) / step + 1, rounded down, in place of the extent n of dimension
 *   dim, and size as its last dimension. A 0-d input counts as a vector of one element, and out is then [size].
 * - aliasing: out may overlap input; the result is that of a copy of input.
 * - empty: A size of 0 gives an empty result.
 * - nan: Bits are copied.
 * - accumulation: None.
 * - checks:
 *   - out and input must have the same dtype. [diopiUnfold-out-same-dtype]
 *   - dim must be a dimension of input. [diopiUnfold-dim-in-range]
 *   - size must be at least 0 and be at most input[dim]. [diopiUnfold-size-value]
 *   - step must be at least 1. [diopiUnfold-step-value]
 *   - out must have the shape of the result. [diopiUnfold-out-shape]
 * - source: torch.Tensor.unfold
 */
DIOPI_API diopiError_t diopiUnfold(diopiContextHandle_t ctx, diopiTensorHandle_t out, diopiConstTensorHandle_t input,
                                   int64_t dim, int64_t size, int64_t step);

/**
 * Gradient of diopiUnfold: sums the windows back into a tensor of shape input_sizes.
 *
 * @param[in]  ctx          context of the call
 * @param[out] grad_input   integral, floating, complex, bool
 * @param[in]  grad_output  integral, floating, complex, bool
 * @param[in]  input_sizes  list of integers
 * @param[in]  dim          integer
 * @param[in]  size         integer
 * @param[in]  step         integer
 *
 * - formula: grad_input = 0; grad_input[.., i * step + j, ..] += grad_output[.., i, .., j] for every i and j
 * - shape: grad_input has the shape input_sizes; grad_output as out of diopiUnfold.
 * - aliasing: grad_input must not overlap grad_output.
 * - empty: Elements in no window are 0.
 * - nan: Sums in IEEE arithmetic.
 * - accumulation: float16 and bfloat16 sum in float32 and round once, other floating-point and complex numbers in their
 *   own precision; integers wrap around, and a sum of bool is `or`.
 * - checks:
 *   - grad_input and grad_output must have the same dtype. [diopiUnfoldBackward-grad_input-same-dtype]
 *   - grad_input must have the shape of input_sizes. [diopiUnfoldBackward-grad_input-shape]
 *   - dim must be a dimension of grad_input. [diopiUnfoldBackward-dim-in-range]
 *   - size must be at least 0 and be at most grad_input[dim]. [diopiUnfoldBackward-size-value]
 *   - step must be at least 1. [diopiUnfoldBackward-step-value]
 *   - grad_output must have the shape of the result of diopiUnfold. [diopiUnfoldBackward-grad_output-shape]
 * - source: torch.ops.aten.unfold_backward
 */
DIOPI_API diopiError_t diopiUnfoldBackward(diopiContextHandle_t ctx, diopiTensorHandle_t grad_input,
                                           diopiConstTensorHandle_t grad_output, diopiSize_t input_sizes, int64_t dim,
                                           int64_t size, int64_t step);

/**
 * Columns of sliding blocks of a batch of images, `torch.nn.functional.unfold`.
 *
 * @param[in]  ctx          context of the call
 * @param[out] out          floating, complex, bool
 * @param[in]  input        floating, complex, bool
 * @param[in]  kernel_size  list of integers
 * @param[in]  dilation     list of integers
 * @param[in]  padding      list of integers
 * @param[in]  stride       list of integers
 *
 * - formula: out[n, (c * kernel_size[0] + i) * kernel_size[1] + j, l] = input[n, c, y * stride[0] + i * dilation[0] -
 *   padding[0], x * stride[1] + j * dilation[1] - padding[1]] for block l = (y, x) in row-major order; positions
 *   outside of input count as 0
 * - shape: input [N, C, H, W] or [C, H, W]; out [N, C * kernel_size[0] * kernel_size[1], L] or without N, where L is
 *   the product over H and W of (extent + 2 * padding - dilation * (kernel_size - 1) - 1) / stride + 1, rounded down.
 * - broadcasting: Lists of one value hold for both dimensions.
 * - aliasing: out must not overlap input.
 * - empty: Without images nothing is written.
 * - nan: Bits are copied.
 * - accumulation: None.
 * - checks:
 *   - Each entry of kernel_size must be at least 1. [diopiIm2Col-kernel_size-values]
 *   - Each entry of dilation must be at least 1. [diopiIm2Col-dilation-values]
 *   - Each entry of stride must be at least 1. [diopiIm2Col-stride-values]
 *   - Each entry of padding must be at least 0. [diopiIm2Col-padding-values]
 *   - kernel_size must have 1 or 2 entries. [diopiIm2Col-kernel_size-length]
 *   - dilation must have 1 or 2 entries. [diopiIm2Col-dilation-length]
 *   - padding must have 1 or 2 entries. [diopiIm2Col-padding-length]
 *   - stride must have 1 or 2 entries. [diopiIm2Col-stride-length]
 *   - out and input must have the same dtype. [diopiIm2Col-out-same-dtype]
 *   - input must have 3 or 4 dimensions. [diopiIm2Col-input-ndim]
 *   - input must have no extent of 0 among its last 3. [diopiIm2Col-input-not-empty]
 *   - The padded input must have room for kernel_size, enlarged by dilation. [diopiIm2Col-input-fits-kernel]
 *   - out must have the shape of the result. [diopiIm2Col-out-shape]
 * - source: torch.nn.functional.unfold
 */
DIOPI_API diopiError_t diopiIm2Col(diopiContextHandle_t ctx, diopiTensorHandle_t out, diopiConstTensorHandle_t input,
                                   diopiSize_t kernel_size, diopiSize_t dilation, diopiSize_t padding,
                                   diopiSize_t stride);

/**
 * Sum of columns back into images, the adjoint of diopiIm2Col, `torch.nn.functional.fold`.
 *
 * @param[in]  ctx          context of the call
 * @param[out] out          floating, complex, bool
 * @param[in]  input        floating, complex, bool
 * @param[in]  output_size  list of integers
 * @param[in]  kernel_size  list of integers
 * @param[in]  dilation     list of integers
 * @param[in]  padding      list of integers
 * @param[in]  stride       list of integers
 *
 * - formula: out[n, c, h, w] = sum of input[n, (c * kernel_size[0] + i) * kernel_size[1] + j, l] over the elements of
 *   the blocks of diopiIm2Col that lie at this position
 * - shape: input [N, C * kernel_size[0] * kernel_size[1], L] or without N; out [N, C, H, W] or [C, H, W], where [H, W]
 *   is output_size, and L is the number of blocks as in diopiIm2Col.
 * - broadcasting: Lists of one value hold for both dimensions.
 * - aliasing: out must not overlap input.
 * - empty: Without images nothing is written. Elements in no block are 0.
 * - nan: Sums in IEEE arithmetic.
 * - accumulation: float16 and bfloat16 sum in float32 and round once, other floating-point and complex numbers in their
 *   own precision; integers wrap around, and a sum of bool is `or`.
 * - checks:
 *   - Each entry of output_size must be at least 1. [diopiCol2Im-output_size-values]
 *   - Each entry of kernel_size must be at least 1. [diopiCol2Im-kernel_size-values]
 *   - Each entry of dilation must be at least 1. [diopiCol2Im-dilation-values]
 *   - Each entry of stride must be at least 1. [diopiCol2Im-stride-values]
 *   - Each entry of padding must be at least 0. [diopiCol2Im-padding-values]
 *   - output_size must have 1 or 2 entries. [diopiCol2Im-output_size-length]
 *   - kernel_size must have 1 or 2 entries. [diopiCol2Im-kernel_size-length]
 *   - dilation must have 1 or 2 entries. [diopiCol2Im-dilation-length]
 *   - padding must have 1 or 2 entries. [diopiCol2Im-padding-length]
 *   - stride must have 1 or 2 entries. [diopiCol2Im-stride-length]
 *   - out and input must have the same dtype. [diopiCol2Im-out-same-dtype]
 *   - input must have 2 or 3 dimensions. [diopiCol2Im-input-ndim]
 *   - If input has 2 dimensions, out must have 3 dimensions. [diopiCol2Im-out-ndim]
 *   - If input has 3 dimensions, out must have 4 dimensions. [diopiCol2Im-out-ndim-of-batch]
 *   - input must have no extent of 0 among its last 2. [diopiCol2Im-input-not-empty]
 *   - The padded out must have room for kernel_size, enlarged by dilation. [diopiCol2Im-out-fits-kernel]
 *   - The last extents of input must be a multiple of the elements of a block, and the number of blocks.
 *     [diopiCol2Im-input-blocks]
 *   - out must have the shape of the result. [diopiCol2Im-out-shape]
 * - source: torch.nn.functional.fold
 */
DIOPI_API diopiError_t diopiCol2Im(diopiContextHandle_t ctx, diopiTensorHandle_t out, diopiConstTensorHandle_t input,
                                   diopiSize_t output_size, diopiSize_t kernel_size, diopiSize_t dilation,
                                   diopiSize_t padding, diopiSize_t stride);

/** @} */

/** @name index
 * Advanced indexing and selection by an index tensor.
 * - strides: Any for every tensor; inputs and indices may be expanded.
 * - empty: Empty and 0-d tensors are ordinary; an empty index picks nothing.
 * - nan: Moved or added like every other value.
 * - determinism: The same bits for any number of threads.
 */
/** @{ */

/**
 * Advanced indexing input[indices...] with integer or boolean masks, `torch.ops.aten.index`.
 *
 * @param[in]  ctx      context of the call
 * @param[out] out      created by the callee; of the dtype of `input`
 * @param[in]  input    integral, floating, complex, bool
 * @param[in]  indices  list of `nums` tensors; entries may be null; one per leading dimension; null: the whole
 *         dimension; int32, int64, bool, uint8
 * @param[in]  nums     integer
 *
 * - formula: out = input[indices[0], indices[1], ...]
 * - shape: The dimensions of the broadcast index tensors stand in the place of the indexed dimensions where those are
 *   neighbours, else in front; dimensions that are not indexed follow in their order.
 * - broadcasting: The index tensors with each other.
 * - aliasing: out is always a new tensor.
 * - accumulation: None.
 * - checks:
 *   - indices must have at most as many entries as the number of dimensions of input. [diopiIndex-indices-length]
 *   - A mask in indices must have dimensions, and the extents of the dimensions of input that it stands for.
 *     [diopiIndex-mask-shape]
 *   - The shapes of indices must broadcast. [diopiIndex-indices-broadcastable]
 *   - Each element of indices must be a position of input, where a negative one counts from the end. A device may
 *     report this when the stream is synchronised. [diopiIndex-indices-index]
 * - source: torch.ops.aten.index
 * - notes: An entry of indices is an integer tensor for one dimension, or a mask that matches as many dimensions as it
 *   has and stands for the positions of its true elements. Negative indices count from the end. Indices that are
 *   missing at the end are like null.
 */
DIOPI_API diopiError_t diopiIndex(diopiContextHandle_t ctx, diopiTensorHandle_t* out, diopiConstTensorHandle_t input,
                                  diopiConstTensorHandle_t* indices, int64_t nums);

/**
 * Gradient of diopiIndex: accumulates grad_output at the indexed places.
 *
 * @param[in]     ctx               context of the call
 * @param[out]    grad_input        integral, floating, complex, bool
 * @param[in,out] zeros_like_input  zeros in the shape of the forward input; may serve as scratch, its contents
 *         afterwards are unspecified; integral, floating, complex, bool
 * @param[in]     indices           list of `nums` tensors; entries may be null; int32, int64, bool, uint8
 * @param[in]     nums              integer
 * @param[in]     grad_output       integral, floating, complex, bool
 *
 * - formula: grad_input = zeros_like_input; grad_input[indices] += grad_output for every occurrence
 * - shape: grad_input has the shape of zeros_like_input, grad_output that of diopiIndex's result.
 * - broadcasting: The index tensors with each other.
 * - aliasing: grad_input may be zeros_like_input itself.
 * - accumulation: In float32 or wider, rounded once for float16 and bfloat16; the error does not grow with the number
 *   of terms of an element; integers wrap, bool is `or`.
 * - checks:
 *   - The checks of diopiIndex hold too, with zeros_like_input for input.
 *   - grad_input and zeros_like_input must have the same shape. [diopiIndexBackward-grad_input-same-shape]
 *   - grad_input, zeros_like_input and grad_output must have the same dtype. [diopiIndexBackward-grad_input-same-dtype]
 *   - grad_output must have the shape zeros_like_input[indices]. [diopiIndexBackward-grad_output-shape]
 * - source: torch.ops.aten.index_put with accumulate
 */
DIOPI_API diopiError_t diopiIndexBackward(diopiContextHandle_t ctx, diopiTensorHandle_t grad_input,
                                          diopiTensorHandle_t zeros_like_input, diopiConstTensorHandle_t* indices,
                                          int64_t nums, diopiConstTensorHandle_t grad_output);

/**
 * Slices of a dimension picked by a one-dimensional index, `torch.index_select`.
 *
 * @param[in]  ctx    context of the call
 * @param[out] out    integral, floating, complex, bool
 * @param[in]  input  integral, floating, complex, bool
 * @param[in]  dim    integer
 * @param[in]  index  int32, int64
 *
 * - formula: out[.., k, ..] = input[.., index[k], ..] with k and index[k] in dimension dim
 * - shape: out has the shape of input, with the number of indices in dimension dim.
 * - broadcasting: None.
 * - aliasing: out may overlap input; the result is that of a copy of input.
 * - accumulation: None.
 * - checks:
 *   - dim must be a dimension of input. [diopiIndexSelect-dim-in-range]
 *   - out and input must have the same dtype. [diopiIndexSelect-out-same-dtype]
 *   - index must have at most 1 dimension. [diopiIndexSelect-index-ndim]
 *   - out must have the shape of the result. [diopiIndexSelect-out-shape]
 *   - Each element of index must be a position of input in dimension dim. A device may report this when the stream is
 *     synchronised. [diopiIndexSelect-index-index]
 * - source: torch.index_select
 */
DIOPI_API diopiError_t diopiIndexSelect(diopiContextHandle_t ctx, diopiTensorHandle_t out,
                                        diopiConstTensorHandle_t input, int64_t dim, diopiConstTensorHandle_t index);

/**
 * Gradient of diopiIndexSelect: adds grad to the picked slices of a zero tensor of shape input_sizes.
 *
 * @param[in]  ctx          context of the call
 * @param[out] grad_input   integral, floating, complex, bool
 * @param[in]  grad         integral, floating, complex, bool
 * @param[in]  input_sizes  list of integers
 * @param[in]  dim          integer
 * @param[in]  index        int32, int64
 *
 * - formula: grad_input = 0; grad_input[.., index[k], ..] += grad[.., k, ..] for every k
 * - shape: grad_input has the shape input_sizes, grad the same with the number of indices in dimension dim.
 * - broadcasting: None.
 * - aliasing: grad_input may overlap grad; the result is that of a copy of grad.
 * - accumulation: In float32 or wider, rounded once for float16 and bfloat16; the error does not grow with the number
 *   of terms of an element; integers wrap, bool is `or`.
 * - checks:
 *   - dim must be a dimension of input_sizes. [diopiIndexSelectBackward-dim-in-range]
 *   - grad_input and grad must have the same dtype. [diopiIndexSelectBackward-grad_input-same-dtype]
 *   - index must have at most 1 dimension. [diopiIndexSelectBackward-index-ndim]
 *   - grad_input must have the shape of input_sizes. [diopiIndexSelectBackward-grad_input-shape]
 *   - grad must have the shape of the result of diopiIndexSelect. [diopiIndexSelectBackward-grad-shape]
 *   - Each element of index must be a position of input_sizes in dimension dim. A device may report this when the
 *     stream is synchronised. [diopiIndexSelectBackward-index-index]
 * - source: torch.Tensor.index_add_ onto zeros
 */
DIOPI_API diopiError_t diopiIndexSelectBackward(diopiContextHandle_t ctx, diopiTensorHandle_t grad_input,
                                                diopiConstTensorHandle_t grad, diopiSize_t input_sizes, int64_t dim,
                                                diopiConstTensorHandle_t index);

/** @} */

/** @name index_fill
 * Filling slices picked by an index.
 * - formula: out = input; out[.., index[k], ..] = value for every k, with index[k] in dimension dim
 * - shape: out has the shape of input; index has no or one dimension.
 * - broadcasting: value to the slices.
 * - strides: Any for every tensor; inputs and indices may be expanded.
 * - aliasing: out may be input itself; where out overlaps input, index or value in another way, the result is that of
 *   copies.
 * - empty: Empty and 0-d tensors are ordinary; a 0-d input counts as [1]. An empty index fills nothing.
 * - nan: Moved unchanged, like every other value.
 * - accumulation: None; value is converted to the dtype of input as diopiCastDtype does it.
 * - determinism: Exact, so the same bits for any number of threads.
 * - checks:
 *   - dim must be a dimension of input. [dim-in-range]
 *   - index must have at most 1 dimension. [index-ndim]
 *   - out and input must have the same dtype. [out-same-dtype]
 *   - out must have the shape of input. [out-shape]
 *   - Each element of index must be a position of input in dimension dim, where a negative one counts from the end. A
 *     device may report this when the stream is synchronised. [index-index]
 *   - value must fit the dtype of input. [value-fits]
 * - notes: Negative indices count from the end. Indices may repeat.
 */
/** @{ */

/**
 * Copy of input with the slices named by index set to a scalar, `torch.index_fill`.
 *
 * @param[in]  ctx    context of the call
 * @param[out] out    integral, floating, complex, bool
 * @param[in]  input  integral, floating, complex, bool
 * @param[in]  dim    integer
 * @param[in]  index  int32, int64
 * @param[in]  value  scalar
 *
 * As diopiIndexFill.
 */
DIOPI_API diopiError_t diopiIndexFillScalar(diopiContextHandle_t ctx, diopiTensorHandle_t out,
                                            diopiConstTensorHandle_t input, int64_t dim,
                                            diopiConstTensorHandle_t index, const diopiScalar_t* value);

/**
 * Copy of input with the slices named by index set to a 0-d tensor, `torch.index_fill`.
 *
 * @param[in]  ctx    context of the call
 * @param[out] out    integral, floating, complex, bool
 * @param[in]  input  integral, floating, complex, bool
 * @param[in]  dim    integer
 * @param[in]  index  int32, int64
 * @param[in]  value  integral, floating, complex, bool
 *
 * - checks:
 *   - value must have 1 element. [diopiIndexFill-value-numel]
 *   - value must have at most 1 dimension. [diopiIndexFill-value-ndim]
 *   - If the dtype of input is not complex, the dtype of value must not be complex. [diopiIndexFill-value-dtype]
 * - source: torch.index_fill
 */
DIOPI_API diopiError_t diopiIndexFill(diopiContextHandle_t ctx, diopiTensorHandle_t out,
                                      diopiConstTensorHandle_t input, int64_t dim, diopiConstTensorHandle_t index,
                                      diopiConstTensorHandle_t value);

/**
 * Sets the slices named by index to a scalar in place, `torch.Tensor.index_fill_`.
 *
 * @param[in]     ctx    context of the call
 * @param[in,out] input  integral, floating, complex, bool
 * @param[in]     dim    integer
 * @param[in]     index  int32, int64
 * @param[in]     value  scalar
 *
 * As diopiIndexFill, except:
 * - formula: input[.., index[k], ..] = value for every k, with index[k] in dimension dim
 * - source: torch.Tensor.index_fill_
 */
DIOPI_API diopiError_t diopiIndexFillInpScalar(diopiContextHandle_t ctx, diopiTensorHandle_t input, int64_t dim,
                                               diopiConstTensorHandle_t index, const diopiScalar_t* value);

/**
 * Sets the slices named by index to a 0-d tensor in place, `torch.Tensor.index_fill_`.
 *
 * @param[in]     ctx    context of the call
 * @param[in,out] input  integral, floating, complex, bool
 * @param[in]     dim    integer
 * @param[in]     index  int32, int64
 * @param[in]     value  integral, floating, complex, bool
 *
 * As diopiIndexFill, except:
 * - formula: input[.., index[k], ..] = value for every k, with index[k] in dimension dim
 * - source: torch.Tensor.index_fill_
 */
DIOPI_API diopiError_t diopiIndexFillInp(diopiContextHandle_t ctx, diopiTensorHandle_t input, int64_t dim,
                                         diopiConstTensorHandle_t index, diopiConstTensorHandle_t value);

/** @} */

/** @name index_put
 * Writing through advanced indexing.
 * - strides: Any for every tensor; inputs and indices may be expanded.
 * - empty: Empty and 0-d tensors are ordinary; an empty index picks nothing.
 * - nan: Moved or added like every other value.
 * - determinism: The same bits for any number of threads.
 */
/** @{ */

/**
 * Writes or adds values at the indexed places in place, `torch.Tensor.index_put_`.
 *
 * @param[in]     ctx             context of the call
 * @param[in,out] input           integral, floating, complex, bool
 * @param[in]     values          integral, floating, complex, bool
 * @param[in]     indices         list of `indices_counts` tensors; entries may be null; one per leading dimension;
 *         null: the whole dimension; int32, int64, bool, uint8
 * @param[in]     indices_counts  integer
 * @param[in]     accumulate      flag
 *
 * - formula: input[indices] = values, or input[indices] += values for every occurrence if accumulate
 * - shape: values broadcasts to the shape of input[indices] (see diopiIndex).
 * - broadcasting: The index tensors with each other, and values to the shape of input[indices].
 * - aliasing: values may overlap input; the result is that of a copy of values.
 * - accumulation: In float32 or wider, rounded once for float16 and bfloat16; the error does not grow with the number
 *   of terms of an element; integers wrap, bool is `or`.
 * - checks:
 *   - The checks of diopiIndex hold too.
 *   - values and input must have the same dtype. [diopiIndexPutInp-values-same-dtype]
 *   - values must broadcast to the shape of input[indices]. [diopiIndexPutInp-values-broadcasts]
 * - source: torch.Tensor.index_put_
 * - notes: Without accumulate, the last of several values for one place stays.
 */
DIOPI_API diopiError_t diopiIndexPutInp(diopiContextHandle_t ctx, diopiTensorHandle_t input,
                                        diopiConstTensorHandle_t values, diopiConstTensorHandle_t* indices,
                                        int64_t indices_counts, bool accumulate);

/**
 * Copy of input with values written or added at the indexed places, `torch.index_put`.
 *
 * @param[in]  ctx             context of the call
 * @param[out] out             integral, floating, complex, bool
 * @param[in]  input           integral, floating, complex, bool
 * @param[in]  values          integral, floating, complex, bool
 * @param[in]  indices         list of `indices_counts` tensors; entries may be null; one per leading dimension; null:
 *         the whole dimension; int32, int64, bool, uint8
 * @param[in]  indices_counts  integer
 * @param[in]  accumulate      flag
 *
 * As diopiIndexPutInp, except:
 * - formula: out = input; out[indices] = values, or out[indices] += values for every occurrence if accumulate
 * - shape: out has the shape of input; values broadcasts to the shape of input[indices] (see diopiIndex).
 * - aliasing: out may be input itself, and overlap values; the result is that of copies.
 * - checks:
 *   - The checks of diopiIndexPutInp hold too.
 *   - out and input must have the same shape. [diopiIndexPut-out-same-shape]
 *   - out and input must have the same dtype. [diopiIndexPut-out-same-dtype]
 * - source: torch.index_put
 */
DIOPI_API diopiError_t diopiIndexPut(diopiContextHandle_t ctx, diopiTensorHandle_t out,
                                     diopiConstTensorHandle_t input, diopiConstTensorHandle_t values,
                                     diopiConstTensorHandle_t* indices, int64_t indices_counts, bool accumulate);

/** @} */

/** @name info
 * Who implements the library, which version, and what went wrong last.
 * - shape: None.
 * - broadcasting: None.
 * - strides: None.
 * - aliasing: The string belongs to the library.
 * - empty: None.
 * - nan: None.
 * - accumulation: None.
 * - determinism: None.
 * - source: DIOPI 1.0
 */
/** @{ */

/**
 * Name of the vendor of this library, a static string.
 *
 * - formula: the same string in every call
 */
DIOPI_API const char* diopiGetVendorName(void);

/**
 * Version of this library, a static string.
 *
 * - formula: the same string in every call
 */
DIOPI_API const char* diopiGetImplVersion(void);

/**
 * Message of the last failure on the calling thread; valid until its next failing call.
 *
 * - formula: the message of the calling thread's last failed call, empty before the first
 * - notes: The message names the function, the argument, what was expected and what came, and is valid until the
 *   thread's next failing call.
 */
DIOPI_API const char* diopiGetLastErrorString(void);

/** @} */

/** @name layout
 * Copies, conversion of dtype and memory format.
 * - strides: Any for every tensor; inputs may be expanded.
 * - empty: Empty and 0-d tensors are ordinary.
 * - nan: NaN stays NaN, infinities and signed zeros stay what they are.
 * - accumulation: Conversion: to a floating dtype rounds to nearest even (float64 and integers reach float16 and
 *   bfloat16 through float32); to an integer it truncates toward zero, and what does not fit is unspecified; integers
 *   wrap; to bool it is `!= 0`; complex to real takes the real part, real to complex has a zero imaginary part.
 * - determinism: The same bits for any number of threads and on every machine.
 * - checks:
 *   - Different elements of out must lie in different memory. [out-no-overlap]
 *   - Different elements of dest must lie in different memory. [dest-no-overlap]
 */
/** @{ */

/**
 * Copies src into dest with broadcasting and conversion of dtype, `torch.Tensor.copy_`.
 *
 * @param[in]  ctx   context of the call
 * @param[in]  src   integral, floating, complex, bool
 * @param[out] dest  integral, floating, complex, bool
 *
 * - formula: dest[i] = src[i], converted to the dtype of dest
 * - shape: src broadcasts to the shape of dest.
 * - broadcasting: src to dest.
 * - aliasing: src and dest may overlap in any way; the result is that of a copy through a temporary.
 * - checks:
 *   - src must broadcast to the shape of dest. [diopiCopyInp-src-broadcasts]
 * - source: torch.Tensor.copy_
 */
DIOPI_API diopiError_t diopiCopyInp(diopiContextHandle_t ctx, diopiConstTensorHandle_t src, diopiTensorHandle_t dest);

/**
 * Copies input, converted to the dtype of out, `torch.Tensor.to(dtype)`.
 *
 * @param[in]  ctx    context of the call
 * @param[out] out    integral, floating, complex, bool
 * @param[in]  input  integral, floating, complex, bool
 *
 * - formula: out[i] = input[i], converted to the dtype of out
 * - shape: out has the shape of input.
 * - broadcasting: None.
 * - aliasing: input and out may overlap in any way; the result is that of a copy through a temporary.
 * - checks:
 *   - out must have the shape of input. [diopiCastDtype-out-shape]
 * - source: torch.Tensor.to
 */
DIOPI_API diopiError_t diopiCastDtype(diopiContextHandle_t ctx, diopiTensorHandle_t out,
                                      diopiConstTensorHandle_t input);

/**
 * Copy of input in a memory format, `torch.Tensor.contiguous`.
 *
 * @param[in]  ctx           context of the call
 * @param[out] out           created by the callee; of the dtype of `input`
 * @param[in]  input         integral, floating, complex, bool
 * @param[in]  memoryFormat  Contiguous, ChannelsLast1d, ChannelsLast, ChannelsLast3d or Preserve
 *
 * - formula: out[i] = input[i]
 * - shape: out has the shape and dtype of input, and these strides: Contiguous, row-major; ChannelsLast1d,
 *   ChannelsLast, ChannelsLast3d, for 3, 4, 5 dimensions, dimension 1 innermost and the others row-major around it;
 *   Preserve, those of input where it fills its memory without gaps or overlap, else row-major.
 * - broadcasting: None.
 * - aliasing: out is always a new tensor.
 * - checks:
 *   - memoryFormat must be a value of its enum. [diopiContiguous-memoryFormat-enum]
 *   - If memoryFormat is ChannelsLast1d, input must have 3 dimensions. [diopiContiguous-ChannelsLast1d-ndim]
 *   - If memoryFormat is ChannelsLast, input must have 4 dimensions. [diopiContiguous-ChannelsLast-ndim]
 *   - If memoryFormat is ChannelsLast3d, input must have 5 dimensions. [diopiContiguous-ChannelsLast3d-ndim]
 * - source: torch.Tensor.contiguous, torch.clone for Preserve
 * - notes: With Preserve, an input that has gaps or overlap gives a row-major result, whatever the order of its
 *   strides. PyTorch keeps that order without the gaps; the elements are the same.
 */
DIOPI_API diopiError_t diopiContiguous(diopiContextHandle_t ctx, diopiTensorHandle_t* out,
                                       diopiConstTensorHandle_t input, diopiMemoryFormat_t memoryFormat);

/**
 * Converts a tensor to a memory format of the vendor's own numbering.
 *
 * @param[in]  ctx     context of the call
 * @param[out] out     created by the callee; of the dtype of `in`
 * @param[in]  in      read only; `out` may name the same tensor where it already has the format; integral, floating,
 *         complex, bool
 * @param[in]  format  -1: unchanged; 0: NCHW; 2: any dimensions
 *
 * - formula: out[i] = in[i]
 * - shape: out has the shape and dtype of in. A vendor without formats of its own keeps the strides of an input that
 *   fills its memory without gaps or overlap, else out is row-major.
 * - broadcasting: None.
 * - aliasing: out is a new tensor, or in itself.
 * - accumulation: None.
 * - checks:
 *   - format must be a number that the vendor knows: -1, 0 or 2 if it has no formats of its own.
 *     [diopiNativeMemoryFormatCast-format-number]
 * - source: Each vendor numbers its formats itself; PyTorch has no counterpart.
 * - notes: The numbers in use are -1 undefined, 0 NCHW, 1 NHWC, 2 any dimensions, 3 NC1HWC0, 4 fractal Z, 29 fractal
 *   NZ. Format 2 names no order of dimensions, so it changes nothing.
 */
DIOPI_API diopiError_t diopiNativeMemoryFormatCast(diopiContextHandle_t ctx, diopiTensorHandle_t* out,
                                                   diopiTensorHandle_t in, int64_t format);

/**
 * Memory format of a tensor in the vendor's own numbering.
 *
 * @param[in]  ctx     context of the call
 * @param[in]  input   integral, floating, complex, bool
 * @param[out] format  host memory that receives the format
 *
 * - formula: format = 2 if the vendor has no formats of its own
 * - shape: Any.
 * - broadcasting: None.
 * - aliasing: Nothing is written but format.
 * - nan: The elements are not read.
 * - accumulation: None.
 * - source: Each vendor numbers its formats itself; PyTorch has no counterpart.
 * - notes: diopiNativeMemoryFormatCast lists the numbers.
 */
DIOPI_API diopiError_t diopiGetNativeMemoryFormat(diopiContextHandle_t ctx, diopiConstTensorHandle_t input,
                                                  int64_t* format);

/**
 * Tells the vendor that the storage at ptr is about to be freed.
 *
 * @param[in] ctx  context of the call
 * @param[in] ptr  start of the storage; null for an empty tensor
 *
 * - formula: Whatever the vendor has recorded for this storage is dropped.
 * - shape: No tensor takes part.
 * - broadcasting: None.
 * - aliasing: The memory at ptr is neither read nor written.
 * - empty: A null ptr is ordinary.
 * - nan: No elements take part.
 * - accumulation: None.
 * - source: A notice to the vendor; PyTorch has no counterpart.
 * - notes: The storage may be one that the vendor never saw. A vendor that records nothing does nothing.
 */
DIOPI_API diopiError_t diopiTensorDestructionHook(diopiContextHandle_t ctx, void* ptr);

/** @} */

/** @name linalg
 * Matrix factorisations, triangular solves and their gradients.
 * - strides: Any for every tensor; inputs may be expanded.
 * - aliasing: An output must not overlap an input or another output.
 * - empty: Without matrices or without elements the results are empty; what has elements nevertheless is zero or an
 *   identity.
 * - accumulation: In the dtype of the matrices.
 * - determinism: The same bits for any number of threads.
 */
/** @{ */

/**
 * Cholesky factor of a batch of matrices, `torch.linalg.cholesky_ex`.
 *
 * @param[in]  ctx         context of the call
 * @param[out] out         complex, float32, float64
 * @param[out] info        0, or the order of the leading minor that is not positive definite, per matrix; int32
 * @param[in]  mat         complex, float32, float64
 * @param[in]  upper       flag
 * @param[in]  checkerror  fail where a matrix is not positive definite
 *
 * - formula: out = L with mat = L L^H and L lower triangular, or U = L^H if upper is true
 * - shape: mat and out are [.., n, n], info has the dimensions before the last two.
 * - broadcasting: None.
 * - nan: A matrix with NaN is not positive definite.
 * - checks:
 *   - mat must have at least 2 dimensions. [diopiCholesky-mat-ndim]
 *   - mat[-2] and mat[-1] must be equal. [diopiCholesky-mat-equal]
 *   - out and mat must have the same dtype. [diopiCholesky-out-same-dtype]
 *   - out must have the shape of mat. [diopiCholesky-out-shape]
 *   - info must have the shape mat[:-2]. [diopiCholesky-info-shape]
 *   - If checkerror is true, each matrix must be positive definite. A device may report this when the stream is
 *     synchronised. [diopiCholesky-mat-definite]
 * - source: torch.linalg.cholesky_ex
 * - notes: Only the lower triangle of mat is read, or the upper one if upper is true; the other triangle of out is
 *   zero. Where info is not 0, the elements of out are unspecified.
 */
DIOPI_API diopiError_t diopiCholesky(diopiContextHandle_t ctx, diopiTensorHandle_t out, diopiTensorHandle_t info,
                                     diopiConstTensorHandle_t mat, bool upper, bool checkerror);

/**
 * Gradient of diopiCholesky with respect to its matrix.
 *
 * @param[in]  ctx          context of the call
 * @param[out] grad_mat     complex, float32, float64
 * @param[in]  grad_output  complex, float32, float64
 * @param[in]  L            complex, float32, float64
 * @param[in]  upper        flag
 *
 * - formula: grad_mat = L^-H P L^-1 with P = (X + X^H - diag(X)^H) / 2, where X is the lower triangle of L^H
 *   grad_output; if upper is true, L and grad_output are replaced by L^H and grad_output^H
 * - shape: All are [.., n, n].
 * - broadcasting: None.
 * - nan: As IEEE arithmetic has it.
 * - checks:
 *   - L must have at least 2 dimensions. [diopiCholeskyBackward-L-ndim]
 *   - L[-2] and L[-1] must be equal. [diopiCholeskyBackward-L-equal]
 *   - grad_mat, grad_output and L must have the same dtype. [diopiCholeskyBackward-grad_mat-same-dtype]
 *   - grad_mat must have the shape of L. [diopiCholeskyBackward-grad_mat-shape]
 *   - grad_output must have the shape of L. [diopiCholeskyBackward-grad_output-shape]
 * - source: torch.autograd of torch.linalg.cholesky
 * - notes: Only the triangles of L and grad_output that diopiCholesky fills are read.
 */
DIOPI_API diopiError_t diopiCholeskyBackward(diopiContextHandle_t ctx, diopiTensorHandle_t grad_mat,
                                             diopiConstTensorHandle_t grad_output, diopiConstTensorHandle_t L,
                                             bool upper);

/**
 * Solves triangular systems mat x = b, `torch.triangular_solve`.
 *
 * @param[in]  ctx            context of the call
 * @param[out] out            complex, float32, float64
 * @param[out] cloned_mat     copy of `mat`, broadcast to the batch; complex, float32, float64
 * @param[in]  b              complex, float32, float64
 * @param[in]  mat            complex, float32, float64
 * @param[in]  upper          flag
 * @param[in]  transpose      flag
 * @param[in]  unitriangular  flag
 *
 * - formula: op(A) out = b, where A is the upper or lower triangle of mat, with ones on the diagonal if unitriangular
 *   is true, and op(A) = A, or A^T if transpose is true; cloned_mat = mat
 * - shape: mat is [.., m, m], b [.., m, k]; out and cloned_mat have the broadcast dimensions before the last two.
 * - broadcasting: The dimensions before the last two, of b and mat with each other.
 * - nan: As IEEE arithmetic has it; a zero on the diagonal gives infinities or NaN.
 * - checks:
 *   - b must have at least 2 dimensions. [diopiTriangularSolve-b-ndim]
 *   - mat must have at least 2 dimensions. [diopiTriangularSolve-mat-ndim]
 *   - mat[-2], mat[-1] and b[-2] must be equal. [diopiTriangularSolve-mat-equal]
 *   - The shapes of b[:-2] and mat[:-2] must broadcast. [diopiTriangularSolve-b-broadcastable]
 *   - out, b, mat and cloned_mat must have the same dtype. [diopiTriangularSolve-out-same-dtype]
 *   - out must have the shape of the result. [diopiTriangularSolve-out-shape]
 *   - cloned_mat must have the shape of the result. [diopiTriangularSolve-cloned_mat-shape]
 * - source: torch.triangular_solve
 * - notes: The triangle of mat that upper does not name has no effect on out. The transpose of complex matrices is not
 *   conjugated.
 */
DIOPI_API diopiError_t diopiTriangularSolve(diopiContextHandle_t ctx, diopiTensorHandle_t out,
                                            diopiTensorHandle_t cloned_mat, diopiConstTensorHandle_t b,
                                            diopiConstTensorHandle_t mat, bool upper, bool transpose,
                                            bool unitriangular);

/**
 * Gradients of diopiTriangularSolve with respect to b and mat.
 *
 * @param[in]  ctx              context of the call
 * @param[out] grad_b           may be null; complex, float32, float64
 * @param[out] grad_mat         may be null; complex, float32, float64
 * @param[in]  grad_x           null: zero; complex, float32, float64
 * @param[in]  grad_cloned_mat  null: zero; complex, float32, float64
 * @param[in]  x                result `out` of the forward call; complex, float32, float64
 * @param[in]  b                only its shape counts; complex, float32, float64
 * @param[in]  mat              complex, float32, float64
 * @param[in]  upper            flag
 * @param[in]  transpose        flag
 * @param[in]  unitriangular    flag
 *
 * - formula: op(A)^H g = grad_x, with op(A) as in diopiTriangularSolve; grad_b = g; grad_mat = the triangle of -g x^H,
 *   or of -conj(x) g^T if transpose is true, without its diagonal if unitriangular is true, + grad_cloned_mat; both are
 *   summed over the dimensions that b or mat lacks, or has once, in the batch of x
 * - shape: grad_b has the shape of b, grad_mat that of mat; x and grad_x have the shape of out of diopiTriangularSolve,
 *   grad_cloned_mat that of cloned_mat.
 * - broadcasting: The dimensions before the last two, of b and mat with each other.
 * - nan: As IEEE arithmetic has it; a zero on the diagonal gives infinities or NaN.
 * - checks:
 *   - b must have at least 2 dimensions. [diopiTriangularSolveBackward-b-ndim]
 *   - mat must have at least 2 dimensions. [diopiTriangularSolveBackward-mat-ndim]
 *   - mat[-2], mat[-1] and b[-2] must be equal. [diopiTriangularSolveBackward-mat-equal]
 *   - The shapes of b[:-2] and mat[:-2] must broadcast. [diopiTriangularSolveBackward-b-broadcastable]
 *   - grad_b, grad_mat, grad_x, grad_cloned_mat, x, b and mat must have the same dtype.
 *     [diopiTriangularSolveBackward-grad_b-same-dtype]
 *   - grad_b must have the shape of b. [diopiTriangularSolveBackward-grad_b-shape]
 *   - grad_mat must have the shape of mat. [diopiTriangularSolveBackward-grad_mat-shape]
 *   - x must have the shape of out of diopiTriangularSolve. [diopiTriangularSolveBackward-x-shape]
 *   - grad_x must have the shape of out of diopiTriangularSolve. [diopiTriangularSolveBackward-grad_x-shape]
 *   - grad_cloned_mat must have the shape of cloned_mat of diopiTriangularSolve.
 *     [diopiTriangularSolveBackward-grad_cloned_mat-shape]
 * - source: torch.autograd of torch.triangular_solve
 * - notes: The triangle of mat that upper does not name has no effect. grad_cloned_mat is added as a whole, both
 *   triangles.
 */
DIOPI_API diopiError_t diopiTriangularSolveBackward(diopiContextHandle_t ctx, diopiTensorHandle_t grad_b,
                                                    diopiTensorHandle_t grad_mat, diopiConstTensorHandle_t grad_x,
                                                    diopiConstTensorHandle_t grad_cloned_mat,
                                                    diopiConstTensorHandle_t x, diopiConstTensorHandle_t b,
                                                    diopiConstTensorHandle_t mat, bool upper, bool transpose,
                                                    bool unitriangular);

/**
 * QR decomposition of a batch of matrices, `torch.linalg.qr`.
 *
 * @param[in]  ctx   context of the call
 * @param[in]  A     complex, float32, float64
 * @param[in]  mode  "reduced", "complete" or "r"; with "r", `Q` is not written
 * @param[out] Q     complex, float32, float64
 * @param[out] R     complex, float32, float64
 *
 * - formula: Q R = A, where Q^H Q is the identity and R is zero below the diagonal. Q is the product of reflections
 *   H(0) H(1) ... as LAPACK's geqrf makes them: H(i) maps column i to -sign(a) |c| on the diagonal, where c is the
 *   column from row i on, a is the real part of its first element and sign(0) = 1; it is the identity where c has no
 *   other part that is not 0, so that the sign of a stays
 * - shape: A is [.., m, n], k = min(m, n). reduced: Q [.., m, k], R [.., k, n]; complete: Q [.., m, m], R [.., m, n];
 *   r: Q [0], R [.., k, n].
 * - broadcasting: None.
 * - nan: As IEEE arithmetic has it.
 * - checks:
 *   - mode must be "reduced", "complete" or "r". [diopiLinalgQR-mode-string]
 *   - A must have at least 2 dimensions. [diopiLinalgQR-A-ndim]
 *   - A, Q and R must have the same dtype. [diopiLinalgQR-A-same-dtype]
 *   - Q must have the shape of the result. [diopiLinalgQR-Q-shape]
 *   - R must have the shape of the result. [diopiLinalgQR-R-shape]
 * - source: torch.linalg.qr
 * - notes: The diagonal of R is real. If the columns of A are not independent, several results are possible, of which
 *   rounding chooses one.
 */
DIOPI_API diopiError_t diopiLinalgQR(diopiContextHandle_t ctx, diopiConstTensorHandle_t A, const char* mode,
                                     diopiTensorHandle_t Q, diopiTensorHandle_t R);

/** @} */

/** @name logical
 * Logical and bitwise operations, element-wise.
 * - shape: out has the broadcast shape of the operands; in place, the other operands broadcast to the shape of input.
 * - broadcasting: Shapes are aligned at their last dimensions; a size of 1 stretches to the other's size.
 * - strides: Any for every tensor; an operand may be expanded.
 * - aliasing: out may be an operand itself; an operand that overlaps out in another way is copied first.
 * - empty: Empty and 0-d operands are ordinary.
 * - nan: NaN is true, as every number that is not zero.
 * - accumulation: None.
 * - determinism: The same bits for any number of threads.
 * - checks:
 *   - The shapes of the inputs must broadcast. [inputs-broadcastable]
 *   - Each output must have the broadcast shape of the operands. [outputs-shape]
 *   - The dtype of the result must be castable to the dtype of each output. [outputs-castable]
 * - notes: A logical result is a bool, cast to the dtype of out.
 */
/** @{ */

/**
 * Element-wise logical and, non-zero being true, `torch.logical_and`.
 *
 * @param[in]  ctx    context of the call
 * @param[out] out    integral, floating, complex, bool
 * @param[in]  input  integral, floating, complex, bool
 * @param[in]  other  integral, floating, complex, bool
 *
 * - formula: out = (input != 0) and (other != 0)
 * - source: torch.logical_and
 */
DIOPI_API diopiError_t diopiLogicalAnd(diopiContextHandle_t ctx, diopiTensorHandle_t out,
                                       diopiConstTensorHandle_t input, diopiConstTensorHandle_t other);

/**
 * Logical and in place, `torch.Tensor.logical_and_`.
 *
 * @param[in]     ctx    context of the call
 * @param[in,out] input  integral, floating, complex, bool
 * @param[in]     other  integral, floating, complex, bool
 *
 * As diopiLogicalAnd, except:
 * - formula: input = (input != 0) and (other != 0)
 */
DIOPI_API diopiError_t diopiLogicalAndInp(diopiContextHandle_t ctx, diopiTensorHandle_t input,
                                          diopiConstTensorHandle_t other);

/**
 * Element-wise logical or, non-zero being true, `torch.logical_or`.
 *
 * @param[in]  ctx    context of the call
 * @param[out] out    integral, floating, complex, bool
 * @param[in]  input  integral, floating, complex, bool
 * @param[in]  other  integral, floating, complex, bool
 *
 * - formula: out = (input != 0) or (other != 0)
 * - source: torch.logical_or
 */
DIOPI_API diopiError_t diopiLogicalOr(diopiContextHandle_t ctx, diopiTensorHandle_t out,
                                      diopiConstTensorHandle_t input, diopiConstTensorHandle_t other);

/**
 * Logical or in place, `torch.Tensor.logical_or_`.
 *
 * @param[in]     ctx    context of the call
 * @param[in,out] input  integral, floating, complex, bool
 * @param[in]     other  integral, floating, complex, bool
 *
 * As diopiLogicalOr, except:
 * - formula: input = (input != 0) or (other != 0)
 */
DIOPI_API diopiError_t diopiLogicalOrInp(diopiContextHandle_t ctx, diopiTensorHandle_t input,
                                         diopiConstTensorHandle_t other);

/**
 * Element-wise logical not, non-zero being true, `torch.logical_not`.
 *
 * @param[in]  ctx    context of the call
 * @param[out] out    integral, floating, complex, bool
 * @param[in]  input  integral, floating, complex, bool
 *
 * - formula: out = input == 0
 * - source: torch.logical_not
 */
DIOPI_API diopiError_t diopiLogicalNot(diopiContextHandle_t ctx, diopiTensorHandle_t out,
                                       diopiConstTensorHandle_t input);

/**
 * Logical not in place, `torch.Tensor.logical_not_`.
 *
 * @param[in]     ctx    context of the call
 * @param[in,out] input  integral, floating, complex, bool
 *
 * As diopiLogicalNot, except:
 * - formula: input = input == 0
 */
DIOPI_API diopiError_t diopiLogicalNotInp(diopiContextHandle_t ctx, diopiTensorHandle_t input);

/**
 * Element-wise bitwise and with broadcasting, `torch.bitwise_and`.
 *
 * @param[in]  ctx    context of the call
 * @param[out] out    integral, floating, complex, bool
 * @param[in]  input  integral, bool
 * @param[in]  other  integral, bool
 *
 * - formula: out = input & other
 * - source: torch.bitwise_and
 * - notes: The result has the promoted dtype, cast to that of out.
 */
DIOPI_API diopiError_t diopiBitwiseAnd(diopiContextHandle_t ctx, diopiTensorHandle_t out,
                                       diopiConstTensorHandle_t input, diopiConstTensorHandle_t other);

/**
 * Bitwise and in place, `torch.Tensor.bitwise_and_`.
 *
 * @param[in]     ctx    context of the call
 * @param[in,out] input  integral, bool
 * @param[in]     other  integral, bool
 *
 * As diopiBitwiseAnd, except:
 * - formula: input = input & other
 */
DIOPI_API diopiError_t diopiBitwiseAndInp(diopiContextHandle_t ctx, diopiTensorHandle_t input,
                                          diopiConstTensorHandle_t other);

/**
 * Element-wise bitwise and with a scalar, `torch.bitwise_and`.
 *
 * @param[in]  ctx    context of the call
 * @param[out] out    integral, floating, complex, bool
 * @param[in]  input  integral, bool
 * @param[in]  other  scalar
 *
 * As diopiBitwiseAnd, except:
 * - checks:
 *   - The promoted dtype must be integral or bool. [diopiBitwiseAndScalar-promoted-dtype]
 */
DIOPI_API diopiError_t diopiBitwiseAndScalar(diopiContextHandle_t ctx, diopiTensorHandle_t out,
                                             diopiConstTensorHandle_t input, const diopiScalar_t* other);

/**
 * Bitwise and with a scalar in place, `torch.Tensor.bitwise_and_`.
 *
 * @param[in]     ctx    context of the call
 * @param[in,out] input  integral, bool
 * @param[in]     other  scalar
 *
 * As diopiBitwiseAnd, except:
 * - formula: input = input & other
 * - checks:
 *   - The promoted dtype must be integral or bool. [diopiBitwiseAndInpScalar-promoted-dtype]
 */
DIOPI_API diopiError_t diopiBitwiseAndInpScalar(diopiContextHandle_t ctx, diopiTensorHandle_t input,
                                                const diopiScalar_t* other);

/**
 * Element-wise bitwise or with broadcasting, `torch.bitwise_or`.
 *
 * @param[in]  ctx    context of the call
 * @param[out] out    integral, floating, complex, bool
 * @param[in]  input  integral, bool
 * @param[in]  other  integral, bool
 *
 * - formula: out = input | other
 * - source: torch.bitwise_or
 * - notes: The result has the promoted dtype, cast to that of out.
 */
DIOPI_API diopiError_t diopiBitwiseOr(diopiContextHandle_t ctx, diopiTensorHandle_t out,
                                      diopiConstTensorHandle_t input, diopiConstTensorHandle_t other);

/**
 * Bitwise or in place, `torch.Tensor.bitwise_or_`.
 *
 * @param[in]     ctx    context of the call
 * @param[in,out] input  integral, bool
 * @param[in]     other  integral, bool
 *
 * As diopiBitwiseOr, except:
 * - formula: input = input | other
 */
DIOPI_API diopiError_t diopiBitwiseOrInp(diopiContextHandle_t ctx, diopiTensorHandle_t input,
                                         diopiConstTensorHandle_t other);

/**
 * Element-wise bitwise or with a scalar, `torch.bitwise_or`.
 *
 * @param[in]  ctx    context of the call
 * @param[out] out    integral, floating, complex, bool
 * @param[in]  input  integral, bool
 * @param[in]  other  scalar
 *
 * As diopiBitwiseOr, except:
 * - checks:
 *   - The promoted dtype must be integral or bool. [diopiBitwiseOrScalar-promoted-dtype]
 */
DIOPI_API diopiError_t diopiBitwiseOrScalar(diopiContextHandle_t ctx, diopiTensorHandle_t out,
                                            diopiConstTensorHandle_t input, const diopiScalar_t* other);

/**
 * Bitwise or with a scalar in place, `torch.Tensor.bitwise_or_`.
 *
 * @param[in]     ctx    context of the call
 * @param[in,out] input  integral, bool
 * @param[in]     other  scalar
 *
 * As diopiBitwiseOr, except:
 * - formula: input = input | other
 * - checks:
 *   - The promoted dtype must be integral or bool. [diopiBitwiseOrInpScalar-promoted-dtype]
 */
DIOPI_API diopiError_t diopiBitwiseOrInpScalar(diopiContextHandle_t ctx, diopiTensorHandle_t input,
                                               const diopiScalar_t* other);

/**
 * Element-wise bitwise complement; logical not for bool, `torch.bitwise_not`.
 *
 * @param[in]  ctx    context of the call
 * @param[out] out    integral, floating, complex, bool
 * @param[in]  input  integral, bool
 *
 * - formula: out = ~input
 * - source: torch.bitwise_not
 * - notes: The result has the promoted dtype, cast to that of out. For bool it is the logical not.
 */
DIOPI_API diopiError_t diopiBitwiseNot(diopiContextHandle_t ctx, diopiTensorHandle_t out,
                                       diopiConstTensorHandle_t input);

/**
 * Bitwise complement in place, `torch.Tensor.bitwise_not_`.
 *
 * @param[in]     ctx    context of the call
 * @param[in,out] input  integral, bool
 *
 * As diopiBitwiseNot, except:
 * - formula: input = ~input
 */
DIOPI_API diopiError_t diopiBitwiseNotInp(diopiContextHandle_t ctx, diopiTensorHandle_t input);

/** @} */

/** @name loss
 * Regression and binary classification losses.
 * - shape: The operands broadcast to the shape of the loss. out has that shape where reduction is ReductionNone, else
 *   one element; so has grad_output. grad_input has the shape of the loss.
 * - broadcasting: input, target and the weights are aligned at their last dimensions; a size of 1 stretches.
 * - strides: Any for every tensor; inputs may be expanded.
 * - aliasing: An output may be an input of the same shape itself; it must not overlap one in another way.
 * - empty: Empty and 0-d tensors are ordinary; the mean of no losses is NaN, their sum 0.
 * - nan: As IEEE arithmetic has it.
 * - accumulation: The operands, weights included, are promoted to their common dtype; float16 and bfloat16 are computed
 *   in float32 and rounded once; sums are pairwise in the computing dtype.
 * - determinism: The same bits for any number of threads.
 * - checks:
 *   - reduction must be ReductionNone, ReductionMean or ReductionSum. [reduction-enum]
 *   - out must have the shape of the result. [out-shape]
 *   - grad_input must have the shape of the result. [grad_input-shape]
 */
/** @{ */

/**
 * Squared error, `torch.nn.functional.mse_loss`.
 *
 * @param[in]  ctx        context of the call
 * @param[out] out        floating
 * @param[in]  input      integral, floating, bool
 * @param[in]  target     integral, floating, bool
 * @param[in]  reduction  diopiReduction_t
 *
 * - formula: loss = (input - target)^2; out = loss, its mean or its sum
 * - checks:
 *   - The shapes of input and target must broadcast. [diopiMSELoss-input-broadcastable]
 *   - The promoted dtype must be floating point. [diopiMSELoss-promoted-dtype]
 * - source: torch.nn.functional.mse_loss
 */
DIOPI_API diopiError_t diopiMSELoss(diopiContextHandle_t ctx, diopiTensorHandle_t out, diopiConstTensorHandle_t input,
                                    diopiConstTensorHandle_t target, diopiReduction_t reduction);

/**
 * Gradient of diopiMSELoss with respect to input.
 *
 * @param[in]  ctx          context of the call
 * @param[out] grad_input   floating
 * @param[in]  grad_output  integral, floating, bool
 * @param[in]  input        integral, floating, bool
 * @param[in]  target       integral, floating, bool
 * @param[in]  reduction    diopiReduction_t
 *
 * - formula: grad_input = 2 * (input - target) * grad_output * s, where s is 1, or 1 / number of losses for the mean
 * - checks:
 *   - The shapes of input and target must broadcast. [diopiMSELossBackward-input-broadcastable]
 *   - The promoted dtype must be floating point. [diopiMSELossBackward-promoted-dtype]
 *   - grad_output must have the shape of the result of diopiMSELoss. [diopiMSELossBackward-grad_output-shape]
 * - source: torch.ops.aten.mse_loss_backward
 */
DIOPI_API diopiError_t diopiMSELossBackward(diopiContextHandle_t ctx, diopiTensorHandle_t grad_input,
                                            diopiConstTensorHandle_t grad_output, diopiConstTensorHandle_t input,
                                            diopiConstTensorHandle_t target, diopiReduction_t reduction);

/**
 * Binary cross entropy of logits, `torch.nn.functional.binary_cross_entropy_with_logits`.
 *
 * @param[in]  ctx         context of the call
 * @param[out] out         floating
 * @param[in]  input       floating
 * @param[in]  target      floating
 * @param[in]  weight      null: one; integral, floating, bool
 * @param[in]  pos_weight  null: one; integral, floating
 * @param[in]  reduction   diopiReduction_t
 *
 * - formula: loss = -weight * (pos_weight * target * log(sigmoid(input)) + (1 - target) * log(1 - sigmoid(input))); out
 *   = loss, its mean or its sum
 * - checks:
 *   - input and target must have the same shape. [diopiBCEWithLogits-input-same-shape]
 *   - The shapes of input, weight and pos_weight must broadcast. [diopiBCEWithLogits-input-broadcastable]
 * - source: torch.nn.functional.binary_cross_entropy_with_logits
 * - notes: The logarithms are formed without overflow for logits of any size.
 */
DIOPI_API diopiError_t diopiBCEWithLogits(diopiContextHandle_t ctx, diopiTensorHandle_t out,
                                          diopiConstTensorHandle_t input, diopiConstTensorHandle_t target,
                                          diopiConstTensorHandle_t weight, diopiConstTensorHandle_t pos_weight,
                                          diopiReduction_t reduction);

/**
 * Gradient of diopiBCEWithLogits with respect to input.
 *
 * @param[in]  ctx          context of the call
 * @param[out] grad_input   floating
 * @param[in]  grad_output  floating
 * @param[in]  input        floating
 * @param[in]  target       floating
 * @param[in]  weight       null: one; integral, floating, bool
 * @param[in]  pos_weight   null: one; integral, floating
 * @param[in]  reduction    diopiReduction_t
 *
 * - formula: grad_input = weight * ((pos_weight * target + 1 - target) * sigmoid(input) - pos_weight * target) *
 *   grad_output * s, where s is 1, or 1 / number of losses for the mean
 * - checks:
 *   - input and target must have the same shape. [diopiBCEWithLogitsBackward-input-same-shape]
 *   - The shapes of input, weight and pos_weight must broadcast. [diopiBCEWithLogitsBackward-input-broadcastable]
 *   - grad_output must have the shape of the result of diopiBCEWithLogits.
 *     [diopiBCEWithLogitsBackward-grad_output-shape]
 * - source: the derivative of torch.nn.functional.binary_cross_entropy_with_logits
 */
DIOPI_API diopiError_t diopiBCEWithLogitsBackward(diopiContextHandle_t ctx, diopiTensorHandle_t grad_input,
                                                  diopiConstTensorHandle_t grad_output,
                                                  diopiConstTensorHandle_t input, diopiConstTensorHandle_t target,
                                                  diopiConstTensorHandle_t weight,
                                                  diopiConstTensorHandle_t pos_weight, diopiReduction_t reduction);

/**
 * Binary cross entropy of probabilities, `torch.nn.functional.binary_cross_entropy`.
 *
 * @param[in]  ctx        context of the call
 * @param[out] out        floating
 * @param[in]  input      floating
 * @param[in]  target     floating
 * @param[in]  weight     null: one; integral, floating, bool
 * @param[in]  reduction  diopiReduction_t
 *
 * - formula: loss = -weight * (target * max(log(input), -100) + (1 - target) * max(log(1 - input), -100)); out = loss,
 *   its mean or its sum
 * - checks:
 *   - input and target must have the same shape. [diopiBCELoss-input-same-shape]
 *   - The shapes of input and weight must broadcast. [diopiBCELoss-input-broadcastable]
 * - source: torch.nn.functional.binary_cross_entropy
 */
DIOPI_API diopiError_t diopiBCELoss(diopiContextHandle_t ctx, diopiTensorHandle_t out, diopiConstTensorHandle_t input,
                                    diopiConstTensorHandle_t target, diopiConstTensorHandle_t weight,
                                    diopiReduction_t reduction);

/**
 * Gradient of diopiBCELoss with respect to input.
 *
 * @param[in]  ctx          context of the call
 * @param[out] grad_input   floating
 * @param[in]  grad_output  floating
 * @param[in]  input        floating
 * @param[in]  target       floating
 * @param[in]  weight       null: one; integral, floating, bool
 * @param[in]  reduction    diopiReduction_t
 *
 * - formula: grad_input = weight * (input - target) / max((1 - input) * input, 1e-12) * grad_output * s, where s is 1,
 *   or 1 / number of losses for the mean
 * - checks:
 *   - input and target must have the same shape. [diopiBCELossBackward-input-same-shape]
 *   - The shapes of input and weight must broadcast. [diopiBCELossBackward-input-broadcastable]
 *   - grad_output must have the shape of the result of diopiBCELoss. [diopiBCELossBackward-grad_output-shape]
 * - source: torch.ops.aten.binary_cross_entropy_backward
 */
DIOPI_API diopiError_t diopiBCELossBackward(diopiContextHandle_t ctx, diopiTensorHandle_t grad_input,
                                            diopiConstTensorHandle_t grad_output, diopiConstTensorHandle_t input,
                                            diopiConstTensorHandle_t target, diopiConstTensorHandle_t weight,
                                            diopiReduction_t reduction);

/**
 * Squared below beta, absolute above, `torch.nn.functional.smooth_l1_loss`.
 *
 * @param[in]  ctx        context of the call
 * @param[out] out        floating
 * @param[in]  input      integral, floating, bool
 * @param[in]  target     integral, floating, bool
 * @param[in]  reduction  diopiReduction_t
 * @param[in]  beta       number
 *
 * - formula: d = abs(input - target); loss = d < beta ? d^2 / (2 * beta) : d - beta / 2; out = loss, its mean or its
 *   sum
 * - checks:
 *   - The shapes of input and target must broadcast. [diopiSmoothL1Loss-input-broadcastable]
 *   - The promoted dtype must be floating point. [diopiSmoothL1Loss-promoted-dtype]
 *   - beta must be at least 0. [diopiSmoothL1Loss-beta-value]
 * - source: torch.nn.functional.smooth_l1_loss
 */
DIOPI_API diopiError_t diopiSmoothL1Loss(diopiContextHandle_t ctx, diopiTensorHandle_t out,
                                         diopiConstTensorHandle_t input, diopiConstTensorHandle_t target,
                                         diopiReduction_t reduction, double beta);

/**
 * Gradient of diopiSmoothL1Loss with respect to input.
 *
 * @param[in]  ctx          context of the call
 * @param[out] grad_input   floating
 * @param[in]  grad_output  integral, floating, bool
 * @param[in]  input        integral, floating, bool
 * @param[in]  target       integral, floating, bool
 * @param[in]  reduction    diopiReduction_t
 * @param[in]  beta         number
 *
 * - formula: d = input - target; grad_input = (abs(d) < beta ? d / beta : sign(d)) * grad_output * s, where s is 1, or
 *   1 / number of losses for the mean
 * - checks:
 *   - The shapes of input and target must broadcast. [diopiSmoothL1LossBackward-input-broadcastable]
 *   - The promoted dtype must be floating point. [diopiSmoothL1LossBackward-promoted-dtype]
 *   - beta must be at least 0. [diopiSmoothL1LossBackward-beta-value]
 *   - grad_output must have the shape of the result of diopiSmoothL1Loss. [diopiSmoothL1LossBackward-grad_output-shape]
 * - source: torch.ops.aten.smooth_l1_loss_backward
 */
DIOPI_API diopiError_t diopiSmoothL1LossBackward(diopiContextHandle_t ctx, diopiTensorHandle_t grad_input,
                                                 diopiConstTensorHandle_t grad_output, diopiConstTensorHandle_t input,
                                                 diopiConstTensorHandle_t target, diopiReduction_t reduction,
                                                 double beta);

/** @} */

/** @name loss_ctc
 * Connectionist temporal classification.
 * - broadcasting: None.
 * - strides: Any for every tensor; inputs may be expanded.
 * - aliasing: An output must not overlap an input or another output.
 * - empty: Without sequences a mean is NaN and a sum 0. A sequence without time steps has the loss 0 if its target is
 *   empty, else infinity.
 * - nan: As IEEE arithmetic has it; a sequence whose target cannot occur has an infinite loss, and without
 *   zero_infinity a gradient of NaN.
 * - accumulation: The recursions are computed in float64, and the results are rounded once.
 * - determinism: The same bits for any number of threads.
 * - checks:
 *   - reduction must be ReductionNone, ReductionMean or ReductionSum. [reduction-enum]
 *   - log_probs must have 3 dimensions. [log_probs-ndim]
 *   - targets must have at least 1 dimension and at most 2 dimensions. [targets-ndim]
 *   - input_lengths must have the shape [log_probs[1]]. [input_lengths-shape]
 *   - target_lengths must have the shape [log_probs[1]]. [target_lengths-shape]
 *   - neg_log_likelihood must have the shape [log_probs[1]]. [neg_log_likelihood-shape]
 *   - If targets has 2 dimensions, targets[0] and log_probs[1] must be equal. [targets-equal]
 *   - blank must be at least 0 and be at most log_probs[2] - 1. [blank-value]
 *   - Each element of input_lengths must be at least 0 and at most log_probs[0]. A device may report this when the
 *     stream is synchronised. [input_lengths-elements]
 *   - If targets has 2 dimensions, each element of target_lengths must be at least 0 and at most targets[1]. A device
 *     may report this when the stream is synchronised. [target_lengths-elements]
 *   - If targets has 1 dimension, each element of target_lengths must be at least 0. A device may report this when the
 *     stream is synchronised. [target_lengths-negative]
 *   - targets of one dimension must have as many elements as target_lengths add up to. A device may report this when
 *     the stream is synchronised. [targets-numel]
 *   - Each element of targets must be 0 to below log_probs[2]. A device may report this when the stream is
 *     synchronised. [targets-index]
 *   - log_alpha must have the shape of log_alpha of diopiCTCLoss. [log_alpha-shape]
 */
/** @{ */

/**
 * Connectionist temporal classification loss, `torch.nn.functional.ctc_loss`.
 *
 * @param[in]  ctx                 context of the call
 * @param[out] out                 float32, float64
 * @param[out] neg_log_likelihood  negative log likelihood of each sequence, for the backward call; float32, float64
 * @param[out] log_alpha           forward variables, for the backward call; float32, float64
 * @param[in]  log_probs           float32, float64
 * @param[in]  targets             int32, int64
 * @param[in]  input_lengths       int32, int64
 * @param[in]  target_lengths      int32, int64
 * @param[in]  blank               integer
 * @param[in]  reduction           diopiReduction_t
 * @param[in]  zero_infinity       flag
 *
 * - formula: With l the labels of a target of L labels and a blank around each of them, and p = log_probs[:, n]:
 *   alpha[0][0] = p[0][blank], alpha[0][1] = p[0][l[1]]; alpha[t][s] = p[t][l[s]] + logsumexp(alpha[t - 1][s], alpha[t
 *   - 1][s - 1], and alpha[t - 1][s - 2] if l[s] differs from l[s - 2]); neg_log_likelihood = -logsumexp(alpha[T - 1][2
 *   L], alpha[T - 1][2 L - 1]); out = the likelihoods, their sum, or the mean of likelihood / max(L, 1)
 * - shape: log_probs is [T, N, C]; targets is [N, S] or has the targets one after another; the lengths and
 *   neg_log_likelihood are [N]; log_alpha is [N, T, 2 max(target_lengths) + 1]; out is [N] where reduction is
 *   ReductionNone, else one element.
 * - checks:
 *   - out, log_probs, neg_log_likelihood and log_alpha must have the same dtype. [diopiCTCLoss-out-same-dtype]
 *   - out must have the shape of the result. [diopiCTCLoss-out-shape]
 * - source: torch.nn.functional.ctc_loss
 * - notes: log_probs holds logarithms of probabilities. Elements of targets beyond the length of a target are not read.
 *   zero_infinity makes infinite losses 0 in out alone. Elements of log_alpha beyond the lengths of a sequence are
 *   -infinity.
 */
DIOPI_API diopiError_t diopiCTCLoss(diopiContextHandle_t ctx, diopiTensorHandle_t out,
                                    diopiTensorHandle_t neg_log_likelihood, diopiTensorHandle_t log_alpha,
                                    diopiConstTensorHandle_t log_probs, diopiConstTensorHandle_t targets,
                                    diopiConstTensorHandle_t input_lengths, diopiConstTensorHandle_t target_lengths,
                                    int64_t blank, diopiReduction_t reduction, bool zero_infinity);

/**
 * Gradient of diopiCTCLoss with respect to log_probs.
 *
 * @param[in]  ctx                 context of the call
 * @param[out] grad_input          float32, float64
 * @param[in]  grad_output         float32, float64
 * @param[in]  log_probs           float32, float64
 * @param[in]  targets             int32, int64
 * @param[in]  input_lengths       int32, int64
 * @param[in]  target_lengths      int32, int64
 * @param[in]  neg_log_likelihood  float32, float64
 * @param[in]  log_alpha           float32, float64
 * @param[in]  blank               integer
 * @param[in]  reduction           diopiReduction_t
 * @param[in]  zero_infinity       flag
 *
 * - formula: With p = log_probs[t][n], and beta the recursion of diopiCTCLoss from the end: grad_input[t][n][c] = g *
 *   (exp(p[c]) - sum over s with label c of exp(log_alpha[n][t][s] + beta[t][s] + neg_log_likelihood[n] - p[c])), where
 *   g is grad_output[n], grad_output / (N * max(L, 1)) for a mean, or grad_output for a sum; 0 beyond the length of a
 *   sequence, and where zero_infinity and the loss is infinite
 * - shape: grad_input has the shape of log_probs, grad_output that of diopiCTCLoss's out.
 * - checks:
 *   - grad_input, log_probs, grad_output, neg_log_likelihood and log_alpha must have the same dtype.
 *     [diopiCTCLossBackward-grad_input-same-dtype]
 *   - grad_input must have the shape of log_probs. [diopiCTCLossBackward-grad_input-shape]
 *   - grad_output must have the shape of out of diopiCTCLoss. [diopiCTCLossBackward-grad_output-shape]
 * - source: torch.ops.aten._ctc_loss_backward
 * - notes: The gradient is that for logarithms which are a log-softmax: it has the term exp(p[c]), as in PyTorch.
 */
DIOPI_API diopiError_t diopiCTCLossBackward(diopiContextHandle_t ctx, diopiTensorHandle_t grad_input,
                                            diopiConstTensorHandle_t grad_output, diopiConstTensorHandle_t log_probs,
                                            diopiConstTensorHandle_t targets, diopiConstTensorHandle_t input_lengths,
                                            diopiConstTensorHandle_t target_lengths,
                                            diopiConstTensorHandle_t neg_log_likelihood,
                                            diopiConstTensorHandle_t log_alpha, int64_t blank,
                                            diopiReduction_t reduction, bool zero_infinity);

/** @} */

/** @name loss_focal
 * Focal loss as in torchvision.
 * - shape: The targets have the shape of the logits. out has that shape where reduction is ReductionNone, else one
 *   element; so has grad_output. grad_input has the shape of the logits.
 * - broadcasting: None.
 * - strides: Any for every tensor; inputs may be expanded.
 * - aliasing: An output may be an input of the same shape itself; it must not overlap one in another way.
 * - empty: Empty and 0-d tensors are ordinary; the mean of no losses is NaN, their sum 0.
 * - nan: As IEEE arithmetic has it. The cross entropy of logits of any size is formed without overflow.
 * - accumulation: float16 and bfloat16 are computed in float32 and rounded once; sums are pairwise in the computing
 *   dtype.
 * - determinism: The same bits for any number of threads.
 */
/** @{ */

/**
 * Focal loss of logits for dense detection, `torchvision.ops.sigmoid_focal_loss`.
 *
 * @param[in]  ctx        context of the call
 * @param[out] out        floating
 * @param[in]  inputs     floating
 * @param[in]  targets    floating
 * @param[in]  alpha      weight of the positive class; negative: no weighting
 * @param[in]  gamma      number
 * @param[in]  reduction  diopiReduction_t
 *
 * - formula: x = inputs, t = targets, s = sigmoid(x), q = 1 - (s * t + (1 - s) * (1 - t)), a = alpha * t + (1 - alpha)
 *   * (1 - t), 1 where alpha < 0; e = max(x, 0) - x * t + log(1 + exp(-|x|)); loss = a * q^gamma * e; out = loss, its
 *   mean or its sum
 * - checks:
 *   - reduction must be ReductionNone, ReductionMean or ReductionSum. [diopiSigmoidFocalLoss-reduction-enum]
 *   - targets must have the shape of inputs. [diopiSigmoidFocalLoss-targets-shape]
 *   - If reduction is ReductionNone, out must have the shape of inputs. [diopiSigmoidFocalLoss-out-shape]
 *   - If reduction is not ReductionNone, out must have the shape []. [diopiSigmoidFocalLoss-reduced-out-shape]
 * - source: torchvision.ops.sigmoid_focal_loss
 * - notes: targets may be between 0 and 1.
 */
DIOPI_API diopiError_t diopiSigmoidFocalLoss(diopiContextHandle_t ctx, diopiTensorHandle_t out,
                                             diopiConstTensorHandle_t inputs, diopiConstTensorHandle_t targets,
                                             float alpha, float gamma, diopiReduction_t reduction);

/**
 * Gradient of diopiSigmoidFocalLoss with respect to input.
 *
 * @param[in]  ctx          context of the call
 * @param[in]  grad_output  read only, although the handle is not const; floating
 * @param[in]  input        floating
 * @param[in]  target       floating
 * @param[out] grad_input   floating
 * @param[in]  gamma        number
 * @param[in]  alpha        weight of the positive class; negative: no weighting
 * @param[in]  reduction    diopiReduction_t
 *
 * - formula: grad_input = grad_output * k * a * (q^gamma * (s - t) - gamma * q^(gamma - 1) * (2 * t - 1) * s * (1 - s)
 *   * e) with the terms of diopiSigmoidFocalLoss, where k is 1, or 1 / number of losses for the mean
 * - checks:
 *   - reduction must be ReductionNone, ReductionMean or ReductionSum. [diopiSigmoidFocalLossBackward-reduction-enum]
 *   - target must have the shape of input. [diopiSigmoidFocalLossBackward-target-shape]
 *   - grad_input must have the shape of input. [diopiSigmoidFocalLossBackward-grad_input-shape]
 *   - If reduction is ReductionNone, grad_output must have the shape of input.
 *     [diopiSigmoidFocalLossBackward-grad_output-shape]
 *   - If reduction is not ReductionNone, grad_output must have the shape [].
 *     [diopiSigmoidFocalLossBackward-reduced-grad_output-shape]
 * - source: torchvision.ops.sigmoid_focal_loss
 * - notes: With a saturated sigmoid and gamma below 1 the second term is 0 times infinity in this formula; there the
 *   term is 0, its limit.
 */
DIOPI_API diopiError_t diopiSigmoidFocalLossBackward(diopiContextHandle_t ctx, diopiTensorHandle_t grad_output,
                                                     diopiConstTensorHandle_t input, diopiConstTensorHandle_t target,
                                                     diopiTensorHandle_t grad_input, float gamma, float alpha,
                                                     diopiReduction_t reduction);

/** @} */

/** @name loss_nll
 * Negative log likelihood and cross entropy.
 * - shape: input is [C], or has the classes in dimension 1; target has the shape of input without the classes. out has
 *   the shape of target where reduction is ReductionNone, else one element; so has grad_output. weight is [C];
 *   grad_input has the shape of input.
 * - broadcasting: None.
 * - strides: Any for every tensor; inputs may be expanded.
 * - aliasing: An output must not overlap an input.
 * - empty: No samples give an empty or zero loss, and NaN for the mean.
 * - nan: As IEEE arithmetic has it; a class of ignore_index contributes nothing, whatever its input.
 * - accumulation: Pairwise in float64 over samples.
 * - determinism: The same bits for any number of threads.
 * - checks:
 *   - reduction must be ReductionNone, ReductionMean or ReductionSum. [reduction-enum]
 *   - input must have at least 1 dimension. [input-ndim]
 *   - weight must have the shape [channels(input)]. [weight-shape]
 *   - out must have the shape of the result. [out-shape]
 *   - grad_input and input must have the same shape. [grad_input-same-shape]
 */
/** @{ */

/**
 * Cross entropy of logits and class indices or probabilities, `torch.nn.functional.cross_entropy`.
 *
 * @param[in]  ctx              context of the call
 * @param[out] out              floating
 * @param[in]  input            floating
 * @param[in]  target           floating, int64, int32, uint8
 * @param[in]  weight           null: one; integral, floating, bool
 * @param[in]  reduction        diopiReduction_t
 * @param[in]  ignore_index     integer
 * @param[in]  label_smoothing  number
 *
 * - formula: With class indices y: loss = weight[y] * ((1 - e) * -log_softmax(input)[y]) + e / C * sum of weight *
 *   -log_softmax(input), e = max(label_smoothing, 0); with probabilities p: loss = sum of weight * ((1 - e) * p + e /
 *   C) * -log_softmax(input). out = loss, its mean or its sum.
 * - checks:
 *   - label_smoothing must be at most 1 or be NaN. [diopiCrossEntropyLoss-label_smoothing-value]
 *   - If the dtype of target is integral, the dtype of weight must be floating point.
 *     [diopiCrossEntropyLoss-weight-dtype]
 *   - If the dtype of target is floating point, target and input must have the same shape.
 *     [diopiCrossEntropyLoss-target-same-shape]
 *   - If the dtype of target is integral and input has at least 2 dimensions, target must have the shape [input[0],
 *     input[2:]]. [diopiCrossEntropyLoss-target-shape]
 *   - If the dtype of target is integral and input has 1 dimension, target must have the shape [].
 *     [diopiCrossEntropyLoss-target-shape-of-one-sample]
 *   - If the dtype of target is integral, each element of target must be 0 to below the number of channels of input or
 *     ignore_index. A device may report this when the stream is synchronised. [diopiCrossEntropyLoss-target-index]
 * - source: torch.nn.functional.cross_entropy
 * - notes: A floating point target holds probabilities and has the shape of input. A mean divides by the weights of the
 *   targets that are not ignored, and by the number of samples where targets are probabilities; without classes it is
 *   NaN. A negative or NaN label_smoothing smooths nothing, as in PyTorch; beside probabilities an integral or bool
 *   weight is promoted.
 */
DIOPI_API diopiError_t diopiCrossEntropyLoss(diopiContextHandle_t ctx, diopiTensorHandle_t out,
                                             diopiConstTensorHandle_t input, diopiConstTensorHandle_t target,
                                             diopiConstTensorHandle_t weight, diopiReduction_t reduction,
                                             int64_t ignore_index, double label_smoothing);

/**
 * Gradient of diopiCrossEntropyLoss with respect to input.
 *
 * @param[in]  ctx              context of the call
 * @param[out] grad_input       floating
 * @param[in]  grad_output      floating
 * @param[in]  input            floating
 * @param[in]  target           floating, int64, int32, uint8
 * @param[in]  weight           null: one; integral, floating, bool
 * @param[in]  reduction        diopiReduction_t
 * @param[in]  ignore_index     integer
 * @param[in]  label_smoothing  number
 *
 * As diopiCrossEntropyLoss, except:
 * - formula: grad_input = derivative of diopiCrossEntropyLoss with respect to input, times grad_output
 * - aliasing: grad_input may be input itself; other overlap is not allowed.
 * - checks:
 *   - grad_output must have the shape of the result of diopiCrossEntropyLoss.
 *     [diopiCrossEntropyLossBackward-grad_output-shape]
 * - source: the derivative of torch.nn.functional.cross_entropy
 */
DIOPI_API diopiError_t diopiCrossEntropyLossBackward(diopiContextHandle_t ctx, diopiTensorHandle_t grad_input,
                                                     diopiConstTensorHandle_t grad_output,
                                                     diopiConstTensorHandle_t input, diopiConstTensorHandle_t target,
                                                     diopiConstTensorHandle_t weight, diopiReduction_t reduction,
                                                     int64_t ignore_index, double label_smoothing);

/**
 * Negative log likelihood of class indices, `torch.nn.functional.nll_loss`.
 *
 * @param[in]  ctx           context of the call
 * @param[out] out           floating
 * @param[in]  input         floating
 * @param[in]  target        int64, int32, uint8
 * @param[in]  weight        null: one; floating
 * @param[in]  reduction     diopiReduction_t
 * @param[in]  ignore_index  integer
 *
 * - formula: loss = -weight[target] * input[target]; out = loss, its mean or its sum
 * - checks:
 *   - If input has at least 2 dimensions, target must have the shape [input[0], input[2:]]. [diopiNLLLoss-target-shape]
 *   - If input has 1 dimension, target must have the shape []. [diopiNLLLoss-target-shape-of-one-sample]
 *   - Each element of target must be 0 to below the number of channels of input or ignore_index. A device may report
 *     this when the stream is synchronised. [diopiNLLLoss-target-index]
 * - source: torch.nn.functional.nll_loss
 * - notes: A mean divides by the sum of the weights of the targets that are not ignored.
 */
DIOPI_API diopiError_t diopiNLLLoss(diopiContextHandle_t ctx, diopiTensorHandle_t out, diopiConstTensorHandle_t input,
                                    diopiConstTensorHandle_t target, diopiConstTensorHandle_t weight,
                                    diopiReduction_t reduction, int64_t ignore_index);

/**
 * Gradient of diopiNLLLoss with respect to input.
 *
 * @param[in]  ctx           context of the call
 * @param[out] grad_input    floating
 * @param[in]  grad_output   floating
 * @param[in]  input         floating
 * @param[in]  target        int64, int32, uint8
 * @param[in]  weight        null: one; floating
 * @param[in]  reduction     diopiReduction_t
 * @param[in]  ignore_index  integer
 *
 * - formula: grad_input = -weight[target] * grad_output at target, over the divisor of the mean, and 0 elsewhere
 * - checks:
 *   - The checks of diopiNLLLoss hold too.
 *   - grad_output must have the shape of the result of diopiNLLLoss. [diopiNLLLossBackward-grad_output-shape]
 * - source: torch.ops.aten.nll_loss_backward
 * - notes: A mean divides by the sum of the weights of the targets that are not ignored.
 */
DIOPI_API diopiError_t diopiNLLLossBackward(diopiContextHandle_t ctx, diopiTensorHandle_t grad_input,
                                            diopiConstTensorHandle_t grad_output, diopiConstTensorHandle_t input,
                                            diopiConstTensorHandle_t target, diopiConstTensorHandle_t weight,
                                            diopiReduction_t reduction, int64_t ignore_index);

/**
 * diopiNLLLoss that also returns the sum of the weights used, `torch.ops.aten.nll_loss_forward`.
 *
 * @param[in]  ctx           context of the call
 * @param[out] out           floating
 * @param[out] totalWeight   floating
 * @param[in]  input         floating
 * @param[in]  target        int64, int32, uint8
 * @param[in]  weight        null: one; floating
 * @param[in]  reduction     diopiReduction_t
 * @param[in]  ignore_index  integer
 *
 * As diopiNLLLoss, except:
 * - checks:
 *   - totalWeight must have 1 element. [diopiNLLLossV2-totalWeight-numel]
 * - source: torch.ops.aten.nll_loss_forward
 * - notes: totalWeight is the divisor of the mean; 0 where nothing is reduced. A mean divides by the sum of the weights
 *   of the targets that are not ignored.
 */
DIOPI_API diopiError_t diopiNLLLossV2(diopiContextHandle_t ctx, diopiTensorHandle_t out,
                                      diopiTensorHandle_t totalWeight, diopiConstTensorHandle_t input,
                                      diopiConstTensorHandle_t target, diopiConstTensorHandle_t weight,
                                      diopiReduction_t reduction, int64_t ignore_index);

/**
 * Gradient of diopiNLLLossV2 with respect to input, `torch.ops.aten.nll_loss_backward`.
 *
 * @param[in]  ctx           context of the call
 * @param[out] grad_input    floating
 * @param[in]  grad_output   floating
 * @param[in]  input         floating
 * @param[in]  target        int64, int32, uint8
 * @param[in]  weight        null: one; floating
 * @param[in]  totalWeight   sum of the weights from the forward call; floating
 * @param[in]  reduction     diopiReduction_t
 * @param[in]  ignore_index  integer
 *
 * As diopiNLLLossBackward, except:
 * - checks:
 *   - totalWeight must have 1 element. [diopiNLLLossV2Backward-totalWeight-numel]
 * - notes: A mean divides by totalWeight.
 */
DIOPI_API diopiError_t diopiNLLLossV2Backward(diopiContextHandle_t ctx, diopiTensorHandle_t grad_input,
                                              diopiConstTensorHandle_t grad_output, diopiConstTensorHandle_t input,
                                              diopiConstTensorHandle_t target, diopiConstTensorHandle_t weight,
                                              diopiConstTensorHandle_t totalWeight, diopiReduction_t reduction,
                                              int64_t ignore_index);

/** @} */

/** @name masked_select
 * Operations whose result or source depends on a mask or on the values.
 * - strides: Any for every tensor; inputs and indices may be expanded.
 * - empty: Empty and 0-d tensors are ordinary.
 * - nan: Moved or added like every other value.
 * - determinism: The same bits for any number of threads.
 */
/** @{ */

/**
 * Copy of input with source elements put, in order, where mask is true, `torch.masked_scatter`.
 *
 * @param[in]  ctx     context of the call
 * @param[out] out     integral, floating, complex, bool
 * @param[in]  input   integral, floating, complex, bool
 * @param[in]  mask    bool
 * @param[in]  source  integral, floating, complex, bool
 *
 * - formula: out = input; the j-th true element of mask, in row-major order of the broadcast shape, sets its place in
 *   out to the j-th element of source in row-major order
 * - shape: out has the broadcast shape of input and mask. source has any shape.
 * - broadcasting: input and mask with each other.
 * - aliasing: out may be input itself; where out overlaps input, mask or source in another way, the result is that of
 *   copies.
 * - accumulation: None.
 * - checks:
 *   - The shapes of input and mask must broadcast. [diopiMaskedScatter-input-broadcastable]
 *   - out, input and source must have the same dtype. [diopiMaskedScatter-out-same-dtype]
 *   - out must have the shape of the result. [diopiMaskedScatter-out-shape]
 *   - source must have at least as many elements as mask, broadcast with input, has true ones. A device may report this
 *     when the stream is synchronised. [diopiMaskedScatter-source-numel]
 * - source: torch.masked_scatter
 * - notes: Elements of source that are left over have no effect.
 */
DIOPI_API diopiError_t diopiMaskedScatter(diopiContextHandle_t ctx, diopiTensorHandle_t out,
                                          diopiConstTensorHandle_t input, diopiConstTensorHandle_t mask,
                                          diopiConstTensorHandle_t source);

/**
 * Indices of the non-zero elements, one row each, `torch.nonzero`.
 *
 * @param[in]  ctx    context of the call
 * @param[out] out    created by the callee; int64
 * @param[in]  input  integral, floating, complex, bool
 *
 * - formula: row j of out holds the indices of the j-th element of input, in row-major order, that is not zero
 * - shape: out is [number of such elements, number of dimensions of input], row-major.
 * - broadcasting: None.
 * - aliasing: out is always a new tensor.
 * - nan: NaN is not zero, -0 is.
 * - accumulation: None.
 * - source: torch.nonzero
 */
DIOPI_API diopiError_t diopiNonzero(diopiContextHandle_t ctx, diopiTensorHandle_t* out, diopiConstTensorHandle_t input);

/**
 * Elements where mask is true, as a one-dimensional tensor, `torch.masked_select`.
 *
 * @param[in]  ctx    context of the call
 * @param[out] out    created by the callee; of the dtype of `input`
 * @param[in]  input  integral, floating, complex, bool
 * @param[in]  mask   bool, uint8
 *
 * - formula: out = the elements of input where mask is true, in row-major order of the broadcast shape
 * - shape: out has one dimension.
 * - broadcasting: input and mask with each other.
 * - aliasing: out is always a new tensor.
 * - accumulation: None.
 * - checks:
 *   - The shapes of input and mask must broadcast. [diopiMaskedSelect-input-broadcastable]
 * - source: torch.masked_select
 */
DIOPI_API diopiError_t diopiMaskedSelect(diopiContextHandle_t ctx, diopiTensorHandle_t* out,
                                         diopiConstTensorHandle_t input, diopiConstTensorHandle_t mask);

/**
 * Gradient of diopiMaskedSelect: grad_output put, in order, where mask is true, else 0.
 *
 * @param[in]  ctx          context of the call
 * @param[out] grad_input   integral, floating, complex, bool
 * @param[in]  grad_output  integral, floating, complex, bool
 * @param[in]  input        integral, floating, complex, bool
 * @param[in]  mask         bool, uint8
 *
 * - formula: grad_input = 0; the j-th true element of mask, in row-major order of the broadcast shape, adds
 *   grad_output[j] to the element of grad_input that it selected
 * - shape: grad_input has the shape of input, of which nothing else matters; grad_output has one element per true one.
 * - broadcasting: input and mask with each other.
 * - aliasing: grad_input may overlap grad_output; the result is that of a copy of grad_output.
 * - accumulation: Where mask broadcasts over input: in row-major order; float16 and bfloat16 in float32, rounded once.
 * - checks:
 *   - grad_output and grad_input must have the same dtype. [diopiMaskedSelectBackward-grad_output-same-dtype]
 *   - The shapes of input and mask must broadcast. [diopiMaskedSelectBackward-input-broadcastable]
 *   - grad_input and input must have the same shape. [diopiMaskedSelectBackward-grad_input-same-shape]
 *   - grad_output must have one dimension and one element for each true element of mask, which is broadcast with input.
 *     A device may report this when the stream is synchronised. [diopiMaskedSelectBackward-grad_output-length]
 * - source: torch.Tensor.masked_scatter onto zeros, summed to the shape of input
 */
DIOPI_API diopiError_t diopiMaskedSelectBackward(diopiContextHandle_t ctx, diopiTensorHandle_t grad_input,
                                                 diopiConstTensorHandle_t grad_output, diopiConstTensorHandle_t input,
                                                 diopiConstTensorHandle_t mask);

/**
 * Distinct elements or slices with inverse indices and counts, `torch.unique`.
 *
 * @param[in]  ctx            context of the call
 * @param[out] out            created by the callee; of the dtype of `input`
 * @param[in]  input          integral, floating, bool
 * @param[in]  dim            null: elements of the flattened input; else slices of this dimension
 * @param[in]  sorted         has no effect: the result is always sorted
 * @param[in]  return_counts  flag
 * @param[out] indices        index into `out` of each input element or slice; null: not wanted; int32, int64
 * @param[out] counts         created by the callee; may be null; occurrences of each; not written where return_counts
 *         is false; int64
 *
 * - formula: out = the distinct elements of input in increasing order, or its distinct slices of dimension dim in
 *   lexicographic order; indices[i] = the position in out of element or slice i; counts[k] = the number of i with
 *   indices[i] = k
 * - shape: out has one dimension, or the shape of input with the number of distinct slices in dimension dim. indices
 *   has the shape of input, or the extent of dim as its only dimension; counts has as many elements as there are
 *   distinct ones.
 * - broadcasting: None.
 * - aliasing: out and counts are always new tensors; indices must not overlap input.
 * - empty: An empty input has no distinct elements. With dim, an empty input whose extent along dim is not 0 is
 *   refused. A 0-d input has one element.
 * - nan: Each NaN is distinct, and greater than all numbers; so is each slice with NaN. -0 and +0 are equal, and the
 *   first of them is the result.
 * - accumulation: None.
 * - checks:
 *   - dim must be a dimension of input. [diopiUnique-dim-in-range]
 *   - If return_counts is true, counts must not be null. [diopiUnique-counts-given]
 *   - With dim, an input without elements must have the extent 0 in dimension dim. [diopiUnique-input-not-empty]
 *   - indices must have the shape of the result. [diopiUnique-indices-shape]
 *   - The dtype of indices must hold every index below the number of elements of input.
 *     [diopiUnique-indices-fits-index]
 * - source: torch.unique
 * - notes: PyTorch leaves the order open if sorted is false.
 */
DIOPI_API diopiError_t diopiUnique(diopiContextHandle_t ctx, diopiTensorHandle_t* out, diopiConstTensorHandle_t input,
                                   const int64_t* dim, bool sorted, bool return_counts, diopiTensorHandle_t indices,
                                   diopiTensorHandle_t* counts);

/** @} */

/** @name matmul
 * Matrix products, the linear layer and their gradients.
 * - checks:
 *   - The tensors must have the same dtype. [tensors-same-dtype]
 */
/** @{ */

/**
 * Matrix product of each pair of a batch, `torch.bmm`.
 *
 * @param[in]  ctx    context of the call
 * @param[out] out    integral, floating, complex
 * @param[in]  input  integral, floating, complex
 * @param[in]  mat2   integral, floating, complex
 *
 * - formula: out[b] = input[b] @ mat2[b]
 * - shape: input [B, M, K], mat2 [B, K, N], out [B, M, N].
 * - broadcasting: None.
 * - strides: Any, of inputs and outputs; matrices with a packed row or column are multiplied where they lie.
 * - aliasing: Outputs may overlap inputs in any way: the product is then made in a temporary.
 * - empty: Results without elements are left alone; a sum over an inner extent of 0 is 0.
 * - nan: Products and sums are those of IEEE arithmetic, 0 * NaN and 0 * Inf included; which complex parts become NaN
 *   is not fixed.
 * - accumulation: float16 and bfloat16 sum in float32 and round once, factors and addend included; float32, float64 and
 *   complex sum in their own precision, never in a lower one; integers wrap around.
 * - determinism: The same bits for any number of threads; the order of a sum depends on dtypes, shapes and strides.
 * - checks:
 *   - input must have 3 dimensions. [diopiBmm-input-ndim]
 *   - mat2 must have the shape [input[0], input[2], any]. [diopiBmm-mat2-shape]
 *   - out must have the shape [input[0], input[1], mat2[2]]. [diopiBmm-out-shape]
 * - source: torch.bmm
 */
DIOPI_API diopiError_t diopiBmm(diopiContextHandle_t ctx, diopiTensorHandle_t out, diopiConstTensorHandle_t input,
                                diopiConstTensorHandle_t mat2);

/**
 * Batched beta * input + alpha * (batch1 @ batch2), `torch.baddbmm`.
 *
 * @param[in]  ctx     context of the call
 * @param[out] out     integral, floating, complex
 * @param[in]  input   integral, floating, complex
 * @param[in]  batch1  integral, floating, complex
 * @param[in]  batch2  integral, floating, complex
 * @param[in]  beta    number
 * @param[in]  alpha   number
 *
 * - formula: out[b] = beta * input[b] + alpha * (batch1[b] @ batch2[b])
 * - shape: batch1 [B, M, K], batch2 [B, K, N], out [B, M, N].
 * - broadcasting: input broadcasts to [B, M, N].
 * - strides: Any, of inputs and outputs; matrices with a packed row or column are multiplied where they lie.
 * - aliasing: Outputs may overlap inputs in any way: the product is then made in a temporary.
 * - empty: Results without elements are left alone; a sum over an inner extent of 0 is 0.
 * - nan: Products and sums are those of IEEE arithmetic, 0 * NaN and 0 * Inf included; which complex parts become NaN
 *   is not fixed.
 * - accumulation: float16 and bfloat16 sum in float32 and round once, factors and addend included; float32, float64 and
 *   complex sum in their own precision, never in a lower one; integers wrap around.
 * - determinism: The same bits for any number of threads; the order of a sum depends on dtypes, shapes and strides.
 * - checks:
 *   - batch1 must have 3 dimensions. [diopiBaddbmm-batch1-ndim]
 *   - batch2 must have the shape [batch1[0], batch1[2], any]. [diopiBaddbmm-batch2-shape]
 *   - out must have the shape [batch1[0], batch1[1], batch2[2]]. [diopiBaddbmm-out-shape]
 *   - input must broadcast to the shape of out. [diopiBaddbmm-input-broadcasts]
 *   - If out has at least 1 element and batch1 has at least 1 element, beta must fit the dtype of the computation.
 *     [diopiBaddbmm-beta-fits]
 *   - If out has at least 1 element and batch1 has at least 1 element, alpha must fit the dtype of the computation.
 *     [diopiBaddbmm-alpha-fits]
 *   - If the promoted dtype is integral and out has at least 1 element and batch1 has 0 elements, beta must be a whole
 *     number. [diopiBaddbmm-beta-whole]
 *   - Where no product is added to an integral input, beta must fit int64. [diopiBaddbmm-beta-in-int64]
 * - source: torch.baddbmm
 * - notes: With beta = 0 input is not read, with alpha = 0 the product is taken as 0, so NaN there is ignored. For
 *   integers the fractions of the factors are cut off. Where there is nothing to scale, factors are not looked at: both
 *   where out has no elements, and alpha where the inner extent is 0. There beta is an operand, as in PyTorch: an
 *   integer wraps around, and integers take no fraction.
 */
DIOPI_API diopiError_t diopiBaddbmm(diopiContextHandle_t ctx, diopiTensorHandle_t out, diopiConstTensorHandle_t input,
                                    diopiConstTensorHandle_t batch1, diopiConstTensorHandle_t batch2, double beta,
                                    double alpha);

/**
 * Batched beta * input + alpha * (batch1 @ batch2) in place, `torch.Tensor.baddbmm_`.
 *
 * @param[in]     ctx     context of the call
 * @param[in,out] input   integral, floating, complex
 * @param[in]     batch1  integral, floating, complex
 * @param[in]     batch2  integral, floating, complex
 * @param[in]     beta    number
 * @param[in]     alpha   number
 *
 * - formula: input[b] = beta * input[b] + alpha * (batch1[b] @ batch2[b])
 * - shape: input [B, M, N], batch1 [B, M, K], batch2 [B, K, N].
 * - broadcasting: None.
 * - strides: Any, of inputs and outputs; matrices with a packed row or column are multiplied where they lie.
 * - aliasing: Outputs may overlap inputs in any way: the product is then made in a temporary.
 * - empty: Results without elements are left alone; a sum over an inner extent of 0 is 0.
 * - nan: Products and sums are those of IEEE arithmetic, 0 * NaN and 0 * Inf included; which complex parts become NaN
 *   is not fixed.
 * - accumulation: float16 and bfloat16 sum in float32 and round once, factors and addend included; float32, float64 and
 *   complex sum in their own precision, never in a lower one; integers wrap around.
 * - determinism: The same bits for any number of threads; the order of a sum depends on dtypes, shapes and strides.
 * - checks:
 *   - The checks of diopiBaddbmm hold too.
 * - source: torch.Tensor.baddbmm_
 * - notes: Factors as in diopiBaddbmm.
 */
DIOPI_API diopiError_t diopiBaddbmmInp(diopiContextHandle_t ctx, diopiTensorHandle_t input,
                                       diopiConstTensorHandle_t batch1, diopiConstTensorHandle_t batch2, double beta,
                                       double alpha);

/**
 * Matrix product of vectors, matrices or broadcast batches, `torch.matmul`.
 *
 * @param[in]  ctx    context of the call
 * @param[out] out    integral, floating, complex
 * @param[in]  input  integral, floating, complex
 * @param[in]  other  integral, floating, complex
 *
 * - formula: out = input @ other, over the last two dimensions
 * - shape: input [..., M, K] or [K], other [..., K, N] or [K]; out [batch..., M, N] without M where input is a vector
 *   and without N where other is one.
 * - broadcasting: The dimensions before the last two broadcast.
 * - strides: Any, of inputs and outputs; matrices with a packed row or column are multiplied where they lie.
 * - aliasing: Outputs may overlap inputs in any way: the product is then made in a temporary.
 * - empty: Results without elements are left alone; a sum over an inner extent of 0 is 0.
 * - nan: Products and sums are those of IEEE arithmetic, 0 * NaN and 0 * Inf included; which complex parts become NaN
 *   is not fixed.
 * - accumulation: float16 and bfloat16 sum in float32 and round once, factors and addend included; float32, float64 and
 *   complex sum in their own precision, never in a lower one; integers wrap around.
 * - determinism: The same bits for any number of threads; the order of a sum depends on dtypes, shapes and strides.
 * - checks:
 *   - input must have at least 1 dimension. [diopiMatmul-input-ndim]
 *   - other must have at least 1 dimension. [diopiMatmul-other-ndim]
 *   - If other has 1 dimension, input[-1] and other[0] must be equal. [diopiMatmul-vector-equal]
 *   - If other has at least 2 dimensions, input[-1] and other[-2] must be equal. [diopiMatmul-inner-equal]
 *   - The shapes of input[:-2] and other[:-2] must broadcast. [diopiMatmul-input-broadcastable]
 *   - out must have the shape of the result. [diopiMatmul-out-shape]
 * - source: torch.matmul
 */
DIOPI_API diopiError_t diopiMatmul(diopiContextHandle_t ctx, diopiTensorHandle_t out, diopiConstTensorHandle_t input,
                                   diopiConstTensorHandle_t other);

/**
 * Gradients of diopiMatmul with respect to input and other.
 *
 * @param[in]  ctx         context of the call
 * @param[out] grad_input  may be null; floating, complex
 * @param[out] grad_other  may be null; floating, complex
 * @param[in]  grad_out    floating, complex
 * @param[in]  input       floating, complex
 * @param[in]  other       floating, complex
 *
 * - formula: grad_input = grad_out @ other^H and grad_other = input^H @ grad_out, summed over the batches to which the
 *   operand was broadcast
 * - shape: grad_out as out of diopiMatmul; grad_input as input, grad_other as other.
 * - broadcasting: As diopiMatmul.
 * - strides: Any, of inputs and outputs; matrices with a packed row or column are multiplied where they lie.
 * - aliasing: A gradient may overlap inputs in any way if it is the only one; else the one that is written first must
 *   not overlap grad_out and input.
 * - empty: Results without elements are left alone; a sum over an inner extent of 0 is 0.
 * - nan: Products and sums are those of IEEE arithmetic, 0 * NaN and 0 * Inf included; which complex parts become NaN
 *   is not fixed.
 * - accumulation: float16 and bfloat16 sum in float32 and round once, factors and addend included; float32, float64 and
 *   complex sum in their own precision, never in a lower one; integers wrap around.
 * - determinism: The same bits for any number of threads; the order of a sum depends on dtypes, shapes and strides.
 * - checks:
 *   - The checks of diopiMatmul hold too.
 *   - grad_out must have the shape of the result of diopiMatmul. [diopiMatmulBackward-grad_out-shape]
 *   - grad_input and input must have the same shape. [diopiMatmulBackward-grad_input-same-shape]
 *   - grad_other and other must have the same shape. [diopiMatmulBackward-grad_other-same-shape]
 * - source: Autograd of torch.matmul
 */
DIOPI_API diopiError_t diopiMatmulBackward(diopiContextHandle_t ctx, diopiTensorHandle_t grad_input,
                                           diopiTensorHandle_t grad_other, diopiConstTensorHandle_t grad_out,
                                           diopiConstTensorHandle_t input, diopiConstTensorHandle_t other);

/**
 * Matrix beta * input + alpha * (mat1 @ mat2), `torch.addmm`.
 *
 * @param[in]  ctx    context of the call
 * @param[out] out    integral, floating, complex
 * @param[in]  input  integral, floating, complex
 * @param[in]  mat1   integral, floating, complex
 * @param[in]  mat2   integral, floating, complex
 * @param[in]  beta   scalar
 * @param[in]  alpha  scalar
 *
 * - formula: out = beta * input + alpha * (mat1 @ mat2)
 * - shape: mat1 [M, K], mat2 [K, N], out [M, N].
 * - broadcasting: input broadcasts to [M, N].
 * - strides: Any, of inputs and outputs; matrices with a packed row or column are multiplied where they lie.
 * - aliasing: Outputs may overlap inputs in any way: the product is then made in a temporary.
 * - empty: Results without elements are left alone; a sum over an inner extent of 0 is 0.
 * - nan: Products and sums are those of IEEE arithmetic, 0 * NaN and 0 * Inf included; which complex parts become NaN
 *   is not fixed.
 * - accumulation: float16 and bfloat16 sum in float32 and round once, factors and addend included; float32, float64 and
 *   complex sum in their own precision, never in a lower one; integers wrap around.
 * - determinism: The same bits for any number of threads; the order of a sum depends on dtypes, shapes and strides.
 * - checks:
 *   - mat1 must have 2 dimensions. [diopiAddmm-mat1-ndim]
 *   - mat2 must have the shape [mat1[1], any]. [diopiAddmm-mat2-shape]
 *   - out must have the shape [mat1[0], mat2[1]]. [diopiAddmm-out-shape]
 *   - input must broadcast to the shape of out. [diopiAddmm-input-broadcasts]
 *   - If out has at least 1 element and mat1 has at least 1 element, beta must fit the dtype of the computation.
 *     [diopiAddmm-beta-fits]
 *   - If out has at least 1 element and mat1 has at least 1 element, alpha must fit the dtype of the computation.
 *     [diopiAddmm-alpha-fits]
 *   - If the promoted dtype is integral and out has at least 1 element and mat1 has 0 elements, beta must be a whole
 *     number. [diopiAddmm-beta-whole]
 *   - Where no product is added to an integral input, beta must fit int64. [diopiAddmm-beta-in-int64]
 * - source: torch.addmm
 * - notes: Factors as in diopiBaddbmm.
 */
DIOPI_API diopiError_t diopiAddmm(diopiContextHandle_t ctx, diopiTensorHandle_t out, diopiConstTensorHandle_t input,
                                  diopiConstTensorHandle_t mat1, diopiConstTensorHandle_t mat2,
                                  const diopiScalar_t* beta, const diopiScalar_t* alpha);

/**
 * Linear layer input @ weight^T + bias, `torch.nn.functional.linear`.
 *
 * @param[in]  ctx     context of the call
 * @param[out] out     integral, floating, complex
 * @param[in]  input   integral, floating, complex
 * @param[in]  weight  integral, floating, complex
 * @param[in]  bias    may be null; integral, floating, complex
 *
 * - formula: out = input @ weight^T + bias
 * - shape: input [..., in], weight [out, in] or [in], out [..., out], or [...] for a weight of one dimension.
 * - broadcasting: bias broadcasts to out; it is null for a weight of one dimension.
 * - strides: Any, of inputs and outputs; matrices with a packed row or column are multiplied where they lie.
 * - aliasing: Outputs may overlap inputs in any way: the product is then made in a temporary.
 * - empty: Results without elements are left alone; a sum over an inner extent of 0 is 0.
 * - nan: Products and sums are those of IEEE arithmetic, 0 * NaN and 0 * Inf included; which complex parts become NaN
 *   is not fixed.
 * - accumulation: float16 and bfloat16 sum in float32 and round once, factors and addend included; float32, float64 and
 *   complex sum in their own precision, never in a lower one; integers wrap around.
 * - determinism: The same bits for any number of threads; the order of a sum depends on dtypes, shapes and strides.
 * - checks:
 *   - input must have at least 1 dimension. [diopiLinear-input-ndim]
 *   - weight must have 1 or 2 dimensions. [diopiLinear-weight-ndim]
 *   - input[-1] and weight[-1] must be equal. [diopiLinear-input-equal]
 *   - out must have the shape [input[:-1], weight[:-1]]. [diopiLinear-out-shape]
 *   - bias must broadcast to the shape of out. [diopiLinear-bias-broadcasts]
 *   - If weight has 1 dimension, bias must be null. [diopiLinear-bias-absent]
 * - source: torch.nn.functional.linear
 */
DIOPI_API diopiError_t diopiLinear(diopiContextHandle_t ctx, diopiTensorHandle_t out, diopiConstTensorHandle_t input,
                                   diopiConstTensorHandle_t weight, diopiConstTensorHandle_t bias);

/**
 * Gradients of diopiLinear with respect to input, weight and bias.
 *
 * @param[in]  ctx          context of the call
 * @param[out] grad_input   may be null; floating, complex
 * @param[out] grad_weight  may be null; floating, complex
 * @param[out] grad_bias    may be null; floating, complex
 * @param[in]  grad_output  floating, complex
 * @param[in]  input        floating, complex
 * @param[in]  weight       floating, complex
 *
 * - formula: With grad_output and input as matrices of rows: grad_input = grad_output @ conj(weight), grad_weight =
 *   grad_output^T @ conj(input), grad_bias = sum of grad_output over the dimensions in which bias was broadcast: of its
 *   rows for a bias [out]
 * - shape: grad_output as out of diopiLinear; grad_input as input, grad_weight as weight, grad_bias as the bias of
 *   diopiLinear: [out], or any other shape that broadcasts to that of grad_output.
 * - broadcasting: None.
 * - strides: Any, of inputs and outputs; matrices with a packed row or column are multiplied where they lie.
 * - aliasing: A gradient must not overlap what later ones read; they are written in the order grad_bias, grad_weight,
 *   grad_input.
 * - empty: Results without elements are left alone; a sum over an inner extent of 0 is 0.
 * - nan: Products and sums are those of IEEE arithmetic, 0 * NaN and 0 * Inf included; which complex parts become NaN
 *   is not fixed.
 * - accumulation: float16 and bfloat16 sum in float32 and round once, factors and addend included; float32, float64 and
 *   complex sum in their own precision, never in a lower one; integers wrap around.
 * - determinism: The same bits for any number of threads; the order of a sum depends on dtypes, shapes and strides.
 * - checks:
 *   - The checks of diopiLinear hold too, with grad_output for out, grad_bias for bias.
 *   - grad_input and input must have the same shape. [diopiLinearBackward-grad_input-same-shape]
 *   - grad_weight and weight must have the same shape. [diopiLinearBackward-grad_weight-same-shape]
 * - source: Autograd of torch.nn.functional.linear
 */
DIOPI_API diopiError_t diopiLinearBackward(diopiContextHandle_t ctx, diopiTensorHandle_t grad_input,
                                           diopiTensorHandle_t grad_weight, diopiTensorHandle_t grad_bias,
                                           diopiConstTensorHandle_t grad_output, diopiConstTensorHandle_t input,
                                           diopiConstTensorHandle_t weight);

/**
 * Matrix product of two matrices, `torch.mm`.
 *
 * @param[in]  ctx    context of the call
 * @param[out] out    integral, floating, complex
 * @param[in]  input  integral, floating, complex
 * @param[in]  mat2   integral, floating, complex
 *
 * - formula: out = input @ mat2
 * - shape: input [M, K], mat2 [K, N], out [M, N].
 * - broadcasting: None.
 * - strides: Any, of inputs and outputs; matrices with a packed row or column are multiplied where they lie.
 * - aliasing: Outputs may overlap inputs in any way: the product is then made in a temporary.
 * - empty: Results without elements are left alone; a sum over an inner extent of 0 is 0.
 * - nan: Products and sums are those of IEEE arithmetic, 0 * NaN and 0 * Inf included; which complex parts become NaN
 *   is not fixed.
 * - accumulation: float16 and bfloat16 sum in float32 and round once, factors and addend included; float32, float64 and
 *   complex sum in their own precision, never in a lower one; integers wrap around.
 * - determinism: The same bits for any number of threads; the order of a sum depends on dtypes, shapes and strides.
 * - checks:
 *   - input must have 2 dimensions. [diopiMm-input-ndim]
 *   - mat2 must have the shape [input[1], any]. [diopiMm-mat2-shape]
 *   - out must have the shape [input[0], mat2[1]]. [diopiMm-out-shape]
 * - source: torch.mm
 */
DIOPI_API diopiError_t diopiMm(diopiContextHandle_t ctx, diopiTensorHandle_t out, diopiConstTensorHandle_t input,
                               diopiConstTensorHandle_t mat2);

/** @} */

/** @name norm
 * Vector norms over dimensions and their gradient.
 * - shape: out has the shape of input without the reduced dimensions, or with 1 in their place.
 * - broadcasting: None.
 * - strides: Any for every tensor; inputs may be expanded.
 * - aliasing: Outputs overlap nothing.
 * - empty: The norm of nothing is 0; if the order is negative or infinite, it does not exist. A 0-d input has one
 *   element, and dimension 0 or -1. The norm of one element is its magnitude, also where a power of it overflows; for
 *   order 0 it is 1 or 0.
 * - nan: As IEEE arithmetic has it; a NaN makes every norm NaN, except that order 0 counts it as not zero.
 * - accumulation: Sums of powers in float64, merged pairwise; 16-bit dtypes in short float32 runs first; rounded once.
 * - determinism: The same bits for any number of threads.
 */
/** @{ */

/**
 * p-norm over dimensions, `torch.norm`.
 *
 * @param[in]  ctx    context of the call
 * @param[out] out    floating
 * @param[in]  input  floating, complex
 * @param[in]  p      null: 2
 * @param[in]  dim    empty: all dimensions
 *
 * - formula: out = (sum of |input|^p over dim)^(1 / p); p = 0 counts the elements that are not 0; p = inf, -inf is the
 *   largest, the smallest |input|
 * - checks:
 *   - dim must name dimensions of input, each at most once. [diopiNorm-dim-in-range]
 *   - If p is less than 0, input must have elements in each dimension that is reduced. [diopiNorm-input-not-empty]
 *   - If p is inf, input must have elements in each dimension that is reduced. [diopiNorm-infinite-nonempty-reduction]
 *   - out must have the shape of the result, with or without the reduced dimensions. [diopiNorm-out-shape]
 * - source: torch.norm
 * - notes: A null p means 2, as in torch.norm. Two dimensions have a vector norm too, no matrix norm. The norm of
 *   complex elements is that of their magnitudes.
 */
DIOPI_API diopiError_t diopiNorm(diopiContextHandle_t ctx, diopiTensorHandle_t out, diopiConstTensorHandle_t input,
                                 const diopiScalar_t* p, diopiSize_t dim);

/**
 * Gradient of diopiNorm with respect to its input.
 *
 * @param[in]  ctx          context of the call
 * @param[out] grad_input   floating
 * @param[in]  grad_output  floating
 * @param[in]  self         floating
 * @param[in]  norm         result of the forward call; floating
 * @param[in]  dim          empty: all dimensions
 * @param[in]  p            null: 2
 *
 * - formula: p = 0: 0; p = 1: sign(self) * grad_output; p = 2: self * grad_output / norm; p = inf, -inf: sign(self) *
 *   grad_output / k where |self| = norm or self is NaN, else 0, where k is the number of such elements; p < 1:
 *   sign(self) * |self|^(p - 1) * grad_output * norm^(1 - p), 0 where self is 0; else self * |self|^(p - 2) *
 *   grad_output / norm^(p - 1). For p > 1 the gradient is 0 where norm is 0
 * - shape: grad_input has the shape of self; norm that of self without the reduced dimensions or with 1 in their place;
 *   grad_output the shape of norm.
 * - aliasing: grad_input may be self; other overlap is not allowed.
 * - empty: Empty tensors are ordinary.
 * - nan: As IEEE arithmetic has it.
 * - accumulation: None but the count of extremes; float16 and bfloat16 are computed in float32 and rounded once.
 * - checks:
 *   - dim must name dimensions of self, each at most once. [diopiNormBackward-dim-in-range]
 *   - self and grad_input must have the same shape. [diopiNormBackward-self-same-shape]
 *   - norm must have the shape of the result of diopiNorm, with or without the reduced dimensions.
 *     [diopiNormBackward-norm-shape]
 *   - norm and grad_output must have the same shape. [diopiNormBackward-norm-same-shape]
 * - source: torch.norm
 */
DIOPI_API diopiError_t diopiNormBackward(diopiContextHandle_t ctx, diopiTensorHandle_t grad_input,
                                         diopiConstTensorHandle_t grad_output, diopiConstTensorHandle_t self,
                                         diopiConstTensorHandle_t norm, diopiSize_t dim, const diopiScalar_t* p);

/**
 * Vector norm of any order over dimensions, `torch.linalg.vector_norm`.
 *
 * @param[in]  ctx      context of the call
 * @param[out] out      floating
 * @param[in]  input    floating, complex
 * @param[in]  ord      read only, although the pointer is not const
 * @param[in]  dim      empty: all dimensions
 * @param[in]  keepdim  flag
 *
 * - formula: as diopiNorm with p = ord
 * - shape: out has the shape of input with the reduced dimensions as 1 if keepdim, else without them.
 * - checks:
 *   - dim must name dimensions of input, each at most once. [diopiLinalgVecNorm-dim-in-range]
 *   - If ord is less than 0, input must have elements in each dimension that is reduced.
 *     [diopiLinalgVecNorm-input-not-empty]
 *   - If ord is inf, input must have elements in each dimension that is reduced.
 *     [diopiLinalgVecNorm-infinite-nonempty-reduction]
 *   - out must have the shape of the result. [diopiLinalgVecNorm-out-shape]
 * - source: torch.linalg.vector_norm
 */
DIOPI_API diopiError_t diopiLinalgVecNorm(diopiContextHandle_t ctx, diopiTensorHandle_t out,
                                          diopiConstTensorHandle_t input, diopiScalar_t* ord, diopiSize_t dim,
                                          bool keepdim);

/** @} */

/** @name norm_batch
 * Batch normalisation and the steps of its synchronised form.
 * - shape: Channels are dimension 1 of input, which has at least 2 dimensions; out and grad_input have its shape. All
 *   other tensors have one element per channel. As in PyTorch the shape [0] is accepted, too, with any number of
 *   channels.
 * - broadcasting: None.
 * - strides: Any for every tensor; inputs may be expanded.
 * - aliasing: out may be input, and grad_input may be grad_output or input; other overlap is not allowed.
 * - empty: Without elements nothing is written and running statistics keep their value; gradients of the parameters are
 *   0.
 * - nan: As IEEE arithmetic has it.
 * - accumulation: Statistics and sums are merged in float64; float16 and bfloat16 are normalised in float32 and rounded
 *   once.
 * - determinism: The same bits for any number of threads.
 * - checks:
 *   - If input has at least 1 element, input must have at least 2 dimensions. [input-ndim]
 *   - out must have the shape of input. [out-shape]
 *   - grad_output must have the shape of input. [grad_output-shape]
 *   - grad_input must have the shape of input. [grad_input-shape]
 *   - If training is false, running_mean must not be null. [running_mean-given]
 *   - If training is false, running_var must not be null. [running_var-given]
 *   - weight must have 1 dimension. [weight-ndim]
 *   - bias must have 1 dimension. [bias-ndim]
 *   - running_mean must have 1 dimension. [running_mean-ndim]
 *   - running_var must have 1 dimension. [running_var-ndim]
 *   - save_mean must have 1 dimension. [save_mean-ndim]
 *   - save_invstd must have 1 dimension. [save_invstd-ndim]
 *   - grad_weight must have 1 dimension. [grad_weight-ndim]
 *   - grad_bias must have 1 dimension. [grad_bias-ndim]
 *   - If input has at least 2 dimensions, weight must have the shape [input[1]]. [weight-shape]
 *   - If input has at least 2 dimensions, bias must have the shape [input[1]]. [bias-shape]
 *   - If input has at least 2 dimensions, grad_weight must have the shape [input[1]]. [grad_weight-shape]
 *   - If input has at least 2 dimensions, grad_bias must have the shape [input[1]]. [grad_bias-shape]
 *   - If input has at least 2 dimensions and training is true, save_mean must have the shape [input[1]].
 *     [save_mean-shape]
 *   - If input has at least 2 dimensions and training is true, save_invstd must have the shape [input[1]].
 *     [save_invstd-shape]
 */
/** @{ */

/**
 * Batch normalisation over each channel, `torch.native_batch_norm`.
 *
 * @param[in]     ctx           context of the call
 * @param[out]    out           floating
 * @param[out]    save_mean     null: not wanted; written only if training is true and input has at least 1 element,
 *         otherwise left as it is; floating
 * @param[out]    save_invstd   null: not wanted; written only if training is true and input has at least 1 element,
 *         otherwise left as it is; floating
 * @param[in]     input         floating
 * @param[in]     weight        null: one; floating
 * @param[in]     bias          null: zero; floating
 * @param[in,out] running_mean  updated in training, read in evaluation; null: not tracked; floating
 * @param[in,out] running_var   updated in training, read in evaluation; null: not tracked; floating
 * @param[in]     training      flag
 * @param[in]     momentum      number
 * @param[in]     eps           number
 *
 * - formula: mean, var = running_mean, running_var in evaluation, else of input per channel, var divided by n; out =
 *   (input - mean) / sqrt(var + eps) * weight + bias
 * - checks:
 *   - If input has at least 2 dimensions, running_mean must have the shape [input[1]].
 *     [diopiBatchNorm-running_mean-shape]
 *   - If input has at least 2 dimensions, running_var must have the shape [input[1]].
 *     [diopiBatchNorm-running_var-shape]
 *   - If input has 1 dimension, running_mean, running_var, weight and bias must have the same shape.
 *     [diopiBatchNorm-running_mean-same-shape]
 *   - If input has 1 dimension and training is true, running_mean, running_var, weight, bias, save_mean and save_invstd
 *     must have the same shape. [diopiBatchNorm-statistics-same-shape]
 * - source: torch.native_batch_norm
 * - notes: In training save_mean and save_invstd receive mean and 1 / sqrt(var + eps), and running = (1 - momentum) *
 *   running + momentum * statistic, with the variance divided by n - 1.
 */
DIOPI_API diopiError_t diopiBatchNorm(diopiContextHandle_t ctx, diopiTensorHandle_t out,
                                      diopiTensorHandle_t save_mean, diopiTensorHandle_t save_invstd,
                                      diopiConstTensorHandle_t input, diopiConstTensorHandle_t weight,
                                      diopiConstTensorHandle_t bias, diopiTensorHandle_t running_mean,
                                      diopiTensorHandle_t running_var, bool training, double momentum, double eps);

/**
 * Mean and inverse standard deviation of each channel, `torch.batch_norm_stats`.
 *
 * @param[in]  ctx     context of the call
 * @param[out] mean    floating
 * @param[out] invstd  floating
 * @param[in]  input   floating
 * @param[in]  eps     number
 *
 * - formula: mean = mean of input per channel; var = mean of (input - mean)^2; invstd = 1 / sqrt(var + eps)
 * - shape: Channels are dimension 1 of input, which has at least 2 dimensions; mean and invstd have one element per
 *   channel.
 * - aliasing: Outputs overlap nothing.
 * - empty: Without elements per channel mean and invstd are NaN.
 * - checks:
 *   - input must have at least 2 dimensions. [diopiBatchNormStats-input-channels]
 *   - mean must have the shape [input[1]]. [diopiBatchNormStats-mean-shape]
 *   - invstd must have the shape [input[1]]. [diopiBatchNormStats-invstd-shape]
 * - source: torch.batch_norm_stats
 */
DIOPI_API diopiError_t diopiBatchNormStats(diopiContextHandle_t ctx, diopiTensorHandle_t mean,
                                           diopiTensorHandle_t invstd, diopiConstTensorHandle_t input, double eps);

/**
 * Combines the statistics of several devices by their counts, `torch.batch_norm_gather_stats_with_counts`.
 *
 * @param[in]     ctx           context of the call
 * @param[out]    mean          floating
 * @param[out]    invstd        floating
 * @param[in]     input         its elements are not read; floating
 * @param[in]     mean_all      mean of each device and channel; floating
 * @param[in]     invstd_all    inverse standard deviation of each device and channel; floating
 * @param[in,out] running_mean  null: not tracked; floating
 * @param[in,out] running_var   null: not tracked; floating
 * @param[in]     momentum      number
 * @param[in]     eps           number
 * @param[in]     counts        number of elements per channel of each device; floating, int32, int64
 *
 * - formula: n = sum of counts; var = 1 / invstd_all^2 - eps; mean = sum of counts * mean_all / n; q = sum of counts *
 *   var + counts * (mean_all - mean)^2; invstd = 1 / sqrt(q / n + eps); running_mean = (1 - momentum) * running_mean +
 *   momentum * mean; running_var = (1 - momentum) * running_var + momentum * q / (n - 1)
 * - shape: mean_all and invstd_all have a row for each device and a column for each channel, counts an element for each
 *   device, the other tensors an element for each channel. The shape of input has no effect.
 * - aliasing: Outputs overlap nothing.
 * - empty: Without devices all results are NaN.
 * - nan: As IEEE arithmetic has it. Nothing keeps a variance that comes from invstd_all from being negative.
 * - accumulation: In float64, rounded once.
 * - checks:
 *   - mean_all must have 2 dimensions. [diopiBatchNormGatherStatsWithCounts-mean_all-ndim]
 *   - mean_all and invstd_all must have the same shape. [diopiBatchNormGatherStatsWithCounts-mean_all-same-shape]
 *   - counts must have the shape [mean_all[0]]. [diopiBatchNormGatherStatsWithCounts-counts-shape]
 *   - mean must have the shape [mean_all[1]]. [diopiBatchNormGatherStatsWithCounts-mean-shape]
 *   - invstd must have the shape [mean_all[1]]. [diopiBatchNormGatherStatsWithCounts-invstd-shape]
 *   - running_mean must have the shape [mean_all[1]]. [diopiBatchNormGatherStatsWithCounts-running_mean-shape]
 *   - running_var must have the shape [mean_all[1]]. [diopiBatchNormGatherStatsWithCounts-running_var-shape]
 * - source: torch.batch_norm_gather_stats_with_counts
 * - notes: A total count of 1 makes running_var infinite or NaN, as in PyTorch.
 */
DIOPI_API diopiError_t diopiBatchNormGatherStatsWithCounts(diopiContextHandle_t ctx, diopiTensorHandle_t mean,
                                                           diopiTensorHandle_t invstd, diopiConstTensorHandle_t input,
                                                           diopiConstTensorHandle_t mean_all,
                                                           diopiConstTensorHandle_t invstd_all,
                                                           diopiTensorHandle_t running_mean,
                                                           diopiTensorHandle_t running_var, float momentum, float eps,
                                                           diopiConstTensorHandle_t counts);

/**
 * Per-channel sums for the synchronised backward pass, `torch.batch_norm_backward_reduce`.
 *
 * @param[in]  ctx          context of the call
 * @param[out] sum_dy       null: not wanted; written only if input_g is true, otherwise left as it is; floating
 * @param[out] sum_dy_xmu   null: not wanted; written only if input_g is true, otherwise left as it is; floating
 * @param[out] grad_weight  null: not wanted; written only if weight_g is true, otherwise left as it is; floating
 * @param[out] grad_bias    null: not wanted; written only if bias_g is true, otherwise left as it is; floating
 * @param[in]  grad_out     floating
 * @param[in]  input        floating
 * @param[in]  mean         floating
 * @param[in]  invstd       floating
 * @param[in]  weight       has no effect; may be null; floating
 * @param[in]  input_g      flag
 * @param[in]  weight_g     flag
 * @param[in]  bias_g       flag
 *
 * - formula: sum_dy = grad_bias = sum of grad_out per channel; sum_dy_xmu = sum of grad_out * (input - mean);
 *   grad_weight = sum_dy_xmu * invstd
 * - shape: Channels are dimension 1 of input, which has at least 2 dimensions; grad_out has its shape, all other
 *   tensors one element per channel.
 * - aliasing: Outputs overlap nothing.
 * - empty: Sums of nothing are 0.
 * - checks:
 *   - input must have at least 2 dimensions. [diopiBatchNormBackwardReduce-input-channels]
 *   - input and grad_out must have the same shape. [diopiBatchNormBackwardReduce-input-same-shape]
 *   - sum_dy must have the shape [input[1]]. [diopiBatchNormBackwardReduce-sum_dy-shape]
 *   - sum_dy_xmu must have the shape [input[1]]. [diopiBatchNormBackwardReduce-sum_dy_xmu-shape]
 *   - mean must have the shape [input[1]]. [diopiBatchNormBackwardReduce-mean-shape]
 *   - invstd must have the shape [input[1]]. [diopiBatchNormBackwardReduce-invstd-shape]
 * - source: torch.batch_norm_backward_reduce
 * - notes: The sums are those of this device, not divided by a count.
 */
DIOPI_API diopiError_t diopiBatchNormBackwardReduce(diopiContextHandle_t ctx, diopiTensorHandle_t sum_dy,
                                                    diopiTensorHandle_t sum_dy_xmu, diopiTensorHandle_t grad_weight,
                                                    diopiTensorHandle_t grad_bias, diopiConstTensorHandle_t grad_out,
                                                    diopiConstTensorHandle_t input, diopiConstTensorHandle_t mean,
                                                    diopiConstTensorHandle_t invstd, diopiConstTensorHandle_t weight,
                                                    bool input_g, bool weight_g, bool bias_g);

/**
 * Input gradient of synchronised batch normalisation from the sums, `torch.batch_norm_backward_elemt`.
 *
 * @param[in]  ctx         context of the call
 * @param[out] grad_input  floating
 * @param[in]  grad_out    floating
 * @param[in]  input       floating
 * @param[in]  mean        floating
 * @param[in]  invstd      floating
 * @param[in]  weight      null: one; floating
 * @param[in]  sum_dy      sum over all devices; floating
 * @param[in]  sum_dy_xmu  sum over all devices; floating
 * @param[in]  count       elements per channel of each device; any shape, only the total matters; int32
 *
 * - formula: n = sum of count; grad_input = (grad_out - sum_dy / n - (input - mean) * invstd^2 * sum_dy_xmu / n) *
 *   invstd * weight
 * - shape: Channels are dimension 1 of input, which has at least 2 dimensions; grad_out and grad_input have its shape,
 *   count any shape, all other tensors one element per channel.
 * - aliasing: grad_input may be grad_out or input; other overlap is not allowed.
 * - empty: Without elements nothing is written.
 * - checks:
 *   - input must have at least 2 dimensions. [diopiBatchNormBackwardElemt-input-channels]
 *   - input, grad_out and grad_input must have the same shape. [diopiBatchNormBackwardElemt-input-same-shape]
 *   - mean must have the shape [input[1]]. [diopiBatchNormBackwardElemt-mean-shape]
 *   - invstd must have the shape [input[1]]. [diopiBatchNormBackwardElemt-invstd-shape]
 *   - sum_dy must have the shape [input[1]]. [diopiBatchNormBackwardElemt-sum_dy-shape]
 *   - sum_dy_xmu must have the shape [input[1]]. [diopiBatchNormBackwardElemt-sum_dy_xmu-shape]
 * - source: torch.batch_norm_backward_elemt
 */
DIOPI_API diopiError_t diopiBatchNormBackwardElemt(diopiContextHandle_t ctx, diopiTensorHandle_t grad_input,
                                                   diopiConstTensorHandle_t grad_out, diopiConstTensorHandle_t input,
                                                   diopiConstTensorHandle_t mean, diopiConstTensorHandle_t invstd,
                                                   diopiConstTensorHandle_t weight, diopiConstTensorHandle_t sum_dy,
                                                   diopiConstTensorHandle_t sum_dy_xmu, diopiConstTensorHandle_t count);

/**
 * Normalises with given statistics, `torch.batch_norm_elemt`.
 *
 * @param[in]  ctx     context of the call
 * @param[out] out     floating
 * @param[in]  input   floating
 * @param[in]  weight  null: one; floating
 * @param[in]  bias    null: zero; floating
 * @param[in]  mean    floating
 * @param[in]  invstd  floating
 * @param[in]  eps     has no effect: invstd holds it
 *
 * - formula: out = (input - mean) * invstd * weight + bias
 * - shape: Channels are dimension 1 of input, which has at least 2 dimensions; out has its shape, all other tensors one
 *   element per channel.
 * - empty: Without elements nothing is written.
 * - checks:
 *   - input must have at least 2 dimensions. [diopiBatchNormElemt-input-channels]
 *   - mean must have the shape [input[1]]. [diopiBatchNormElemt-mean-shape]
 *   - invstd must have the shape [input[1]]. [diopiBatchNormElemt-invstd-shape]
 * - source: torch.batch_norm_elemt
 */
DIOPI_API diopiError_t diopiBatchNormElemt(diopiContextHandle_t ctx, diopiTensorHandle_t out,
                                           diopiConstTensorHandle_t input, diopiConstTensorHandle_t weight,
                                           diopiConstTensorHandle_t bias, diopiConstTensorHandle_t mean,
                                           diopiConstTensorHandle_t invstd, float eps);

/**
 * Gradients of diopiBatchNorm with respect to input, weight and bias, `torch.ops.aten.native_batch_norm_backward`.
 *
 * @param[in]  ctx           context of the call
 * @param[out] grad_input    may be null; floating
 * @param[out] grad_weight   may be null; floating
 * @param[out] grad_bias     may be null; floating
 * @param[in]  grad_output   floating
 * @param[in]  input         floating
 * @param[in]  weight        null: one; floating
 * @param[in]  running_mean  read where training is false; may be null otherwise; floating
 * @param[in]  running_var   read where training is false; may be null otherwise; floating
 * @param[in]  save_mean     read where training is true; may be null otherwise; floating
 * @param[in]  save_invstd   read where training is true; may be null otherwise; floating
 * @param[in]  training      flag
 * @param[in]  eps           number
 *
 * - formula: x = (input - mean) * invstd; grad_bias = sum of grad_output; grad_weight = sum of grad_output * x;
 *   grad_input = weight * invstd * (grad_output - (grad_bias + x * grad_weight) / n), without the fraction in
 *   evaluation
 * - checks:
 *   - If training is true, save_mean must not be null. [diopiBatchNormBackward-save_mean-given]
 *   - If training is true, save_invstd must not be null. [diopiBatchNormBackward-save_invstd-given]
 *   - If input has at least 2 dimensions and training is false, running_mean must have the shape [input[1]].
 *     [diopiBatchNormBackward-running_mean-shape]
 *   - If input has at least 2 dimensions and training is false, running_var must have the shape [input[1]].
 *     [diopiBatchNormBackward-running_var-shape]
 *   - If input has 1 dimension and training is false, running_mean, running_var, weight, grad_weight and grad_bias must
 *     have the same shape. [diopiBatchNormBackward-running_mean-same-shape]
 *   - If input has 1 dimension and training is true, save_mean, save_invstd, weight, grad_weight and grad_bias must
 *     have the same shape. [diopiBatchNormBackward-save_mean-same-shape]
 * - source: torch.ops.aten.native_batch_norm_backward
 * - notes: mean and invstd are save_mean and save_invstd in training, else running_mean and 1 / sqrt(running_var +
 *   eps).
 */
DIOPI_API diopiError_t diopiBatchNormBackward(diopiContextHandle_t ctx, diopiTensorHandle_t grad_input,
                                              diopiTensorHandle_t grad_weight, diopiTensorHandle_t grad_bias,
                                              diopiConstTensorHandle_t grad_output, diopiConstTensorHandle_t input,
                                              diopiConstTensorHandle_t weight, diopiConstTensorHandle_t running_mean,
                                              diopiConstTensorHandle_t running_var,
                                              diopiConstTensorHandle_t save_mean,
                                              diopiConstTensorHandle_t save_invstd, bool training, double eps);

/** @} */

/** @name norm_group
 * Group normalisation.
 * - shape: input is [N, C, ...] with C divisible by num_groups; out and grad_input have its shape, weight, bias and
 *   their gradients are [C], the statistics have N * num_groups elements.
 * - broadcasting: None.
 * - strides: Any for every tensor; inputs may be expanded.
 * - aliasing: out may be input, and grad_input may be grad_output or input; other overlap is not allowed.
 * - empty: Without elements nothing is computed; gradients of the parameters are 0.
 * - nan: As IEEE arithmetic has it.
 * - accumulation: Statistics and sums are merged in float64; float16 and bfloat16 are normalised in float32 and rounded
 *   once.
 * - determinism: The same bits for any number of threads.
 * - checks:
 *   - input must have at least 2 dimensions. [input-ndim]
 *   - num_groups must be at least 1. [num_groups-value]
 *   - input[1] must be a multiple of num_groups. [input-divisible]
 *   - out must have the shape of input. [out-shape]
 *   - grad_output must have the shape of input. [grad_output-shape]
 *   - grad_input must have the shape of input. [grad_input-shape]
 *   - weight must have the shape [input[1]]. [weight-shape]
 *   - bias must have the shape [input[1]]. [bias-shape]
 *   - grad_weight must have the shape [input[1]]. [grad_weight-shape]
 *   - grad_bias must have the shape [input[1]]. [grad_bias-shape]
 *   - save_mean must have exactly as many elements as input[0] * num_groups. [save_mean-numel]
 *   - save_invstd must have exactly as many elements as input[0] * num_groups. [save_invstd-numel]
 *   - mean must have exactly as many elements as input[0] * num_groups. [mean-numel]
 *   - rstd must have exactly as many elements as input[0] * num_groups. [rstd-numel]
 */
/** @{ */

/**
 * Normalisation over groups of channels of each sample, `torch.native_group_norm`.
 *
 * @param[in]  ctx          context of the call
 * @param[out] out          floating
 * @param[out] save_mean    floating
 * @param[out] save_invstd  floating
 * @param[in]  input        floating
 * @param[in]  weight       null: one; floating
 * @param[in]  bias         null: zero; floating
 * @param[in]  num_groups   integer
 * @param[in]  eps          number
 *
 * - formula: mean, var of each group of each sample, var divided by n; save_mean = mean; save_invstd = 1 / sqrt(var +
 *   eps); out = (input - mean) * save_invstd * weight + bias
 * - source: torch.native_group_norm
 */
DIOPI_API diopiError_t diopiGroupNorm(diopiContextHandle_t ctx, diopiTensorHandle_t out,
                                      diopiTensorHandle_t save_mean, diopiTensorHandle_t save_invstd,
                                      diopiConstTensorHandle_t input, diopiConstTensorHandle_t weight,
                                      diopiConstTensorHandle_t bias, int64_t num_groups, double eps);

/**
 * Gradients of diopiGroupNorm with respect to input, weight and bias.
 *
 * @param[in]  ctx          context of the call
 * @param[out] grad_input   may be null; floating
 * @param[out] grad_weight  may be null; floating
 * @param[out] grad_bias    may be null; floating
 * @param[in]  grad_output  floating
 * @param[in]  input        floating
 * @param[in]  weight       null: one; floating
 * @param[in]  mean         floating
 * @param[in]  rstd         floating
 * @param[in]  num_groups   integer
 *
 * - formula: x = (input - mean) * rstd; grad_bias = sum of grad_output; grad_weight = sum of grad_output * x per
 *   channel; g = weight * grad_output; grad_input = rstd * (g - (sum of g + x * sum of g * x) / n) per group
 * - source: torch.ops.aten.native_group_norm_backward
 */
DIOPI_API diopiError_t diopiGroupNormBackward(diopiContextHandle_t ctx, diopiTensorHandle_t grad_input,
                                              diopiTensorHandle_t grad_weight, diopiTensorHandle_t grad_bias,
                                              diopiConstTensorHandle_t grad_output, diopiConstTensorHandle_t input,
                                              diopiConstTensorHandle_t weight, diopiConstTensorHandle_t mean,
                                              diopiConstTensorHandle_t rstd, int64_t num_groups);

/** @} */

/** @name norm_instance
 * Instance normalisation and scaling to unit norm, with the axis given.
 * - broadcasting: None.
 * - strides: Any for every tensor; inputs may be expanded.
 * - nan: As IEEE arithmetic has it.
 * - determinism: The same bits for any number of threads.
 */
/** @{ */

/**
 * Normalises the dimensions from axis on for each index of those before it, as `torch.nn.functional.instance_norm`.
 *
 * @param[in]  ctx     context of the call
 * @param[out] output  floating
 * @param[in]  input   floating
 * @param[in]  axis    the first dimension that is normalised; usually 2, behind batch and channels
 * @param[in]  scale   null: one; floating
 * @param[in]  bias    null: zero; floating
 * @param[in]  eps     number
 *
 * - formula: mean, var over the dimensions from axis on, var divided by n; output = (input - mean) / sqrt(var + eps) *
 *   scale[c] + bias[c], where c is the row-major index of the dimensions 1 to axis - 1
 * - shape: output has the shape of input, scale and bias as many elements as the dimensions 1 to axis - 1 of input
 *   together.
 * - aliasing: output may be input; other overlap is not allowed.
 * - empty: Empty tensors are ordinary.
 * - accumulation: Statistics are merged in float64; float16 and bfloat16 are computed in float32 and rounded once.
 * - checks:
 *   - input must have at least 1 dimension. [diopiInstanceNorm-input-ndim]
 *   - axis must be a dimension of input. [diopiInstanceNorm-axis-in-range]
 *   - input and output must have the same shape. [diopiInstanceNorm-input-same-shape]
 *   - scale must have exactly as many elements as the product of input[1:axis]. [diopiInstanceNorm-scale-numel]
 *   - bias must have exactly as many elements as the product of input[1:axis]. [diopiInstanceNorm-bias-numel]
 * - source: torch.nn.functional.instance_norm
 */
DIOPI_API diopiError_t diopiInstanceNorm(diopiContextHandle_t ctx, diopiTensorHandle_t output,
                                         diopiConstTensorHandle_t input, const int64_t axis,
                                         diopiConstTensorHandle_t scale, diopiConstTensorHandle_t bias,
                                         const double eps);

/**
 * Gradients of diopiInstanceNorm with respect to input, scale and bias.
 *
 * @param[in]  ctx          context of the call
 * @param[out] grad_input   may be null; floating
 * @param[out] grad_scale   may be null; floating
 * @param[out] grad_bias    may be null; floating
 * @param[in]  grad_output  floating
 * @param[in]  input        floating
 * @param[in]  scale        null: one; floating
 * @param[in]  bias         has no effect; may be null; floating
 * @param[in]  axis         integer
 * @param[in]  eps          number
 *
 * - formula: r = 1 / sqrt(var + eps), x = (input - mean) * r with the statistics of the forward call; grad_bias,
 *   grad_scale = sums of grad_output, grad_output * x for each c; g = scale[c] * grad_output; grad_input = r * (g -
 *   mean(g) - x * mean(g * x))
 * - shape: grad_input has the shape of input, scale, bias and their gradients as many elements as the dimensions 1 to
 *   axis - 1 of input together.
 * - aliasing: grad_input may be grad_output or input; other overlap is not allowed.
 * - empty: Empty tensors are ordinary.
 * - accumulation: Statistics and sums are merged in float64; float16 and bfloat16 are computed in float32 and rounded
 *   once.
 * - checks:
 *   - input must have at least 1 dimension. [diopiInstanceNormBackward-input-ndim]
 *   - axis must be a dimension of input. [diopiInstanceNormBackward-axis-in-range]
 *   - input, grad_output and grad_input must have the same shape. [diopiInstanceNormBackward-input-same-shape]
 *   - scale must have exactly as many elements as the product of input[1:axis]. [diopiInstanceNormBackward-scale-numel]
 *   - grad_scale must have exactly as many elements as the product of input[1:axis].
 *     [diopiInstanceNormBackward-grad_scale-numel]
 *   - grad_bias must have exactly as many elements as the product of input[1:axis].
 *     [diopiInstanceNormBackward-grad_bias-numel]
 * - source: torch.nn.functional.instance_norm
 * - notes: Statistics are computed again from input, because the forward call saves none.
 */
DIOPI_API diopiError_t diopiInstanceNormBackward(diopiContextHandle_t ctx, diopiTensorHandle_t grad_input,
                                                 diopiTensorHandle_t grad_scale, diopiTensorHandle_t grad_bias,
                                                 diopiConstTensorHandle_t grad_output, diopiConstTensorHandle_t input,
                                                 diopiConstTensorHandle_t scale, diopiConstTensorHandle_t bias,
                                                 const int64_t axis, const double eps);

/**
 * Divides by the p-norm along axis, at least eps, `torch.nn.functional.normalize`.
 *
 * @param[in]  ctx     context of the call
 * @param[out] output  floating, complex
 * @param[in]  input   floating, complex
 * @param[in]  p       number
 * @param[in]  axis    integer
 * @param[in]  eps     a negative one has no effect
 *
 * - formula: output = input / max(norm, eps), where norm is that of order p along axis as in diopiNorm
 * - shape: output has the shape of input.
 * - aliasing: output may be input; other overlap is not allowed.
 * - empty: The norm of nothing is 0; if the order is negative or infinite, it does not exist.
 * - accumulation: Sums of powers in float64; 16-bit dtypes in short float32 runs first; the quotient is rounded once.
 * - checks:
 *   - axis must be a dimension of input. [diopiNormalize-axis-in-range]
 *   - input and output must have the same shape. [diopiNormalize-input-same-shape]
 *   - The dtype of input must be castable to the dtype of output. [diopiNormalize-output-castable]
 *   - If p is less than 0, input[axis] must be at least 1. [diopiNormalize-input-extent]
 *   - If p is greater than 3.40282e+38, input[axis] must be at least 1. [diopiNormalize-infinite-axis-extent]
 * - source: torch.nn.functional.normalize
 */
DIOPI_API diopiError_t diopiNormalize(diopiContextHandle_t ctx, diopiTensorHandle_t output,
                                      diopiConstTensorHandle_t input, const float p, const int64_t axis,
                                      const double eps);

/**
 * Gradient of diopiNormalize with respect to its input.
 *
 * @param[in]  ctx          context of the call
 * @param[out] grad_input   floating
 * @param[in]  grad_output  floating
 * @param[in]  input        floating
 * @param[in]  p            number
 * @param[in]  axis         integer
 * @param[in]  eps          number
 *
 * As diopiNormalize, except:
 * - formula: d = max(norm, eps); c = - sum of grad_output * input along axis / d^2, 0 where norm < eps; grad_input =
 *   grad_output / d + the gradient of diopiNorm for c
 * - shape: grad_input and grad_output have the shape of input.
 * - aliasing: grad_input may be grad_output or input; other overlap is not allowed.
 * - checks:
 *   - input, grad_output and grad_input must have the same shape. [diopiNormalizeBackward-input-same-shape]
 * - source: torch.nn.functional.normalize
 */
DIOPI_API diopiError_t diopiNormalizeBackward(diopiContextHandle_t ctx, diopiTensorHandle_t grad_input,
                                              diopiConstTensorHandle_t grad_output, diopiConstTensorHandle_t input,
                                              const float p, const int64_t axis, const double eps);

/** @} */

/** @name norm_layer
 * Layer normalisation.
 * - shape: normalized_shape is the end of the shape of input; out and grad_input have the shape of input, weight, bias
 *   and their gradients normalized_shape, the statistics the leading dimensions, with or without a 1 for each
 *   normalised one.
 * - broadcasting: None.
 * - strides: Any for every tensor; inputs may be expanded.
 * - aliasing: out may be input, and grad_input may be grad_output or input; other overlap is not allowed.
 * - empty: Empty tensors are ordinary.
 * - nan: As IEEE arithmetic has it.
 * - accumulation: float16 and bfloat16 are computed in float32 and rounded once; sums over rows are pairwise.
 * - determinism: The same bits for any number of threads.
 * - checks:
 *   - normalized_shape must have at least 1 entry. [normalized_shape-length]
 *   - normalized_shape must be the end of the shape of input. [normalized_shape-end]
 *   - out must have the shape of input. [out-shape]
 *   - grad_output must have the shape of input. [grad_output-shape]
 *   - grad_input must have the shape of input. [grad_input-shape]
 *   - weight must have the shape of normalized_shape. [weight-shape]
 *   - grad_weight must have the shape of normalized_shape. [grad_weight-shape]
 *   - grad_bias must have the shape of normalized_shape. [grad_bias-shape]
 */
/** @{ */

/**
 * Layer normalisation over the dimensions from begin_norm_axis on, `torch.native_layer_norm`.
 *
 * @param[in]  ctx              context of the call
 * @param[out] out              floating
 * @param[out] running_mean     mean of each normalised slice, for the backward call; floating
 * @param[out] running_var      inverse standard deviation, 1 / sqrt(variance + eps), of each normalised slice, for the
 *         backward call; floating
 * @param[in]  input            floating
 * @param[in]  weight           null: one; floating
 * @param[in]  bias             null: zero; floating
 * @param[in]  eps              number
 * @param[in]  begin_norm_axis  the first dimension that is normalised
 *
 * - formula: mean, var over the dimensions from begin_norm_axis on, var divided by n; running_mean = mean; running_var
 *   = 1 / sqrt(var + eps); out = (input - mean) * running_var * weight + bias
 * - shape: out has the shape of input, weight and bias that of the normalised dimensions, the statistics that of the
 *   dimensions before them.
 * - checks:
 *   - input must have at least 1 dimension. [diopiLayerNormGB-input-ndim]
 *   - begin_norm_axis must be a dimension of input. [diopiLayerNormGB-begin_norm_axis-in-range]
 *   - weight must have the shape input[begin_norm_axis:]. [diopiLayerNormGB-weight-shape]
 *   - bias must have the shape input[begin_norm_axis:]. [diopiLayerNormGB-bias-shape]
 *   - running_mean must have the shape input[:begin_norm_axis]. [diopiLayerNormGB-running_mean-shape]
 *   - running_var must have the shape input[:begin_norm_axis]. [diopiLayerNormGB-running_var-shape]
 * - source: torch.native_layer_norm
 * - notes: The names of the statistics are historical: running_mean receives the mean and running_var the inverse
 *   standard deviation of each slice of this call, nothing is averaged over calls.
 */
DIOPI_API diopiError_t diopiLayerNormGB(diopiContextHandle_t ctx, diopiTensorHandle_t out,
                                        diopiTensorHandle_t running_mean, diopiTensorHandle_t running_var,
                                        diopiConstTensorHandle_t input, diopiConstTensorHandle_t weight,
                                        diopiConstTensorHandle_t bias, const double eps, const int64_t begin_norm_axis);

/**
 * Layer normalisation over the last dimensions, `torch.native_layer_norm`.
 *
 * @param[in]  ctx               context of the call
 * @param[out] out               floating
 * @param[out] save_mean         floating
 * @param[out] save_invstd       floating
 * @param[in]  input             floating
 * @param[in]  weight            null: one; floating
 * @param[in]  bias              null: zero; floating
 * @param[in]  normalized_shape  list of integers
 * @param[in]  eps               number
 *
 * - formula: mean, var over the normalised dimensions, var divided by n; save_mean = mean; save_invstd = 1 / sqrt(var +
 *   eps); out = (input - mean) * save_invstd * weight + bias
 * - checks:
 *   - bias must have the shape of normalized_shape. [diopiLayerNorm-bias-shape]
 *   - save_mean must have the shape of the result, with or without the reduced dimensions.
 *     [diopiLayerNorm-save_mean-shape]
 *   - save_invstd must have the shape of the result, with or without the reduced dimensions.
 *     [diopiLayerNorm-save_invstd-shape]
 * - source: torch.native_layer_norm
 */
DIOPI_API diopiError_t diopiLayerNorm(diopiContextHandle_t ctx, diopiTensorHandle_t out,
                                      diopiTensorHandle_t save_mean, diopiTensorHandle_t save_invstd,
                                      diopiConstTensorHandle_t input, diopiConstTensorHandle_t weight,
                                      diopiConstTensorHandle_t bias, diopiSize_t normalized_shape, double eps);

/**
 * Gradients of diopiLayerNorm with respect to input, weight and bias, `torch.ops.aten.native_layer_norm_backward`.
 *
 * @param[in]  ctx               context of the call
 * @param[out] grad_input        may be null; floating
 * @param[out] grad_weight       may be null; floating
 * @param[out] grad_bias         may be null; floating
 * @param[in]  grad_output       floating
 * @param[in]  input             floating
 * @param[in]  weight            null: one; floating
 * @param[in]  bias              has no effect; may be null; floating
 * @param[in]  mean              floating
 * @param[in]  rstd              floating
 * @param[in]  normalized_shape  list of integers
 *
 * - formula: x = (input - mean) * rstd; grad_bias, grad_weight = sums of grad_output, grad_output * x over the leading
 *   dimensions; g = weight * grad_output; grad_input = rstd * (g - (sum of g + x * sum of g * x) / n)
 * - checks:
 *   - bias must have exactly as many dimensions as the length of normalized_shape. [diopiLayerNormBackward-bias-ndim]
 *   - mean must have the shape of save_mean of diopiLayerNorm, with or without the reduced dimensions.
 *     [diopiLayerNormBackward-mean-shape]
 *   - rstd must have the shape of save_invstd of diopiLayerNorm, with or without the reduced dimensions.
 *     [diopiLayerNormBackward-rstd-shape]
 * - source: torch.ops.aten.native_layer_norm_backward
 */
DIOPI_API diopiError_t diopiLayerNormBackward(diopiContextHandle_t ctx, diopiTensorHandle_t grad_input,
                                              diopiTensorHandle_t grad_weight, diopiTensorHandle_t grad_bias,
                                              diopiConstTensorHandle_t grad_output, diopiConstTensorHandle_t input,
                                              diopiConstTensorHandle_t weight, diopiConstTensorHandle_t bias,
                                              diopiConstTensorHandle_t mean, diopiConstTensorHandle_t rstd,
                                              diopiSize_t normalized_shape);

/**
 * Gradients of diopiLayerNormGB with respect to input, weight and bias.
 *
 * @param[in]  ctx              context of the call
 * @param[out] grad_input       may be null; floating
 * @param[out] grad_weight      may be null; floating
 * @param[out] grad_bias        may be null; floating
 * @param[in]  grad_output      floating
 * @param[in]  input            floating
 * @param[in]  weight           null: one; floating
 * @param[in]  bias             has no effect; may be null; floating
 * @param[in]  running_mean     running_mean of the forward call; floating
 * @param[in]  running_std      running_var of the forward call: the inverse standard deviation; floating
 * @param[in]  begin_norm_axis  integer
 *
 * - formula: x = (input - running_mean) * running_std; grad_bias, grad_weight = sums of grad_output, grad_output * x
 *   over the dimensions before begin_norm_axis; g = weight * grad_output; grad_input = running_std * (g - (sum of g + x
 *   * sum of g * x) / n)
 * - shape: grad_input has the shape of input, weight, bias and their gradients that of the normalised dimensions, the
 *   statistics that of the dimensions before them.
 * - checks:
 *   - input must have at least 1 dimension. [diopiLayerNormGBBackward-input-ndim]
 *   - begin_norm_axis must be a dimension of input. [diopiLayerNormGBBackward-begin_norm_axis-in-range]
 *   - If begin_norm_axis is at least 0, bias must have exactly as many dimensions as the number of dimensions of input
 *     - begin_norm_axis. [diopiLayerNormGBBackward-bias-ndim]
 *   - weight must have the shape input[begin_norm_axis:]. [diopiLayerNormGBBackward-weight-shape]
 *   - grad_weight must have the shape input[begin_norm_axis:]. [diopiLayerNormGBBackward-grad_weight-shape]
 *   - grad_bias must have the shape input[begin_norm_axis:]. [diopiLayerNormGBBackward-grad_bias-shape]
 *   - running_mean must have the shape of running_mean of diopiLayerNormGB.
 *     [diopiLayerNormGBBackward-running_mean-shape]
 *   - running_std must have the shape of running_var of diopiLayerNormGB. [diopiLayerNormGBBackward-running_std-shape]
 * - source: torch.ops.aten.native_layer_norm_backward
 * - notes: running_std is the statistic that the forward call wrote to running_var, 1 / sqrt(variance + eps); a
 *   standard deviation, as the name suggests, gives wrong gradients. Statistics without dimensions may have the shape
 *   [1], as in the forward call.
 */
DIOPI_API diopiError_t diopiLayerNormGBBackward(diopiContextHandle_t ctx, diopiTensorHandle_t grad_input,
                                                diopiTensorHandle_t grad_weight, diopiTensorHandle_t grad_bias,
                                                diopiConstTensorHandle_t grad_output, diopiConstTensorHandle_t input,
                                                diopiConstTensorHandle_t weight, diopiConstTensorHandle_t bias,
                                                diopiConstTensorHandle_t running_mean,
                                                diopiConstTensorHandle_t running_std, const int64_t begin_norm_axis);

/** @} */

/** @name optimizer
 * One step of an optimiser, in place.
 * - shape: All tensors have the shape of param.
 * - broadcasting: None.
 * - strides: Any, also different ones for each tensor.
 * - aliasing: param and the state share no memory with each other.
 * - empty: Nothing happens.
 * - nan: As the formula gives it. Without weight decay an infinite parameter does not reach the gradient.
 * - accumulation: float64 where any tensor is float64, else float32; every result is rounded once to its tensor's
 *   dtype.
 * - determinism: The same bits for any number of threads; each element depends on its own state only.
 */
/** @{ */

/**
 * One step of stochastic gradient descent with momentum, `torch.optim.SGD`.
 *
 * @param[in]     ctx           context of the call
 * @param[in,out] param         floating
 * @param[in]     grad          read only, although the handle is not const; floating
 * @param[in,out] buf           momentum buffer; null in a first step whose buffer is not kept, or where momentum is 0;
 *         floating
 * @param[in]     lr            number
 * @param[in]     momentum      number
 * @param[in]     dampening     number
 * @param[in]     weight_decay  number
 * @param[in]     nesterov      flag
 *
 * - formula: g = grad + weight_decay * param; buf = momentum * buf + (1 - dampening) * g; param = param - lr *
 *   (nesterov ? g + momentum * buf : buf), where g stands for buf if that is null; without momentum param = param - lr
 *   * g
 * - checks:
 *   - param, grad and buf must have the same shape. [diopiSgd-param-same-shape]
 * - source: torch.optim.SGD
 * - notes: A buf that is given is always updated by the formula. PyTorch starts with buf = g, whatever dampening is; so
 *   does a call without buf, after which the framework sets its buffer to g. Or it passes zeros and dampening 0 in the
 *   first step. Without momentum buf is not touched. nesterov is computed as it stands, also where torch.optim.SGD
 *   refuses to be made so, with dampening or without momentum.
 */
DIOPI_API diopiError_t diopiSgd(diopiContextHandle_t ctx, diopiTensorHandle_t param, diopiTensorHandle_t grad,
                                diopiTensorHandle_t buf, double lr, double momentum, double dampening,
                                double weight_decay, bool nesterov);

/**
 * Scales gradients so that their joint norm is at most max_norm, `torch.nn.utils.clip_grad_norm_`.
 *
 * @param[in]     ctx                 context of the call
 * @param[out]    out                 host memory that receives the norm before clipping
 * @param[in,out] grads               list of `num_grads` tensors; floating
 * @param[in]     num_grads           integer
 * @param[in]     max_norm            number
 * @param[in]     norm_type           number
 * @param[in]     error_if_nonfinite  flag
 *
 * - formula: out = ||(||grads[0]||, ||grads[1]||, ...)|| of order norm_type; grads[k] = grads[k] * min(1, max_norm /
 *   (out + 1e-6))
 * - shape: Any for each gradient.
 * - aliasing: Gradients do not overlap.
 * - empty: Without gradients out is 0. The norm of a gradient without elements is 0, but infinity if the order is
 *   negative. PyTorch refuses it for infinite and negative orders.
 * - nan: A norm of NaN makes all gradients NaN, unless error_if_nonfinite refuses it.
 * - accumulation: Norms in float64, in parts that do not depend on the number of threads; products in the compute
 *   dtype.
 * - checks:
 *   - norm_type must not be NaN. [diopiClipGradNorm-norm_type-value]
 *   - The norm must be finite if error_if_nonfinite is set. A device may report this when the stream is synchronised.
 *     [diopiClipGradNorm-norm-finite]
 * - source: torch.nn.utils.clip_grad_norm_
 * - notes: The order may be 0 (how many gradients are not all zero), infinite of either sign, or any other number.
 */
DIOPI_API diopiError_t diopiClipGradNorm(diopiContextHandle_t ctx, double* out, diopiTensorHandle_t* grads,
                                         int64_t num_grads, double max_norm, double norm_type, bool error_if_nonfinite);

/**
 * One step of AdamW for a list of parameters, `torch._fused_adamw_`.
 *
 * @param[in]     ctx              context of the call
 * @param[in,out] params           list of `nums` tensors; floating
 * @param[in]     grads            list of `nums` tensors; floating
 * @param[in,out] exp_avgs         list of `nums` tensors; floating
 * @param[in,out] exp_avg_sqs      list of `nums` tensors; floating
 * @param[in,out] max_exp_avg_sqs  list of `nums` tensors; may be null where amsgrad is false; floating
 * @param[in]     state_steps      list of `nums` tensors; number of this step, one per parameter; integral, floating
 * @param[in]     nums             integer
 * @param[in]     lr               number
 * @param[in]     beta1            number
 * @param[in]     beta2            number
 * @param[in]     eps              number
 * @param[in]     weight_decay     number
 * @param[in]     amsgrad          flag
 * @param[in]     maximize         flag
 *
 * As diopiAdam, except:
 * - formula: for each k: params[k] = params[k] * (1 - lr * weight_decay), then as diopiAdam with g = maximize ?
 *   -grads[k] : grads[k] and step = state_steps[k]
 * - shape: The tensors number k of all lists have the same shape; state_steps hold one element each.
 * - checks:
 *   - params, grads, exp_avgs, exp_avg_sqs and max_exp_avg_sqs must have the same shape.
 *     [diopiFusedAdamW-params-same-shape]
 *   - state_steps must have 1 element. [diopiFusedAdamW-state_steps-numel]
 *   - Each element of state_steps must be at least 1. A device may report this when the stream is synchronised.
 *     [diopiFusedAdamW-state_steps-elements]
 *   - If amsgrad is true, max_exp_avg_sqs must not be null. [diopiFusedAdamW-max_exp_avg_sqs-given]
 * - source: torch._fused_adamw_
 * - notes: Nothing is written unless all lists are valid. The steps are those of this call, counted before it.
 */
DIOPI_API diopiError_t diopiFusedAdamW(diopiContextHandle_t ctx, diopiTensorHandle_t* params,
                                       diopiConstTensorHandle_t* grads, diopiTensorHandle_t* exp_avgs,
                                       diopiTensorHandle_t* exp_avg_sqs, diopiTensorHandle_t* max_exp_avg_sqs,
                                       diopiConstTensorHandle_t* state_steps, int64_t nums, double lr, double beta1,
                                       double beta2, double eps, double weight_decay, bool amsgrad, bool maximize);

/**
 * One step of AdamW, decoupled weight decay, `torch.optim.AdamW`.
 *
 * @param[in]     ctx             context of the call
 * @param[in,out] param           floating
 * @param[in]     grad            floating
 * @param[in,out] exp_avg         floating
 * @param[in,out] exp_avg_sq      floating
 * @param[in,out] max_exp_avg_sq  may be null where amsgrad is false; floating
 * @param[in]     lr              number
 * @param[in]     beta1           number
 * @param[in]     beta2           number
 * @param[in]     eps             number
 * @param[in]     weight_decay    number
 * @param[in]     step            number of this step, from 1
 * @param[in]     amsgrad         flag
 *
 * As diopiAdam, except:
 * - formula: param = param * (1 - lr * weight_decay), then as diopiAdam with g = grad
 * - source: torch.optim.AdamW
 */
DIOPI_API diopiError_t diopiAdamW(diopiContextHandle_t ctx, diopiTensorHandle_t param, diopiConstTensorHandle_t grad,
                                  diopiTensorHandle_t exp_avg, diopiTensorHandle_t exp_avg_sq,
                                  diopiTensorHandle_t max_exp_avg_sq, float lr, float beta1, float beta2, float eps,
                                  float weight_decay, int64_t step, bool amsgrad);

/**
 * One step of Adadelta, `torch.optim.Adadelta`.
 *
 * @param[in]     ctx           context of the call
 * @param[in,out] param         floating
 * @param[in]     grad          floating
 * @param[in,out] square_avg    floating
 * @param[in,out] acc_delta     floating
 * @param[in]     lr            number
 * @param[in]     rho           number
 * @param[in]     eps           number
 * @param[in]     weight_decay  number
 *
 * - formula: g = grad + weight_decay * param; square_avg = rho * square_avg + (1 - rho) * g^2; d = sqrt(acc_delta +
 *   eps) / sqrt(square_avg + eps) * g; acc_delta = rho * acc_delta + (1 - rho) * d^2; param = param - lr * d
 * - checks:
 *   - param, grad, square_avg and acc_delta must have the same shape. [diopiAdadelta-param-same-shape]
 * - source: torch.optim.Adadelta
 */
DIOPI_API diopiError_t diopiAdadelta(diopiContextHandle_t ctx, diopiTensorHandle_t param,
                                     diopiConstTensorHandle_t grad, diopiTensorHandle_t square_avg,
                                     diopiTensorHandle_t acc_delta, float lr, float rho, float eps, float weight_decay);

/**
 * One step of Adam, `torch.optim.Adam`.
 *
 * @param[in]     ctx             context of the call
 * @param[in,out] param           floating
 * @param[in]     grad            floating
 * @param[in,out] exp_avg         floating
 * @param[in,out] exp_avg_sq      floating
 * @param[in,out] max_exp_avg_sq  may be null where amsgrad is false; floating
 * @param[in]     lr              number
 * @param[in]     beta1           number
 * @param[in]     beta2           number
 * @param[in]     eps             number
 * @param[in]     weight_decay    number
 * @param[in]     step            number of this step, from 1
 * @param[in]     amsgrad         flag
 *
 * - formula: g = grad + weight_decay * param; exp_avg = exp_avg + (1 - beta1) * (g - exp_avg); exp_avg_sq = beta2 *
 *   exp_avg_sq + (1 - beta2) * g^2; v = amsgrad ? max_exp_avg_sq = max(max_exp_avg_sq, exp_avg_sq) : exp_avg_sq; param
 *   = param - lr / (1 - beta1^step) * exp_avg / (sqrt(v) / sqrt(1 - beta2^step) + eps)
 * - checks:
 *   - param, grad, exp_avg, exp_avg_sq and max_exp_avg_sq must have the same shape. [diopiAdam-param-same-shape]
 *   - step must be at least 1. [diopiAdam-step-value]
 *   - If amsgrad is true, max_exp_avg_sq must not be null. [diopiAdam-max_exp_avg_sq-given]
 * - source: torch.optim.Adam
 * - notes: Without amsgrad max_exp_avg_sq is not touched. The corrections are computed in float64 from the float
 *   arguments.
 */
DIOPI_API diopiError_t diopiAdam(diopiContextHandle_t ctx, diopiTensorHandle_t param, diopiConstTensorHandle_t grad,
                                 diopiTensorHandle_t exp_avg, diopiTensorHandle_t exp_avg_sq,
                                 diopiTensorHandle_t max_exp_avg_sq, float lr, float beta1, float beta2, float eps,
                                 float weight_decay, int64_t step, bool amsgrad);

/**
 * One step of RMSprop, `torch.optim.RMSprop`.
 *
 * @param[in]     ctx           context of the call
 * @param[in,out] param         floating
 * @param[in]     grad          floating
 * @param[in,out] square_avg    floating
 * @param[in,out] grad_avg      may be null where centered is false; floating
 * @param[in,out] momentum_buf  may be null where momentum is 0; floating
 * @param[in]     lr            number
 * @param[in]     alpha         number
 * @param[in]     eps           number
 * @param[in]     weight_decay  number
 * @param[in]     momentum      number
 * @param[in]     centered      flag
 *
 * - formula: g = grad + weight_decay * param; square_avg = alpha * square_avg + (1 - alpha) * g^2; centered: grad_avg =
 *   grad_avg + (1 - alpha) * (g - grad_avg), v = square_avg - grad_avg^2, else v = square_avg; d = g / (sqrt(v) + eps);
 *   momentum > 0: momentum_buf = momentum * momentum_buf + d, d = momentum_buf; param = param - lr * d
 * - checks:
 *   - param, grad, square_avg, grad_avg and momentum_buf must have the same shape. [diopiRmsprop-param-same-shape]
 *   - If centered is true, grad_avg must not be null. [diopiRmsprop-grad_avg-given]
 *   - If momentum is greater than 0, momentum_buf must not be null. [diopiRmsprop-momentum_buf-given]
 * - source: torch.optim.RMSprop
 * - notes: State that the settings do not use is not touched.
 */
DIOPI_API diopiError_t diopiRmsprop(diopiContextHandle_t ctx, diopiTensorHandle_t param,
                                    diopiConstTensorHandle_t grad, diopiTensorHandle_t square_avg,
                                    diopiTensorHandle_t grad_avg, diopiTensorHandle_t momentum_buf, float lr,
                                    float alpha, float eps, float weight_decay, float momentum, bool centered);

/** @} */

/** @name permute
 * Reordering, repeating and padding elements.
 * - broadcasting: None.
 * - strides: Any for every tensor; inputs may be expanded.
 * - empty: Empty and 0-d tensors are ordinary.
 * - nan: Moved unchanged, like every other value.
 * - determinism: Exact, so the same bits for any number of threads.
 * - checks:
 *   - The dtype of input must be castable to the dtype of out. [out-castable]
 */
/** @{ */

/**
 * Copy with two dimensions swapped, `torch.transpose`.
 *
 * @param[in]  ctx    context of the call
 * @param[out] out    integral, floating, complex, bool
 * @param[in]  input  integral, floating, complex, bool
 * @param[in]  dim0   integer
 * @param[in]  dim1   integer
 *
 * - formula: out = input with dimensions dim0 and dim1 exchanged
 * - shape: out has the shape of input with both extents exchanged.
 * - aliasing: out may overlap input; the result is that of a copy of input.
 * - accumulation: None; input is converted to the dtype of out as diopiCastDtype does it.
 * - checks:
 *   - dim0 must be a dimension of input. [diopiTranspose-dim0-in-range]
 *   - dim1 must be a dimension of input. [diopiTranspose-dim1-in-range]
 *   - out must have the shape of the result. [diopiTranspose-out-shape]
 * - source: torch.transpose
 */
DIOPI_API diopiError_t diopiTranspose(diopiContextHandle_t ctx, diopiTensorHandle_t out,
                                      diopiConstTensorHandle_t input, int64_t dim0, int64_t dim1);

/**
 * Copy of input broadcast to the shape of out, `torch.Tensor.expand`.
 *
 * @param[in]  ctx    context of the call
 * @param[out] out    integral, floating, complex, bool
 * @param[in]  input  integral, floating, complex, bool
 *
 * - formula: out[i] = input[i] with i = 0 in dimensions of extent 1
 * - shape: input broadcasts to the shape of out.
 * - broadcasting: input to out.
 * - aliasing: out may overlap input; the result is that of a copy of input.
 * - accumulation: None; input is converted to the dtype of out as diopiCastDtype does it.
 * - checks:
 *   - input must broadcast to the shape of out. [diopiExpand-input-broadcasts]
 * - source: torch.Tensor.expand
 */
DIOPI_API diopiError_t diopiExpand(diopiContextHandle_t ctx, diopiTensorHandle_t out, diopiConstTensorHandle_t input);

/**
 * Copy with dimensions reordered, `torch.permute`.
 *
 * @param[in]  ctx    context of the call
 * @param[out] out    integral, floating, complex, bool
 * @param[in]  input  integral, floating, complex, bool
 * @param[in]  dims   list of integers
 *
 * - formula: dimension k of out is dimension dims[k] of input
 * - shape: out has the shape of input in the order of dims.
 * - aliasing: out may overlap input; the result is that of a copy of input.
 * - accumulation: None; input is converted to the dtype of out as diopiCastDtype does it.
 * - checks:
 *   - dims must name each dimension of input exactly once. [diopiPermute-dims-in-range]
 *   - out must have the shape of the result. [diopiPermute-out-shape]
 * - source: torch.permute
 */
DIOPI_API diopiError_t diopiPermute(diopiContextHandle_t ctx, diopiTensorHandle_t out, diopiConstTensorHandle_t input,
                                    diopiSize_t dims);

/**
 * Pads with a constant, by reflection, replication or wrapping, `torch.nn.functional.pad`.
 *
 * @param[in]  ctx    context of the call
 * @param[out] out    integral, floating, complex, bool
 * @param[in]  input  integral, floating, complex, bool
 * @param[in]  pad    pairs of amounts, last dimension first; negative: crop
 * @param[in]  mode   "constant", "reflect", "replicate" or "circular"
 * @param[in]  value  null: 0
 *
 * - formula: out[i] = input[s] with s = i - before where that is a position of input, else: value (constant); input[-s]
 *   or input[2 * (n - 1) - s] (reflect); the nearest element (replicate); input[s modulo n] (circular)
 * - shape: out has the shape of input; the dimension that a pair (before, after) pads has before + after elements more.
 * - aliasing: out may overlap input; the result is that of a copy of input.
 * - accumulation: None; value is converted to the dtype of input, and the result to the dtype of out as diopiCastDtype
 *   does it.
 * - checks:
 *   - mode must be "constant", "reflect", "replicate" or "circular". [diopiPad-mode-string]
 *   - If mode is reflect or replicate, the dtype of input must not be bool. [diopiPad-input-dtype]
 *   - pad must have two entries for each of at most as many dimensions as input has. [diopiPad-pad-length]
 *   - No dimension of the result may have fewer than 0 elements. [diopiPad-pad-extent]
 *   - In the modes reflect, replicate and circular, pad must have one to three pairs, and input one or two dimensions
 *     more than pad has pairs. [diopiPad-pad-ndim]
 *   - In a padded dimension with n elements, an amount must be less than n (reflect), or at most the number of elements
 *     that negative amounts leave of n (circular), and n must not be 0 (reflect, replicate). [diopiPad-pad-amount]
 *   - If mode is constant, value must fit the dtype of input. [diopiPad-value-fits]
 *   - out must have the shape of the result. [diopiPad-out-shape]
 * - source: torch.nn.functional.pad
 * - notes: A dimension of which negative amounts remove elements is read as if nothing had been removed, except in the
 *   mode circular, which wraps what is left. value has no effect in other modes than constant. Where negative amounts
 *   leave fewer elements than a circular pad reads, PyTorch reads what it has written before; here that is an error.
 */
DIOPI_API diopiError_t diopiPad(diopiContextHandle_t ctx, diopiTensorHandle_t out, diopiConstTensorHandle_t input,
                                diopiSize_t pad, const char* mode, const double* value);

/**
 * Shifts elements cyclically along dimensions, `torch.roll`.
 *
 * @param[in]  ctx     context of the call
 * @param[out] out     integral, floating, complex, bool
 * @param[in]  input   integral, floating, complex, bool
 * @param[in]  shifts  list of integers
 * @param[in]  dims    empty: the flattened tensor
 *
 * - formula: out[(i + shift) modulo n] = input[i] in each dimension of dims, or for the number i of an element in
 *   row-major order if dims is empty
 * - shape: out has the shape of input.
 * - aliasing: out may overlap input; the result is that of a copy of input.
 * - accumulation: None; input is converted to the dtype of out as diopiCastDtype does it.
 * - checks:
 *   - dims must name dimensions of input. [diopiRoll-dims-in-range]
 *   - shifts must have as many entries as dims, or one entry if dims is empty. [diopiRoll-shifts-length]
 *   - out must have the shape of input. [diopiRoll-out-shape]
 * - source: torch.roll
 * - notes: The shifts of a dimension that occurs more than once add up.
 */
DIOPI_API diopiError_t diopiRoll(diopiContextHandle_t ctx, diopiTensorHandle_t out, diopiConstTensorHandle_t input,
                                 diopiSize_t shifts, diopiSize_t dims);

/**
 * Reverses the order along dimensions, `torch.flip`.
 *
 * @param[in]  ctx    context of the call
 * @param[out] out    integral, floating, complex, bool
 * @param[in]  input  integral, floating, complex, bool
 * @param[in]  dims   list of integers
 *
 * - formula: out[i] = input[j], where j_d = n_d - 1 - i_d for each d of dims, else i_d
 * - shape: out has the shape of input.
 * - aliasing: out may overlap input; the result is that of a copy of input.
 * - accumulation: None; input is converted to the dtype of out as diopiCastDtype does it.
 * - checks:
 *   - dims must name dimensions of input, each at most once. [diopiFlip-dims-in-range]
 *   - out must have the shape of input. [diopiFlip-out-shape]
 * - source: torch.flip
 * - notes: An empty dims reverses nothing.
 */
DIOPI_API diopiError_t diopiFlip(diopiContextHandle_t ctx, diopiTensorHandle_t out, diopiConstTensorHandle_t input,
                                 diopiSize_t dims);

/**
 * Repeats a tensor along its dimensions, `torch.Tensor.repeat`.
 *
 * @param[in]  ctx           context of the call
 * @param[out] out           integral, floating, complex, bool
 * @param[in]  input         integral, floating, complex, bool
 * @param[in]  repeats_size  list of integers
 *
 * - formula: out[i] = input[i modulo the shape of input]
 * - shape: out has the shape of input, extended with ones in front to as many dimensions as repeats_size has, times
 *   repeats_size.
 * - aliasing: out may overlap input; the result is that of a copy of input.
 * - accumulation: None; input is converted to the dtype of out as diopiCastDtype does it.
 * - checks:
 *   - repeats_size must have at least as many entries as the number of dimensions of input.
 *     [diopiRepeat-repeats_size-length]
 *   - Each entry of repeats_size must be at least 0. [diopiRepeat-repeats_size-values]
 *   - out must have the shape of the result. [diopiRepeat-out-shape]
 * - source: torch.Tensor.repeat
 */
DIOPI_API diopiError_t diopiRepeat(diopiContextHandle_t ctx, diopiTensorHandle_t out, diopiConstTensorHandle_t input,
                                   diopiSize_t repeats_size);

/** @} */

/** @name pool
 * Maximum, average and adaptive pooling behind one function per number of dimensions.
 * - broadcasting: Lists of one value hold for all dimensions; an empty stride is ksize.
 * - strides: Any; channels-first and channels-last tensors are both read along their packed dimension.
 * - determinism: The same bits for any number of threads.
 * - checks:
 *   - mode must be "max" or "avg". [mode-string]
 *   - out and input must have the same dtype. [out-same-dtype]
 *   - grad_input, grad_output and input must have the same dtype. [grad_input-same-dtype]
 *   - grad_input and input must have the same shape. [grad_input-same-shape]
 *   - If adaptive is true, the dtype of input must be floating point. [adaptive-dtype]
 *   - If mode is avg and adaptive is false, the dtype of out must be floating point or int64. [avg-dtype]
 *   - If adaptive is false, each entry of ksize must be at least 1 and at most 2147483647. [ksize-values]
 *   - If adaptive is false, each entry of stride must be at least 1 and at most 2147483647. [stride-values]
 *   - If adaptive is false, each entry of padding must be at least 0 and at most 2147483647. [padding-values]
 *   - If mode is max and adaptive is false, each entry of dilation must be at least 1 and at most 2147483647.
 *     [dilation-values]
 *   - If mode is max and adaptive is false, the padded input must have room for ksize, enlarged by dilation.
 *     [max-fits-kernel]
 *   - If mode is avg and adaptive is false, the padded input must have room for ksize. [avg-fits-kernel]
 *   - If mode is max and adaptive is false, padding must be at most half of ksize, enlarged by dilation.
 *     [max-padding-below-half]
 *   - If mode is avg and adaptive is false, padding must be at most half of ksize. [avg-padding-below-half]
 *   - If adaptive is true, each entry of output_size must be at least 0. [output_size-values]
 */
/** @{ */

/**
 * One-dimensional maximum or average pooling, plain or adaptive, as `paddle.nn.functional.max_pool1d` and kin.
 *
 * @param[in]  ctx          context of the call
 * @param[out] out          integral, floating
 * @param[in]  input        integral, floating
 * @param[in]  mode         "max" or "avg"
 * @param[in]  ksize        list of integers
 * @param[in]  stride       list of integers
 * @param[in]  padding      list of integers
 * @param[in]  dilation     list of integers
 * @param[in]  ceil_mode    flag
 * @param[in]  exclusive    leave padding out of the average
 * @param[in]  adaptive     use output_size instead of ksize and stride
 * @param[in]  output_size  list of integers
 *
 * - formula: mode "max": out = diopiMaxPool1d, or with adaptive diopiAdaptiveMaxPool1d; mode "avg": out =
 *   diopiAvgPool1d with count_include_pad = not exclusive, or with adaptive diopiAdaptiveAvgPool1d
 * - shape: input [N, C, L] or without N; out as the output of the operator that mode and adaptive select.
 * - aliasing: out may overlap input.
 * - empty: An empty batch, or an output_size of 0, gives an empty result.
 * - nan: For maxima a NaN is larger than everything and padding smaller than everything. A window without any element
 *   of input, which a large dilation makes possible, has the maximum -infinity, or the least value of an integral
 *   dtype. Averages are sums in IEEE arithmetic.
 * - accumulation: float16 and bfloat16 sum in float32 and round once, float32 and float64 in their own precision;
 *   averages of int64 are cut off.
 * - checks:
 *   - If adaptive is false, ksize must have 1 entry. [diopiPool1d-ksize-length]
 *   - If adaptive is false, padding must have 1 entry. [diopiPool1d-padding-length]
 *   - If adaptive is false, stride must have 0 or 1 entries. [diopiPool1d-stride-length]
 *   - If mode is max and adaptive is false, dilation must have 1 entry. [diopiPool1d-dilation-length]
 *   - If adaptive is true, output_size must have 1 entry. [diopiPool1d-output_size-length]
 *   - input must have 2 or 3 dimensions. [diopiPool1d-input-ndim]
 *   - If adaptive is false, input must have no extent of 0 among its last 2. [diopiPool1d-input-not-empty]
 *   - If adaptive is true, input must have no extent of 0 among its last 1. [diopiPool1d-adaptive-input-not-empty]
 *   - If mode is max and adaptive is true and input has 3 dimensions, input must have no extent of 0 among its last 2.
 *     [diopiPool1d-adaptive-channels]
 *   - If adaptive is false, out must have the shape of the result. [diopiPool1d-out-shape]
 *   - If adaptive is true, out must have the shape of the result of diopiAdaptiveAvgPool1d.
 *     [diopiPool1d-adaptive-out-shape]
 * - source: torch.nn.functional.max_pool1d, avg_pool1d, adaptive_max_pool1d and adaptive_avg_pool1d
 * - notes: The modes are Paddle's. An argument that the selected operator lacks is not looked at: output_size where
 *   adaptive is false; ksize, stride, padding, dilation, ceil_mode and exclusive where it is true; dilation for
 *   averages and exclusive for maxima.
 */
DIOPI_API diopiError_t diopiPool1d(diopiContextHandle_t ctx, diopiTensorHandle_t out, diopiConstTensorHandle_t input,
                                   const char* mode, diopiSize_t ksize, diopiSize_t stride, diopiSize_t padding,
                                   diopiSize_t dilation, const bool ceil_mode, const bool exclusive,
                                   const bool adaptive, diopiSize_t output_size);

/**
 * Gradient of diopiPool1d with respect to its input.
 *
 * @param[in]  ctx          context of the call
 * @param[out] grad_input   floating, int64
 * @param[in]  grad_output  floating, int64
 * @param[in]  input        floating, int64
 * @param[in]  mode         "max" or "avg"
 * @param[in]  ksize        list of integers
 * @param[in]  stride       list of integers
 * @param[in]  padding      list of integers
 * @param[in]  dilation     list of integers
 * @param[in]  ceil_mode    flag
 * @param[in]  exclusive    flag
 * @param[in]  adaptive     flag
 * @param[in]  indices      positions of the maxima; for "avg" null or any tensor, which is not looked at; integral,
 *         floating, complex, bool
 *
 * - formula: The gradient of the operator that mode and adaptive select, as diopiMaxPool1dBackward,
 *   diopiAvgPool1dBackward, diopiAdaptiveMaxPool1dBackward or diopiAdaptiveAvgPool1dBackward
 * - shape: grad_input as input; grad_output as the output of diopiPool1d; for maxima indices as grad_output.
 * - aliasing: grad_input may overlap grad_output.
 * - empty: An empty batch gives an empty result; without outputs grad_input is 0.
 * - nan: Sums in IEEE arithmetic.
 * - accumulation: float16 and bfloat16 sum in float32 and round once, float32 and float64 in their own precision;
 *   averages of int64 are cut off.
 * - checks:
 *   - The checks of diopiPool1d hold too.
 *   - If mode is max, the dtype of input must be floating point. [diopiPool1dBackward-max-dtype]
 *   - If mode is max, indices must not be null. [diopiPool1dBackward-indices-given]
 *   - If mode is max, the dtype of indices must be index. [diopiPool1dBackward-indices-dtype]
 *   - If adaptive is false, grad_output must have the shape of the result of diopiPool1d.
 *     [diopiPool1dBackward-grad_output-shape]
 *   - If adaptive is true, grad_output must have the shape [input[:-1], any].
 *     [diopiPool1dBackward-adaptive-grad_output-shape]
 *   - If mode is max, indices and grad_output must have the same shape. [diopiPool1dBackward-indices-same-shape]
 *   - If mode is max, each element of indices must be 0 to below input[-1]. A device may report this when the stream is
 *     synchronised. [diopiPool1dBackward-indices-index]
 * - source: Autograd of torch.nn.functional.max_pool1d, avg_pool1d, adaptive_max_pool1d and adaptive_avg_pool1d
 * - notes: indices are those of diopiMaxPool1dWithIndices or diopiAdaptiveMaxPool1dWithIndices. There is no
 *   output_size: the adaptive form takes the number of windows from grad_output. Arguments that the selected operator
 *   lacks are not looked at, as in diopiPool1d. input gives shape and dtype only; its values are not read.
 */
DIOPI_API diopiError_t diopiPool1dBackward(diopiContextHandle_t ctx, diopiTensorHandle_t grad_input,
                                           diopiConstTensorHandle_t grad_output, diopiConstTensorHandle_t input,
                                           const char* mode, diopiSize_t ksize, diopiSize_t stride,
                                           diopiSize_t padding, diopiSize_t dilation, const bool ceil_mode,
                                           const bool exclusive, const bool adaptive, diopiConstTensorHandle_t indices);

/**
 * Two-dimensional maximum or average pooling, plain or adaptive, as `paddle.nn.functional.max_pool2d` and kin.
 *
 * @param[in]  ctx          context of the call
 * @param[out] out          integral, floating
 * @param[in]  input        integral, floating
 * @param[in]  mode         "max" or "avg"
 * @param[in]  ksize        list of integers
 * @param[in]  stride       list of integers
 * @param[in]  padding      list of integers
 * @param[in]  dilation     list of integers
 * @param[in]  ceil_mode    flag
 * @param[in]  exclusive    leave padding out of the average
 * @param[in]  adaptive     use output_size instead of ksize and stride
 * @param[in]  output_size  list of integers
 *
 * - formula: mode "max": out = diopiMaxPool2d, or with adaptive diopiAdaptiveMaxPool2d; mode "avg": out =
 *   diopiAvgPool2d with count_include_pad = not exclusive, or with adaptive diopiAdaptiveAvgPool2d
 * - shape: input [N, C, H, W] or without N; out as the output of the operator that mode and adaptive select.
 * - aliasing: out may overlap input.
 * - empty: An empty batch, or an output_size of 0, gives an empty result.
 * - nan: For maxima a NaN is larger than everything and padding smaller than everything. A window without any element
 *   of input, which a large dilation makes possible, has the maximum -infinity, or the least value of an integral
 *   dtype. Averages are sums in IEEE arithmetic.
 * - accumulation: float16 and bfloat16 sum in float32 and round once, float32 and float64 in their own precision;
 *   averages of int64 are cut off.
 * - checks:
 *   - If adaptive is false, ksize must have 1 or 2 entries. [diopiPool2d-ksize-length]
 *   - If adaptive is false, padding must have 1 or 2 entries. [diopiPool2d-padding-length]
 *   - If adaptive is false, stride must have 0, 1 or 2 entries. [diopiPool2d-stride-length]
 *   - If mode is max and adaptive is false, dilation must have 1 or 2 entries. [diopiPool2d-dilation-length]
 *   - If adaptive is true, output_size must have 1 or 2 entries. [diopiPool2d-output_size-length]
 *   - input must have 3 or 4 dimensions. [diopiPool2d-input-ndim]
 *   - If adaptive is false, input must have no extent of 0 among its last 3. [diopiPool2d-input-not-empty]
 *   - If adaptive is true, input must have no extent of 0 among its last 2. [diopiPool2d-adaptive-input-not-empty]
 *   - If mode is max and adaptive is true and input has 4 dimensions, input must have no extent of 0 among its last 3.
 *     [diopiPool2d-adaptive-channels]
 *   - If adaptive is false, out must have the shape of the result. [diopiPool2d-out-shape]
 *   - If adaptive is true, out must have the shape of the result of diopiAdaptiveAvgPool2d.
 *     [diopiPool2d-adaptive-out-shape]
 * - source: torch.nn.functional.max_pool2d, avg_pool2d, adaptive_max_pool2d and adaptive_avg_pool2d
 * - notes: The modes are Paddle's. An argument that the selected operator lacks is not looked at: output_size where
 *   adaptive is false; ksize, stride, padding, dilation, ceil_mode and exclusive where it is true; dilation for
 *   averages and exclusive for maxima.
 */
DIOPI_API diopiError_t diopiPool2d(diopiContextHandle_t ctx, diopiTensorHandle_t out, diopiConstTensorHandle_t input,
                                   const char* mode, diopiSize_t ksize, diopiSize_t stride, diopiSize_t padding,
                                   diopiSize_t dilation, const bool ceil_mode, const bool exclusive,
                                   const bool adaptive, diopiSize_t output_size);

/**
 * Gradient of diopiPool2d with respect to its input.
 *
 * @param[in]  ctx          context of the call
 * @param[out] grad_input   floating, int64
 * @param[in]  grad_output  floating, int64
 * @param[in]  input        floating, int64
 * @param[in]  mode         "max" or "avg"
 * @param[in]  ksize        list of integers
 * @param[in]  stride       list of integers
 * @param[in]  padding      list of integers
 * @param[in]  dilation     list of integers
 * @param[in]  ceil_mode    flag
 * @param[in]  exclusive    flag
 * @param[in]  adaptive     flag
 * @param[in]  indices      positions of the maxima; for "avg" null or any tensor, which is not looked at; integral,
 *         floating, complex, bool
 *
 * - formula: The gradient of the operator that mode and adaptive select, as diopiMaxPool2dBackward,
 *   diopiAvgPool2dBackward, diopiAdaptiveMaxPool2dBackward or diopiAdaptiveAvgPool2dBackward
 * - shape: grad_input as input; grad_output as the output of diopiPool2d; for maxima indices as grad_output.
 * - aliasing: grad_input may overlap grad_output.
 * - empty: An empty batch gives an empty result; without outputs grad_input is 0.
 * - nan: Sums in IEEE arithmetic.
 * - accumulation: float16 and bfloat16 sum in float32 and round once, float32 and float64 in their own precision;
 *   averages of int64 are cut off.
 * - checks:
 *   - The checks of diopiPool2d hold too.
 *   - If mode is max, the dtype of input must be floating point. [diopiPool2dBackward-max-dtype]
 *   - If mode is max, indices must not be null. [diopiPool2dBackward-indices-given]
 *   - If mode is max, the dtype of indices must be index. [diopiPool2dBackward-indices-dtype]
 *   - If adaptive is false, grad_output must have the shape of the result of diopiPool2d.
 *     [diopiPool2dBackward-grad_output-shape]
 *   - If adaptive is true, grad_output must have the shape [input[:-2], any, any].
 *     [diopiPool2dBackward-adaptive-grad_output-shape]
 *   - If mode is max, indices and grad_output must have the same shape. [diopiPool2dBackward-indices-same-shape]
 *   - If mode is max, each element of indices must be 0 to below input[-2] * input[-1]. A device may report this when
 *     the stream is synchronised. [diopiPool2dBackward-indices-index]
 * - source: Autograd of torch.nn.functional.max_pool2d, avg_pool2d, adaptive_max_pool2d and adaptive_avg_pool2d
 * - notes: indices are those of diopiMaxPool2dWithIndices or diopiAdaptiveMaxPool2dWithIndices. There is no
 *   output_size: the adaptive form takes the number of windows from grad_output. Arguments that the selected operator
 *   lacks are not looked at, as in diopiPool2d. input gives shape and dtype only; its values are not read.
 */
DIOPI_API diopiError_t diopiPool2dBackward(diopiContextHandle_t ctx, diopiTensorHandle_t grad_input,
                                           diopiConstTensorHandle_t grad_output, diopiConstTensorHandle_t input,
                                           const char* mode, diopiSize_t ksize, diopiSize_t stride,
                                           diopiSize_t padding, diopiSize_t dilation, const bool ceil_mode,
                                           const bool exclusive, const bool adaptive, diopiConstTensorHandle_t indices);

/**
 * Three-dimensional maximum or average pooling, plain or adaptive, as `paddle.nn.functional.max_pool3d` and kin.
 *
 * @param[in]  ctx          context of the call
 * @param[out] out          integral, floating
 * @param[in]  input        integral, floating
 * @param[in]  mode         "max" or "avg"
 * @param[in]  ksize        list of integers
 * @param[in]  stride       list of integers
 * @param[in]  padding      list of integers
 * @param[in]  dilation     list of integers
 * @param[in]  ceil_mode    flag
 * @param[in]  exclusive    leave padding out of the average
 * @param[in]  adaptive     use output_size instead of ksize and stride
 * @param[in]  output_size  list of integers
 *
 * - formula: mode "max": out = diopiMaxPool3d, or with adaptive diopiAdaptiveMaxPool3d; mode "avg": out =
 *   diopiAvgPool3d with count_include_pad = not exclusive, or with adaptive diopiAdaptiveAvgPool3d
 * - shape: input [N, C, D, H, W] or without N; out as the output of the operator that mode and adaptive select.
 * - aliasing: out may overlap input.
 * - empty: An empty batch, or an output_size of 0, gives an empty result.
 * - nan: For maxima a NaN is larger than everything and padding smaller than everything. A window without any element
 *   of input, which a large dilation makes possible, has the maximum -infinity, or the least value of an integral
 *   dtype. Averages are sums in IEEE arithmetic.
 * - accumulation: float16 and bfloat16 sum in float32 and round once, float32 and float64 in their own precision;
 *   averages of int64 are cut off.
 * - checks:
 *   - If adaptive is false, ksize must have 1 or 3 entries. [diopiPool3d-ksize-length]
 *   - If adaptive is false, padding must have 1 or 3 entries. [diopiPool3d-padding-length]
 *   - If adaptive is false, stride must have 0, 1 or 3 entries. [diopiPool3d-stride-length]
 *   - If mode is max and adaptive is false, dilation must have 1 or 3 entries. [diopiPool3d-dilation-length]
 *   - If adaptive is true, output_size must have 1 or 3 entries. [diopiPool3d-output_size-length]
 *   - input must have 4 or 5 dimensions. [diopiPool3d-input-ndim]
 *   - If adaptive is false, input must have no extent of 0 among its last 4. [diopiPool3d-input-not-empty]
 *   - If adaptive is true, input must have no extent of 0 among its last 3. [diopiPool3d-adaptive-input-not-empty]
 *   - If mode is max and adaptive is true and input has 5 dimensions, input must have no extent of 0 among its last 4.
 *     [diopiPool3d-adaptive-channels]
 *   - If adaptive is false, out must have the shape of the result. [diopiPool3d-out-shape]
 *   - If adaptive is true, out must have the shape of the result of diopiAdaptiveAvgPool3d.
 *     [diopiPool3d-adaptive-out-shape]
 * - source: torch.nn.functional.max_pool3d, avg_pool3d, adaptive_max_pool3d and adaptive_avg_pool3d
 * - notes: The modes are Paddle's. An argument that the selected operator lacks is not looked at: output_size where
 *   adaptive is false; ksize, stride, padding, dilation, ceil_mode and exclusive where it is true; dilation for
 *   averages and exclusive for maxima.
 */
DIOPI_API diopiError_t diopiPool3d(diopiContextHandle_t ctx, diopiTensorHandle_t out, diopiConstTensorHandle_t input,
                                   const char* mode, diopiSize_t ksize, diopiSize_t stride, diopiSize_t padding,
                                   diopiSize_t dilation, const bool ceil_mode, const bool exclusive,
                                   const bool adaptive, diopiSize_t output_size);

/**
 * Gradient of diopiPool3d with respect to its input.
 *
 * @param[in]  ctx          context of the call
 * @param[out] grad_input   floating, int64
 * @param[in]  grad_output  floating, int64
 * @param[in]  input        floating, int64
 * @param[in]  mode         "max" or "avg"
 * @param[in]  ksize        list of integers
 * @param[in]  stride       list of integers
 * @param[in]  padding      list of integers
 * @param[in]  dilation     list of integers
 * @param[in]  ceil_mode    flag
 * @param[in]  exclusive    flag
 * @param[in]  adaptive     flag
 * @param[in]  indices      positions of the maxima; for "avg" null or any tensor, which is not looked at; integral,
 *         floating, complex, bool
 *
 * - formula: The gradient of the operator that mode and adaptive select, as diopiMaxPool3dBackward,
 *   diopiAvgPool3dBackward, diopiAdaptiveMaxPool3dBackward or diopiAdaptiveAvgPool3dBackward
 * - shape: grad_input as input; grad_output as the output of diopiPool3d; for maxima indices as grad_output.
 * - aliasing: grad_input may overlap grad_output.
 * - empty: An empty batch gives an empty result; without outputs grad_input is 0.
 * - nan: Sums in IEEE arithmetic.
 * - accumulation: float16 and bfloat16 sum in float32 and round once, float32 and float64 in their own precision;
 *   averages of int64 are cut off.
 * - checks:
 *   - The checks of diopiPool3d hold too.
 *   - If mode is max, the dtype of input must be floating point. [diopiPool3dBackward-max-dtype]
 *   - If mode is max, indices must not be null. [diopiPool3dBackward-indices-given]
 *   - If mode is max, the dtype of indices must be index. [diopiPool3dBackward-indices-dtype]
 *   - If adaptive is false, grad_output must have the shape of the result of diopiPool3d.
 *     [diopiPool3dBackward-grad_output-shape]
 *   - If adaptive is true, grad_output must have the shape [input[:-3], any, any, any].
 *     [diopiPool3dBackward-adaptive-grad_output-shape]
 *   - If mode is max, indices and grad_output must have the same shape. [diopiPool3dBackward-indices-same-shape]
 *   - If mode is max, each element of indices must be 0 to below input[-3] * input[-2] * input[-1]. A device may report
 *     this when the stream is synchronised. [diopiPool3dBackward-indices-index]
 * - source: Autograd of torch.nn.functional.max_pool3d, avg_pool3d, adaptive_max_pool3d and adaptive_avg_pool3d
 * - notes: indices are those of diopiMaxPool3dWithIndices or diopiAdaptiveMaxPool3dWithIndices. There is no
 *   output_size: the adaptive form takes the number of windows from grad_output. Arguments that the selected operator
 *   lacks are not looked at, as in diopiPool3d. input gives shape and dtype only; its values are not read.
 */
DIOPI_API diopiError_t diopiPool3dBackward(diopiContextHandle_t ctx, diopiTensorHandle_t grad_input,
                                           diopiConstTensorHandle_t grad_output, diopiConstTensorHandle_t input,
                                           const char* mode, diopiSize_t ksize, diopiSize_t stride,
                                           diopiSize_t padding, diopiSize_t dilation, const bool ceil_mode,
                                           const bool exclusive, const bool adaptive, diopiConstTensorHandle_t indices);

/** @} */

/** @name pool_adaptive
 * Average and maximum pooling to a given output size, with gradients.
 * - checks:
 *   - out and input must have the same dtype. [out-same-dtype]
 *   - grad_input, grad_output and input must have the same dtype. [grad_input-same-dtype]
 *   - grad_input and input must have the same shape. [grad_input-same-shape]
 *   - Each entry of output_size must be at least 0. [output_size-values]
 */
/** @{ */

/**
 * Maximum pooling to a given length, `torch.nn.functional.adaptive_max_pool1d`.
 *
 * @param[in]  ctx          context of the call
 * @param[out] out          floating
 * @param[in]  input        floating
 * @param[in]  output_size  list of integers
 *
 * - formula: out[n, c, y] = max of input[n, c, p] over floor(y * I / O) <= p < ceil((y + 1) * I / O) in each dimension
 *   of extents I and O
 * - shape: input [N, C, L] or without N; out with the extents of output_size.
 * - broadcasting: An output_size of one value holds for all dimensions.
 * - strides: Any; channels-first and channels-last tensors are both read along their packed dimension.
 * - aliasing: out may overlap input.
 * - empty: No images, or an output extent of 0, gives an empty result.
 * - nan: A NaN is larger than everything.
 * - accumulation: None: the result is an element of input.
 * - determinism: The same bits for any number of threads.
 * - checks:
 *   - output_size must have 1 entry. [diopiAdaptiveMaxPool1d-output_size-length]
 *   - input must have 2 or 3 dimensions. [diopiAdaptiveMaxPool1d-input-ndim]
 *   - input must have no extent of 0 among its last 1. [diopiAdaptiveMaxPool1d-input-not-empty]
 *   - If input has 3 dimensions, input must have no extent of 0 among its last 2.
 *     [diopiAdaptiveMaxPool1d-input-channels]
 *   - out must have the shape of the result. [diopiAdaptiveMaxPool1d-out-shape]
 * - source: torch.nn.functional.adaptive_max_pool1d
 */
DIOPI_API diopiError_t diopiAdaptiveMaxPool1d(diopiContextHandle_t ctx, diopiTensorHandle_t out,
                                              diopiConstTensorHandle_t input, diopiSize_t output_size);

/**
 * diopiAdaptiveMaxPool1d that also returns the positions of the maxima.
 *
 * @param[in]  ctx          context of the call
 * @param[out] out          floating
 * @param[out] indices      int32, int64
 * @param[in]  input        floating
 * @param[in]  output_size  list of integers
 *
 * - formula: out as diopiAdaptiveMaxPool1d; indices = the flat position in the plane of input of the element that out
 *   took
 * - shape: input [N, C, L] or without N; out and indices with the extents of output_size.
 * - broadcasting: An output_size of one value holds for all dimensions.
 * - strides: Any; channels-first and channels-last tensors are both read along their packed dimension.
 * - aliasing: out may overlap input; indices must not.
 * - empty: No images, or an output extent of 0, gives an empty result.
 * - nan: A NaN is larger than everything.
 * - accumulation: None: the result is an element of input.
 * - determinism: The same bits for any number of threads.
 * - checks:
 *   - The checks of diopiAdaptiveMaxPool1d hold too.
 *   - indices must have the shape of the result. [diopiAdaptiveMaxPool1dWithIndices-indices-shape]
 * - source: torch.nn.functional.adaptive_max_pool1d with return_indices
 * - notes: Of equal elements the first in row-major order counts, of NaN the last. The CPU vendor refuses planes of
 *   2^31 elements and more.
 */
DIOPI_API diopiError_t diopiAdaptiveMaxPool1dWithIndices(diopiContextHandle_t ctx, diopiTensorHandle_t out,
                                                         diopiTensorHandle_t indices, diopiConstTensorHandle_t input,
                                                         diopiSize_t output_size);

/**
 * Gradient of diopiAdaptiveMaxPool1dWithIndices with respect to its input.
 *
 * @param[in]  ctx          context of the call
 * @param[out] grad_input   floating
 * @param[in]  grad_output  floating
 * @param[in]  input        floating
 * @param[in]  indices      int32, int64
 *
 * - formula: grad_input[n, c, p] = sum of grad_output[n, c, y] over all y with indices[n, c, y] = p
 * - shape: grad_input as input; grad_output and indices with the batch and channels of input and any extents.
 * - broadcasting: None.
 * - strides: Any; channels-first and channels-last tensors are both read along their packed dimension.
 * - aliasing: grad_input may overlap grad_output.
 * - empty: No images gives an empty result; without outputs grad_input is 0.
 * - nan: Sums in IEEE arithmetic.
 * - accumulation: float16 and bfloat16 sum in float32 and round once, float32 and float64 in their own precision.
 * - determinism: The same bits for any number of threads.
 * - checks:
 *   - The checks of diopiAdaptiveMaxPool1d hold too.
 *   - grad_output must have the shape [input[:-1], any]. [diopiAdaptiveMaxPool1dBackward-grad_output-shape]
 *   - indices and grad_output must have the same shape. [diopiAdaptiveMaxPool1dBackward-indices-same-shape]
 *   - Each element of indices must be 0 to below input[-1]. A device may report this when the stream is synchronised.
 *     [diopiAdaptiveMaxPool1dBackward-indices-index]
 * - source: Autograd of torch.nn.functional.adaptive_max_pool1d
 * - notes: input gives shape and dtype only; its values are not read.
 */
DIOPI_API diopiError_t diopiAdaptiveMaxPool1dBackward(diopiContextHandle_t ctx, diopiTensorHandle_t grad_input,
                                                      diopiConstTensorHandle_t grad_output,
                                                      diopiConstTensorHandle_t input, diopiConstTensorHandle_t indices);

/**
 * Gradient of diopiAdaptiveAvgPool1d with respect to its input.
 *
 * @param[in]  ctx          context of the call
 * @param[out] grad_input   floating
 * @param[in]  grad_output  floating
 * @param[in]  input        floating
 *
 * - formula: grad_input[n, c, p] = sum of grad_output[n, c, y] / (size of the part of y) over all y whose parts hold p,
 *   parts as in diopiAdaptiveAvgPool1d
 * - shape: grad_input as input; grad_output with the batch and channels of input and any extents.
 * - broadcasting: None.
 * - strides: Any; channels-first and channels-last tensors are both read along their packed dimension.
 * - aliasing: grad_input may overlap grad_output.
 * - empty: No images or no channels gives an empty result; without outputs grad_input is 0.
 * - nan: Sums in IEEE arithmetic.
 * - accumulation: float16 and bfloat16 sum in float32 and round once, float32 and float64 in their own precision.
 * - determinism: The same bits for any number of threads.
 * - checks:
 *   - The checks of diopiAdaptiveAvgPool1d hold too.
 *   - grad_output must have the shape [input[:-1], any]. [diopiAdaptiveAvgPool1dBackward-grad_output-shape]
 * - source: Autograd of torch.nn.functional.adaptive_avg_pool1d
 * - notes: input gives shape and dtype only; its values are not read.
 */
DIOPI_API diopiError_t diopiAdaptiveAvgPool1dBackward(diopiContextHandle_t ctx, diopiTensorHandle_t grad_input,
                                                      diopiConstTensorHandle_t grad_output,
                                                      diopiConstTensorHandle_t input);

/**
 * Average pooling to a given length, `torch.nn.functional.adaptive_avg_pool1d`.
 *
 * @param[in]  ctx          context of the call
 * @param[out] out          floating
 * @param[in]  input        floating
 * @param[in]  output_size  list of integers
 *
 * - formula: out[n, c, y] = mean of input[n, c, p] over floor(y * I / O) <= p < ceil((y + 1) * I / O) in each dimension
 *   of extents I and O
 * - shape: input [N, C, L] or without N; out with the extents of output_size.
 * - broadcasting: An output_size of one value holds for all dimensions.
 * - strides: Any; channels-first and channels-last tensors are both read along their packed dimension.
 * - aliasing: out may overlap input.
 * - empty: No images, no channels, or an output extent of 0 gives an empty result.
 * - nan: Sums in IEEE arithmetic.
 * - accumulation: float16 and bfloat16 sum in float32 and round once, float32 and float64 in their own precision.
 * - determinism: The same bits for any number of threads.
 * - checks:
 *   - output_size must have 1 entry. [diopiAdaptiveAvgPool1d-output_size-length]
 *   - input must have 2 or 3 dimensions. [diopiAdaptiveAvgPool1d-input-ndim]
 *   - input must have no extent of 0 among its last 1. [diopiAdaptiveAvgPool1d-input-not-empty]
 *   - out must have the shape of the result. [diopiAdaptiveAvgPool1d-out-shape]
 * - source: torch.nn.functional.adaptive_avg_pool1d
 */
DIOPI_API diopiError_t diopiAdaptiveAvgPool1d(diopiContextHandle_t ctx, diopiTensorHandle_t out,
                                              diopiConstTensorHandle_t input, diopiSize_t output_size);

/**
 * Average pooling to a given height and width, `torch.nn.functional.adaptive_avg_pool2d`.
 *
 * @param[in]  ctx          context of the call
 * @param[out] out          floating
 * @param[in]  input        floating
 * @param[in]  output_size  list of integers
 *
 * - formula: out[n, c, y] = mean of input[n, c, p] over floor(y * I / O) <= p < ceil((y + 1) * I / O) in each dimension
 *   of extents I and O
 * - shape: input [N, C, H, W] or without N; out with the extents of output_size.
 * - broadcasting: An output_size of one value holds for all dimensions.
 * - strides: Any; channels-first and channels-last tensors are both read along their packed dimension.
 * - aliasing: out may overlap input.
 * - empty: No images, no channels, or an output extent of 0 gives an empty result.
 * - nan: Sums in IEEE arithmetic.
 * - accumulation: float16 and bfloat16 sum in float32 and round once, float32 and float64 in their own precision.
 * - determinism: The same bits for any number of threads.
 * - checks:
 *   - output_size must have 1 or 2 entries. [diopiAdaptiveAvgPool2d-output_size-length]
 *   - input must have 3 or 4 dimensions. [diopiAdaptiveAvgPool2d-input-ndim]
 *   - input must have no extent of 0 among its last 2. [diopiAdaptiveAvgPool2d-input-not-empty]
 *   - out must have the shape of the result. [diopiAdaptiveAvgPool2d-out-shape]
 * - source: torch.nn.functional.adaptive_avg_pool2d
 */
DIOPI_API diopiError_t diopiAdaptiveAvgPool2d(diopiContextHandle_t ctx, diopiTensorHandle_t out,
                                              diopiConstTensorHandle_t input, diopiSize_t output_size);

/**
 * Gradient of diopiAdaptiveAvgPool2d with respect to its input.
 *
 * @param[in]  ctx          context of the call
 * @param[out] grad_input   floating
 * @param[in]  grad_output  floating
 * @param[in]  input        floating
 *
 * - formula: grad_input[n, c, p] = sum of grad_output[n, c, y] / (size of the part of y) over all y whose parts hold p,
 *   parts as in diopiAdaptiveAvgPool2d
 * - shape: grad_input as input; grad_output with the batch and channels of input and any extents.
 * - broadcasting: None.
 * - strides: Any; channels-first and channels-last tensors are both read along their packed dimension.
 * - aliasing: grad_input may overlap grad_output.
 * - empty: No images or no channels gives an empty result; without outputs grad_input is 0.
 * - nan: Sums in IEEE arithmetic.
 * - accumulation: float16 and bfloat16 sum in float32 and round once, float32 and float64 in their own precision.
 * - determinism: The same bits for any number of threads.
 * - checks:
 *   - The checks of diopiAdaptiveAvgPool2d hold too.
 *   - grad_output must have the shape [input[:-2], any, any]. [diopiAdaptiveAvgPool2dBackward-grad_output-shape]
 * - source: Autograd of torch.nn.functional.adaptive_avg_pool2d
 * - notes: input gives shape and dtype only; its values are not read.
 */
DIOPI_API diopiError_t diopiAdaptiveAvgPool2dBackward(diopiContextHandle_t ctx, diopiTensorHandle_t grad_input,
                                                      diopiConstTensorHandle_t grad_output,
                                                      diopiConstTensorHandle_t input);

/**
 * Maximum pooling to a given height and width, `torch.nn.functional.adaptive_max_pool2d`.
 *
 * @param[in]  ctx          context of the call
 * @param[out] out          floating
 * @param[in]  input        floating
 * @param[in]  output_size  list of integers
 *
 * - formula: out[n, c, y] = max of input[n, c, p] over floor(y * I / O) <= p < ceil((y + 1) * I / O) in each dimension
 *   of extents I and O
 * - shape: input [N, C, H, W] or without N; out with the extents of output_size.
 * - broadcasting: An output_size of one value holds for all dimensions.
 * - strides: Any; channels-first and channels-last tensors are both read along their packed dimension.
 * - aliasing: out may overlap input.
 * - empty: No images, or an output extent of 0, gives an empty result.
 * - nan: A NaN is larger than everything.
 * - accumulation: None: the result is an element of input.
 * - determinism: The same bits for any number of threads.
 * - checks:
 *   - output_size must have 1 or 2 entries. [diopiAdaptiveMaxPool2d-output_size-length]
 *   - input must have 3 or 4 dimensions. [diopiAdaptiveMaxPool2d-input-ndim]
 *   - input must have no extent of 0 among its last 2. [diopiAdaptiveMaxPool2d-input-not-empty]
 *   - If input has 4 dimensions, input must have no extent of 0 among its last 3.
 *     [diopiAdaptiveMaxPool2d-input-channels]
 *   - out must have the shape of the result. [diopiAdaptiveMaxPool2d-out-shape]
 * - source: torch.nn.functional.adaptive_max_pool2d
 */
DIOPI_API diopiError_t diopiAdaptiveMaxPool2d(diopiContextHandle_t ctx, diopiTensorHandle_t out,
                                              diopiConstTensorHandle_t input, diopiSize_t output_size);

/**
 * diopiAdaptiveMaxPool2d that also returns the positions of the maxima.
 *
 * @param[in]  ctx          context of the call
 * @param[out] out          floating
 * @param[out] indices      int32, int64
 * @param[in]  input        floating
 * @param[in]  output_size  list of integers
 *
 * - formula: out as diopiAdaptiveMaxPool2d; indices = the flat position in the plane of input of the element that out
 *   took
 * - shape: input [N, C, H, W] or without N; out and indices with the extents of output_size.
 * - broadcasting: An output_size of one value holds for all dimensions.
 * - strides: Any; channels-first and channels-last tensors are both read along their packed dimension.
 * - aliasing: out may overlap input; indices must not.
 * - empty: No images, or an output extent of 0, gives an empty result.
 * - nan: A NaN is larger than everything.
 * - accumulation: None: the result is an element of input.
 * - determinism: The same bits for any number of threads.
 * - checks:
 *   - The checks of diopiAdaptiveMaxPool2d hold too.
 *   - indices must have the shape of the result. [diopiAdaptiveMaxPool2dWithIndices-indices-shape]
 * - source: torch.nn.functional.adaptive_max_pool2d with return_indices
 * - notes: Of equal elements the first in row-major order counts, of NaN the last. The CPU vendor refuses planes of
 *   2^31 elements and more.
 */
DIOPI_API diopiError_t diopiAdaptiveMaxPool2dWithIndices(diopiContextHandle_t ctx, diopiTensorHandle_t out,
                                                         diopiTensorHandle_t indices, diopiConstTensorHandle_t input,
                                                         diopiSize_t output_size);

/**
 * Gradient of diopiAdaptiveMaxPool2dWithIndices with respect to its input.
 *
 * @param[in]  ctx          context of the call
 * @param[out] grad_input   floating
 * @param[in]  grad_output  floating
 * @param[in]  input        floating
 * @param[in]  indices      int32, int64
 *
 * - formula: grad_input[n, c, p] = sum of grad_output[n, c, y] over all y with indices[n, c, y] = p
 * - shape: grad_input as input; grad_output and indices with the batch and channels of input and any extents.
 * - broadcasting: None.
 * - strides: Any; channels-first and channels-last tensors are both read along their packed dimension.
 * - aliasing: grad_input may overlap grad_output.
 * - empty: No images gives an empty result; without outputs grad_input is 0.
 * - nan: Sums in IEEE arithmetic.
 * - accumulation: float16 and bfloat16 sum in float32 and round once, float32 and float64 in their own precision.
 * - determinism: The same bits for any number of threads.
 * - checks:
 *   - The checks of diopiAdaptiveMaxPool2d hold too.
 *   - grad_output must have the shape [input[:-2], any, any]. [diopiAdaptiveMaxPool2dBackward-grad_output-shape]
 *   - indices and grad_output must have the same shape. [diopiAdaptiveMaxPool2dBackward-indices-same-shape]
 *   - Each element of indices must be 0 to below input[-2] * input[-1]. A device may report this when the stream is
 *     synchronised. [diopiAdaptiveMaxPool2dBackward-indices-index]
 * - source: Autograd of torch.nn.functional.adaptive_max_pool2d
 * - notes: input gives shape and dtype only; its values are not read.
 */
DIOPI_API diopiError_t diopiAdaptiveMaxPool2dBackward(diopiContextHandle_t ctx, diopiTensorHandle_t grad_input,
                                                      diopiConstTensorHandle_t grad_output,
                                                      diopiConstTensorHandle_t input, diopiConstTensorHandle_t indices);

/**
 * Average pooling to a given volume, `torch.nn.functional.adaptive_avg_pool3d`.
 *
 * @param[in]  ctx          context of the call
 * @param[out] out          floating
 * @param[in]  input        floating
 * @param[in]  output_size  list of integers
 *
 * - formula: out[n, c, y] = mean of input[n, c, p] over floor(y * I / O) <= p < ceil((y + 1) * I / O) in each dimension
 *   of extents I and O
 * - shape: input [N, C, D, H, W] or without N; out with the extents of output_size.
 * - broadcasting: An output_size of one value holds for all dimensions.
 * - strides: Any; channels-first and channels-last tensors are both read along their packed dimension.
 * - aliasing: out may overlap input.
 * - empty: No images, no channels, or an output extent of 0 gives an empty result.
 * - nan: Sums in IEEE arithmetic.
 * - accumulation: float16 and bfloat16 sum in float32 and round once, float32 and float64 in their own precision.
 * - determinism: The same bits for any number of threads.
 * - checks:
 *   - output_size must have 1 or 3 entries. [diopiAdaptiveAvgPool3d-output_size-length]
 *   - input must have 4 or 5 dimensions. [diopiAdaptiveAvgPool3d-input-ndim]
 *   - input must have no extent of 0 among its last 3. [diopiAdaptiveAvgPool3d-input-not-empty]
 *   - out must have the shape of the result. [diopiAdaptiveAvgPool3d-out-shape]
 * - source: torch.nn.functional.adaptive_avg_pool3d
 */
DIOPI_API diopiError_t diopiAdaptiveAvgPool3d(diopiContextHandle_t ctx, diopiTensorHandle_t out,
                                              diopiConstTensorHandle_t input, diopiSize_t output_size);

/**
 * Gradient of diopiAdaptiveAvgPool3d with respect to its input.
 *
 * @param[in]  ctx          context of the call
 * @param[out] grad_input   floating
 * @param[in]  grad_output  floating
 * @param[in]  input        floating
 *
 * - formula: grad_input[n, c, p] = sum of grad_output[n, c, y] / (size of the part of y) over all y whose parts hold p,
 *   parts as in diopiAdaptiveAvgPool3d
 * - shape: grad_input as input; grad_output with the batch and channels of input and any extents.
 * - broadcasting: None.
 * - strides: Any; channels-first and channels-last tensors are both read along their packed dimension.
 * - aliasing: grad_input may overlap grad_output.
 * - empty: No images or no channels gives an empty result; without outputs grad_input is 0.
 * - nan: Sums in IEEE arithmetic.
 * - accumulation: float16 and bfloat16 sum in float32 and round once, float32 and float64 in their own precision.
 * - determinism: The same bits for any number of threads.
 * - checks:
 *   - The checks of diopiAdaptiveAvgPool3d hold too.
 *   - grad_output must have the shape [input[:-3], any, any, any]. [diopiAdaptiveAvgPool3dBackward-grad_output-shape]
 * - source: Autograd of torch.nn.functional.adaptive_avg_pool3d
 * - notes: input gives shape and dtype only; its values are not read.
 */
DIOPI_API diopiError_t diopiAdaptiveAvgPool3dBackward(diopiContextHandle_t ctx, diopiTensorHandle_t grad_input,
                                                      diopiConstTensorHandle_t grad_output,
                                                      diopiConstTensorHandle_t input);

/**
 * Maximum pooling to a given volume, `torch.nn.functional.adaptive_max_pool3d`.
 *
 * @param[in]  ctx          context of the call
 * @param[out] out          floating
 * @param[in]  input        floating
 * @param[in]  output_size  list of integers
 *
 * - formula: out[n, c, y] = max of input[n, c, p] over floor(y * I / O) <= p < ceil((y + 1) * I / O) in each dimension
 *   of extents I and O
 * - shape: input [N, C, D, H, W] or without N; out with the extents of output_size.
 * - broadcasting: An output_size of one value holds for all dimensions.
 * - strides: Any; channels-first and channels-last tensors are both read along their packed dimension.
 * - aliasing: out may overlap input.
 * - empty: No images, or an output extent of 0, gives an empty result.
 * - nan: A NaN is larger than everything.
 * - accumulation: None: the result is an element of input.
 * - determinism: The same bits for any number of threads.
 * - checks:
 *   - output_size must have 1 or 3 entries. [diopiAdaptiveMaxPool3d-output_size-length]
 *   - input must have 4 or 5 dimensions. [diopiAdaptiveMaxPool3d-input-ndim]
 *   - input must have no extent of 0 among its last 3. [diopiAdaptiveMaxPool3d-input-not-empty]
 *   - If input has 5 dimensions, input must have no extent of 0 among its last 4.
 *     [diopiAdaptiveMaxPool3d-input-channels]
 *   - out must have the shape of the result. [diopiAdaptiveMaxPool3d-out-shape]
 * - source: torch.nn.functional.adaptive_max_pool3d
 */
DIOPI_API diopiError_t diopiAdaptiveMaxPool3d(diopiContextHandle_t ctx, diopiTensorHandle_t out,
                                              diopiConstTensorHandle_t input, diopiSize_t output_size);

/**
 * diopiAdaptiveMaxPool3d that also returns the positions of the maxima.
 *
 * @param[in]  ctx          context of the call
 * @param[out] out          floating
 * @param[out] indices      int32, int64
 * @param[in]  input        floating
 * @param[in]  output_size  list of integers
 *
 * - formula: out as diopiAdaptiveMaxPool3d; indices = the flat position in the plane of input of the element that out
 *   took
 * - shape: input [N, C, D, H, W] or without N; out and indices with the extents of output_size.
 * - broadcasting: An output_size of one value holds for all dimensions.
 * - strides: Any; channels-first and channels-last tensors are both read along their packed dimension.
 * - aliasing: out may overlap input; indices must not.
 * - empty: No images, or an output extent of 0, gives an empty result.
 * - nan: A NaN is larger than everything.
 * - accumulation: None: the result is an element of input.
 * - determinism: The same bits for any number of threads.
 * - checks:
 *   - The checks of diopiAdaptiveMaxPool3d hold too.
 *   - indices must have the shape of the result. [diopiAdaptiveMaxPool3dWithIndices-indices-shape]
 * - source: torch.nn.functional.adaptive_max_pool3d with return_indices
 * - notes: Of equal elements the first in row-major order counts, of NaN the last. The CPU vendor refuses planes of
 *   2^31 elements and more.
 */
DIOPI_API diopiError_t diopiAdaptiveMaxPool3dWithIndices(diopiContextHandle_t ctx, diopiTensorHandle_t out,
                                                         diopiTensorHandle_t indices, diopiConstTensorHandle_t input,
                                                         diopiSize_t output_size);

/**
 * Gradient of diopiAdaptiveMaxPool3dWithIndices with respect to its input.
 *
 * @param[in]  ctx          context of the call
 * @param[out] grad_input   floating
 * @param[in]  grad_output  floating
 * @param[in]  input        floating
 * @param[in]  indices      int32, int64
 *
 * - formula: grad_input[n, c, p] = sum of grad_output[n, c, y] over all y with indices[n, c, y] = p
 * - shape: grad_input as input; grad_output and indices with the batch and channels of input and any extents.
 * - broadcasting: None.
 * - strides: Any; channels-first and channels-last tensors are both read along their packed dimension.
 * - aliasing: grad_input may overlap grad_output.
 * - empty: No images gives an empty result; without outputs grad_input is 0.
 * - nan: Sums in IEEE arithmetic.
 * - accumulation: float16 and bfloat16 sum in float32 and round once, float32 and float64 in their own precision.
 * - determinism: The same bits for any number of threads.
 * - checks:
 *   - The checks of diopiAdaptiveMaxPool3d hold too.
 *   - grad_output must have the shape [input[:-3], any, any, any]. [diopiAdaptiveMaxPool3dBackward-grad_output-shape]
 *   - indices and grad_output must have the same shape. [diopiAdaptiveMaxPool3dBackward-indices-same-shape]
 *   - Each element of indices must be 0 to below input[-3] * input[-2] * input[-1]. A device may report this when the
 *     stream is synchronised. [diopiAdaptiveMaxPool3dBackward-indices-index]
 * - source: Autograd of torch.nn.functional.adaptive_max_pool3d
 * - notes: input gives shape and dtype only; its values are not read.
 */
DIOPI_API diopiError_t diopiAdaptiveMaxPool3dBackward(diopiContextHandle_t ctx, diopiTensorHandle_t grad_input,
                                                      diopiConstTensorHandle_t grad_output,
                                                      diopiConstTensorHandle_t input, diopiConstTensorHandle_t indices);

/** @} */

/** @name pool_avg
 * Average pooling over sliding windows.
 * - checks:
 *   - out and input must have the same dtype. [out-same-dtype]
 *   - grad_input, grad_output and input must have the same dtype. [grad_input-same-dtype]
 *   - grad_input and input must have the same shape. [grad_input-same-shape]
 *   - Each entry of kernel_size must be at least 1 and at most 2147483647. [kernel_size-values]
 *   - Each entry of stride must be at least 1 and at most 2147483647. [stride-values]
 *   - Each entry of padding must be at least 0 and at most 2147483647. [padding-values]
 *   - padding must be at most half of kernel_size. [padding-below-half]
 *   - The padded input must have room for kernel_size. [input-fits-kernel]
 *   - divisor_override must not be 0. [divisor_override-value]
 */
/** @{ */

/**
 * One-dimensional average pooling, `torch.nn.functional.avg_pool1d`.
 *
 * @param[in]  ctx                context of the call
 * @param[out] out                floating, int64
 * @param[in]  input              floating, int64
 * @param[in]  kernel_size        list of integers
 * @param[in]  stride             list of integers
 * @param[in]  padding            list of integers
 * @param[in]  ceil_mode          flag
 * @param[in]  count_include_pad  flag
 *
 * - formula: out[n, c, y] = sum over k of input[n, c, y * stride + k - padding] / the size of the window; its size
 *   counts positions in the padding with count_include_pad, and never those behind it
 * - shape: input [N, C, L] or without N; out with extents (input + 2 * padding - kernel_size) / stride + 1, rounded
 *   down, or up with ceil_mode, but then without a window that would start behind input and its left padding.
 * - broadcasting: Parameters of one value hold for all dimensions; an empty stride is kernel_size.
 * - strides: Any; channels-first and channels-last tensors are both read along their packed dimension.
 * - aliasing: out may overlap input.
 * - empty: An empty batch gives an empty result.
 * - nan: Sums in IEEE arithmetic; padding counts as 0.
 * - accumulation: float16 and bfloat16 sum in float32 and round once, float32 and float64 in their own precision;
 *   quotients of int64 are cut off.
 * - determinism: The same bits for any number of threads.
 * - checks:
 *   - kernel_size must have 1 entry. [diopiAvgPool1d-kernel_size-length]
 *   - padding must have 1 entry. [diopiAvgPool1d-padding-length]
 *   - stride must have 0 or 1 entries. [diopiAvgPool1d-stride-length]
 *   - input must have 2 or 3 dimensions. [diopiAvgPool1d-input-ndim]
 *   - input must have no extent of 0 among its last 2. [diopiAvgPool1d-input-not-empty]
 *   - out must have the shape of the result. [diopiAvgPool1d-out-shape]
 * - source: torch.nn.functional.avg_pool1d
 */
DIOPI_API diopiError_t diopiAvgPool1d(diopiContextHandle_t ctx, diopiTensorHandle_t out,
                                      diopiConstTensorHandle_t input, diopiSize_t kernel_size, diopiSize_t stride,
                                      diopiSize_t padding, bool ceil_mode, bool count_include_pad);

/**
 * Gradient of diopiAvgPool1d with respect to its input.
 *
 * @param[in]  ctx                context of the call
 * @param[out] grad_input         floating, int64
 * @param[in]  grad_output        floating, int64
 * @param[in]  input              floating, int64
 * @param[in]  kernel_size        list of integers
 * @param[in]  stride             list of integers
 * @param[in]  padding            list of integers
 * @param[in]  ceil_mode          flag
 * @param[in]  count_include_pad  flag
 *
 * - formula: grad_input[n, c, p] = sum of grad_output[n, c, y] / (divisor of y) over all y whose windows cover p,
 *   divisors as in diopiAvgPool1d
 * - shape: grad_input as input; grad_output as the output of diopiAvgPool1d.
 * - broadcasting: Parameters of one value hold for all dimensions; an empty stride is kernel_size.
 * - strides: Any; channels-first and channels-last tensors are both read along their packed dimension.
 * - aliasing: grad_input may overlap grad_output.
 * - empty: An empty batch gives an empty result.
 * - nan: Sums in IEEE arithmetic.
 * - accumulation: float16 and bfloat16 sum in float32 and round once, float32 and float64 in their own precision;
 *   quotients of int64 are cut off.
 * - determinism: The same bits for any number of threads.
 * - checks:
 *   - The checks of diopiAvgPool1d hold too.
 *   - grad_output must have the shape of the result of diopiAvgPool1d. [diopiAvgPool1dBackward-grad_output-shape]
 * - source: Autograd of torch.nn.functional.avg_pool1d
 * - notes: input gives shape and dtype only; its values are not read.
 */
DIOPI_API diopiError_t diopiAvgPool1dBackward(diopiContextHandle_t ctx, diopiTensorHandle_t grad_input,
                                              diopiConstTensorHandle_t grad_output, diopiConstTensorHandle_t input,
                                              diopiSize_t kernel_size, diopiSize_t stride, diopiSize_t padding,
                                              bool ceil_mode, bool count_include_pad);

/**
 * Two-dimensional average pooling, `torch.nn.functional.avg_pool2d`.
 *
 * @param[in]  ctx                context of the call
 * @param[out] out                floating, int64
 * @param[in]  input              floating, int64
 * @param[in]  kernel_size        list of integers
 * @param[in]  stride             list of integers
 * @param[in]  padding            list of integers
 * @param[in]  ceil_mode          flag
 * @param[in]  count_include_pad  flag
 * @param[in]  divisor_override   null: divide by the size of the window
 *
 * - formula: out[n, c, y] = sum over k of input[n, c, y * stride + k - padding] / divisor_override, or else the size of
 *   the window; its size counts positions in the padding with count_include_pad, and never those behind it
 * - shape: input [N, C, H, W] or without N; out with extents (input + 2 * padding - kernel_size) / stride + 1, rounded
 *   down, or up with ceil_mode, but then without a window that would start behind input and its left padding.
 * - broadcasting: Parameters of one value hold for all dimensions; an empty stride is kernel_size.
 * - strides: Any; channels-first and channels-last tensors are both read along their packed dimension.
 * - aliasing: out may overlap input.
 * - empty: An empty batch gives an empty result.
 * - nan: Sums in IEEE arithmetic; padding counts as 0.
 * - accumulation: float16 and bfloat16 sum in float32 and round once, float32 and float64 in their own precision;
 *   quotients of int64 are cut off.
 * - determinism: The same bits for any number of threads.
 * - checks:
 *   - kernel_size must have 1 or 2 entries. [diopiAvgPool2d-kernel_size-length]
 *   - padding must have 1 or 2 entries. [diopiAvgPool2d-padding-length]
 *   - stride must have 0, 1 or 2 entries. [diopiAvgPool2d-stride-length]
 *   - input must have 3 or 4 dimensions. [diopiAvgPool2d-input-ndim]
 *   - input must have no extent of 0 among its last 3. [diopiAvgPool2d-input-not-empty]
 *   - out must have the shape of the result. [diopiAvgPool2d-out-shape]
 * - source: torch.nn.functional.avg_pool2d
 */
DIOPI_API diopiError_t diopiAvgPool2d(diopiContextHandle_t ctx, diopiTensorHandle_t out,
                                      diopiConstTensorHandle_t input, diopiSize_t kernel_size, diopiSize_t stride,
                                      diopiSize_t padding, bool ceil_mode, bool count_include_pad,
                                      const int64_t* divisor_override);

/**
 * Gradient of diopiAvgPool2d with respect to its input.
 *
 * @param[in]  ctx                context of the call
 * @param[out] grad_input         floating, int64
 * @param[in]  grad_output        floating, int64
 * @param[in]  input              floating, int64
 * @param[in]  kernel_size        list of integers
 * @param[in]  stride             list of integers
 * @param[in]  padding            list of integers
 * @param[in]  ceil_mode          flag
 * @param[in]  count_include_pad  flag
 * @param[in]  divisor_override   null: divide by the size of the window
 *
 * - formula: grad_input[n, c, p] = sum of grad_output[n, c, y] / (divisor of y) over all y whose windows cover p,
 *   divisors as in diopiAvgPool2d
 * - shape: grad_input as input; grad_output as the output of diopiAvgPool2d.
 * - broadcasting: Parameters of one value hold for all dimensions; an empty stride is kernel_size.
 * - strides: Any; channels-first and channels-last tensors are both read along their packed dimension.
 * - aliasing: grad_input may overlap grad_output.
 * - empty: An empty batch gives an empty result.
 * - nan: Sums in IEEE arithmetic.
 * - accumulation: float16 and bfloat16 sum in float32 and round once, float32 and float64 in their own precision;
 *   quotients of int64 are cut off.
 * - determinism: The same bits for any number of threads.
 * - checks:
 *   - The checks of diopiAvgPool2d hold too.
 *   - grad_output must have the shape of the result of diopiAvgPool2d. [diopiAvgPool2dBackward-grad_output-shape]
 * - source: Autograd of torch.nn.functional.avg_pool2d
 * - notes: input gives shape and dtype only; its values are not read.
 */
DIOPI_API diopiError_t diopiAvgPool2dBackward(diopiContextHandle_t ctx, diopiTensorHandle_t grad_input,
                                              diopiConstTensorHandle_t grad_output, diopiConstTensorHandle_t input,
                                              diopiSize_t kernel_size, diopiSize_t stride, diopiSize_t padding,
                                              bool ceil_mode, bool count_include_pad, const int64_t* divisor_override);

/**
 * Three-dimensional average pooling, `torch.nn.functional.avg_pool3d`.
 *
 * @param[in]  ctx                context of the call
 * @param[out] out                floating, int64
 * @param[in]  input              floating, int64
 * @param[in]  kernel_size        list of integers
 * @param[in]  stride             list of integers
 * @param[in]  padding            list of integers
 * @param[in]  ceil_mode          flag
 * @param[in]  count_include_pad  flag
 * @param[in]  divisor_override   null: divide by the size of the window
 *
 * - formula: out[n, c, y] = sum over k of input[n, c, y * stride + k - padding] / divisor_override, or else the size of
 *   the window; its size counts positions in the padding with count_include_pad, and never those behind it
 * - shape: input [N, C, D, H, W] or without N; out with extents (input + 2 * padding - kernel_size) / stride + 1,
 *   rounded down, or up with ceil_mode, but then without a window that would start behind input and its left padding.
 * - broadcasting: Parameters of one value hold for all dimensions; an empty stride is kernel_size.
 * - strides: Any; channels-first and channels-last tensors are both read along their packed dimension.
 * - aliasing: out may overlap input.
 * - empty: An empty batch gives an empty result.
 * - nan: Sums in IEEE arithmetic; padding counts as 0.
 * - accumulation: float16 and bfloat16 sum in float32 and round once, float32 and float64 in their own precision;
 *   quotients of int64 are cut off.
 * - determinism: The same bits for any number of threads.
 * - checks:
 *   - kernel_size must have 1 or 3 entries. [diopiAvgPool3d-kernel_size-length]
 *   - padding must have 1 or 3 entries. [diopiAvgPool3d-padding-length]
 *   - stride must have 0, 1 or 3 entries. [diopiAvgPool3d-stride-length]
 *   - input must have 4 or 5 dimensions. [diopiAvgPool3d-input-ndim]
 *   - input must have no extent of 0 among its last 4. [diopiAvgPool3d-input-not-empty]
 *   - out must have the shape of the result. [diopiAvgPool3d-out-shape]
 * - source: torch.nn.functional.avg_pool3d
 */
DIOPI_API diopiError_t diopiAvgPool3d(diopiContextHandle_t ctx, diopiTensorHandle_t out,
                                      diopiConstTensorHandle_t input, diopiSize_t kernel_size, diopiSize_t stride,
                                      diopiSize_t padding, bool ceil_mode, bool count_include_pad,
                                      const int64_t* divisor_override);

/**
 * Gradient of diopiAvgPool3d with respect to its input.
 *
 * @param[in]  ctx                context of the call
 * @param[out] grad_input         floating, int64
 * @param[in]  grad_output        floating, int64
 * @param[in]  input              floating, int64
 * @param[in]  kernel_size        list of integers
 * @param[in]  stride             list of integers
 * @param[in]  padding            list of integers
 * @param[in]  ceil_mode          flag
 * @param[in]  count_include_pad  flag
 * @param[in]  divisor_override   null: divide by the size of the window
 *
 * - formula: grad_input[n, c, p] = sum of grad_output[n, c, y] / (divisor of y) over all y whose windows cover p,
 *   divisors as in diopiAvgPool3d
 * - shape: grad_input as input; grad_output as the output of diopiAvgPool3d.
 * - broadcasting: Parameters of one value hold for all dimensions; an empty stride is kernel_size.
 * - strides: Any; channels-first and channels-last tensors are both read along their packed dimension.
 * - aliasing: grad_input may overlap grad_output.
 * - empty: An empty batch gives an empty result.
 * - nan: Sums in IEEE arithmetic.
 * - accumulation: float16 and bfloat16 sum in float32 and round once, float32 and float64 in their own precision;
 *   quotients of int64 are cut off.
 * - determinism: The same bits for any number of threads.
 * - checks:
 *   - The checks of diopiAvgPool3d hold too.
 *   - grad_output must have the shape of the result of diopiAvgPool3d. [diopiAvgPool3dBackward-grad_output-shape]
 * - source: Autograd of torch.nn.functional.avg_pool3d
 * - notes: input gives shape and dtype only; its values are not read.
 */
DIOPI_API diopiError_t diopiAvgPool3dBackward(diopiContextHandle_t ctx, diopiTensorHandle_t grad_input,
                                              diopiConstTensorHandle_t grad_output, diopiConstTensorHandle_t input,
                                              diopiSize_t kernel_size, diopiSize_t stride, diopiSize_t padding,
                                              bool ceil_mode, bool count_include_pad, const int64_t* divisor_override);

/** @} */

/** @name pool_max
 * Maximum pooling over sliding windows.
 * - checks:
 *   - out and input must have the same dtype. [out-same-dtype]
 *   - grad_input, grad_output and input must have the same dtype. [grad_input-same-dtype]
 *   - grad_input and input must have the same shape. [grad_input-same-shape]
 *   - Each entry of kernel_size must be at least 1 and at most 2147483647. [kernel_size-values]
 *   - Each entry of stride must be at least 1 and at most 2147483647. [stride-values]
 *   - Each entry of dilation must be at least 1 and at most 2147483647. [dilation-values]
 *   - Each entry of padding must be at least 0 and at most 2147483647. [padding-values]
 *   - padding must be at most half of kernel_size, enlarged by dilation. [padding-below-half]
 *   - The padded input must have room for kernel_size, enlarged by dilation. [input-fits-kernel]
 */
/** @{ */

/**
 * One-dimensional maximum pooling, `torch.nn.functional.max_pool1d`.
 *
 * @param[in]  ctx          context of the call
 * @param[out] out          integral, floating
 * @param[in]  input        integral, floating
 * @param[in]  kernel_size  list of integers
 * @param[in]  stride       list of integers
 * @param[in]  padding      list of integers
 * @param[in]  dilation     list of integers
 * @param[in]  ceil_mode    flag
 *
 * - formula: out[n, c, y] = max over k of input[n, c, y * stride + k * dilation - padding], positions outside of input
 *   left out
 * - shape: input [N, C, L] or without N; out with extents (input + 2 * padding - dilation * (kernel_size - 1) - 1) /
 *   stride + 1, rounded down, or up with ceil_mode, but then without a window that would start behind input and its
 *   left padding.
 * - broadcasting: Parameters of one value hold for all dimensions; an empty stride is kernel_size.
 * - strides: Any; channels-first and channels-last tensors are both read along their packed dimension.
 * - aliasing: out may overlap input.
 * - empty: An empty batch gives an empty result.
 * - nan: A NaN is larger than everything; padding is smaller than everything. A window without any element of input,
 *   which a large dilation makes possible, gives -infinity, or the least value of an integral dtype.
 * - accumulation: None: the result is an element of input.
 * - determinism: The same bits for any number of threads.
 * - checks:
 *   - kernel_size must have 1 entry. [diopiMaxPool1d-kernel_size-length]
 *   - padding must have 1 entry. [diopiMaxPool1d-padding-length]
 *   - dilation must have 1 entry. [diopiMaxPool1d-dilation-length]
 *   - stride must have 0 or 1 entries. [diopiMaxPool1d-stride-length]
 *   - input must have 2 or 3 dimensions. [diopiMaxPool1d-input-ndim]
 *   - input must have no extent of 0 among its last 2. [diopiMaxPool1d-input-not-empty]
 *   - out must have the shape of the result. [diopiMaxPool1d-out-shape]
 * - source: torch.nn.functional.max_pool1d
 */
DIOPI_API diopiError_t diopiMaxPool1d(diopiContextHandle_t ctx, diopiTensorHandle_t out,
                                      diopiConstTensorHandle_t input, diopiSize_t kernel_size, diopiSize_t stride,
                                      diopiSize_t padding, diopiSize_t dilation, bool ceil_mode);

/**
 * Gradient of diopiMaxPool1dWithIndices with respect to its input.
 *
 * @param[in]  ctx          context of the call
 * @param[out] grad_input   floating
 * @param[in]  grad_output  floating
 * @param[in]  input        floating
 * @param[in]  kernel_size  list of integers
 * @param[in]  stride       list of integers
 * @param[in]  padding      list of integers
 * @param[in]  dilation     list of integers
 * @param[in]  ceil_mode    flag
 * @param[in]  indices      int32, int64
 *
 * - formula: grad_input[n, c, p] = sum of grad_output[n, c, y] over all y with indices[n, c, y] = p
 * - shape: grad_input as input; grad_output and indices as the output of diopiMaxPool1d.
 * - broadcasting: Parameters of one value hold for all dimensions; an empty stride is kernel_size.
 * - strides: Any; channels-first and channels-last tensors are both read along their packed dimension.
 * - aliasing: grad_input may overlap grad_output.
 * - empty: An empty batch gives an empty result.
 * - nan: Sums in IEEE arithmetic.
 * - accumulation: float16 and bfloat16 sum in float32 and round once, float32 and float64 in their own precision.
 * - determinism: The same bits for any number of threads.
 * - checks:
 *   - The checks of diopiMaxPool1d hold too.
 *   - grad_output must have the shape of the result of diopiMaxPool1d. [diopiMaxPool1dBackward-grad_output-shape]
 *   - indices must have the shape of the result of diopiMaxPool1d. [diopiMaxPool1dBackward-indices-shape]
 *   - Each element of indices must be 0 to below input[-1]. A device may report this when the stream is synchronised.
 *     [diopiMaxPool1dBackward-indices-index]
 * - source: Autograd of torch.nn.functional.max_pool1d
 * - notes: input gives shape and dtype only; its values are not read.
 */
DIOPI_API diopiError_t diopiMaxPool1dBackward(diopiContextHandle_t ctx, diopiTensorHandle_t grad_input,
                                              diopiConstTensorHandle_t grad_output, diopiConstTensorHandle_t input,
                                              diopiSize_t kernel_size, diopiSize_t stride, diopiSize_t padding,
                                              diopiSize_t dilation, bool ceil_mode, diopiConstTensorHandle_t indices);

/**
 * diopiMaxPool1d that also returns the positions of the maxima.
 *
 * @param[in]  ctx          context of the call
 * @param[out] out          integral, floating
 * @param[out] indices      int32, int64
 * @param[in]  input        integral, floating
 * @param[in]  kernel_size  list of integers
 * @param[in]  stride       list of integers
 * @param[in]  padding      list of integers
 * @param[in]  dilation     list of integers
 * @param[in]  ceil_mode    flag
 *
 * - formula: out as diopiMaxPool1d; indices = the flat position in the plane of input of the element that out took
 * - shape: input [N, C, L] or without N; out with extents (input + 2 * padding - dilation * (kernel_size - 1) - 1) /
 *   stride + 1, rounded down, or up with ceil_mode, but then without a window that would start behind input and its
 *   left padding.
 * - broadcasting: Parameters of one value hold for all dimensions; an empty stride is kernel_size.
 * - strides: Any; channels-first and channels-last tensors are both read along their packed dimension.
 * - aliasing: out may overlap input.
 * - empty: An empty batch gives an empty result.
 * - nan: A NaN is larger than everything; padding is smaller than everything. A window without any element of input,
 *   which a large dilation makes possible, gives -infinity, or the least value of an integral dtype.
 * - accumulation: None: the result is an element of input.
 * - determinism: The same bits for any number of threads.
 * - checks:
 *   - The checks of diopiMaxPool1d hold too.
 *   - indices must have the shape of the result. [diopiMaxPool1dWithIndices-indices-shape]
 * - source: torch.nn.functional.max_pool1d with return_indices
 * - notes: Of equal elements the first in row-major order counts, of NaN the last. The index of a window without any
 *   element of input is the flat position of the window's first point that has no negative coordinate. It may lie
 *   outside of the plane; diopiMaxPool1dBackward refuses such an index. The CPU vendor refuses planes of 2^31 elements
 *   and more.
 */
DIOPI_API diopiError_t diopiMaxPool1dWithIndices(diopiContextHandle_t ctx, diopiTensorHandle_t out,
                                                 diopiTensorHandle_t indices, diopiConstTensorHandle_t input,
                                                 diopiSize_t kernel_size, diopiSize_t stride, diopiSize_t padding,
                                                 diopiSize_t dilation, bool ceil_mode);

/**
 * Two-dimensional maximum pooling, `torch.nn.functional.max_pool2d`.
 *
 * @param[in]  ctx          context of the call
 * @param[out] out          integral, floating
 * @param[in]  input        integral, floating
 * @param[in]  kernel_size  list of integers
 * @param[in]  stride       list of integers
 * @param[in]  padding      list of integers
 * @param[in]  dilation     list of integers
 * @param[in]  ceil_mode    flag
 *
 * - formula: out[n, c, y] = max over k of input[n, c, y * stride + k * dilation - padding], positions outside of input
 *   left out
 * - shape: input [N, C, H, W] or without N; out with extents (input + 2 * padding - dilation * (kernel_size - 1) - 1) /
 *   stride + 1, rounded down, or up with ceil_mode, but then without a window that would start behind input and its
 *   left padding.
 * - broadcasting: Parameters of one value hold for all dimensions; an empty stride is kernel_size.
 * - strides: Any; channels-first and channels-last tensors are both read along their packed dimension.
 * - aliasing: out may overlap input.
 * - empty: An empty batch gives an empty result.
 * - nan: A NaN is larger than everything; padding is smaller than everything. A window without any element of input,
 *   which a large dilation makes possible, gives -infinity, or the least value of an integral dtype.
 * - accumulation: None: the result is an element of input.
 * - determinism: The same bits for any number of threads.
 * - checks:
 *   - kernel_size must have 1 or 2 entries. [diopiMaxPool2d-kernel_size-length]
 *   - padding must have 1 or 2 entries. [diopiMaxPool2d-padding-length]
 *   - dilation must have 1 or 2 entries. [diopiMaxPool2d-dilation-length]
 *   - stride must have 0, 1 or 2 entries. [diopiMaxPool2d-stride-length]
 *   - input must have 3 or 4 dimensions. [diopiMaxPool2d-input-ndim]
 *   - input must have no extent of 0 among its last 3. [diopiMaxPool2d-input-not-empty]
 *   - out must have the shape of the result. [diopiMaxPool2d-out-shape]
 * - source: torch.nn.functional.max_pool2d
 */
DIOPI_API diopiError_t diopiMaxPool2d(diopiContextHandle_t ctx, diopiTensorHandle_t out,
                                      diopiConstTensorHandle_t input, diopiSize_t kernel_size, diopiSize_t stride,
                                      diopiSize_t padding, diopiSize_t dilation, bool ceil_mode);

/**
 * diopiMaxPool2d that also returns the positions of the maxima.
 *
 * @param[in]  ctx          context of the call
 * @param[out] out          integral, floating
 * @param[out] indices      int32, int64
 * @param[in]  input        integral, floating
 * @param[in]  kernel_size  list of integers
 * @param[in]  stride       list of integers
 * @param[in]  padding      list of integers
 * @param[in]  dilation     list of integers
 * @param[in]  ceil_mode    flag
 *
 * - formula: out as diopiMaxPool2d; indices = the flat position in the plane of input of the element that out took
 * - shape: input [N, C, H, W] or without N; out with extents (input + 2 * padding - dilation * (kernel_size - 1) - 1) /
 *   stride + 1, rounded down, or up with ceil_mode, but then without a window that would start behind input and its
 *   left padding.
 * - broadcasting: Parameters of one value hold for all dimensions; an empty stride is kernel_size.
 * - strides: Any; channels-first and channels-last tensors are both read along their packed dimension.
 * - aliasing: out may overlap input.
 * - empty: An empty batch gives an empty result.
 * - nan: A NaN is larger than everything; padding is smaller than everything. A window without any element of input,
 *   which a large dilation makes possible, gives -infinity, or the least value of an integral dtype.
 * - accumulation: None: the result is an element of input.
 * - determinism: The same bits for any number of threads.
 * - checks:
 *   - The checks of diopiMaxPool2d hold too.
 *   - indices must have the shape of the result. [diopiMaxPool2dWithIndices-indices-shape]
 * - source: torch.nn.functional.max_pool2d with return_indices
 * - notes: Of equal elements the first in row-major order counts, of NaN the last. The index of a window without any
 *   element of input is the flat position of the window's first point that has no negative coordinate. It may lie
 *   outside of the plane; diopiMaxPool2dBackward refuses such an index. The CPU vendor refuses planes of 2^31 elements
 *   and more.
 */
DIOPI_API diopiError_t diopiMaxPool2dWithIndices(diopiContextHandle_t ctx, diopiTensorHandle_t out,
                                                 diopiTensorHandle_t indices, diopiConstTensorHandle_t input,
                                                 diopiSize_t kernel_size, diopiSize_t stride, diopiSize_t padding,
                                                 diopiSize_t dilation, bool ceil_mode);

/**
 * Gradient of diopiMaxPool2dWithIndices with respect to its input.
 *
 * @param[in]  ctx          context of the call
 * @param[out] grad_input   floating
 * @param[in]  grad_output  floating
 * @param[in]  input        floating
 * @param[in]  kernel_size  list of integers
 * @param[in]  stride       list of integers
 * @param[in]  padding      list of integers
 * @param[in]  dilation     list of integers
 * @param[in]  ceil_mode    flag
 * @param[in]  indices      int32, int64
 *
 * - formula: grad_input[n, c, p] = sum of grad_output[n, c, y] over all y with indices[n, c, y] = p
 * - shape: grad_input as input; grad_output and indices as the output of diopiMaxPool2d.
 * - broadcasting: Parameters of one value hold for all dimensions; an empty stride is kernel_size.
 * - strides: Any; channels-first and channels-last tensors are both read along their packed dimension.
 * - aliasing: grad_input may overlap grad_output.
 * - empty: An empty batch gives an empty result.
 * - nan: Sums in IEEE arithmetic.
 * - accumulation: float16 and bfloat16 sum in float32 and round once, float32 and float64 in their own precision.
 * - determinism: The same bits for any number of threads.
 * - checks:
 *   - The checks of diopiMaxPool2d hold too.
 *   - grad_output must have the shape of the result of diopiMaxPool2d. [diopiMaxPool2dBackward-grad_output-shape]
 *   - indices must have the shape of the result of diopiMaxPool2d. [diopiMaxPool2dBackward-indices-shape]
 *   - Each element of indices must be 0 to below input[-2] * input[-1]. A device may report this when the stream is
 *     synchronised. [diopiMaxPool2dBackward-indices-index]
 * - source: Autograd of torch.nn.functional.max_pool2d
 * - notes: input gives shape and dtype only; its values are not read.
 */
DIOPI_API diopiError_t diopiMaxPool2dBackward(diopiContextHandle_t ctx, diopiTensorHandle_t grad_input,
                                              diopiConstTensorHandle_t grad_output, diopiConstTensorHandle_t input,
                                              diopiSize_t kernel_size, diopiSize_t stride, diopiSize_t padding,
                                              diopiSize_t dilation, bool ceil_mode, diopiConstTensorHandle_t indices);

/**
 * Three-dimensional maximum pooling, `torch.nn.functional.max_pool3d`.
 *
 * @param[in]  ctx          context of the call
 * @param[out] out          integral, floating
 * @param[in]  input        integral, floating
 * @param[in]  kernel_size  list of integers
 * @param[in]  stride       list of integers
 * @param[in]  padding      list of integers
 * @param[in]  dilation     list of integers
 * @param[in]  ceil_mode    flag
 *
 * - formula: out[n, c, y] = max over k of input[n, c, y * stride + k * dilation - padding], positions outside of input
 *   left out
 * - shape: input [N, C, D, H, W] or without N; out with extents (input + 2 * padding - dilation * (kernel_size - 1) -
 *   1) / stride + 1, rounded down, or up with ceil_mode, but then without a window that would start behind input and
 *   its left padding.
 * - broadcasting: Parameters of one value hold for all dimensions; an empty stride is kernel_size.
 * - strides: Any; channels-first and channels-last tensors are both read along their packed dimension.
 * - aliasing: out may overlap input.
 * - empty: An empty batch gives an empty result.
 * - nan: A NaN is larger than everything; padding is smaller than everything. A window without any element of input,
 *   which a large dilation makes possible, gives -infinity, or the least value of an integral dtype.
 * - accumulation: None: the result is an element of input.
 * - determinism: The same bits for any number of threads.
 * - checks:
 *   - kernel_size must have 1 or 3 entries. [diopiMaxPool3d-kernel_size-length]
 *   - padding must have 1 or 3 entries. [diopiMaxPool3d-padding-length]
 *   - dilation must have 1 or 3 entries. [diopiMaxPool3d-dilation-length]
 *   - stride must have 0, 1 or 3 entries. [diopiMaxPool3d-stride-length]
 *   - input must have 4 or 5 dimensions. [diopiMaxPool3d-input-ndim]
 *   - input must have no extent of 0 among its last 4. [diopiMaxPool3d-input-not-empty]
 *   - out must have the shape of the result. [diopiMaxPool3d-out-shape]
 * - source: torch.nn.functional.max_pool3d
 */
DIOPI_API diopiError_t diopiMaxPool3d(diopiContextHandle_t ctx, diopiTensorHandle_t out,
                                      diopiConstTensorHandle_t input, diopiSize_t kernel_size, diopiSize_t stride,
                                      diopiSize_t padding, diopiSize_t dilation, bool ceil_mode);

/**
 * diopiMaxPool3d that also returns the positions of the maxima.
 *
 * @param[in]  ctx          context of the call
 * @param[out] out          integral, floating
 * @param[out] indices      int32, int64
 * @param[in]  input        integral, floating
 * @param[in]  kernel_size  list of integers
 * @param[in]  stride       list of integers
 * @param[in]  padding      list of integers
 * @param[in]  dilation     list of integers
 * @param[in]  ceil_mode    flag
 *
 * - formula: out as diopiMaxPool3d; indices = the flat position in the plane of input of the element that out took
 * - shape: input [N, C, D, H, W] or without N; out with extents (input + 2 * padding - dilation * (kernel_size - 1) -
 *   1) / stride + 1, rounded down, or up with ceil_mode, but then without a window that would start behind input and
 *   its left padding.
 * - broadcasting: Parameters of one value hold for all dimensions; an empty stride is kernel_size.
 * - strides: Any; channels-first and channels-last tensors are both read along their packed dimension.
 * - aliasing: out may overlap input.
 * - empty: An empty batch gives an empty result.
 * - nan: A NaN is larger than everything; padding is smaller than everything. A window without any element of input,
 *   which a large dilation makes possible, gives -infinity, or the least value of an integral dtype.
 * - accumulation: None: the result is an element of input.
 * - determinism: The same bits for any number of threads.
 * - checks:
 *   - The checks of diopiMaxPool3d hold too.
 *   - indices must have the shape of the result. [diopiMaxPool3dWithIndices-indices-shape]
 * - source: torch.nn.functional.max_pool3d with return_indices
 * - notes: Of equal elements the first in row-major order counts, of NaN the last. The index of a window without any
 *   element of input is the flat position of the window's first point that has no negative coordinate. It may lie
 *   outside of the plane; diopiMaxPool3dBackward refuses such an index. The CPU vendor refuses planes of 2^31 elements
 *   and more.
 */
DIOPI_API diopiError_t diopiMaxPool3dWithIndices(diopiContextHandle_t ctx, diopiTensorHandle_t out,
                                                 diopiTensorHandle_t indices, diopiConstTensorHandle_t input,
                                                 diopiSize_t kernel_size, diopiSize_t stride, diopiSize_t padding,
                                                 diopiSize_t dilation, bool ceil_mode);

/**
 * Gradient of diopiMaxPool3dWithIndices with respect to its input.
 *
 * @param[in]  ctx          context of the call
 * @param[out] grad_input   floating
 * @param[in]  grad_output  floating
 * @param[in]  input        floating
 * @param[in]  kernel_size  list of integers
 * @param[in]  stride       list of integers
 * @param[in]  padding      list of integers
 * @param[in]  dilation     list of integers
 * @param[in]  ceil_mode    flag
 * @param[in]  indices      int32, int64
 *
 * - formula: grad_input[n, c, p] = sum of grad_output[n, c, y] over all y with indices[n, c, y] = p
 * - shape: grad_input as input; grad_output and indices as the output of diopiMaxPool3d.
 * - broadcasting: Parameters of one value hold for all dimensions; an empty stride is kernel_size.
 * - strides: Any; channels-first and channels-last tensors are both read along their packed dimension.
 * - aliasing: grad_input may overlap grad_output.
 * - empty: An empty batch gives an empty result.
 * - nan: Sums in IEEE arithmetic.
 * - accumulation: float16 and bfloat16 sum in float32 and round once, float32 and float64 in their own precision.
 * - determinism: The same bits for any number of threads.
 * - checks:
 *   - The checks of diopiMaxPool3d hold too.
 *   - grad_output must have the shape of the result of diopiMaxPool3d. [diopiMaxPool3dBackward-grad_output-shape]
 *   - indices must have the shape of the result of diopiMaxPool3d. [diopiMaxPool3dBackward-indices-shape]
 *   - Each element of indices must be 0 to below input[-3] * input[-2] * input[-1]. A device may report this when the
 *     stream is synchronised. [diopiMaxPool3dBackward-indices-index]
 * - source: Autograd of torch.nn.functional.max_pool3d
 * - notes: input gives shape and dtype only; its values are not read.
 */
DIOPI_API diopiError_t diopiMaxPool3dBackward(diopiContextHandle_t ctx, diopiTensorHandle_t grad_input,
                                              diopiConstTensorHandle_t grad_output, diopiConstTensorHandle_t input,
                                              diopiSize_t kernel_size, diopiSize_t stride, diopiSize_t padding,
                                              diopiSize_t dilation, bool ceil_mode, diopiConstTensorHandle_t indices);

/** @} */

/** @name pow
 * Powers with scalar and tensor exponents.
 * - shape: out has the broadcast shape of the operands; in place, the other operands broadcast to the shape of input.
 * - broadcasting: Shapes are aligned at their last dimensions; a size of 1 stretches to the other's size.
 * - strides: Any for every tensor; an operand may be expanded.
 * - aliasing: out may be an operand itself; an operand that overlaps out in another way is copied first.
 * - empty: Empty and 0-d operands are ordinary.
 * - nan: As C's pow has it, for complex numbers too: x ^ 0 and 1 ^ x are 1 even for NaN and infinities, x ^ 1 is x;
 *   integers wrap around.
 * - accumulation: None; float16 and bfloat16 are computed in float32 and rounded once.
 * - determinism: The same bits for any number of threads.
 * - checks:
 *   - The shapes of the inputs must broadcast. [inputs-broadcastable]
 *   - Each output must have the broadcast shape of the operands. [outputs-shape]
 *   - The dtype of the result must be castable to the dtype of each output. [outputs-castable]
 */
/** @{ */

/**
 * Scalar base raised to the elements of exponent, `torch.pow(scalar, tensor)`.
 *
 * @param[in]  ctx       context of the call
 * @param[out] out       integral, floating, complex, bool
 * @param[in]  input     scalar
 * @param[in]  exponent  integral, floating, complex, bool
 *
 * - formula: out = input ^ exponent
 * - checks:
 *   - The checks of diopiPowTensor hold too.
 * - source: torch.pow
 * - notes: An integer to a negative power is 0, except that the powers of 1 and -1 are 1 or -1.
 */
DIOPI_API diopiError_t diopiPowScalar(diopiContextHandle_t ctx, diopiTensorHandle_t out, const diopiScalar_t* input,
                                      diopiConstTensorHandle_t exponent);

/**
 * Elements raised to a scalar exponent, `torch.pow(tensor, scalar)`.
 *
 * @param[in]  ctx       context of the call
 * @param[out] out       integral, floating, complex, bool
 * @param[in]  input     integral, floating, complex, bool
 * @param[in]  exponent  scalar
 *
 * - formula: out = input ^ exponent
 * - checks:
 *   - If the promoted dtype is integral, exponent must be at least 0. [diopiPow-exponent-value]
 *   - If the promoted dtype is not float32 or complex64, exponent must fit the promoted dtype. [diopiPow-exponent-fits]
 * - source: torch.pow
 * - notes: Any exponent fits float32 and complex64, where one that is too large acts as an infinite one. Where the
 *   promoted dtype is bool, the power is input where exponent is true, and true where it is false.
 */
DIOPI_API diopiError_t diopiPow(diopiContextHandle_t ctx, diopiTensorHandle_t out, diopiConstTensorHandle_t input,
                                const diopiScalar_t* exponent);

/**
 * Raises input to a scalar exponent in place, `torch.Tensor.pow_`.
 *
 * @param[in]     ctx       context of the call
 * @param[in,out] input     integral, floating, complex, bool
 * @param[in]     exponent  scalar
 *
 * As diopiPow, except:
 * - formula: input = input ^ exponent
 */
DIOPI_API diopiError_t diopiPowInp(diopiContextHandle_t ctx, diopiTensorHandle_t input, const diopiScalar_t* exponent);

/**
 * Element-wise input raised to exponent with broadcasting, `torch.pow(tensor, tensor)`.
 *
 * @param[in]  ctx       context of the call
 * @param[out] out       integral, floating, complex, bool
 * @param[in]  input     integral, floating, complex, bool
 * @param[in]  exponent  integral, floating, complex, bool
 *
 * - formula: out = input ^ exponent
 * - checks:
 *   - The promoted dtype must not be bool. [diopiPowTensor-promoted-dtype]
 * - source: torch.pow
 * - notes: An integer to a negative power is 0, except that the powers of 1 and -1 are 1 or -1.
 */
DIOPI_API diopiError_t diopiPowTensor(diopiContextHandle_t ctx, diopiTensorHandle_t out,
                                      diopiConstTensorHandle_t input, diopiConstTensorHandle_t exponent);

/**
 * Raises input to the elements of exponent in place, `torch.Tensor.pow_`.
 *
 * @param[in]     ctx       context of the call
 * @param[in,out] input     integral, floating, complex, bool
 * @param[in]     exponent  integral, floating, complex, bool
 *
 * As diopiPowTensor, except:
 * - formula: input = input ^ exponent
 */
DIOPI_API diopiError_t diopiPowInpTensor(diopiContextHandle_t ctx, diopiTensorHandle_t input,
                                         diopiConstTensorHandle_t exponent);

/** @} */

/** @name random
 * Random numbers from a generator's seed and offset.
 * - broadcasting: None.
 * - strides: Any; element i in row-major order gets the same number whatever the strides.
 * - aliasing: Not applicable.
 * - empty: An empty tensor draws nothing; seed and offset still are read and written. 0-d counts as one element.
 * - nan: Not applicable.
 * - accumulation: Not applicable.
 * - determinism: The result depends on seed, offset, shape, dtype and parameters only; not on threads, vector width or
 *   memory layout. Every vendor can reproduce it from the definition in the notes of diopiUniformInp.
 */
/** @{ */

/**
 * Fills with integers of the uniform distribution over [from, to), `torch.Tensor.random_`.
 *
 * @param[in]     ctx        context of the call
 * @param[out]    inout      integral, floating, bool
 * @param[in]     from       integer
 * @param[in]     to         null: up to the largest value the dtype holds exactly
 * @param[in,out] generator  generator
 *
 * - formula: inout_i = low + floor(W_i * (high - low + 1) / 2^64), W_i a random 64-bit integer
 * - shape: Any.
 * - checks:
 *   - from must be less than to. [diopiRandomInp-from-ordered]
 *   - from must lie in the range of the dtype of inout. [diopiRandomInp-from-fits]
 *   - to - 1 must lie in the range of the dtype of inout. [diopiRandomInp-to-fits]
 *   - The dtype must hold an integer from from to to - 1. [diopiRandomInp-from-integers]
 * - source: torch.Tensor.random_
 * - notes: low = from and high = to - 1; where to is null, high is the largest value of an integer dtype, 1 for bool,
 *   and 2 to the number of significand bits (2^11, 2^8, 2^24, 2^53) for a floating one. On a floating dtype low is
 *   raised and high lowered to integers that the dtype holds, and results between are rounded to nearest even. W_i is
 *   made of words 2i (low half) and 2i + 1 (high half), see diopiUniformInp; 2 words per element.
 */
DIOPI_API diopiError_t diopiRandomInp(diopiContextHandle_t ctx, diopiTensorHandle_t inout, int64_t from,
                                      const int64_t* to, diopiGeneratorHandle_t generator);

/**
 * Fills with numbers of the uniform distribution over [from, to), `torch.Tensor.uniform_`.
 *
 * @param[in]     ctx        context of the call
 * @param[out]    inout      floating, complex
 * @param[in]     from       number
 * @param[in]     to         number
 * @param[in,out] generator  generator
 *
 * - formula: inout_i = from + u_i * (to - from), u_i uniform in [0, 1)
 * - shape: Any.
 * - accumulation: float32 for float16, bfloat16 and float32, float64 for float64; product and sum each rounded, never
 *   fused.
 * - checks:
 *   - from must be finite and fit the dtype of inout. [diopiUniformInp-from-fits]
 *   - to must be finite and fit the dtype of inout. [diopiUniformInp-to-fits]
 *   - from must be at most to. [diopiUniformInp-from-ordered]
 *   - to - from must be finite and fit the dtype of inout. [diopiUniformInp-to-minus-from-fits]
 * - source: torch.Tensor.uniform_
 * - notes: Definition of the random words, for all operators that take a generator and say no more than "words". Word j
 *   of a call is lane j mod 4 of counter block b + floor(j / 4) of Philox 4x32-10 (Salmon et al., SC 2011), where b =
 *   ceil(offset / 4) modulo 2^64. The key is (low 32 bits of the seed, high 32 bits); the counter is (low 32 bits of
 *   the block's number, high 32 bits, 0, 0). The multipliers are 0xD2511F53 (of lane 0) and 0xCD9E8D57 (of lane 2), the
 *   key increments 0x9E3779B9 and 0xBB67AE85; seed 0 and offset 0 give 6627e8d5 e169c58d bc57ac4c 9b00dbd8. A call that
 *   uses w words leaves the generator at offset 4 * (b + ceil(w / 4)), the seed unchanged: the offset counts words.
 *   This operator: element i uses word i, in float64 words 2i (low half) and 2i + 1 (high half) as one 64-bit word. u
 *   is the upper 24 bits of the word (float16 11, bfloat16 8, float64 the upper 53 of 64) divided by 2 to that number.
 *   from and to are rounded to the dtype first. A value that rounding carries to `to` becomes `from`, so that the
 *   interval stays half-open. A complex tensor is filled as a real one of twice as many elements, real and imaginary
 *   parts in turn.
 */
DIOPI_API diopiError_t diopiUniformInp(diopiContextHandle_t ctx, diopiTensorHandle_t inout, double from, double to,
                                       diopiGeneratorHandle_t generator);

/**
 * Draws 1 with the probability given by input, else 0, `torch.bernoulli`.
 *
 * @param[in]     ctx        context of the call
 * @param[out]    out        integral, floating, bool
 * @param[in]     input      floating
 * @param[in,out] generator  generator
 *
 * - formula: out_i = 1 where word_i * 2^-32 < input_i, else 0
 * - shape: out has the shape of input.
 * - aliasing: out may be input itself.
 * - nan: A probability that is NaN is an error.
 * - checks:
 *   - Each element of input must be within [0, 1]. A device may report this when the stream is synchronised.
 *     [diopiBernoulli-input-elements]
 *   - out and input must have the same shape. [diopiBernoulli-out-same-shape]
 * - source: torch.bernoulli
 * - notes: The comparison is exact. One word per element, see diopiUniformInp, whatever the dtypes and probabilities.
 */
DIOPI_API diopiError_t diopiBernoulli(diopiContextHandle_t ctx, diopiTensorHandle_t out,
                                      diopiConstTensorHandle_t input, diopiGeneratorHandle_t generator);

/**
 * Replaces each probability in inout by a draw of 0 or 1, as `torch.bernoulli` with itself as output.
 *
 * @param[in]     ctx        context of the call
 * @param[in,out] inout      floating
 * @param[in,out] generator  generator
 *
 * As diopiBernoulli, except:
 * - formula: inout_i = 1 where word_i * 2^-32 < inout_i, else 0
 * - shape: Any.
 * - aliasing: Not applicable.
 * - checks:
 *   - Each element of inout must be within [0, 1]. A device may report this when the stream is synchronised.
 *     [diopiBernoulliInp-inout-elements]
 */
DIOPI_API diopiError_t diopiBernoulliInp(diopiContextHandle_t ctx, diopiTensorHandle_t inout,
                                         diopiGeneratorHandle_t generator);

/**
 * Draws 1 with probability p, else 0, `torch.Tensor.bernoulli_`.
 *
 * @param[in]     ctx        context of the call
 * @param[out]    out        integral, floating, bool
 * @param[in]     p          number
 * @param[in,out] generator  generator
 *
 * - formula: out_i = 1 where word_i * 2^-32 < p, else 0
 * - shape: Any.
 * - nan: A probability that is NaN is an error.
 * - checks:
 *   - p must be within [0, 1]. [diopiBernoulliScalar-p-value]
 * - source: torch.Tensor.bernoulli_
 * - notes: One word per element, see diopiUniformInp, also where p is 0 or 1.
 */
DIOPI_API diopiError_t diopiBernoulliScalar(diopiContextHandle_t ctx, diopiTensorHandle_t out, double p,
                                            diopiGeneratorHandle_t generator);

/**
 * Random permutation of 0 to n - 1, `torch.randperm`.
 *
 * @param[in]     ctx        context of the call
 * @param[out]    out        integral, floating
 * @param[in]     n          integer
 * @param[in,out] generator  generator
 *
 * - formula: out = the positions of n distinct random keys in increasing order
 * - shape: out is [n].
 * - checks:
 *   - n must be at least 0. [diopiRandperm-n-value]
 *   - out must have the shape [n]. [diopiRandperm-out-shape]
 *   - n - 1 must fit the dtype of out exactly, and so must every integer from 0 to it. [diopiRandperm-n-fits]
 * - source: torch.randperm
 * - notes: Key i is the 64-bit word made of words 2i (low half) and 2i + 1 (high half), see diopiUniformInp, with its
 *   low bits replaced by i, as many as n - 1 has binary digits. 2 words per element.
 */
DIOPI_API diopiError_t diopiRandperm(diopiContextHandle_t ctx, diopiTensorHandle_t out, int64_t n,
                                     diopiGeneratorHandle_t generator);

/**
 * Draws from one normal distribution, `torch.normal(float, float)`.
 *
 * @param[in]     ctx        context of the call
 * @param[out]    out        floating, complex
 * @param[in]     mean       number
 * @param[in]     std        number
 * @param[in,out] generator  generator
 *
 * - formula: out_i = z_i * std + mean, z_i standard normal
 * - shape: Any.
 * - nan: A mean of NaN gives NaN, a std of NaN is an error.
 * - accumulation: float32 for float16, bfloat16 and float32, float64 for float64; rounded once.
 * - determinism: The words are the same everywhere, and the same vendor gives the same bits for any number of threads
 *   and on any of its vector targets. Between vendors logarithm, sine and cosine may differ in the last bits.
 * - checks:
 *   - std must be at least 0. [diopiNormal-std-value]
 * - source: torch.normal(float, float, size)
 * - notes: Box and Muller's transformation, a pair of elements (2k, 2k + 1) from two words or 64-bit words a and b, see
 *   diopiUniformInp: r = sqrt(-2 ln u), z_2k = r cos(2 pi v), z_2k+1 = r sin(2 pi v). For float32, float16 and bfloat16
 *   a and b are words 2k and 2k + 1, u = (a + 1) / 2^32, v = b / 2^32. For float64 they are words 4k, 4k + 1 and 4k +
 *   2, 4k + 3, low half first, u = (floor(a / 2^12) + 1) / 2^52, v = floor(b / 2^11) / 2^53. A tensor of an odd number
 *   of elements leaves the last sine out. A complex tensor is filled as a real one of twice as many elements, real and
 *   imaginary parts in turn, with std / sqrt(2). 1 word per real number, 2 for float64.
 */
DIOPI_API diopiError_t diopiNormal(diopiContextHandle_t ctx, diopiTensorHandle_t out, double mean, double std,
                                   diopiGeneratorHandle_t generator);

/**
 * Draws from normal distributions with a tensor of means, `torch.normal(tensor, float)`.
 *
 * @param[in]     ctx        context of the call
 * @param[out]    out        floating
 * @param[in]     mean       floating
 * @param[in]     std        number
 * @param[in,out] generator  generator
 *
 * As diopiNormalTensor, except:
 * - formula: out_i = z_i * std + mean_i, z_i standard normal
 * - shape: out has the shape of mean.
 * - broadcasting: None.
 * - aliasing: out may be mean itself.
 * - checks:
 *   - std must be at least 0. [diopiNormalTensorScalar-std-value]
 * - source: torch.normal(Tensor, float)
 */
DIOPI_API diopiError_t diopiNormalTensorScalar(diopiContextHandle_t ctx, diopiTensorHandle_t out,
                                               diopiConstTensorHandle_t mean, double std,
                                               diopiGeneratorHandle_t generator);

/**
 * Draws from normal distributions with a tensor of deviations, `torch.normal(float, tensor)`.
 *
 * @param[in]     ctx        context of the call
 * @param[out]    out        floating
 * @param[in]     mean       number
 * @param[in]     std        floating
 * @param[in,out] generator  generator
 *
 * As diopiNormalTensor, except:
 * - formula: out_i = z_i * std_i + mean, z_i standard normal
 * - shape: out has the shape of std.
 * - broadcasting: None.
 * - aliasing: out may be std itself.
 * - nan: A std of NaN is an error.
 * - checks:
 *   - Each element of std must be at least 0. A device may report this when the stream is synchronised.
 *     [diopiNormalScalarTensor-std-elements]
 * - source: torch.normal(float, Tensor)
 */
DIOPI_API diopiError_t diopiNormalScalarTensor(diopiContextHandle_t ctx, diopiTensorHandle_t out, double mean,
                                               diopiConstTensorHandle_t std, diopiGeneratorHandle_t generator);

/**
 * Draws from normal distributions with tensors of means and deviations, `torch.normal(tensor, tensor)`.
 *
 * @param[in]     ctx        context of the call
 * @param[out]    out        floating
 * @param[in]     mean       floating
 * @param[in]     std        floating
 * @param[in,out] generator  generator
 *
 * As diopiNormal, except:
 * - formula: out_i = z_i * std_i + mean_i, z_i standard normal
 * - shape: out has the shape to which mean and std broadcast.
 * - broadcasting: mean and std broadcast with each other.
 * - aliasing: out may be mean or std itself.
 * - nan: NaN in mean gives NaN.
 * - accumulation: In float64 for an out of float64, else in float32, to which mean and std are converted; rounded once.
 * - checks:
 *   - Each element of std must be at least 0. A device may report this when the stream is synchronised.
 *     [diopiNormalTensor-std-elements]
 *   - The shapes of mean and std must broadcast. [diopiNormalTensor-mean-broadcastable]
 *   - out must have the broadcast shape of the operands. [diopiNormalTensor-out-shape]
 * - source: torch.normal(Tensor, Tensor)
 * - notes: z is that of diopiNormal for the dtype and shape of out.
 */
DIOPI_API diopiError_t diopiNormalTensor(diopiContextHandle_t ctx, diopiTensorHandle_t out,
                                         diopiConstTensorHandle_t mean, diopiConstTensorHandle_t std,
                                         diopiGeneratorHandle_t generator);

/**
 * Fills with draws from one normal distribution, `torch.Tensor.normal_`.
 *
 * @param[in]     ctx        context of the call
 * @param[out]    inout      floating, complex
 * @param[in]     mean       number
 * @param[in]     std        number
 * @param[in,out] generator  generator
 *
 * As diopiNormal, except:
 * - formula: inout_i = z_i * std + mean, z_i standard normal
 * - source: torch.Tensor.normal_
 */
DIOPI_API diopiError_t diopiNormalInp(diopiContextHandle_t ctx, diopiTensorHandle_t inout, double mean, double std,
                                      diopiGeneratorHandle_t generator);

/**
 * Draws indices with the weights of each row, `torch.multinomial`.
 *
 * @param[in]     ctx          context of the call
 * @param[out]    out          int32, int64
 * @param[in]     input        floating
 * @param[in]     num_samples  integer
 * @param[in]     replacement  flag
 * @param[in,out] generator    generator
 *
 * - formula: out = num_samples positions of the last dimension, drawn with the weights input
 * - shape: input is [n] or [rows, n], out [num_samples] or [rows, num_samples].
 * - aliasing: None.
 * - nan: Weights are finite.
 * - accumulation: float64, in order of the positions.
 * - determinism: With replacement, the definition in the notes fixes the result. Without, two waiting times would have
 *   to be so close that logarithms of different vendors order them differently.
 * - checks:
 *   - input must have 1 or 2 dimensions. [diopiMultinomial-input-ndim]
 *   - num_samples must be at least 1. [diopiMultinomial-num_samples-value]
 *   - If replacement is false, num_samples must be at most input[-1].
 *     [diopiMultinomial-num_samples-without-replacement]
 *   - Each element of input must be at least 0 and finite. A device may report this when the stream is synchronised.
 *     [diopiMultinomial-input-elements]
 *   - The weights of each row must have a positive sum. A device may report this when the stream is synchronised.
 *     [diopiMultinomial-input-sum]
 *   - out must have the shape of the result. [diopiMultinomial-out-shape]
 * - source: torch.multinomial
 * - notes: 64-bit words W are made of words 2i (low half) and 2i + 1 (high half), see diopiUniformInp. With replacement
 *   sample j of row r is the first position whose running sum is greater than u * (sum of the row), u = floor(W / 2^11)
 *   / 2^53 of W number r * num_samples + j; where rounding leaves none, the last position of positive weight. Without
 *   replacement position i of row r has the waiting time -ln(u) / weight, u = (floor(W / 2^12) + 1) / 2^52 of W number
 *   r * n + i, and the shortest ones are taken in increasing order. 2 words per sample, or per element of input without
 *   replacement.
 */
DIOPI_API diopiError_t diopiMultinomial(diopiContextHandle_t ctx, diopiTensorHandle_t out,
                                        diopiConstTensorHandle_t input, int64_t num_samples, bool replacement,
                                        diopiGeneratorHandle_t generator);

/** @} */

/** @name reduce
 * Sums, means and logical reductions over dimensions.
 * - shape: out has the shape of input without the reduced dimensions, or with 1 in their place.
 * - broadcasting: None.
 * - strides: Any for every tensor; the input may be expanded.
 * - aliasing: out must not overlap input.
 * - empty: Reducing nothing gives the neutral element; a 0-d input has one element, and dimension 0 or -1.
 * - determinism: The same bits for any number of threads: partial results are formed and merged in an order that the
 *   shape fixes.
 * - checks:
 *   - out must have the shape of the result, with or without the reduced dimensions. [out-shape]
 */
/** @{ */

/**
 * Mean over dimensions, `torch.mean`.
 *
 * @param[in]  ctx    context of the call
 * @param[out] out    floating, complex
 * @param[in]  input  integral, floating, complex, bool
 * @param[in]  dim    empty: all dimensions
 *
 * - formula: out = sum of input over dim / number of elements reduced
 * - nan: As IEEE arithmetic has it; the mean of nothing is NaN.
 * - accumulation: The elements are converted to the dtype of out first, as `dtype=` does it in PyTorch: a complex out
 *   sums complex numbers, a real one real parts. Pairwise; float16 and bfloat16 in float32.
 * - checks:
 *   - dim must name dimensions of input, each at most once. [diopiMean-dim-in-range]
 * - source: torch.mean
 */
DIOPI_API diopiError_t diopiMean(diopiContextHandle_t ctx, diopiTensorHandle_t out, diopiConstTensorHandle_t input,
                                 diopiSize_t dim);

/**
 * Sum over dimensions, `torch.sum`.
 *
 * @param[in]  ctx    context of the call
 * @param[out] out    integral, floating, complex, bool
 * @param[in]  input  integral, floating, complex, bool
 * @param[in]  dim    empty: all dimensions
 *
 * - formula: out = sum of input over dim
 * - nan: As IEEE addition has it; integers wrap around in the dtype of out.
 * - accumulation: The elements are converted to the dtype of out first, as `dtype=` does it in PyTorch: float32 into
 *   int16 drops fractions, complex numbers into a real dtype their imaginary parts. Pairwise; float16 and bfloat16 in
 *   float32, integers in int64; into bool the result is whether any element is true.
 * - checks:
 *   - dim must name dimensions of input, each at most once. [diopiSum-dim-in-range]
 * - source: torch.sum
 * - notes: The neutral element is 0.
 */
DIOPI_API diopiError_t diopiSum(diopiContextHandle_t ctx, diopiTensorHandle_t out, diopiConstTensorHandle_t input,
                                diopiSize_t dim);

/**
 * Standard deviation over dimensions, `torch.std`.
 *
 * @param[in]  ctx         context of the call
 * @param[out] out         floating
 * @param[in]  input       floating, complex
 * @param[in]  dim         empty: all dimensions
 * @param[in]  correction  subtracted from the count; null: 1
 *
 * - formula: n = number of elements reduced; m = mean of input over dim; out = sqrt(sum of |input - m|^2 over dim /
 *   max(0, n - correction))
 * - empty: The standard deviation of nothing is NaN; a 0-d input has one element, and dimension 0 or -1.
 * - nan: As IEEE arithmetic has it: with n <= correction the result is infinite, or NaN where all deviations are 0.
 * - accumulation: Sums of squared deviations from means, merged in float64 and rounded once.
 * - checks:
 *   - dim must name dimensions of input, each at most once. [diopiStd-dim-in-range]
 * - source: torch.std
 * - notes: The result is real, also for complex elements, and is converted to the dtype of out.
 */
DIOPI_API diopiError_t diopiStd(diopiContextHandle_t ctx, diopiTensorHandle_t out, diopiConstTensorHandle_t input,
                                diopiSize_t dim, const diopiScalar_t* correction);

/**
 * Whether any element is non-zero, of all or along a dimension, `torch.any`.
 *
 * @param[in]  ctx    context of the call
 * @param[out] out    integral, floating, complex, bool
 * @param[in]  input  integral, floating, complex, bool
 * @param[in]  dim    null: all dimensions
 *
 * - formula: out = whether an element of input along dim differs from 0
 * - nan: NaN counts as true.
 * - accumulation: None.
 * - checks:
 *   - dim must be a dimension of input. [diopiAny-dim-in-range]
 * - source: torch.any
 * - notes: The result is a bool, cast to the dtype of out. The neutral element is false.
 */
DIOPI_API diopiError_t diopiAny(diopiContextHandle_t ctx, diopiTensorHandle_t out, diopiConstTensorHandle_t input,
                                const int64_t* dim);

/**
 * Whether all elements are non-zero, of all or along a dimension, `torch.all`.
 *
 * @param[in]  ctx    context of the call
 * @param[out] out    integral, floating, complex, bool
 * @param[in]  input  integral, floating, complex, bool
 * @param[in]  dim    null: all dimensions
 *
 * - formula: out = whether every element of input along dim differs from 0
 * - nan: NaN counts as true.
 * - accumulation: None.
 * - checks:
 *   - dim must be a dimension of input. [diopiAll-dim-in-range]
 * - source: torch.all
 * - notes: The result is a bool, cast to the dtype of out. The neutral element is true.
 */
DIOPI_API diopiError_t diopiAll(diopiContextHandle_t ctx, diopiTensorHandle_t out, diopiConstTensorHandle_t input,
                                const int64_t* dim);

/**
 * Product of all elements or along a dimension, `torch.prod`.
 *
 * @param[in]  ctx    context of the call
 * @param[out] out    integral, floating, complex, bool
 * @param[in]  input  integral, floating, complex, bool
 * @param[in]  dim    null: all dimensions
 *
 * - formula: out = product of input over dim
 * - nan: As IEEE multiplication has it; integers wrap around in the dtype of out. Of a complex product that overflows
 *   one part is infinite or NaN; the other part depends on the order of the factors.
 * - accumulation: The elements are converted to the dtype of out first, as `dtype=` does it in PyTorch: float32 into
 *   int16 drops fractions, complex numbers into a real dtype their imaginary parts. Pairwise; float16 and bfloat16 in
 *   float32, integers in int64; into bool the result is whether all elements are true.
 * - checks:
 *   - dim must be a dimension of input. [diopiProd-dim-in-range]
 * - source: torch.prod
 * - notes: The neutral element is 1.
 */
DIOPI_API diopiError_t diopiProd(diopiContextHandle_t ctx, diopiTensorHandle_t out, diopiConstTensorHandle_t input,
                                 const int64_t* dim);

/** @} */

/** @name reduce_arg
 * Positions of largest and smallest elements.
 * - shape: out has the shape of input without dim, with 1 in its place where keepdim is true; where dim is null it is
 *   0-d (or [1]), or all ones.
 * - broadcasting: None.
 * - strides: Any for every tensor; the input may be expanded.
 * - aliasing: out must not overlap input.
 * - empty: A reduced dimension needs elements; other dimensions may be empty.
 * - nan: The first NaN counts as the extremum.
 * - accumulation: None.
 * - determinism: The first of equal elements in row-major order, for any number of threads.
 * - checks:
 *   - dim must be a dimension of input. [dim-in-range]
 *   - input must have elements in each dimension that is reduced. [input-not-empty]
 *   - out must have the shape of the result. [out-shape]
 *   - If dim is given, the dtype of out must hold every index below input[dim]. [out-fits-index]
 *   - If dim is null, the dtype of out must hold every index below the number of elements of input. [out-fits-numel]
 */
/** @{ */

/**
 * Index of the largest element, of all or along a dimension, `torch.argmax`.
 *
 * @param[in]  ctx      context of the call
 * @param[out] out      int32, int64
 * @param[in]  input    integral, floating
 * @param[in]  dim      null: index into the flattened input
 * @param[in]  keepdim  flag
 *
 * - formula: out = position of the largest element along dim, or in the flattened input
 * - source: torch.argmax
 */
DIOPI_API diopiError_t diopiArgmax(diopiContextHandle_t ctx, diopiTensorHandle_t out, diopiConstTensorHandle_t input,
                                   const int64_t* dim, bool keepdim);

/**
 * Index of the smallest element, of all or along a dimension, `torch.argmin`.
 *
 * @param[in]  ctx      context of the call
 * @param[out] out      int32, int64
 * @param[in]  input    integral, floating
 * @param[in]  dim      null: index into the flattened input
 * @param[in]  keepdim  flag
 *
 * - formula: out = position of the smallest element along dim, or in the flattened input
 * - source: torch.argmin
 */
DIOPI_API diopiError_t diopiArgmin(diopiContextHandle_t ctx, diopiTensorHandle_t out, diopiConstTensorHandle_t input,
                                   const int64_t* dim, bool keepdim);

/** @} */

/** @name reduce_minmax
 * Largest and smallest elements, with and without their positions.
 * - shape: Outputs have the shape of input without the reduced dimensions, or with 1 in their place.
 * - broadcasting: None.
 * - strides: Any for every tensor; the input may be expanded.
 * - aliasing: An output must not overlap input or another output.
 * - empty: A reduced dimension needs elements; other dimensions may be empty.
 * - nan: NaN wins; where positions are given, that of the first NaN.
 * - accumulation: None.
 * - determinism: The first of equal elements gives the position, for any number of threads.
 * - checks:
 *   - min must have the shape of the result, with or without the reduced dimensions. [min-shape]
 *   - min_indices must have the shape of the result, with or without the reduced dimensions. [min_indices-shape]
 *   - max must have the shape of the result, with or without the reduced dimensions. [max-shape]
 *   - max_indices must have the shape of the result, with or without the reduced dimensions. [max_indices-shape]
 *   - The dtype of input must be castable to the dtype of min. [min-castable]
 *   - The dtype of input must be castable to the dtype of max. [max-castable]
 */
/** @{ */

/**
 * Smallest element along a dimension and its index, `torch.min(input, dim)`.
 *
 * @param[in]  ctx          context of the call
 * @param[out] min          integral, floating, complex, bool
 * @param[out] min_indices  int32, int64
 * @param[in]  input        integral, floating, bool
 * @param[in]  dim          integer
 *
 * - formula: min = smallest element along dim, min_indices = its position
 * - checks:
 *   - dim must be a dimension of input. [diopiMin-dim-in-range]
 *   - input must have elements in each dimension that is reduced. [diopiMin-input-not-empty]
 *   - The dtype of min_indices must hold every index below input[dim]. [diopiMin-min_indices-fits-index]
 * - source: torch.min
 */
DIOPI_API diopiError_t diopiMin(diopiContextHandle_t ctx, diopiTensorHandle_t min, diopiTensorHandle_t min_indices,
                                diopiConstTensorHandle_t input, int64_t dim);

/**
 * Smallest of all elements, `torch.min(input)`.
 *
 * @param[in]  ctx    context of the call
 * @param[out] min    integral, floating, complex, bool
 * @param[in]  input  integral, floating, bool
 *
 * - formula: min = smallest element of input
 * - checks:
 *   - input must have elements in each dimension that is reduced. [diopiMinAll-input-not-empty]
 * - source: torch.min
 */
DIOPI_API diopiError_t diopiMinAll(diopiContextHandle_t ctx, diopiTensorHandle_t min, diopiConstTensorHandle_t input);

/**
 * Largest element along a dimension and its index, `torch.max(input, dim)`.
 *
 * @param[in]  ctx          context of the call
 * @param[out] max          integral, floating, complex, bool
 * @param[out] max_indices  int32, int64
 * @param[in]  input        integral, floating, bool
 * @param[in]  dim          integer
 *
 * - formula: max = largest element along dim, max_indices = its position
 * - checks:
 *   - dim must be a dimension of input. [diopiMax-dim-in-range]
 *   - input must have elements in each dimension that is reduced. [diopiMax-input-not-empty]
 *   - The dtype of max_indices must hold every index below input[dim]. [diopiMax-max_indices-fits-index]
 * - source: torch.max
 */
DIOPI_API diopiError_t diopiMax(diopiContextHandle_t ctx, diopiTensorHandle_t max, diopiTensorHandle_t max_indices,
                                diopiConstTensorHandle_t input, int64_t dim);

/**
 * Largest of all elements, `torch.max(input)`.
 *
 * @param[in]  ctx    context of the call
 * @param[out] max    integral, floating, complex, bool
 * @param[in]  input  integral, floating, bool
 *
 * - formula: max = largest element of input
 * - checks:
 *   - input must have elements in each dimension that is reduced. [diopiMaxAll-input-not-empty]
 * - source: torch.max
 */
DIOPI_API diopiError_t diopiMaxAll(diopiContextHandle_t ctx, diopiTensorHandle_t max, diopiConstTensorHandle_t input);

/**
 * Largest element over dimensions, `torch.amax`.
 *
 * @param[in]  ctx      context of the call
 * @param[out] out      integral, floating, complex, bool
 * @param[in]  self     integral, floating, bool
 * @param[in]  dim      empty: all dimensions
 * @param[in]  keepdim  flag
 *
 * - formula: out = largest element of self over dim
 * - shape: out has the shape of self with the dimensions of dim removed, or 1 where keepdim is true.
 * - checks:
 *   - dim must name dimensions of self, each at most once. [diopiAmax-dim-in-range]
 *   - self must have elements in each dimension that is reduced. [diopiAmax-self-not-empty]
 *   - out must have the shape of the result. [diopiAmax-out-shape]
 *   - The dtype of self must be castable to the dtype of out. [diopiAmax-out-castable]
 * - source: torch.amax
 */
DIOPI_API diopiError_t diopiAmax(diopiContextHandle_t ctx, diopiTensorHandle_t out, diopiConstTensorHandle_t self,
                                 diopiSize_t dim, bool keepdim);

/** @} */

/** @name scatter_gather
 * Gathering and scattering along a dimension by an index tensor.
 * - strides: Any for every tensor; inputs and indices may be expanded.
 * - empty: Empty and 0-d tensors are ordinary; an empty index picks nothing and, as in PyTorch, may have any dtype.
 * - nan: Moved or added like every other value.
 * - determinism: The same bits for any number of threads.
 */
/** @{ */

/**
 * Elements of input at index along a dimension, `torch.gather`.
 *
 * @param[in]  ctx    context of the call
 * @param[out] out    integral, floating, complex, bool
 * @param[in]  input  integral, floating, complex, bool
 * @param[in]  dim    integer
 * @param[in]  index  int32, int64
 *
 * - formula: out[i] = input[i with i_dim replaced by index[i]]
 * - shape: out has the shape of index; index has as many dimensions as input and is, but in dimension dim, no larger.
 *   An empty index may have any shape.
 * - broadcasting: None.
 * - aliasing: out may overlap input; the result is that of a copy of input.
 * - accumulation: None.
 * - checks:
 *   - dim must be a dimension of input. [diopiGather-dim-in-range]
 *   - out and input must have the same dtype. [diopiGather-out-same-dtype]
 *   - index must have as many dimensions as input and no larger extent, except in dimension dim, unless index is empty.
 *     [diopiGather-index-extents]
 *   - out and index must have the same shape. [diopiGather-out-same-shape]
 *   - Each element of index must be a position of input in dimension dim. A device may report this when the stream is
 *     synchronised. [diopiGather-index-index]
 * - source: torch.gather
 */
DIOPI_API diopiError_t diopiGather(diopiContextHandle_t ctx, diopiTensorHandle_t out, diopiConstTensorHandle_t input,
                                   int64_t dim, diopiConstTensorHandle_t index);

/**
 * Gradient of diopiGather: adds grad_output at index into zeros in the shape of input.
 *
 * @param[in]  ctx          context of the call
 * @param[out] grad_input   integral, floating, complex, bool
 * @param[in]  grad_output  integral, floating, complex, bool
 * @param[in]  input        integral, floating, complex, bool
 * @param[in]  dim          integer
 * @param[in]  index        int32, int64
 *
 * - formula: grad_input = 0; grad_input[i with i_dim replaced by index[i]] += grad_output[i] for every i
 * - shape: grad_input has the shape of input, of which nothing else matters; grad_output that of index.
 * - broadcasting: None.
 * - aliasing: grad_input may overlap grad_output; the result is that of a copy of grad_output.
 * - accumulation: In float32 or wider, rounded once for float16 and bfloat16; the error does not grow with the number
 *   of terms of an element; integers wrap, bool is `or`.
 * - checks:
 *   - The checks of diopiGather hold too.
 *   - grad_input and input must have the same shape. [diopiGatherBackward-grad_input-same-shape]
 *   - grad_output and index must have the same shape. [diopiGatherBackward-grad_output-same-shape]
 *   - grad_output and grad_input must have the same dtype. [diopiGatherBackward-grad_output-same-dtype]
 * - source: torch.Tensor.scatter_add_ onto zeros
 */
DIOPI_API diopiError_t diopiGatherBackward(diopiContextHandle_t ctx, diopiTensorHandle_t grad_input,
                                           diopiConstTensorHandle_t grad_output, diopiConstTensorHandle_t input,
                                           int64_t dim, diopiConstTensorHandle_t index);

/**
 * Writes src at index along a dimension in place, `torch.Tensor.scatter_`.
 *
 * @param[in]     ctx     context of the call
 * @param[in,out] input   integral, floating, complex, bool
 * @param[in]     dim     integer
 * @param[in]     src     integral, floating, complex, bool
 * @param[in]     index   int32, int64
 * @param[in]     reduce  "add" or "multiply"; null or "": overwrite
 *
 * - formula: input[i with i_dim replaced by index[i]] = src[i], += src[i] for "add", *= src[i] for "multiply"
 * - shape: index has as many dimensions as input and src, is nowhere larger than src and, but in dimension dim, no
 *   larger than input. An empty index may have any shape and changes nothing.
 * - broadcasting: None.
 * - aliasing: src may overlap input; the result is that of a copy of src.
 * - accumulation: In float32 or wider, rounded once for float16 and bfloat16; the error of a sum does not grow with the
 *   number of its terms; integers wrap, bool adds as `or` and multiplies as `and`.
 * - checks:
 *   - dim must be a dimension of input. [diopiScatterInp-dim-in-range]
 *   - src and input must have the same dtype. [diopiScatterInp-src-same-dtype]
 *   - index must have as many dimensions as input and no larger extent, except in dimension dim, unless index is empty.
 *     [diopiScatterInp-index-extents]
 *   - index must have as many dimensions as src and no larger extent, unless index is empty.
 *     [diopiScatterInp-src-extents]
 *   - Each element of index must be a position of input in dimension dim. A device may report this when the stream is
 *     synchronised. [diopiScatterInp-index-index]
 *   - reduce must be "", "add" or "multiply". [diopiScatterInp-reduce-string]
 * - source: torch.Tensor.scatter_
 * - notes: Without reduce, the last of several values for one place, in row-major order of index, stays.
 */
DIOPI_API diopiError_t diopiScatterInp(diopiContextHandle_t ctx, diopiTensorHandle_t input, int64_t dim,
                                       diopiConstTensorHandle_t src, diopiConstTensorHandle_t index,
                                       const char* reduce);

/**
 * Writes a scalar at index along a dimension in place, `torch.Tensor.scatter_`.
 *
 * @param[in]     ctx     context of the call
 * @param[in,out] input   integral, floating, complex, bool
 * @param[in]     dim     integer
 * @param[in]     value   scalar
 * @param[in]     index   int32, int64
 * @param[in]     reduce  "add" or "multiply"; null or "": overwrite
 *
 * As diopiScatterInp, except:
 * - formula: input[i with i_dim replaced by index[i]] = value, += value for "add", *= value for "multiply"
 * - aliasing: None.
 * - checks:
 *   - If index has at least 1 element, value must fit the dtype of input. [diopiScatterInpScalar-value-fits]
 * - source: torch.Tensor.scatter_ with a value
 */
DIOPI_API diopiError_t diopiScatterInpScalar(diopiContextHandle_t ctx, diopiTensorHandle_t input, int64_t dim,
                                             const diopiScalar_t* value, diopiConstTensorHandle_t index,
                                             const char* reduce);

/**
 * Copy of input with src written at index along a dimension, `torch.scatter`.
 *
 * @param[in]  ctx     context of the call
 * @param[out] out     integral, floating, complex, bool
 * @param[in]  input   integral, floating, complex, bool
 * @param[in]  dim     integer
 * @param[in]  src     integral, floating, complex, bool
 * @param[in]  index   int32, int64
 * @param[in]  reduce  "add" or "multiply"; null or "": overwrite
 *
 * As diopiScatterInp, except:
 * - formula: out = input, then src is put into out as diopiScatterInp does it
 * - aliasing: out may be input itself, and overlap src; the result is that of copies.
 * - checks:
 *   - out and input must have the same shape. [diopiScatter-out-same-shape]
 *   - out and input must have the same dtype. [diopiScatter-out-same-dtype]
 * - source: torch.scatter
 */
DIOPI_API diopiError_t diopiScatter(diopiContextHandle_t ctx, diopiTensorHandle_t out, diopiConstTensorHandle_t input,
                                    int64_t dim, diopiConstTensorHandle_t src, diopiConstTensorHandle_t index,
                                    const char* reduce);

/**
 * Copy of input with a scalar written at index along a dimension, `torch.scatter`.
 *
 * @param[in]  ctx     context of the call
 * @param[out] out     integral, floating, complex, bool
 * @param[in]  input   integral, floating, complex, bool
 * @param[in]  dim     integer
 * @param[in]  value   scalar
 * @param[in]  index   int32, int64
 * @param[in]  reduce  "add" or "multiply"; null or "": overwrite
 *
 * As diopiScatterInpScalar, except:
 * - formula: out = input, then value is put into out as diopiScatterInpScalar does it
 * - aliasing: out may be input itself.
 * - checks:
 *   - out and input must have the same shape. [diopiScatterScalar-out-same-shape]
 *   - out and input must have the same dtype. [diopiScatterScalar-out-same-dtype]
 * - source: torch.scatter with a value
 */
DIOPI_API diopiError_t diopiScatterScalar(diopiContextHandle_t ctx, diopiTensorHandle_t out,
                                          diopiConstTensorHandle_t input, int64_t dim, const diopiScalar_t* value,
                                          diopiConstTensorHandle_t index, const char* reduce);

/** @} */

/** @name select_slice
 * Taking and writing one index or a range of a dimension.
 * - broadcasting: None.
 * - strides: Any for every tensor; inputs may be expanded.
 * - empty: Empty tensors are ordinary. A tensor without dimensions has nothing to select from and is refused.
 * - nan: Moved unchanged, like every other value.
 * - accumulation: None.
 * - determinism: Exact, so the same bits for any number of threads.
 */
/** @{ */

/**
 * Copy of the slice at one index of a dimension, `torch.select`.
 *
 * @param[in]  ctx    context of the call
 * @param[out] out    integral, floating, complex, bool
 * @param[in]  input  integral, floating, complex, bool
 * @param[in]  dim    integer
 * @param[in]  index  integer
 *
 * - formula: out[.., ..] = input[.., index, ..] with index in dimension dim
 * - shape: out has the shape of input without dimension dim.
 * - aliasing: out may overlap input; the result is that of a copy of input.
 * - accumulation: None; input is converted to the dtype of out as diopiCastDtype does it.
 * - checks:
 *   - input must have at least 1 dimension. [diopiSelect-input-ndim]
 *   - dim must be a dimension of input. [diopiSelect-dim-in-range]
 *   - index must be at least 0 - input[dim] and be at most input[dim] - 1. [diopiSelect-index-value]
 *   - The dtype of input must be castable to the dtype of out. [diopiSelect-out-castable]
 *   - out must have the shape of the result. [diopiSelect-out-shape]
 * - source: torch.select
 * - notes: A negative index counts from the end.
 */
DIOPI_API diopiError_t diopiSelect(diopiContextHandle_t ctx, diopiTensorHandle_t out, diopiConstTensorHandle_t input,
                                   int64_t dim, int64_t index);

/**
 * Gradient of diopiSelect: grad_output at the index of a zero tensor of shape input_sizes.
 *
 * @param[in]  ctx          context of the call
 * @param[out] grad_input   integral, floating, complex, bool
 * @param[in]  grad_output  integral, floating, complex, bool
 * @param[in]  input_sizes  list of integers
 * @param[in]  dim          integer
 * @param[in]  index        integer
 *
 * - formula: grad_input = 0; grad_input[.., index, ..] = grad_output, with index in dimension dim
 * - shape: grad_input has the shape input_sizes, grad_output the same without dimension dim.
 * - aliasing: grad_input may overlap grad_output; the result is that of a copy of grad_output.
 * - checks:
 *   - input_sizes must have at least 1 entry. [diopiSelectBackward-input_sizes-length]
 *   - dim must be a dimension of grad_input. [diopiSelectBackward-dim-in-range]
 *   - index must be at least 0 - grad_input[dim] and be at most grad_input[dim] - 1. [diopiSelectBackward-index-value]
 *   - grad_input and grad_output must have the same dtype. [diopiSelectBackward-grad_input-same-dtype]
 *   - grad_input must have the shape of input_sizes. [diopiSelectBackward-grad_input-shape]
 *   - grad_output must have the shape of the result of diopiSelect. [diopiSelectBackward-grad_output-shape]
 * - source: torch.ops.aten.select_backward
 * - notes: A negative index counts from the end.
 */
DIOPI_API diopiError_t diopiSelectBackward(diopiContextHandle_t ctx, diopiTensorHandle_t grad_input,
                                           diopiConstTensorHandle_t grad_output, diopiSize_t input_sizes, int64_t dim,
                                           int64_t index);

/**
 * Copy of input with src written at one index of a dimension, `torch.select_scatter`.
 *
 * @param[in]  ctx    context of the call
 * @param[out] out    integral, floating, complex, bool
 * @param[in]  input  integral, floating, complex, bool
 * @param[in]  src    integral, floating, complex, bool
 * @param[in]  dim    integer
 * @param[in]  index  integer
 *
 * - formula: out = input; out[.., index, ..] = src, with index in dimension dim
 * - shape: out has the shape of input, src the same without dimension dim.
 * - aliasing: out may be input itself, and may overlap input or src; the result is that of copies of both.
 * - accumulation: None; src is converted to the dtype of input as diopiCastDtype does it.
 * - checks:
 *   - input must have at least 1 dimension. [diopiSelectScatter-input-ndim]
 *   - dim must be a dimension of input. [diopiSelectScatter-dim-in-range]
 *   - index must be at least 0 - input[dim] and be at most input[dim] - 1. [diopiSelectScatter-index-value]
 *   - out and input must have the same dtype. [diopiSelectScatter-out-same-dtype]
 *   - out must have the shape of input. [diopiSelectScatter-out-shape]
 *   - src must have the shape of the result of diopiSelect. [diopiSelectScatter-src-shape]
 * - source: torch.select_scatter
 * - notes: A negative index counts from the end.
 */
DIOPI_API diopiError_t diopiSelectScatter(diopiContextHandle_t ctx, diopiTensorHandle_t out,
                                          diopiConstTensorHandle_t input, diopiConstTensorHandle_t src, int64_t dim,
                                          int64_t index);

/**
 * Copy of input with src written into a range of a dimension, `torch.slice_scatter`.
 *
 * @param[in]  ctx    context of the call
 * @param[out] out    integral, floating, complex, bool
 * @param[in]  input  integral, floating, complex, bool
 * @param[in]  src    integral, floating, complex, bool
 * @param[in]  dim    integer
 * @param[in]  start  integer
 * @param[in]  end    integer
 * @param[in]  step   integer
 *
 * - formula: out = input; out[.., start:end:step, ..] = src, with the range in dimension dim
 * - shape: out has the shape of input; src has the shape of diopiSlice's result.
 * - aliasing: out may be input itself, and may overlap input or src; the result is that of copies of both.
 * - accumulation: None; src is converted to the dtype of input as diopiCastDtype does it.
 * - checks:
 *   - input must have at least 1 dimension. [diopiSliceScatter-input-ndim]
 *   - dim must be a dimension of input. [diopiSliceScatter-dim-in-range]
 *   - step must be at least 1. [diopiSliceScatter-step-value]
 *   - out and input must have the same dtype. [diopiSliceScatter-out-same-dtype]
 *   - out must have the shape of input. [diopiSliceScatter-out-shape]
 *   - src must have the shape of the result of diopiSlice. [diopiSliceScatter-src-shape]
 * - source: torch.slice_scatter
 * - notes: start and end are read as diopiSlice reads them.
 */
DIOPI_API diopiError_t diopiSliceScatter(diopiContextHandle_t ctx, diopiTensorHandle_t out,
                                         diopiConstTensorHandle_t input, diopiConstTensorHandle_t src, int64_t dim,
                                         int64_t start, int64_t end, int64_t step);

/**
 * Copy of a range of a dimension, input[start:end:step] along dim, `torch.ops.aten.slice`.
 *
 * @param[in]  ctx       context of the call
 * @param[out] null_out  the result; the name is historical, it may not be null; integral, floating, complex, bool
 * @param[in]  input     integral, floating, complex, bool
 * @param[in]  dim       integer
 * @param[in]  start     integer
 * @param[in]  end       integer
 * @param[in]  step      integer
 *
 * - formula: null_out = input[.., start:end:step, ..], with the range in dimension dim
 * - shape: null_out has the shape of input with the number of positions of the range, (end - start + step - 1) / step,
 *   in dimension dim.
 * - aliasing: null_out may overlap input; the result is that of a copy of input.
 * - accumulation: None; input is converted to the dtype of null_out as diopiCastDtype does it.
 * - checks:
 *   - input must have at least 1 dimension. [diopiSlice-input-ndim]
 *   - dim must be a dimension of input. [diopiSlice-dim-in-range]
 *   - step must be at least 1. [diopiSlice-step-value]
 *   - The dtype of input must be castable to the dtype of null_out. [diopiSlice-null_out-castable]
 *   - null_out must have the shape of the result. [diopiSlice-null_out-shape]
 * - source: torch.ops.aten.slice
 * - notes: A negative start or end counts from the end. Then both are limited to 0 and the extent of dim, and an end
 *   before start becomes start, so any integers are valid.
 */
DIOPI_API diopiError_t diopiSlice(diopiContextHandle_t ctx, diopiTensorHandle_t null_out,
                                  diopiConstTensorHandle_t input, int64_t dim, int64_t start, int64_t end,
                                  int64_t step);

/**
 * Gradient of diopiSlice: grad_output in the range of a zero tensor of shape input_sizes.
 *
 * @param[in]  ctx          context of the call
 * @param[out] grad_input   integral, floating, complex, bool
 * @param[in]  grad_output  integral, floating, complex, bool
 * @param[in]  input_sizes  list of integers
 * @param[in]  dim          integer
 * @param[in]  start        integer
 * @param[in]  end          integer
 * @param[in]  step         integer
 *
 * - formula: grad_input = 0; grad_input[.., start:end:step, ..] = grad_output, with the range in dimension dim
 * - shape: grad_input has the shape input_sizes; grad_output has the shape of diopiSlice's result.
 * - aliasing: grad_input may overlap grad_output; the result is that of a copy of grad_output.
 * - checks:
 *   - input_sizes must have at least 1 entry. [diopiSliceBackward-input_sizes-length]
 *   - dim must be a dimension of grad_input. [diopiSliceBackward-dim-in-range]
 *   - step must be at least 1. [diopiSliceBackward-step-value]
 *   - grad_input and grad_output must have the same dtype. [diopiSliceBackward-grad_input-same-dtype]
 *   - grad_input must have the shape of input_sizes. [diopiSliceBackward-grad_input-shape]
 *   - grad_output must have the shape of the result of diopiSlice. [diopiSliceBackward-grad_output-shape]
 * - source: torch.ops.aten.slice_backward
 * - notes: start and end are read as diopiSlice reads them.
 */
DIOPI_API diopiError_t diopiSliceBackward(diopiContextHandle_t ctx, diopiTensorHandle_t grad_input,
                                          diopiConstTensorHandle_t grad_output, diopiSize_t input_sizes, int64_t dim,
                                          int64_t start, int64_t end, int64_t step);

/** @} */

/** @name softmax
 * Softmax, its logarithm and a fused masked form.
 * - shape: All tensors have the same shape.
 * - broadcasting: None.
 * - strides: Any for every tensor; inputs may be expanded.
 * - aliasing: The output may be an input itself.
 * - empty: Empty and 0-d tensors are ordinary; a 0-d tensor is a row of one element.
 * - nan: A row with NaN or +Inf, or of -Inf alone, becomes NaN.
 * - accumulation: float16 and bfloat16 are computed in float32 and rounded once.
 * - determinism: The same bits for any number of threads.
 * - checks:
 *   - out and input must have the same shape. [out-same-shape]
 *   - output and input must have the same shape. [output-same-shape]
 *   - grad_input, grad_output and output must have the same shape. [grad_input-same-shape]
 */
/** @{ */

/**
 * Exponentials normalised to sum one along a dimension, `torch.softmax`.
 *
 * @param[in]  ctx    context of the call
 * @param[out] out    floating
 * @param[in]  input  integral, floating, complex, bool
 * @param[in]  dim    integer
 *
 * - formula: out = exp(input - m) / sum of exp(input - m) along dim, m the largest element of the row
 * - checks:
 *   - dim must be a dimension of input. [diopiSoftmax-dim-in-range]
 * - source: torch.softmax
 * - notes: The elements of input are converted to the dtype of out first, as with PyTorch's `dtype=`. A complex input
 *   gives its real parts.
 */
DIOPI_API diopiError_t diopiSoftmax(diopiContextHandle_t ctx, diopiTensorHandle_t out, diopiConstTensorHandle_t input,
                                    int64_t dim);

/**
 * Gradient of diopiSoftmax from its output.
 *
 * @param[in]  ctx          context of the call
 * @param[out] grad_input   floating
 * @param[in]  grad_output  floating
 * @param[in]  output       floating
 * @param[in]  dim          integer
 *
 * - formula: grad_input = output * (grad_output - sum of grad_output * output along dim)
 * - checks:
 *   - dim must be a dimension of grad_output. [diopiSoftmaxBackward-dim-in-range]
 * - source: torch.ops.aten._softmax_backward_data
 */
DIOPI_API diopiError_t diopiSoftmaxBackward(diopiContextHandle_t ctx, diopiTensorHandle_t grad_input,
                                            diopiConstTensorHandle_t grad_output, diopiConstTensorHandle_t output,
                                            int64_t dim);

/**
 * Logarithm of the softmax along a dimension, `torch.log_softmax`.
 *
 * @param[in]  ctx    context of the call
 * @param[out] out    floating
 * @param[in]  input  integral, floating, complex, bool
 * @param[in]  dim    integer
 *
 * - formula: out = input - m - log(sum of exp(input - m) along dim), m the largest element of the row
 * - checks:
 *   - dim must be a dimension of input. [diopiLogSoftmax-dim-in-range]
 * - source: torch.log_softmax
 * - notes: The elements of input are converted to the dtype of out first, as with PyTorch's `dtype=`. A complex input
 *   gives its real parts.
 */
DIOPI_API diopiError_t diopiLogSoftmax(diopiContextHandle_t ctx, diopiTensorHandle_t out,
                                       diopiConstTensorHandle_t input, int64_t dim);

/**
 * Gradient of diopiLogSoftmax from its output.
 *
 * @param[in]  ctx          context of the call
 * @param[out] grad_input   floating
 * @param[in]  grad_output  floating
 * @param[in]  output       floating
 * @param[in]  dim          integer
 *
 * - formula: grad_input = grad_output - exp(output) * sum of grad_output along dim
 * - checks:
 *   - dim must be a dimension of grad_output. [diopiLogSoftmaxBackward-dim-in-range]
 * - source: torch.ops.aten._log_softmax_backward_data
 */
DIOPI_API diopiError_t diopiLogSoftmaxBackward(diopiContextHandle_t ctx, diopiTensorHandle_t grad_input,
                                               diopiConstTensorHandle_t grad_output, diopiConstTensorHandle_t output,
                                               int64_t dim);

/** @} */

/** @name sort
 * Sorting and the largest elements.
 * - broadcasting: None.
 * - strides: Any, for inputs and outputs.
 * - empty: Empty outputs are left alone. A 0-d tensor sorts like one element; dim may be 0 or -1.
 * - nan: All NaN are equal and greater than everything else; -0 and +0 are equal. Values keep their bits.
 * - accumulation: Not applicable.
 * - determinism: One right answer, for ties always are broken by position.
 */
/** @{ */

/**
 * Sorted elements along a dimension and their former positions, `torch.sort`.
 *
 * @param[in]  ctx         context of the call
 * @param[out] values      integral, floating, bool
 * @param[out] indices     int32, int64
 * @param[in]  input       integral, floating, bool
 * @param[in]  dim         integer
 * @param[in]  descending  flag
 * @param[in]  pStable     whether equal elements keep their order; null: false
 *
 * - formula: values = input in increasing order along dim (decreasing where descending); values[j] = input[indices[j]]
 * - shape: values and indices have the shape of input.
 * - aliasing: values may be input itself.
 * - checks:
 *   - dim must be a dimension of input. [diopiSort-dim-in-range]
 *   - values must have the shape of the result. [diopiSort-values-shape]
 *   - indices must have the shape of the result. [diopiSort-indices-shape]
 *   - values and input must have the same dtype. [diopiSort-values-same-dtype]
 *   - The dtype of indices must hold every index below input[dim]. [diopiSort-indices-fits-index]
 *   - If the dtype of input is not int64, uint64 or float64, input[dim] must be at most 4294967295.
 *     [diopiSort-input-extent]
 * - source: torch.sort
 * - notes: Equal elements keep their order, in decreasing order too, whatever pStable says.
 */
DIOPI_API diopiError_t diopiSort(diopiContextHandle_t ctx, diopiTensorHandle_t values, diopiTensorHandle_t indices,
                                 diopiConstTensorHandle_t input, int64_t dim, bool descending, const bool* pStable);

/**
 * Gradient of diopiSort: grad_output put back at indices of a zero tensor of shape sizes.
 *
 * @param[in]  ctx          context of the call
 * @param[out] grad_input   floating
 * @param[in]  grad_output  floating
 * @param[in]  dim          integer
 * @param[in]  indices      int32, int64
 * @param[in]  sizes        list of integers
 * @param[in]  keepdim      has no effect for a sort
 *
 * - formula: grad_input = 0; grad_input[..., indices[..., j, ...], ...] = grad_output[..., j, ...] along dim
 * - shape: grad_input has the shape sizes; grad_output and indices have the same shape, which may be shorter along dim.
 * - aliasing: None.
 * - nan: Copied.
 * - determinism: The positions of one row are distinct where they come from a sort; otherwise the last one counts.
 * - checks:
 *   - dim must be a dimension of grad_input. [diopiSortBackward-dim-in-range]
 *   - grad_output and grad_input must have the same dtype. [diopiSortBackward-grad_output-same-dtype]
 *   - grad_input must have the shape of sizes. [diopiSortBackward-grad_input-shape]
 *   - grad_output must have the shape of sizes, except in dimension dim. [diopiSortBackward-grad_output-shape]
 *   - grad_output and indices must have the same shape. [diopiSortBackward-grad_output-same-shape]
 *   - Each element of indices must be a position of grad_input in dimension dim. A device may report this when the
 *     stream is synchronised. [diopiSortBackward-indices-index]
 * - source: the gradient of torch.sort and torch.topk
 * - notes: As in PyTorch empty indices may have any dtype.
 */
DIOPI_API diopiError_t diopiSortBackward(diopiContextHandle_t ctx, diopiTensorHandle_t grad_input,
                                         diopiConstTensorHandle_t grad_output, int64_t dim,
                                         diopiConstTensorHandle_t indices, diopiSize_t sizes, bool keepdim);

/**
 * The k largest or smallest elements along a dimension and their positions, `torch.topk`.
 *
 * @param[in]  ctx      context of the call
 * @param[out] values   integral, floating, bool
 * @param[out] indices  int32, int64
 * @param[in]  input    integral, floating, bool
 * @param[in]  k        integer
 * @param[in]  dim      integer
 * @param[in]  largest  flag
 * @param[in]  sorted   flag
 *
 * As diopiSort, except:
 * - formula: values, indices = the first k of diopiSort, in decreasing order where largest, else increasing
 * - shape: values and indices have the shape of input, with k for the extent of dim.
 * - aliasing: None, but values may be input itself where k is the whole extent.
 * - checks:
 *   - k must be at least 0 and be at most input[dim]. [diopiTopk-k-value]
 * - source: torch.topk
 * - notes: Among equal elements those in front are taken. The result is sorted whether or not sorted is set, which
 *   PyTorch leaves open. A 0-d input gives its element for k = 0 too, as in PyTorch.
 */
DIOPI_API diopiError_t diopiTopk(diopiContextHandle_t ctx, diopiTensorHandle_t values, diopiTensorHandle_t indices,
                                 diopiConstTensorHandle_t input, int64_t k, int64_t dim, bool largest, bool sorted);

/**
 * Positions that would sort a dimension, `torch.argsort`.
 *
 * @param[in]  ctx         context of the call
 * @param[out] out         int32, int64
 * @param[in]  input       integral, floating, bool
 * @param[in]  stable      flag
 * @param[in]  dim         null: the last dimension
 * @param[in]  descending  flag
 *
 * As diopiSort, except:
 * - formula: out = the positions that diopiSort gives
 * - shape: out has the shape of input.
 * - aliasing: None.
 * - checks:
 *   - out must have the shape of the result. [diopiArgsort-out-shape]
 *   - The dtype of out must hold every index below input[dim]. [diopiArgsort-out-fits-index]
 * - source: torch.argsort
 * - notes: Equal elements keep their order, whatever stable says.
 */
DIOPI_API diopiError_t diopiArgsort(diopiContextHandle_t ctx, diopiTensorHandle_t out, diopiConstTensorHandle_t input,
                                    bool stable, const int64_t* dim, bool descending);

/** @} */

/** @name triangle
 * Lower and upper triangles of matrices.
 * - broadcasting: None.
 * - strides: Any for every tensor; inputs may be expanded.
 * - empty: Empty and 0-d tensors are ordinary.
 * - nan: Values that are kept are moved unchanged; the others become 0 whatever they were.
 * - determinism: Exact, so the same bits for any number of threads.
 * - checks:
 *   - input must have at least 2 dimensions. [input-ndim]
 *   - input and out must have the same shape. [input-same-shape]
 *   - The dtype of the result must be castable to the dtype of each output. [outputs-castable]
 */
/** @{ */

/**
 * Lower triangle of each matrix, zero above the diagonal, `torch.tril`.
 *
 * @param[in]  ctx       context of the call
 * @param[out] out       integral, floating, complex, bool
 * @param[in]  input     integral, floating, complex, bool
 * @param[in]  diagonal  integer
 *
 * - formula: out[.., i, j] = input[.., i, j] where j <= i + diagonal, else 0
 * - shape: out has the shape of input, which has at least two dimensions.
 * - aliasing: out may overlap input; the result is that of a copy of input.
 * - accumulation: None; input is converted to the dtype of out as diopiCastDtype does it.
 * - source: torch.tril
 */
DIOPI_API diopiError_t diopiTril(diopiContextHandle_t ctx, diopiTensorHandle_t out, diopiConstTensorHandle_t input,
                                 int64_t diagonal);

/**
 * Upper triangle of each matrix, zero below the diagonal, `torch.triu`.
 *
 * @param[in]  ctx       context of the call
 * @param[out] out       integral, floating, complex, bool
 * @param[in]  input     integral, floating, complex, bool
 * @param[in]  diagonal  integer
 *
 * - formula: out[.., i, j] = input[.., i, j] where j >= i + diagonal, else 0
 * - shape: out has the shape of input, which has at least two dimensions.
 * - aliasing: out may overlap input; the result is that of a copy of input.
 * - accumulation: None; input is converted to the dtype of out as diopiCastDtype does it.
 * - source: torch.triu
 */
DIOPI_API diopiError_t diopiTriu(diopiContextHandle_t ctx, diopiTensorHandle_t out, diopiConstTensorHandle_t input,
                                 int64_t diagonal);

/**
 * Zeroes what lies below the diagonal in place, `torch.Tensor.triu_`.
 *
 * @param[in]     ctx       context of the call
 * @param[in,out] input     integral, floating, complex, bool
 * @param[in]     diagonal  integer
 *
 * - formula: input[.., i, j] = 0 where j < i + diagonal
 * - shape: input has at least two dimensions.
 * - aliasing: None.
 * - accumulation: None.
 * - checks:
 *   - The checks of diopiTriu hold too.
 * - source: torch.Tensor.triu_
 */
DIOPI_API diopiError_t diopiTriuInp(diopiContextHandle_t ctx, diopiTensorHandle_t input, int64_t diagonal);

/** @} */

/** @name unary
 * Element-wise functions of one tensor.
 * - shape: out has the shape of input.
 * - broadcasting: None.
 * - strides: Any for every tensor; inputs may be expanded.
 * - aliasing: out may be input itself; an input that overlaps out in another way is copied first.
 * - empty: Empty and 0-d tensors are ordinary.
 * - nan: As IEEE 754 and C99 have it for each function; NaN stays NaN.
 * - accumulation: None; float16 and bfloat16 are computed in float32 and rounded once. The CPU vendor's float32 results
 *   are within 2 ULP of the exact ones, its float64 results within 3 ULP.
 * - determinism: The same bits for any number of threads.
 * - checks:
 *   - Each output must have the shape of input. [outputs-shape]
 *   - The dtype of the result must be castable to the dtype of each output. [outputs-castable]
 */
/** @{ */

/**
 * Element-wise sign, -1, 0 or 1, `torch.sign`.
 *
 * @param[in]  ctx    context of the call
 * @param[out] out    integral, floating, complex, bool
 * @param[in]  input  integral, floating, bool
 *
 * - formula: out = (input > 0) - (input < 0)
 * - nan: NaN gives 0, as does either zero.
 * - source: torch.sign
 */
DIOPI_API diopiError_t diopiSign(diopiContextHandle_t ctx, diopiTensorHandle_t out, diopiConstTensorHandle_t input);

/**
 * Absolute value in place, `torch.Tensor.abs_`.
 *
 * @param[in]     ctx    context of the call
 * @param[in,out] input  integral, floating, bool
 *
 * As diopiAbs, except:
 * - formula: input = abs(input)
 */
DIOPI_API diopiError_t diopiAbsInp(diopiContextHandle_t ctx, diopiTensorHandle_t input);

/**
 * Element-wise absolute value, `torch.abs`.
 *
 * @param[in]  ctx    context of the call
 * @param[out] out    integral, floating, complex, bool
 * @param[in]  input  integral, floating, complex, bool
 *
 * - formula: out = abs(input)
 * - source: torch.abs
 * - notes: The result of a complex input is real. The smallest signed integer stays as it is, and so does bool.
 */
DIOPI_API diopiError_t diopiAbs(diopiContextHandle_t ctx, diopiTensorHandle_t out, diopiConstTensorHandle_t input);

/**
 * Negation in place, `torch.Tensor.neg_`.
 *
 * @param[in]     ctx    context of the call
 * @param[in,out] input  integral, floating, complex
 *
 * As diopiNeg, except:
 * - formula: input = -input
 */
DIOPI_API diopiError_t diopiNegInp(diopiContextHandle_t ctx, diopiTensorHandle_t input);

/**
 * Element-wise negation, `torch.neg`.
 *
 * @param[in]  ctx    context of the call
 * @param[out] out    integral, floating, complex
 * @param[in]  input  integral, floating, complex
 *
 * - formula: out = -input
 * - source: torch.neg
 * - notes: Integers wrap around.
 */
DIOPI_API diopiError_t diopiNeg(diopiContextHandle_t ctx, diopiTensorHandle_t out, diopiConstTensorHandle_t input);

/**
 * Rounding down in place, `torch.Tensor.floor_`.
 *
 * @param[in]     ctx    context of the call
 * @param[in,out] input  integral, floating
 *
 * As diopiFloor, except:
 * - formula: input = largest integer <= input
 */
DIOPI_API diopiError_t diopiFloorInp(diopiContextHandle_t ctx, diopiTensorHandle_t input);

/**
 * Element-wise rounding down, `torch.floor`.
 *
 * @param[in]  ctx    context of the call
 * @param[out] out    integral, floating, complex
 * @param[in]  input  integral, floating
 *
 * - formula: out = largest integer <= input
 * - source: torch.floor
 */
DIOPI_API diopiError_t diopiFloor(diopiContextHandle_t ctx, diopiTensorHandle_t out, diopiConstTensorHandle_t input);

/**
 * Rounding up in place, `torch.Tensor.ceil_`.
 *
 * @param[in]     ctx    context of the call
 * @param[in,out] input  integral, floating
 *
 * As diopiCeil, except:
 * - formula: input = smallest integer >= input
 */
DIOPI_API diopiError_t diopiCeilInp(diopiContextHandle_t ctx, diopiTensorHandle_t input);

/**
 * Element-wise rounding up, `torch.ceil`.
 *
 * @param[in]  ctx    context of the call
 * @param[out] out    integral, floating, complex
 * @param[in]  input  integral, floating
 *
 * - formula: out = smallest integer >= input
 * - source: torch.ceil
 */
DIOPI_API diopiError_t diopiCeil(diopiContextHandle_t ctx, diopiTensorHandle_t out, diopiConstTensorHandle_t input);

/**
 * Square root in place, `torch.Tensor.sqrt_`.
 *
 * @param[in]     ctx    context of the call
 * @param[in,out] input  integral, floating, complex, bool
 *
 * As diopiSqrt, except:
 * - formula: input = sqrt(input)
 */
DIOPI_API diopiError_t diopiSqrtInp(diopiContextHandle_t ctx, diopiTensorHandle_t input);

/**
 * Element-wise square root, `torch.sqrt`.
 *
 * @param[in]  ctx    context of the call
 * @param[out] out    floating, complex
 * @param[in]  input  integral, floating, complex, bool
 *
 * - formula: out = sqrt(input)
 * - source: torch.sqrt
 * - notes: Integers and bool are computed in float32.
 */
DIOPI_API diopiError_t diopiSqrt(diopiContextHandle_t ctx, diopiTensorHandle_t out, diopiConstTensorHandle_t input);

/**
 * Reciprocal square root in place, `torch.Tensor.rsqrt_`.
 *
 * @param[in]     ctx    context of the call
 * @param[in,out] input  integral, floating, complex, bool
 *
 * As diopiRsqrt, except:
 * - formula: input = 1 / sqrt(input)
 */
DIOPI_API diopiError_t diopiRsqrtInp(diopiContextHandle_t ctx, diopiTensorHandle_t input);

/**
 * Element-wise reciprocal square root, `torch.rsqrt`.
 *
 * @param[in]  ctx    context of the call
 * @param[out] out    floating, complex
 * @param[in]  input  integral, floating, complex, bool
 *
 * - formula: out = 1 / sqrt(input)
 * - nan: As IEEE 754 and C99 have it; NaN stays NaN. A complex number with an infinite part is infinite, whatever its
 *   other part is (C99, Annex G), and gives zero; NaN in both parts of the result is accepted, too, as PyTorch has it
 *   where both parts are infinite or one is NaN.
 * - source: torch.rsqrt
 * - notes: Integers and bool are computed in float32.
 */
DIOPI_API diopiError_t diopiRsqrt(diopiContextHandle_t ctx, diopiTensorHandle_t out, diopiConstTensorHandle_t input);

/**
 * Sine in place, `torch.Tensor.sin_`.
 *
 * @param[in]     ctx    context of the call
 * @param[in,out] input  integral, floating, complex, bool
 *
 * As diopiSin, except:
 * - formula: input = sin(input)
 */
DIOPI_API diopiError_t diopiSinInp(diopiContextHandle_t ctx, diopiTensorHandle_t input);

/**
 * Element-wise sine, `torch.sin`.
 *
 * @param[in]  ctx    context of the call
 * @param[out] out    floating, complex
 * @param[in]  input  integral, floating, complex, bool
 *
 * - formula: out = sin(input)
 * - source: torch.sin
 * - notes: Integers and bool are computed in float32.
 */
DIOPI_API diopiError_t diopiSin(diopiContextHandle_t ctx, diopiTensorHandle_t out, diopiConstTensorHandle_t input);

/**
 * Arc sine in place, `torch.Tensor.asin_`.
 *
 * @param[in]     ctx    context of the call
 * @param[in,out] input  integral, floating, complex, bool
 *
 * As diopiAsin, except:
 * - formula: input = asin(input)
 */
DIOPI_API diopiError_t diopiAsinInp(diopiContextHandle_t ctx, diopiTensorHandle_t input);

/**
 * Element-wise arc sine, `torch.asin`.
 *
 * @param[in]  ctx    context of the call
 * @param[out] out    floating, complex
 * @param[in]  input  integral, floating, complex, bool
 *
 * - formula: out = asin(input)
 * - source: torch.asin
 * - notes: Integers and bool are computed in float32.
 */
DIOPI_API diopiError_t diopiAsin(diopiContextHandle_t ctx, diopiTensorHandle_t out, diopiConstTensorHandle_t input);

/**
 * Cosine in place, `torch.Tensor.cos_`.
 *
 * @param[in]     ctx    context of the call
 * @param[in,out] input  integral, floating, complex, bool
 *
 * As diopiCos, except:
 * - formula: input = cos(input)
 */
DIOPI_API diopiError_t diopiCosInp(diopiContextHandle_t ctx, diopiTensorHandle_t input);

/**
 * Element-wise cosine, `torch.cos`.
 *
 * @param[in]  ctx    context of the call
 * @param[out] out    floating, complex
 * @param[in]  input  integral, floating, complex, bool
 *
 * - formula: out = cos(input)
 * - source: torch.cos
 * - notes: Integers and bool are computed in float32.
 */
DIOPI_API diopiError_t diopiCos(diopiContextHandle_t ctx, diopiTensorHandle_t out, diopiConstTensorHandle_t input);

/**
 * Arc cosine in place, `torch.Tensor.acos_`.
 *
 * @param[in]     ctx    context of the call
 * @param[in,out] input  integral, floating, complex, bool
 *
 * As diopiAcos, except:
 * - formula: input = acos(input)
 */
DIOPI_API diopiError_t diopiAcosInp(diopiContextHandle_t ctx, diopiTensorHandle_t input);

/**
 * Element-wise arc cosine, `torch.acos`.
 *
 * @param[in]  ctx    context of the call
 * @param[out] out    floating, complex
 * @param[in]  input  integral, floating, complex, bool
 *
 * - formula: out = acos(input)
 * - source: torch.acos
 * - notes: Integers and bool are computed in float32.
 */
DIOPI_API diopiError_t diopiAcos(diopiContextHandle_t ctx, diopiTensorHandle_t out, diopiConstTensorHandle_t input);

/**
 * Tangent in place, `torch.Tensor.tan_`.
 *
 * @param[in]     ctx    context of the call
 * @param[in,out] input  integral, floating, complex, bool
 *
 * As diopiTan, except:
 * - formula: input = tan(input)
 */
DIOPI_API diopiError_t diopiTanInp(diopiContextHandle_t ctx, diopiTensorHandle_t input);

/**
 * Element-wise tangent, `torch.tan`.
 *
 * @param[in]  ctx    context of the call
 * @param[out] out    floating, complex
 * @param[in]  input  integral, floating, complex, bool
 *
 * - formula: out = tan(input)
 * - source: torch.tan
 * - notes: Integers and bool are computed in float32.
 */
DIOPI_API diopiError_t diopiTan(diopiContextHandle_t ctx, diopiTensorHandle_t out, diopiConstTensorHandle_t input);

/**
 * Hyperbolic sine in place, `torch.Tensor.sinh_`.
 *
 * @param[in]     ctx    context of the call
 * @param[in,out] input  integral, floating, complex, bool
 *
 * As diopiSinh, except:
 * - formula: input = sinh(input)
 */
DIOPI_API diopiError_t diopiSinhInp(diopiContextHandle_t ctx, diopiTensorHandle_t input);

/**
 * Element-wise hyperbolic sine, `torch.sinh`.
 *
 * @param[in]  ctx    context of the call
 * @param[out] out    floating, complex
 * @param[in]  input  integral, floating, complex, bool
 *
 * - formula: out = sinh(input)
 * - source: torch.sinh
 * - notes: Integers and bool are computed in float32.
 */
DIOPI_API diopiError_t diopiSinh(diopiContextHandle_t ctx, diopiTensorHandle_t out, diopiConstTensorHandle_t input);

/**
 * Hyperbolic cosine in place, `torch.Tensor.cosh_`.
 *
 * @param[in]     ctx    context of the call
 * @param[in,out] input  integral, floating, complex, bool
 *
 * As diopiCosh, except:
 * - formula: input = cosh(input)
 */
DIOPI_API diopiError_t diopiCoshInp(diopiContextHandle_t ctx, diopiTensorHandle_t input);

/**
 * Element-wise hyperbolic cosine, `torch.cosh`.
 *
 * @param[in]  ctx    context of the call
 * @param[out] out    floating, complex
 * @param[in]  input  integral, floating, complex, bool
 *
 * - formula: out = cosh(input)
 * - source: torch.cosh
 * - notes: Integers and bool are computed in float32.
 */
DIOPI_API diopiError_t diopiCosh(diopiContextHandle_t ctx, diopiTensorHandle_t out, diopiConstTensorHandle_t input);

/**
 * Hyperbolic tangent in place, `torch.Tensor.tanh_`.
 *
 * @param[in]     ctx    context of the call
 * @param[in,out] input  integral, floating, complex, bool
 *
 * As diopiTanh, except:
 * - formula: input = tanh(input)
 */
DIOPI_API diopiError_t diopiTanhInp(diopiContextHandle_t ctx, diopiTensorHandle_t input);

/**
 * Element-wise hyperbolic tangent, `torch.tanh`.
 *
 * @param[in]  ctx    context of the call
 * @param[out] out    floating, complex
 * @param[in]  input  integral, floating, complex, bool
 *
 * - formula: out = tanh(input)
 * - source: torch.tanh
 * - notes: Integers and bool are computed in float32.
 */
DIOPI_API diopiError_t diopiTanh(diopiContextHandle_t ctx, diopiTensorHandle_t out, diopiConstTensorHandle_t input);

/**
 * Element-wise arc tangent, `torch.atan`.
 *
 * @param[in]  ctx    context of the call
 * @param[out] out    floating, complex
 * @param[in]  input  integral, floating, complex, bool
 *
 * - formula: out = atan(input)
 * - source: torch.atan
 * - notes: Integers and bool are computed in float32.
 */
DIOPI_API diopiError_t diopiAtan(diopiContextHandle_t ctx, diopiTensorHandle_t out, diopiConstTensorHandle_t input);

/**
 * Arc tangent in place, `torch.Tensor.atan_`.
 *
 * @param[in]     ctx    context of the call
 * @param[in,out] input  integral, floating, complex, bool
 *
 * As diopiAtan, except:
 * - formula: input = atan(input)
 */
DIOPI_API diopiError_t diopiAtanInp(diopiContextHandle_t ctx, diopiTensorHandle_t input);

/**
 * Inverse hyperbolic sine in place, `torch.Tensor.asinh_`.
 *
 * @param[in]     ctx    context of the call
 * @param[in,out] input  integral, floating, complex, bool
 *
 * As diopiAsinh, except:
 * - formula: input = asinh(input)
 */
DIOPI_API diopiError_t diopiAsinhInp(diopiContextHandle_t ctx, diopiTensorHandle_t input);

/**
 * Element-wise inverse hyperbolic sine, `torch.asinh`.
 *
 * @param[in]  ctx    context of the call
 * @param[out] out    floating, complex
 * @param[in]  input  integral, floating, complex, bool
 *
 * - formula: out = asinh(input)
 * - source: torch.asinh
 * - notes: Integers and bool are computed in float32.
 */
DIOPI_API diopiError_t diopiAsinh(diopiContextHandle_t ctx, diopiTensorHandle_t out, diopiConstTensorHandle_t input);

/**
 * Inverse hyperbolic cosine in place, `torch.Tensor.acosh_`.
 *
 * @param[in]     ctx    context of the call
 * @param[in,out] input  integral, floating, complex, bool
 *
 * As diopiAcosh, except:
 * - formula: input = acosh(input)
 */
DIOPI_API diopiError_t diopiAcoshInp(diopiContextHandle_t ctx, diopiTensorHandle_t input);

/**
 * Element-wise inverse hyperbolic cosine, `torch.acosh`.
 *
 * @param[in]  ctx    context of the call
 * @param[out] out    floating, complex
 * @param[in]  input  integral, floating, complex, bool
 *
 * - formula: out = acosh(input)
 * - source: torch.acosh
 * - notes: Integers and bool are computed in float32.
 */
DIOPI_API diopiError_t diopiAcosh(diopiContextHandle_t ctx, diopiTensorHandle_t out, diopiConstTensorHandle_t input);

/**
 * Inverse hyperbolic tangent in place, `torch.Tensor.atanh_`.
 *
 * @param[in]     ctx    context of the call
 * @param[in,out] input  integral, floating, complex, bool
 *
 * As diopiAtanh, except:
 * - formula: input = atanh(input)
 */
DIOPI_API diopiError_t diopiAtanhInp(diopiContextHandle_t ctx, diopiTensorHandle_t input);

/**
 * Element-wise inverse hyperbolic tangent, `torch.atanh`.
 *
 * @param[in]  ctx    context of the call
 * @param[out] out    floating, complex
 * @param[in]  input  integral, floating, complex, bool
 *
 * - formula: out = atanh(input)
 * - source: torch.atanh
 * - notes: Integers and bool are computed in float32.
 */
DIOPI_API diopiError_t diopiAtanh(diopiContextHandle_t ctx, diopiTensorHandle_t out, diopiConstTensorHandle_t input);

/**
 * Exponential in place, `torch.Tensor.exp_`.
 *
 * @param[in]     ctx    context of the call
 * @param[in,out] input  integral, floating, complex, bool
 *
 * As diopiExp, except:
 * - formula: input = exp(input)
 */
DIOPI_API diopiError_t diopiExpInp(diopiContextHandle_t ctx, diopiTensorHandle_t input);

/**
 * Element-wise exponential, `torch.exp`.
 *
 * @param[in]  ctx    context of the call
 * @param[out] out    floating, complex
 * @param[in]  input  integral, floating, complex, bool
 *
 * - formula: out = exp(input)
 * - source: torch.exp
 * - notes: Integers and bool are computed in float32.
 */
DIOPI_API diopiError_t diopiExp(diopiContextHandle_t ctx, diopiTensorHandle_t out, diopiConstTensorHandle_t input);

/**
 * Exponential minus one in place, `torch.Tensor.expm1_`.
 *
 * @param[in]     ctx    context of the call
 * @param[in,out] input  integral, floating, complex, bool
 *
 * As diopiExpm1, except:
 * - formula: input = exp(input) - 1, without cancellation near 0
 */
DIOPI_API diopiError_t diopiExpm1Inp(diopiContextHandle_t ctx, diopiTensorHandle_t input);

/**
 * Element-wise exponential minus one, accurate near zero, `torch.expm1`.
 *
 * @param[in]  ctx    context of the call
 * @param[out] out    floating, complex
 * @param[in]  input  integral, floating, complex, bool
 *
 * - formula: out = exp(input) - 1, without cancellation near 0
 * - source: torch.expm1
 * - notes: Integers and bool are computed in float32.
 */
DIOPI_API diopiError_t diopiExpm1(diopiContextHandle_t ctx, diopiTensorHandle_t out, diopiConstTensorHandle_t input);

/**
 * Natural logarithm in place, `torch.Tensor.log_`.
 *
 * @param[in]     ctx    context of the call
 * @param[in,out] input  integral, floating, complex, bool
 *
 * As diopiLog, except:
 * - formula: input = log(input)
 */
DIOPI_API diopiError_t diopiLogInp(diopiContextHandle_t ctx, diopiTensorHandle_t input);

/**
 * Element-wise natural logarithm, `torch.log`.
 *
 * @param[in]  ctx    context of the call
 * @param[out] out    floating, complex
 * @param[in]  input  integral, floating, complex, bool
 *
 * - formula: out = log(input)
 * - source: torch.log
 * - notes: Integers and bool are computed in float32.
 */
DIOPI_API diopiError_t diopiLog(diopiContextHandle_t ctx, diopiTensorHandle_t out, diopiConstTensorHandle_t input);

/**
 * Logarithm to base 2 in place, `torch.Tensor.log2_`.
 *
 * @param[in]     ctx    context of the call
 * @param[in,out] input  integral, floating, complex, bool
 *
 * As diopiLog2, except:
 * - formula: input = log(input) / log(2)
 */
DIOPI_API diopiError_t diopiLog2Inp(diopiContextHandle_t ctx, diopiTensorHandle_t input);

/**
 * Element-wise logarithm to base 2, `torch.log2`.
 *
 * @param[in]  ctx    context of the call
 * @param[out] out    floating, complex
 * @param[in]  input  integral, floating, complex, bool
 *
 * - formula: out = log(input) / log(2)
 * - source: torch.log2
 * - notes: Integers and bool are computed in float32.
 */
DIOPI_API diopiError_t diopiLog2(diopiContextHandle_t ctx, diopiTensorHandle_t out, diopiConstTensorHandle_t input);

/**
 * Logarithm to base 10 in place, `torch.Tensor.log10_`.
 *
 * @param[in]     ctx    context of the call
 * @param[in,out] input  integral, floating, complex, bool
 *
 * As diopiLog10, except:
 * - formula: input = log(input) / log(10)
 */
DIOPI_API diopiError_t diopiLog10Inp(diopiContextHandle_t ctx, diopiTensorHandle_t input);

/**
 * Element-wise logarithm to base 10, `torch.log10`.
 *
 * @param[in]  ctx    context of the call
 * @param[out] out    floating, complex
 * @param[in]  input  integral, floating, complex, bool
 *
 * - formula: out = log(input) / log(10)
 * - source: torch.log10
 * - notes: Integers and bool are computed in float32.
 */
DIOPI_API diopiError_t diopiLog10(diopiContextHandle_t ctx, diopiTensorHandle_t out, diopiConstTensorHandle_t input);

/**
 * Natural logarithm of one plus x in place, `torch.Tensor.log1p_`.
 *
 * @param[in]     ctx    context of the call
 * @param[in,out] input  integral, floating, complex, bool
 *
 * As diopiLog1p, except:
 * - formula: input = log(1 + input), without cancellation near 0
 */
DIOPI_API diopiError_t diopiLog1pInp(diopiContextHandle_t ctx, diopiTensorHandle_t input);

/**
 * Element-wise natural logarithm of one plus x, accurate near zero, `torch.log1p`.
 *
 * @param[in]  ctx    context of the call
 * @param[out] out    floating, complex
 * @param[in]  input  integral, floating, complex, bool
 *
 * - formula: out = log(1 + input), without cancellation near 0
 * - nan: As IEEE 754 and C99 have it; NaN stays NaN. A complex number with an infinite part is infinite, whatever its
 *   other part is (C99, Annex G): the real part of the result is Inf or NaN, and the imaginary part may be NaN where a
 *   part of the input is.
 * - source: torch.log1p
 * - notes: Integers and bool are computed in float32.
 */
DIOPI_API diopiError_t diopiLog1p(diopiContextHandle_t ctx, diopiTensorHandle_t out, diopiConstTensorHandle_t input);

/**
 * Error function in place, `torch.Tensor.erf_`.
 *
 * @param[in]     ctx    context of the call
 * @param[in,out] input  integral, floating, bool
 *
 * As diopiErf, except:
 * - formula: input = 2 / sqrt(pi) * integral of exp(-t^2) from 0 to input
 */
DIOPI_API diopiError_t diopiErfInp(diopiContextHandle_t ctx, diopiTensorHandle_t input);

/**
 * Element-wise error function, `torch.erf`.
 *
 * @param[in]  ctx    context of the call
 * @param[out] out    floating, complex
 * @param[in]  input  integral, floating, bool
 *
 * - formula: out = 2 / sqrt(pi) * integral of exp(-t^2) from 0 to input
 * - source: torch.erf
 * - notes: Integers and bool are computed in float32.
 */
DIOPI_API diopiError_t diopiErf(diopiContextHandle_t ctx, diopiTensorHandle_t out, diopiConstTensorHandle_t input);

/**
 * Element-wise reciprocal, `torch.reciprocal`.
 *
 * @param[in]  ctx    context of the call
 * @param[out] out    floating, complex
 * @param[in]  input  integral, floating, complex, bool
 *
 * - formula: out = 1 / input
 * - nan: As IEEE 754 and C99 have it; NaN stays NaN. A complex number with an infinite part is infinite, whatever its
 *   other part is (C99, Annex G), and gives zero; NaN in both parts of the result is accepted, too, as PyTorch has it
 *   where both parts are infinite or one is NaN. The reciprocal of a complex zero is infinite or has NaN parts.
 * - source: torch.reciprocal
 * - notes: Integers and bool are computed in float32.
 */
DIOPI_API diopiError_t diopiReciprocal(diopiContextHandle_t ctx, diopiTensorHandle_t out,
                                       diopiConstTensorHandle_t input);

/**
 * Reciprocal in place, `torch.Tensor.reciprocal_`.
 *
 * @param[in]     ctx    context of the call
 * @param[in,out] input  integral, floating, complex, bool
 *
 * As diopiReciprocal, except:
 * - formula: input = 1 / input
 */
DIOPI_API diopiError_t diopiReciprocalInp(diopiContextHandle_t ctx, diopiTensorHandle_t input);

/**
 * Element-wise inverse error function, `torch.erfinv`.
 *
 * @param[in]  ctx    context of the call
 * @param[out] out    floating, complex
 * @param[in]  input  integral, floating, bool
 *
 * - formula: out = x with erf(x) = input
 * - source: torch.erfinv
 * - notes: Integers and bool are computed in float32.
 */
DIOPI_API diopiError_t diopiErfinv(diopiContextHandle_t ctx, diopiTensorHandle_t out, diopiConstTensorHandle_t input);

/**
 * Inverse error function in place, `torch.Tensor.erfinv_`.
 *
 * @param[in]     ctx    context of the call
 * @param[in,out] input  integral, floating, bool
 *
 * As diopiErfinv, except:
 * - formula: input = x with erf(x) = input
 */
DIOPI_API diopiError_t diopiErfinvInp(diopiContextHandle_t ctx, diopiTensorHandle_t input);

/**
 * Element-wise sign; for complex numbers x / |x|, and 0 for 0, `torch.sgn`.
 *
 * @param[in]  ctx    context of the call
 * @param[out] out    integral, floating, complex, bool
 * @param[in]  input  integral, floating, complex, bool
 *
 * - formula: out = input / abs(input), and 0 for 0
 * - nan: Real NaN gives 0, as does either zero.
 * - source: torch.sgn
 */
DIOPI_API diopiError_t diopiSgn(diopiContextHandle_t ctx, diopiTensorHandle_t out, diopiConstTensorHandle_t input);

/**
 * Sign in place; for complex numbers x / |x|, `torch.Tensor.sgn_`.
 *
 * @param[in]     ctx    context of the call
 * @param[in,out] input  integral, floating, complex, bool
 *
 * As diopiSgn, except:
 * - formula: input = input / abs(input), and 0 for 0
 */
DIOPI_API diopiError_t diopiSgnInp(diopiContextHandle_t ctx, diopiTensorHandle_t input);

/** @} */

/** @name upsample
 * Interpolation of images and sampling on a grid.
 * - broadcasting: None.
 * - strides: Any; channels-last tensors are computed along their channels.
 * - aliasing: Outputs must not overlap inputs.
 * - accumulation: float16 and bfloat16 are computed in float32 and rounded once, float32 and float64 in their own
 *   precision.
 * - determinism: The same bits for any number of threads.
 */
/** @{ */

/**
 * Samples input at normalised coordinates, zeros outside, corners not aligned, `torch.nn.functional.grid_sample`.
 *
 * @param[in]  ctx    context of the call
 * @param[out] out    floating
 * @param[in]  input  floating
 * @param[in]  grid   floating
 * @param[in]  mode   "bilinear", "nearest" or "bicubic"
 *
 * - formula: The last dimension of grid has x, y and perhaps z of a position, from -1 to 1; along a dimension of extent
 *   I it lies at t = ((coordinate + 1) * I - 1) / 2, computed in float32, or float64 for float64. nearest: the element
 *   at t rounded to an integer, halves to even; bilinear: linear interpolation between the neighbours in each
 *   dimension; bicubic: cubic convolution of the four neighbours in each dimension with the parameter -0.75. Elements
 *   outside of input count as 0.
 * - shape: input [N, C, H, W] and grid [N, Ho, Wo, 2] give out [N, C, Ho, Wo]; input [N, C, D, H, W] and grid [N, Do,
 *   Ho, Wo, 3] give out [N, C, Do, Ho, Wo].
 * - empty: Without images, channels or positions nothing is written.
 * - nan: A coordinate that is NaN or infinite lies outside of input, so out is 0 there. NaN and infinities of input as
 *   in sums of products.
 * - checks:
 *   - mode must be "bilinear", "nearest" or "bicubic". [diopiGridSample-mode-string]
 *   - out, input and grid must have the same dtype. [diopiGridSample-out-same-dtype]
 *   - input must have 4 or 5 dimensions. [diopiGridSample-input-ndim]
 *   - If mode is bicubic, input must have 4 dimensions. [diopiGridSample-bicubic-ndim]
 *   - grid must have exactly as many dimensions as the number of dimensions of input. [diopiGridSample-grid-ndim]
 *   - input must have no extent of 0 among its last ndim(input) - 2. [diopiGridSample-input-not-empty]
 *   - input[0] and grid[0] must be equal. [diopiGridSample-input-equal]
 *   - grid[-1] and ndim(input) - 2 must be equal. [diopiGridSample-grid-coordinates]
 *   - out must have the shape [input[:2], grid[1:-1]]. [diopiGridSample-out-shape]
 * - source: torch.nn.functional.grid_sample
 * - notes: The signature has neither padding mode nor align_corners: zeros outside and corners not aligned, the
 *   defaults of PyTorch. Programs of version 1.0 use "bilinear" and "nearest"; "bicubic" is an extension. At a
 *   coordinate that is NaN or infinite, PyTorch gives 0 on CUDA and for images of three dimensions, but NaN for two
 *   dimensions on the CPU.
 */
DIOPI_API diopiError_t diopiGridSample(diopiContextHandle_t ctx, diopiTensorHandle_t out,
                                       diopiConstTensorHandle_t input, diopiConstTensorHandle_t grid, const char* mode);

/**
 * Nearest neighbour interpolation to a size, `torch.nn.functional.interpolate(mode="nearest")`.
 *
 * @param[in]  ctx    context of the call
 * @param[out] out    floating, uint8
 * @param[in]  input  floating, uint8
 * @param[in]  size   the spatial extents of out
 *
 * - formula: out[n, c, y] = input[n, c, min(floor(y * (I / O)), I - 1)] in each dimension of extents I and O; quotient
 *   and product are computed in float32
 * - shape: input [N, C, L], [N, C, H, W] or [N, C, D, H, W]; out has the extents of size in place of the spatial ones.
 * - empty: Without images nothing is written.
 * - nan: Bits are copied.
 * - checks:
 *   - out and input must have the same dtype. [diopiUpsampleNearest-out-same-dtype]
 *   - input must have 3, 4 or 5 dimensions. [diopiUpsampleNearest-input-ndim]
 *   - size must have exactly as many entries as the number of dimensions of input - 2.
 *     [diopiUpsampleNearest-size-length]
 *   - Each entry of size must be at least 1. [diopiUpsampleNearest-size-values]
 *   - input must have no extent of 0 among its last ndim(input) - 1. [diopiUpsampleNearest-input-not-empty]
 *   - out must have the shape of the result. [diopiUpsampleNearest-out-shape]
 * - source: torch.nn.functional.interpolate with mode="nearest"
 */
DIOPI_API diopiError_t diopiUpsampleNearest(diopiContextHandle_t ctx, diopiTensorHandle_t out,
                                            diopiConstTensorHandle_t input, diopiSize_t size);

/**
 * Gradient of diopiUpsampleNearest with respect to its input.
 *
 * @param[in]  ctx          context of the call
 * @param[out] grad_input   floating
 * @param[in]  grad_output  floating
 * @param[in]  out_size     the spatial extents of grad_output
 * @param[in]  in_size      shape of the input of the forward call
 *
 * - formula: grad_input = 0; the element that diopiUpsampleNearest copies to a position gets the gradient of this
 *   position added
 * - shape: grad_input has the shape in_size, with batch and channels; grad_output the same with the extents of out_size
 *   in place of the spatial ones.
 * - empty: Without images nothing is written.
 * - nan: Sums in IEEE arithmetic.
 * - checks:
 *   - grad_input and grad_output must have the same dtype. [diopiUpsampleNearestBackward-grad_input-same-dtype]
 *   - in_size must have 3, 4 or 5 entries. [diopiUpsampleNearestBackward-in_size-length]
 *   - grad_input must have the shape of in_size. [diopiUpsampleNearestBackward-grad_input-shape]
 *   - out_size must have exactly as many entries as the number of dimensions of grad_input - 2.
 *     [diopiUpsampleNearestBackward-out_size-length]
 *   - Each entry of out_size must be at least 1. [diopiUpsampleNearestBackward-out_size-values]
 *   - grad_input must have no extent of 0 among its last ndim(grad_input) - 1.
 *     [diopiUpsampleNearestBackward-grad_input-not-empty]
 *   - grad_output must have the shape of the result of diopiUpsampleNearest.
 *     [diopiUpsampleNearestBackward-grad_output-shape]
 * - source: Autograd of torch.nn.functional.interpolate with mode="nearest"
 */
DIOPI_API diopiError_t diopiUpsampleNearestBackward(diopiContextHandle_t ctx, diopiTensorHandle_t grad_input,
                                                    diopiConstTensorHandle_t grad_output, diopiSize_t out_size,
                                                    diopiSize_t in_size);

/**
 * Linear or cubic interpolation to a size, `torch.nn.functional.interpolate`.
 *
 * @param[in]  ctx            context of the call
 * @param[out] out            floating
 * @param[in]  input          floating
 * @param[in]  size           the spatial extents of out
 * @param[in]  align_corners  flag
 * @param[in]  mode           "linear", "bilinear", "bicubic" or "trilinear"
 *
 * - formula: In each dimension of extents I and O, position y reads at t = (y + 1/2) * I / O - 1/2, or at t = y * (I -
 *   1) / (O - 1) with align_corners (0 if O = 1). Linear: t below 0 counts as 0; out = (1 - f) * input[k] + f *
 *   input[min(k + 1, I - 1)], where k is the whole part of t and f the rest; if I = O, out = input[y] + 0 * input[y].
 *   bicubic: cubic convolution of the four neighbours of t with the parameter -0.75, where a position outside counts as
 *   the border.
 * - shape: input [N, C, L], [N, C, H, W] or [N, C, D, H, W]; out has the extents of size in place of the spatial ones.
 * - empty: Without images nothing is written.
 * - nan: As sums of products in IEEE arithmetic, also of those with the weight 0.
 * - checks:
 *   - mode must be "linear", "bilinear", "bicubic" or "trilinear". [diopiUpsampleLinear-mode-string]
 *   - out and input must have the same dtype. [diopiUpsampleLinear-out-same-dtype]
 *   - input must have 3, 4 or 5 dimensions. [diopiUpsampleLinear-input-ndim]
 *   - If mode is linear, input must have 3 dimensions. [diopiUpsampleLinear-linear-ndim]
 *   - If mode is bilinear or bicubic, input must have 4 dimensions. [diopiUpsampleLinear-planar-ndim]
 *   - If mode is trilinear, input must have 5 dimensions. [diopiUpsampleLinear-trilinear-ndim]
 *   - size must have exactly as many entries as the number of dimensions of input - 2.
 *     [diopiUpsampleLinear-size-length]
 *   - Each entry of size must be at least 1. [diopiUpsampleLinear-size-values]
 *   - input must have no extent of 0 among its last ndim(input) - 1. [diopiUpsampleLinear-input-not-empty]
 *   - out must have the shape of the result. [diopiUpsampleLinear-out-shape]
 * - source: torch.nn.functional.interpolate
 * - notes: There is no scale factor: the scale is the quotient of the sizes. uint8, which PyTorch interpolates in
 *   integers of 16 bits, is not accepted.
 */
DIOPI_API diopiError_t diopiUpsampleLinear(diopiContextHandle_t ctx, diopiTensorHandle_t out,
                                           diopiConstTensorHandle_t input, diopiSize_t size, bool align_corners,
                                           const char* mode);

/**
 * Gradient of diopiUpsampleLinear with respect to its input.
 *
 * @param[in]  ctx            context of the call
 * @param[out] grad_input     floating
 * @param[in]  grad_output    floating
 * @param[in]  out_size       the spatial extents of grad_output
 * @param[in]  in_size        shape of the input of the forward call
 * @param[in]  align_corners  flag
 * @param[in]  mode           "linear", "bilinear", "bicubic" or "trilinear"
 *
 * - formula: grad_input = 0; each element that diopiUpsampleLinear reads for a position gets the gradient of this
 *   position, times the weight of the element, added
 * - shape: grad_input has the shape in_size, with batch and channels; grad_output the same with the extents of out_size
 *   in place of the spatial ones.
 * - empty: Without images nothing is written.
 * - nan: As sums of products in IEEE arithmetic, also of those with the weight 0.
 * - checks:
 *   - mode must be "linear", "bilinear", "bicubic" or "trilinear". [diopiUpsampleLinearBackward-mode-string]
 *   - grad_input and grad_output must have the same dtype. [diopiUpsampleLinearBackward-grad_input-same-dtype]
 *   - in_size must have 3, 4 or 5 entries. [diopiUpsampleLinearBackward-in_size-length]
 *   - grad_input must have the shape of in_size. [diopiUpsampleLinearBackward-grad_input-shape]
 *   - If mode is linear, grad_input must have 3 dimensions. [diopiUpsampleLinearBackward-linear-ndim]
 *   - If mode is bilinear or bicubic, grad_input must have 4 dimensions. [diopiUpsampleLinearBackward-planar-ndim]
 *   - If mode is trilinear, grad_input must have 5 dimensions. [diopiUpsampleLinearBackward-trilinear-ndim]
 *   - out_size must have exactly as many entries as the number of dimensions of grad_input - 2.
 *     [diopiUpsampleLinearBackward-out_size-length]
 *   - Each entry of out_size must be at least 1. [diopiUpsampleLinearBackward-out_size-values]
 *   - grad_input must have no extent of 0 among its last ndim(grad_input) - 1.
 *     [diopiUpsampleLinearBackward-grad_input-not-empty]
 *   - grad_output must have the shape of the result of diopiUpsampleLinear.
 *     [diopiUpsampleLinearBackward-grad_output-shape]
 * - source: Autograd of torch.nn.functional.interpolate
 */
DIOPI_API diopiError_t diopiUpsampleLinearBackward(diopiContextHandle_t ctx, diopiTensorHandle_t grad_input,
                                                   diopiConstTensorHandle_t grad_output, diopiSize_t out_size,
                                                   diopiSize_t in_size, bool align_corners, const char* mode);

/** @} */

/** @name where
 * Choosing between operands by a condition.
 * - shape: out has the broadcast shape of the operands; in place, the other operands broadcast to the shape of input.
 * - broadcasting: Shapes are aligned at their last dimensions; a size of 1 stretches to the other's size.
 * - strides: Any for every tensor; an operand may be expanded.
 * - aliasing: out may be an operand itself; an operand that overlaps out in another way is copied first.
 * - empty: Empty and 0-d operands are ordinary.
 * - nan: Elements are moved, not computed with: every bit pattern is kept.
 * - accumulation: None.
 * - determinism: The same bits for any number of threads.
 * - checks:
 *   - The shapes of the inputs must broadcast. [inputs-broadcastable]
 *   - Each output must have the broadcast shape of the operands. [outputs-shape]
 *   - value must fit the dtype of input. [value-fits]
 */
/** @{ */

/**
 * Element-wise input where condition is true, else other, `torch.where`.
 *
 * @param[in]  ctx        context of the call
 * @param[out] out        integral, floating, complex, bool
 * @param[in]  condition  bool, uint8
 * @param[in]  input      integral, floating, complex, bool
 * @param[in]  other      integral, floating, complex, bool
 *
 * - formula: out = condition ? input : other
 * - checks:
 *   - The dtype to which input and other promote must be castable to the dtype of out. [diopiWhere-out-castable]
 * - source: torch.where
 */
DIOPI_API diopiError_t diopiWhere(diopiContextHandle_t ctx, diopiTensorHandle_t out,
                                  diopiConstTensorHandle_t condition, diopiConstTensorHandle_t input,
                                  diopiConstTensorHandle_t other);

/**
 * Copy of input with a 0-d tensor value where mask is true, `torch.masked_fill`.
 *
 * @param[in]  ctx    context of the call
 * @param[out] out    integral, floating, complex, bool
 * @param[in]  input  integral, floating, complex, bool
 * @param[in]  mask   bool, uint8
 * @param[in]  value  integral, floating, complex, bool
 *
 * - formula: out = mask ? value : input
 * - checks:
 *   - value must have 1 element. [diopiMaskedFill-value-numel]
 *   - value must have at most 1 dimension. [diopiMaskedFill-value-ndim]
 *   - The dtype of input must be castable to the dtype of out. [diopiMaskedFill-out-castable]
 * - source: torch.masked_fill
 * - notes: value is cast to the dtype of input.
 */
DIOPI_API diopiError_t diopiMaskedFill(diopiContextHandle_t ctx, diopiTensorHandle_t out,
                                       diopiConstTensorHandle_t input, diopiConstTensorHandle_t mask,
                                       diopiConstTensorHandle_t value);

/**
 * Sets input to a 0-d tensor value where mask is true, `torch.Tensor.masked_fill_`.
 *
 * @param[in]     ctx    context of the call
 * @param[in,out] input  integral, floating, complex, bool
 * @param[in]     mask   bool, uint8
 * @param[in]     value  integral, floating, complex, bool
 *
 * As diopiMaskedFill, except:
 * - formula: input = mask ? value : input
 */
DIOPI_API diopiError_t diopiMaskedFillInp(diopiContextHandle_t ctx, diopiTensorHandle_t input,
                                          diopiConstTensorHandle_t mask, diopiConstTensorHandle_t value);

/**
 * Copy of input with a scalar value where mask is true, `torch.masked_fill`.
 *
 * @param[in]  ctx    context of the call
 * @param[out] out    integral, floating, complex, bool
 * @param[in]  input  integral, floating, complex, bool
 * @param[in]  mask   bool, uint8
 * @param[in]  value  scalar
 *
 * As diopiMaskedFill.
 */
DIOPI_API diopiError_t diopiMaskedFillScalar(diopiContextHandle_t ctx, diopiTensorHandle_t out,
                                             diopiConstTensorHandle_t input, diopiConstTensorHandle_t mask,
                                             const diopiScalar_t* value);

/**
 * Sets input to a scalar value where mask is true, `torch.Tensor.masked_fill_`.
 *
 * @param[in]     ctx    context of the call
 * @param[in,out] input  integral, floating, complex, bool
 * @param[in]     mask   bool, uint8
 * @param[in]     value  scalar
 *
 * As diopiMaskedFill, except:
 * - formula: input = mask ? value : input
 */
DIOPI_API diopiError_t diopiMaskedFillInpScalar(diopiContextHandle_t ctx, diopiTensorHandle_t input,
                                                diopiConstTensorHandle_t mask, const diopiScalar_t* value);

/** @} */

#ifdef __cplusplus
}
#endif

#endif /* DIOPI_FUNCTIONS_H_ */
