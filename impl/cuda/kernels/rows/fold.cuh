// SPDX-License-Identifier: BSD-3-Clause
// Folds of rows. Each thread folds a few elements of a piece of a row; the threads of a piece merge their results as a
// tree, and further launches merge the pieces in the same way.
//
// An operation has
//   kInputs, kOutputs        the operands
//   kOrdered                 whether it counts positions, in the row-major order of the folded dimensions
//   Value                    the type in which elements are read
//   Part, Running            a partial result, without initialisers; what a thread keeps while it folds elements
//   identity(), start()      the result of nothing
//   kPasses                  how often a thread reads its elements; 1 if it is not defined
//   add(&running, x, i)      folds element i of a row; x[k] is the element of input k
//   begin_pass(&running)     is called before the second pass, if there is one
//   close(running) -> Part
//   merge(&a, b)
//   finish(part, length, write)  calls write(j, value) for each output j
#ifndef IMPL_CUDA_KERNELS_ROWS_FOLD_CUH_
#define IMPL_CUDA_KERNELS_ROWS_FOLD_CUH_

#include "impl/common/workspace.hpp"
#include "impl/cuda/engine/scratch.hpp"
#include "impl/cuda/kernels/launch.cuh"
#include "impl/cuda/kernels/rows/calls.hpp"
#include "impl/cuda/kernels/rows/columns.cuh"
#include "impl/cuda/kernels/rows/inputs.cuh"
#include "impl/cuda/kernels/rows/stored.cuh"

namespace impl::cuda {

// The elements of a row.
template <class Op>
struct RowElements {
  diopi::LoopNest<Op::kInputs> rows, row;
  Sources<Op::kInputs> in;

  __device__ typename Op::Part fold(const Op& op, const FoldSplit&, int64_t row_index, int64_t begin, int64_t end,
                                    int step) const {
    int64_t base[Op::kInputs], offset[Op::kInputs];
    offsets_at(rows, row_index, base);
    auto running = op.start();
    for (int pass = 0; pass < passes_of<Op>; ++pass) {
      if constexpr (passes_of < Op >> 1) {
        if (pass > 0) op.begin_pass(&running);
      }
      for (int64_t i = begin; i < end; i += step) {
        offsets_at(row, i, offset);
        typename Op::Value x[Op::kInputs];
        for (int k = 0; k < Op::kInputs; ++k) x[k] = in.template read<typename Op::Value>(k, base[k] + offset[k]);
        op.add(&running, x, i);
      }
    }
    return op.close(running);
  }
};

// The results of the pieces of a row; those of one piece of all rows are adjacent.
template <class Op>
struct RowParts {
  const typename Op::Part* parts;
  int64_t rows;

  __device__ typename Op::Part fold(const Op& op, const FoldSplit&, int64_t row_index, int64_t begin, int64_t end,
                                    int step) const {
    constexpr int kLoads = sizeof(typename Op::Part) > 16 ? 2 : 4;
    auto all = op.identity();
    for (int64_t first = begin; first < end; first += kLoads * step) {
      typename Op::Part part[kLoads];
      DIOPI_UNROLL
      for (int j = 0; j < kLoads; ++j) {
        const int64_t i = first + j * step;
        part[j] = i < end ? parts[i * rows + row_index] : op.identity();
      }
      DIOPI_UNROLL
      for (int j = 0; j < kLoads; ++j) op.merge(&all, part[j]);
    }
    return all;
  }
};

// Where the results of a launch go.
template <class Op>
struct FoldResults {
  diopi::LoopNest<Op::kOutputs> rows;
  Targets<Op::kOutputs> out;
  typename Op::Part* parts;  // of the pieces; null: rows have one piece
  typename Op::Part* last;   // of the rows; null: the results go to `out`
  // Counts the finished pieces of each tile, from 0 and back to 0: the last block merges them. Null: another launch
  // does.
  unsigned* tickets;
  int64_t length;  // of the rows of elements

  __device__ void write(const Op& op, int64_t row, const typename Op::Part& part) const {
    if (last != nullptr) {
      last[row] = part;
      return;
    }
    int64_t offset[Op::kOutputs];
    offsets_at(rows, row, offset);
    op.finish(part, length, [&](int j, const auto& value) { out.write(j, offset[j], value); });
  }
};

// Merges the results of `lanes` lanes, a power of two. Those of one lane are adjacent, and become the merged ones in
// lane 0. Threads other than the one that reads a merged result wait before they do.
template <class Op>
__device__ void merge_lanes(const Op& op, typename Op::Part* all, int count, int lanes) {
  for (int half = lanes / 2; half > 0; half /= 2) {
    __syncthreads();
    for (int i = static_cast<int>(threadIdx.x); i < half * count; i += static_cast<int>(blockDim.x)) {
      op.merge(&all[i], all[i + half * count]);
    }
  }
}

// Whether this block is the last one of its tile. What the other blocks have written is visible then.
__device__ inline bool is_last_of_tile(unsigned* ticket, int64_t pieces) {
  DIOPI_SHARED(bool, is_last, [1]);
  __syncthreads();
  if (threadIdx.x == 0) {
    __threadfence();
    *is_last = atomicAdd(ticket, 1u) + 1 == static_cast<unsigned>(pieces);
    __threadfence();
    if (*is_last) *ticket = 0;
  }
  __syncthreads();
  return *is_last;
}

template <class Op, class Rows>
__global__ void __launch_bounds__(kMostFoldThreads, 1)
    fold_rows(Op op, FoldSplit split, Rows rows, FoldResults<Op> results) {
  using Part = typename Op::Part;
  constexpr int kItems = rows_of_item<Rows>;
  DIOPI_DYNAMIC_SHARED(Part, all);
  const int slots = split.slots, count = slots * kItems, thread = static_cast<int>(threadIdx.x);
  const int lane = split.across ? thread / slots : thread % split.lanes;
  const int slot = split.across ? thread % slots : thread / split.lanes;
  const int64_t num_rows = split.rows * kItems;
  for (int64_t block = blockIdx.x; block < split.tiles * split.pieces; block += gridDim.x) {
    int64_t piece = block;
    const int64_t tile = split_index(&piece, split.tiles), item = tile * slots + slot, begin = piece * split.piece;
    const int64_t end = begin + split.piece < split.length ? begin + split.piece : split.length;
    Part* const own = all + lane * count + slot * kItems;
    if (item >= split.rows) {
      for (int k = 0; k < kItems; ++k) own[k] = op.identity();
    } else if constexpr (kItems == 1) {
      *own = rows.fold(op, split, item, begin + lane, end, split.lanes);
    } else {
      rows.fold(op, item, begin + lane, end, split.lanes, own);
    }
    merge_lanes(op, all, count, split.lanes);
    if (kItems > 1 && split.lanes == 1) __syncthreads();
    const int64_t first = tile * count;  // row of the tile
    const auto rows_left = static_cast<int>(num_rows - first < count ? num_rows - first : count);
    for (int i = thread; i < rows_left; i += static_cast<int>(blockDim.x)) {
      if (results.parts != nullptr) {
        results.parts[piece * num_rows + first + i] = all[i];
      } else {
        results.write(op, first + i, all[i]);
      }
    }
    if (results.tickets != nullptr && is_last_of_tile(results.tickets + tile, split.pieces)) {
      const int lanes = static_cast<int>(blockDim.x) / count, of_row = thread % count;
      const RowParts<Op> parts{results.parts, num_rows};
      all[thread] = of_row < rows_left ? parts.fold(op, split, first + of_row, thread / count, split.pieces, lanes)
                                       : op.identity();
      merge_lanes(op, all, count, lanes);
      if (thread < rows_left) results.write(op, first + thread, all[thread]);
    }
    __syncthreads();  // before the next block of the grid uses the shared memory
  }
}

template <class Op, class Rows>
Status launch_fold(diopiContextHandle_t ctx, const Op& op, const FoldSplit& split, const Rows& rows,
                   const FoldResults<Op>& results) {
  const size_t shared = split.threads() * rows_of_item<Rows> * sizeof(typename Op::Part);
  return launch_blocks_with(ctx, fold_rows<Op, Rows>, split.tiles * split.pieces, split.threads(), shared, op, split,
                            rows, results);
}

// Folds the pieces of all rows, and merges their results until each row has one, which goes to `last`, or to the
// outputs if it is null.
template <class Op, class Rows>
Status fold_pieces(diopiContextHandle_t ctx, const Op& op, FoldSplit split, const Rows& rows, FoldResults<Op> results,
                   typename Op::Part* last) {
  const int64_t num_rows = split.rows * rows_of_item<Rows>;
  const int64_t bytes = num_rows * split.pieces * static_cast<int64_t>(sizeof(typename Op::Part));
  results.last = last;
  if (split.pieces > 1 && split.tiles <= StreamScratch::kTickets && bytes <= StreamScratch::kBytes &&
      split.slots * rows_of_item<Rows> <= split.threads()) {
    StreamScratch scratch;
    DIOPI_TRY(scratch_of(ctx, &scratch));
    results.parts = reinterpret_cast<typename Op::Part*>(scratch.memory);
    results.tickets = scratch.tickets;
    return launch_fold(ctx, op, split, rows, results);
  }
  const auto next_parts = [&]() -> Status {
    results.parts = nullptr;
    return split.pieces > 1 ? diopi::Workspace(ctx).take(num_rows * split.pieces, &results.parts)
                            : Status(diopiSuccess);
  };
  DIOPI_TRY(next_parts());
  DIOPI_TRY(launch_fold(ctx, op, split, rows, results));
  while (split.pieces > 1) {
    const RowParts<Op> parts{results.parts, num_rows};
    split = FoldSplit::of_parts(num_rows, split.pieces);
    DIOPI_TRY(next_parts());
    DIOPI_TRY(launch_fold(ctx, op, split, parts, results));
  }
  return diopiSuccess;
}

// The loops over the dimensions that are kept and over those of `mask`.
template <int kCount>
void split_loops(const Dims& shape, uint32_t mask, const Dims* strides, diopi::LoopNest<kCount>* rows,
                 diopi::LoopNest<kCount>* row) {
  for (int dim = shape.n - 1; dim >= 0; --dim) {
    diopi::LoopNest<kCount>& nest = (mask >> dim & 1) != 0 ? *row : *rows;
    diopi::Loop<kCount>& loop = nest.loop[nest.n++];
    loop.extent = shape[dim];
    for (int k = 0; k < kCount; ++k) loop.stride[k] = strides[k][dim];
  }
  rows->drop_ones();
  row->drop_ones();
}

// Puts the loop with the smallest step of an operand inside.
template <class Nest>
void sort_by_stride(Nest* nest, int operand) {
  nest->sort(
      [operand](const auto& a, const auto& b) { return std::abs(a.stride[operand]) > std::abs(b.stride[operand]); });
}

// Whether adjacent threads should have adjacent rows: their elements are nearer to each other than those of a row.
template <int kCount>
bool is_across(const diopi::LoopNest<kCount>& rows, const diopi::LoopNest<kCount>& row) {
  constexpr int64_t kFewRows = 32;
  if (row.n == 0) return true;
  if (rows.n == 0 || rows.numel() < kFewRows) return false;
  return std::abs(rows.inner_stride()) < std::abs(row.inner_stride());
}

// The strides of an output in the dimensions of `shape`; 0 for those that are folded.
inline Dims kept_strides(const TensorView& out, const Dims& shape, uint32_t mask) {
  Dims strides;
  const bool keeps = out.ndim() == shape.n;
  int at = 0;
  for (int dim = 0; dim < shape.n; ++dim) {
    const bool folded = (mask >> dim & 1) != 0;
    strides.push_back(folded || out.data == nullptr ? 0 : out.stride[keeps ? dim : at]);
    if (!folded) ++at;
  }
  return strides;
}

template <int kCount>
Sources<kCount> sources_of(const RowInput* in, const Dims& shape, Dims* strides) {
  Sources<kCount> sources;
  for (int k = 0; k < kCount; ++k) {
    const bool given = in[k].view.data != nullptr;
    sources.data[k] = in[k].view.data;
    sources.dtype[k] = in[k].view.dtype;
    sources.number[k] = in[k].number;
    if (given && in[k].view.ndim() == 0 && on_host(in[k].view.data)) {
      sources.number[k] = load_as<double>(in[k].view.data, 0, in[k].view.dtype);
      sources.data[k] = nullptr;
    }
    if (given) {
      strides[k] = in[k].view.expand(shape).stride;
    } else {
      strides[k].n = shape.n;
      for (int i = 0; i < shape.n; ++i) strides[k][i] = 0;
    }
  }
  return sources;
}

// Folds rows of one input, if there are kernels for their stored type and strides. `*done` says whether there are.
template <class Op>
Status fold_stored(diopiContextHandle_t ctx, const Op& op, int64_t num_rows, const RowElements<Op>& elements,
                   const FoldResults<Op>& results, bool* done) {
  const char* const data = elements.in.data[0];
  if (data == nullptr) return diopiSuccess;
  const bool across = is_across(elements.rows, elements.row);
  Status status = diopiSuccess;
  visit_listed(typename StoredOf<Op>::type(), elements.in.dtype[0], [&](auto tag) {
    using S = decltype(tag);
    RowPacks<Op, S> packs;
    RowColumns<Op, S> columns;
    constexpr int kItems = RowColumns<Op, S>::kItems;
    const auto fold = [&](const FoldSplit& split, const auto& stored) {
      *done = true;
      status = fold_pieces(ctx, op, split, stored, results, nullptr);
    };
    if (!across && packs.find(elements.rows, elements.row, data)) {
      fold(FoldSplit::of_packs(num_rows, packs.count()), packs);
    } else if (across && columns.find(elements.rows, elements.row, data)) {
      constexpr int kLeastSlots = 8;  // 128 bytes
      if constexpr (kItems > 1) {
        fold(FoldSplit::of_columns(num_rows / kItems, results.length, kLeastSlots), columns);
      }
    } else if (elements.row.n <= 1) {
      const RowLines<Op, S> lines{elements.rows, reinterpret_cast<const S*>(data), elements.row.inner_stride()};
      fold(across ? FoldSplit::of_columns(num_rows, results.length) : FoldSplit(num_rows, results.length, false),
           lines);
    }
  });
  return status;
}

// The same for rows of several inputs.
template <class Op>
Status fold_inputs(diopiContextHandle_t ctx, const Op& op, int64_t num_rows, const RowElements<Op>& elements,
                   const FoldResults<Op>& results, bool* done) {
  const bool across = is_across(elements.rows, elements.row);
  Status status = diopiSuccess;
  visit_listed(typename StoredOf<Op>::type(), elements.in.dtype[0], [&](auto tag) {
    RowInputs<Op, decltype(tag)> inputs{};
    if (!inputs.find(elements.rows, elements.row, elements.in)) return;
    *done = true;
    const FoldSplit split =
        across ? FoldSplit::of_columns(num_rows, results.length) : FoldSplit(num_rows, results.length, false);
    status = fold_pieces(ctx, op, split, inputs, results, nullptr);
  });
  return status;
}

template <class Op>
Status run_fold(diopiContextHandle_t ctx, const Op& op, const FoldCall& call) {
  TensorView out[Op::kOutputs];
  DIOPI_TRY(separate_outputs(ctx, {call.in, Op::kInputs, call.out, Op::kOutputs, false}, out));
  RowElements<Op> elements{};
  Dims in_strides[Op::kInputs], out_strides[Op::kOutputs];
  elements.in = sources_of<Op::kInputs>(call.in, call.shape, in_strides);
  split_loops(call.shape, call.mask, in_strides, &elements.rows, &elements.row);
  elements.rows.merge();
  if (!Op::kOrdered) sort_by_stride(&elements.row, 0);
  elements.row.merge();
  FoldResults<Op> results{};
  for (int j = 0; j < Op::kOutputs; ++j) {
    results.out.data[j] = out[j].data;
    results.out.dtype[j] = out[j].dtype;
    out_strides[j] = kept_strides(out[j], call.shape, call.mask);
  }
  diopi::LoopNest<Op::kOutputs> folded;
  split_loops(call.shape, call.mask, out_strides, &results.rows, &folded);
  results.rows.merge();
  results.length = 1;
  int64_t rows = 1;
  for (int dim = 0; dim < call.shape.n; ++dim) ((call.mask >> dim & 1) != 0 ? results.length : rows) *= call.shape[dim];
  if (rows == 0) return diopiSuccess;
  bool done = false;
  if constexpr (Op::kInputs == 1) {
    DIOPI_TRY(fold_stored(ctx, op, rows, elements, results, &done));
  } else if constexpr (passes_of<Op> == 1) {
    DIOPI_TRY(fold_inputs(ctx, op, rows, elements, results, &done));
  }
  if (!done) {
    const FoldSplit split(rows, results.length, is_across(elements.rows, elements.row));
    DIOPI_TRY(fold_pieces(ctx, op, split, elements, results, nullptr));
  }
  return copy_to_outputs(ctx, {call.in, Op::kInputs, call.out, Op::kOutputs, false}, out);
}

}  // namespace impl::cuda

#endif  // IMPL_CUDA_KERNELS_ROWS_FOLD_CUH_
