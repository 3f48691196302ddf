// SPDX-License-Identifier: BSD-3-Clause
// Adding many terms through an index along one dimension. The terms are added to sums of a wider type, which are
// rounded once.
#ifndef IMPL_CPU_ENGINE_INDEX_ALONG_DIM_LONG_HPP_
#define IMPL_CPU_ENGINE_INDEX_ALONG_DIM_LONG_HPP_

#include "impl/cpu/engine/index/along_dim.hpp"
#include "impl/cpu/engine/long_sum.hpp"

namespace impl::cpu {

// Returns whether an element may receive so many terms of an inexact dtype that a sum in this dtype loses digits. This
// is an estimate: it may be true although no element receives so many terms, but not the reverse. If it is true, the
// caller sets long_sums of the DimIndex.
bool has_long_sums(diopiDtype_t dtype, const DimIndex& dim_index);

// Does what scatter_reduce_along_dim() with Accumulate::kAdd does, for floating and complex dtypes. The error does not
// grow with the number of terms.
diopi::Status add_long_along_dim(diopiContextHandle_t ctx, diopiDtype_t dtype, void* indexed, const void* packed,
                                 const DimIndex& dim_index);

// The sums of the elements of a line. add() adds one chunk of the values; finish() writes the sums to the line.
class LongLine {
 public:
  // `line` has one dimension and an inexact dtype.
  diopi::Status prepare(diopiContextHandle_t ctx, const diopi::TensorView& line);
  // Adds packed[i] to sum index[i]. All indices must have been checked.
  void add(const DimIndex& chunk, const void* packed) const;
  void finish() const;

  void* sums() const { return sums_; }
  int64_t step() const { return step_; }  // bytes from one sum to the next

 private:
  diopi::TensorView line_;
  void* sums_ = nullptr;
  int64_t step_ = 0;
};

}  // namespace impl::cpu

#endif  // IMPL_CPU_ENGINE_INDEX_ALONG_DIM_LONG_HPP_
