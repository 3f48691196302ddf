// SPDX-License-Identifier: BSD-3-Clause
// What a vendor implements for sparse convolution and pooling by index pairs. Floating point tensors of a call have one
// dtype; float16 and bfloat16 are computed in float32 and rounded once. Outputs overlap nothing. The bits of a result
// do not depend on the number of threads.
#ifndef IMPL_COMMON_ENGINE_SPARSE_CONV_HPP_
#define IMPL_COMMON_ENGINE_SPARSE_CONV_HPP_

#include "impl/common/tensor_view.hpp"

namespace diopi {

// For each kernel position k the first count[k] pairs of rows: pairs[k, 0] of the input, pairs[k, 1] of the output.
struct SparsePairs {
  const TensorView& pairs;   // int32 [K, 2, m]
  const TensorView& count;   // int32 [K]
  bool inverse = false;      // the two rows are exchanged
  bool submanifold = false;  // the position with the most pairs, the first of them, has the pairs (i, i) of all rows
};

// The number of rows that pairs may name, with the names for messages.
struct SparseRows {
  const char* input_name;
  int64_t input;
  const char* output_name;
  int64_t output;
};

}  // namespace diopi

namespace impl::DIOPI_VENDOR {

using diopi::SparsePairs;
using diopi::SparseRows;
using diopi::Status;
using diopi::TensorView;

// Checks that the rows of all pairs are in range; the counts have been checked. The error names the tensor and the
// number.
Status check_sparse_rows(diopiContextHandle_t ctx, const SparsePairs& pairs, const SparseRows& rows);

// out[o] = maximum of 0 and of features[i] over the pairs.
Status run_sparse_maxpool(diopiContextHandle_t ctx, const SparsePairs& pairs, const TensorView& features,
                          const TensorView& out);
// grad[i] = sum of grad_out[o] over the pairs with features[i] = out[o].
Status run_sparse_maxpool_backward(diopiContextHandle_t ctx, const SparsePairs& pairs, const TensorView& features,
                                   const TensorView& out, const TensorView& grad_out, const TensorView& grad);

// out[o] = sum of features[i] * filters[k] over the pairs, plus bias, which may be null. filters [K, Cin, Cout] may
// have more dimensions in the place of K.
Status run_sparse_conv(diopiContextHandle_t ctx, const SparsePairs& pairs, const TensorView& features,
                       const TensorView& filters, const TensorView* bias, const TensorView& out);
Status run_sparse_conv_backward(diopiContextHandle_t ctx, const SparsePairs& pairs, const TensorView& features,
                                const TensorView& filters, const TensorView& grad_out, const TensorView& grad_features,
                                const TensorView& grad_filters);

}  // namespace impl::DIOPI_VENDOR

#endif  // IMPL_COMMON_ENGINE_SPARSE_CONV_HPP_
