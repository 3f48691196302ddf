/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A C99 program that includes no header of DIOPI. It declares everything that it uses by hand, like the object code of
 * a program that was compiled with the headers of DIOPI 1.0. It must link and run with today's library.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

typedef enum { diopiSuccess = 0, diopiErrorOccurred = 1, diopiDtypeNotSupported = 1000 } diopiError_t;
typedef enum { diopi_host = 0, diopi_device = 1 } diopiDevice_t;
typedef enum { diopi_dtype_int32 = 4, diopi_dtype_int64 = 6, diopi_dtype_float32 = 9 } diopiDtype_t;

typedef struct diopiContext* diopiContextHandle_t;
typedef struct diopiTensor* diopiTensorHandle_t;
typedef const struct diopiTensor* diopiConstTensorHandle_t;

typedef struct {
  const int64_t* data;
  int64_t len;
} diopiSize_t;

/* Before C11 a union needs a name; the layout is the same. */
typedef struct {
  diopiDtype_t stype;
  union {
    double fval;
    int64_t ival;
  } value;
} diopiScalar_t;

int32_t initLibrary(void);
int32_t finalizeLibrary(void);
const char* diopiGetVendorName(void);
const char* diopiGetLastErrorString(void);
diopiError_t diopiAddScalar(diopiContextHandle_t ctx, diopiTensorHandle_t out, diopiConstTensorHandle_t input,
                            const diopiScalar_t* other, const diopiScalar_t* alpha);
diopiError_t diopiMean(diopiContextHandle_t ctx, diopiTensorHandle_t out, diopiConstTensorHandle_t input,
                       diopiSize_t dim);
diopiError_t diopiMax(diopiContextHandle_t ctx, diopiTensorHandle_t max, diopiTensorHandle_t max_indices,
                      diopiConstTensorHandle_t input, int64_t dim);
diopiError_t diopiGetTensorNumel(diopiConstTensorHandle_t th, int64_t* numel);
diopiError_t diopiGetTensorElemSize(diopiConstTensorHandle_t th, int64_t* itemsize);

#include "abi_host.h"

static diopiTensorHandle_t tensor(diopiContextHandle_t ctx, const int64_t* sizes, int64_t dims, diopiDtype_t dtype) {
  const diopiSize_t shape = {sizes, dims};
  diopiTensorHandle_t result = NULL;
  return diopirtCreateTensor(ctx, shape, NULL, dtype, diopi_device, &result) == diopiSuccess ? result : NULL;
}

/* Calls with integer and floating point scalars, a list by value, two outputs, an index tensor; and a failing call. */
static int check_calls(diopiContextHandle_t ctx, diopiTensorHandle_t x, diopiTensorHandle_t out,
                       diopiTensorHandle_t mean, diopiTensorHandle_t largest, diopiTensorHandle_t where_largest) {
  const diopiSize_t rows = {(const int64_t[]){0}, 1};
  diopiScalar_t ten = {diopi_dtype_int64, {0}}, half = {diopi_dtype_float32, {0}};
  float numbers[4], means[2];
  int64_t indices[2], count = 0, bytes = 0;
  ten.value.ival = 10;
  half.value.fval = 0.5;
  CHECK(diopiAddScalar(ctx, out, x, &ten, &half) == diopiSuccess);
  CHECK(diopirtCopyToHost(ctx, out, numbers, sizeof(numbers)) == diopiSuccess);
  CHECK(numbers[0] == 6 && numbers[1] == 3 && numbers[2] == 8 && numbers[3] == 9);
  CHECK(diopiMean(ctx, mean, x, rows) == diopiSuccess);
  CHECK(diopirtCopyToHost(ctx, mean, means, sizeof(means)) == diopiSuccess);
  CHECK(means[0] == 2 && means[1] == 1);
  CHECK(diopiMax(ctx, largest, where_largest, x, -1) == diopiSuccess);
  CHECK(diopirtCopyToHost(ctx, where_largest, indices, sizeof(indices)) == diopiSuccess);
  CHECK(indices[0] == 0 && indices[1] == 1);
  CHECK(diopiMax(ctx, largest, where_largest, x, 2) == diopiErrorOccurred);
  CHECK(strstr(diopiGetLastErrorString(), "diopiMax") != NULL);
  CHECK(diopiGetTensorNumel(x, &count) == diopiSuccess && count == 4);
  CHECK(diopiGetTensorElemSize(where_largest, &bytes) == diopiSuccess && bytes == 8);
  return 0;
}

int main(void) {
  const int64_t square[] = {2, 2}, row[] = {2};
  const float values[] = {1, -2, 3, 4};
  diopiContextHandle_t ctx;
  diopiTensorHandle_t tensors[5];
  int i;
  CHECK(initLibrary() == 0);
  CHECK(diopiGetVendorName() != NULL && strlen(diopiGetVendorName()) > 0);
  CHECK(diopirtCreateContext(NULL, &ctx) == diopiSuccess);
  tensors[0] = tensor(ctx, square, 2, diopi_dtype_float32);
  tensors[1] = tensor(ctx, square, 2, diopi_dtype_float32);
  tensors[2] = tensor(ctx, row, 1, diopi_dtype_float32);
  tensors[3] = tensor(ctx, row, 1, diopi_dtype_float32);
  tensors[4] = tensor(ctx, row, 1, diopi_dtype_int64);
  CHECK(diopirtCopyFromHost(ctx, tensors[0], values, sizeof(values)) == diopiSuccess);
  CHECK(check_calls(ctx, tensors[0], tensors[1], tensors[2], tensors[3], tensors[4]) == 0);
  for (i = 0; i < 5; ++i) CHECK(diopirtReleaseTensor(tensors[i]) == diopiSuccess);
  CHECK(diopirtDestroyContext(ctx) == diopiSuccess);
  return finalizeLibrary();
}
