// SPDX-License-Identifier: BSD-3-Clause
#include "impl/cpu/cache_sizes.hpp"

#include <gtest/gtest.h>

#include "diopi_test/unit/every_prefetching.hpp"

namespace {

TEST(CacheSizes, the_second_level_cache_has_a_size_of_processors) {
  EXPECT_GE(impl::cpu::second_level_cache(), int64_t{1} << 18);
  EXPECT_LE(impl::cpu::second_level_cache(), int64_t{1} << 22);
  test::with_and_without_prefetching([] { EXPECT_GE(impl::cpu::stream_bytes(), impl::cpu::second_level_cache()); });
}

}  // namespace
