// SPDX-License-Identifier: BSD-3-Clause
// The reduction engine: reduces any axes of a tensor of any dtype and strides with a small set of kernels.
//
// The engine divides the work by outputs. It also divides a long reduction into chunks, whose size depends only on the
// shape. Partial results are merged pairwise in a fixed order. So the bits of a result do not depend on the number of
// threads, and the error of a sum grows with the logarithm of its length. Outputs may overlap the input.
#ifndef IMPL_CPU_ENGINE_REDUCE_REDUCE_HPP_
#define IMPL_CPU_ENGINE_REDUCE_REDUCE_HPP_

#include <diopi/diopirt.h>

#include <cstdint>

#include "impl/common/tensor_view.hpp"

namespace impl::cpu {

using diopi::Status;
using diopi::TensorView;

inline constexpr int64_t kMaxTileWidth = 1024;

// A kernel. Accumulators are arrays of `accumulator_size` bytes each. `base` is a position among the reduced elements
// in row-major order: of in[0] in fold_row, and of the whole row in fold_column. The last argument of most functions is
// `params`, what the operation needs besides.
struct ReduceKernel {
  diopiDtype_t in = diopi_dtype_unsupported;  // dtype in which the kernel reads elements
  int num_outputs = 1;
  diopiDtype_t out[2] = {};  // dtypes in which `finish` writes
  int accumulator_size = 0;
  const void* params = nullptr;
  bool exact = true;     // the order does not matter: long runs may be folded in one call
  bool ordered = false;  // positions matter: the reduced axes keep their order
  int64_t run = 2048;    // if order matters, elements folded in one call: few for each lane of a vector

  void (*init)(void* accumulators, int64_t n) = nullptr;
  // Folds n packed elements into accumulator[0].
  void (*fold_row)(void* accumulator, const void* in, int64_t n, int64_t base, const void* params) = nullptr;
  // Folds in[i] into accumulator[i].
  void (*fold_column)(void* accumulators, const void* in, int64_t n, int64_t base, const void* params) = nullptr;
  // fold_column for `rows` rows, `pitch` bytes apart. Optional; n <= kMaxTileWidth.
  void (*fold_rows)(void* accumulators, const void* in, int64_t pitch, int64_t rows, int64_t n, int64_t base,
                    const void* params) = nullptr;
  // Sets accumulator[i] to the fold of row i of `rows` rows of n packed elements, `pitch` bytes apart. Optional; n <=
  // run if the order matters.
  void (*fold_each)(void* accumulators, const void* in, int64_t pitch, int64_t rows, int64_t n,
                    const void* params) = nullptr;
  // For ordered kernels: accumulator[r * n + i] has the positions of rows r, r + joined, r + 2 * joined, ... as if they
  // were 0, 1, 2, ... Sets them to the positions from `first` on. Optional; merge() then accepts elements in any order.
  void (*place)(void* accumulators, int64_t n, int64_t joined, int64_t first) = nullptr;
  // Merges other[i], which has later elements, into accumulator[i].
  void (*merge)(void* accumulators, const void* other, int64_t n) = nullptr;
  // Writes out[j][i] = result j of accumulator[i], each over `count` elements.
  void (*finish)(void* const* out, const void* accumulators, int64_t n, int64_t count, const void* params) = nullptr;
};

// The dtype of the kernel that reads elements of `in` in the dtype of `out`.
inline diopiDtype_t requested_kernel_dtype(const TensorView& out, const TensorView& in) {
  return out.dtype == in.dtype ? in.dtype : diopi::compute_dtype(out.dtype);
}

// Reduces the axes of `mask` (bit i for dimension i). The outputs have the reduced shape, with or without the reduced
// axes as extent 1. The caller has checked this and the dtypes. An output whose elements share an address is refused.
Status run_reduce(diopiContextHandle_t ctx, const ReduceKernel& kernel, const TensorView* outputs,
                  const TensorView& input, uint32_t mask);

}  // namespace impl::cpu

#endif  // IMPL_CPU_ENGINE_REDUCE_REDUCE_HPP_
