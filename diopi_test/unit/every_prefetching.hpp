// SPDX-License-Identifier: BSD-3-Clause
// Runs a test with both kinds of loops over memory: those for processors that fetch ahead by themselves, and the
// others.
#ifndef DIOPI_TEST_UNIT_EVERY_PREFETCHING_HPP_
#define DIOPI_TEST_UNIT_EVERY_PREFETCHING_HPP_

#include <gtest/gtest.h>

#include "impl/cpu/prefetch.hpp"

namespace test {

template <typename F>
void with_and_without_prefetching(F&& f) {
  const bool before = impl::cpu::fetches_ahead();
  for (const bool ahead : {false, true}) {
    SCOPED_TRACE(ahead ? "DIOPI_CPU_PREFETCH=on" : "DIOPI_CPU_PREFETCH=off");
    impl::cpu::internal::fetches_ahead = ahead;
    f();
  }
  impl::cpu::internal::fetches_ahead = before;
}

}  // namespace test

#endif  // DIOPI_TEST_UNIT_EVERY_PREFETCHING_HPP_
