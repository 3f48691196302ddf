// SPDX-License-Identifier: BSD-3-Clause
#include "impl/common/families/conv.hpp"

#include "impl/cpu/conv/conv.hpp"

namespace impl::cpu {

Status run_conv(diopiContextHandle_t ctx, const ConvCall& call) {
  ConvProblem p;
  p.ctx = ctx;
  p.kind = call.kind;
  p.src = call.src;
  p.weight = call.weight;
  p.dst = call.dst;
  p.bias = call.bias;
  p.transposed = call.transposed;
  p.geometry.spatial = call.windows.spatial;
  p.geometry.groups = call.groups;
  for (int i = 0; i < call.windows.spatial; ++i) {
    const diopi::Window& w = call.windows.at(i);
    p.geometry.stride[i] = w.stride;
    p.geometry.padding[i] = w.padding;
    p.geometry.dilation[i] = w.dilation;
    p.geometry.cut_end[i] = call.cut_end[i];
  }
  return run_conv(p);
}

}  // namespace impl::cpu
