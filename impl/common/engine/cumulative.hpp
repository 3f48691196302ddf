// SPDX-License-Identifier: BSD-3-Clause
// What a vendor implements for running sums.
#ifndef IMPL_COMMON_ENGINE_CUMULATIVE_HPP_
#define IMPL_COMMON_ENGINE_CUMULATIVE_HPP_

#include "impl/common/tensor_view.hpp"

namespace diopi {

enum class ScanDirection {
  kForward,   // out[i] = in[0] + ... + in[i]
  kBackward,  // out[i] = in[i] + ... + in[n - 1]
};

}  // namespace diopi

namespace impl::DIOPI_VENDOR {

using diopi::ScanDirection;
using diopi::Status;
using diopi::TensorView;

// Adds up each row along `dim`. Both tensors have the same shape and at least one dimension; `out` may be `in`.
// Elements are read and added in `dtype` (int64, float32, float64 or a complex dtype); the result is converted to the
// dtype of `out`. The function refuses an `out` whose elements share an address.
Status run_cumsum(diopiContextHandle_t ctx, ScanDirection direction, const TensorView& out, const TensorView& in,
                  int dim, diopiDtype_t dtype);

}  // namespace impl::DIOPI_VENDOR

#endif  // IMPL_COMMON_ENGINE_CUMULATIVE_HPP_
