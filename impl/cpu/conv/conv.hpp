// SPDX-License-Identifier: BSD-3-Clause
// Convolutions of one to three spatial dimensions and their gradients. The first implementation of a list that accepts
// the call runs it (DIOPI_CPU_CONV = 1x1 | patches | onednn | im2col forces one). Results are the same on any number of
// threads.
#ifndef IMPL_CPU_CONV_CONV_HPP_
#define IMPL_CPU_CONV_CONV_HPP_

#include <diopi/diopirt.h>

#include <cstdint>

#include "impl/common/engine/conv.hpp"
#include "impl/cpu/engine/candidates.hpp"
#include "impl/cpu/engine/temporary.hpp"

namespace impl::cpu {

using diopi::kMaxSpatial;

struct ConvGeometry {
  int spatial = 2;  // number of spatial dimensions
  int64_t groups = 1;
  int64_t stride[kMaxSpatial] = {}, padding[kMaxSpatial] = {}, dilation[kMaxSpatial] = {};
  // Padding that a part of the tensor lacks at its begin and its end: only the first and the last part have padding.
  int64_t cut_begin[kMaxSpatial] = {}, cut_end[kMaxSpatial] = {};
};

// dst = conv(src, weight) + bias, or the gradient with respect to src or to weight. For a gradient, the kernel reads
// dst, conjugates the third operand, and writes src or weight. All operands have one dtype; none is empty.
struct ConvProblem {
  diopiContextHandle_t ctx = nullptr;
  ConvKind kind = ConvKind::kForward;
  ConvGeometry geometry;
  TensorView src;                    // [N, C, spatial...]
  TensorView weight;                 // [O, C / groups, kernel...]
  TensorView dst;                    // [N, O, spatial...]
  const TensorView* bias = nullptr;  // as in ConvCall; the functions below add only that of kForward
  bool transposed = false;           // as in ConvCall

  // Whether the windows overlap, or leave elements between theirs, in spatial dimension i.
  bool windows_overlap(int i) const {
    const int64_t kernel = weight.shape[i + 2];
    return dst.shape[i + 2] > 1 && (kernel > geometry.stride[i] || (kernel > 1 && geometry.dilation[i] != 1));
  }
  const TensorView& result() const {
    return kind == ConvKind::kForward ? dst : kind == ConvKind::kBackwardData ? src : weight;
  }
};

Status run_conv(const ConvProblem& problem);

SkipReason conv_1x1(const ConvProblem& problem, Status* status);
SkipReason conv_patches(const ConvProblem& problem, Status* status);
SkipReason conv_onednn(const ConvProblem& problem, Status* status);
SkipReason conv_im2col(const ConvProblem& problem, Status* status);

}  // namespace impl::cpu

#endif  // IMPL_CPU_CONV_CONV_HPP_
