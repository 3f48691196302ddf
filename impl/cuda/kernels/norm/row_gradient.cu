// SPDX-License-Identifier: BSD-3-Clause
// The gradients of normalisations of rows, as of layers: those of the elements and the sums over the rows in one pass.
// A worker, some lanes of a block, takes a few rows at a time and keeps the sums of its columns; a second launch adds
// the sums of all workers. The rows of a worker depend on the shape and the stored type only.
#include <algorithm>

#include "impl/common/shape.hpp"
#include "impl/common/workspace.hpp"
#include "impl/cuda/kernels/norm/channel_rows.cuh"
#include "impl/cuda/kernels/norm/norm.hpp"

namespace impl::cuda {

namespace {

constexpr int kMostLanes = 512, kLeastThreads = 128, kMostPacks = 4;
constexpr int kColumns = 16, kColumnLanes = 32;  // of a block that adds the sums of the workers

enum Input { kWeight, kInputs };
enum Output { kGradWeight, kGradBias, kOutputs };
using Vectors = ChannelVectors<kInputs, kOutputs>;

struct RowGradients {
  static constexpr int kStrided = 5;  // the gradient of the output, the input, that of the input, mean, inverse
  const char *grad_output, *input;
  char* grad_input;  // null: not wanted
  int64_t step[kStrided];
  Vectors vectors;
  Sources<2> statistics;  // mean and inverse deviation of each row
  float* parts;           // [workers, 2, columns]; null: not wanted
  int64_t rows, rows_each, workers, columns;
  int32_t packs, lanes;  // of a row
  int64_t centred;
};

// Sums over the lanes of a worker, for each of them. The next call must use other memory.
template <int kCount>
__device__ void sum_lanes(int lanes, float (&sums)[kCount], Pack<float, kCount>* all) {
  const int width = lanes < kRowWarp ? lanes : kRowWarp;
  DIOPI_UNROLL
  for (int k = 0; k < kCount; ++k) {
    for (int bits = width / 2; bits > 0; bits /= 2) sums[k] += __shfl_xor_sync(0xFFFFFFFFu, sums[k], bits);
  }
  if (lanes <= kRowWarp) return;
  const int warp = static_cast<int>(threadIdx.x) / kRowWarp, warps = lanes / kRowWarp, first = warp / warps * warps;
  if (threadIdx.x % kRowWarp == 0) {
    DIOPI_UNROLL
    for (int k = 0; k < kCount; ++k) all[warp].v[k] = sums[k];
  }
  __syncthreads();
  repeat_item(0.0f, sums);
  for (int i = 0; i < warps; ++i) {
    const Pack<float, kCount> part = all[first + i];
    DIOPI_UNROLL
    for (int k = 0; k < kCount; ++k) sums[k] += part.v[k];
  }
}

// A number of a vector that is stored as float or as S, or the same number for all.
template <typename S>
__device__ inline float stored_number(const char* data, diopiDtype_t dtype, double number, int64_t at) {
  if (data == nullptr) return static_cast<float>(number);
  return dtype == diopi_dtype_float32 ? reinterpret_cast<const float*>(data)[at]
                                      : convert<float>(reinterpret_cast<const S*>(data)[at]);
}

// The weights and the sums of the columns that a thread has: kPacks packs.
template <typename S, int kPacks>
struct RowColumns {
  static constexpr int kItems = 16 / sizeof(S);
  float weight[kPacks][kItems];
  double g[kPacks][kItems], gh[kPacks][kItems];

  __device__ RowColumns(const RowGradients& p, int lane) {
    const auto& in = p.vectors.in;
    DIOPI_UNROLL
    for (int q = 0; q < kPacks; ++q) {
      const int at = lane + q * p.lanes;
      DIOPI_UNROLL
      for (int i = 0; i < kItems; ++i) {
        const int64_t column = (int64_t{at} * kItems + i) * p.vectors.in_step[kWeight];
        weight[q][i] = at < p.packs ? stored_number<S>(in.data[0], in.dtype[0], in.number[0], column) : 0;
        g[q][i] = gh[q][i] = 0;
      }
    }
  }
  __device__ void store(const RowGradients& p, int lane, float* parts) const {
    DIOPI_UNROLL
    for (int q = 0; q < kPacks; ++q) {
      const int at = lane + q * p.lanes;
      if (at >= p.packs) continue;
      store_items(parts + int64_t{at} * kItems, gh[q]);
      store_items(parts + p.columns + int64_t{at} * kItems, g[q]);
    }
  }
};

// The elements of kRows rows that a thread has.
template <typename S, int kPacks, int kRows>
struct RowTile {
  static constexpr int kItems = 16 / sizeof(S);
  using Columns = RowColumns<S, kPacks>;
  Pack<S, kItems> g[kRows][kPacks], x[kRows][kPacks];
  float mean[kRows], inverse[kRows];

  // Elements of rows that the worker does not have are 0.
  __device__ void load(const RowGradients& p, int64_t first, int64_t end, int lane) {
    const auto& in = p.statistics;
    DIOPI_UNROLL
    for (int r = 0; r < kRows; ++r) {
      const int64_t row = first + r;
      mean[r] = inverse[r] = 0;
      DIOPI_UNROLL
      for (int q = 0; q < kPacks; ++q) g[r][q] = x[r][q] = {};
      if (row >= end) continue;
      DIOPI_UNROLL
      for (int q = 0; q < kPacks; ++q) {
        const int at = lane + q * p.lanes;
        if (at >= p.packs) continue;
        g[r][q] = reinterpret_cast<const Pack<S, kItems>*>(p.grad_output + row * p.step[0] * sizeof(S))[at];
        x[r][q] = reinterpret_cast<const Pack<S, kItems>*>(p.input + row * p.step[1] * sizeof(S))[at];
      }
      mean[r] = stored_number<S>(in.data[0], in.dtype[0], in.number[0], row * p.step[3]);
      inverse[r] = stored_number<S>(in.data[1], in.dtype[1], in.number[1], row * p.step[4]);
    }
  }
  __device__ float gradient(int r, int q, int i) const { return convert<float>(g[r][q].v[i]); }
  __device__ float normal(int r, int q, int i) const { return (convert<float>(x[r][q].v[i]) - mean[r]) * inverse[r]; }

  __device__ void add_to(Columns* columns) const {
    DIOPI_UNROLL
    for (int q = 0; q < kPacks; ++q) {
      DIOPI_UNROLL
      for (int i = 0; i < kItems; ++i) {
        float sum_g = 0, sum_gh = 0;
        DIOPI_UNROLL
        for (int r = 0; r < kRows; ++r) {
          sum_g += gradient(r, q, i);
          sum_gh += gradient(r, q, i) * normal(r, q, i);
        }
        columns->g[q][i] += sum_g;
        columns->gh[q][i] += sum_gh;
      }
    }
  }
  // The sums of the thread's elements of each row: of g w and of g w h.
  __device__ void add_rows(const Columns& columns, float (&sums)[2 * kRows]) const {
    repeat_item(0.0f, sums);
    DIOPI_UNROLL
    for (int r = 0; r < kRows; ++r) {
      DIOPI_UNROLL
      for (int q = 0; q < kPacks; ++q) {
        DIOPI_UNROLL
        for (int i = 0; i < kItems; ++i) {
          const float product = gradient(r, q, i) * columns.weight[q][i];
          sums[2 * r] += product;
          sums[2 * r + 1] += product * normal(r, q, i);
        }
      }
    }
  }
  __device__ void store(const RowGradients& p, const Columns& columns, const float (&sums)[2 * kRows], int64_t first,
                        int64_t end, int lane) const {
    const float scale = 1.0f / static_cast<float>(p.columns);
    DIOPI_UNROLL
    for (int r = 0; r < kRows; ++r) {
      const float mean_g = p.centred != 0 ? sums[2 * r] * scale : 0, mean_gh = sums[2 * r + 1] * scale;
      if (first + r >= end) continue;
      DIOPI_UNROLL
      for (int q = 0; q < kPacks; ++q) {
        const int at = lane + q * p.lanes;
        if (at >= p.packs) continue;
        float y[kItems];
        DIOPI_UNROLL
        for (int i = 0; i < kItems; ++i) {
          const float rest = gradient(r, q, i) * columns.weight[q][i] - mean_g;
          y[i] = (rest - normal(r, q, i) * mean_gh) * inverse[r];
        }
        store_items(reinterpret_cast<S*>(p.grad_input) + (first + r) * p.step[2] + at * kItems, y);
      }
    }
  }
};

template <typename S, int kPacks, int kRows>
__global__ void __launch_bounds__(kMostLanes, sizeof(S) == 4 && kPacks == 1 ? 2 : 1)
    compute_row_gradients(RowGradients p) {
  using Parts = Pack<float, 2 * kRows>;
  DIOPI_SHARED(Parts, all, [2][kMostLanes / kRowWarp]);
  const int lane = static_cast<int>(threadIdx.x) % p.lanes, slot = static_cast<int>(threadIdx.x) / p.lanes;
  const int64_t worker = static_cast<int64_t>(blockIdx.x) * (static_cast<int>(blockDim.x) / p.lanes) + slot;
  const int64_t begin = worker * p.rows_each, end = begin + p.rows_each < p.rows ? begin + p.rows_each : p.rows;
  RowColumns<S, kPacks> columns(p, lane);
  int turn = 0;
  for (int64_t row = begin; row < begin + p.rows_each; row += kRows, turn ^= 1) {
    RowTile<S, kPacks, kRows> tile;
    tile.load(p, row, end, lane);
    tile.add_to(&columns);
    if (p.grad_input == nullptr) continue;
    float sums[2 * kRows];
    tile.add_rows(columns, sums);
    sum_lanes(p.lanes, sums, all[turn]);
    tile.store(p, columns, sums, row, end, lane);
  }
  if (p.parts != nullptr && worker < p.workers) columns.store(p, lane, p.parts + worker * 2 * p.columns);
}

// Adds the sums of the workers: kColumns numbers of a worker in a block.
__global__ void __launch_bounds__(kColumns* kColumnLanes, 2) add_workers(RowGradients p) {
  constexpr int kLoads = 8;
  DIOPI_SHARED(double, all, [kColumnLanes][kColumns + 1]);
  const int column = static_cast<int>(threadIdx.x) % kColumns, lane = static_cast<int>(threadIdx.x) / kColumns;
  const int64_t at = static_cast<int64_t>(blockIdx.x) * kColumns + column, numbers = 2 * p.columns;
  double sum = 0;
  for (int64_t first = lane; first < p.workers; first += kLoads * kColumnLanes) {
    float part[kLoads];
    DIOPI_UNROLL
    for (int j = 0; j < kLoads; ++j) {
      const int64_t worker = first + j * kColumnLanes;
      part[j] = worker < p.workers && at < numbers ? p.parts[worker * numbers + at] : 0;
    }
    DIOPI_UNROLL
    for (int j = 0; j < kLoads; ++j) sum += part[j];
  }
  all[lane][column] = sum;
  for (int half = kColumnLanes / 2; half > 0; half /= 2) {
    __syncthreads();
    if (lane < half) all[lane][column] += all[lane + half][column];
  }
  if (lane != 0 || at >= numbers) return;
  p.vectors.write(at < p.columns ? kGradWeight : kGradBias, at % p.columns, all[0][column]);
}

// Divides the rows among as many workers as large GPUs run at a time: more would leave more sums to add.
void divide(RowGradients* p, int rows_at_once) {
  constexpr int64_t kMultiprocessors = 132, kThreads = 1024;
  const int64_t most = kMultiprocessors * (kThreads / p->lanes);
  const int64_t each = (p->rows + most - 1) / most;
  p->rows_each = (each + rows_at_once - 1) / rows_at_once * rows_at_once;
  p->workers = (p->rows + p->rows_each - 1) / p->rows_each;
}

template <typename S, int kPacks, int kRows>
Status launch_row_gradients(diopiContextHandle_t ctx, RowGradients p) {
  const int lanes = (p.packs + kPacks - 1) / kPacks;
  p.lanes = 1;
  while (p.lanes < lanes && p.lanes < kRowWarp) p.lanes *= 2;
  if (lanes > kRowWarp) p.lanes = (lanes + kRowWarp - 1) / kRowWarp * kRowWarp;
  divide(&p, kRows);
  const bool sums = p.vectors.out.data[0] != nullptr || p.vectors.out.data[1] != nullptr;
  if (sums) DIOPI_TRY(diopi::Workspace(ctx).take(p.workers * 2 * p.columns, &p.parts));
  const int64_t slots = std::max(1, kLeastThreads / p.lanes), blocks = (p.workers + slots - 1) / slots;
  const int threads = static_cast<int>(slots) * p.lanes;
  DIOPI_TRY(launch_blocks(ctx, compute_row_gradients<S, kPacks, kRows>, blocks, threads, p));
  if (!sums) return diopiSuccess;
  return launch_blocks(ctx, add_workers, (2 * p.columns + kColumns - 1) / kColumns, kColumns * kColumnLanes, p);
}

// The loops over the first dimensions of the operands as one; false if they have more.
bool find_rows(const RowGradientCall& call, RowGradients* p) {
  constexpr int kAll = RowGradients::kStrided;
  const TensorView* const grad = call.grad_input != nullptr ? call.grad_input : &call.input;
  const TensorView* const views[kAll] = {&call.grad_output, &call.input, grad, &call.mean.view, &call.invstd.view};
  diopi::LoopNest<kAll> rows, row;
  Dims strides[kAll];
  p->columns = 1;
  for (int k = 0; k < kAll; ++k) {
    strides[k].n = call.input.ndim();
    for (int i = 0; i < strides[k].n; ++i) strides[k][i] = 0;
    if (views[k]->data != nullptr) strides[k] = views[k]->expand(call.input.shape).stride;
  }
  for (int dim = call.input.ndim() - 1; dim >= 0; --dim) {
    diopi::LoopNest<kAll>& nest = dim < call.first ? rows : row;
    diopi::Loop<kAll>& loop = nest.loop[nest.n++];
    loop.extent = call.input.shape[dim];
    for (int k = 0; k < kAll; ++k) loop.stride[k] = strides[k][dim];
    if (dim >= call.first) p->columns *= loop.extent;
  }
  rows.drop_ones();
  rows.merge();
  row.drop_ones();
  row.merge();
  if (rows.n > 1 || row.n != 1) return false;
  for (int k = 0; k < 3; ++k) {
    if (row[0].stride[k] != 1) return false;
  }
  p->rows = rows.n > 0 ? rows[0].extent : 1;
  for (int k = 0; k < kAll; ++k) p->step[k] = rows.n > 0 ? rows[0].stride[k] : 0;
  return row[0].stride[3] == 0 && row[0].stride[4] == 0;
}

bool find_operands(const RowGradientCall& call, RowGradients* p) {
  constexpr int64_t kLeastPacks = 4;
  const diopiDtype_t dtype = call.input.dtype;
  const int64_t size = call.input.itemsize(), items = 16 / size;
  if (dtype != diopi_dtype_float32 && dtype != diopi_dtype_float16 && dtype != diopi_dtype_bfloat16) return false;
  if (call.input.numel == 0 || call.grad_output.dtype != dtype || !find_rows(call, p)) return false;
  if (p->columns % items != 0 || p->columns < kLeastPacks * items || p->columns > kMostLanes * kMostPacks * 4)
    return false;
  const TensorView* const views[] = {&call.grad_output, &call.input, call.grad_input};
  for (int k = 0; k < 3; ++k) {
    if (views[k] == nullptr) continue;
    if (reinterpret_cast<uintptr_t>(views[k]->data) % 16 != 0 || p->step[k] % items != 0) return false;
    const bool separate = k == 2 || views[2] == nullptr || diopi::is_same_view(*views[k], *views[2]) ||
                          !diopi::may_overlap(*views[k], *views[2]);
    if (views[k]->dtype != dtype || !separate) return false;
  }
  const RowInput* const statistics[] = {&call.mean, &call.invstd};
  for (int k = 0; k < 2; ++k) {
    p->statistics.data[k] = statistics[k]->view.data;
    p->statistics.dtype[k] = statistics[k]->view.dtype;
    p->statistics.number[k] = statistics[k]->number;
    const diopiDtype_t stored = p->statistics.dtype[k];
    if (statistics[k]->view.data != nullptr && stored != diopi_dtype_float32 && stored != dtype) return false;
  }
  const TensorView* const weight = call.weight.view.data != nullptr ? &call.weight.view : nullptr;
  if (weight != nullptr && weight->numel != p->columns) return false;
  if (weight != nullptr && weight->dtype != diopi_dtype_float32 && weight->dtype != dtype) return false;
  p->grad_output = call.grad_output.data;
  p->input = call.input.data;
  p->grad_input = call.grad_input != nullptr ? call.grad_input->data : nullptr;
  p->packs = static_cast<int32_t>(p->columns / items);
  p->centred = call.centred ? 1 : 0;
  return p->vectors.set_input(kWeight, weight, call.weight.number) &&
         p->vectors.set_output(kGradWeight, call.grad_weight) && p->vectors.set_output(kGradBias, call.grad_bias);
}

}  // namespace

Status row_gradients(diopiContextHandle_t ctx, const RowGradientCall& call, bool* done) {
  RowGradients p{};
  if (!find_operands(call, &p)) return diopiSuccess;
  *done = true;
  Status status = diopiSuccess;
  visit_listed(diopi::TypeList<float, float16, bfloat16>(), call.input.dtype, [&](auto tag) {
    using S = decltype(tag);
    if (p.packs <= kMostLanes) {
      status = launch_row_gradients<S, 1, 2>(ctx, p);
    } else if (p.packs <= 2 * kMostLanes) {
      status = launch_row_gradients<S, 2, 1>(ctx, p);
    } else if constexpr (sizeof(S) == 4) {
      status = launch_row_gradients<S, 4, 1>(ctx, p);
    }
  });
  return status;
}

}  // namespace impl::cuda
