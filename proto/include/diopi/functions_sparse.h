/* SPDX-License-Identifier: BSD-3-Clause */
/* Generated from proto/registry by adaptor/codegen/headers.py. Do not edit. */
/**
 * @file
 * Operators of DIOPI. All are weak: where a vendor's library has no such operator, its address is null. Rules that
 * hold for every operator are in proto/registry/README.md. A parameter's comment names the dtypes that it may have:
 * - integral: int8, uint8, int16, uint16, int32, uint32, int64, uint64
 * - floating: float16, bfloat16, float32, float64
 * - complex: complex64, complex128
 */
#ifndef DIOPI_FUNCTIONS_SPARSE_H_
#define DIOPI_FUNCTIONS_SPARSE_H_

#include "diopirt.h"

#ifdef __cplusplus
extern "C" {
#endif

/** @name sparse
 * Sparse matrix products.
 */
/** @{ */

/**
 * Product of a sparse CSR matrix and a dense matrix, `torch.sparse.mm`.
 *
 * @param[in]  ctx    context of the call
 * @param[out] out    tensor
 * @param[in]  input  sparse CSR matrix
 * @param[in]  mat2   tensor
 *
 * - notes: input is a sparse CSR handle; its parts are read through diopiGetTensorCrowIndices, diopiGetTensorColIndices
 *   and diopiGetTensorValues.
 */
DIOPI_API diopiError_t diopiSpMM(diopiContextHandle_t ctx, diopiTensorHandle_t out, diopiConstTensorHandle_t input,
                                 diopiConstTensorHandle_t mat2);

/** @} */

#ifdef __cplusplus
}
#endif

#endif /* DIOPI_FUNCTIONS_SPARSE_H_ */
