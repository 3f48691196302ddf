// SPDX-License-Identifier: BSD-3-Clause
#include "impl/cpu/engine/index/index_simd.hpp"

#include <algorithm>
#include <limits>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "impl/cpu/engine/index/index_simd.cpp"
#include <hwy/cache_control.h>
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "impl/cpu/engine/copy/short_rows-inl.h"
#include "impl/cpu/prefetch.hpp"

HWY_BEFORE_NAMESPACE();
namespace impl::cpu {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

// Whether all indices are in range. Memory loads several pages of long lists in parallel: lines are asked for far
// ahead, or eight pages are read at a time. On an AMD EPYC (Zen 5), 8 MiB take 170 us so, and 450 us in turns of eight
// pages.
template <typename I>
bool all_within(const I* index, int64_t n, int64_t low, int64_t span) {
  constexpr int64_t kPage = 4096 / sizeof(I), kTile = 128 / sizeof(I), kPages = 8 * kPage;
  constexpr int64_t kFar = 4 * kPage, kLine = 64 / sizeof(I);
  const auto last = static_cast<int64_t>(static_cast<uint64_t>(low) + static_cast<uint64_t>(span) - 1);
  constexpr int64_t kLeast = std::numeric_limits<I>::min(), kMost = std::numeric_limits<I>::max();
  if (span <= 0 || last < kLeast || low > kMost) return n == 0;
  const auto first_item = static_cast<I>(std::max(low, kLeast)), last_item = static_cast<I>(std::min(last, kMost));
  const hn::ScalableTag<I> d;
  const int64_t lanes = static_cast<int64_t>(hn::Lanes(d));
  const auto least = hn::Set(d, first_item), most = hn::Set(d, last_item);
  auto bad = hn::Gt(least, least);
  const auto check = [&](int64_t begin, int64_t count) {
    for (int64_t i = begin; i < begin + count; i += lanes) {
      const auto v = hn::LoadU(d, index + i);
      bad = hn::Or(bad, hn::Or(hn::Lt(v, least), hn::Gt(v, most)));
    }
  };
  int64_t i = 0;
  for (; reads_half_lines() && i + kFar <= n; i += kLine) {
    hwy::Prefetch(index + i + kFar);
    check(i, kLine);
  }
  for (; i + kPages <= n; i += kPages) {
    for (int64_t k = i; k < i + kPage; k += kTile) {
      for (int64_t page = 0; page < kPages; page += kPage) check(k + page, kTile);
    }
  }
  const int64_t whole = (n - i) / lanes * lanes;
  check(i, whole);
  bool within = hn::AllFalse(d, bad);
  for (i += whole; i < n; ++i) within = within && index[i] >= first_item && index[i] <= last_item;
  return within;
}
bool AllWithin64(const int64_t* index, int64_t n, int64_t low, int64_t span) { return all_within(index, n, low, span); }
bool AllWithin32(const int32_t* index, int64_t n, int64_t low, int64_t span) { return all_within(index, n, low, span); }

// A plain loop, which the compiler vectorises. Unsigned arithmetic, because an invalid index may have any value.
template <bool kWrap, bool kFirst, bool kPacked>
bool offsets_loop(int64_t* HWY_RESTRICT table, const int64_t* HWY_RESTRICT index, int64_t n, int64_t size,
                  int64_t stride) {
  const auto extent = static_cast<uint64_t>(size), step = static_cast<uint64_t>(stride);
  uint64_t bad = 0;
  for (int64_t i = 0; i < n; ++i) {
    auto at = static_cast<uint64_t>(index[i]);
    if constexpr (kWrap) at += index[i] < 0 ? extent : 0;
    bad |= static_cast<uint64_t>(at >= extent);
    const uint64_t offset = kPacked ? at : at * step;
    table[i] = static_cast<int64_t>(kFirst ? offset : static_cast<uint64_t>(table[i]) + offset);
  }
  return bad == 0;
}
template <bool kWrap, bool kFirst>
bool offsets_with(int64_t* table, const int64_t* index, int64_t n, const IndexOffsets& o) {
  return o.stride == 1 ? offsets_loop<kWrap, kFirst, true>(table, index, n, o.size, 1)
                       : offsets_loop<kWrap, kFirst, false>(table, index, n, o.size, o.stride);
}
bool ComputeOffsets(int64_t* table, const int64_t* index, int64_t n, const IndexOffsets& o) {
  if (o.wrap)
    return o.first ? offsets_with<true, true>(table, index, n, o) : offsets_with<true, false>(table, index, n, o);
  return o.first ? offsets_with<false, true>(table, index, n, o) : offsets_with<false, false>(table, index, n, o);
}

#if HWY_ARCH_X86 && HWY_TARGET <= HWY_AVX3
template <class D>
HWY_INLINE hn::Vec<D> load_index(D d, const int32_t* index) {
  return hn::LoadU(d, index);
}
template <class D>
HWY_INLINE hn::Vec<D> load_index(D d, const int64_t* index) {
  const hn::Repartition<uint64_t, D> wide;
  const hn::Half<hn::RebindToUnsigned<D>> half;
  const auto* words = reinterpret_cast<const uint64_t*>(index);
  const auto low = hn::TruncateTo(half, hn::LoadU(wide, words));
  const auto high = hn::TruncateTo(half, hn::LoadU(wide, words + hn::Lanes(wide)));
  return hn::BitCast(d, hn::Combine(hn::RebindToUnsigned<D>(), high, low));
}

template <typename T, typename I>
void gather_items(void* dst, const void* src, const void* entries, int64_t n) {
  const hn::ScalableTag<T> d;
  const hn::RebindToSigned<decltype(d)> di;
  const int64_t lanes = static_cast<int64_t>(hn::Lanes(d));
  const I* index = static_cast<const I*>(entries);
  const T* from = static_cast<const T*>(src);
  T* to = static_cast<T*>(dst);
  int64_t i = 0;
  for (; i + lanes <= n; i += lanes) hn::StoreU(hn::GatherIndex(d, from, load_index(di, index + i)), d, to + i);
  for (; i < n; ++i) to[i] = from[index[i]];
}
#endif

GatherItemsFn GetGatherItems(int64_t item_size, bool is_int64) {
#if HWY_ARCH_X86 && HWY_TARGET <= HWY_AVX3
  if (item_size == 4) return is_int64 ? gather_items<uint32_t, int64_t> : gather_items<uint32_t, int32_t>;
#else
  (void)item_size;
  (void)is_int64;
#endif
  return nullptr;
}

void GatherShortRows(char* dst, int64_t dst_step, const char* src, const int64_t* table, int64_t size, int64_t bytes,
                     int64_t rows) {
  copy_short_rows([=](int64_t r) HWY_ATTR { return dst + r * dst_step; },
                  [=](int64_t r) HWY_ATTR { return src + table[r] * size; }, bytes, rows);
}

}  // namespace HWY_NAMESPACE
}  // namespace impl::cpu
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace impl::cpu {

HWY_EXPORT(AllWithin64);
HWY_EXPORT(AllWithin32);
HWY_EXPORT(ComputeOffsets);
HWY_EXPORT(GetGatherItems);
HWY_EXPORT(GatherShortRows);

bool indices_within(const int64_t* index, int64_t n, int64_t low, int64_t span) {
  return HWY_DYNAMIC_DISPATCH(AllWithin64)(index, n, low, span);
}
bool indices_within(const int32_t* index, int64_t n, int64_t low, int64_t span) {
  return HWY_DYNAMIC_DISPATCH(AllWithin32)(index, n, low, span);
}
bool make_offsets(int64_t* table, const int64_t* index, int64_t n, const IndexOffsets& offsets) {
  return HWY_DYNAMIC_DISPATCH(ComputeOffsets)(table, index, n, offsets);
}
void gather_short_rows(char* dst, int64_t dst_step, const char* src, const int64_t* table, int64_t size, int64_t bytes,
                       int64_t rows) {
  HWY_DYNAMIC_DISPATCH(GatherShortRows)(dst, dst_step, src, table, size, bytes, rows);
}

namespace {

// Asks for the index far ahead.
template <typename T, typename I>
void move_items(void* dst, const void* src, const void* entries, int64_t n) {
  constexpr int64_t kFar = 16384 / sizeof(I), kLine = 64 / sizeof(I);
  const I* index = static_cast<const I*>(entries);
  const T* from = static_cast<const T*>(src);
  T* to = static_cast<T*>(dst);
  int64_t i = 0;
  for (; i + kLine <= n; i += kLine) {
    __builtin_prefetch(index + i + kFar);
#pragma GCC unroll 16
    for (int64_t j = i; j < i + kLine; ++j) to[j] = from[index[j]];
  }
  for (; i < n; ++i) to[i] = from[index[i]];
}

}  // namespace

GatherItemsFn gather_items_function(int64_t item_size, bool is_int64) {
  if (reads_half_lines()) {  // an AMD EPYC (Zen 5) gathers 65536 items in 20 us; a plain loop takes 15 us
    if (item_size == 4) return is_int64 ? move_items<uint32_t, int64_t> : move_items<uint32_t, int32_t>;
    if (item_size == 8) return is_int64 ? move_items<uint64_t, int64_t> : move_items<uint64_t, int32_t>;
  }
  return HWY_DYNAMIC_DISPATCH(GetGatherItems)(item_size, is_int64);
}

}  // namespace impl::cpu
#endif  // HWY_ONCE
