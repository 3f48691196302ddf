/* SPDX-License-Identifier: BSD-3-Clause */
/* A vendor's library with one fault, selected by FAULT. It has diopiSub for float32 tensors of one shape, and for the
   tests of the layer diopiEqual for contiguous tensors and a diopiSpMM that only changes its input. */
#include <diopi/diopi_register.h>
#include <diopi/functions.h>
#include <diopi/functions_sparse.h>
#include <stdlib.h>
#include <string.h>

enum {
  kNone,
  kWrongValue,
  kSwappedArguments,
  kIgnoredStride,
  kUnwrittenTail,
  kPastTheEnd,
  kReadPastTheEnd,
  kInputModified,
  kCrash,
  kHang,
  kSilentError,
  kWrongMessage,
  kWritesThenFails,
  kRefuses,
  kFailsLate,
  kLosesTheDevice
};

static const char* last_error = "";

const char* diopiGetLastErrorString(void) { return last_error; }
const char* diopiGetVendorName(void) { return "wrong"; }

static int32_t create_stream(diopiStreamHandle_t* stream) {
  *stream = NULL;
  return 0;
}
static int32_t do_nothing(diopiStreamHandle_t stream) {
  (void)stream;
  return 0;
}
static int device_fails; /* the work of the last call did not succeed */
static int32_t synchronize(diopiStreamHandle_t stream) {
  const int fails = device_fails;
  (void)stream;
  if (FAULT != kLosesTheDevice) device_fails = 0;
  last_error = fails ? "illegal access" : last_error;
  return fails;
}
static void* device_malloc(uint64_t bytes) { return malloc(bytes); }
static int32_t copy(diopiStreamHandle_t stream, void* dst, const void* src, uint64_t bytes) {
  (void)stream;
  memcpy(dst, src, bytes);
  return 0;
}

int32_t initLibrary(void) {
  diopiRegisterStreamCreateFunc(create_stream);
  diopiRegisterStreamDestroyFunc(do_nothing);
  diopiRegisterSynchronizeStreamFunc(synchronize);
  diopiRegisterGetLastErrorFunc(diopiGetLastErrorString);
  diopiRegisterDeviceMallocFunc(device_malloc);
  diopiRegisterDevMemFreeFunc(free);
  diopiRegisterMemcpyH2DAsyncFunc(copy);
  diopiRegisterMemcpyD2HAsyncFunc(copy);
  diopiRegisterMemcpyD2DAsyncFunc(copy);
  return 0;
}
int32_t finalizeLibrary(void) { return 0; }

static int64_t place(int64_t index, diopiSize_t shape, diopiSize_t stride) {
  int64_t offset = 0;
  for (int64_t d = shape.len - 1; d >= 0; --d) {
    offset += index % shape.data[d] * (FAULT == kIgnoredStride ? 0 : stride.data[d]);
    index /= shape.data[d];
  }
  return offset;
}

static int same_shape(diopiSize_t a, diopiSize_t b) {
  return a.len == b.len && memcmp(a.data, b.data, a.len * sizeof(int64_t)) == 0;
}

static int is_float(diopiConstTensorHandle_t tensor) {
  diopiDtype_t dtype = diopi_dtype_unsupported;
  return diopiGetTensorDtype(tensor, &dtype) == diopiSuccess && dtype == diopi_dtype_float32;
}

static diopiError_t refuse(float* out) {
  last_error =
      FAULT == kWrongMessage ? "no" : "diopiSub: input of shape [3, 4] and other of shape [3, 5] do not broadcast";
  if (FAULT == kWritesThenFails) out[0] = 0;
  return FAULT == kSilentError ? diopiSuccess : diopiErrorOccurred;
}

diopiError_t diopiSub(diopiContextHandle_t ctx, diopiTensorHandle_t out, diopiConstTensorHandle_t input,
                      diopiConstTensorHandle_t other, const diopiScalar_t* alpha) {
  diopiSize_t shape, other_shape, out_shape, strides[3];
  const void *a, *b;
  void* o;
  (void)ctx;
  (void)alpha;
  /* Refuses other tensors, so that the only fault is the selected one, and no result of wrong reads. */
  if (!is_float(out) || !is_float(input) || !is_float(other)) {
    last_error = "diopiSub: a tensor is none of float32";
    return diopiDtypeNotSupported;
  }
  diopiGetTensorShape(input, &shape);
  diopiGetTensorShape(out, &out_shape);
  diopiGetTensorShape(other, &other_shape);
  diopiGetTensorStride(out, &strides[0]);
  diopiGetTensorStride(input, &strides[1]);
  diopiGetTensorStride(other, &strides[2]);
  diopiGetTensorData(out, &o);
  diopiGetTensorDataConst(input, &a);
  diopiGetTensorDataConst(other, &b);
  float* to = (float*)o;
  if (!same_shape(shape, other_shape) || !same_shape(shape, out_shape)) {
    return refuse(to);
  }
  if (FAULT == kRefuses) {
    last_error = "diopiSub: input has dtype float32";
    return diopiDtypeNotSupported;
  }
  if (FAULT == kCrash) abort();
  device_fails = FAULT == kFailsLate || FAULT == kLosesTheDevice;
  while (FAULT == kHang) continue;
  int64_t numel = 1;
  for (int64_t d = 0; d < shape.len; ++d) numel *= shape.data[d];
  for (int64_t i = 0; i < numel - (FAULT == kUnwrittenTail); ++i) {
    const float x = ((const float*)a)[FAULT == kIgnoredStride ? i : place(i, shape, strides[1])];
    const float y = ((const float*)b)[FAULT == kIgnoredStride ? i : place(i, shape, strides[2])];
    const float result = FAULT == kSwappedArguments ? y - x : x - y;
    to[FAULT == kIgnoredStride ? i : place(i, shape, strides[0])] =
        FAULT == kWrongValue && i == 7 ? 1.001f * result : result;
  }
  if (FAULT == kPastTheEnd) to[place(numel - 1, shape, strides[0]) + 1] = 0;
  if (FAULT == kReadPastTheEnd) to[0] += 0 * ((const float*)b)[place(numel - 1, shape, strides[2]) + 1];
  if (FAULT == kInputModified) ((float*)b)[0] = 0;
  return diopiSuccess;
}

diopiError_t diopiEqual(diopiContextHandle_t ctx, bool* out, diopiConstTensorHandle_t input,
                        diopiConstTensorHandle_t other) {
  const void *a, *b;
  int64_t numel;
  (void)ctx;
  diopiGetTensorNumel(input, &numel);
  diopiGetTensorDataConst(input, &a);
  diopiGetTensorDataConst(other, &b);
  *out = (memcmp(a, b, (size_t)numel * sizeof(float)) == 0) != (FAULT == kWrongValue);
  return diopiSuccess;
}

diopiError_t diopiSpMM(diopiContextHandle_t ctx, diopiTensorHandle_t out, diopiConstTensorHandle_t input,
                       diopiConstTensorHandle_t mat2) {
  diopiConstTensorHandle_t columns;
  const void* at;
  (void)ctx;
  (void)out;
  (void)mat2;
  diopiGetTensorColIndices(input, &columns);
  diopiGetTensorDataConst(columns, &at);
  ((int32_t*)at)[0] = 7;
  return diopiSuccess;
}
