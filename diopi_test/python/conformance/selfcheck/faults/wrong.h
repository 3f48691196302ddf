/* SPDX-License-Identifier: BSD-3-Clause */
/* Functions shared by the faults: the right library, and views of tensors. */
#ifndef CONFORMANCE_FAULTS_WRONG_H_
#define CONFORMANCE_FAULTS_WRONG_H_

#include <diopi/functions.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The function of the right library with this name, with the type of the contract. */
#define RIGHT(name) ((__typeof__(&name))right_function(#name))

/* Whether this run tests that fault. */
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

/* Returns the address of an element; elements are counted in row-major order. */
void* at(const View* v, int64_t index);

/* Makes a contiguous tensor of the same shape, filled with zeros. */
diopiTensorHandle_t zeros_like(diopiContextHandle_t ctx, diopiConstTensorHandle_t tensor, diopiDtype_t dtype);

/* Makes a contiguous copy with the given dtype. */
diopiTensorHandle_t converted(diopiContextHandle_t ctx, diopiConstTensorHandle_t tensor, diopiDtype_t dtype);

/* Makes a contiguous tensor of the same shape from the elements that are packed in memory from `data` on. */
diopiTensorHandle_t reread(diopiContextHandle_t ctx, diopiConstTensorHandle_t tensor, const void* data);

#endif
