// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>

#include "impl/common/kernel_table.hpp"
#include "impl/cpu/sparse/spmm.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "impl/cpu/sparse/spmv.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>
#include "impl/cpu/simd/load_store-inl.h"

HWY_BEFORE_NAMESPACE();
namespace impl::cpu {
namespace HWY_NAMESPACE {

constexpr int64_t kSpmvBlock = 512;  // entries of a sum
constexpr int kSpmvWays = 4;         // sums that hide the latency of additions

template <typename T>
using PlaceTag = hn::RebindToSigned<TagOf<T>>;
template <typename T>
using PlaceVec = hn::Vec<PlaceTag<T>>;

// The entries of one row.
template <typename T, typename Index>
struct SparseLine {
  const Index* columns;
  const T *values, *dense;
  int64_t dense_row;
};

// The columns of a vector of entries, in integers of the size of T.
template <typename T, typename Index>
HWY_INLINE PlaceVec<T> load_columns(const Index* columns) {
  const PlaceTag<T> d;
  using Place = hn::TFromD<PlaceTag<T>>;
  if constexpr (sizeof(Place) == sizeof(Index)) {
    return hn::LoadU(d, columns);
  } else {
    HWY_ALIGN Place places[HWY_MAX_BYTES / sizeof(Place)];
    for (int64_t i = 0; i < lanes_of<T>(); ++i) places[i] = static_cast<Place>(columns[i]);
    return hn::Load(d, places);
  }
}

template <typename T, typename Index>
HWY_INLINE VecOf<T> add_products(const SparseLine<T, Index>& line, int64_t entry, VecOf<T> sum) {
  const PlaceTag<T> d;
  auto places = load_columns<T>(line.columns + entry);
  if (line.dense_row != 1) places = hn::Mul(places, hn::Set(d, static_cast<hn::TFromD<PlaceTag<T>>>(line.dense_row)));
  return hn::MulAdd(load_vector(line.values + entry), hn::GatherIndex(TagOf<T>(), line.dense, places), sum);
}

// The sum of the entries from `first` to below `end`.
template <typename T, typename Index>
HWY_INLINE T sum_line(const SparseLine<T, Index>& line, int64_t first, int64_t end) {
  const TagOf<T> d;
  const int64_t lanes = lanes_of<T>();
  VecOf<T> sums[kSpmvWays];
  for (auto& sum : sums) sum = hn::Zero(d);
  int64_t e = first;
  for (; e + kSpmvWays * lanes <= end; e += kSpmvWays * lanes) {
    for (int w = 0; w < kSpmvWays; ++w) sums[w] = add_products(line, e + w * lanes, sums[w]);
  }
  for (; e + lanes <= end; e += lanes) sums[0] = add_products(line, e, sums[0]);
  T total = hn::GetLane(hn::SumOfLanes(d, hn::Add(hn::Add(sums[0], sums[1]), hn::Add(sums[2], sums[3]))));
  for (; e < end; ++e) total += line.values[e] * line.dense[static_cast<int64_t>(line.columns[e]) * line.dense_row];
  return total;
}

// The sums of blocks are added pairwise.
template <typename T, typename Index>
T sum_blocks(const SparseLine<T, Index>& line, int64_t first, int64_t end) {
  const int64_t blocks = (end - first + kSpmvBlock - 1) / kSpmvBlock;
  if (blocks <= 1) return sum_line(line, first, end);
  const int64_t middle = first + blocks / 2 * kSpmvBlock;
  return sum_blocks(line, first, middle) + sum_blocks(line, middle, end);
}

template <typename T, typename Index>
void spmv_rows(const SpmmProblem& p, const SpmmPart& part) {
  const Index* const pointers = static_cast<const Index*>(p.row_pointers);
  const SparseLine<T, Index> line{static_cast<const Index*>(p.columns), static_cast<const T*>(p.values),
                                  static_cast<const T*>(p.dense), p.dense_row};
  for (int64_t r = part.first_row; r < part.end_row; ++r) {
    const auto begin = static_cast<int64_t>(pointers[r]), end = static_cast<int64_t>(pointers[r + 1]);
    static_cast<T*>(p.out)[r * p.out_row] =
        end - begin <= kSpmvBlock ? sum_line(line, begin, end) : sum_blocks(line, begin, end);
  }
}

template <typename T>
void spmv(const SpmmProblem& p, const SpmmPart& part) {
  p.wide ? spmv_rows<T, int64_t>(p, part) : spmv_rows<T, int32_t>(p, part);
}

SpmmFn GetSpmv(diopiDtype_t dtype) {
  return diopi::kernel_for<diopi::TypeList<float, double>>(
      dtype, [](auto tag) -> SpmmFn { return spmv<diopi::tagged<decltype(tag)>>; });
}

}  // namespace HWY_NAMESPACE
}  // namespace impl::cpu
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace impl::cpu {
HWY_EXPORT(GetSpmv);

SpmmFn spmv_kernel(diopiDtype_t dtype) { return HWY_DYNAMIC_DISPATCH(GetSpmv)(dtype); }

}  // namespace impl::cpu
#endif
