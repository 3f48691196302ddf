/* SPDX-License-Identifier: BSD-3-Clause */
// Queries against the rows of a cache, whose rows may lie anywhere. A row has the keys or values of all key heads, so
// a few rows are read side by side, head after head: memory is read in order, once for all queries that share a head.
#if defined(IMPL_CPU_ATTENTION_CACHE_ROWS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef IMPL_CPU_ATTENTION_CACHE_ROWS_INL_H_
#undef IMPL_CPU_ATTENTION_CACHE_ROWS_INL_H_
#else
#define IMPL_CPU_ATTENTION_CACHE_ROWS_INL_H_
#endif

#include <hwy/cache_control.h>
#include <hwy/highway.h>

#include <algorithm>

#include "impl/cpu/simd/load_store-inl.h"

HWY_BEFORE_NAMESPACE();
namespace impl::cpu {
namespace HWY_NAMESPACE {

constexpr int64_t kRowsTogether = 4;     // rows that are read side by side
constexpr int kHeadsTogether = 4;        // query heads whose sums are in registers at the same time
constexpr int kVectorsTogether = 4;      // vectors of each head
constexpr int64_t kTokensTogether = 64;  // rows that are added before their sum is added to that of all rows
constexpr int64_t kCacheLine = 64;

// Some rows of a head.
template <typename S>
struct RowBlock {
  const S* row[kRowsTogether];
  int64_t count = 0;

  RowBlock at_head(int64_t offset) const {
    RowBlock result;
    result.count = count;
    for (int64_t t = 0; t < count; ++t) result.row[t] = row[t] + offset;
    return result;
  }
};

// Calls use(t, rows, next) for blocks of the rows [begin, end), in order; `next` are the rows of the next block.
// find(t, count, &rows) finds the rows [t, t + count).
template <typename S, class Find, class Use>
HWY_INLINE void for_row_blocks(int64_t begin, int64_t end, const Find& find, const Use& use) {
  RowBlock<S> rows, next;
  next.count = std::min(kRowsTogether, end - begin);
  if (next.count > 0) find(begin, next.count, &next);
  for (int64_t t = begin; t < end; t += kRowsTogether) {
    rows = next;
    next.count = std::clamp<int64_t>(end - t - kRowsTogether, 0, kRowsTogether);
    if (next.count > 0) find(t + kRowsTogether, next.count, &next);
    use(t, rows, next);
  }
}

// Prefetches `size` elements of each row, from element `offset` on.
template <typename S>
HWY_INLINE void prefetch_rows(const RowBlock<S>& rows, int64_t offset, int64_t size) {
  constexpr int64_t kLine = kCacheLine / static_cast<int64_t>(sizeof(S));
  for (int64_t t = 0; t < rows.count; ++t) {
    for (int64_t i = 0; i < size; i += kLine) hwy::Prefetch(rows.row[t] + offset + i);
  }
}

// Calls put(h, t, product) for the products of kHeads queries, `q_head` elements apart, with each row.
template <typename S, int kHeads, typename Q, class Put>
HWY_INLINE void multiply_rows(const RowBlock<S>& rows, int64_t size, const Q* q, int64_t q_head, const Put& put) {
  const TagOf<S> d;
  const int64_t lanes = lanes_of<S>(), whole = size / lanes * lanes;
  for (int64_t t = 0; t < rows.count; ++t) {
    const S* row = rows.row[t];
    VecOf<S> sum[kHeads];
    for (int h = 0; h < kHeads; ++h) sum[h] = hn::Zero(d);
    for (int64_t i = 0; i < whole; i += lanes) {
      const auto x = load_vector(row + i);
      for (int h = 0; h < kHeads; ++h) sum[h] = hn::MulAdd(x, load_vector(q + h * q_head + i), sum[h]);
    }
    if (whole < size) {
      const auto x = load_some(row + whole, size - whole);
      for (int h = 0; h < kHeads; ++h) {
        sum[h] = hn::MulAdd(x, load_some(q + h * q_head + whole, size - whole), sum[h]);
      }
    }
    for (int h = 0; h < kHeads; ++h) put(h, t, hn::GetLane(hn::SumOfLanes(d, sum[h])));
  }
}

// The same for any number of queries.
template <typename S, typename Q, class Put>
HWY_INLINE void multiply_all_rows(const RowBlock<S>& rows, int64_t size, const Q* q, int64_t q_head, int64_t heads,
                                  const Put& put) {
  int64_t head = 0;
  const auto put_here = [&](int h, int64_t t, auto product) HWY_ATTR { put(head + h, t, product); };
  for (; head + kHeadsTogether <= heads; head += kHeadsTogether) {
    multiply_rows<S, kHeadsTogether>(rows, size, q + head * q_head, q_head, put_here);
  }
  for (; head < heads; ++head) multiply_rows<S, 1>(rows, size, q + head * q_head, q_head, put_here);
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

// Adds kVectors vectors of the weighted rows, from element `at` on, to the sums of kHeads heads. `left` counts the
// elements if the only vector is not whole, else it is 0.
template <typename S, int kHeads, int kVectors>
HWY_INLINE void add_weighted_vectors(const RowBlock<S>& rows, int64_t at, int64_t left,
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
    for (int v = 0; v < kVectors; ++v) {
      x[v] = left > 0 ? load_some(rows.row[t] + at, left) : load_vector(rows.row[t] + at + v * lanes);
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
HWY_INLINE void add_weighted_rows(const RowBlock<S>& rows, int64_t size, const WeightedSums<ComputeOf<S>>& to) {
  const int64_t lanes = lanes_of<S>();
  int64_t at = 0;
  for (; at + kVectorsTogether * lanes <= size; at += kVectorsTogether * lanes) {
    add_weighted_vectors<S, kHeads, kVectorsTogether>(rows, at, 0, to);
  }
  for (; at < size; at += lanes) {
    add_weighted_vectors<S, kHeads, 1>(rows, at, at + lanes <= size ? 0 : size - at, to);
  }
}

// Adds the weighted rows to the sums of any number of heads.
template <typename S>
HWY_INLINE void add_all_weighted_rows(const RowBlock<S>& rows, int64_t size, int64_t heads,
                                      const WeightedSums<ComputeOf<S>>& to) {
  int64_t head = 0;
  for (; head + kHeadsTogether <= heads; head += kHeadsTogether) {
    add_weighted_rows<S, kHeadsTogether>(rows, size, to.of_head(head));
  }
  for (; head < heads; ++head) add_weighted_rows<S, 1>(rows, size, to.of_head(head));
}

}  // namespace HWY_NAMESPACE
}  // namespace impl::cpu
HWY_AFTER_NAMESPACE();

#endif  // include guard
