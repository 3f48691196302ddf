/* Generated from proto/registry by adaptor/codegen/headers.py. Do not edit. */
#ifndef DIOPI_FUNCTIONS_SPARSE_H_
#define DIOPI_FUNCTIONS_SPARSE_H_

#include "diopirt.h"

#ifdef __cplusplus
extern "C" {
#endif

/**
 * Product of a sparse CSR matrix and a dense matrix, `torch.sparse.mm`.
 */
DIOPI_API diopiError_t diopiSpMM(diopiContextHandle_t ctx, diopiTensorHandle_t out, diopiConstTensorHandle_t input, diopiConstTensorHandle_t mat2);

#ifdef __cplusplus
}
#endif

#endif /* DIOPI_FUNCTIONS_SPARSE_H_ */
