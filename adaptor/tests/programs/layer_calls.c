/* SPDX-License-Identifier: BSD-3-Clause */
/* Calls of operators for the tests of the layer: layer_calls COMMAND. */
#include <diopi/diopi_register.h>
#include <diopi/functions.h>
#include <diopirt_host.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static diopiContextHandle_t ctx;
static const diopiScalar_t one = {diopi_dtype_float32, {1.0}};

static void require(diopiError_t status, const char* what) {
  if (status == diopiSuccess) return;
  fprintf(stderr, "%s failed: %s %s\n", what, diopiGetLastErrorString(), diopirtGetLastErrorString());
  exit(1);
}

static diopiTensorHandle_t tensor(diopiDtype_t dtype, int64_t rows, int64_t columns) {
  const int64_t sizes[] = {rows, columns};
  const diopiSize_t shape = {sizes, 2};
  diopiTensorHandle_t made;
  require(diopirtCreateTensor(ctx, shape, NULL, dtype, diopi_device, &made), "diopirtCreateTensor");
  return made;
}

static diopiTensorHandle_t filled(int64_t rows, int64_t columns, float first) {
  const diopiTensorHandle_t made = tensor(diopi_dtype_float32, rows, columns);
  float* const values = malloc((size_t)(rows * columns) * sizeof(float));
  int64_t i;
  for (i = 0; i < rows * columns; ++i) values[i] = first + (float)i;
  require(diopirtCopyFromHost(ctx, made, values, (size_t)(rows * columns) * sizeof(float)), "diopirtCopyFromHost");
  free(values);
  return made;
}

static void print(diopiTensorHandle_t from, int n) {
  float values[16];
  int i;
  require(diopirtCopyToHost(ctx, from, values, (size_t)n * sizeof(float)), "diopirtCopyToHost");
  for (i = 0; i < n; ++i) printf("%g%c", (double)values[i], i + 1 < n ? ' ' : '\n');
}

static void add(int64_t rows, int64_t columns) {
  const diopiTensorHandle_t x = filled(rows, columns, 1), y = filled(rows, columns, 10);
  const diopiTensorHandle_t out = tensor(diopi_dtype_float32, rows, columns);
  require(diopiAdd(ctx, out, x, y, &one), "diopiAdd");
  print(out, rows * columns < 16 ? (int)(rows * columns) : 16);
  diopirtReleaseTensor(x);
  diopirtReleaseTensor(y);
  diopirtReleaseTensor(out);
}

static void add_scalars(void* tensors) {
  diopiTensorHandle_t* const given = tensors;
  diopiAdd(ctx, given[0], given[1], given[2], &one);
}

static void read_clock_twice(void* unused) {
  struct timespec time;
  (void)unused;
  clock_gettime(CLOCK_MONOTONIC, &time);
  clock_gettime(CLOCK_MONOTONIC, &time);
}

/* Prints the least time of a call in nanoseconds. */
static void print_least(void (*call)(void*), void* argument, int64_t calls) {
  double least = 1e30;
  int run;
  for (run = 0; run < 5; ++run) {
    struct timespec begin, end;
    double duration;
    int64_t i;
    clock_gettime(CLOCK_MONOTONIC, &begin);
    for (i = 0; i < calls; ++i) call(argument);
    clock_gettime(CLOCK_MONOTONIC, &end);
    duration = (double)(end.tv_sec - begin.tv_sec) * 1e9 + (double)(end.tv_nsec - begin.tv_nsec);
    if (duration / (double)calls < least) least = duration / (double)calls;
  }
  printf("%.1f\n", least);
}

static void loop(int64_t calls) {
  diopiTensorHandle_t tensors[] = {tensor(diopi_dtype_float32, 1, 1), filled(1, 1, 1), filled(1, 1, 10)};
  print_least(add_scalars, tensors, calls);
}

/* Calls that differ in the dtype only. */
static void dtypes(void) {
  const diopiDtype_t list[] = {diopi_dtype_float32, diopi_dtype_float64, diopi_dtype_int64, diopi_dtype_float32};
  size_t i;
  for (i = 0; i < sizeof(list) / sizeof(list[0]); ++i) {
    const diopiTensorHandle_t x = tensor(list[i], 2, 2);
    require(diopiNeg(ctx, x, x), "diopiNeg");
    diopirtReleaseTensor(x);
  }
}

/* A call with a shape that does not fit. */
static void mistake(void) {
  const diopiTensorHandle_t x = filled(2, 2, 1), y = filled(3, 3, 10), out = tensor(diopi_dtype_float32, 2, 2);
  const diopiError_t status = diopiAdd(ctx, out, x, y, &one);
  printf("%d %s\n", (int)status, status != diopiSuccess ? diopiGetLastErrorString() : "");
}

/* Infinities arise in the second call, and the third one reads them. */
static void infinities(void) {
  const diopiTensorHandle_t x = filled(2, 2, 1), zero = filled(2, 2, 0), out = tensor(diopi_dtype_float32, 2, 2);
  require(diopiMul(ctx, out, x, x), "diopiMul");
  require(diopiDiv(ctx, out, x, zero, RoundModeNone), "diopiDiv");
  require(diopiAdd(ctx, x, out, out, &one), "diopiAdd");
  print(x, 4);
}

/* A number beyond float16, a denormal and NaN. */
static void special(void) {
  const float values[] = {65504, 65505, 1e-40F, 0.0F / 0.0F};
  const diopiTensorHandle_t x = tensor(diopi_dtype_float32, 2, 2), out = tensor(diopi_dtype_float32, 2, 2);
  require(diopirtCopyFromHost(ctx, x, values, sizeof(values)), "diopirtCopyFromHost");
  require(diopiMul(ctx, out, x, x), "diopiMul");
}

/* The operator creates the result. */
static void created(void) {
  const diopiTensorHandle_t x = filled(2, 2, 1);
  diopiTensorHandle_t out = NULL;
  require(diopiNonzero(ctx, &out, x), "diopiNonzero");
}

/* A tensor is never released. */
static void leak(void) {
  add(2, 2);
  tensor(diopi_dtype_float32, 100, 10);
}

/* An argument lies in memory that was freed. */
static void use_after_free(void) {
  const diopiTensorHandle_t x = filled(64, 64, 1), out = filled(64, 64, 0);
  const int64_t sizes[] = {64, 64};
  const diopiSize_t shape = {sizes, 2};
  void* memory = NULL;
  diopiTensorHandle_t stale;
  require(diopiGetTensorData(x, &memory), "diopiGetTensorData");
  require(diopirtWrapMemory(ctx, memory, 64 * 64 * sizeof(float), shape, NULL, diopi_dtype_float32, diopi_device, NULL,
                            NULL, &stale),
          "diopirtWrapMemory");
  diopirtReleaseTensor(x);
  require(diopiAdd(ctx, out, stale, out, &one), "diopiAdd");
  diopirtReleaseTensor(stale);
  diopirtReleaseTensor(out);
}

/* The second call has a context that was destroyed. */
static void ended_context(void) {
  const diopiTensorHandle_t x = filled(2, 2, 1), out = tensor(diopi_dtype_float32, 2, 2);
  diopiContextHandle_t ended;
  require(diopirtCreateContext(NULL, &ended), "diopirtCreateContext");
  require(diopiAdd(ended, out, x, x, &one), "diopiAdd");
  diopirtDestroyContext(ended);
  diopiAdd(ended, out, x, x, &one);
}

/* Contexts one after another. */
static void contexts(void) {
  int i;
  for (i = 0; i < 20; ++i) {
    diopirtDestroyContext(ctx);
    require(diopirtCreateContext(NULL, &ctx), "diopirtCreateContext");
    add(2, 2);
  }
}

/* Writes a file after an observed call. */
static void write_file(void) {
  FILE* const file = tmpfile();
  int i;
  add(2, 2);
  for (i = 0; i < 100; ++i) fprintf(file, "a line of a file\n");
  fclose(file);
}

int main(int argc, char** argv) {
  const char* const command = argc > 1 ? argv[1] : "";
  if (initLibrary() != 0 || diopirtCreateContext(NULL, &ctx) != diopiSuccess) return 1;
  if (strcmp(command, "add") == 0) add(2, 2);
  if (strcmp(command, "shapes") == 0) {
    add(2, 2);
    add(2, 2);
    add(3, 4);
  }
  if (strcmp(command, "loop") == 0) loop(argc > 2 ? atoll(argv[2]) : 1000);
  if (strcmp(command, "clock") == 0) print_least(read_clock_twice, NULL, 10000);
  if (strcmp(command, "dtypes") == 0) dtypes();
  if (strcmp(command, "mistake") == 0) mistake();
  if (strcmp(command, "infinities") == 0) infinities();
  if (strcmp(command, "special") == 0) special();
  if (strcmp(command, "created") == 0) created();
  if (strcmp(command, "leak") == 0) leak();
  if (strcmp(command, "use_after_free") == 0) use_after_free();
  if (strcmp(command, "ended_context") == 0) ended_context();
  if (strcmp(command, "write") == 0) write_file();
  if (strcmp(command, "contexts") == 0) contexts();
  diopirtDestroyContext(ctx);
  return finalizeLibrary();
}
