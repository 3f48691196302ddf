// SPDX-License-Identifier: BSD-3-Clause
// The random words of the elements of a tensor, in blocks.
#ifndef IMPL_CPU_RANDOM_BLOCKS_HPP_
#define IMPL_CPU_RANDOM_BLOCKS_HPP_

#include <algorithm>
#include <cstdint>

#include "impl/common/parallel.hpp"
#include "impl/cpu/random/random.hpp"
#include "impl/cpu/random/random_simd.hpp"

namespace impl::cpu {

inline uint64_t pair_of_words(const uint32_t* words, int64_t i) {
  return words[2 * i] | static_cast<uint64_t>(words[2 * i + 1]) << 32;
}

// `count` elements and those behind them that kernels may compute, too.
inline int64_t with_padding(int64_t count) {
  constexpr int64_t kPadding = 64;
  return (count + kPadding - 1) / kPadding * kPadding;
}

// Calls `f(first, count, words)` for each block of elements, with its words, on several threads.
template <typename F>
void for_each_block(RandomStream stream, int64_t n, int words_per_element, const F& f) {
  constexpr int64_t kGrain = 16;  // with fewer blocks one thread is enough
  const int64_t blocks = (n + kRandomBlock - 1) / kRandomBlock;
  diopi::parallel_for(blocks, kGrain, [&](int64_t begin, int64_t end) {
    alignas(64) uint32_t words[2 * kRandomBlock];
    for (int64_t block = begin; block < end; ++block) {
      const int64_t first = block * kRandomBlock, count = std::min(kRandomBlock, n - first);
      const int64_t padded = with_padding(count);
      philox_words(stream, first * words_per_element / kPhiloxLanes, padded * words_per_element / kPhiloxLanes, words);
      f(first, count, words);
    }
  });
}

}  // namespace impl::cpu

#endif  // IMPL_CPU_RANDOM_BLOCKS_HPP_
