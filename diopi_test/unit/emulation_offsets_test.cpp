// SPDX-License-Identifier: BSD-3-Clause
// Offsets in CUDA kernels: division by multiplication, and loop nests cut into pieces with 32-bit offsets.
#include <gtest/gtest.h>

#include <random>

#include "impl/cuda/engine/pieces.hpp"

namespace {

using diopi::LoopNest;
using impl::cuda::Divider;
using impl::cuda::Piece;

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

}  // namespace
