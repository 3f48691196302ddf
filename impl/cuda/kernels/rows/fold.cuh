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
#include "impl/cuda/kernels/launch.cuh"
#include "impl/cuda/kernels/rows/calls.hpp"
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

  __device__ typename Op::Part fold(const Op& op, const FoldSplit& split, int64_t row_index, int64_t begin, int64_t end,
                                    int step) const {
    constexpr int kLoads = sizeof(typename Op::Part) > 16 ? 2 : 4;
    auto all = op.identity();
    for (int64_t first = begin; first < end; first += kLoads * step) {
      typename Op::Part part[kLoads];
      DIOPI_UNROLL
      for (int j = 0; j < kLoads; ++j) {
        const int64_t i = first + j * step;
        part[j] = i < end ? parts[i * split.rows + row_index] : op.identity();
      }
      DIOPI_UNROLL
      for (int j = 0; j < kLoads; ++j) op.merge(&all, part[j]);
    }
    return all;
  }
};

template <class Op>
struct FoldResults {
  diopi::LoopNest<Op::kOutputs> rows;
  Targets<Op::kOutputs> out;
  typename Op::Part* parts;  // null: the results are final
  int64_t length;            // of the rows of elements
};

// Merges the results of the lanes of each piece. The result is that of lane 0.
template <class Op>
__device__ void merge_lanes(const Op& op, const FoldSplit& split, typename Op::Part* all, int lane, int slot) {
  const int slots = kFoldThreads / split.lanes;
  const int step = split.across ? slots : 1;  // from a lane to the next one
  typename Op::Part* const own = all + (split.across ? lane * slots + slot : slot * split.lanes + lane);
  for (int half = split.lanes / 2; half > 0; half /= 2) {
    __syncthreads();
    if (lane < half) op.merge(own, own[half * step]);
  }
}

template <class Op, class Rows>
__global__ void fold_rows(Op op, FoldSplit split, Rows rows, FoldResults<Op> results) {
  using Part = typename Op::Part;
  DIOPI_SHARED(Part, all, [kFoldThreads]);
  const int slots = kFoldThreads / split.lanes, thread = static_cast<int>(threadIdx.x);
  const int lane = split.across ? thread / slots : thread % split.lanes;
  const int slot = split.across ? thread % slots : thread / split.lanes;
  const int64_t items = split.rows * split.pieces, step = static_cast<int64_t>(gridDim.x) * slots;
  for (int64_t first = static_cast<int64_t>(blockIdx.x) * slots; first < items; first += step) {
    const int64_t item = first + slot;
    int64_t begin = item;
    const int64_t row = split_index(&begin, split.rows);
    begin *= split.piece;
    const int64_t end = begin + split.piece < split.length ? begin + split.piece : split.length;
    all[thread] = item < items ? rows.fold(op, split, row, begin + lane, end, split.lanes) : op.identity();
    merge_lanes(op, split, all, lane, slot);
    if (lane == 0 && item < items) {
      if (results.parts != nullptr) {
        results.parts[item] = all[thread];
      } else {
        int64_t offset[Op::kOutputs];
        offsets_at(results.rows, row, offset);
        op.finish(all[thread], results.length,
                  [&](int j, const auto& value) { results.out.write(j, offset[j], value); });
      }
    }
    if (split.lanes > 1) __syncthreads();  // before the next items use the shared memory
  }
}

template <class Op, class Rows>
Status launch_fold(diopiContextHandle_t ctx, const Op& op, const FoldSplit& split, const Rows& rows,
                   const FoldResults<Op>& results) {
  const int64_t slots = kFoldThreads / split.lanes, blocks = (split.rows * split.pieces + slots - 1) / slots;
  return launch_blocks(ctx, fold_rows<Op, Rows>, blocks, kFoldThreads, op, split, rows, results);
}

// Folds the pieces of all rows, and merges their results until each row has one, which goes to `last`, or to the
// outputs if it is null.
template <class Op, class Rows>
Status fold_pieces(diopiContextHandle_t ctx, const Op& op, FoldSplit split, const Rows& rows, FoldResults<Op> results,
                   typename Op::Part* last) {
  const auto next_parts = [&]() -> Status {
    results.parts = last;
    return split.pieces > 1 ? diopi::Workspace(ctx).take(split.rows * split.pieces, &results.parts)
                            : Status(diopiSuccess);
  };
  DIOPI_TRY(next_parts());
  DIOPI_TRY(launch_fold(ctx, op, split, rows, results));
  while (split.pieces > 1) {
    const RowParts<Op> parts{results.parts};
    split = FoldSplit::of_parts(split.rows, split.pieces);
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
    if (!across && packs.find(elements.rows, elements.row, data)) {
      *done = true;
      status = fold_pieces(ctx, op, FoldSplit::of_packs(num_rows, packs.count()), packs, results, nullptr);
    } else if (elements.row.n <= 1) {
      *done = true;
      const RowLines<Op, S> lines{elements.rows, reinterpret_cast<const S*>(data), elements.row.inner_stride()};
      const FoldSplit split =
          across ? FoldSplit::of_columns(num_rows, results.length) : FoldSplit(num_rows, results.length, false);
      status = fold_pieces(ctx, op, split, lines, results, nullptr);
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
