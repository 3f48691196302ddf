// SPDX-License-Identifier: BSD-3-Clause
// Counter-based random words: Philox 4x32-10 (Salmon et al., "Parallel random numbers: as easy as 1, 2, 3", SC 2011).
#ifndef IMPL_CPU_RANDOM_PHILOX_HPP_
#define IMPL_CPU_RANDOM_PHILOX_HPP_

#include <cstdint>

#include "impl/common/generator.hpp"

namespace impl::cpu {

using diopi::RandomStream;

inline constexpr int64_t kPhiloxLanes = 4;

// Writes the 4 * `blocks` words of the counter blocks from `stream.block + first` on. The key is the low and the high
// half of the seed. The counter is the low and the high half of the block number, followed by two zeros. The words are
// the same on every target.
void philox_words(RandomStream stream, int64_t first, int64_t blocks, uint32_t* words);

}  // namespace impl::cpu

#endif  // IMPL_CPU_RANDOM_PHILOX_HPP_
