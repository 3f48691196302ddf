// SPDX-License-Identifier: BSD-3-Clause
// The element-wise engine: the operands of a call whose elements are computed one by one. kernels/elementwise/map.cuh
// launches the kernels.
#ifndef IMPL_CUDA_ENGINE_MAP_HPP_
#define IMPL_CUDA_ENGINE_MAP_HPP_

#include "impl/cuda/engine/pieces.hpp"
#include "impl/cuda/engine/stream.hpp"

namespace impl::cuda {

using diopi::TensorView;

inline constexpr int kMaxMapInputs = 3;

struct MapCall {
  cudaStream_t stream = nullptr;
  TensorView out;
  TensorView in[kMaxMapInputs];        // with the shape of `out`
  bool is_number[kMaxMapInputs] = {};  // the only element is on the host
  bool idle = false;                   // there is nothing to launch
};

// Makes the call out = f(inputs...). Every input broadcasts to the shape of `out`; the caller has checked this, and
// that results may be converted to its dtype. An input that overlaps `out` otherwise than element by element is copied.
Status prepare_map(diopiContextHandle_t ctx, const TensorView& out, const TensorView* inputs, int count, MapCall* call);

// The loops of a call: `out`, then the inputs, with strides in elements, the smallest stride of `out` innermost. A
// number has stride 0.
template <int kInputs>
diopi::LoopNest<kInputs + 1> map_nest(const MapCall& call) {
  diopi::LoopNest<kInputs + 1> nest;
  for (int dim = call.out.ndim() - 1; dim >= 0; --dim) {
    auto& loop = nest[nest.n++];
    loop.extent = call.out.shape[dim];
    loop.stride[0] = call.out.stride[dim];
    for (int k = 0; k < kInputs; ++k) loop.stride[k + 1] = call.is_number[k] ? 0 : call.in[k].stride[dim];
  }
  nest.drop_ones();
  nest.sort([](const auto& a, const auto& b) { return std::abs(a.stride[0]) > std::abs(b.stride[0]); });
  nest.merge();
  return nest;
}

// Whether the elements of all tensors follow each other without gaps.
template <int kInputs>
bool is_packed(const MapCall& call, const diopi::LoopNest<kInputs + 1>& nest) {
  if (nest.n == 0) return true;
  if (nest.n > 1 || nest[0].stride[0] != 1) return false;
  for (int k = 0; k < kInputs; ++k) {
    if (!call.is_number[k] && nest[0].stride[k + 1] != 1) return false;
  }
  return true;
}

}  // namespace impl::cuda

#endif  // IMPL_CUDA_ENGINE_MAP_HPP_
