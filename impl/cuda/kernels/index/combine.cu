// SPDX-License-Identifier: BSD-3-Clause
// Sums and products of all elements that an index sends to one place. One thread computes each, in the order of the
// positions, so the result does not depend on the grid.
#include "impl/cuda/kernels/index/index.hpp"
#include "impl/cuda/kernels/index/offsets.cuh"
#include "impl/cuda/kernels/index/sums.cuh"

namespace impl::cuda {

namespace {

// The number of positions from `k` on that have the place of position k.
__device__ int64_t run_length(const CombineCall& call, int64_t k, int64_t place) {
  int64_t end = k + 1;
  while (end < call.loops.count && call.places[call.order[end]] == place) ++end;
  return end - k;
}

template <typename Sum>
__global__ void __launch_bounds__(kBlock) combine(CombineCall call, diopiDtype_t dtype) {
  using Number = typename Sum::Number;
  const int64_t total = call.loops.count * call.loops.slice;
  for (int64_t i = thread_item(); i < total; i += all_threads()) {
    const int64_t first = i / call.loops.slice, element = i - first * call.loops.slice;
    const int64_t place = call.places[call.order[first]];
    if (place >= call.limit || (first > 0 && call.places[call.order[first - 1]] == place)) continue;
    int64_t offset[2] = {offset_of(call.targets, place), 0};
    add_offsets(call.loops.slices, element, offset);
    Sum sum(load_as<Number>(call.out, offset[0], dtype));
    const bool means = call.op == PlaceOp::kMean && dtype != diopi_dtype_bool;
    const int64_t divisor = means ? run_length(call, first, place) : 1;
    for (int64_t k = first; k < call.loops.count && call.places[call.order[k]] == place; ++k) {
      const int64_t at = offset[1] + offset_of(call.loops.positions, call.order[k]);
      const Number x = load_as<Number>(call.src, at, dtype);
      if (call.op == PlaceOp::kMultiply) {
        sum.multiply(x);
      } else {
        sum.add(x, divisor);
      }
    }
    store_as(call.out, offset[0], dtype, sum.result());
  }
}

}  // namespace

cudaError_t combine_places(cudaStream_t stream, diopiDtype_t dtype, const CombineCall& call) {
  const dim3 grid = grid_for(call.loops.count * call.loops.slice);
  return with_sum(dtype, [&](auto tag) {
    return launch(combine<diopi::tagged<decltype(tag)>>, grid, kBlock, 0, stream, call, dtype);
  });
}

}  // namespace impl::cuda
