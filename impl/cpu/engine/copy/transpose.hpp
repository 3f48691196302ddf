// SPDX-License-Identifier: BSD-3-Clause
// Transposes a tile of items in vector registers, dispatched to the running CPU's target.
#ifndef IMPL_CPU_ENGINE_COPY_TRANSPOSE_HPP_
#define IMPL_CPU_ENGINE_COPY_TRANSPOSE_HPP_

#include <cstdint>

namespace impl::cpu {

// Bytes of a cache line. Rows of `dst` that are whole lines can be written with non-temporal stores.
inline constexpr int64_t kTransposeLine = 64;

// dst[j * dst_step + i * size] = src[i * src_step + j * size] for i < n0, j < n1; offsets in bytes, items of `size`
// bytes. With `stream`, whole vectors are written with non-temporal stores: then `dst` and `dst_step` must be multiples
// of a line, and the caller must call finish_stores().
using TransposeFn = void (*)(char* dst, int64_t dst_step, const char* src, int64_t src_step, int64_t n0, int64_t n1,
                             bool stream);

// The function for items of 1, 2, 4 or 8 bytes.
TransposeFn transpose_function(int64_t size);

}  // namespace impl::cpu

#endif  // IMPL_CPU_ENGINE_COPY_TRANSPOSE_HPP_
