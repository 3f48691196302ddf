// SPDX-License-Identifier: BSD-3-Clause
// What a vendor implements for non-maximum suppression of axis-aligned boxes.
#ifndef IMPL_COMMON_ENGINE_NMS_HPP_
#define IMPL_COMMON_ENGINE_NMS_HPP_

#include "impl/common/tensor_view.hpp"

namespace diopi {

// `boxes` is [n, 4], (x1, y1, x2, y2), n > 0, of a floating-point dtype. `order` is an int64 tensor [n] with the
// numbers of the boxes, the best one first. A box is dropped if its intersection over union with a better box that is
// kept is greater than `threshold`. `margin` is added to each width and height (1 if coordinates number pixels, else
// 0). Areas are products that may be negative; sides of an intersection are at least 0. NaN drops nothing.
struct NmsProblem {
  const TensorView &boxes, &order;
  double threshold;
  double margin;
};

}  // namespace diopi

namespace impl::DIOPI_VENDOR {

using diopi::NmsProblem;
using diopi::Status;
using diopi::TensorView;

// Writes the numbers of the kept boxes, the best one first, to the first `*count` elements of `kept`, an int64 tensor
// [n] without gaps. The computation is in float64.
Status run_nms(diopiContextHandle_t ctx, const NmsProblem& problem, const TensorView& kept, int64_t* count);

}  // namespace impl::DIOPI_VENDOR

#endif  // IMPL_COMMON_ENGINE_NMS_HPP_
