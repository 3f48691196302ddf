/* SPDX-License-Identifier: BSD-3-Clause */
/* Faults of operators that compute each element separately. */
#include "wrong.h"

static diopiError_t sub(diopiContextHandle_t ctx, diopiTensorHandle_t out, diopiConstTensorHandle_t input,
                        diopiConstTensorHandle_t other, const diopiScalar_t* alpha) {
  return RIGHT(diopiSub)(ctx, out, input, other, alpha);
}

/* Computes in another dtype and converts the result. */
static diopiError_t sub_in(diopiContextHandle_t ctx, diopiTensorHandle_t out, diopiConstTensorHandle_t input,
                           diopiConstTensorHandle_t other, const diopiScalar_t* alpha, diopiDtype_t dtype) {
  diopiTensorHandle_t result = zeros_like(ctx, out, dtype);
  const diopiError_t code = sub(ctx, result, converted(ctx, input, dtype), converted(ctx, other, dtype), alpha);
  if (code != diopiSuccess) return code;
  if (FAULT("saturates")) {
    const View r = view(result);
    int16_t* x = (int16_t*)r.data;
    for (int64_t i = 0; i < r.numel; ++i) x[i] = x[i] > 127 ? 127 : x[i] < -128 ? -128 : x[i];
  }
  return RIGHT(diopiCastDtype)(ctx, out, result);
}

/* Aligns the dimensions of `other` with the first ones of `out` if their sizes allow it. */
static diopiConstTensorHandle_t aligned_left(diopiContextHandle_t ctx, diopiConstTensorHandle_t out,
                                             diopiConstTensorHandle_t other) {
  const View o = view(out), v = view(other);
  int64_t sizes[16];
  diopiTensorHandle_t made = NULL;
  if (v.shape.len >= o.shape.len || o.shape.len > 16) return other;
  for (int64_t d = 0; d < o.shape.len; ++d) {
    sizes[d] = d < v.shape.len ? v.shape.data[d] : 1;
    if (sizes[d] != o.shape.data[d] && sizes[d] != 1) return other;
  }
  const diopiSize_t shape = {sizes, o.shape.len};
  diopiRequireTensor(ctx, &made, &shape, NULL, v.dtype, diopi_device);
  const View from = view(converted(ctx, other, v.dtype));
  if (v.numel > 0) memcpy(view(made).data, from.data, v.numel * v.itemsize);
  return made;
}

static diopiError_t sub_in_two_passes(diopiContextHandle_t ctx, diopiTensorHandle_t out, diopiConstTensorHandle_t input,
                                      diopiConstTensorHandle_t other, const diopiScalar_t* alpha) {
  const diopiError_t code = sub(ctx, out, input, zeros_like(ctx, other, view(other).dtype), alpha);
  return code == diopiSuccess ? sub(ctx, out, out, other, alpha) : code;
}

static diopiError_t sub_with_the_last_left_out(diopiContextHandle_t ctx, diopiTensorHandle_t out,
                                               diopiConstTensorHandle_t input, diopiConstTensorHandle_t other,
                                               const diopiScalar_t* alpha) {
  const View o = view(out);
  const View before = view(converted(ctx, out, o.dtype));
  const diopiError_t code = sub(ctx, out, input, other, alpha);
  for (int64_t i = o.numel - o.numel % 8; i < o.numel && code == diopiSuccess; ++i) {
    memcpy(at(&o, i), before.data + i * o.itemsize, o.itemsize);
  }
  return code;
}

/* Changes the result of a right call. */
static void spoil(const View* o, diopiTensorHandle_t out, diopiConstTensorHandle_t other) {
  int64_t smallest = 2;
  for (int64_t d = 0; d < o->stride.len; ++d) smallest = o->stride.data[d] < smallest ? o->stride.data[d] : smallest;
  if (FAULT("write_past_the_end")) o->data[o->span * o->itemsize] = 0;
  if (FAULT("write_into_gaps") && o->shape.len > 0 && smallest > 1) o->data[o->itemsize] = 0;
  if (FAULT("input_modified") && view(other).numel > 0 && other != out) view(other).data[0] ^= 1;
  for (int64_t i = 0; FAULT("denormals_flushed") && o->dtype == diopi_dtype_float32 && i < o->numel; ++i) {
    float* x = at(o, i);
    if (fabsf(*x) < 1.17549435e-38f) *x = copysignf(0, *x);
  }
}

diopiError_t diopiSub(diopiContextHandle_t ctx, diopiTensorHandle_t out, diopiConstTensorHandle_t input,
                      diopiConstTensorHandle_t other, const diopiScalar_t* alpha) {
  const View o = view(out), a = view(input), b = view(other);
  const int same_dtype = o.dtype == a.dtype && o.dtype == b.dtype;
  void* storage = NULL;
  if (FAULT("null_accepted") && (input == NULL || other == NULL)) return diopiSuccess;
  if (FAULT("null_dereferenced") && other == NULL) abort();
  if (FAULT("swapped_arguments")) return sub(ctx, out, other, input, alpha);
  if (FAULT("parameter_ignored")) return sub(ctx, out, input, other, NULL);
  if (FAULT("input_stride_ignored")) return sub(ctx, out, reread(ctx, input, a.data), other, alpha);
  if (FAULT("storage_offset_ignored")) {
    diopiGetTensorStoragePtr(input, &storage);
    return sub(ctx, out, reread(ctx, input, storage), other, alpha);
  }
  if (FAULT("output_stride_ignored")) {
    diopiTensorHandle_t result = zeros_like(ctx, out, o.dtype);
    const diopiError_t code = sub(ctx, result, input, other, alpha);
    if (code == diopiSuccess && o.numel > 0) memcpy(o.data, view(result).data, o.numel * o.itemsize);
    return code;
  }
  if (FAULT("unwritten_tail")) return sub_with_the_last_left_out(ctx, out, input, other, alpha);
  if (FAULT("broadcast_on_the_wrong_side")) return sub(ctx, out, input, aligned_left(ctx, out, other), alpha);
  if (FAULT("reads_after_write") && same_dtype) return sub_in_two_passes(ctx, out, input, other, alpha);
  if (FAULT("saturates") && same_dtype && o.dtype == diopi_dtype_int8) {
    return sub_in(ctx, out, input, other, alpha, diopi_dtype_int16);
  }
  if (FAULT("int64_in_float64") && same_dtype && o.dtype == diopi_dtype_int64) {
    return sub_in(ctx, out, input, other, alpha, diopi_dtype_float64);
  }
  if (FAULT("float64_in_float32") && same_dtype && o.dtype == diopi_dtype_float64) {
    return sub_in(ctx, out, input, other, alpha, diopi_dtype_float32);
  }
  if (FAULT("writes_before_it_checks")) {
    for (int64_t i = 0; i < o.numel && out != input && out != other; ++i) memset(at(&o, i), 0, o.itemsize);
  }
  while (FAULT("hangs_on_0d") && o.shape.len == 0) continue;
  const diopiError_t code = sub(ctx, out, input, other, alpha);
  if (code == diopiSuccess) spoil(&o, out, other);
  if (FAULT("success_instead_of_failure")) return diopiSuccess;
  return FAULT("wrong_error_code") && code == diopiDtypeNotSupported ? diopiErrorOccurred : code;
}

diopiError_t diopiDiv(diopiContextHandle_t ctx, diopiTensorHandle_t out, diopiConstTensorHandle_t input,
                      diopiConstTensorHandle_t other, diopiRoundMode_t rounding_mode) {
  const int truncates = FAULT("floor_is_truncation") && rounding_mode == RoundModeFloor;
  return RIGHT(diopiDiv)(ctx, out, input, other, truncates ? RoundModeTrunc : rounding_mode);
}

diopiError_t diopiCastDtype(diopiContextHandle_t ctx, diopiTensorHandle_t out, diopiConstTensorHandle_t input) {
  const diopiError_t code = RIGHT(diopiCastDtype)(ctx, out, input);
  const View o = view(out), v = view(input);
  const int applies = o.dtype == diopi_dtype_bfloat16 && v.dtype == diopi_dtype_float32 && code == diopiSuccess;
  for (int64_t i = 0; FAULT("rounds_towards_zero") && applies && i < o.numel; ++i) {
    const float x = *(float*)at(&v, i);
    if (!isnan(x)) memcpy(at(&o, i), (const char*)&x + 2, 2); /* the upper half */
  }
  return code;
}

diopiError_t diopiNeg(diopiContextHandle_t ctx, diopiTensorHandle_t out, diopiConstTensorHandle_t input) {
  const diopiError_t code = RIGHT(diopiNeg)(ctx, out, input);
  const View o = view(out);
  for (int64_t i = 0; FAULT("no_negative_zero") && o.dtype == diopi_dtype_float32 && i < o.numel; ++i) {
    float* x = at(&o, i);
    if (*x == 0 && code == diopiSuccess) *x = 0;
  }
  return code;
}

diopiError_t diopiNegInp(diopiContextHandle_t ctx, diopiTensorHandle_t input) {
  const diopiError_t code = RIGHT(diopiNegInp)(ctx, input);
  const View o = view(input);
  for (int64_t i = o.numel - o.numel % 8; FAULT("tail_twice") && o.dtype == diopi_dtype_float32 && i < o.numel; ++i) {
    *(float*)at(&o, i) *= -1;
  }
  return code;
}

diopiError_t diopiGt(diopiContextHandle_t ctx, diopiTensorHandle_t out, diopiConstTensorHandle_t input,
                     diopiConstTensorHandle_t other) {
  const diopiError_t code = RIGHT(diopiGt)(ctx, out, input, other);
  const View o = view(out);
  for (int64_t i = 0; FAULT("true_is_255") && code == diopiSuccess && o.dtype == diopi_dtype_bool && i < o.numel; ++i) {
    unsigned char* x = at(&o, i);
    *x = *x != 0 ? 255 : 0;
  }
  return code;
}
