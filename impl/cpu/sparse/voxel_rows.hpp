// SPDX-License-Identifier: BSD-3-Clause
// Reductions of the features of the points of a voxel. Sums and maxima are float64.
#ifndef IMPL_CPU_SPARSE_VOXEL_ROWS_HPP_
#define IMPL_CPU_SPARSE_VOXEL_ROWS_HPP_

#include <cstdint>

#include "impl/common/dtype.hpp"

namespace impl::cpu {

struct VoxelRowKernels {
  // total[c] += row[c]
  void (*add)(double* total, const void* row, int64_t n) = nullptr;
  // total[c] = row[c] if that is greater; NaN is never greater
  void (*maximum)(double* total, const void* row, int64_t n) = nullptr;
  // out[c] = total[c] / divisor, rounded to the type of the computation and then to the dtype
  void (*divide)(void* out, const double* total, double divisor, int64_t n) = nullptr;
  // the same for a row in place of totals
  void (*divide_row)(void* out, const void* row, double divisor, int64_t n) = nullptr;
};

// The kernels for rows of a floating dtype.
VoxelRowKernels voxel_row_kernels(diopiDtype_t dtype);

}  // namespace impl::cpu

#endif  // IMPL_CPU_SPARSE_VOXEL_ROWS_HPP_
