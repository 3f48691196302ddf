// SPDX-License-Identifier: BSD-3-Clause
// Vector loops of copies, dispatched to the running CPU's target.
#ifndef IMPL_CPU_ENGINE_COPY_COPY_SIMD_HPP_
#define IMPL_CPU_ENGINE_COPY_COPY_SIMD_HPP_

#include <algorithm>
#include <cstdint>

#include "impl/cpu/cache_sizes.hpp"

namespace impl::cpu {

// dst[i] = src[n - 1 - i] in each row, for items of 1, 2, 4, 8 or 16 bytes. The steps from row to row are in bytes. The
// two must not overlap.
void reverse_rows(char* dst, int64_t dst_step, const char* src, int64_t src_step, int64_t item_size, int64_t n,
                  int64_t rows);

// dst[i] = the element at `src`. Elements have 1, 2, 4, 8 or 16 bytes.
void broadcast_element(void* dst, const void* src, int64_t item_size, int64_t n);

// memcpy() for rows. On AMD's processors, the C library's string instruction takes 180 us for 4096 rows of 1 KiB that
// go to memory, and a loop of vectors 90 us (Zen 5).
void copy_row(void* dst, const void* src, int64_t bytes);

// Copies `rows` rows of `bytes` bytes each; the steps from row to row are in bytes. Rows up to kShortRowBytes are a
// load or two and a store or two.
inline constexpr int64_t kShortRowBytes = 128;
void copy_rows(char* dst, int64_t dst_step, const char* src, int64_t src_step, int64_t bytes, int64_t rows);

// The elements of a block in the first-level cache that is then written with non-temporal stores. While a short block
// is written, the reads of the next one begin. On an AMD EPYC (Zen 4), Add of 32x256x56x56 floats takes 14 ms with
// blocks of 128 elements, and 14 to 22 ms with blocks of 512. Blocks of items of one or two bytes have as many bytes as
// blocks of floats.
inline constexpr int64_t kStreamBlock = 128;
constexpr int64_t stream_block(int64_t size) { return size >= 4 ? kStreamBlock : 4 * kStreamBlock / size; }

// Calls f(begin, count) for blocks of n elements of `size` bytes at `dst`. All blocks except the first begin at a cache
// line, if an element does: a line that two blocks share would be read.
template <class F>
void for_stream_blocks(const void* dst, int64_t size, int64_t n, const F& f) {
  constexpr intptr_t kLine = 64;
  const int64_t before = (reinterpret_cast<intptr_t>(dst) & (kLine - 1)) / size, block = stream_block(size);
  for (int64_t begin = 0, end = block - before; begin < n; begin = end, end += block) {
    f(begin, std::min(end, n) - begin);
  }
}

// Copies `rows` runs of `bytes` with non-temporal stores, which do not read a line first. Meant for results of at least
// stream_bytes() and runs of at least kStreamRun. Other threads see the results after finish_stores().
inline constexpr int64_t kStreamRun = 256;
void stream_rows(void* dst, int64_t dst_step, const void* src, int64_t src_step, int64_t bytes, int64_t rows);
void finish_stores();

}  // namespace impl::cpu

#endif  // IMPL_CPU_ENGINE_COPY_COPY_SIMD_HPP_
