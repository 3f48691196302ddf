// SPDX-License-Identifier: BSD-3-Clause
// What a vendor implements for convolutions.
#ifndef IMPL_COMMON_ENGINE_CONV_HPP_
#define IMPL_COMMON_ENGINE_CONV_HPP_

#include "impl/common/plan/windows.hpp"

namespace diopi {

enum class ConvKind { kForward, kBackwardData, kBackwardWeights };

// dst = conv(src, weight) + bias, or its gradient with respect to src or to weight. For a gradient, dst is read, and
// src or weight is written; the operand that is read beside dst is conjugated. All operands have one dtype and any
// strides. None is empty. A stride or a dilation that makes no difference is 1.
//
// A transposed convolution is such a gradient with respect to src, and its own gradients are a convolution and the
// gradient of a weight. Only the conjugates differ: the result has none, and a gradient has that of the operand whose
// gradient it is not: weight for kForward, dst for kBackwardWeights.
struct ConvCall {
  ConvKind kind = ConvKind::kForward;
  int64_t groups = 1;
  Windows windows;    // over the one to three last dimensions of src
  TensorView src;     // [N, C, spatial...]
  TensorView weight;  // [O, C / groups, kernel...]
  TensorView dst;     // [N, O, spatial...]
  // For kForward [O]; for kBackwardData of a transposed convolution [C], which is added to the result.
  const TensorView* bias = nullptr;
  bool transposed = false;
  int64_t cut_end[diopi::kMaxSpatial] = {};  // of a transposed convolution: padding that src lacks at its end
};

}  // namespace diopi

namespace impl::DIOPI_VENDOR {

using diopi::ConvCall;
using diopi::ConvKind;
using diopi::Status;
using diopi::TensorView;

// Sums of float16 and bfloat16 are computed in float32, and each result is rounded once. The result may overlap the
// operands in any way.
Status run_conv(diopiContextHandle_t ctx, const ConvCall& call);

}  // namespace impl::DIOPI_VENDOR

#endif  // IMPL_COMMON_ENGINE_CONV_HPP_
