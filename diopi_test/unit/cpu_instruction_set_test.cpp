// SPDX-License-Identifier: BSD-3-Clause
// Forces an instruction set.
#include <gtest/gtest.h>

#include <cstdint>
#include <string>

#include <hwy/targets.h>
#include "impl/cpu/instruction_set.hpp"

namespace {

class InstructionSet : public testing::Test {
 protected:
  void SetUp() override {
#if HWY_ARCH_X86
    ASSERT_TRUE(impl::cpu::limit_instruction_set("avx3").ok());  // any other name is a change then
#endif
  }
  void TearDown() override { hwy::DisableTargets(0); }
};

TEST_F(InstructionSet, a_name_excludes_what_is_better) {
  ASSERT_TRUE(impl::cpu::limit_instruction_set("baseline").ok());
  EXPECT_EQ(hwy::SupportedTargets() & (hwy::SupportedTargets() - 1), 0);
#if HWY_ARCH_X86
  hwy::DisableTargets(0);
  const bool has_avx2 = (hwy::SupportedTargets() & HWY_AVX2) != 0;
  ASSERT_TRUE(impl::cpu::limit_instruction_set("avx2").ok());
  EXPECT_EQ(hwy::SupportedTargets() & HWY_AVX3, 0);
  EXPECT_EQ((hwy::SupportedTargets() & HWY_AVX2) != 0, has_avx2);
#endif
}

// Else two threads make the choice together, in their first kernels, and one of them may use what is excluded.
TEST_F(InstructionSet, the_choice_is_made_before_the_first_kernel) {
  ASSERT_TRUE(impl::cpu::limit_instruction_set("baseline").ok());
  EXPECT_TRUE(hwy::GetChosenTarget().IsInitialized());
}

TEST_F(InstructionSet, the_same_name_again_leaves_running_kernels_alone) {
  ASSERT_TRUE(impl::cpu::limit_instruction_set("baseline").ok());
  hwy::GetChosenTarget().DeInit();
  ASSERT_TRUE(impl::cpu::limit_instruction_set("baseline").ok());
  EXPECT_FALSE(hwy::GetChosenTarget().IsInitialized());
}

TEST_F(InstructionSet, no_name_changes_nothing) {
  const int64_t before = hwy::SupportedTargets();
  for (const char* name : {static_cast<const char*>(nullptr), ""}) {
    ASSERT_TRUE(impl::cpu::limit_instruction_set(name).ok());
    EXPECT_EQ(hwy::SupportedTargets(), before);
  }
}

TEST_F(InstructionSet, an_unknown_name_is_refused_with_the_known_ones) {
  EXPECT_FALSE(impl::cpu::limit_instruction_set("magic").ok());
  EXPECT_NE(std::string(diopi::last_error()).find("DIOPI_CPU_ISA = magic is none of"), std::string::npos);
}

}  // namespace
