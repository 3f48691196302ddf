/* SPDX-License-Identifier: BSD-3-Clause */
// Queries against the rows of a cache, whose rows may lie anywhere. A row has the keys or values of all key heads, so
// a few rows are read side by side, head after head: memory is read in order, once for all queries that share a head.
#if defined(IMPL_CPU_ATTENTION_CACHE_ROWS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef IMPL_CPU_ATTENTION_CACHE_ROWS_INL_H_
#undef IMPL_CPU_ATTENTION_CACHE_ROWS_INL_H_
#else
#define IMPL_CPU_ATTENTION_CACHE_ROWS_INL_H_
#endif

#include <hwy/highway.h>

#include <algorithm>

#include "impl/cpu/prefetch.hpp"
#include "impl/cpu/simd/lanes_by_fours-inl.h"

HWY_BEFORE_NAMESPACE();
namespace impl::cpu {
namespace HWY_NAMESPACE {

constexpr int64_t kRowsTogether = 16;  // most rows that are read side by side, while the next ones are prefetched
constexpr int kHeadsTogether = 4;      // query heads whose sums are in registers at the same time
constexpr int kVectorsOfOneHead = 4;   // vectors of a head, if its sums alone are in registers
// Vectors of each of several heads. AVX2 has 16 registers, which do not hold 16 sums and the vectors of a row.
constexpr int kVectorsTogether = HWY_TARGET == HWY_AVX2 ? 2 : 4;
constexpr int64_t kTokensTogether = 64;  // rows that are added before their sum is added to that of all rows
constexpr int64_t kCacheLine = 64;

// The rows of a block, from the elements of one head on.
template <typename S>
struct HeadBlock {
  const S* const* row = nullptr;
  int64_t offset = 0, count = 0;

  HWY_INLINE const S* operator[](int64_t t) const { return row[t] + offset; }
};

// Some rows.
template <typename S>
struct RowBlock {
  const S* row[kRowsTogether];
  int64_t count = 0;

  HWY_INLINE HeadBlock<S> at_head(int64_t offset) const { return {row, offset, count}; }
};

// The number of rows in a block: a power of two, so that sums of rows are divided in the same way. A block that is
// fetched to the first-level cache has at most 16 KiB, or four rows if these are longer.
HWY_INLINE int64_t rows_together(int64_t row_bytes) {
  constexpr int64_t kBlock = 16384;
  int64_t rows = kRowsTogether;
  while (fetches_rows_near() && rows > 4 && rows * row_bytes > kBlock) rows /= 2;
  return rows;
}

// The first rows of [begin, end), at most `most` of them. find(t, count, &rows) finds the rows [t, t + count).
template <typename S, class Find>
HWY_INLINE void find_block(int64_t begin, int64_t end, int64_t most, const Find& find, RowBlock<S>* rows) {
  rows->count = std::clamp<int64_t>(end - begin, 0, most);
  if (rows->count > 0) find(begin, rows->count, rows);
}

// Calls use(t, rows, next) for blocks of `together` of the rows [begin, end), in order; `next` are the rows of the next
// block, or `after`, the rows that are used after all of these.
template <typename S, class Find, class Use>
HWY_INLINE void for_row_blocks(int64_t begin, int64_t end, int64_t together, const Find& find, const RowBlock<S>& after,
                               const Use& use) {
  RowBlock<S> rows, next;
  find_block(begin, end, together, find, &next);
  for (int64_t t = begin; t < end; t += together) {
    rows = next;
    if (t + together < end) {
      find_block(t + together, end, together, find, &next);
    } else {
      next = after;
    }
    use(t, rows, next);
  }
}

// Prefetches the lines that begin in the elements [at, at + size) of a row, mostly to the second-level cache: before
// they are used, rows of other heads pass through the first-level cache. It is called between the computations, for a
// part of a block at a time: requests for a whole block at once take all buffers for lines, and loads wait for one.
template <typename S>
HWY_INLINE void prefetch_elements(const S* row, int64_t at, int64_t size) {
  constexpr int64_t kLine = kCacheLine / static_cast<int64_t>(sizeof(S));
  constexpr int kFirstLevel = 3, kSecondLevel = 2;
  const bool near = fetches_rows_near();
  for (int64_t i = (at + kLine - 1) / kLine * kLine; i < at + size; i += kLine) {
    if (near) {
      __builtin_prefetch(row + i, 0, kFirstLevel);
    } else {
      __builtin_prefetch(row + i, 0, kSecondLevel);
    }
  }
}

// Rows whose products are computed together, as many as there are registers for. They share the loads of a query.
constexpr int kRowsMultiplied = IMPL_CPU_MASKS_MEMORY ? 4 : 1;

// out[k] = the sum of the lanes of v[k], added in the same order for each kCount: the threads' shares decide which rows
// are multiplied together.
template <typename S, int kCount>
HWY_INLINE void sum_lanes(const VecOf<S> (&v)[kCount], ComputeOf<S>* out) {
#if IMPL_CPU_MASKS_MEMORY
  if constexpr (std::is_same_v<ComputeOf<S>, float>) {
    constexpr int kPadded = (kCount + 3) / 4 * 4;
    VecOf<S> padded[kPadded];
    float sums[kPadded];
    for (int k = 0; k < kPadded; ++k) padded[k] = v[std::min(k, kCount - 1)];
    for (int k = 0; k < kPadded; k += 4) fold_lanes_by_fours(padded + k, AddLanes(), sums + k);
    std::copy_n(sums, kCount, out);
    return;
  }
#endif
  for (int k = 0; k < kCount; ++k) out[k] = hn::GetLane(hn::SumOfLanes(TagOf<S>(), v[k]));
}

// Calls put(h, t, product) for the products of kHeads queries, `q_head` elements apart, with the rows [first, first +
// kRows). Prefetches the same rows of the next block.
template <typename S, int kHeads, int kRows, class Put>
HWY_INLINE void multiply_rows(const HeadBlock<S>& rows, const HeadBlock<S>& next, int64_t first, int64_t size,
                              const ComputeOf<S>* q, int64_t q_head, const Put& put) {
  const TagOf<S> d;
  const int64_t lanes = lanes_of<S>(), whole = size / lanes * lanes;
  VecOf<S> sum[kRows * kHeads], x[kRows];
  for (int t = 0; t < kRows && first + t < next.count; ++t) prefetch_elements(next[first + t], 0, size);
  for (auto& v : sum) v = hn::Zero(d);
  for (int64_t i = 0; i < whole; i += lanes) {
    for (int t = 0; t < kRows; ++t) x[t] = load_vector(rows[first + t] + i);
    for (int h = 0; h < kHeads; ++h) {
      const auto y = load_vector(q + h * q_head + i);
      for (int t = 0; t < kRows; ++t) sum[t * kHeads + h] = hn::MulAdd(x[t], y, sum[t * kHeads + h]);
    }
  }
  if (whole < size) {
    for (int t = 0; t < kRows; ++t) x[t] = load_some(rows[first + t] + whole, size - whole);
    for (int h = 0; h < kHeads; ++h) {
      const auto y = load_some(q + h * q_head + whole, size - whole);
      for (int t = 0; t < kRows; ++t) sum[t * kHeads + h] = hn::MulAdd(x[t], y, sum[t * kHeads + h]);
    }
  }
  ComputeOf<S> product[kRows * kHeads];
  sum_lanes<S>(sum, product);
  for (int t = 0; t < kRows; ++t) {
    for (int h = 0; h < kHeads; ++h) put(h, first + t, product[t * kHeads + h]);
  }
}

// The same for all rows.
template <typename S, int kHeads, class Put>
HWY_INLINE void multiply_rows(const HeadBlock<S>& rows, const HeadBlock<S>& next, int64_t size, const ComputeOf<S>* q,
                              int64_t q_head, const Put& put) {
  int64_t t = 0;
  for (; t + kRowsMultiplied <= rows.count; t += kRowsMultiplied) {
    multiply_rows<S, kHeads, kRowsMultiplied>(rows, next, t, size, q, q_head, put);
  }
  for (; t < rows.count; ++t) multiply_rows<S, kHeads, 1>(rows, next, t, size, q, q_head, put);
}

// The same for any number of queries. The first of them prefetch.
template <typename S, class Put>
HWY_INLINE void multiply_all_rows(const HeadBlock<S>& rows, const HeadBlock<S>& next, int64_t size,
                                  const ComputeOf<S>* q, int64_t q_head, int64_t heads, const Put& put) {
  const HeadBlock<S> none{};
  int64_t head = 0;
  const auto put_here = [&](int h, int64_t t, auto product) HWY_ATTR { put(head + h, t, product); };
  for (; head + kHeadsTogether <= heads; head += kHeadsTogether) {
    multiply_rows<S, kHeadsTogether>(rows, head == 0 ? next : none, size, q + head * q_head, q_head, put_here);
  }
  for (; head < heads; ++head) {
    multiply_rows<S, 1>(rows, head == 0 ? next : none, size, q + head * q_head, q_head, put_here);
  }
}

// Weights and sums of the query heads of a key head; the steps lie between heads. Row t has weight `weights[t]`.
template <typename T>
struct WeightedSums {
  const T* weights;
  int64_t weights_step;
  T* sums;
  int64_t sums_step;

  WeightedSums of_head(int64_t h) const {
    return {weights + h * weights_step, weights_step, sums + h * sums_step, sums_step};
  }
};

// Adds kVectors vectors of the weighted rows, from element `at` on, to the sums of kHeads heads, and prefetches the
// same elements of the next block. `left` counts the elements if the only vector is not whole, else it is 0.
template <typename S, int kHeads, int kVectors>
HWY_INLINE void add_weighted_vectors(const HeadBlock<S>& rows, const HeadBlock<S>& next, int64_t at, int64_t left,
                                     const WeightedSums<ComputeOf<S>>& to) {
  const TagOf<S> d;
  const int64_t lanes = lanes_of<S>();
  VecOf<S> sum[kHeads][kVectors];
  for (int h = 0; h < kHeads; ++h) {
    for (int v = 0; v < kVectors; ++v) {
      const ComputeOf<S>* from = to.sums + h * to.sums_step + at + v * lanes;
      sum[h][v] = left > 0 ? load_some(from, left) : load_vector(from);
    }
  }
  for (int64_t t = 0; t < rows.count; ++t) {
    VecOf<S> x[kVectors];
    prefetch_elements((t < next.count ? next : rows)[t], at, left > 0 ? left : kVectors * lanes);
    for (int v = 0; v < kVectors; ++v) {
      x[v] = left > 0 ? load_some(rows[t] + at, left) : load_vector(rows[t] + at + v * lanes);
    }
    for (int h = 0; h < kHeads; ++h) {
      const auto by = hn::Set(d, to.weights[h * to.weights_step + t]);
      for (int v = 0; v < kVectors; ++v) sum[h][v] = hn::MulAdd(by, x[v], sum[h][v]);
    }
  }
  for (int h = 0; h < kHeads; ++h) {
    for (int v = 0; v < kVectors; ++v) {
      ComputeOf<S>* out = to.sums + h * to.sums_step + at + v * lanes;
      if (left > 0) {
        store_some(sum[h][v], out, left);
      } else {
        store_vector(sum[h][v], out);
      }
    }
  }
}

template <typename S, int kHeads>
HWY_INLINE void add_weighted_rows(const HeadBlock<S>& rows, const HeadBlock<S>& next, int64_t size,
                                  const WeightedSums<ComputeOf<S>>& to) {
  constexpr int kVectors = kHeads == 1 ? kVectorsOfOneHead : kVectorsTogether;
  const int64_t lanes = lanes_of<S>();
  int64_t at = 0;
  for (; at + kVectors * lanes <= size; at += kVectors * lanes) {
    add_weighted_vectors<S, kHeads, kVectors>(rows, next, at, 0, to);
  }
  for (; at < size; at += lanes) {
    add_weighted_vectors<S, kHeads, 1>(rows, next, at, at + lanes <= size ? 0 : size - at, to);
  }
}

// Adds the weighted rows to the sums of any number of heads, the first of which prefetch the next block.
template <typename S>
HWY_INLINE void add_all_weighted_rows(const HeadBlock<S>& rows, const HeadBlock<S>& next, int64_t size, int64_t heads,
                                      const WeightedSums<ComputeOf<S>>& to) {
  const HeadBlock<S> none{};
  int64_t head = 0;
  for (; head + kHeadsTogether <= heads; head += kHeadsTogether) {
    add_weighted_rows<S, kHeadsTogether>(rows, head == 0 ? next : none, size, to.of_head(head));
  }
  for (; head < heads; ++head) add_weighted_rows<S, 1>(rows, head == 0 ? next : none, size, to.of_head(head));
}

}  // namespace HWY_NAMESPACE
}  // namespace impl::cpu
HWY_AFTER_NAMESPACE();

#endif  // include guard
