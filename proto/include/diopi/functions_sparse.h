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
 * @param[out] out    floating
 * @param[in]  input  sparse CSR matrix; floating
 * @param[in]  mat2   floating
 *
 * - formula: out[i, j] = sum of value[e] * mat2[column[e], j] over the entries e of row i, which are those from
 *   row_pointer[i] to below row_pointer[i + 1]
 * - shape: input is [m, k] and mat2 [k, n]; out is [m, n]. input has m + 1 row pointers, and as many column indices as
 *   values.
 * - broadcasting: None.
 * - strides: Any for every tensor, also for the parts of input; mat2 may be expanded.
 * - aliasing: out must not overlap mat2 or a part of input.
 * - empty: A row without entries gives 0. If the result is empty, nothing is written.
 * - nan: As IEEE arithmetic has it; an element that input does not store counts as absent, so it makes no NaN of an
 *   infinity.
 * - accumulation: The entries of a row are added in their order, in blocks whose sums are added pairwise; float32, or
 *   float64 for float64.
 * - determinism: The same bits for any number of threads.
 * - checks:
 *   - input must be sparse. [diopiSpMM-input-sparse]
 *   - mat2 and out must be dense. [diopiSpMM-mat2-dense]
 *   - input must have two dimensions. [diopiSpMM-input-matrix]
 *   - mat2 must have 2 dimensions. [diopiSpMM-mat2-ndim]
 *   - out, input and mat2 must have the same dtype. [diopiSpMM-out-same-dtype]
 *   - input[1] and mat2[0] must be equal. [diopiSpMM-input-equal]
 *   - out must have the shape [input[0], mat2[1]]. [diopiSpMM-out-shape]
 *   - input must have a row pointer more than rows and as many column indices as values, of dtype int32 or int64.
 *     [diopiSpMM-input-parts]
 *   - The row pointers must start with 0, must not decrease, and must end with the number of values. A device may
 *     report this when the stream is synchronised. [diopiSpMM-input-row-pointers]
 *   - Each column index must be from 0 to below the number of columns. A device may report this when the stream is
 *     synchronised. [diopiSpMM-input-columns]
 * - source: torch.sparse.mm
 * - notes: The column indices of a row may have any order, and equal ones add up. Row pointers and column indices have
 *   one dtype, int32 or int64.
 */
DIOPI_API diopiError_t diopiSpMM(diopiContextHandle_t ctx, diopiTensorHandle_t out, diopiConstTensorHandle_t input,
                                 diopiConstTensorHandle_t mat2);

/** @} */

#ifdef __cplusplus
}
#endif

#endif /* DIOPI_FUNCTIONS_SPARSE_H_ */
