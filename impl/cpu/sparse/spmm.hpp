// SPDX-License-Identifier: BSD-3-Clause
// The product of a matrix of compressed sparse rows and a dense matrix.
#ifndef IMPL_CPU_SPARSE_SPMM_HPP_
#define IMPL_CPU_SPARSE_SPMM_HPP_

#include <cstdint>

#include "impl/common/dtype.hpp"

namespace impl::cpu {

// The rows of `dense` and `out` have no gaps; distances between rows count elements. `values` are float32, or float64
// for float64. Row pointers and columns are int64 if `wide`, else int32; they have been checked.
struct SpmmProblem {
  const void *row_pointers, *columns, *values, *dense;
  void* out;
  int64_t dense_row, out_row;
  bool wide;
};

// A part of the result.
struct SpmmPart {
  int64_t first_row, end_row, first_column, columns;
};

// Computes the part. Each element is the sum of its row's entries in their order, in blocks of 512 that are
// added pairwise.
using SpmmFn = void (*)(const SpmmProblem& problem, const SpmmPart& part);
SpmmFn spmm_kernel(diopiDtype_t dtype);

// The same for a result of one column, in float32 or float64. The terms of a block are added in several sums. The
// places of the elements of `dense` are int32 for float32.
SpmmFn spmv_kernel(diopiDtype_t dtype);

}  // namespace impl::cpu

#endif  // IMPL_CPU_SPARSE_SPMM_HPP_
