/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A C99 program that uses the whole interface. It is built twice: with the headers of DIOPI, and, with
 * DIOPI_ABI_DECLARED, with declarations that were generated from the recorded interface. Both programs must link, find
 * the same operators as the dynamic linker, and get right results with every kind of parameter.
 */
#define _POSIX_C_SOURCE 200112L

#ifdef DIOPI_ABI_DECLARED
#include "abi_declarations.h"
#else
#include <diopi/diopi_register.h>
#include <diopi/diopirt.h>
#include <diopi/functions.h>
#include <diopi/functions_ext.h>
#include <diopi/functions_lmdeploy.h>
#include <diopi/functions_mmcv.h>
#include <diopi/functions_sparse.h>
#endif

#include <dlfcn.h>
#include <string.h>

#include "abi_host.h"
#include "abi_operators.h"

typedef void (*any_function_t)(void);
typedef struct {
  const char* name;
  any_function_t address;
} operator_t;

#define ROW(name) {#name, (any_function_t)name},
static const operator_t kOperators[] = {DIOPI_ABI_OPERATORS(ROW)};

/* Checks that every declared operator has the address that the dynamic linker finds, or is absent in both. */
static int check_addresses(void) {
  const size_t total = sizeof(kOperators) / sizeof(kOperators[0]);
  size_t present = 0, i;
  void* program = dlopen(NULL, RTLD_NOW);
  CHECK(program != NULL);
  for (i = 0; i < total; ++i) {
    void* found = dlsym(program, kOperators[i].name);
    if (memcmp(&found, &kOperators[i].address, sizeof(found)) != 0) {
      fprintf(stderr, "%s is not where the dynamic linker finds it\n", kOperators[i].name);
      return 1;
    }
    present += found != NULL;
  }
  dlclose(program);
  printf("%zu of %zu operators are present\n", present, total);
  CHECK(total == 541);
  CHECK(present > 0);
  return 0;
}

static diopiScalar_t scalar(double value) {
  diopiScalar_t result;
  result.stype = diopi_dtype_float32;
  result.fval = value;
  return result;
}

static diopiSize_t size_of(const int64_t* data, int64_t len) {
  diopiSize_t result;
  result.data = data;
  result.len = len;
  return result;
}

/* The tensors of the calls below: [2, 3] float32 x, y and out; one row of sums; one row of positions. */
typedef struct {
  diopiContextHandle_t ctx;
  diopiTensorHandle_t x, y, out, sums, positions;
} state_t;

static int same(state_t* s, diopiTensorHandle_t tensor, const float* expected, size_t count) {
  float got[6];
  CHECK(diopirtCopyToHost(s->ctx, tensor, got, count * sizeof(float)) == diopiSuccess);
  CHECK(memcmp(got, expected, count * sizeof(float)) == 0);
  return 0;
}

static int check_elementwise(state_t* s) {
  const float added[] = {21, 42, 63, 84, 105, 126}, floored[] = {0, 1, 1, 2, 2, 3}, limited[] = {3, 3, 3, 4, 5, 6};
  const diopiScalar_t two = scalar(2), three = scalar(3);
  /* a pointer to a struct, an enum, null pointers */
  CHECK(diopiAdd(s->ctx, s->out, s->x, s->y, &two) == diopiSuccess);
  CHECK(same(s, s->out, added, 6) == 0);
  CHECK(diopiDivScalar(s->ctx, s->out, s->x, &two, RoundModeFloor) == diopiSuccess);
  CHECK(same(s, s->out, floored, 6) == 0);
  CHECK(diopiClampScalar(s->ctx, s->out, s->x, &three, NULL) == diopiSuccess);
  CHECK(same(s, s->out, limited, 6) == 0);
  return 0;
}

static int check_reductions(state_t* s) {
  const float sums[] = {6, 15};
  const int64_t axis[] = {1}, dim = 1;
  int64_t positions[2];
  /* a struct by value, a pointer to an integer, a bool */
  CHECK(diopiSum(s->ctx, s->sums, s->x, size_of(axis, 1)) == diopiSuccess);
  CHECK(same(s, s->sums, sums, 2) == 0);
  CHECK(diopiArgmax(s->ctx, s->positions, s->x, &dim, false) == diopiSuccess);
  CHECK(diopirtCopyToHost(s->ctx, s->positions, positions, sizeof(positions)) == diopiSuccess);
  CHECK(positions[0] == 2 && positions[1] == 2);
  return 0;
}

/* Checks that a failing call returns its code and message and leaves the output unchanged. */
static int check_failure(state_t* s) {
  const float before[] = {3, 3, 3, 4, 5, 6};
  CHECK(diopiSoftmax(s->ctx, s->out, s->x, 7) == diopiErrorOccurred);
  CHECK(strstr(diopiGetLastErrorString(), "diopiSoftmax") != NULL);
  CHECK(diopiAdd(s->ctx, s->out, NULL, s->y, NULL) != diopiSuccess);
  CHECK(same(s, s->out, before, 6) == 0);
  return 0;
}

static int check_runtime(state_t* s) {
  diopiSize_t shape;
  diopiDtype_t dtype;
  diopiDevice_t device;
  int64_t numel;
  CHECK(diopiGetTensorShape(s->x, &shape) == diopiSuccess && shape.len == 2 && shape.data[1] == 3);
  CHECK(diopiGetTensorDtype(s->x, &dtype) == diopiSuccess && dtype == diopi_dtype_float32);
  CHECK(diopiGetTensorDevice(s->x, &device) == diopiSuccess && device == diopi_device);
  CHECK(diopiGetTensorNumel(s->x, &numel) == diopiSuccess && numel == 6);
  CHECK(diopiGetVersion() != NULL && diopiGetVendorName() != NULL && diopiGetImplVersion() != NULL);
  return 0;
}

int main(void) {
  const float x[] = {1, 2, 3, 4, 5, 6}, y[] = {10, 20, 30, 40, 50, 60};
  const int64_t matrix[] = {2, 3}, row[] = {2};
  state_t s;
  CHECK(check_addresses() == 0);
  CHECK(initLibrary() == 0);
  CHECK(diopirtCreateContext(NULL, &s.ctx) == diopiSuccess);
  CHECK(diopirtCreateTensor(s.ctx, size_of(matrix, 2), NULL, diopi_dtype_float32, diopi_device, &s.x) == 0);
  CHECK(diopirtCreateTensor(s.ctx, size_of(matrix, 2), NULL, diopi_dtype_float32, diopi_device, &s.y) == 0);
  CHECK(diopirtCreateTensor(s.ctx, size_of(matrix, 2), NULL, diopi_dtype_float32, diopi_device, &s.out) == 0);
  CHECK(diopirtCreateTensor(s.ctx, size_of(row, 1), NULL, diopi_dtype_float32, diopi_device, &s.sums) == 0);
  CHECK(diopirtCreateTensor(s.ctx, size_of(row, 1), NULL, diopi_dtype_int64, diopi_device, &s.positions) == 0);
  CHECK(diopirtCopyFromHost(s.ctx, s.x, x, sizeof(x)) == diopiSuccess);
  CHECK(diopirtCopyFromHost(s.ctx, s.y, y, sizeof(y)) == diopiSuccess);
  CHECK(check_elementwise(&s) == 0 && check_failure(&s) == 0);
  CHECK(check_reductions(&s) == 0 && check_runtime(&s) == 0);
  CHECK(diopirtReleaseTensor(s.x) == 0 && diopirtReleaseTensor(s.y) == 0 && diopirtReleaseTensor(s.out) == 0);
  CHECK(diopirtReleaseTensor(s.sums) == 0 && diopirtReleaseTensor(s.positions) == 0);
  CHECK(diopirtDestroyContext(s.ctx) == diopiSuccess);
  return finalizeLibrary();
}
