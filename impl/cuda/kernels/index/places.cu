// SPDX-License-Identifier: BSD-3-Clause
#include "impl/common/kernel_table.hpp"
#include "impl/cuda/kernels/first_bad.cuh"
#include "impl/cuda/kernels/index/index.hpp"
#include "impl/cuda/kernels/index/offsets.cuh"

namespace impl::cuda {

namespace {

__global__ void __launch_bounds__(kBlock) add_places(PlacesCall call) {
  for (int64_t p = thread_item(); p < call.count; p += all_threads()) {
    int64_t offset[2] = {0, 0};
    add_offsets(call.positions, p, offset);
    int64_t value = call.is_int64 ? static_cast<const int64_t*>(call.index)[offset[0]]
                                  : static_cast<const int32_t*>(call.index)[offset[0]];
    const int64_t given = value;
    if (call.wrap && value < 0) value += call.size;
    int64_t place = call.first ? offset[1] : call.places[p];
    if (value < 0 || value >= call.size) {
      report(call.bad, p, given);
      place = call.none;
    } else if (call.first || place != call.none) {
      place += offset_of(call.dims, value);
    }
    call.places[p] = place;
  }
}

template <typename T>
__global__ void __launch_bounds__(kBlock) gather(GatherCall call) {
  const int64_t total = call.loops.count * call.loops.slice;
  for (int64_t i = thread_item(); i < total; i += all_threads()) {
    const int64_t p = i / call.loops.slice;
    if (call.places[p] == call.none) continue;
    int64_t offset[2] = {call.places[p] >> call.shift, offset_of(call.loops.positions, p)};
    add_offsets(call.loops.slices, i - p * call.loops.slice, offset);
    static_cast<T*>(call.out)[offset[1]] = static_cast<const T*>(call.in)[offset[0]];
  }
}

}  // namespace

cudaError_t find_places(cudaStream_t stream, const PlacesCall& call) {
  return launch(add_places, grid_for(call.count), kBlock, 0, stream, call);
}

cudaError_t gather_places(cudaStream_t stream, const GatherCall& call) {
  const dim3 grid = grid_for(call.loops.count * call.loops.slice);
  return diopi::for_itemsize(call.width, [&](auto tag) {
    return launch(gather<diopi::tagged<decltype(tag)>>, grid, kBlock, 0, stream, call);
  });
}

}  // namespace impl::cuda
