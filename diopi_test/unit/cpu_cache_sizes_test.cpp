// SPDX-License-Identifier: BSD-3-Clause
#include "impl/cpu/cache_sizes.hpp"

#include <gtest/gtest.h>

namespace {

TEST(CacheSizes, the_second_level_cache_has_a_size_of_processors) {
  EXPECT_GE(impl::cpu::second_level_cache(), int64_t{1} << 18);
  EXPECT_LE(impl::cpu::second_level_cache(), int64_t{1} << 22);
  EXPECT_EQ(impl::cpu::stream_bytes(), impl::cpu::second_level_cache());
}

}  // namespace
