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

// Rows of kBytes bytes: one load and one store each.
template <int kBytes, class To, class From>
HWY_INLINE void copy_rows_once(const To& to, const From& from, int64_t rows) {
  for (int64_t r = 0; r < rows; ++r) std::memcpy(to(r), from(r), kBytes);
}

// Rows of kBytes to 2 * kBytes bytes: two loads and two stores each, which overlap.
template <int kBytes, class To, class From>
HWY_INLINE void copy_rows_twice(const To& to, const From& from, int64_t bytes, int64_t rows) {
  const int64_t second = bytes - kBytes;
  for (int64_t r = 0; r < rows; ++r) {
    char head[kBytes], tail[kBytes];
    const char* const source = from(r);
    char* const target = to(r);
    std::memcpy(head, source, kBytes);
    std::memcpy(tail, source + second, kBytes);
    std::memcpy(target, head, kBytes);
    std::memcpy(target + second, tail, kBytes);
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
