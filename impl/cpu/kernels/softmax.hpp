// Row kernels of softmax and its kin; rows of float32 or float64.
#pragma once

#include "impl/cpu/kernels/rows.hpp"

namespace impl::cpu {

enum class SoftmaxOp {
  kSoftmax,             // x -> e^(x - max) / sum
  kLogSoftmax,          // x -> x - max - log(sum e^(x - max))
  kSoftmaxBackward,     // g, y -> y (g - sum g y)
  kLogSoftmaxBackward,  // g, y -> g - e^y sum g
};

// Null where `dtype` is neither float32 nor float64.
RowFn softmax_kernel(SoftmaxOp op, diopiDtype_t dtype);

}  // namespace impl::cpu
