// SPDX-License-Identifier: BSD-3-Clause
// The inner loops of the engine for an index along one dimension: gather, scatter and accumulation of a block of two
// loops.
#ifndef IMPL_CPU_ENGINE_INDEX_ALONG_DIM_BLOCKS_HPP_
#define IMPL_CPU_ENGINE_INDEX_ALONG_DIM_BLOCKS_HPP_

#include <algorithm>
#include <cstdint>

#include "impl/cpu/engine/copy/copy_simd.hpp"
#include "impl/cpu/engine/index/along_dim_plan.hpp"
#include "impl/cpu/engine/index/index_combine.hpp"
#include "impl/cpu/engine/index/index_simd.hpp"
#include "impl/cpu/engine/index/slices_plan.hpp"
#include "impl/cpu/prefetch.hpp"

namespace impl::cpu::along_dim_detail {

// A store waits until its cache line has arrived. A prefetch this many items ahead lets the lines arrive in parallel.
constexpr int64_t kAhead = 16;
constexpr int64_t kLine = 64;

// kUnitStep: the inner loop steps by one entry of the index and one item of the packed side.
template <class Op, bool kGather, bool kUnitStep, typename I>
void run_loops(char* indexed, char* packed, const I* index, const Block& block) {
  const Block k = block;  // a local copy: the compiler knows that no store changes it
  const int64_t index_b = kUnitStep ? 1 : k.index_b, packed_b = kUnitStep ? Op::kPackedSize : k.packed_b;
  for (int64_t a = 0; a < k.n_a; ++a) {
    const I* row = index + a * k.index_a;
    char* to = indexed + a * k.indexed_a;
    char* from = packed + a * k.packed_a;
    [[maybe_unused]] const int64_t ahead = std::max<int64_t>(0, k.n_b - kAhead);
    for (int64_t b = 0; b < k.n_b; ++b) {
      if constexpr (!kGather && !Op::kReadsTarget) {
        const int64_t next = b < ahead ? b + kAhead : b;
        __builtin_prefetch(to + static_cast<int64_t>(row[next * index_b]) * k.by_index + next * k.indexed_b, 1);
      }
      char* item = to + static_cast<int64_t>(row[b * index_b]) * k.by_index + b * k.indexed_b;
      char* other = from + b * packed_b;
      if constexpr (kGather) {
        Op::apply(other, item);
      } else {
        Op::apply(item, other);
      }
    }
  }
}

// Prefetches a line of items of which nearly all will be read, in any order.
template <bool kWrite>
void fetch_line(const char* line, int64_t bytes) {
  for (int64_t at = 0; at < bytes; at += kLine) __builtin_prefetch(line + at, kWrite ? 1 : 0);
}
// Whether the block reads so much of each line that fetching the whole line pays.
inline bool is_dense(const Block& block, int64_t size) {
  return block.indexed_a != 0 && block.size * size <= 1 << 14 && 4 * block.n_b >= block.size;
}

// Gathers items from one line (any order) to adjacent items on the packed side. Returns false and does nothing if there
// is no vector code for the block.
template <class Op, typename I>
bool gather_lines(char* indexed, char* packed, const I* index, const Block& block) {
  if constexpr (Op::kPackedSize == 4 || Op::kPackedSize == 8) {
    static const GatherItemsFn gather = gather_items_function(Op::kPackedSize, sizeof(I) == 8);
    constexpr int64_t kSize = Op::kPackedSize, kTile = 2048 / kSize;
    if (gather == nullptr || block.indexed_b != 0 || block.by_index != kSize || block.size > kMaxGathered) return false;
    const bool dense = is_dense(block, kSize);
    for (int64_t a = 0; a < block.n_a; ++a) {
      const char* const line = indexed + a * block.indexed_a;
      char* const to = packed + a * block.packed_a;
      const I* const row = index + a * block.index_a;
      if (dense && a + 1 < block.n_a) fetch_line<false>(line + block.indexed_a, block.size * kSize);
      if (!block.streams || block.n_b * kSize < kStreamRun) {
        gather(to, line, row, block.n_b);
        continue;
      }
      alignas(kLine) char tile[kTile * kSize];
      for (int64_t b = 0; b < block.n_b; b += kTile) {
        const int64_t n = std::min(kTile, block.n_b - b);
        gather(tile, line, row + b, n);
        stream_rows(to + b * kSize, 0, tile, 0, n * kSize, 1);
      }
    }
    return true;
  }
  return false;
}

// Prefetches index entries and items far ahead, for the next `kStretch` of them. Without it, reading the index for the
// range check would be limited by the speed of the memory.
constexpr int64_t kStretch = 16, kFarEntries = 1 << 15, kFarItems = 1 << 12;  // entries; bytes; bytes
template <int64_t kSize, typename I>
void fetch_far(const I* index, const char* items) {
  const char* const entries = reinterpret_cast<const char*>(index) + kFarEntries;
  for (int64_t at = 0; at < kStretch * static_cast<int64_t>(sizeof(I)); at += kLine) __builtin_prefetch(entries + at);
  for (int64_t at = 0; at < kStretch * kSize; at += kLine) __builtin_prefetch(items + kFarItems + at);
}

// Gather or scatter in a plain loop, for items that lie in one line.
template <class Op, bool kGather, typename I>
void run_lines(char* indexed, char* packed, const I* index, const Block& block) {
  const bool dense = is_dense(block, Op::kSize);
  for (int64_t a = 0; a < block.n_a; ++a) {
    const I* row = index + a * block.index_a;
    char* line = indexed + a * block.indexed_a;
    char* other = packed + a * block.packed_a;
    const int64_t n = block.n_b;
    if (dense && a + 1 < block.n_a) fetch_line<!kGather>(line + block.indexed_a, block.size * Op::kSize);
    for (int64_t b = 0; b < n;) {
      const int64_t stop = std::min(n, b + kStretch);
      if (!kGather) fetch_far<Op::kPackedSize>(row + b, other + b * Op::kPackedSize);
#pragma GCC unroll 4
      for (; b < stop; ++b) {
        char* item = line + static_cast<int64_t>(row[b]) * Op::kSize;
        if constexpr (kGather) {
          Op::apply(other + b * Op::kPackedSize, item);
        } else {
          Op::apply(item, other + b * Op::kPackedSize);
        }
      }
    }
  }
}

template <class Op, bool kGather, typename I>
void run_block(char* indexed, char* packed, const void* entries, const Block& block) {
  const I* index = static_cast<const I*>(entries);
  if (block.index_b == 1 && block.packed_b == Op::kPackedSize) {
    if constexpr (kGather) {
      if (gather_lines<Op>(indexed, packed, index, block)) return;
    }
    if (block.indexed_b == 0 && block.by_index == Op::kSize) {
      run_lines<Op, kGather>(indexed, packed, index, block);
    } else {
      run_loops<Op, kGather, true>(indexed, packed, index, block);
    }
  } else {
    run_loops<Op, kGather, false>(indexed, packed, index, block);
  }
}

template <class Op, bool kGather>
BlockFn block_function(bool is_int64) {
  return is_int64 ? run_block<Op, kGather, int64_t> : run_block<Op, kGather, int32_t>;
}

}  // namespace impl::cpu::along_dim_detail

#endif  // IMPL_CPU_ENGINE_INDEX_ALONG_DIM_BLOCKS_HPP_
