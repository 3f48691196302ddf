// SPDX-License-Identifier: BSD-3-Clause
#include "impl/common/kernel_table.hpp"
#include "impl/cuda/kernels/index/index.hpp"
#include "impl/cuda/kernels/index/offsets.cuh"

namespace impl::cuda {

namespace {

// `last` has zeros where no place occurs, otherwise the position plus one.
template <typename Position>
__global__ void __launch_bounds__(kBlock) mark_last(LastCall call) {
  for (int64_t p = thread_item(); p < call.count; p += all_threads()) {
    if (call.places[p] >= call.limit) continue;
    atomicMax(static_cast<Position*>(call.last) + call.places[p], static_cast<Position>(p + 1));
  }
}

template <typename T>
__global__ void __launch_bounds__(kBlock) write(WriteCall call) {
  const int64_t total = call.loops.count * call.loops.slice;
  for (int64_t i = thread_item(); i < total; i += all_threads()) {
    const int64_t p = i / call.loops.slice, place = call.last.places[p];
    if (place >= call.last.limit) continue;
    const uint64_t last = call.last.wide ? static_cast<const uint64_t*>(call.last.last)[place]
                                         : static_cast<const uint32_t*>(call.last.last)[place];
    if (last != static_cast<uint64_t>(p + 1)) continue;
    int64_t offset[2] = {offset_of(call.targets, place), offset_of(call.loops.positions, p)};
    add_offsets(call.loops.slices, i - p * call.loops.slice, offset);
    static_cast<T*>(call.out)[offset[0]] = static_cast<const T*>(call.src)[offset[1]];
  }
}

}  // namespace

cudaError_t find_last(cudaStream_t stream, const LastCall& call) {
  const dim3 grid = grid_for(call.count);
  if (call.wide) return launch(mark_last<unsigned long long>, grid, kBlock, 0, stream, call);
  return launch(mark_last<unsigned>, grid, kBlock, 0, stream, call);
}

cudaError_t write_places(cudaStream_t stream, const WriteCall& call) {
  const dim3 grid = grid_for(call.loops.count * call.loops.slice);
  return diopi::for_itemsize(
      call.width, [&](auto tag) { return launch(write<diopi::tagged<decltype(tag)>>, grid, kBlock, 0, stream, call); });
}

}  // namespace impl::cuda
