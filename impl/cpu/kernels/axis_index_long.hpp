// SPDX-License-Identifier: BSD-3-Clause
// Sums of many terms through an index along one dimension: the terms are added to wider sums, which are rounded once.
#pragma once

#include "axis_index.hpp"
#include "long_sum.hpp"

namespace impl::cpu {

// Whether adding through the index may give an element so many terms of an inexact dtype that a sum in this dtype loses
// digits. True in doubt.
bool has_long_sums(diopiDtype_t dtype, const AxisIndex& axis);

// accumulate_axis with Accumulate::kAdd, for floating and complex dtypes. The error does not grow with the number of
// terms.
diopi::Status add_long_axis(diopiContextHandle_t ctx, diopiDtype_t dtype, void* indexed, const void* packed,
                            const AxisIndex& axis);

// The sums of a line, to which many values are added, a piece of them after the other. The line changes in finish().
class LongLine {
 public:
  // `line` has one dimension and an inexact dtype.
  diopi::Status prepare(diopiContextHandle_t ctx, const diopi::TensorView& line);
  // Adds packed[i] to sum index[i]. All indices must have been checked.
  void add(const AxisIndex& piece, const void* packed) const;
  void finish() const;

  void* sums() const { return sums_; }
  int64_t step() const { return step_; }  // bytes from one sum to the next

 private:
  diopi::TensorView line_;
  void* sums_ = nullptr;
  int64_t step_ = 0;
};

}  // namespace impl::cpu
