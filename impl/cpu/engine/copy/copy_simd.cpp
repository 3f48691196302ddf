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
#include "impl/cpu/engine/copy/short_rows-inl.h"

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

// Rows of at least one vector. The last vectors of a row overlap.
template <class D>
HWY_INLINE void reverse_rows_with(D d, char* dst, int64_t dst_step, const char* src, int64_t src_step, int64_t n,
                                  int64_t rows) {
  using T = hn::TFromD<D>;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  for (int64_t r = 0; r < rows; ++r, dst += dst_step, src += src_step) {
    T* const to = reinterpret_cast<T*>(dst);
    const T* const from = reinterpret_cast<const T*>(src);
    int64_t i = 0;
    for (; i + lanes <= n; i += lanes) hn::StoreU(reversed(d, hn::LoadU(d, from + n - i - lanes)), d, to + i);
    if (i < n) hn::StoreU(reversed(d, hn::LoadU(d, from)), d, to + n - lanes);
  }
}

// Takes the largest vectors that a row fills. Returns false if no vector of at least 16 bytes is that short.
template <class D>
HWY_INLINE bool reverse_long_rows(D d, char* dst, int64_t dst_step, const char* src, int64_t src_step, int64_t n,
                                  int64_t rows) {
  if (n >= static_cast<int64_t>(hn::Lanes(d))) {
    reverse_rows_with(d, dst, dst_step, src, src_step, n, rows);
    return true;
  }
  if constexpr (hn::MaxLanes(d) * sizeof(hn::TFromD<D>) > 16) {
    return reverse_long_rows(hn::Half<D>(), dst, dst_step, src, src_step, n, rows);
  } else {
    return false;
  }
}

// Reverses packed rows that are shorter than 16 bytes: as many as a vector of 16 bytes holds at a time. The vector also
// writes the beginning of the next row, which follows. Returns the number of rows that are done.
int64_t reverse_packed_rows(char* dst, const char* src, int64_t size, int64_t n, int64_t rows) {
#if HWY_TARGET == HWY_SCALAR  // a vector has one lane
  (void)dst, (void)src, (void)size, (void)n, (void)rows;
  return 0;
#else
  constexpr int64_t kBytes = 16;
  const int64_t bytes = n * size;
  if (rows * bytes < 4 * kBytes) return 0;  // the table below takes longer
  const int64_t rows_at_once = kBytes / bytes, step = rows_at_once * bytes;
  alignas(kBytes) uint8_t order[kBytes];
  for (int64_t i = 0; i < kBytes; ++i) {
    const int64_t in_row = i % bytes;
    order[i] = static_cast<uint8_t>(i < step ? i - in_row + bytes - size - in_row / size * size + in_row % size : i);
  }
  const hn::FixedTag<uint8_t, kBytes> d;
  const auto table = hn::Load(d, order);
  int64_t r = 0;
  for (int64_t at = 0; at + kBytes <= rows * bytes; at += step, r += rows_at_once) {
    const auto v = hn::LoadU(d, reinterpret_cast<const uint8_t*>(src) + at);
    hn::StoreU(hn::TableLookupBytes(v, table), d, reinterpret_cast<uint8_t*>(dst) + at);
  }
  return r;
#endif
}

template <typename T>
void reverse_rows_as(char* dst, int64_t dst_step, const char* src, int64_t src_step, int64_t n, int64_t rows) {
  constexpr auto kSize = static_cast<int64_t>(sizeof(T));
  if constexpr (kSize <= 8) {
    if (reverse_long_rows(hn::ScalableTag<T>(), dst, dst_step, src, src_step, n, rows)) return;
    if (dst_step == n * kSize && src_step == dst_step) {
      const int64_t done = reverse_packed_rows(dst, src, kSize, n, rows);
      dst += done * dst_step;
      src += done * src_step;
      rows -= done;
    }
  }
  for (; rows > 0; --rows, dst += dst_step, src += src_step) {
    for (int64_t i = 0; i < n; ++i) copy_item<T>(dst + i * kSize, src + (n - 1 - i) * kSize);
  }
}

void ReverseRows(char* dst, int64_t dst_step, const char* src, int64_t src_step, int64_t item_size, int64_t n,
                 int64_t rows) {
  diopi::for_itemsize(item_size, [=](auto tag) {
    reverse_rows_as<diopi::tagged<decltype(tag)>>(dst, dst_step, src, src_step, n, rows);
  });
}

void BroadcastElement(void* dst, const void* src, int64_t item_size, int64_t n) {
  diopi::for_itemsize(item_size, [=](auto tag) { broadcast_as<diopi::tagged<decltype(tag)>>(dst, src, n); });
}

void CopyRows(char* dst, int64_t dst_step, const char* src, int64_t src_step, int64_t bytes, int64_t rows) {
  if (bytes <= kShortRowBytes) return copy_spaced_rows(dst, dst_step, src, src_step, bytes, rows);
  for (int64_t r = 0; r < rows; ++r) copy_bytes(dst + r * dst_step, src + r * src_step, bytes);
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

HWY_EXPORT(ReverseRows);
HWY_EXPORT(BroadcastElement);
HWY_EXPORT(CopyRows);
HWY_EXPORT(StreamRows);
HWY_EXPORT(StreamReversedRows);

void reverse_rows(char* dst, int64_t dst_step, const char* src, int64_t src_step, int64_t item_size, int64_t n,
                  int64_t rows) {
  HWY_DYNAMIC_DISPATCH(ReverseRows)(dst, dst_step, src, src_step, item_size, n, rows);
}
void broadcast_element(void* dst, const void* src, int64_t item_size, int64_t n) {
  HWY_DYNAMIC_DISPATCH(BroadcastElement)(dst, src, item_size, n);
}
namespace {

// Whether a loop of vectors is better than memcpy() for a row.
bool takes_vectors(int64_t bytes) {
  constexpr int64_t kShort = 512, kLong = int64_t{1} << 15;
  return bytes >= kShort && bytes < kLong && !fetches_ahead();
}

// Rows of one item each, for which every target has an instruction.
template <int kBytes>
void copy_items(char* dst, int64_t dst_step, const char* src, int64_t src_step, int64_t rows) {
  for (int64_t r = 0; r < rows; ++r) std::memcpy(dst + r * dst_step, src + r * src_step, kBytes);
}

}  // namespace

void copy_row(void* dst, const void* src, int64_t bytes) {
  if (takes_vectors(bytes)) {
    HWY_DYNAMIC_DISPATCH(CopyRows)(static_cast<char*>(dst), 0, static_cast<const char*>(src), 0, bytes, 1);
  } else {
    std::memcpy(dst, src, static_cast<size_t>(bytes));
  }
}
void copy_rows(char* dst, int64_t dst_step, const char* src, int64_t src_step, int64_t bytes, int64_t rows) {
  if (dst_step == bytes && src_step == bytes) return copy_row(dst, src, bytes * rows);
  if (bytes == 4) return copy_items<4>(dst, dst_step, src, src_step, rows);
  if (bytes == 8) return copy_items<8>(dst, dst_step, src, src_step, rows);
  if (bytes == 16) return copy_items<16>(dst, dst_step, src, src_step, rows);
  if (bytes <= kShortRowBytes || takes_vectors(bytes)) {
    return HWY_DYNAMIC_DISPATCH(CopyRows)(dst, dst_step, src, src_step, bytes, rows);
  }
  for (int64_t r = 0; r < rows; ++r) std::memcpy(dst + r * dst_step, src + r * src_step, static_cast<size_t>(bytes));
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
