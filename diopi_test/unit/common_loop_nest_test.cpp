// SPDX-License-Identifier: BSD-3-Clause
// Nests of loops over operands with strides of their own, and positions in them.
#include <gtest/gtest.h>

#include <array>
#include <vector>

#include "impl/common/plan/loop_nest.hpp"

namespace {

using diopi::Dims;
using diopi::LoopCursor;
using diopi::LoopNest;

Dims dims_of(const std::vector<int64_t>& values) {
  Dims dims;
  for (const int64_t value : values) dims.push_back(value);
  return dims;
}

using Offsets = std::vector<std::array<int64_t, 2>>;

// The offsets of both operands at every element, found by next().
Offsets all_offsets(const LoopNest<2>& nest) {
  Offsets offsets;
  LoopCursor at(nest);
  do {
    offsets.push_back({at.offset(0), at.offset(1)});
  } while (at.next());
  return offsets;
}

LoopNest<2> padded_nest() { return diopi::row_major_nest(dims_of({2, 3, 4}), dims_of({20, 5, 1}), dims_of({1, 2, 6})); }

TEST(LoopNest, a_cursor_in_an_empty_nest_stands_at_the_start) {
  for (const int empty : {0, 1, 2}) {
    LoopNest<1> nest;
    for (int i = 0; i < 3; ++i) nest.push_back(i == empty ? 0 : 4, 64);
    EXPECT_EQ(nest.numel(), 0);
    const LoopCursor at(nest, 5);
    EXPECT_EQ(at.left(), nest.inner_extent() - at.index(0));
    EXPECT_EQ(LoopCursor(nest).offset(), 0);
  }
}

TEST(LoopNest, a_nest_without_loops_has_one_element) {
  const LoopNest<2> nest = diopi::row_major_nest(Dims(), Dims(), Dims());
  LoopCursor at(nest);
  EXPECT_EQ(nest.numel(), 1);
  EXPECT_EQ(at.left(), 1);
  int runs = 0;
  at.for_runs(1, [&](int64_t count) { runs += static_cast<int>(count); });
  EXPECT_EQ(runs, 1);
  EXPECT_FALSE(at.next());
  EXPECT_EQ(at.offset(1), 0);
}

TEST(LoopNest, row_major_order_steps_through_the_last_dimension_first) {
  const Offsets offsets = all_offsets(padded_nest());
  ASSERT_EQ(offsets.size(), 24u);
  EXPECT_EQ(offsets[1], (std::array<int64_t, 2>{1, 6}));
  EXPECT_EQ(offsets[4], (std::array<int64_t, 2>{5, 2}));
  EXPECT_EQ(offsets[12], (std::array<int64_t, 2>{20, 1}));
  EXPECT_EQ(offsets[23], (std::array<int64_t, 2>{20 + 10 + 3, 1 + 4 + 18}));
}

TEST(LoopNest, a_cursor_can_begin_anywhere_and_move_by_any_distance) {
  const LoopNest<2> nest = padded_nest();
  const Offsets offsets = all_offsets(nest);
  for (int64_t begin = 0; begin < nest.numel(); ++begin) {
    for (int64_t count = 0; begin + count < nest.numel(); ++count) {
      LoopCursor at(nest, begin);
      LoopCursor<LoopNest<2>, 0> untracked(nest, begin);
      int64_t i = begin;
      at.for_runs(count, [&](int64_t run) {
        EXPECT_EQ(at.offset(0), offsets[i][0]);
        EXPECT_LE(run, nest.inner_extent());
        i += run;
      });
      EXPECT_EQ(i, begin + count);
      for (int64_t k = 0; k < count; ++k) untracked.next();
      for (const int operand : {0, 1}) {
        EXPECT_EQ(at.offset(operand), offsets[i][operand]) << begin << " + " << count;
        EXPECT_EQ(untracked.offset(operand), offsets[i][operand]) << begin << " + " << count;
      }
    }
  }
}

TEST(LoopNest, next_returns_to_the_first_element_after_the_last) {
  const LoopNest<2> nest = padded_nest();
  LoopCursor at(nest, 23);
  EXPECT_FALSE(at.next());
  EXPECT_EQ(at.offset(0), 0);
  EXPECT_TRUE(at.next());
  EXPECT_EQ(at.offset(0), 1);
}

TEST(LoopNest, a_cursor_advances_by_steps_of_an_outer_loop) {
  const LoopNest<2> nest = padded_nest();
  LoopCursor at(nest);
  at.advance(2, 1);
  EXPECT_EQ(at.offset(0), 10);
  EXPECT_EQ(at.left(1), 1);
  at.advance(1, 1);
  EXPECT_EQ(at.offset(0), 20);
  EXPECT_EQ(at.left(1), 3);
}

TEST(LoopNest, a_cursor_can_move_in_some_of_the_loops) {
  const LoopNest<2> nest = padded_nest();
  LoopCursor<LoopNest<2>> at(nest, 4, 1, 3);  // without the innermost loop: element 4 is [1, 1]
  EXPECT_EQ(at.offset(0), 25);
  EXPECT_TRUE(at.next());
  EXPECT_FALSE(at.next());
  EXPECT_EQ(nest.numel(1, 3), 6);
}

TEST(LoopNest, loops_of_one_disappear_and_empty_ones_stay) {
  LoopNest<1> nest;
  nest.push_back(5, 8);
  nest.push_back(0, 40);
  nest.push_back(1, 7);
  nest.drop_ones();
  EXPECT_EQ(nest.n, 2);
  nest.merge();
  EXPECT_EQ(nest.numel(), 0);
}

TEST(LoopNest, loops_merge_only_if_every_operand_steps_through_them_as_one) {
  LoopNest<2> nest;
  nest.push_back(4, 1, 1);
  nest.push_back(3, 4, 4);
  nest.push_back(2, 12, 20);  // the second operand has a gap here
  nest.push_back(5, 24, 40);
  LoopNest<2> one = nest;
  nest.merge();
  ASSERT_EQ(nest.n, 2);
  EXPECT_EQ(nest[0].extent, 12);
  EXPECT_EQ(nest[1].extent, 10);
  EXPECT_EQ(nest[1].stride[1], 20);
  one.merge(1);  // the first operand alone is packed
  ASSERT_EQ(one.n, 1);
  EXPECT_EQ(one[0].extent, 120);
}

TEST(LoopNest, merged_loops_visit_the_same_offsets) {
  LoopNest<2> nest = diopi::row_major_nest(dims_of({2, 1, 3, 4}), dims_of({24, 9, 4, 1}), dims_of({12, 7, 4, 1}));
  const Offsets before = all_offsets(nest);
  nest.drop_ones();
  nest.merge();
  EXPECT_EQ(nest.n, 2);
  EXPECT_EQ(all_offsets(nest), before);
}

TEST(LoopNest, sorting_is_stable_and_puts_the_larger_stride_outside) {
  LoopNest<2> nest;
  nest.push_back(2, 30, 0);
  nest.push_back(3, 1, 0);
  nest.push_back(4, 10, 1);
  nest.push_back(5, 10, 2);
  nest.sort([](const auto& a, const auto& b) { return a.stride[0] > b.stride[0]; });
  EXPECT_EQ(nest[0].extent, 3);
  EXPECT_EQ(nest[1].extent, 4);
  EXPECT_EQ(nest[2].extent, 5);
  EXPECT_EQ(nest[3].extent, 2);
}

}  // namespace
