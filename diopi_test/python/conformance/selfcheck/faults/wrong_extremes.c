/* SPDX-License-Identifier: BSD-3-Clause */
/* Faults that affect only unusual numbers, lengths, sizes, dtypes and layouts. */
#include "wrong.h"

diopiError_t diopiProd(diopiContextHandle_t ctx, diopiTensorHandle_t out, diopiConstTensorHandle_t input,
                       const int64_t* dim) {
  const diopiDtype_t to = view(out).dtype, from = view(input).dtype;
  const int wider = to == diopi_dtype_float32 || to == diopi_dtype_float64;
  const int applies = FAULT("out_dtype_ignored") && from == diopi_dtype_float16 && wider;
  if (!applies) return RIGHT(diopiProd)(ctx, out, input, dim);
  diopiTensorHandle_t narrow = zeros_like(ctx, out, from);
  const diopiError_t code = RIGHT(diopiProd)(ctx, narrow, input, dim);
  return code == diopiSuccess ? RIGHT(diopiCastDtype)(ctx, out, narrow) : code;
}

diopiError_t diopiGeluBackward(diopiContextHandle_t ctx, diopiTensorHandle_t grad_input,
                               diopiConstTensorHandle_t grad_output, diopiConstTensorHandle_t input,
                               const char* approximate) {
  const diopiError_t code = RIGHT(diopiGeluBackward)(ctx, grad_input, grad_output, input, approximate);
  const View o = view(grad_input), x = view(input);
  const int applies = FAULT("square_overflows") && code == diopiSuccess && x.dtype == diopi_dtype_float32;
  for (int64_t i = 0; applies && o.dtype == x.dtype && o.numel == x.numel && i < o.numel; ++i) {
    const float number = *(float*)at(&x, i);
    if (isfinite(number) && isinf(number * number)) *(float*)at(&o, i) = NAN;
  }
  return code;
}

diopiError_t diopiMean(diopiContextHandle_t ctx, diopiTensorHandle_t out, diopiConstTensorHandle_t input,
                       diopiSize_t dim) {
  const diopiError_t code = RIGHT(diopiMean)(ctx, out, input, dim);
  const View o = view(out), v = view(input);
  const int single =
      o.dtype == diopi_dtype_float32 && v.dtype == diopi_dtype_float32 && o.numel == 1 && v.numel > 200000;
  if (code != diopiSuccess || !FAULT("sums_in_order") || !single || !isfinite(*(float*)o.data)) return code;
  float sum = 0;
  for (int64_t i = 0; i < v.numel; ++i) sum += *(float*)at(&v, i);
  *(float*)o.data = sum / v.numel;
  return code;
}

diopiError_t diopiDivScalar(diopiContextHandle_t ctx, diopiTensorHandle_t out, diopiConstTensorHandle_t input,
                            const diopiScalar_t* other, diopiRoundMode_t rounding_mode) {
  const int applies = FAULT("scalar_wraps") && view(input).dtype == diopi_dtype_uint8 && other != NULL;
  if (!applies || other->stype != diopi_dtype_int64)
    return RIGHT(diopiDivScalar)(ctx, out, input, other, rounding_mode);
  diopiScalar_t wrapped = *other;
  wrapped.ival = (uint8_t)wrapped.ival;
  return RIGHT(diopiDivScalar)(ctx, out, input, &wrapped, rounding_mode);
}

diopiError_t diopiMulScalar(diopiContextHandle_t ctx, diopiTensorHandle_t out, diopiConstTensorHandle_t input,
                            const diopiScalar_t* other) {
  const int known = other == NULL || (other->stype >= diopi_dtype_int8 && other->stype <= diopi_dtype_bool);
  if (known || !FAULT("scalar_dtype_ignored")) return RIGHT(diopiMulScalar)(ctx, out, input, other);
  diopiScalar_t number = *other;
  number.stype = diopi_dtype_int64;
  return RIGHT(diopiMulScalar)(ctx, out, input, &number);
}

/* Whether the extents of the result, multiplied with overflow in 64 bits, are those of `out`. */
static int fits_after_wrapping(const View* out, const View* input, diopiSize_t repeats) {
  int same = out->shape.len == input->shape.len && repeats.len == input->shape.len, huge = 0;
  for (int64_t d = 0; same && d < repeats.len; ++d) {
    same = (int64_t)((uint64_t)repeats.data[d] * (uint64_t)input->shape.data[d]) == out->shape.data[d];
    huge |= repeats.data[d] > INT32_MAX;
  }
  return same && huge;
}

diopiError_t diopiRepeat(diopiContextHandle_t ctx, diopiTensorHandle_t out, diopiConstTensorHandle_t input,
                         diopiSize_t repeats_size) {
  const View o = view(out), v = view(input);
  const int wraps = FAULT("sizes_wrap") && repeats_size.data != NULL && fits_after_wrapping(&o, &v, repeats_size);
  return wraps ? diopiSuccess : RIGHT(diopiRepeat)(ctx, out, input, repeats_size);
}

diopiError_t diopiLogSoftmax(diopiContextHandle_t ctx, diopiTensorHandle_t out, diopiConstTensorHandle_t input,
                             int64_t dim) {
  return RIGHT(diopiLogSoftmax)(ctx, out, input, FAULT("attribute_cut_to_32_bits") ? (int32_t)dim : dim);
}

diopiError_t diopiRelu(diopiContextHandle_t ctx, diopiTensorHandle_t out, diopiConstTensorHandle_t input) {
  const diopiError_t code = RIGHT(diopiRelu)(ctx, out, input);
  const int nobodys = view(out).dtype == diopi_dtype_tfloat32 || view(input).dtype == diopi_dtype_tfloat32;
  return FAULT("dtype_of_no_tensor_accepted") && nobodys ? diopiSuccess : code;
}

diopiError_t diopiAvgPool2dBackward(diopiContextHandle_t ctx, diopiTensorHandle_t grad_input,
                                    diopiConstTensorHandle_t grad_output, diopiConstTensorHandle_t input,
                                    diopiSize_t kernel_size, diopiSize_t stride, diopiSize_t padding, bool ceil_mode,
                                    bool count_include_pad, const int64_t* divisor_override) {
  const View o = view(grad_input);
  const int64_t last = o.shape.len - 1;
  const int applies = FAULT("adds_to_the_output") && o.dtype == diopi_dtype_float32 && last >= 0 &&
                      o.shape.data[last] == 1 && o.stride.data[last] != 1;
  const View before = view(applies ? converted(ctx, grad_input, o.dtype) : NULL);
  const diopiError_t code = RIGHT(diopiAvgPool2dBackward)(ctx, grad_input, grad_output, input, kernel_size, stride,
                                                          padding, ceil_mode, count_include_pad, divisor_override);
  for (int64_t i = 0; applies && code == diopiSuccess && i < o.numel; ++i) {
    *(float*)at(&o, i) += ((float*)before.data)[i];
  }
  return code;
}
