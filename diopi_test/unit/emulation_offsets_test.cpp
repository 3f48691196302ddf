// SPDX-License-Identifier: BSD-3-Clause
// Offsets in CUDA kernels: division by multiplication, loop nests cut into pieces with 32-bit offsets, groups of
// adjacent elements, and words of several elements.
#include <gtest/gtest.h>

#include <random>

#include "impl/cuda/engine/pieces.hpp"
#include "impl/cuda/engine/words.hpp"
#include "impl/cuda/kernels/runs.cuh"

namespace {

using diopi::LoopNest;
using impl::cuda::Divider;
using impl::cuda::Piece;
using impl::cuda::Runs;
using impl::cuda::Strided;

TEST(CudaDivider, EqualsDivision) {
  std::mt19937 random(1);
  constexpr uint32_t kMost = INT32_MAX;
  for (uint32_t divisor :
       {1u, 2u, 3u, 5u, 7u, 255u, 256u, 641u, 65535u, 65537u, kMost / 2, kMost / 2 + 1, kMost - 1, kMost}) {
    const Divider divider(divisor);
    for (uint32_t n : {0u, 1u, divisor - 1, divisor, kMost - 1, kMost}) {
      EXPECT_EQ(divider.quotient(n), n / divisor) << n << " / " << divisor;
    }
    for (int i = 0; i < 10000; ++i) {
      const uint32_t n = random() & kMost;
      ASSERT_EQ(divider.quotient(n), n / divisor) << n << " / " << divisor;
    }
  }
}

// Visits the pieces of a nest. Each piece follows the one before it, and its offsets at some elements are those of the
// whole nest, counted in 64 bits. Returns the number of pieces.
template <int kOperands>
int check_pieces(const LoopNest<kOperands>& nest) {
  int pieces = 0;
  int64_t next = 0;
  std::mt19937_64 random(2);
  const diopi::Status status = impl::cuda::for_each_piece(nest, [&](const Piece<kOperands>& piece) -> diopi::Status {
    ++pieces;
    EXPECT_EQ(piece.first, next);
    next += piece.nest.numel;
    for (int i = 0; i < 1000; ++i) {
      const auto number = static_cast<uint32_t>(i < 2 ? (piece.nest.numel - 1) * i : random() % piece.nest.numel);
      int32_t offset[kOperands];
      piece.nest.offsets(number, offset);
      const diopi::LoopCursor expected(nest, piece.first + number);
      for (int k = 0; k < kOperands; ++k) EXPECT_EQ(piece.base[k] + offset[k], expected.offset(k));
    }
    return diopiSuccess;
  });
  EXPECT_EQ(status, diopiSuccess);
  EXPECT_EQ(next, nest.numel());
  return pieces;
}

TEST(CudaPieces, SmallNestIsOnePiece) {
  LoopNest<2> nest;
  nest.push_back(5, 1, -7);
  nest.push_back(3, 5, 0);
  nest.push_back(2, 15, 1000);
  EXPECT_EQ(check_pieces(nest), 1);
  EXPECT_EQ(check_pieces(LoopNest<1>()), 1);
}

TEST(CudaPieces, ManyElements) {
  LoopNest<1> nest;
  nest.push_back(int64_t{5} << 31, 1);
  EXPECT_GT(check_pieces(nest), 5);
}

TEST(CudaPieces, FarElements) {
  LoopNest<2> nest;
  nest.push_back(10, 1, int64_t{1} << 33);
  nest.push_back(100, 10, -(int64_t{1} << 30));
  EXPECT_GT(check_pieces(nest), 100);
}

constexpr int kItems = 8;

const void* address(uintptr_t value) { return reinterpret_cast<const void*>(value); }

// The groups of `runs` have the elements of the nest, in order, with their offsets. Looks at some groups of large
// nests.
template <int kOperands>
void check_groups(const Strided<kOperands>& nest, const Runs<kOperands>& runs) {
  const uint32_t of_run = (runs.length + kItems - 1) / kItems;
  ASSERT_EQ(runs.threads(), of_run * runs.outer.numel);
  const uint32_t step = runs.threads() < 1000 ? 1 : runs.threads() / 997;
  uint32_t number = 0;
  for (uint32_t thread = 0; thread < runs.threads(); thread += step) {
    if (step > 1) number = thread / of_run * runs.length + thread % of_run * kItems;
    int32_t offset[kOperands], expected[kOperands];
    const int count = runs.template locate<kItems>(thread, offset);
    for (int j = 0; j < count; ++j, ++number) {
      nest.offsets(number, expected);
      for (int k = 0; k < kOperands; ++k) ASSERT_EQ(offset[k] + j * runs.step[k], expected[k]) << number;
    }
  }
  if (step == 1) {
    EXPECT_EQ(number, nest.numel);
  }
}

template <int kOperands>
Piece<kOperands> only_piece(const LoopNest<kOperands>& nest) {
  Piece<kOperands> only;
  (void)impl::cuda::for_each_piece(nest, [&](const Piece<kOperands>& piece) -> diopi::Status {
    only = piece;
    return diopiSuccess;
  });
  return only;
}

TEST(CudaRuns, GroupsHaveAllElements) {
  for (int64_t length : {8, 9, 15, 16, 20, 1000}) {
    LoopNest<3> nest;  // a matrix, a matrix with other rows, and a column
    nest.push_back(length, 1, 1, 0);
    nest.push_back(5, 1000, -2000, 3);
    nest.push_back(3, 5000, 0, 1);
    const auto piece = only_piece(nest);
    Runs<3> runs;
    ASSERT_TRUE(impl::cuda::find_runs(piece.nest, kItems, {address(64), address(32), address(2)}, {4, 8, 2}, &runs));
    EXPECT_EQ(runs.length, length);
    check_groups(piece.nest, runs);
  }
}

TEST(CudaRuns, LargestPiece) {
  LoopNest<2> nest;
  nest.push_back(1 << 16, 1, 1);
  nest.push_back((1 << 15) - 1, 1 << 16, 0);
  const auto piece = only_piece(nest);
  Runs<2> runs;
  ASSERT_TRUE(impl::cuda::find_runs(piece.nest, kItems, {address(64), address(64)}, {1, 1}, &runs));
  check_groups(piece.nest, runs);
}

TEST(CudaRuns, Refused) {
  const auto found = [](int64_t length, int64_t out_row, int64_t in_step, int64_t in_row, uintptr_t out, uintptr_t in) {
    LoopNest<2> nest;
    nest.push_back(length, 1, in_step);
    nest.push_back(3, out_row, in_row);
    Runs<2> runs;
    return impl::cuda::find_runs(only_piece(nest).nest, kItems, {address(out), address(in)}, {4, 1}, &runs);
  };
  EXPECT_TRUE(found(8, 12, 1, 8, 16, 8));    // 16 bytes of the output, 8 of the input
  EXPECT_TRUE(found(8, 12, 0, 1, 16, 1));    // an element that is repeated needs no alignment
  EXPECT_FALSE(found(7, 12, 1, 8, 16, 8));   // shorter than a group
  EXPECT_FALSE(found(8, 10, 1, 8, 16, 8));   // rows of the output begin at multiples of 8 bytes
  EXPECT_FALSE(found(8, 12, 1, 12, 16, 8));  // rows of the input begin at multiples of 4 bytes
  EXPECT_FALSE(found(8, 12, 1, 8, 24, 8));
  EXPECT_FALSE(found(8, 12, 1, 8, 16, 4));
  EXPECT_FALSE(found(8, 12, 2, 8, 16, 8));
  EXPECT_FALSE(found(8, 12, -1, 8, 16, 8));
}

// The bytes of the words in which a nest with these rows of elements of 2 bytes is counted.
int width_of(int64_t length, int64_t out_row, int64_t in_row, uintptr_t out, uintptr_t in, LoopNest<2>* nest) {
  nest->push_back(length, 1, 1);
  nest->push_back(5, out_row, in_row);
  return impl::cuda::widen(nest, 2, {address(out), address(in)});
}

TEST(CudaWords, Width) {
  const auto width = [](int64_t length, int64_t out_row, int64_t in_row, uintptr_t out, uintptr_t in) {
    LoopNest<2> nest;
    return width_of(length, out_row, in_row, out, in, &nest);
  };
  EXPECT_EQ(width(64, 64, 128, 32, 16), 16);
  EXPECT_EQ(width(64, 64, -128, 32, 16), 16);
  EXPECT_EQ(width(64, 64, 0, 32, 16), 16);
  EXPECT_EQ(width(68, 128, 128, 32, 16), 8);
  EXPECT_EQ(width(64, 66, 128, 32, 16), 4);
  EXPECT_EQ(width(64, 64, 129, 32, 16), 2);
  EXPECT_EQ(width(64, 64, 128, 34, 16), 2);
  EXPECT_EQ(width(64, 64, 128, 32, 20), 4);
}

TEST(CudaWords, NestIsCountedInWords) {
  LoopNest<2> nest;
  ASSERT_EQ(width_of(64, 80, -128, 32, 16, &nest), 16);
  EXPECT_EQ(nest[0].extent, 8);
  EXPECT_EQ(nest[0].stride[0], 1);
  EXPECT_EQ(nest[1].extent, 5);
  EXPECT_EQ(nest[1].stride[0], 10);
  EXPECT_EQ(nest[1].stride[1], -16);
  LoopNest<2> steps;
  steps.push_back(64, 1, 2);
  EXPECT_EQ(impl::cuda::widen(&steps, 2, {address(32), address(32)}), 2);
  EXPECT_EQ(steps[0].extent, 64);
  LoopNest<1> scalar;
  EXPECT_EQ(impl::cuda::widen(&scalar, 4, {address(32)}), 4);
}

}  // namespace
