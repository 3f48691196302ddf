// SPDX-License-Identifier: BSD-3-Clause
// Rows that are as adjacent as their elements are not, for folds that memory limits: a thread folds several rows.
#ifndef IMPL_CUDA_KERNELS_ROWS_COLUMNS_CUH_
#define IMPL_CUDA_KERNELS_ROWS_COLUMNS_CUH_

#include "impl/cuda/kernels/rows/stored.cuh"

namespace impl::cuda {

// The rows that a thread folds at once.
template <class Rows, class = void>
inline constexpr int rows_of_item = 1;
template <class Rows>
inline constexpr int rows_of_item<Rows, std::void_t<decltype(Rows::kColumns)>> = Rows::kColumns;

// Rows of one loop, and as adjacent as their elements are not: a thread folds several of them, and reads an element of
// each with one access.
template <class Op, typename S>
struct RowColumns {
  static constexpr int kMostBytes = 64;  // of the results of a thread
  static constexpr int kMostItems = 16 / sizeof(S), kMostParts = kMostBytes / sizeof(typename Op::Part);
  static constexpr int kItems = passes_of<Op> > 1 || kMostParts < 2 ? 1
                                : kMostParts >= kMostItems          ? kMostItems
                                : kMostParts >= 8                   ? 8
                                : kMostParts >= 4                   ? 4
                                                                    : 2;
  static constexpr int kColumns = kItems, kLoads = is_quick<Op> || kItems <= 4 ? 8 : 4;
  diopi::LoopNest<1> rows;  // of kItems adjacent ones
  const S* data;
  int64_t stride;
  int64_t wide;  // 1: all packs are aligned

  // Whether the rows have this form.
  bool find(const diopi::LoopNest<1>& row_loops, const diopi::LoopNest<1>& row, const char* memory) {
    if (kItems == 1 || row.n > 1 || row_loops.inner_stride() != 1 || row_loops.inner_extent() % kItems != 0)
      return false;
    rows = row_loops;
    rows[0] = diopi::Loop<1>(row_loops.inner_extent() / kItems, kItems);
    data = reinterpret_cast<const S*>(memory);
    stride = row.inner_stride();
    wide = are_items_aligned(memory, sizeof(S), kItems) && has_strides_of(rows, kItems) && stride % kItems == 0 ? 1 : 0;
    return true;
  }

  // Folds the elements begin, begin + step, ... that are before `end`.
  __device__ void fold(const Op& op, int64_t item, int64_t begin, int64_t end, int step,
                       typename Op::Part* results) const {
    int64_t base;
    offsets_at(rows, item, &base);
    const S* from = data + base + begin * stride;
    const int64_t jump = step * stride;
    const int count = static_cast<int>(end - begin);  // a piece has less than 2^31 elements
    if constexpr (is_quick<Op>) {
      if (fold_quickly(op, from, jump, count, step, results)) return;
    }
    decltype(op.start()) running[kItems];
    DIOPI_UNROLL
    for (int k = 0; k < kItems; ++k) running[k] = op.start();
    for (int first = 0; first < count; first += kChunk * step, from += kChunk * jump) {
      Pack<S, kItems> pack[kChunk];
      load(from, jump, first, count, step, pack);
      DIOPI_UNROLL
      for (int j = 0; j < kChunk; ++j) {
        const int i = first + j * step;
        if (i >= count) continue;
        DIOPI_UNROLL
        for (int k = 0; k < kItems; ++k) {
          const auto x = convert<typename Op::Value>(pack[j].v[k]);
          op.add(&running[k], &x, begin + i);
        }
      }
    }
    DIOPI_UNROLL
    for (int k = 0; k < kItems; ++k) results[k] = op.close(running[k]);
  }

 private:
  static constexpr int kChunk = is_quick<Op> ? 1 : kLoads;  // quick folds are seldom folded again

  __device__ bool fold_quickly(const Op& op, const S* from, int64_t jump, int count, int step,
                               typename Op::Part* results) const {
    typename Op::Quick quick[kItems] = {};
    for (int first = 0; first < count; first += kLoads * step, from += kLoads * jump) {
      Pack<S, kItems> pack[kLoads];
      load(from, jump, first, count, step, pack);
      DIOPI_UNROLL
      for (int k = 0; k < kItems; ++k) {
        float x[kLoads];
        DIOPI_UNROLL
        for (int j = 0; j < kLoads; ++j) x[j] = first + j * step < count ? convert<float>(pack[j].v[k]) : 0;
        op.add_chunk(&quick[k], x);
      }
    }
    bool sure = true;
    DIOPI_UNROLL
    for (int k = 0; k < kItems; ++k) sure = op.part_of(quick[k], &results[k]) && sure;
    return sure;
  }

  template <int kCount>
  __device__ void load(const S* from, int64_t jump, int first, int count, int step,
                       Pack<S, kItems> (&pack)[kCount]) const {
    if (wide != 0) {
      DIOPI_UNROLL
      for (int j = 0; j < kCount; ++j) {
        if (first + j * step < count) pack[j] = *reinterpret_cast<const Pack<S, kItems>*>(from + j * jump);
      }
    } else {
      DIOPI_UNROLL
      for (int j = 0; j < kCount; ++j) {
        if (first + j * step >= count) continue;
        DIOPI_UNROLL
        for (int k = 0; k < kItems; ++k) pack[j].v[k] = from[j * jump + k];
      }
    }
  }
};

}  // namespace impl::cuda

#endif  // IMPL_CUDA_KERNELS_ROWS_COLUMNS_CUH_
