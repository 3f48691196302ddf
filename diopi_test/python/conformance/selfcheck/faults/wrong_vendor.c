/* SPDX-License-Identifier: BSD-3-Clause */
/* A vendor's library that forwards every call to the right library. The other files add the faults of operators. */
#include "wrong.h"

#include <dlfcn.h>
#include <stdio.h>

const char* chosen_fault = "";
static void* right;

void* right_function(const char* name) {
  void* found = dlsym(right, name);
  if (found == NULL) {
    fprintf(stderr, "the right library has no %s\n", name);
    abort();
  }
  return found;
}

int32_t initLibrary(void) {
  const char* fault = getenv("DIOPI_FAULT");
  const char* path = getenv("DIOPI_RIGHT_LIBRARY");
  chosen_fault = fault != NULL ? fault : "";
  right = path != NULL ? dlopen(path, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE) : NULL;
  return right != NULL ? ((int32_t(*)(void))right_function("initLibrary"))() : 1;
}

int32_t finalizeLibrary(void) { return ((int32_t(*)(void))right_function("finalizeLibrary"))(); }

const char* diopiGetVendorName(void) { return "wrong"; }

/* Returns the message with `input` replaced by `other` and `other` by `input`. */
static const char* with_neighbours_swapped(const char* message) {
  static char swapped[1024];
  size_t length = 0;
  while (*message != '\0' && length + 1 < sizeof(swapped)) {
    const char* word = strncmp(message, "input", 5) == 0 ? "other" : strncmp(message, "other", 5) == 0 ? "input" : NULL;
    length += snprintf(swapped + length, sizeof(swapped) - length, "%.*s", word != NULL ? 5 : 1,
                       word != NULL ? word : message);
    message += word != NULL ? 5 : 1;
  }
  return swapped;
}

const char* diopiGetLastErrorString(void) {
  static char first[1024];
  const char* message = RIGHT(diopiGetLastErrorString)();
  if (FAULT("message_of_another_argument")) return "diopiSub: the argument is invalid";
  if (FAULT("no_message")) return "";
  if (FAULT("message_names_the_neighbour")) return with_neighbours_swapped(message);
  if (FAULT("first_message_for_ever")) {
    if (first[0] == '\0') snprintf(first, sizeof(first), "%s", message);
    return first;
  }
  return message;
}

View view(diopiConstTensorHandle_t tensor) {
  View v = {0};
  const void* data = NULL;
  if (tensor == NULL) return v;
  diopiGetTensorShape(tensor, &v.shape);
  diopiGetTensorStride(tensor, &v.stride);
  diopiGetTensorDtype(tensor, &v.dtype);
  diopiGetTensorNumel(tensor, &v.numel);
  diopiGetTensorElemSize(tensor, &v.itemsize);
  diopiGetTensorDataConst(tensor, &data);
  v.data = (char*)data;
  v.span = v.numel > 0;
  for (int64_t d = 0; d < v.shape.len && v.numel > 0; ++d) v.span += (v.shape.data[d] - 1) * v.stride.data[d];
  return v;
}

void* at(const View* v, int64_t index) {
  int64_t offset = 0;
  for (int64_t d = v->shape.len - 1; d >= 0; --d) {
    offset += index % v->shape.data[d] * v->stride.data[d];
    index /= v->shape.data[d];
  }
  return v->data + offset * v->itemsize;
}

diopiTensorHandle_t zeros_like(diopiContextHandle_t ctx, diopiConstTensorHandle_t tensor, diopiDtype_t dtype) {
  const View v = view(tensor);
  diopiTensorHandle_t made = NULL;
  diopiRequireTensor(ctx, &made, &v.shape, NULL, dtype, diopi_device);
  const View m = view(made);
  if (m.numel > 0) memset(m.data, 0, m.numel * m.itemsize);
  return made;
}

diopiTensorHandle_t converted(diopiContextHandle_t ctx, diopiConstTensorHandle_t tensor, diopiDtype_t dtype) {
  diopiTensorHandle_t made = zeros_like(ctx, tensor, dtype);
  RIGHT(diopiCastDtype)(ctx, made, tensor);
  return made;
}

diopiTensorHandle_t reread(diopiContextHandle_t ctx, diopiConstTensorHandle_t tensor, const void* data) {
  const View v = view(tensor);
  diopiTensorHandle_t made = zeros_like(ctx, tensor, v.dtype);
  if (v.numel > 0) memcpy(view(made).data, data, (v.span < v.numel ? v.span : v.numel) * v.itemsize);
  return made;
}
