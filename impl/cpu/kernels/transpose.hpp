// SPDX-License-Identifier: BSD-3-Clause
// Turning a tile of items round in vector registers, dispatched to the running CPU's target.
#pragma once

#include <cstdint>

namespace impl::cpu {

// The items of one cache line: `dst` rows of whole lines that start at lines can be stored past the caches.
inline constexpr int64_t kTransposeLine = 64;

// dst[j * dst_step + i * size] = src[i * src_step + j * size] for i < n0, j < n1; offsets in bytes, items of `size`
// bytes. With `stream`, whole vectors are stored past the caches: `dst` and `dst_step` are multiples of a line then,
// and finish_stores() follows.
using TransposeFn = void (*)(char* dst, int64_t dst_step, const char* src, int64_t src_step, int64_t n0, int64_t n1,
                             bool stream);

// For items of 1, 2, 4 and 8 bytes.
TransposeFn transpose_function(int64_t size);

}  // namespace impl::cpu
