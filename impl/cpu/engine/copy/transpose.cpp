// SPDX-License-Identifier: BSD-3-Clause
#include "impl/cpu/engine/copy/transpose.hpp"

#include <cstring>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "impl/cpu/engine/copy/transpose.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace impl::cpu {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

template <typename T>
void move_items(char* dst, int64_t dst_step, const char* src, int64_t src_step, int64_t n0, int64_t n1) {
  constexpr auto kSize = static_cast<int64_t>(sizeof(T));
  for (int64_t j = 0; j < n1; ++j) {
    for (int64_t i = 0; i < n0; ++i) {
      std::memcpy(dst + j * dst_step + i * kSize, src + i * src_step + j * kSize, sizeof(T));
    }
  }
}

#if HWY_TARGET == HWY_SCALAR  // vectors of one item cannot transpose

template <typename T>
void transpose(char* dst, int64_t dst_step, const char* src, int64_t src_step, int64_t n0, int64_t n1, bool stream) {
  (void)stream;
  move_items<T>(dst, dst_step, src, src_step, n0, n1);
}

#else

// Loads a vector of blocks of 16 bytes that are `step` bytes apart.
template <class D>
HWY_INLINE hn::Vec<D> load_blocks(D d, const char* src, int64_t step) {
  if constexpr (hn::MaxLanes(d) * sizeof(hn::TFromD<D>) == 16) {
    return hn::LoadU(d, reinterpret_cast<const hn::TFromD<D>*>(src));
  } else {
    const hn::Half<D> half;
    constexpr int64_t kBlocks = hn::MaxLanes(half) * sizeof(hn::TFromD<D>) / 16;
    return hn::Combine(d, load_blocks(half, src + kBlocks * step, step), load_blocks(half, src, step));
  }
}

// Transposes one source row for each lane of a vector, and one column for each item of a block of 16 bytes. At first
// vector k has the rows k, k + kItems, ..., block by block. After log2(kItems) rounds of interleaving it has column k
// of all rows.
template <class D, bool kStream>
HWY_INLINE void turn_columns(D d, char* dst, int64_t dst_step, const char* src, int64_t src_step) {
  using T = hn::TFromD<D>;
  constexpr int kItems = 16 / sizeof(T);
  hn::Vec<D> v[kItems], w[kItems];
  for (int k = 0; k < kItems; ++k) v[k] = load_blocks(d, src + k * src_step, kItems * src_step);
  for (int round = 1; round < kItems; round *= 2) {
    for (int k = 0; k < kItems / 2; ++k) {
      w[2 * k] = hn::InterleaveLower(d, v[k], v[k + kItems / 2]);
      w[2 * k + 1] = hn::InterleaveUpper(d, v[k], v[k + kItems / 2]);
    }
    for (int k = 0; k < kItems; ++k) v[k] = w[k];
  }
  for (int k = 0; k < kItems; ++k) {
    T* const row = reinterpret_cast<T*>(dst + k * dst_step);
    if constexpr (kStream) {
      hn::Stream(v[k], d, row);
    } else {
      hn::StoreU(v[k], d, row);
    }
  }
}

// Transposes rows of the source that form at most one cache line of the destination, so that a line is stored at once.
template <typename T, bool kStream>
HWY_INLINE void transpose_line(char* dst, int64_t dst_step, const char* src, int64_t src_step, int64_t n0, int64_t n1) {
  constexpr auto kSize = static_cast<int64_t>(sizeof(T));
  constexpr int64_t kItems = 16 / kSize;
  const hn::ScalableTag<T> d;
  const hn::CappedTag<T, 16 / sizeof(T)> block;
  const int64_t lanes = static_cast<int64_t>(hn::Lanes(d));
  int64_t j = 0;
  for (; j + kItems <= n1; j += kItems) {
    char* const to = dst + j * dst_step;
    const char* const from = src + j * kSize;
    int64_t i = 0;
    for (; i + lanes <= n0; i += lanes) {
      turn_columns<decltype(d), kStream>(d, to + i * kSize, dst_step, from + i * src_step, src_step);
    }
    for (; i + kItems <= n0; i += kItems) {
      turn_columns<decltype(block), false>(block, to + i * kSize, dst_step, from + i * src_step, src_step);
    }
    move_items<T>(to + i * kSize, dst_step, from + i * src_step, src_step, n0 - i, kItems);
  }
  move_items<T>(dst + j * dst_step, dst_step, src + j * kSize, src_step, n0, n1 - j);
}

template <typename T, bool kStream>
void transpose_as(char* dst, int64_t dst_step, const char* src, int64_t src_step, int64_t n0, int64_t n1) {
  constexpr int64_t kLine = kTransposeLine / static_cast<int64_t>(sizeof(T));
  for (int64_t i = 0; i < n0; i += kLine) {
    transpose_line<T, kStream>(dst + i * static_cast<int64_t>(sizeof(T)), dst_step, src + i * src_step, src_step,
                               n0 - i < kLine ? n0 - i : kLine, n1);
  }
}

template <typename T>
void transpose(char* dst, int64_t dst_step, const char* src, int64_t src_step, int64_t n0, int64_t n1, bool stream) {
  stream ? transpose_as<T, true>(dst, dst_step, src, src_step, n0, n1)
         : transpose_as<T, false>(dst, dst_step, src, src_step, n0, n1);
}

#endif

TransposeFn GetTranspose(int64_t size) {
  switch (size) {
    case 1:
      return transpose<uint8_t>;
    case 2:
      return transpose<uint16_t>;
    case 4:
      return transpose<uint32_t>;
    default:
      return transpose<uint64_t>;
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace impl::cpu
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace impl::cpu {

HWY_EXPORT(GetTranspose);
TransposeFn transpose_function(int64_t size) { return HWY_DYNAMIC_DISPATCH(GetTranspose)(size); }

}  // namespace impl::cpu
#endif  // HWY_ONCE
