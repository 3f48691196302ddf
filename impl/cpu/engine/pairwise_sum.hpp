// SPDX-License-Identifier: BSD-3-Clause
// The sum of many tensors of one shape, added pairwise: its error grows with the logarithm of their number.
#ifndef IMPL_CPU_ENGINE_PAIRWISE_SUM_HPP_
#define IMPL_CPU_ENGINE_PAIRWISE_SUM_HPP_

#include <diopi/diopirt.h>

#include <cstdint>

#include "impl/cpu/engine/temporary.hpp"

namespace impl::cpu {

// The most terms of a sum that are added without PairwiseSum. Kernels add them in blocks of a few hundred to a few
// thousand terms, so at most some dozens of block sums are added one after another.
inline constexpr int64_t kLongestSum = 16384;

// The division of a sum of `terms` terms into equal chunks of at most kLongestSum. It depends only on `terms`.
struct SumChunks {
  explicit SumChunks(int64_t terms) {
    constexpr int64_t kStep = 64;
    const int64_t wanted = (terms + kLongestSum - 1) / kLongestSum;
    size = (terms + wanted * kStep - 1) / (wanted * kStep) * kStep;
    count = (terms + size - 1) / size;
  }
  int64_t size, count;  // the last chunk may be smaller
};

// Keeps a partial sum for each power of two of the tensors so far, like the digits of a binary counter. The tensors are
// packed, of float32, float64, complex64 or complex128.
class PairwiseSum {
 public:
  PairwiseSum(diopiContextHandle_t ctx, const diopi::Dims& shape, diopiDtype_t dtype)
      : ctx_(ctx), shape_(shape), dtype_(dtype) {}

  // Returns the tensor to which the caller writes the next summand.
  Status next(TensorView* tensor);
  // Adds the tensor that next() returned.
  void add();
  // Copies the sum of one or more tensors to `out`, which may have any strides and any dtype to which the sum can be
  // cast.
  void finish(const TensorView& out);

 private:
  static constexpr int kLevels = 64;
  void join();  // adds the last two partial sums

  diopiContextHandle_t ctx_;
  diopi::Dims shape_;
  diopiDtype_t dtype_;
  TensorView partial_[kLevels];
  int used_ = 0, made_ = 0;
  uint64_t count_ = 0;
};

}  // namespace impl::cpu

#endif  // IMPL_CPU_ENGINE_PAIRWISE_SUM_HPP_
