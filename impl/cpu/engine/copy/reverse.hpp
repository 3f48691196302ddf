// SPDX-License-Identifier: BSD-3-Clause
// Rows of reversed items, stored past the caches.
#ifndef IMPL_CPU_ENGINE_COPY_REVERSE_HPP_
#define IMPL_CPU_ENGINE_COPY_REVERSE_HPP_

#include <cstdint>

namespace impl::cpu {

// stream_rows() for rows of n items that are reversed: dst[i] = src[n - 1 - i]. Items have 1, 2, 4 or 8 bytes; `dst`
// and `dst_step` are multiples of this size.
void stream_reversed_rows(void* dst, int64_t dst_step, const void* src, int64_t src_step, int64_t item_size, int64_t n,
                          int64_t rows);

}  // namespace impl::cpu

#endif  // IMPL_CPU_ENGINE_COPY_REVERSE_HPP_
