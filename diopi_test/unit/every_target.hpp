// SPDX-License-Identifier: BSD-3-Clause
// Runs a test of the CPU vendor's kernels on each vector target for which they are compiled.
#ifndef DIOPI_TEST_UNIT_EVERY_TARGET_HPP_
#define DIOPI_TEST_UNIT_EVERY_TARGET_HPP_

#include <diopi/diopirt.h>
#include <gtest/gtest.h>

#include <cstdint>

#include <hwy/targets.h>

namespace test {

// The name of the target that on_every_target() uses now.
inline const char*& target_name() {
  static const char* name = "";
  return name;
}

// Calls `test` once for each vector target of the kernels that this CPU has, and for the baseline.
template <typename Test>
void on_every_target(Test test) {
  const int64_t supported = hwy::SupportedTargets();
#if HWY_ARCH_X86
  for (const int64_t target : {int64_t{HWY_AVX3}, int64_t{HWY_AVX2}, int64_t{HWY_SSE4}}) {
    if ((supported & target) == 0) continue;
    SCOPED_TRACE(hwy::TargetName(target));
    target_name() = hwy::TargetName(target);
    hwy::GetChosenTarget().Update(target);
    test();
  }
  hwy::GetChosenTarget().Update(0);
#endif
  {
    SCOPED_TRACE("baseline");
    target_name() = "baseline";
    test();
  }
  hwy::GetChosenTarget().Update(supported);
}

template <typename T>
constexpr diopiDtype_t kDtype = sizeof(T) == 4 ? diopi_dtype_float32 : diopi_dtype_float64;

}  // namespace test

#endif  // DIOPI_TEST_UNIT_EVERY_TARGET_HPP_
