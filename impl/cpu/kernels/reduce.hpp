// SPDX-License-Identifier: BSD-3-Clause
// The reduction engine: folds any axes of a tensor of any dtype and strides with one small set of kernels.
//
// The engine splits the work into outputs and, where a reduction is long, into chunks whose size depends on the
// shape alone; partial results are merged pairwise in a fixed order. So the bits of a result do not depend on the
// number of threads, and the error of a sum grows with the logarithm of its length.
#pragma once

#include <diopi/diopirt.h>

#include <cstdint>

#include "impl/common/tensor_view.hpp"

namespace impl::cpu {

using diopi::Status;
using diopi::TensorView;

inline constexpr int64_t kMaxStrip = 1024;

// Accumulators are arrays of `accumulator_size` bytes each. `base` is the position of in[0] (in fold_row), or of the
// whole row (in fold_column), within the reduced elements in row-major order.
struct ReduceKernel {
  diopiDtype_t in = diopi_dtype_unsupported;  // dtype in which elements are read
  int num_outputs = 1;
  diopiDtype_t out[2] = {};  // dtypes in which `finish` writes
  int accumulator_size = 0;
  bool exact = true;     // order does not matter: long runs may be folded in one call
  bool ordered = false;  // positions matter: the reduced axes keep their order
  int64_t run = 2048;    // elements folded in one call where order matters: few for each lane of a vector

  void (*init)(void* accumulators, int64_t n) = nullptr;
  // accumulator[0] takes in n packed elements.
  void (*fold_row)(void* accumulator, const void* in, int64_t n, int64_t base) = nullptr;
  // accumulator[i] takes in in[i].
  void (*fold_column)(void* accumulators, const void* in, int64_t n, int64_t base) = nullptr;
  // fold_column for `rows` rows, `pitch` bytes apart; optional, n <= kMaxStrip.
  void (*fold_rows)(void* accumulators, const void* in, int64_t pitch, int64_t rows, int64_t n, int64_t base) = nullptr;
  // accumulator[i] is the fold of row i of `rows` rows of n packed elements, `pitch` bytes apart; optional, n <= run
  // where order matters.
  void (*fold_each)(void* accumulators, const void* in, int64_t pitch, int64_t rows, int64_t n) = nullptr;
  // accumulator[i] takes in other[i], which stands for later elements.
  void (*merge)(void* accumulators, const void* other, int64_t n) = nullptr;
  // out[j][i] = result j of accumulator[i], over `count` elements each.
  void (*finish)(void* const* out, const void* accumulators, int64_t n, int64_t count) = nullptr;
};

// Reduces the axes of `mask` (bit i for dimension i). The outputs have the reduced shape, with or without kept axes;
// the caller has checked that, and that the conversion to their dtypes is allowed.
Status run_reduce(diopiContextHandle_t ctx, const ReduceKernel& kernel, const TensorView* outputs,
                  const TensorView& input, uint32_t mask);

}  // namespace impl::cpu
