/* SPDX-License-Identifier: BSD-3-Clause */
// Copies of short packed rows. Included inside each target's namespace.
#if defined(IMPL_CPU_ENGINE_COPY_SHORT_ROWS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef IMPL_CPU_ENGINE_COPY_SHORT_ROWS_INL_H_
#undef IMPL_CPU_ENGINE_COPY_SHORT_ROWS_INL_H_
#else
#define IMPL_CPU_ENGINE_COPY_SHORT_ROWS_INL_H_
#endif

#include <hwy/highway.h>

#include <cstdint>
#include <cstring>

#include "impl/cpu/engine/copy/copy_simd.hpp"

HWY_BEFORE_NAMESPACE();
namespace impl::cpu {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// A part of a row in registers.
template <int kBytes, bool kInVectors = (kBytes >= 16 && HWY_TARGET != HWY_SCALAR)>
struct Part {
  char bytes[kBytes];
  HWY_INLINE explicit Part(const char* from) { std::memcpy(bytes, from, kBytes); }
  HWY_INLINE void store(char* to) const { std::memcpy(to, bytes, kBytes); }
};
// In the widest vectors of the target: for std::memcpy() GCC moves 16 bytes at a time, through the stack.
template <int kBytes>
struct Part<kBytes, true> {
  using D = hn::CappedTag<uint8_t, kBytes>;
  static constexpr int kLanes = static_cast<int>(hn::MaxLanes(D())), kVectors = kBytes / kLanes;
  hn::Vec<D> vector[kVectors];
  HWY_INLINE explicit Part(const char* from) {
    for (int k = 0; k < kVectors; ++k) vector[k] = hn::LoadU(D(), reinterpret_cast<const uint8_t*>(from) + k * kLanes);
  }
  HWY_INLINE void store(char* to) const {
    for (int k = 0; k < kVectors; ++k) hn::StoreU(vector[k], D(), reinterpret_cast<uint8_t*>(to) + k * kLanes);
  }
};

// Rows of kBytes bytes.
template <int kBytes, class To, class From>
HWY_INLINE void copy_rows_once(const To& to, const From& from, int64_t rows) {
  for (int64_t r = 0; r < rows; ++r) Part<kBytes>(from(r)).store(to(r));
}

// Rows of kBytes to 2 * kBytes bytes, in two parts, which overlap.
template <int kBytes, class To, class From>
HWY_INLINE void copy_rows_twice(const To& to, const From& from, int64_t bytes, int64_t rows) {
  const int64_t second = bytes - kBytes;
  for (int64_t r = 0; r < rows; ++r) {
    const char* const source = from(r);
    char* const target = to(r);
    const Part<kBytes> head(source), tail(source + second);
    head.store(target);
    tail.store(target + second);
  }
}

template <int kBytes, class To, class From>
HWY_INLINE void copy_rows_from(const To& to, const From& from, int64_t bytes, int64_t rows) {
  bytes == kBytes ? copy_rows_once<kBytes>(to, from, rows) : copy_rows_twice<kBytes>(to, from, bytes, rows);
}

// Copies `bytes` bytes, at most kShortRowBytes, from from(r) to to(r) for each row r. The two do not overlap.
template <class To, class From>
HWY_INLINE void copy_short_rows(const To& to, const From& from, int64_t bytes, int64_t rows) {
  if (bytes >= 64) return copy_rows_from<64>(to, from, bytes, rows);
  if (bytes >= 32) return copy_rows_from<32>(to, from, bytes, rows);
  if (bytes >= 16) return copy_rows_from<16>(to, from, bytes, rows);
  if (bytes >= 8) return copy_rows_from<8>(to, from, bytes, rows);
  if (bytes >= 4) return copy_rows_from<4>(to, from, bytes, rows);
  if (bytes >= 2) return copy_rows_from<2>(to, from, bytes, rows);
  if (bytes == 1) return copy_rows_once<1>(to, from, rows);
}

// copy_short_rows() for rows at equal distances in bytes.
inline void copy_spaced_rows(char* dst, int64_t dst_step, const char* src, int64_t src_step, int64_t bytes,
                             int64_t rows) {
  copy_short_rows([=](int64_t r) HWY_ATTR { return dst + r * dst_step; },
                  [=](int64_t r) HWY_ATTR { return src + r * src_step; }, bytes, rows);
}

}  // namespace HWY_NAMESPACE
}  // namespace impl::cpu
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
