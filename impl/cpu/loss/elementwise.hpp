// SPDX-License-Identifier: BSD-3-Clause
// Block kernels of element-wise losses; computed in float32 or float64.
#ifndef IMPL_CPU_LOSS_ELEMENTWISE_HPP_
#define IMPL_CPU_LOSS_ELEMENTWISE_HPP_

#include "impl/cpu/engine/elementwise/elementwise.hpp"

namespace impl::cpu {

enum class LossOp {
  kMse,                    // x, t
  kMseBackward,            // g, x, t
  kSmoothL1,               // x, t
  kSmoothL1Backward,       // g, x, t
  kBce,                    // x, t, weight
  kBceBackward,            // g, x, t, weight
  kBceWithLogits,          // x, t, weight, pos_weight
  kBceWithLogitsBackward,  // g, x, t, weight, pos_weight
};

struct LossParams {
  double scale = 1;  // factor of gradients: 1 / n for a mean
  double beta = 1;   // threshold of smooth L1
};

// Null if `dtype` is neither float32 nor float64.
BlockFn loss_kernel(LossOp op, diopiDtype_t dtype);

}  // namespace impl::cpu

#endif  // IMPL_CPU_LOSS_ELEMENTWISE_HPP_
