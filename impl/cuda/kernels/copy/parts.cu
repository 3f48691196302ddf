// SPDX-License-Identifier: BSD-3-Clause
#include "impl/cuda/kernels/copy/parts.hpp"

#include <cstring>

#include "impl/common/kernel_table.hpp"
#include "impl/cuda/kernels/index/offsets.cuh"

namespace impl::cuda {

namespace {

template <typename T>
__global__ void __launch_bounds__(kBlock) copy_triangle(TriangleCall call) {
  for (int64_t i = thread_item(); i < call.numel; i += all_threads()) {
    const int64_t line = i / call.columns, column = i - line * call.columns;
    const int64_t matrix = line / call.rows, row = line - matrix * call.rows;
    int64_t offset[2];
    for (int k = 0; k < 2; ++k) offset[k] = row * call.row_stride[k] + column * call.column_stride[k];
    add_offsets(call.matrices, matrix, offset);
    const int64_t distance = column - row;
    const bool is_kept = call.lower ? distance <= call.diagonal : distance >= call.diagonal;
    static_cast<T*>(call.out)[offset[0]] = is_kept ? static_cast<const T*>(call.in)[offset[1]] : T{};
  }
}

template <typename T>
__global__ void __launch_bounds__(kBlock) copy_runs_of(RunsCall call, T number) {
  for (int64_t i = thread_item(); i < call.numel; i += all_threads()) {
    int64_t rest = i, to = 0, from = 0;
    bool is_inside = true;
    for (int d = 0; d < call.n; ++d) {
      const RunDim& dim = call.dim[d];
      const int64_t number = rest / dim.extent, at = rest - number * dim.extent;
      rest = number;
      to += at * dim.out_stride;
      int run = 0;
      while (run + 1 < dim.runs.count && at >= dim.runs.run[run + 1].out) ++run;
      const diopi::Run& part = dim.runs.run[run];
      is_inside = is_inside && part.in != diopi::Run::kOutside;
      from += (part.in + (at - part.out) * part.step) * dim.in_stride;
    }
    static_cast<T*>(call.out)[to] = is_inside ? static_cast<const T*>(call.in)[from] : number;
  }
}

}  // namespace

cudaError_t copy_triangles(cudaStream_t stream, const TriangleCall& call) {
  const dim3 grid = grid_for(call.numel);
  return diopi::for_itemsize(call.width, [&](auto tag) {
    return launch(copy_triangle<diopi::tagged<decltype(tag)>>, grid, kBlock, 0, stream, call);
  });
}

cudaError_t copy_all_runs(cudaStream_t stream, const RunsCall& call, const void* number) {
  const dim3 grid = grid_for(call.numel);
  return diopi::for_itemsize(call.width, [&](auto tag) {
    using T = diopi::tagged<decltype(tag)>;
    T outside;
    std::memcpy(&outside, number, sizeof(T));
    return launch(copy_runs_of<T>, grid, kBlock, 0, stream, call, outside);
  });
}

}  // namespace impl::cuda
