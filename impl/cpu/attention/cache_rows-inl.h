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

#include "impl/cpu/simd/load_store-inl.h"

HWY_BEFORE_NAMESPACE();
namespace impl::cpu {
namespace HWY_NAMESPACE {

// Rows that are read side by side. Sums of values alone are faster with more rows, which share the loads of the sums.
constexpr int64_t kRowsTogether = 4, kRowsSummedTogether = 8;
constexpr int kHeadsTogether = 4;     // query heads whose sums are in registers at the same time
constexpr int kVectorsOfOneHead = 4;  // vectors of a head, if its sums alone are in registers
// Vectors of each of several heads. AVX2 has 16 registers, which do not hold 16 sums and the vectors of a row.
constexpr int kVectorsTogether = HWY_TARGET == HWY_AVX2 ? 2 : 4;
constexpr int64_t kTokensTogether = 64;  // rows that are added before their sum is added to that of all rows
constexpr int64_t kCacheLine = 64;

// Some rows of a head.
template <typename S>
struct RowBlock {
  const S* row[kRowsSummedTogether];
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
template <typename S, int64_t kTogether = kRowsTogether, class Find, class Use>
HWY_INLINE void for_row_blocks(int64_t begin, int64_t end, const Find& find, const Use& use) {
  RowBlock<S> rows, next;
  next.count = std::min(kTogether, end - begin);
  if (next.count > 0) find(begin, next.count, &next);
  for (int64_t t = begin; t < end; t += kTogether) {
    rows = next;
    next.count = std::clamp<int64_t>(end - t - kTogether, 0, kTogether);
    if (next.count > 0) find(t + kTogether, next.count, &next);
    use(t, rows, next);
  }
}

// Prefetches `size` elements of each row, from element `offset` on, to the second-level cache: before they are used,
// rows of other heads pass through the first-level cache. On an AMD EPYC (Zen 4), rows of 4 KiB in any order are read
// with 18 GB/s by one thread, with prefetches to the first-level cache 12 GB/s.
template <typename S>
HWY_INLINE void prefetch_rows(const RowBlock<S>& rows, int64_t offset, int64_t size) {
  constexpr int64_t kLine = kCacheLine / static_cast<int64_t>(sizeof(S));
  constexpr int kSecondLevel = 2;
  for (int64_t t = 0; t < rows.count; ++t) {
    for (int64_t i = 0; i < size; i += kLine) __builtin_prefetch(rows.row[t] + offset + i, 0, kSecondLevel);
  }
}

// Rows whose products are computed together, as many as there are registers for. They share the loads of a query.
constexpr int kRowsMultiplied = IMPL_CPU_MASKS_MEMORY ? 4 : 1;

#if IMPL_CPU_MASKS_MEMORY
// out[k] = the sum of the lanes of v[k]. The sums of four vectors are added together: after two rounds of interleaving,
// each block of 16 bytes has a part of each of the four sums.
template <int kCount>
HWY_INLINE void sum_lanes_by_fours(const VecOf<float> (&v)[kCount], float* out) {
  const TagOf<float> d;
  const hn::Repartition<double, decltype(d)> pairs;
  const hn::Half<decltype(d)> half;
  const hn::Half<decltype(half)> quarter;
  static_assert(kCount % 4 == 0);
  for (int k = 0; k < kCount; k += 4) {
    const auto a = hn::Add(hn::InterleaveLower(d, v[k], v[k + 1]), hn::InterleaveUpper(d, v[k], v[k + 1]));
    const auto b = hn::Add(hn::InterleaveLower(d, v[k + 2], v[k + 3]), hn::InterleaveUpper(d, v[k + 2], v[k + 3]));
    const auto c = hn::BitCast(pairs, a), e = hn::BitCast(pairs, b);
    const auto all =
        hn::Add(hn::BitCast(d, hn::InterleaveLower(pairs, c, e)), hn::BitCast(d, hn::InterleaveUpper(pairs, c, e)));
    const auto halves = hn::Add(hn::LowerHalf(half, all), hn::UpperHalf(half, all));
    hn::StoreU(hn::Add(hn::LowerHalf(quarter, halves), hn::UpperHalf(quarter, halves)), quarter, out + k);
  }
}
#endif

// out[k] = the sum of the lanes of v[k], added in the same order for each kCount: the threads' shares decide which rows
// are multiplied together.
template <typename S, int kCount>
HWY_INLINE void sum_lanes(const VecOf<S> (&v)[kCount], ComputeOf<S>* out) {
#if IMPL_CPU_MASKS_MEMORY
  if constexpr (std::is_same_v<ComputeOf<S>, float>) {
    if constexpr (kCount % 4 == 0) return sum_lanes_by_fours(v, out);
    constexpr int kPadded = (kCount + 3) / 4 * 4;
    VecOf<S> padded[kPadded];
    float sums[kPadded];
    for (int k = 0; k < kPadded; ++k) padded[k] = v[std::min(k, kCount - 1)];
    sum_lanes_by_fours(padded, sums);
    std::copy_n(sums, kCount, out);
    return;
  }
#endif
  for (int k = 0; k < kCount; ++k) out[k] = hn::GetLane(hn::SumOfLanes(TagOf<S>(), v[k]));
}

// Calls put(h, t, product) for the products of kHeads queries, `q_head` elements apart, with the rows [first, first +
// kRows).
template <typename S, int kHeads, int kRows, class Put>
HWY_INLINE void multiply_rows(const RowBlock<S>& rows, int64_t first, int64_t size, const ComputeOf<S>* q,
                              int64_t q_head, const Put& put) {
  const TagOf<S> d;
  const int64_t lanes = lanes_of<S>(), whole = size / lanes * lanes;
  VecOf<S> sum[kRows * kHeads], x[kRows];
  for (auto& v : sum) v = hn::Zero(d);
  for (int64_t i = 0; i < whole; i += lanes) {
    for (int t = 0; t < kRows; ++t) x[t] = load_vector(rows.row[first + t] + i);
    for (int h = 0; h < kHeads; ++h) {
      const auto y = load_vector(q + h * q_head + i);
      for (int t = 0; t < kRows; ++t) sum[t * kHeads + h] = hn::MulAdd(x[t], y, sum[t * kHeads + h]);
    }
  }
  if (whole < size) {
    for (int t = 0; t < kRows; ++t) x[t] = load_some(rows.row[first + t] + whole, size - whole);
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
HWY_INLINE void multiply_rows(const RowBlock<S>& rows, int64_t size, const ComputeOf<S>* q, int64_t q_head,
                              const Put& put) {
  int64_t t = 0;
  for (; t + kRowsMultiplied <= rows.count; t += kRowsMultiplied) {
    multiply_rows<S, kHeads, kRowsMultiplied>(rows, t, size, q, q_head, put);
  }
  for (; t < rows.count; ++t) multiply_rows<S, kHeads, 1>(rows, t, size, q, q_head, put);
}

// The same for any number of queries.
template <typename S, class Put>
HWY_INLINE void multiply_all_rows(const RowBlock<S>& rows, int64_t size, const ComputeOf<S>* q, int64_t q_head,
                                  int64_t heads, const Put& put) {
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
  constexpr int kVectors = kHeads == 1 ? kVectorsOfOneHead : kVectorsTogether;
  const int64_t lanes = lanes_of<S>();
  int64_t at = 0;
  for (; at + kVectors * lanes <= size; at += kVectors * lanes) {
    add_weighted_vectors<S, kHeads, kVectors>(rows, at, 0, to);
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
