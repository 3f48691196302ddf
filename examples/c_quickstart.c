/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The smallest program with DIOPI: adds two tensors with the vendor's library that this program is linked with.
 * Prints: 11 22 33 44
 */
#include <diopi/functions.h>
#include <diopirt_host.h>
#include <stdio.h>

static int failed(const char* what) {
  fprintf(stderr, "%s failed: %s %s\n", what, diopiGetLastErrorString(), diopirtGetLastErrorString());
  return 1;
}

int main(void) {
  const int64_t sizes[] = {2, 2};
  const diopiSize_t shape = {sizes, 2};
  const float a[] = {1, 2, 3, 4}, b[] = {10, 20, 30, 40};
  float sum[4];
  diopiScalar_t one;
  diopiContextHandle_t ctx;
  diopiTensorHandle_t x, y, out;
  int i;

  /* The library registers its functions for memory and streams with the runtime. A context represents a stream of work.
   */
  if (initLibrary() != 0 || diopirtCreateContext(NULL, &ctx) != diopiSuccess) return failed("start");

  if (diopirtCreateTensor(ctx, shape, NULL, diopi_dtype_float32, diopi_device, &x) != diopiSuccess ||
      diopirtCreateTensor(ctx, shape, NULL, diopi_dtype_float32, diopi_device, &y) != diopiSuccess ||
      diopirtCreateTensor(ctx, shape, NULL, diopi_dtype_float32, diopi_device, &out) != diopiSuccess ||
      diopirtCopyFromHost(ctx, x, a, sizeof(a)) != diopiSuccess ||
      diopirtCopyFromHost(ctx, y, b, sizeof(b)) != diopiSuccess) {
    return failed("tensors");
  }

  one.stype = diopi_dtype_float32;
  one.fval = 1.0;
  if (diopiAdd(ctx, out, x, y, &one) != diopiSuccess) return failed("diopiAdd");

  if (diopirtCopyToHost(ctx, out, sum, sizeof(sum)) != diopiSuccess) return failed("copy");
  for (i = 0; i < 4; ++i) printf("%g%c", sum[i], i < 3 ? ' ' : '\n');

  diopirtReleaseTensor(x);
  diopirtReleaseTensor(y);
  diopirtReleaseTensor(out);
  diopirtDestroyContext(ctx);
  return finalizeLibrary();
}
