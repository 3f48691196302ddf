// SPDX-License-Identifier: BSD-3-Clause
#include "impl/cpu/random/philox.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "impl/cpu/random/philox.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "impl/cpu/random/philox-inl.h"

#if HWY_ONCE
namespace impl::cpu {

HWY_EXPORT(PhiloxBlocks);

void philox_words(RandomStream stream, int64_t first, int64_t blocks, uint32_t* words) {
  HWY_DYNAMIC_DISPATCH(PhiloxBlocks)(stream.seed, stream.block + static_cast<uint64_t>(first), blocks, words);
}

}  // namespace impl::cpu
#endif  // HWY_ONCE
