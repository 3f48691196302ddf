// SPDX-License-Identifier: BSD-3-Clause
#include "impl/cpu/sparse/spmm.hpp"

#include <algorithm>

#include "impl/common/kernel_table.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "impl/cpu/sparse/spmm.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>
#include "impl/cpu/simd/load_store-inl.h"

HWY_BEFORE_NAMESPACE();
namespace impl::cpu {
namespace HWY_NAMESPACE {

constexpr int64_t kSpmmBlock = 512;  // entries of a sum

// The entries of one row.
template <typename T, typename Index>
struct SparseRow {
  const Index* columns;
  const ComputeOf<T>* values;
  int64_t count;
  const T* dense;  // from the first column of the result on
  int64_t dense_row;

  const T* line(int64_t entry) const { return dense + static_cast<int64_t>(columns[entry]) * dense_row; }
};

// The sums of kVectors vectors of columns over the entries from `first` to below `end`. Few vectors have several sums
// each, which hides the latency of additions. kPart: the only vector has `lanes` elements.
template <int kVectors, bool kPart, typename T, typename Index>
HWY_INLINE void sum_block(const SparseRow<T, Index>& row, int64_t first, int64_t end, int64_t lanes,
                          VecOf<T> (&sum)[kVectors]) {
  constexpr int kWays = kVectors >= 4 ? 1 : 4 / kVectors;
  const TagOf<T> d;
  const int64_t step = lanes_of<T>();
  VecOf<T> sums[kWays][kVectors];
  const auto add = [&](int64_t entry, VecOf<T>(&to)[kVectors]) HWY_ATTR {
    const T* const line = row.line(entry);
    const auto factor = hn::Set(d, row.values[entry]);
    for (int v = 0; v < kVectors; ++v) {
      const auto terms = kPart ? load_some(line, lanes) : load_vector(line + v * step);
      to[v] = hn::MulAdd(factor, terms, to[v]);
    }
  };
  for (int w = 0; w < kWays; ++w) {
    for (int v = 0; v < kVectors; ++v) sums[w][v] = hn::Zero(d);
  }
  int64_t e = first;
  for (; e + kWays <= end; e += kWays) {
    for (int w = 0; w < kWays; ++w) add(e + w, sums[w]);
  }
  for (; e < end; ++e) add(e, sums[0]);
  for (int v = 0; v < kVectors; ++v) {
    sum[v] = sums[0][v];
    for (int w = 1; w < kWays; ++w) sum[v] = hn::Add(sum[v], sums[w][v]);
  }
}

// The sums over any number of entries: those of blocks are added pairwise.
template <int kVectors, bool kPart, typename T, typename Index>
void sum_entries(const SparseRow<T, Index>& row, int64_t first, int64_t end, int64_t lanes,
                 VecOf<T> (&total)[kVectors]) {
  const int64_t blocks = (end - first + kSpmmBlock - 1) / kSpmmBlock;
  if (blocks <= 1) return sum_block<kVectors, kPart>(row, first, end, lanes, total);
  const int64_t middle = first + blocks / 2 * kSpmmBlock;
  VecOf<T> other[kVectors];
  sum_entries<kVectors, kPart>(row, first, middle, lanes, total);
  sum_entries<kVectors, kPart>(row, middle, end, lanes, other);
  for (int v = 0; v < kVectors; ++v) total[v] = hn::Add(total[v], other[v]);
}

template <int kVectors, bool kPart, typename T, typename Index>
HWY_INLINE void spmm_columns(const SparseRow<T, Index>& row, int64_t lanes, T* out) {
  VecOf<T> total[kVectors];
  if (row.count <= kSpmmBlock) {
    sum_block<kVectors, kPart>(row, 0, row.count, lanes, total);
  } else {
    sum_entries<kVectors, kPart>(row, 0, row.count, lanes, total);
  }
  for (int v = 0; v < kVectors; ++v) {
    if constexpr (kPart) {
      store_some(total[v], out, lanes);
    } else {
      store_vector(total[v], out + v * lanes_of<T>());
    }
  }
}

template <typename T, typename Index>
HWY_INLINE void spmm_row(SparseRow<T, Index> row, int64_t columns, T* out) {
  const int64_t lanes = lanes_of<T>();
  const auto advance = [&](int64_t count) HWY_ATTR {
    row.dense += count;
    out += count;
    columns -= count;
  };
  for (; columns >= 8 * lanes; advance(8 * lanes)) spmm_columns<8, false>(row, lanes, out);
  for (; columns >= 4 * lanes; advance(4 * lanes)) spmm_columns<4, false>(row, lanes, out);
  for (; columns >= 2 * lanes; advance(2 * lanes)) spmm_columns<2, false>(row, lanes, out);
  for (; columns >= lanes; advance(lanes)) spmm_columns<1, false>(row, lanes, out);
  if (columns > 0) spmm_columns<1, true>(row, columns, out);
}

template <typename T, typename Index>
void spmm_rows(const SpmmProblem& p, const SpmmPart& part) {
  const Index* const pointers = static_cast<const Index*>(p.row_pointers);
  const T* const dense = static_cast<const T*>(p.dense) + part.first_column;
  for (int64_t r = part.first_row; r < part.end_row; ++r) {
    const auto begin = static_cast<int64_t>(pointers[r]), end = static_cast<int64_t>(pointers[r + 1]);
    const SparseRow<T, Index> row{static_cast<const Index*>(p.columns) + begin,
                                  static_cast<const ComputeOf<T>*>(p.values) + begin, end - begin, dense, p.dense_row};
    spmm_row(row, part.columns, static_cast<T*>(p.out) + r * p.out_row + part.first_column);
  }
}

template <typename T>
void spmm(const SpmmProblem& p, const SpmmPart& part) {
  p.wide ? spmm_rows<T, int64_t>(p, part) : spmm_rows<T, int32_t>(p, part);
}

SpmmFn GetSpmm(diopiDtype_t dtype) {
  return diopi::kernel_for<diopi::FloatingTypes>(dtype,
                                                 [](auto tag) -> SpmmFn { return spmm<diopi::tagged<decltype(tag)>>; });
}

}  // namespace HWY_NAMESPACE
}  // namespace impl::cpu
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace impl::cpu {
HWY_EXPORT(GetSpmm);

SpmmFn spmm_kernel(diopiDtype_t dtype) { return HWY_DYNAMIC_DISPATCH(GetSpmm)(dtype); }

}  // namespace impl::cpu
#endif
