// SPDX-License-Identifier: BSD-3-Clause
#include "impl/cuda/kernels/rows/plan.hpp"

#include <algorithm>

namespace impl::cuda {

namespace {

constexpr int kLanesAcross = 4;
constexpr int64_t kSteps = 32;       // the most elements that a thread folds one after another
constexpr int64_t kLongSteps = 512;  // the same where there are so many rows that their pieces would take much memory
constexpr int64_t kManyRows = 65536;

}  // namespace

FoldSplit::FoldSplit(int64_t num_rows, int64_t row_length, bool is_across)
    : rows(num_rows), length(row_length), lanes(1), across(is_across) {
  const int64_t steps = num_rows >= kManyRows ? kLongSteps : kSteps;
  const int most = across ? kLanesAcross : kFoldThreads;
  while (lanes < most && lanes * kSteps < length) lanes *= 2;
  piece = lanes * steps;
  pieces = std::max<int64_t>(1, length / piece + (length % piece != 0 ? 1 : 0));
}

}  // namespace impl::cuda
