// SPDX-License-Identifier: BSD-3-Clause
// Rows in one launch: the threads of a block fold a row, and then compute its elements from what they found. A thread
// keeps its elements in registers between the folds; those of longer rows are read again. A few very long rows take
// several launches, in which many blocks share a row (long_rows.cuh).
//
// An operation has
//   kInputs, kOutputs, kResults  the inputs and outputs of each element, and the results of each row
//   kElements, kFolded, kNumbers the inputs: the first kElements are never broadcast along a row by packed_rows(); the
//                                folds read the first kFolded ones, and the last kNumbers, which have one element for
//                                a row
//   kFolds                       how often the rows are folded
//   kStaysNeutral                prepare() leaves neutral() neutral
//   Value                        the type in which elements are read
//   Part, State                  a partial result of a fold, without initialisers; what the folds found
//   neutral()                    an element that changes no result of the folds
//   prepare(state, x)            replaces x[0] by what the last of several folds and compute() read
//   identity(fold)               the result of nothing
//   part(fold, x)                the result of an element; x[k] is that of input k
//   merge(fold, &a, b)           for a few parts
//   start(fold), add(fold, &running, part), close(fold, running)  for many parts, one after another
//   advance(fold, &state, part, length)  takes the result of a fold
//   compute(state, x, y)         computes y[j], the element of output j
//   finish(state, write)         calls write(j, value) for each result j
//   looped()                     the operation for rows whose elements are read again for each fold
#ifndef IMPL_CUDA_KERNELS_ROWS_FUSED_CUH_
#define IMPL_CUDA_KERNELS_ROWS_FUSED_CUH_

#include "impl/cuda/kernels/rows/long_rows.cuh"
#include "impl/cuda/kernels/rows/packed_rows.cuh"

namespace impl::cuda {

constexpr int kFusedElements = 8;      // of a thread, in registers
constexpr size_t kMostHeldBytes = 32;  // of the inputs of an element: more would need local memory
constexpr int kMostLanes = 512, kMostLanesAcross = 16;

// The threads of a row and of a block. They depend on the shape and the strides only.
struct RowThreads {
  int64_t rows, length;
  int32_t lanes, threads;
  int64_t across;  // not 0: adjacent threads have adjacent rows

  RowThreads(int64_t num_rows, int64_t row_length, bool is_across)
      : rows(num_rows), length(row_length), lanes(1), threads(kFoldThreads), across(is_across ? 1 : 0) {
    const int most = is_across ? kMostLanesAcross : kMostLanes;
    while (lanes < most && lanes * kFusedElements < length) lanes *= 2;
    if (lanes > threads) threads = lanes;
  }
  bool held() const { return lanes * kFusedElements >= length; }
};

// Gives the result of all lanes of a row to each of them. The lanes of a row are in one warp if they are few.
template <class Op>
__device__ typename Op::Part fold_lanes(const Op& op, int fold, const RowThreads& split, typename Op::Part* all,
                                        const typename Op::Part& own, int lane, int slot) {
  const int slots = split.threads / split.lanes, step = split.across != 0 ? slots : 1;
  const auto wait = [&](int lanes) {
    if (split.across != 0 || lanes > kWarp) {
      __syncthreads();
    } else {
      __syncwarp();
    }
  };
  typename Op::Part* const first = all + (split.across != 0 ? slot : slot * split.lanes);
  first[lane * step] = own;
  for (int half = split.lanes / 2; half > 0; half /= 2) {
    wait(2 * half);
    if (lane < half) op.merge(fold, first + lane * step, first[(lane + half) * step]);
  }
  wait(split.lanes);
  const typename Op::Part result = *first;
  wait(split.lanes);  // before the next fold uses the shared memory
  return result;
}

template <class Op, bool kHeld>
__global__ void __launch_bounds__(kMostLanes, 1) fused_rows(Op op, RowThreads split, FusedOperands<Op> operands) {
  using T = typename Op::Value;
  constexpr int kAll = FusedOperands<Op>::kOperands;
  DIOPI_SHARED(typename Op::Part, all, [kMostLanes]);
  const int slots = split.threads / split.lanes, thread = static_cast<int>(threadIdx.x);
  const int lane = split.across != 0 ? thread / slots : thread % split.lanes;
  const int slot = split.across != 0 ? thread % slots : thread / split.lanes;
  for (int64_t first = static_cast<int64_t>(blockIdx.x) * slots; first < split.rows;
       first += static_cast<int64_t>(gridDim.x) * slots) {
    const int64_t row = first + slot, end = row < split.rows ? split.length : 0;
    int64_t base[kAll], offset[kAll];
    offsets_at(operands.rows, row < split.rows ? row : 0, base);
    const auto read = [&](int64_t i, T* x) { operands.read(base, i, offset, x); };
    T held[kHeld ? kFusedElements : 1][Op::kInputs];
    if constexpr (kHeld) {
      DIOPI_UNROLL
      for (int j = 0; j < kFusedElements; ++j) {
        if (lane + j * split.lanes < end) read(lane + j * split.lanes, held[j]);
      }
    }
    // Calls f(i, x) for the elements of the thread.
    const auto for_each = [&](const auto& f) {
      if constexpr (kHeld) {
        DIOPI_UNROLL
        for (int j = 0; j < kFusedElements; ++j) {
          if (lane + j * split.lanes < end) f(lane + j * split.lanes, held[j]);
        }
      } else {
        for (int64_t i = lane; i < end; i += split.lanes) {
          read(i, held[0]);
          f(i, held[0]);
        }
      }
    };
    typename Op::State state{};
    for (int fold = 0; fold < Op::kFolds; ++fold) {
      auto running = op.start(fold);
      for_each([&](int64_t, const T* x) {
        T y[Op::kInputs];
        for (int k = 0; k < Op::kInputs; ++k) y[k] = x[k];
        if (fold > 0 && fold + 1 == Op::kFolds) op.prepare(state, y);
        op.add(fold, &running, op.part(fold, y));
      });
      op.advance(fold, &state, fold_lanes(op, fold, split, all, op.close(fold, running), lane, slot), split.length);
    }
    const auto write = [&](int64_t i, const T* x) {
      T prepared[Op::kInputs], y[Op::kOutputs];
      for (int k = 0; k < Op::kInputs; ++k) prepared[k] = x[k];
      op.prepare(state, prepared);
      op.compute(state, prepared, y);
      if constexpr (kHeld) {
        offsets_at(operands.row, i, offset);
        for (int k = 0; k < kAll; ++k) offset[k] += base[k];
      }
      for (int j = 0; j < Op::kOutputs; ++j) operands.out.write(j, offset[Op::kInputs + j], y[j]);
    };
    if (operands.out.data[0] != nullptr) for_each(write);
    if (lane == 0 && row < split.rows) {
      int64_t place[Op::kResults];
      offsets_at(operands.result_rows, row, place);
      op.finish(state, [&](int j, const auto& value) { operands.results.write(j, place[j], value); });
    }
  }
}

template <class Op>
Status run_fused(diopiContextHandle_t ctx, const Op& op, const FusedCall& call) {
  static_assert(Op::kOutputs == 1, "FusedCall has one output");
  constexpr int kAll = FusedOperands<Op>::kOperands;
  const RowOperands views{call.in, Op::kInputs, &call.out, 1, true};
  TensorView out;
  DIOPI_TRY(separate_outputs(ctx, views, &out));
  FusedOperands<Op> operands{};
  Dims strides[kAll + Op::kResults];
  Dims* const result_strides = strides + kAll;
  operands.in = sources_of<Op::kInputs>(call.in, call.shape, strides);
  operands.out.data[0] = out.data;
  operands.out.dtype[0] = out.dtype;
  strides[Op::kInputs] = out.data != nullptr ? out.stride : strides[0];
  split_loops(call.shape, call.mask, strides, &operands.rows, &operands.row);
  operands.rows.merge();
  sort_by_stride(&operands.row, 0);
  operands.row.merge();
  for (int j = 0; j < Op::kResults; ++j) {
    operands.results.data[j] = call.results[j].data;
    operands.results.dtype[j] = call.results[j].dtype;
    result_strides[j] = kept_strides(call.results[j], call.shape, call.mask);
  }
  diopi::LoopNest<Op::kResults> folded;
  split_loops(call.shape, call.mask, result_strides, &operands.result_rows, &folded);
  operands.result_rows.merge();
  int64_t length = 1, rows = 1;
  for (int dim = 0; dim < call.shape.n; ++dim) ((call.mask >> dim & 1) != 0 ? length : rows) *= call.shape[dim];
  if (rows == 0) return diopiSuccess;
  const bool across = is_across(operands.rows, operands.row);
  if (length >= kLongRow && rows <= kFewLongRows) {
    DIOPI_TRY(run_long_rows(ctx, op, operands, rows, length, across));
    return copy_to_outputs(ctx, views, &out);
  }
  FusedLoops<Op> loops{{}, operands.row, rows, length, across};
  diopi::LoopNest<FusedLoops<Op>::kPlaces> all_folded;
  split_loops(call.shape, call.mask, strides, &loops.rows, &all_folded);
  loops.rows.merge();
  bool done = false;
  DIOPI_TRY(run_packed_rows(ctx, op, operands, loops, &done));
  if (done) return copy_to_outputs(ctx, views, &out);
  const RowThreads split(rows, length, across);
  const int64_t slots = split.threads / split.lanes, blocks = (rows + slots - 1) / slots;
  constexpr bool kMayHold = sizeof(typename Op::Value) * Op::kInputs <= kMostHeldBytes;
  const auto kernel = split.held() ? fused_rows<Op, kMayHold> : fused_rows<Op, false>;
  DIOPI_TRY(launch_blocks(ctx, kernel, blocks, split.threads, op, split, operands));
  return copy_to_outputs(ctx, views, &out);
}

}  // namespace impl::cuda

#endif  // IMPL_CUDA_KERNELS_ROWS_FUSED_CUH_
