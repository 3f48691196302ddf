// SPDX-License-Identifier: BSD-3-Clause
#include "impl/cuda/kernels/copy/parts.hpp"

#include <cstring>

#include "impl/cuda/engine/words.hpp"
#include "impl/cuda/kernels/index/offsets.cuh"
#include "impl/cuda/kernels/items.cuh"

namespace impl::cuda {

namespace {

// Each thread copies groups of kItems adjacent columns. With kItems = 1, columns may have any stride.
template <typename T, int kItems>
__global__ void __launch_bounds__(kBlock) copy_triangle(TriangleCall call) {
  const int64_t groups = (call.columns + kItems - 1) / kItems;
  for (int64_t i = thread_item(); i < call.lines * groups; i += all_threads()) {
    const int64_t line = i / groups, column = (i - line * groups) * kItems;
    const int64_t matrix = line / call.rows, row = line - matrix * call.rows;
    int64_t offset[2];
    for (int k = 0; k < 2; ++k) offset[k] = row * call.row_stride[k] + column * call.column_stride[k];
    add_offsets(call.matrices, matrix, offset);
    const auto is_kept = [&](int j) {
      const int64_t distance = column + j - row;
      return call.lower ? distance <= call.diagonal : distance >= call.diagonal;
    };
    T* const out = static_cast<T*>(call.out) + offset[0];
    const T* const in = static_cast<const T*>(call.in) + offset[1];
    const int64_t count = call.columns - column;
    if (count < kItems) {
      for (int j = 0; j < count; ++j) out[j] = is_kept(j) ? in[j] : T{};
      continue;
    }
    T x[kItems] = {};
    if (is_kept(0) || is_kept(kItems - 1)) load_items(in, x);
    DIOPI_UNROLL
    for (int j = 0; j < kItems; ++j) {
      if (!is_kept(j)) x[j] = T{};
    }
    store_items(out, x);
  }
}

// Whether accesses of 16 bytes can copy the triangles.
bool is_aligned(const TriangleCall& call) {
  if (call.columns * call.width < 16) return false;
  WordWidth width;
  width.divide(call.out);
  width.divide(call.in);
  for (int k = 0; k < 2; ++k) {
    if (call.column_stride[k] != 1) return false;
    width.divide(call.row_stride[k] * call.width);
    for (int i = 0; i < call.matrices.n; ++i) width.divide(call.matrices.loop[i].stride[k] * call.width);
  }
  return width.bytes() == 16;
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
  return diopi::for_itemsize(call.width, [&](auto tag) {
    using T = AlignedWord<diopi::tagged<decltype(tag)>>;
    constexpr int kItems = 16 / sizeof(T);
    if (!is_aligned(call)) {
      return launch(copy_triangle<T, 1>, grid_for(call.lines * call.columns), kBlock, 0, stream, call);
    }
    const int64_t groups = (call.columns + kItems - 1) / kItems;
    return launch(copy_triangle<T, kItems>, grid_for(call.lines * groups), kBlock, 0, stream, call);
  });
}

cudaError_t copy_all_runs(cudaStream_t stream, const RunsCall& call, const void* number) {
  const dim3 grid = grid_for(call.numel);
  return diopi::for_itemsize(call.width, [&](auto tag) {
    using T = AlignedWord<diopi::tagged<decltype(tag)>>;
    T outside;
    std::memcpy(&outside, number, sizeof(T));
    return launch(copy_runs_of<T>, grid, kBlock, 0, stream, call, outside);
  });
}

}  // namespace impl::cuda
