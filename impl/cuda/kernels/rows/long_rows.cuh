// SPDX-License-Identifier: BSD-3-Clause
// Few rows of very many elements, which one block for each row would compute slowly. For each fold of an operation of
// fused.cuh, blocks fold pieces of the rows, and further launches merge them; then one thread computes each element.
#ifndef IMPL_CUDA_KERNELS_ROWS_LONG_ROWS_CUH_
#define IMPL_CUDA_KERNELS_ROWS_LONG_ROWS_CUH_

#include "impl/cuda/kernels/rows/fold.cuh"

namespace impl::cuda {

// Which rows are computed in this way. It depends on the shape only, so the bits of a result do not depend on the GPU.
inline constexpr int64_t kLongRow = 65536, kFewLongRows = 64;

template <class Op>
struct FusedOperands {
  static constexpr int kOperands = Op::kInputs + Op::kOutputs;
  diopi::LoopNest<kOperands> rows, row;
  Sources<Op::kInputs> in;
  Targets<Op::kOutputs> out;
  diopi::LoopNest<Op::kResults> result_rows;
  Targets<Op::kResults> results;

  // Reads element i of the row at `base`, and writes its offsets.
  __device__ void read(const int64_t* base, int64_t i, int64_t* offset, typename Op::Value* x) const {
    offsets_at(row, i, offset);
    for (int k = 0; k < kOperands; ++k) offset[k] += base[k];
    for (int k = 0; k < Op::kInputs; ++k) x[k] = in.template read<typename Op::Value>(k, offset[k]);
  }
};

// What the folds of all rows found.
template <class Op>
struct RowStates {
  const typename Op::Part* parts[Op::kFolds];
  int64_t length;

  // The state of a row after the first `folds` folds.
  __device__ typename Op::State of(const Op& op, int folds, int64_t row) const {
    typename Op::State state{};
    for (int fold = 0; fold < folds; ++fold) op.advance(fold, &state, parts[fold][row], length);
    return state;
  }
};

// One fold as an operation of fold.cuh. Its results stay parts.
template <class Op>
struct FoldOf {
  static constexpr int kOutputs = 1;
  using Part = typename Op::Part;
  Op op;
  int64_t fold;

  __device__ Part identity() const { return op.identity(static_cast<int>(fold)); }
  __device__ void merge(Part* a, const Part& b) const { op.merge(static_cast<int>(fold), a, b); }
  template <class Write>
  __device__ void finish(const Part&, int64_t, const Write&) const {}
};

template <class Op>
struct FusedElements {
  FusedOperands<Op> operands;
  RowStates<Op> states;

  __device__ typename Op::Part fold(const FoldOf<Op>& f, const FoldSplit&, int64_t row, int64_t begin, int64_t end,
                                    int step) const {
    const int fold = static_cast<int>(f.fold);
    int64_t base[FusedOperands<Op>::kOperands], offset[FusedOperands<Op>::kOperands];
    offsets_at(operands.rows, row, base);
    const auto state = states.of(f.op, fold, row);
    auto running = f.op.start(fold);
    for (int64_t i = begin; i < end; i += step) {
      typename Op::Value x[Op::kInputs];
      operands.read(base, i, offset, x);
      if (fold > 0 && fold + 1 == Op::kFolds) f.op.prepare(state, x);
      f.op.add(fold, &running, f.op.part(fold, x));
    }
    return f.op.close(fold, running);
  }
};

template <class Op>
__global__ void compute_long_rows(Op op, FusedElements<Op> elements, int64_t rows, int64_t across) {
  constexpr int kAll = FusedOperands<Op>::kOperands;
  const FusedOperands<Op>& operands = elements.operands;
  const int64_t length = elements.states.length, step = static_cast<int64_t>(gridDim.x) * kFoldThreads;
  for (int64_t item = thread_item(); item < rows * length; item += step) {
    int64_t row = item, i = item, base[kAll], offset[kAll];
    if (across != 0) {
      row = split_index(&i, rows);
    } else {
      i = split_index(&row, length);
    }
    const auto state = elements.states.of(op, Op::kFolds, row);
    if (operands.out.data[0] != nullptr) {
      typename Op::Value x[Op::kInputs], y[Op::kOutputs];
      offsets_at(operands.rows, row, base);
      operands.read(base, i, offset, x);
      op.prepare(state, x);
      op.compute(state, x, y);
      for (int j = 0; j < Op::kOutputs; ++j) operands.out.write(j, offset[Op::kInputs + j], y[j]);
    }
    if (i == 0) {
      int64_t place[Op::kResults];
      offsets_at(operands.result_rows, row, place);
      op.finish(state, [&](int j, const auto& value) { operands.results.write(j, place[j], value); });
    }
  }
}

template <class Op>
Status run_long_rows(diopiContextHandle_t ctx, const Op& op, const FusedOperands<Op>& operands, int64_t rows,
                     int64_t length, bool across) {
  FusedElements<Op> elements{operands, {}};
  elements.states.length = length;
  for (int fold = 0; fold < Op::kFolds; ++fold) {
    typename Op::Part* parts = nullptr;
    DIOPI_TRY(diopi::Workspace(ctx).take(rows, &parts));
    const FoldOf<Op> f{op, fold};
    DIOPI_TRY(fold_pieces(ctx, f, FoldSplit(rows, length, across), elements, FoldResults<FoldOf<Op>>{}, parts));
    elements.states.parts[fold] = parts;
  }
  const int64_t blocks = (rows * length + kFoldThreads - 1) / kFoldThreads;
  return launch_blocks(ctx, compute_long_rows<Op>, blocks, kFoldThreads, op, elements, rows, int64_t{across ? 1 : 0});
}

}  // namespace impl::cuda

#endif  // IMPL_CUDA_KERNELS_ROWS_LONG_ROWS_CUH_
