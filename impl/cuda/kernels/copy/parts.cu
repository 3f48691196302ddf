// SPDX-License-Identifier: BSD-3-Clause
#include "impl/cuda/kernels/copy/parts.hpp"

#include <algorithm>
#include <cstring>

#include "impl/cuda/engine/words.hpp"
#include "impl/cuda/kernels/index/offsets.cuh"
#include "impl/cuda/kernels/items.cuh"
#include "impl/cuda/kernels/strided.cuh"

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

constexpr int kRunItems = 4;  // words of a thread, whose loads do not wait for each other

// A dimension whose numbers and offsets fit 32 bits. Position `at` of run i is a copy of position in[i] + at * step[i],
// which is -1 in runs outside of the input.
struct ShortDim {
  static constexpr int kRuns = diopi::DimRuns::kMost;
  Divider extent;
  int32_t out_stride, in_stride;
  int32_t begin[kRuns], in[kRuns], step[kRuns];  // `begin` of runs that do not exist: INT32_MAX

  __device__ int32_t position(int32_t at) const {
    int32_t found = in[0] + at * step[0];
    DIOPI_UNROLL
    for (int i = 1; i < kRuns; ++i) {
      const int32_t other = in[i] + at * step[i];
      found = at >= begin[i] ? other : found;
    }
    return found;
  }
};

struct ShortRuns {
  static constexpr int kMostDims = 5;
  uint32_t threads;  // one for each group of adjacent elements along dimension 0
  Divider groups;    // of a row
  int32_t n;
  void* out;
  const void* in;
  ShortDim dim[kMostDims];
};

// The offsets of a row. Returns whether it is inside of the input.
__device__ inline bool locate_row(const ShortRuns& call, uint32_t number, int32_t* to, int32_t* from) {
  bool is_inside = true;
  *to = *from = 0;
  DIOPI_UNROLL
  for (int d = 1; d < ShortRuns::kMostDims; ++d) {  // parameters with constant addresses need no loads
    if (d >= call.n) continue;
    const ShortDim& dim = call.dim[d];
    const uint32_t rest = dim.extent.quotient(number);
    const auto at = static_cast<int32_t>(number - rest * dim.extent.divisor);
    const int32_t position = dim.position(at);
    is_inside = is_inside && position >= 0;
    *to += at * dim.out_stride;
    *from += position * dim.in_stride;
    number = rest;
  }
  return is_inside;
}

// Reads some adjacent elements of a row. Returns how many of them exist, and the offset of the first one.
template <typename T, int kItems>
__device__ inline int read_run_items(const ShortRuns& call, uint32_t thread, T number, Pack<T, kItems>* x,
                                     int32_t* to) {
  if (thread >= call.threads) return 0;
  const ShortDim& row = call.dim[0];
  const uint32_t of_row = call.groups.quotient(thread);
  const auto first = static_cast<int32_t>((thread - of_row * call.groups.divisor) * kItems);
  const int32_t left = static_cast<int32_t>(row.extent.divisor) - first;
  int32_t from;
  const bool is_inside = locate_row(call, of_row, to, &from);
  *to += first * row.out_stride;
  DIOPI_UNROLL
  for (int j = 0; j < kItems; ++j) {
    const int32_t position = row.position(first + j);
    x->v[j] = number;
    if (j < left && is_inside && position >= 0) {
      x->v[j] = static_cast<const T*>(call.in)[from + position * row.in_stride];
    }
  }
  return left < kItems ? left : kItems;
}

// A thread copies kRunItems elements: groups of kItems, each of which one access writes.
template <typename T, int kItems>
__global__ void __launch_bounds__(kBlock) copy_short_runs(ShortRuns call, T number) {
  constexpr int kGroups = kRunItems / kItems;
  const uint32_t first = blockIdx.x * (kBlock * kGroups) + threadIdx.x;
  int32_t to[kGroups];
  int count[kGroups];
  Pack<T, kItems> x[kGroups];
  DIOPI_UNROLL
  for (int i = 0; i < kGroups; ++i) count[i] = read_run_items(call, first + i * kBlock, number, &x[i], &to[i]);
  DIOPI_UNROLL
  for (int i = 0; i < kGroups; ++i) {
    T* const out = static_cast<T*>(call.out) + to[i];
    if (count[i] == kItems) {
      *reinterpret_cast<Pack<T, kItems>*>(out) = x[i];
      continue;
    }
    DIOPI_UNROLL
    for (int j = 0; j < kItems; ++j) {
      if (j < count[i]) out[j] = x[i].v[j];
    }
  }
}

// Whether a dimension is copied whole.
bool is_whole(const RunDim& dim) {
  const diopi::Run& run = dim.runs.run[0];
  return dim.runs.count == 1 && run.in == 0 && run.step == 1;
}

// Removes dimensions of one position, and merges those that are copied whole with their neighbour.
void merge_dims(RunsCall* call) {
  int kept = 0;
  for (int d = 0; d < call->n; ++d) {
    const RunDim next = call->dim[d];
    if (next.extent == 1 && is_whole(next)) continue;
    if (kept > 0) {
      RunDim& dim = call->dim[kept - 1];
      if (is_whole(dim) && is_whole(next) && next.out_stride == dim.out_stride * dim.extent &&
          next.in_stride == dim.in_stride * dim.extent) {
        dim.extent *= next.extent;
        dim.runs.run[0].length = dim.extent;
        continue;
      }
    }
    call->dim[kept++] = next;
  }
  call->n = kept;
}

// The elements along dimension 0 that one access can write.
int items_of(const RunsCall& call) {
  const RunDim& row = call.dim[0];
  if (call.n == 0 || row.out_stride != 1 || row.extent < kRunItems) return 1;
  WordWidth width;
  width.divide(call.out);
  for (int d = 1; d < call.n; ++d) width.divide(call.dim[d].out_stride * call.width);
  return std::max(1, std::min(width.bytes() / call.width, kRunItems));
}

// Whether the dimensions are few, and all numbers and offsets fit 32 bits; then makes the short call.
bool shorten(const RunsCall& call, int items, ShortRuns* runs) {
  constexpr int64_t kMost = INT32_MAX;
  if (call.numel > kMost || call.n > ShortRuns::kMostDims) return false;
  int64_t out_span = 0, in_span = 0;
  runs->n = call.n;
  runs->out = call.out;
  runs->in = call.in;
  for (int d = 0; d < call.n; ++d) {
    const RunDim& from = call.dim[d];
    ShortDim& dim = runs->dim[d];
    int64_t most = 0;  // of the positions of the input
    for (int i = 0; i < ShortDim::kRuns; ++i) {
      dim.begin[i] = static_cast<int32_t>(kMost);
      if (i >= from.runs.count) continue;
      const diopi::Run& run = from.runs.run[i];
      dim.begin[i] = static_cast<int32_t>(run.out);
      dim.in[i] = -1;
      if (run.in == diopi::Run::kOutside) continue;
      most = std::max({most, run.in, run.in + (run.length - 1) * run.step});
      if (most > kMost || std::abs(run.in - run.out * run.step) > kMost) return false;
      dim.step[i] = static_cast<int32_t>(run.step);
      dim.in[i] = static_cast<int32_t>(run.in - run.out * run.step);
    }
    out_span += std::abs(from.out_stride) * (from.extent - 1);
    in_span += std::abs(from.in_stride) * most;
    if (from.out_stride > kMost || from.in_stride > kMost || out_span > kMost || in_span > kMost) return false;
    dim.extent = Divider(static_cast<uint32_t>(from.extent));
    dim.out_stride = static_cast<int32_t>(from.out_stride);
    dim.in_stride = static_cast<int32_t>(from.in_stride);
  }
  const int64_t extent = call.n > 0 ? call.dim[0].extent : 1, groups = (extent + items - 1) / items;
  runs->groups = Divider(static_cast<uint32_t>(groups));
  runs->threads = static_cast<uint32_t>(call.numel / extent * groups);
  return true;
}

// The same for tensors of any size and any dimensions.
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
  RunsCall merged = call;
  merge_dims(&merged);
  ShortRuns runs{};
  const int items = items_of(merged);
  const bool is_short = shorten(merged, items, &runs);
  return diopi::for_itemsize(call.width, [&](auto tag) {
    using T = AlignedWord<diopi::tagged<decltype(tag)>>;
    T outside;
    std::memcpy(&outside, number, sizeof(T));
    if (!is_short) return launch(copy_runs_of<T>, grid_for(call.numel), kBlock, 0, stream, merged, outside);
    constexpr int kPair = sizeof(T) <= 8 ? 2 : 1, kFour = sizeof(T) <= 4 ? 4 : 1;
    const auto kernel = items == 4   ? copy_short_runs<T, kFour>
                        : items == 2 ? copy_short_runs<T, kPair>
                                     : copy_short_runs<T, 1>;
    return launch(kernel, blocks_for(runs.threads, kBlock * (kRunItems / items)), kBlock, 0, stream, runs, outside);
  });
}

}  // namespace impl::cuda
