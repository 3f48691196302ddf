// SPDX-License-Identifier: BSD-3-Clause
// What a vendor implements for results that consist of runs of the input: padding and cyclic shifts.
#ifndef IMPL_COMMON_ENGINE_RUNS_HPP_
#define IMPL_COMMON_ENGINE_RUNS_HPP_

#include "impl/common/tensor_view.hpp"

namespace diopi {

// Positions [out, out + length) of a dimension of the result. They are copies of positions in, in + step, ... of the
// input, where `step` is 1, 0 or -1; or all of them get a number, if `in` is kOutside.
struct Run {
  static constexpr int64_t kOutside = -1;
  int64_t out, length, in, step;
};

// The runs of a dimension. They follow each other without gaps, and cover the dimension.
struct DimRuns {
  static constexpr int kMost = 3;
  int count = 0;
  Run run[kMost];

  void add(const Run& next) {
    if (next.length > 0) run[count++] = next;
  }
};

// Two tensors of one rank that do not overlap; `out` has at least one element, and its elements are converted. An
// element of the result that lies outside in any dimension is `number`, a view without dimensions.
struct RunCopy {
  TensorView out, in;
  TensorView number;
  DimRuns dims[kMaxDims];
};

}  // namespace diopi

namespace impl::DIOPI_VENDOR {

using diopi::RunCopy;
using diopi::Status;
using diopi::TensorView;

Status copy_runs(diopiContextHandle_t ctx, const RunCopy& call);

}  // namespace impl::DIOPI_VENDOR

#endif  // IMPL_COMMON_ENGINE_RUNS_HPP_
