// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <string>

#include "impl/cpu/prefetch.hpp"

namespace {

class Prefetch : public testing::Test {
 protected:
  void TearDown() override { impl::cpu::internal::fetches_ahead = before; }
  const bool before = impl::cpu::fetches_ahead();
};

TEST_F(Prefetch, a_choice_counts) {
  ASSERT_TRUE(impl::cpu::choose_prefetching("on").ok());
  EXPECT_TRUE(impl::cpu::fetches_ahead());
  EXPECT_FALSE(impl::cpu::reads_half_lines());
  ASSERT_TRUE(impl::cpu::choose_prefetching("off").ok());
  EXPECT_FALSE(impl::cpu::fetches_ahead());
  EXPECT_TRUE(impl::cpu::reads_half_lines());
}

TEST_F(Prefetch, no_choice_changes_nothing) {
  for (const char* choice : {static_cast<const char*>(nullptr), ""}) {
    ASSERT_TRUE(impl::cpu::choose_prefetching(choice).ok());
    EXPECT_EQ(impl::cpu::fetches_ahead(), before);
  }
}

TEST_F(Prefetch, an_unknown_choice_is_refused) {
  EXPECT_FALSE(impl::cpu::choose_prefetching("maybe").ok());
  EXPECT_EQ(impl::cpu::fetches_ahead(), before);
  EXPECT_NE(std::string(diopi::last_error()).find("DIOPI_CPU_PREFETCH = maybe is neither on nor off"),
            std::string::npos);
}

}  // namespace
