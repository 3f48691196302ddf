// SPDX-License-Identifier: BSD-3-Clause
// Convolutions of one to three spatial dimensions and their gradients, through the first of several implementations
// that takes the call (DIOPI_CPU_CONV = product | onednn | im2col forces one).
#pragma once

#include <diopi/diopirt.h>

#include <cstdint>

#include "candidates.hpp"
#include "impl/common/tensor_view.hpp"
#include "temporary.hpp"

namespace impl::cpu {

using diopi::Status;
using diopi::TensorView;

inline constexpr int kMaxSpatial = 3;

struct ConvGeometry {
  int spatial = 2;  // spatial dimensions
  int64_t groups = 1;
  int64_t stride[kMaxSpatial] = {}, padding[kMaxSpatial] = {}, dilation[kMaxSpatial] = {};
  // Padding that is not there at the beginning and at the end: a part of a tensor has it only where the whole ends.
  int64_t cut_begin[kMaxSpatial] = {}, cut_end[kMaxSpatial] = {};
};

enum class ConvKind { kForward, kBackwardData, kBackwardWeights };

// dst = conv(src, weight) + bias, or the gradient with respect to src or to weight, which is then what is written.
// All operands have one dtype; none is empty.
struct ConvProblem {
  diopiContextHandle_t ctx = nullptr;
  ConvKind kind = ConvKind::kForward;
  ConvGeometry geometry;
  TensorView src;                    // [N, C, spatial...]
  TensorView weight;                 // [O, C / groups, kernel...]
  TensorView dst;                    // [N, O, spatial...]
  const TensorView* bias = nullptr;  // [O], forward only

  const TensorView& result() const {
    return kind == ConvKind::kForward ? dst : kind == ConvKind::kBackwardData ? src : weight;
  }
};

Status run_conv(const ConvProblem& problem);

Declined conv_product(const ConvProblem& problem, Status* status);
Declined conv_onednn(const ConvProblem& problem, Status* status);
Declined conv_im2col(const ConvProblem& problem, Status* status);

}  // namespace impl::cpu
