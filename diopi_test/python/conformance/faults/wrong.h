/* SPDX-License-Identifier: BSD-3-Clause */
/* What the faults share: the right library, and tensors seen as memory. */
#ifndef CONFORMANCE_FAULTS_WRONG_H_
#define CONFORMANCE_FAULTS_WRONG_H_

#include <diopi/functions.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The same function of the right library, with the type that the contract gives it. */
#define RIGHT(name) ((__typeof__(&name))right_function(#name))

/* Whether this run is about that fault. */
#define FAULT(name) (strcmp(chosen_fault, name) == 0)

extern const char* chosen_fault;

void* right_function(const char* name);

typedef struct {
  diopiSize_t shape, stride;
  diopiDtype_t dtype;
  int64_t numel, itemsize;
  int64_t span; /* elements from the first to the last one in memory */
  char* data;
} View;

View view(diopiConstTensorHandle_t tensor);

/* Address of an element, counted in row-major order. */
void* at(const View* v, int64_t index);

/* A new contiguous tensor of the same shape, contents zero. */
diopiTensorHandle_t zeros_like(diopiContextHandle_t ctx, diopiConstTensorHandle_t tensor, diopiDtype_t dtype);

/* A contiguous copy, with another dtype where asked. */
diopiTensorHandle_t converted(diopiContextHandle_t ctx, diopiConstTensorHandle_t tensor, diopiDtype_t dtype);

/* A contiguous tensor of the same shape whose elements lie behind each other in memory from `data` on. */
diopiTensorHandle_t reread(diopiContextHandle_t ctx, diopiConstTensorHandle_t tensor, const void* data);

#endif
