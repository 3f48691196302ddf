/* SPDX-License-Identifier: BSD-3-Clause */
// Rows of interpolations: loads, stores, weighted sums of rows, and taps along a row.
#if defined(IMPL_CPU_SAMPLING_ROWS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef IMPL_CPU_SAMPLING_ROWS_INL_H_
#undef IMPL_CPU_SAMPLING_ROWS_INL_H_
#else
#define IMPL_CPU_SAMPLING_ROWS_INL_H_
#endif

#include <hwy/highway.h>

#include <algorithm>

#include "impl/cpu/sampling/taps.hpp"
#include "impl/cpu/simd/load_store-inl.h"

HWY_BEFORE_NAMESPACE();
namespace impl::cpu {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

constexpr int64_t kRun = 64;  // terms that are added one after another before their sum is added to a wider one

// Converts a row of n elements that are `step` apart.
template <typename S>
HWY_INLINE void load_row(const S* from, int64_t step, int64_t n, ComputeOf<S>* to) {
  int64_t i = 0;
  if (step == 1) {
    const TagOf<S> d;
    for (; i + lanes_of<S>() <= n; i += lanes_of<S>()) hn::StoreU(load_vector(from + i), d, to + i);
  }
  for (; i < n; ++i) to[i] = static_cast<ComputeOf<S>>(from[i * step]);
}

template <typename S>
HWY_INLINE void store_row(const ComputeOf<S>* from, int64_t n, S* to, int64_t step) {
  int64_t i = 0;
  if (step == 1) {
    const TagOf<S> d;
    for (; i + lanes_of<S>() <= n; i += lanes_of<S>()) store_vector<S>(hn::LoadU(d, from + i), to + i);
  }
  for (; i < n; ++i) to[i * step] = static_cast<S>(from[i]);
}

// A row with its weight.
template <typename T>
struct WeightedRow {
  const T* row;
  T weight;
};

// out = the weighted sum of kCount rows, added to `out` if kAdds.
template <int kCount, bool kAdds, typename T>
HWY_INLINE void sum_rows_of(const WeightedRow<T>* rows, int64_t n, T* out) {
  const hn::ScalableTag<T> d;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  int64_t i = 0;
  for (; i + lanes <= n; i += lanes) {
    auto sum = hn::Mul(hn::Set(d, rows[0].weight), hn::LoadU(d, rows[0].row + i));
    if (kAdds) sum = hn::Add(hn::LoadU(d, out + i), sum);
    for (int k = 1; k < kCount; ++k) {
      sum = hn::Add(sum, hn::Mul(hn::Set(d, rows[k].weight), hn::LoadU(d, rows[k].row + i)));
    }
    hn::StoreU(sum, d, out + i);
  }
  if (i == n) return;
  const int64_t rest = n - i;
  auto sum = hn::Mul(hn::Set(d, rows[0].weight), load_some(rows[0].row + i, rest));
  if (kAdds) sum = hn::Add(load_some(out + i, rest), sum);
  for (int k = 1; k < kCount; ++k) {
    sum = hn::Add(sum, hn::Mul(hn::Set(d, rows[k].weight), load_some(rows[k].row + i, rest)));
  }
  store_some(sum, out + i, rest);
}

template <bool kAdds, typename T>
HWY_INLINE void sum_up_to_four(const WeightedRow<T>* rows, int64_t count, int64_t n, T* out) {
  switch (count) {
    case 1:
      return sum_rows_of<1, kAdds>(rows, n, out);
    case 2:
      return sum_rows_of<2, kAdds>(rows, n, out);
    case 3:
      return sum_rows_of<3, kAdds>(rows, n, out);
    default:
      return sum_rows_of<4, kAdds>(rows, n, out);
  }
}

// out = the weighted sum of rows; 0 if there are none.
template <typename T>
HWY_INLINE void sum_rows(const WeightedRow<T>* rows, int64_t count, int64_t n, T* out) {
  if (count == 0) {
    std::fill_n(out, n, T{});
    return;
  }
  sum_up_to_four<false>(rows, std::min<int64_t>(count, 4), n, out);
  for (int64_t k = 4; k < count; k += 4) sum_up_to_four<true>(rows + k, std::min<int64_t>(count - k, 4), n, out);
}

template <class D, typename T>
HWY_INLINE hn::Vec<D> gather(D d, const T* row, const int32_t* index) {
  const hn::RebindToSigned<D> di;
  const auto narrow = hn::LoadU(hn::Rebind<int32_t, D>(), index);
  if constexpr (sizeof(T) == 8) {
    return hn::GatherIndex(d, row, hn::PromoteTo(di, narrow));
  } else {
    return hn::GatherIndex(d, row, narrow);
  }
}

// The elements of a row at n indices, where n is the number of lanes; an index `gap` gives 0. Adjacent positions of a
// result read elements that are close together: if all of them lie in two vectors, permutations are faster than a
// gather. `readable` elements of the row can be read; there the element `gap` is 0.
template <class D, typename T>
HWY_INLINE hn::Vec<D> look_up(D d, const T* row, const int32_t* indices, int64_t readable, int32_t gap) {
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  if (readable < 2 * lanes) return gather(d, row, indices);
  const hn::Rebind<int32_t, D> d32;
  const auto index = hn::LoadU(d32, indices);
  const int64_t first = indices[0] != gap ? indices[0] : hn::GetLane(hn::MinOfLanes(d32, index));
  const int64_t base = std::min(first, readable - 2 * lanes);
  const auto place = hn::Sub(index, hn::Set(d32, static_cast<int32_t>(base)));
  const auto count = hn::Set(d32, static_cast<int32_t>(lanes));
  const auto near = hn::And(hn::Lt(hn::Set(d32, -1), place), hn::Lt(place, hn::Add(count, count)));
  const auto none = hn::Eq(index, hn::Set(d32, gap));
  if (!hn::AllTrue(d32, hn::Or(near, none))) return gather(d, row, indices);
  const hn::RebindToSigned<D> di;
  const auto widened = [&](hn::Vec<decltype(d32)> v) HWY_ATTR {
    if constexpr (sizeof(T) == 8) {
      return hn::PromoteTo(di, v);
    } else {
      return v;
    }
  };
  const auto wide = widened(place);
  const auto lane = hn::IndicesFromVec(d, hn::And(wide, hn::Set(di, static_cast<hn::TFromD<decltype(di)>>(lanes - 1))));
  auto value = hn::TableLookupLanes(hn::LoadU(d, row + base), lane);
  const auto in_first = hn::Lt(wide, hn::Set(di, static_cast<hn::TFromD<decltype(di)>>(lanes)));
  if (!hn::AllTrue(di, in_first)) {
    const auto second = hn::TableLookupLanes(hn::LoadU(d, row + base + lanes), lane);
    value = hn::IfThenElse(hn::RebindMask(d, in_first), value, second);
  }
  if (hn::AllFalse(d32, none)) return value;
  const auto is_gap = hn::Eq(widened(index), hn::Set(di, gap));
  return hn::IfThenZeroElse(hn::RebindMask(d, is_gap), value);
}

// One position with many taps.
template <typename T>
HWY_INLINE T sum_taps(const T* row, const Taps<T>& taps, int64_t x) {
  double total = 0;
  for (int64_t start = 0; start < taps.count; start += kRun) {
    T sum{};
    for (int64_t k = start; k < std::min(taps.count, start + kRun); ++k) {
      sum = sum + taps.weight[k * taps.out + x] * row[taps.index[k * taps.out + x]];
    }
    total += static_cast<double>(sum);
  }
  return static_cast<T>(total);
}

// out = the taps of a row, of which `readable` elements can be read. If the table has gaps, element `in` of the row is
// 0.
template <typename T>
HWY_INLINE void resample_row(const T* row, int64_t readable, const Taps<T>& taps, T* out) {
  if (taps.count > kRun) {
    for (int64_t x = 0; x < taps.out; ++x) out[x] = sum_taps(row, taps, x);
    return;
  }
  const hn::ScalableTag<T> d;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  const int32_t gap = taps.has_gaps ? static_cast<int32_t>(taps.in) : -1;
  const auto compute = [&](int64_t x) HWY_ATTR {
    auto sum = hn::Mul(hn::LoadU(d, taps.weight + x), look_up(d, row, taps.index + x, readable, gap));
    for (int64_t k = 1; k < taps.count; ++k) {
      const int64_t at = k * taps.out + x;
      sum = hn::Add(sum, hn::Mul(hn::LoadU(d, taps.weight + at), look_up(d, row, taps.index + at, readable, gap)));
    }
    hn::StoreU(sum, d, out + x);
  };
  int64_t x = 0;
  for (; x + lanes <= taps.out; x += lanes) compute(x);
  if (x == taps.out) return;
  if (x > 0) return compute(taps.out - lanes);  // some positions again
  for (; x < taps.out; ++x) {
    T sum = taps.weight[x] * row[taps.index[x]];
    for (int64_t k = 1; k < taps.count; ++k) {
      const int64_t at = k * taps.out + x;
      sum = sum + taps.weight[at] * row[taps.index[at]];
    }
    out[x] = sum;
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace impl::cpu
HWY_AFTER_NAMESPACE();

#endif  // include guard
