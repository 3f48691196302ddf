/* SPDX-License-Identifier: BSD-3-Clause */
/* Faults of operators that combine elements, move them, allocate their outputs or draw random numbers. */
#include "wrong.h"

static float rounded_to_bfloat16(float x) {
  uint32_t bits;
  memcpy(&bits, &x, sizeof(bits));
  bits = (bits + 0x7FFF + (bits >> 16 & 1)) & 0xFFFF0000;
  memcpy(&x, &bits, sizeof(x));
  return x;
}

/* Sums all elements one after another and rounds each partial sum to bfloat16. */
static void sum_in_bfloat16(diopiContextHandle_t ctx, const View* out, diopiConstTensorHandle_t input) {
  const View v = view(converted(ctx, input, diopi_dtype_float32));
  float sum = 0;
  for (int64_t i = 0; i < v.numel; ++i) sum = rounded_to_bfloat16(sum + ((float*)v.data)[i]);
  if (isfinite(sum)) memcpy(out->data, (const char*)&sum + 2, 2);
}

static void flip_last_bits(const View* v) {
  for (int64_t i = 0; i < v->numel && v->dtype == diopi_dtype_float32; ++i) *(char*)at(v, i) ^= 1;
}

diopiError_t diopiSum(diopiContextHandle_t ctx, diopiTensorHandle_t out, diopiConstTensorHandle_t input,
                      diopiSize_t dim) {
  static int calls;
  const View o = view(out), v = view(input);
  const View before = view(converted(ctx, out, o.dtype));
  if (FAULT("crashes_on_empty") && v.numel == 0) abort();
  const diopiError_t code = RIGHT(diopiSum)(ctx, out, input, dim);
  if (code != diopiSuccess) return code;
  if (FAULT("accumulates_in_bfloat16") && v.dtype == diopi_dtype_bfloat16 && o.dtype == v.dtype && o.numel == 1) {
    sum_in_bfloat16(ctx, &o, input);
  }
  for (int64_t i = 0; i < o.numel; ++i) {
    if (FAULT("output_not_reset") && o.dtype == diopi_dtype_float32) *(float*)at(&o, i) += ((float*)before.data)[i];
    if (FAULT("sum_wraps_at_32_bits") && o.dtype == diopi_dtype_int64) *(int64_t*)at(&o, i) = *(int32_t*)at(&o, i);
  }
  const char* threads = getenv("OMP_NUM_THREADS");
  if (FAULT("depends_on_the_threads") && threads != NULL && strcmp(threads, "1") == 0) flip_last_bits(&o);
  if (FAULT("depends_on_earlier_calls") && ++calls % 2 == 0) flip_last_bits(&o);
  return code;
}

diopiError_t diopiMax(diopiContextHandle_t ctx, diopiTensorHandle_t max, diopiTensorHandle_t max_indices,
                      diopiConstTensorHandle_t input, int64_t dim) {
  if (!FAULT("nan_ignored") || view(input).dtype != diopi_dtype_float32) {
    return RIGHT(diopiMax)(ctx, max, max_indices, input, dim);
  }
  diopiTensorHandle_t without = converted(ctx, input, diopi_dtype_float32);
  const View v = view(without);
  for (float* x = (float*)v.data; x < (float*)v.data + v.numel; ++x) *x = isnan(*x) ? -INFINITY : *x;
  return RIGHT(diopiMax)(ctx, max, max_indices, without, dim);
}

diopiError_t diopiArgmax(diopiContextHandle_t ctx, diopiTensorHandle_t out, diopiConstTensorHandle_t input,
                         const int64_t* dim, bool keepdim) {
  const View v = view(input), o = view(out);
  if (FAULT("last_of_equal_ones") && dim != NULL && v.shape.len > 0 && v.numel > 0) {
    const int64_t last = v.shape.data[*dim < 0 ? *dim + v.shape.len : *dim] - 1;
    diopiTensorHandle_t flipped = zeros_like(ctx, input, v.dtype);
    RIGHT(diopiFlip)(ctx, flipped, input, (diopiSize_t){dim, 1});
    const diopiError_t code = RIGHT(diopiArgmax)(ctx, out, flipped, dim, keepdim);
    for (int64_t i = 0; i < o.numel && code == diopiSuccess; ++i) *(int64_t*)at(&o, i) = last - *(int64_t*)at(&o, i);
    return code;
  }
  const diopiError_t code = RIGHT(diopiArgmax)(ctx, out, input, dim, keepdim);
  for (int64_t i = 0; FAULT("index_off_by_one") && code == diopiSuccess && i < o.numel; ++i) ++*(int64_t*)at(&o, i);
  return code;
}

diopiError_t diopiSoftmax(diopiContextHandle_t ctx, diopiTensorHandle_t out, diopiConstTensorHandle_t input,
                          int64_t dim) {
  const View o = view(out), v = view(input);
  if (FAULT("wrong_axis") && v.shape.len > 1 && dim >= 0) dim = (dim + 1) % v.shape.len;
  if (FAULT("dim_wraps_around") && v.shape.len > 0) dim = (dim % v.shape.len + v.shape.len) % v.shape.len;
  if (FAULT("negative_dim_refused") && dim < 0) return diopiErrorOccurred;
  int overflows = 0;
  for (int64_t i = 0; v.dtype == diopi_dtype_float32 && i < v.numel; ++i) overflows |= *(float*)at(&v, i) > 88.8f;
  const diopiError_t code = RIGHT(diopiSoftmax)(ctx, out, input, dim);
  for (int64_t i = 0; FAULT("large_values_overflow") && overflows && o.dtype == v.dtype && i < o.numel; ++i) {
    *(float*)at(&o, i) = NAN;
  }
  return code;
}

diopiError_t diopiSoftmaxBackward(diopiContextHandle_t ctx, diopiTensorHandle_t grad_input,
                                  diopiConstTensorHandle_t grad_output, diopiConstTensorHandle_t output, int64_t dim) {
  const int converts = FAULT("dtype_not_checked") && view(grad_output).dtype == diopi_dtype_int32;
  if (converts) grad_output = converted(ctx, grad_output, diopi_dtype_float32);
  return RIGHT(diopiSoftmaxBackward)(ctx, grad_input, grad_output, output, dim);
}

diopiError_t diopiCumsum(diopiContextHandle_t ctx, diopiTensorHandle_t out, diopiConstTensorHandle_t input,
                         int64_t dim) {
  const diopiError_t code = RIGHT(diopiCumsum)(ctx, out, input, dim);
  const View o = view(out);
  if (FAULT("shape_not_checked") && out != NULL && input != NULL && o.numel != view(input).numel) return diopiSuccess;
  if (FAULT("starts_one_late") && code == diopiSuccess && o.dtype == diopi_dtype_float32 && o.numel > 0) {
    *(float*)o.data = 0;
  }
  return code;
}

diopiError_t diopiIndexSelect(diopiContextHandle_t ctx, diopiTensorHandle_t out, diopiConstTensorHandle_t input,
                              int64_t dim, diopiConstTensorHandle_t index) {
  const diopiError_t code = RIGHT(diopiIndexSelect)(ctx, out, input, dim, index);
  return FAULT("index_not_checked") ? diopiSuccess : code;
}

/* Replaces the tensor that the right call allocated by another one. */
static diopiError_t reallocate(diopiContextHandle_t ctx, diopiTensorHandle_t* out) {
  const View v = view(*out);
  const diopiTensorHandle_t right = *out;
  const int64_t turned[2] = {v.shape.data[1], v.shape.data[0]}, column_major[2] = {1, v.shape.data[0]};
  const diopiSize_t shape = {FAULT("allocates_wrong_shape") ? turned : v.shape.data, 2}, strides = {column_major, 2};
  const diopiDtype_t dtype = FAULT("allocates_wrong_dtype") ? diopi_dtype_int32 : v.dtype;
  const int strided = FAULT("allocates_wrong_strides");
  const diopiError_t code = diopiRequireTensor(ctx, out, &shape, strided ? &strides : NULL, dtype, diopi_device);
  if (code != diopiSuccess || v.numel == 0) return code;
  if (dtype != v.dtype) return RIGHT(diopiCastDtype)(ctx, *out, right);
  memcpy(view(*out).data, v.data, v.numel * v.itemsize);
  return diopiSuccess;
}

diopiError_t diopiNonzero(diopiContextHandle_t ctx, diopiTensorHandle_t* out, diopiConstTensorHandle_t input) {
  const diopiError_t code = RIGHT(diopiNonzero)(ctx, out, input);
  if (FAULT("allocates_and_fails") && code != diopiSuccess && ctx != NULL && out != NULL) {
    *out = zeros_like(ctx, NULL, diopi_dtype_int64);
  }
  if (code != diopiSuccess) return code;
  if (FAULT("allocates_nothing")) *out = NULL;
  return strncmp(chosen_fault, "allocates_wrong", 15) == 0 ? reallocate(ctx, out) : code;
}

diopiError_t diopiContiguous(diopiContextHandle_t ctx, diopiTensorHandle_t* out, diopiConstTensorHandle_t input,
                             diopiMemoryFormat_t memoryFormat) {
  return RIGHT(diopiContiguous)(ctx, out, input, FAULT("memory_format_ignored") ? Contiguous : memoryFormat);
}

diopiError_t diopiUniformInp(diopiContextHandle_t ctx, diopiTensorHandle_t inout, double from, double to,
                             diopiGeneratorHandle_t generator) {
  static uint64_t calls;
  uint64_t seed, offset;
  diopiGeneratorGetSeedAndOffset(generator, &seed, &offset);
  if (FAULT("seed_ignored")) diopiGeneratorSetSeedAndOffset(generator, 0, offset);
  if (FAULT("own_state")) diopiGeneratorSetSeedAndOffset(generator, seed + calls++, offset);
  const diopiError_t code = RIGHT(diopiUniformInp)(ctx, inout, from, to, generator);
  if (FAULT("offset_not_advanced")) diopiGeneratorSetSeedAndOffset(generator, seed, offset);
  return code;
}

diopiError_t diopiMSELossBackward(diopiContextHandle_t ctx, diopiTensorHandle_t grad_input,
                                  diopiConstTensorHandle_t grad_output, diopiConstTensorHandle_t input,
                                  diopiConstTensorHandle_t target, diopiReduction_t reduction) {
  if (FAULT("gradient_scaled") && reduction == ReductionMean) reduction = ReductionSum;
  return RIGHT(diopiMSELossBackward)(ctx, grad_input, grad_output, input, target, reduction);
}
