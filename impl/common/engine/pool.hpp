// SPDX-License-Identifier: BSD-3-Clause
// What a vendor implements for pooling over one to three spatial dimensions.
#ifndef IMPL_COMMON_ENGINE_POOL_HPP_
#define IMPL_COMMON_ENGINE_POOL_HPP_

#include "impl/common/plan/windows.hpp"

namespace diopi {

// How averages divide: by `divisor`, or if it is 0, by the number of elements of the window. Padding counts as elements
// if `count_padding` is set; what lies behind the padding never counts.
struct Averaging {
  int64_t divisor = 0;
  bool count_padding = true;
};

struct IndexOutside {
  int64_t element = -1;  // its number in row-major order; -1 if all indices are allowed
  int64_t value = 0;
};

}  // namespace diopi

namespace impl::DIOPI_VENDOR {

using diopi::Averaging;
using diopi::IndexOutside;
using diopi::Status;
using diopi::TensorView;
using diopi::Windows;

// All tensors below are [N, C, D, H, W] of any strides, and the windows lie along D, H and W. Inputs, outputs and their
// gradients have one dtype, indices are int32 or int64. A result may overlap an operand, but not another result.
// Results have at least one element, and so have operands, except the gradient of an output of extent 0: then every
// `out` is 0, and the gradient of the input is 0.

// out = the largest element of each window; NaN is larger than all numbers. `indices`, if it is not null, gets the
// element's position in its plane [D, H, W]: the first position of several equal elements, the last one of several NaN.
Status run_max_pool(diopiContextHandle_t ctx, const Windows& windows, const TensorView& out, const TensorView* indices,
                    const TensorView& in);
// grad_input = the sums of those elements of grad_output whose index is the element's position. All indices are valid.
Status run_max_pool_backward(diopiContextHandle_t ctx, const Windows& windows, const TensorView& grad_input,
                             const TensorView& grad_output, const TensorView& indices);
// out = the mean of each window; int64 quotients are truncated. Windows may be adaptive (kernel = 0).
Status run_avg_pool(diopiContextHandle_t ctx, const Windows& windows, const Averaging& averaging, const TensorView& out,
                    const TensorView& in);
Status run_avg_pool_backward(diopiContextHandle_t ctx, const Windows& windows, const Averaging& averaging,
                             const TensorView& grad_input, const TensorView& grad_output);

// Finds the first index that is negative or not less than `below`. A device may report it at synchronisation.
Status find_index_outside(diopiContextHandle_t ctx, const TensorView& indices, int64_t below, IndexOutside* found);

}  // namespace impl::DIOPI_VENDOR

#endif  // IMPL_COMMON_ENGINE_POOL_HPP_
