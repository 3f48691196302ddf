// SPDX-License-Identifier: BSD-3-Clause
// Copies the elements of a nest of loops to and from packed memory.
#ifndef IMPL_CPU_ENGINE_COPY_PACKED_NEST_HPP_
#define IMPL_CPU_ENGINE_COPY_PACKED_NEST_HPP_

#include "impl/common/plan/loop_nest.hpp"
#include "impl/cpu/engine/copy/packed_block.hpp"

namespace impl::cpu {

// A position in a nest of one operand with strides in bytes.
using ByteNest = diopi::LoopNest<1>;
using ByteCursor = diopi::LoopCursor<ByteNest>;

// Packs the next n elements of `base`, and advances the cursor.
inline void gather_nest(char* dst, const char* base, const ByteNest& nest, ByteCursor* at, int itemsize, int64_t n) {
  at->for_runs(n, [&](int64_t count) {
    gather(dst, base + at->offset(), nest.inner_stride(), itemsize, count);
    dst += count * itemsize;
  });
}

// Copies n packed elements to the next n positions of `base`, and advances the cursor.
inline void scatter_nest(char* base, const ByteNest& nest, ByteCursor* at, const char* src, int itemsize, int64_t n) {
  at->for_runs(n, [&](int64_t count) {
    scatter(base + at->offset(), nest.inner_stride(), src, itemsize, count);
    src += count * itemsize;
  });
}

}  // namespace impl::cpu

#endif  // IMPL_CPU_ENGINE_COPY_PACKED_NEST_HPP_
