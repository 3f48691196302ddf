// SPDX-License-Identifier: BSD-3-Clause
// Selects the first k elements of a row without sorting all of it.
#ifndef IMPL_CPU_SORT_TOPK_SELECT_HPP_
#define IMPL_CPU_SORT_TOPK_SELECT_HPP_

#include <algorithm>
#include <cstdint>

#include "impl/cpu/sort/elements.hpp"
#include "impl/cpu/sort/simd.hpp"

namespace impl::cpu {

// Moves the smallest min(k, count) of `count` keys to the front and returns their number.
template <typename P>
int64_t keep_smallest(P* keys, int64_t count, int64_t k) {
  if (count <= k) return count;
  if (k > 0) std::nth_element(keys, keys + k - 1, keys + count);
  return k;
}

// Detects blocks of a row that have no key below a limit. It works only on packed rows.
template <typename T, typename P>
class BlockFilter {
 public:
  explicit BlockFilter(const SortPlan& plan)
      : min_key_(plan.input_stride == 1 ? min_key_function(plan.dtype) : nullptr), descending_(plan.descending) {}
  bool may_hold(const SortPlan& plan, const char* row, int64_t begin, int64_t end, P limit) const {
    return min_key_ == nullptr ||
           min_key_(element_at<T>(plan, row, begin), end - begin, descending_) <= Packing<P>::key(limit);
  }

 private:
  MinKeyFn min_key_;
  bool descending_;
};

// Selects the k smallest keys of elements [begin, end) by insertion into a sorted list, for a small k.
template <typename T, typename P>
int64_t select_few(const SortPlan& plan, const char* row, int64_t begin, int64_t end, P* keys) {
  const BlockFilter<T, P> filter(plan);
  std::fill_n(keys, plan.k, static_cast<P>(~P{0}));
  P* const last = keys + plan.k - 1;
  for (int64_t block = begin; block < end; block += kSelectionBlock) {
    const int64_t stop = std::min(end, block + kSelectionBlock);
    if (!filter.may_hold(plan, row, block, stop, *last)) continue;
    for (int64_t i = block; i < stop; ++i) {
      const P packed = Packing<P>::pack(key_at<T>(plan, row, i), i);
      if (packed >= *last) continue;
      P* place = last;
      for (; place > keys && place[-1] > packed; --place) *place = place[-1];
      *place = packed;
    }
  }
  return std::min(plan.k, end - begin);
}

// Selects the k smallest keys for any k: collects candidates, and keeps only k of them when there are too many.
template <typename T, typename P>
int64_t select_many(const SortPlan& plan, const char* row, int64_t begin, int64_t end, P* keys) {
  const BlockFilter<T, P> filter(plan);
  const int64_t capacity = selection_capacity(plan);
  P limit = static_cast<P>(~P{0});
  int64_t count = 0;
  for (int64_t block = begin; block < end; block += kSelectionBlock) {
    const int64_t stop = std::min(end, block + kSelectionBlock);
    if (!filter.may_hold(plan, row, block, stop, limit)) continue;
    for (int64_t i = block; i < stop; ++i) {
      const P packed = Packing<P>::pack(key_at<T>(plan, row, i), i);
      keys[count] = packed;
      count += packed <= limit;
    }
    if (count + kSelectionBlock > capacity) {
      count = keep_smallest(keys, count, plan.k);
      limit = keys[plan.k - 1];
    }
  }
  return keep_smallest(keys, count, plan.k);
}

// Writes the k smallest keys of elements [begin, end) to `keys`, which has room for selection_capacity(), and returns
// their number.
template <typename T, typename P>
int64_t select(const SortPlan& plan, const char* row, int64_t begin, int64_t end, P* keys) {
  constexpr int64_t kFew = 16;
  if (plan.k == 0 || begin >= end) return 0;
  return plan.k <= kFew ? select_few<T>(plan, row, begin, end, keys) : select_many<T>(plan, row, begin, end, keys);
}

}  // namespace impl::cpu

#endif  // IMPL_CPU_SORT_TOPK_SELECT_HPP_
