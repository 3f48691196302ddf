/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A program with its own runtime, which defines only the functions of diopirt.h, like the runtimes of DIOPI 1.0.
 * Without an argument it calls the vendor's library that it is linked with. With the path of a library it opens that
 * library with RTLD_NOW, like Python's import, and calls it.
 */
#define _POSIX_C_SOURCE 200112L

#include <diopi/diopi_register.h>
#include <diopi/diopirt.h>
#include <diopi/functions.h>
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_DIMS 8
#define MAX_TEMPORARIES 64

struct diopiTensor {
  void* data;
  int64_t shape[MAX_DIMS], stride[MAX_DIMS], dims, numel, itemsize;
  diopiDtype_t dtype;
};

struct diopiContext {
  struct diopiTensor* temporaries[MAX_TEMPORARIES];
  int count;
};

struct diopiGenerator {
  uint64_t seed, offset;
};

static int64_t size_of_dtype(diopiDtype_t dtype) {
  switch (dtype) {
    case diopi_dtype_int8:
    case diopi_dtype_uint8:
    case diopi_dtype_bool:
      return 1;
    case diopi_dtype_int16:
    case diopi_dtype_uint16:
    case diopi_dtype_float16:
    case diopi_dtype_bfloat16:
      return 2;
    case diopi_dtype_int32:
    case diopi_dtype_uint32:
    case diopi_dtype_float32:
      return 4;
    case diopi_dtype_complex128:
      return 16;
    default:
      return 8;
  }
}

static diopiError_t make_tensor(struct diopiTensor* t, const diopiSize_t* size, const diopiSize_t* stride,
                                diopiDtype_t dtype) {
  int64_t i;
  if (size->len > MAX_DIMS) return diopiErrorOccurred;
  t->dims = size->len;
  t->dtype = dtype;
  t->itemsize = size_of_dtype(dtype);
  t->numel = 1;
  for (i = t->dims - 1; i >= 0; --i) {
    t->shape[i] = size->data[i];
    t->stride[i] = stride != NULL ? stride->data[i] : t->numel;
    t->numel *= size->data[i];
  }
  t->data = malloc((size_t)(t->numel * t->itemsize) + 1);
  return t->data != NULL ? diopiSuccess : diopiErrorOccurred;
}

/* ---- The functions of diopirt.h -------------------------------------------------------------------------------- */

const char* diopiGetVersion(void) { return "minimal"; }

diopiError_t diopiGetTensorData(diopiTensorHandle_t th, void** data) {
  *data = th->data;
  return diopiSuccess;
}

diopiError_t diopiGetTensorDataConst(diopiConstTensorHandle_t th, const void** data) {
  *data = th->data;
  return diopiSuccess;
}

diopiError_t diopiGetTensorShape(diopiConstTensorHandle_t th, diopiSize_t* size) {
  size->data = th->shape;
  size->len = th->dims;
  return diopiSuccess;
}

diopiError_t diopiGetTensorStride(diopiConstTensorHandle_t th, diopiSize_t* stride) {
  stride->data = th->stride;
  stride->len = th->dims;
  return diopiSuccess;
}

diopiError_t diopiGetTensorDtype(diopiConstTensorHandle_t th, diopiDtype_t* dtype) {
  *dtype = th->dtype;
  return diopiSuccess;
}

diopiError_t diopiGetTensorDevice(diopiConstTensorHandle_t th, diopiDevice_t* device) {
  (void)th;
  *device = diopi_device;
  return diopiSuccess;
}

diopiError_t diopiGetTensorNumel(diopiConstTensorHandle_t th, int64_t* numel) {
  *numel = th->numel;
  return diopiSuccess;
}

diopiError_t diopiGetTensorElemSize(diopiConstTensorHandle_t th, int64_t* itemsize) {
  *itemsize = th->itemsize;
  return diopiSuccess;
}

diopiError_t diopiGetTensorStoragePtr(diopiConstTensorHandle_t th, void** storage) {
  *storage = th->data;
  return diopiSuccess;
}

diopiError_t diopiGetTensorStorageOffset(diopiConstTensorHandle_t th, int64_t* offset) {
  (void)th;
  *offset = 0;
  return diopiSuccess;
}

diopiError_t diopiGetTensorStorageNbytes(diopiConstTensorHandle_t th, size_t* bytes) {
  *bytes = (size_t)(th->numel * th->itemsize);
  return diopiSuccess;
}

diopiError_t diopiGetTensorDeviceIndex(diopiConstTensorHandle_t th, diopiDeviceIndex_t* index) {
  (void)th;
  *index = 0;
  return diopiSuccess;
}

diopiError_t diopiGetTensorCrowIndices(diopiConstTensorHandle_t th, diopiConstTensorHandle_t* crow_indices) {
  (void)th;
  (void)crow_indices;
  return diopiErrorOccurred;
}

diopiError_t diopiGetTensorColIndices(diopiConstTensorHandle_t th, diopiConstTensorHandle_t* col_indices) {
  (void)th;
  (void)col_indices;
  return diopiErrorOccurred;
}

diopiError_t diopiGetTensorValues(diopiConstTensorHandle_t th, diopiConstTensorHandle_t* values) {
  (void)th;
  (void)values;
  return diopiErrorOccurred;
}

diopiError_t diopiIsTensorSparse(diopiConstTensorHandle_t th, bool* is_sparse) {
  (void)th;
  *is_sparse = false;
  return diopiSuccess;
}

diopiError_t diopiGetCurrentDeviceIndex(diopiDeviceIndex_t* index) {
  *index = 0;
  return diopiSuccess;
}

diopiError_t diopiGetStream(diopiContextHandle_t ctx, diopiStreamHandle_t* stream) {
  (void)ctx;
  *stream = NULL;
  return diopiSuccess;
}

diopiError_t diopiRequireTensor(diopiContextHandle_t ctx, diopiTensorHandle_t* tensor, const diopiSize_t* size,
                                const diopiSize_t* stride, const diopiDtype_t dtype, const diopiDevice_t device) {
  struct diopiTensor* made = ctx->count < MAX_TEMPORARIES ? malloc(sizeof(*made)) : NULL;
  (void)device;
  if (made == NULL) return diopiErrorOccurred;
  if (make_tensor(made, size, stride, dtype) != diopiSuccess) {
    free(made);
    return diopiErrorOccurred;
  }
  *tensor = ctx->temporaries[ctx->count++] = made;
  return diopiSuccess;
}

diopiError_t diopiRequireBuffer(diopiContextHandle_t ctx, diopiTensorHandle_t* tensor, int64_t num_bytes,
                                diopiDevice_t device) {
  diopiSize_t size;
  size.data = &num_bytes;
  size.len = 1;
  return diopiRequireTensor(ctx, tensor, &size, NULL, diopi_dtype_uint8, device);
}

diopiError_t diopiGeneratorGetState(diopiContextHandle_t ctx, diopiConstGeneratorHandle_t th,
                                    diopiTensorHandle_t* data) {
  const diopiError_t code = diopiRequireBuffer(ctx, data, (int64_t)sizeof(*th), diopi_host);
  if (code == diopiSuccess) memcpy((*data)->data, th, sizeof(*th));
  return code;
}

diopiError_t diopiGeneratorSetState(diopiGeneratorHandle_t th, diopiConstTensorHandle_t state) {
  memcpy(th, state->data, sizeof(*th));
  return diopiSuccess;
}

diopiError_t diopiGeneratorGetSeedAndOffset(diopiGeneratorHandle_t th, uint64_t* seed, uint64_t* offset) {
  *seed = th->seed;
  *offset = th->offset;
  return diopiSuccess;
}

diopiError_t diopiGeneratorSetSeedAndOffset(diopiGeneratorHandle_t th, uint64_t seed, uint64_t offset) {
  th->seed = seed;
  th->offset = offset;
  return diopiSuccess;
}

diopiError_t diopiRecordStart(const char* record_name, void** record) {
  *record = NULL;
  return record_name != NULL ? diopiSuccess : diopiErrorOccurred;
}

diopiError_t diopiRecordEnd(void** record) {
  (void)record;
  return diopiSuccess;
}

/* ---- The program ----------------------------------------------------------------------------------------------- */

#define CHECK(condition)                                                      \
  do {                                                                        \
    if (!(condition)) {                                                       \
      fprintf(stderr, "%s:%d: not so: %s\n", __FILE__, __LINE__, #condition); \
      return 1;                                                               \
    }                                                                         \
  } while (0)

/* The operators that the program calls. They are from the library that it is linked with or has opened. */
typedef struct {
  int32_t (*init)(void);
  int32_t (*finalize)(void);
  const char* (*vendor)(void);
  const char* (*last_error)(void);
  diopiError_t (*add)(diopiContextHandle_t, diopiTensorHandle_t, diopiConstTensorHandle_t, diopiConstTensorHandle_t,
                      const diopiScalar_t*);
  diopiError_t (*sort)(diopiContextHandle_t, diopiTensorHandle_t, diopiTensorHandle_t, diopiConstTensorHandle_t,
                       int64_t, bool, const bool*);
  diopiError_t (*softmax)(diopiContextHandle_t, diopiTensorHandle_t, diopiConstTensorHandle_t, int64_t);
  diopiError_t (*nonzero)(diopiContextHandle_t, diopiTensorHandle_t*, diopiConstTensorHandle_t);
  diopiError_t (*uniform)(diopiContextHandle_t, diopiTensorHandle_t, double, double, diopiGeneratorHandle_t);
} calls_t;

#ifdef DIOPI_OPENED
static int find(void* library, const char* name, void* function) {
  void* const address = dlsym(library, name);
  if (address == NULL) {
    fprintf(stderr, "the library has no %s\n", name);
    return 1;
  }
  memcpy(function, &address, sizeof(address));
  return 0;
}

static int find_calls(const char* path, calls_t* calls) {
  void* const library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (library == NULL) {
    fprintf(stderr, "%s\n", dlerror());
    return 1;
  }
  return find(library, "initLibrary", &calls->init) || find(library, "finalizeLibrary", &calls->finalize) ||
         find(library, "diopiGetVendorName", &calls->vendor) ||
         find(library, "diopiGetLastErrorString", &calls->last_error) || find(library, "diopiAdd", &calls->add) ||
         find(library, "diopiSort", &calls->sort) || find(library, "diopiSoftmax", &calls->softmax) ||
         find(library, "diopiNonzero", &calls->nonzero) || find(library, "diopiUniformInp", &calls->uniform);
}
#else
static int find_calls(const char* path, calls_t* calls) {
  const calls_t linked = {initLibrary, finalizeLibrary, diopiGetVendorName, diopiGetLastErrorString, diopiAdd,
                          diopiSort,   diopiSoftmax,    diopiNonzero,       diopiUniformInp};
  (void)path;
  *calls = linked;
  return 0;
}
#endif

static int check_results(const calls_t* calls) {
  const int64_t shape[] = {4};
  diopiSize_t size;
  struct diopiContext ctx;
  struct diopiTensor x, y, indices;
  struct diopiTensor* positions = NULL;
  struct diopiGenerator generator = {7, 0};
  const float values[] = {3, 0, 2, 1}, sum[] = {6, 0, 4, 2}, sorted[] = {0, 1, 2, 3};
  const diopiScalar_t one = {diopi_dtype_int64, {.ival = 1}};
  int i;
  ctx.count = 0;
  size.data = shape;
  size.len = 1;
  CHECK(make_tensor(&x, &size, NULL, diopi_dtype_float32) == diopiSuccess);
  CHECK(make_tensor(&y, &size, NULL, diopi_dtype_float32) == diopiSuccess);
  CHECK(make_tensor(&indices, &size, NULL, diopi_dtype_int64) == diopiSuccess);
  memcpy(x.data, values, sizeof(values));
  CHECK(calls->add(&ctx, &y, &x, &x, &one) == diopiSuccess);
  CHECK(memcmp(y.data, sum, sizeof(sum)) == 0);
  CHECK(calls->sort(&ctx, &y, &indices, &x, 0, false, NULL) == diopiSuccess); /* needs memory of the runtime */
  CHECK(memcmp(y.data, sorted, sizeof(sorted)) == 0);
  CHECK(calls->nonzero(&ctx, &positions, &x) == diopiSuccess && positions->shape[0] == 3);
  CHECK(calls->uniform(&ctx, &y, 0.0, 1.0, &generator) == diopiSuccess && generator.offset > 0);
  CHECK(calls->softmax(&ctx, &y, &x, 5) == diopiErrorOccurred);
  CHECK(strncmp(calls->last_error(), "diopiSoftmax: dim = 5", 21) == 0);
  for (i = 0; i < ctx.count; ++i) {
    free(ctx.temporaries[i]->data);
    free(ctx.temporaries[i]);
  }
  free(x.data);
  free(y.data);
  free(indices.data);
  return 0;
}

int main(int argc, char** argv) {
  calls_t calls;
  CHECK(find_calls(argc > 1 ? argv[1] : "", &calls) == 0);
  CHECK(calls.init() == 0);
  CHECK(strstr(calls.vendor(), "Device") != NULL); /* programs for DIOPI 1.0 look for this word */
  CHECK(check_results(&calls) == 0);
  return calls.finalize();
}
