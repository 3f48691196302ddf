/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The functions of the reference runtime that the programs in this folder need to act as a framework. They are declared
 * by hand, so that they work with any declarations of DIOPI's types that come before.
 */
#ifndef DIOPI_PROTO_TESTS_ABI_HOST_H_
#define DIOPI_PROTO_TESTS_ABI_HOST_H_

#include <stddef.h>
#include <stdio.h>

struct diopirtLibrary;
diopiError_t diopirtCreateContext(struct diopirtLibrary* library, diopiContextHandle_t* ctx);
diopiError_t diopirtDestroyContext(diopiContextHandle_t ctx);
diopiError_t diopirtCreateTensor(diopiContextHandle_t ctx, diopiSize_t shape, const diopiSize_t* stride,
                                 diopiDtype_t dtype, diopiDevice_t device, diopiTensorHandle_t* tensor);
diopiError_t diopirtReleaseTensor(diopiTensorHandle_t tensor);
diopiError_t diopirtCopyFromHost(diopiContextHandle_t ctx, diopiTensorHandle_t tensor, const void* data, size_t bytes);
diopiError_t diopirtCopyToHost(diopiContextHandle_t ctx, diopiConstTensorHandle_t tensor, void* data, size_t bytes);

/* Returns 1 from the calling function and prints the line, unless `condition` holds. */
#define CHECK(condition)                                                      \
  do {                                                                        \
    if (!(condition)) {                                                       \
      fprintf(stderr, "%s:%d: not so: %s\n", __FILE__, __LINE__, #condition); \
      return 1;                                                               \
    }                                                                         \
  } while (0)

#endif /* DIOPI_PROTO_TESTS_ABI_HOST_H_ */
