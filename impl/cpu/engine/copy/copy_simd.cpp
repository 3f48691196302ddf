// SPDX-License-Identifier: BSD-3-Clause
#include "impl/cpu/engine/copy/copy_simd.hpp"

#include <algorithm>
#include <cstdlib>
#include <cstring>

#include <hwy/cache_control.h>

#include "impl/common/kernel_table.hpp"
#include "impl/cpu/engine/copy/reverse.hpp"
#include "impl/cpu/prefetch.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "impl/cpu/engine/copy/copy_simd.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "impl/cpu/engine/copy/copy_bytes-inl.h"

HWY_BEFORE_NAMESPACE();
namespace impl::cpu {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

constexpr int64_t kLine = 64, kPage = 4096;

template <class D>
HWY_INLINE hn::Vec<D> reversed(D d, hn::Vec<D> v) {
#if HWY_TARGET == HWY_SCALAR  // a vector has one lane
  (void)d;
  return v;
#else
  if constexpr (sizeof(hn::TFromD<D>) == 1) {  // reverses pairs of bytes, then the bytes of each pair
    const hn::Repartition<uint16_t, D> pairs;
    const auto p = hn::Reverse(pairs, hn::BitCast(pairs, v));
    return hn::BitCast(d, hn::Or(hn::ShiftLeft<8>(p), hn::ShiftRight<8>(p)));
  } else {
    return hn::Reverse(d, v);
  }
#endif
}

// Addresses of tensors need not be multiples of the size of an element.
template <typename T>
HWY_INLINE void copy_item(void* to, const void* from) {
  std::memcpy(to, from, sizeof(T));
}

template <typename T>
void reverse_as(void* dst, const void* src, int64_t n) {
  const T* from = static_cast<const T*>(src);
  T* to = static_cast<T*>(dst);
  int64_t i = 0;
  if constexpr (sizeof(T) <= 8) {
    const hn::ScalableTag<T> d;
    const auto lanes = static_cast<int64_t>(hn::Lanes(d));
    for (; i + lanes <= n; i += lanes) hn::StoreU(reversed(d, hn::LoadU(d, from + n - i - lanes)), d, to + i);
  }
  for (; i < n; ++i) copy_item<T>(to + i, from + n - 1 - i);
}

template <typename T>
void broadcast_as(void* dst, const void* src, int64_t n) {
  T value;
  std::memcpy(&value, src, sizeof(T));
  T* to = static_cast<T*>(dst);
  int64_t i = 0;
  if constexpr (sizeof(T) <= 8) {
    const hn::ScalableTag<T> d;
    const auto lanes = static_cast<int64_t>(hn::Lanes(d));
    const auto v = hn::Set(d, value);
    for (; i + lanes <= n; i += lanes) hn::StoreU(v, d, to + i);
  }
  for (; i < n; ++i) copy_item<T>(to + i, &value);
}

void ReverseItems(void* dst, const void* src, int64_t item_size, int64_t n) {
  diopi::for_itemsize(item_size, [=](auto tag) { reverse_as<diopi::tagged<decltype(tag)>>(dst, src, n); });
}

void BroadcastElement(void* dst, const void* src, int64_t item_size, int64_t n) {
  diopi::for_itemsize(item_size, [=](auto tag) { broadcast_as<diopi::tagged<decltype(tag)>>(dst, src, n); });
}

void CopyBytes(void* dst, const void* src, int64_t bytes) {
  copy_bytes(static_cast<char*>(dst), static_cast<const char*>(src), bytes);
}

// Stores whole cache lines, because a part of a line would be slower.
HWY_INLINE void stream_line(uint8_t* to, const uint8_t* from) {
  const hn::ScalableTag<uint8_t> d;
  for (int64_t i = 0; i < kLine; i += static_cast<int64_t>(hn::Lanes(d))) hn::Stream(hn::LoadU(d, from + i), d, to + i);
}

// Prefetchers of CPUs end at a page, so each line is prefetched a page before it is read.
HWY_INLINE void stream_lines(uint8_t* to, const uint8_t* from, int64_t bytes) {
  const bool ahead = fetches_ahead();
  int64_t i = 0;
  for (; i + kPage < bytes; i += kLine) {
    if (ahead) hwy::Prefetch(from + i + kPage);
    stream_line(to + i, from + i);
  }
  for (; i < bytes; i += kLine) stream_line(to + i, from + i);
}

// Prefetchers of CPUs do not find short rows that are on other pages, so these are prefetched so many bytes ahead.
constexpr int64_t kRowsAhead = 2048;

// The distance in bytes from a row to the row that is prefetched with it, or 0 if none is.
int64_t distance_ahead(int64_t step, int64_t bytes) {
  const bool is_far = std::abs(step) >= kPage / 2 && bytes <= kPage / 4;
  return is_far ? (kRowsAhead / bytes + 1) * step : 0;
}

void StreamRows(void* dst, int64_t dst_step, const void* src, int64_t src_step, int64_t bytes, int64_t rows) {
  auto* to = static_cast<uint8_t*>(dst);
  const auto* from = static_cast<const uint8_t*>(src);
  const int64_t ahead = distance_ahead(src_step, std::max(bytes, kLine));
  for (int64_t r = 0; r < rows; ++r, to += dst_step, from += src_step) {
    for (int64_t at = 0; ahead != 0 && at < bytes; at += kLine) hwy::Prefetch(from + ahead + at);
    int64_t i = std::min<int64_t>(bytes, -reinterpret_cast<intptr_t>(to) & (kLine - 1));
    if (i > 0) std::memcpy(to, from, static_cast<size_t>(i));
    const int64_t whole = (bytes - i) / kLine * kLine;
    stream_lines(to + i, from + i, whole);
    i += whole;
    if (i < bytes) std::memcpy(to + i, from + i, static_cast<size_t>(bytes - i));
  }
}

// Stores whole cache lines. `ahead` is the distance in bytes from a line to the line that is prefetched with it.
template <typename T>
HWY_INLINE void stream_reversed(T* to, const T* from, int64_t n, int64_t ahead) {
  const hn::ScalableTag<T> d;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  constexpr auto kSize = static_cast<int64_t>(sizeof(T)), kItems = kLine / kSize;
  int64_t i = std::min<int64_t>(n, (-reinterpret_cast<intptr_t>(to) & (kLine - 1)) / kSize);
  reverse_as<T>(to, from + n - i, i);
  for (; i + kItems <= n; i += kItems) {
    const T* line = from + n - i - kItems;
    hwy::Prefetch(reinterpret_cast<const char*>(line) + ahead);
    for (int64_t k = 0; k < kItems; k += lanes) {
      hn::Stream(reversed(d, hn::LoadU(d, line + kItems - lanes - k)), d, to + i + k);
    }
  }
  reverse_as<T>(to + i, from, n - i);
}

// Rows are read backwards and follow each other forwards, which prefetchers of CPUs do not recognise. So each line is
// prefetched a page before it is read.
template <typename T>
void stream_reversed_as(void* dst, int64_t dst_step, const void* src, int64_t src_step, int64_t n, int64_t rows) {
  const bool rows_ahead = src_step > 0 && rows > 1 && n * static_cast<int64_t>(sizeof(T)) < kPage;
  auto* to = static_cast<char*>(dst);
  const auto* from = static_cast<const char*>(src);
  for (int64_t r = 0; r < rows; ++r, to += dst_step, from += src_step) {
    stream_reversed(reinterpret_cast<T*>(to), reinterpret_cast<const T*>(from), n, rows_ahead ? kPage : -kPage);
  }
}

void StreamReversedRows(void* dst, int64_t dst_step, const void* src, int64_t src_step, int64_t item_size, int64_t n,
                        int64_t rows) {
  diopi::for_itemsize(item_size, [=](auto tag) {
    using T = diopi::tagged<decltype(tag)>;
    if constexpr (sizeof(T) <= 8) stream_reversed_as<T>(dst, dst_step, src, src_step, n, rows);
  });
}

}  // namespace HWY_NAMESPACE
}  // namespace impl::cpu
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace impl::cpu {

HWY_EXPORT(ReverseItems);
HWY_EXPORT(BroadcastElement);
HWY_EXPORT(CopyBytes);
HWY_EXPORT(StreamRows);
HWY_EXPORT(StreamReversedRows);

void reverse_items(void* dst, const void* src, int64_t item_size, int64_t n) {
  HWY_DYNAMIC_DISPATCH(ReverseItems)(dst, src, item_size, n);
}
void broadcast_element(void* dst, const void* src, int64_t item_size, int64_t n) {
  HWY_DYNAMIC_DISPATCH(BroadcastElement)(dst, src, item_size, n);
}
void copy_row(void* dst, const void* src, int64_t bytes) {
  constexpr int64_t kShort = 512, kLong = int64_t{1} << 15;
  if (bytes >= kShort && bytes < kLong && !fetches_ahead()) {
    HWY_DYNAMIC_DISPATCH(CopyBytes)(dst, src, bytes);
  } else {
    std::memcpy(dst, src, static_cast<size_t>(bytes));
  }
}

void stream_rows(void* dst, int64_t dst_step, const void* src, int64_t src_step, int64_t bytes, int64_t rows) {
  HWY_DYNAMIC_DISPATCH(StreamRows)(dst, dst_step, src, src_step, bytes, rows);
}
void stream_reversed_rows(void* dst, int64_t dst_step, const void* src, int64_t src_step, int64_t item_size, int64_t n,
                          int64_t rows) {
  HWY_DYNAMIC_DISPATCH(StreamReversedRows)(dst, dst_step, src, src_step, item_size, n, rows);
}
void finish_stores() { hwy::FlushStream(); }

}  // namespace impl::cpu
#endif  // HWY_ONCE
