// SPDX-License-Identifier: BSD-3-Clause
// Random numbers from a framework's generator, which has a seed and an offset. Every call increases the offset.
#ifndef IMPL_COMMON_GENERATOR_HPP_
#define IMPL_COMMON_GENERATOR_HPP_

#include <diopi/diopirt.h>

#include <cstdint>

#include "impl/common/error.hpp"

namespace diopi {

// The random numbers of one call: 32-bit words 0, 1, 2, ... of the counter-based stream of `seed`. Word j is lane j % 4
// of counter block `block + j / 4`.
struct RandomStream {
  uint64_t seed = 0;
  uint64_t block = 0;
};

// Reserves `words` words: reads seed and offset, and increases the offset by the words. The offset counts words. It is
// always a multiple of 4 afterwards, so that each call begins with a new block. Call this function after all other
// checks and before the first write. If the runtime has no diopiGeneratorGetSeedAndOffset, the generator's state is
// used instead; its first 16 bytes must be seed and offset.
Status reserve_random(diopiContextHandle_t ctx, diopiGeneratorHandle_t generator, int64_t words, RandomStream* stream);

// Reads the stream of the next call and leaves the generator as it is, for operators whose gradients draw the same
// words again.
Status peek_random(diopiContextHandle_t ctx, diopiGeneratorHandle_t generator, RandomStream* stream);

// Reserves `words` words of each generator that is wanted, in the order of the list, in which a generator may occur
// several times. `offsets` has room for `count` numbers. If one fails, all have the offsets that they had before.
Status reserve_random_each(diopiContextHandle_t ctx, const diopiGeneratorHandle_t* generators, const bool* wanted,
                           int64_t count, int64_t words, RandomStream* streams, uint64_t* offsets);

namespace detail {
// reserve_random for runtimes without diopiGeneratorGetSeedAndOffset.
Status reserve_through_state(diopiContextHandle_t ctx, diopiGeneratorHandle_t generator, int64_t words,
                             RandomStream* stream);
// peek_random for runtimes without diopiGeneratorGetSeedAndOffset.
Status peek_through_state(diopiContextHandle_t ctx, diopiGeneratorHandle_t generator, RandomStream* stream);
}  // namespace detail

}  // namespace diopi

#endif  // IMPL_COMMON_GENERATOR_HPP_
