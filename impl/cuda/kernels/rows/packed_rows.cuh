// SPDX-License-Identifier: BSD-3-Clause
// The usual rows of fused.cuh, faster: the operands have one stored type, which the compiler knows, and the elements of
// a row are at equal distances. A thread keeps its elements in registers (row_tile.cuh); those of rows that are too
// long for this are read again for each fold.
#ifndef IMPL_CUDA_KERNELS_ROWS_PACKED_ROWS_CUH_
#define IMPL_CUDA_KERNELS_ROWS_PACKED_ROWS_CUH_

#include "impl/cuda/kernels/rows/long_rows.cuh"
#include "impl/cuda/kernels/rows/packed_plan.hpp"
#include "impl/cuda/kernels/rows/row_parts.cuh"
#include "impl/cuda/kernels/rows/row_tile.cuh"

namespace impl::cuda {

// The most elements of a thread in registers, and packs of them.
template <class Op>
inline constexpr int kHeldElements = Op::kFolded > 2 ? 16 : 32;
template <class Op, typename S>
inline constexpr int kLoopPacks = sizeof(S) > 4 && Op::kFolded > 2 ? 2 : 4;  // of rows that are too long for this
template <class Op, typename S, bool kWide>
inline constexpr int kHeldPacks = sizeof(S) > 4 ? kLoopPacks<Op, S>
                                                : kHeldElements<Op> / RowTile<Op, S, 1, kWide>::kItems;

// The most threads of a row: those of a block whose registers suffice.
template <class Op, typename S, bool kWide>
inline constexpr int kMostRowLanes = kWide && sizeof(S) <= 4 && Op::kInputs == 1 ? 1024 : 512;

template <class Op, typename S, int kPacks, bool kWide, bool kHeld>
__global__ void __launch_bounds__((kMostRowLanes<Op, S, kWide>), 1)
    packed_rows(Op op, PackedRows<Op::kInputs, Op::kResults> p) {
  using Tile = RowTile<Op, S, kPacks, kWide>;
  using Part = typename Op::Part;
  constexpr int kOneSet = kWide ? kWarp : kMostAcrossThreads / 2;
  DIOPI_SHARED(Part, all, [2 * kOneSet]);
  const int threads = static_cast<int>(blockDim.x), slots = threads >> p.lane_bits;  // all are powers of two
  const int thread = static_cast<int>(threadIdx.x);
  const bool across = !kWide && p.across != 0;
  const int lane = across ? thread >> (p.block_bits - p.lane_bits) : thread & (p.lanes - 1);
  const int slot = across ? thread & (slots - 1) : thread >> p.lane_bits;
  int turn = 0;
  for (int64_t row = static_cast<int64_t>(blockIdx.x) * slots; row < p.rows;
       row += static_cast<int64_t>(gridDim.x) * slots) {
    Tile tile(p, row + slot, lane);
    if constexpr (kHeld) tile.load(op, 0);
    typename Op::State state{};
    DIOPI_UNROLL
    for (int fold = 0; fold < Op::kFolds; ++fold) {
      const bool last = fold + 1 == Op::kFolds;
      Part part;
      if constexpr (kHeld) {
        if (last && Op::kFolds > 1) tile.prepare(op, state, 0);
        part = tile.part(op, fold, 0);
      } else {
        auto running = op.start(fold);
        for (int at = 0; at < p.packs; at += kPacks) {
          tile.load(op, at);
          if (last && Op::kFolds > 1) tile.prepare(op, state, at);
          op.add(fold, &running, tile.part(op, fold, at));
        }
        part = op.close(fold, running);
      }
      if (across) {
        merge_across(op, fold, p.lanes, slots, all, &part);
      } else {
        merge_adjacent(op, fold, p.lanes, all + turn * kOneSet, &part);
      }
      op.advance(fold, &state, part, p.length);
      turn ^= 1;
    }
    if constexpr (kHeld) {
      if (Op::kFolds == 1) tile.prepare(op, state, 0);
      tile.store(op, state, 0);
    } else {
      for (int at = 0; at < p.packs; at += kPacks) {
        tile.load(op, at);
        tile.prepare(op, state, at);
        tile.store(op, state, at);
      }
    }
    if (lane == 0 && row + slot < p.rows) {
      int64_t place[Op::kResults];
      p.result_rows.at(static_cast<uint32_t>(row + slot), place);
      op.finish(state, [&](int j, const auto& value) { p.results.write(j, place[j], value); });
    }
  }
}

// What run_fused() found: the loops over the rows, with the strides of all operands and results, and those over the
// elements of a row.
template <class Op>
struct FusedLoops {
  static constexpr int kAll = Op::kInputs + 1, kPlaces = kAll + Op::kResults;
  diopi::LoopNest<kPlaces> rows;
  diopi::LoopNest<kAll> row;
  int64_t num_rows, length;
  bool across;
};

// Finds how the operands lie along the rows. Returns false if packed_rows() cannot compute them: an operand lies
// otherwise, or has another dtype than the output.
template <class Op>
bool find_packed_rows(const FusedOperands<Op>& operands, const FusedLoops<Op>& loops,
                      PackedRows<Op::kInputs, Op::kResults>* p) {
  constexpr int kOut = Op::kInputs;
  const auto& row = loops.row;
  if (row.n < 1 || row.n > 2 || loops.rows.n > p->places.kMostLoops || operands.out.data[0] == nullptr) return false;
  if (loops.length < 1 || loops.length >= INT32_MAX / 4 || loops.num_rows >= INT32_MAX / 2) return false;
  const int64_t inner = row.n == 2 ? row.loop[0].extent : loops.length;
  p->in = operands.in;
  p->out = operands.out.data[0];
  p->results = operands.results;
  p->rows = static_cast<int32_t>(loops.num_rows);
  p->length = static_cast<int32_t>(loops.length);
  p->inner = Divider(static_cast<uint32_t>(inner));
  p->across = loops.across ? 1 : 0;
  p->places.set(loops.rows, 0);
  p->result_rows.set(loops.rows, kOut + 1);
  for (int k = 0; k <= kOut; ++k) {
    const int64_t step = row.loop[0].stride[k], outer = row.n == 2 ? row.loop[1].stride[k] : 0;
    const bool whole = row.n == 1 || outer == inner * step;
    const int64_t bytes = (whole ? step : outer) * diopi::dtype_size(operands.out.dtype[0]);
    p->step[k] = static_cast<int32_t>(bytes);
    if (p->step[k] != bytes) return false;
    const auto along = step == 0 && outer == 0 ? Along::kRow : whole ? Along::kElement : Along::kChannel;
    if (k < Op::kElements || k == kOut ? along != Along::kElement : along == Along::kChannel && step != 0) return false;
    if (k == kOut) break;
    p->along[k] = operands.in.data[k] == nullptr ? Along::kRow : along;
    if (p->along[k] == Along::kRow ? k < Op::kElements : operands.in.dtype[k] != operands.out.dtype[0]) return false;
    if (k + Op::kNumbers >= kOut && p->along[k] != Along::kRow) return false;
  }
  return true;
}

// Whether all packs of `items` elements are adjacent, aligned and in one channel.
template <class Op>
bool packs_fit(const FusedLoops<Op>& loops, const PackedRows<Op::kInputs, Op::kResults>& p, int items, int size) {
  const int64_t bytes = int64_t{items} * size;
  if (p.across != 0 || p.length % items != 0 || p.inner.divisor % static_cast<uint32_t>(items) != 0) return false;
  for (int k = 0; k <= Op::kInputs; ++k) {
    const char* const data = k < Op::kInputs ? p.in.data[k] : p.out;
    if (k < Op::kInputs && p.along[k] != Along::kElement) continue;
    if (p.step[k] != size || reinterpret_cast<uintptr_t>(data) % static_cast<uintptr_t>(bytes) != 0) return false;
    for (int i = 0; i < loops.rows.n; ++i) {
      if (loops.rows.loop[i].stride[k] * size % bytes != 0) return false;
    }
  }
  return true;
}

template <class Op, typename S, int kPacks, bool kWide, bool kHeld>
Status launch_packed(diopiContextHandle_t ctx, const Op& op, const PackedRows<Op::kInputs, Op::kResults>& p,
                     const PackedPlan& plan) {
  return launch_blocks(ctx, packed_rows<Op, S, kPacks, kWide, kHeld>, plan.blocks, plan.threads, op, p);
}

template <class Op, typename S, bool kWide>
Status launch_packed_rows(diopiContextHandle_t ctx, const Op& op, PackedRows<Op::kInputs, Op::kResults> p) {
  constexpr int kMost = kHeldPacks<Op, S, kWide>, kItems = RowTile<Op, S, 1, kWide>::kItems;
  const PackedPlan plan =
      plan_packed_rows({p.rows, p.length, kItems, kWide, p.across != 0, kMost * kItems, kMostRowLanes<Op, S, kWide>});
  p.lanes = plan.lanes;
  p.packs = plan.packs;
  p.plain = plan.lanes == kWarp && p.across == 0 ? 1 : 0;
  for (int k = 0; k <= Op::kInputs; ++k) {
    const bool adjacent = p.step[k] == static_cast<int32_t>(sizeof(S));
    if ((k == Op::kInputs || p.along[k] == Along::kElement) && !adjacent) p.plain = 0;
  }
  for (p.lane_bits = 0; 1 << p.lane_bits < plan.lanes;) ++p.lane_bits;
  for (p.block_bits = 0; 1 << p.block_bits < plan.threads;) ++p.block_bits;
  if (p.packs > kMost) {
    const auto loop = op.looped();
    return launch_packed<std::decay_t<decltype(loop)>, S, kLoopPacks<Op, S>, kWide, false>(ctx, loop, p, plan);
  }
  if constexpr (sizeof(S) <= 4) {
    if (p.packs == 1) return launch_packed<Op, S, 1, kWide, true>(ctx, op, p, plan);
    if (p.packs == 2) return launch_packed<Op, S, 2, kWide, true>(ctx, op, p, plan);
    if constexpr (kMost > 4) {
      if (p.packs <= 4) return launch_packed<Op, S, 4, kWide, true>(ctx, op, p, plan);
    }
  }
  return launch_packed<Op, S, kMost, kWide, true>(ctx, op, p, plan);
}

template <class Op, typename S>
Status run_packed_rows_of(diopiContextHandle_t ctx, const Op& op, const FusedLoops<Op>& loops,
                          const PackedRows<Op::kInputs, Op::kResults>& p) {
  if (packs_fit(loops, p, 16 / sizeof(S), sizeof(S))) return launch_packed_rows<Op, S, true>(ctx, op, p);
  return launch_packed_rows<Op, S, false>(ctx, op, p);
}

// Computes the rows if they are packed ones; sets *done.
template <class Op>
Status run_packed_rows(diopiContextHandle_t ctx, const Op& op, const FusedOperands<Op>& operands,
                       const FusedLoops<Op>& loops, bool* done) {
  PackedRows<Op::kInputs, Op::kResults> p{};
  *done = find_packed_rows(operands, loops, &p);
  if (!*done) return diopiSuccess;
  const diopiDtype_t dtype = operands.out.dtype[0];
  if constexpr (std::is_same_v<typename Op::Value, double>) {
    if (dtype == diopi_dtype_float64) return run_packed_rows_of<Op, double>(ctx, op, loops, p);
  } else {
    if (dtype == diopi_dtype_float32) return run_packed_rows_of<Op, float>(ctx, op, loops, p);
    if (dtype == diopi_dtype_float16) return run_packed_rows_of<Op, float16>(ctx, op, loops, p);
    if (dtype == diopi_dtype_bfloat16) return run_packed_rows_of<Op, bfloat16>(ctx, op, loops, p);
  }
  *done = false;
  return diopiSuccess;
}

}  // namespace impl::cuda

#endif  // IMPL_CUDA_KERNELS_ROWS_PACKED_ROWS_CUH_
