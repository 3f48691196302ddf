// SPDX-License-Identifier: BSD-3-Clause
// Nests of loops without elements.
#include <gtest/gtest.h>

#include "impl/cpu/engine/loop_nest.hpp"

namespace {

using impl::cpu::Nest;
using impl::cpu::NestWalker;

TEST(Nest, a_walk_through_nothing_stands_at_the_start) {
  for (const int empty : {0, 1, 2}) {
    Nest nest;
    for (int i = 0; i < 3; ++i) nest.push_back(i == empty ? 0 : 4, 64);
    EXPECT_EQ(nest.numel(), 0);
    const NestWalker walker(nest, 0);
    EXPECT_EQ(walker.offset(), 0);
    EXPECT_EQ(walker.row_left(), nest.inner_extent());
  }
}

TEST(Nest, loops_of_one_disappear_and_empty_ones_stay) {
  Nest nest;
  nest.push_back(1, 7);
  nest.push_back(0, 40);
  nest.push_back(5, 8);
  nest.collapse();
  EXPECT_EQ(nest.numel(), 0);
  EXPECT_EQ(NestWalker(nest, 0).offset(), 0);
}

TEST(Nest, a_walk_moves_by_the_strides_of_each_loop) {
  Nest nest;
  nest.push_back(2, 100);
  nest.push_back(3, 8);
  NestWalker walker(nest, 1);
  EXPECT_EQ(walker.offset(), 8);
  walker.advance(2);
  EXPECT_EQ(walker.offset(), 100);
  EXPECT_EQ(walker.row_left(), 3);
}

}  // namespace
