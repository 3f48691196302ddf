// SPDX-License-Identifier: BSD-3-Clause
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

}  // namespace

cudaError_t find_places(cudaStream_t stream, const PlacesCall& call) {
  return launch(add_places, grid_for(call.count), kBlock, 0, stream, call);
}

}  // namespace impl::cuda
