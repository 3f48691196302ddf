// SPDX-License-Identifier: BSD-3-Clause
// The sum of many tensors of one shape, added pairwise: its error grows with the logarithm of their number.
#pragma once

#include <diopi/diopirt.h>

#include <cstdint>

#include "temporary.hpp"

namespace impl::cpu {

// The most terms of a sum that are added without a pairwise sum above them. Kernels add them in blocks of a few hundred
// to a few thousand terms, so that some dozens of blocks follow each other at most.
inline constexpr int64_t kLongestSum = 16384;

// Equal pieces of a sum of `terms` terms, each of at most kLongestSum. They depend on `terms` alone.
struct SumPieces {
  explicit SumPieces(int64_t terms) {
    constexpr int64_t kUnit = 64;
    const int64_t wanted = (terms + kLongestSum - 1) / kLongestSum;
    size = (terms + wanted * kUnit - 1) / (wanted * kUnit) * kUnit;
    count = (terms + size - 1) / size;
  }
  int64_t size, count;  // the last piece may be smaller
};

// Keeps a partial sum for each power of two of the tensors so far, as a binary counter does. The tensors are packed, of
// float32, float64, complex64 or complex128.
class PairwiseSum {
 public:
  PairwiseSum(diopiContextHandle_t ctx, const diopi::Dims& shape, diopiDtype_t dtype)
      : ctx_(ctx), shape_(shape), dtype_(dtype) {}

  // Where the next tensor is to be written.
  Status next(TensorView* tensor);
  // Adds the tensor that has been written there.
  void add();
  // Copies the sum of one or more tensors to `out`, of any strides and of any dtype to which theirs is cast.
  void finish(const TensorView& out);

 private:
  static constexpr int kLevels = 64;
  void join();  // the last two partial sums

  diopiContextHandle_t ctx_;
  diopi::Dims shape_;
  diopiDtype_t dtype_;
  TensorView partial_[kLevels];
  int used_ = 0, made_ = 0;
  uint64_t count_ = 0;
};

}  // namespace impl::cpu
