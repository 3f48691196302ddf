// SPDX-License-Identifier: BSD-3-Clause
// The gradient of weights is a sum over images. The images are divided into groups, and the sums of the groups are
// added pairwise.
#ifndef IMPL_CPU_CONV_IMAGE_SUM_HPP_
#define IMPL_CPU_CONV_IMAGE_SUM_HPP_

#include <algorithm>

#include "impl/common/step_memory.hpp"
#include "impl/cpu/engine/pairwise_sum.hpp"

namespace impl::cpu {

struct ImageSum {
  int64_t images, positions;  // terms of each image
  // Returns the number of images that are added one after another. It depends only on the shape.
  int64_t group() const { return std::clamp<int64_t>(kLongestSum / std::max<int64_t>(positions, 1), 1, 64); }
};

// Computes in `out` the sum of the gradients of all images. add(n, sum, accumulate) computes the gradient of image n:
// it adds it to `sum` if `accumulate` is true, and writes it otherwise. `out` has a dtype of PairwiseSum.
template <typename Add>
Status sum_images(diopiContextHandle_t ctx, const ImageSum& terms, const TensorView& out, const Add& add) {
  const int64_t group = terms.group();
  PairwiseSum sum(ctx, out.shape, out.dtype);
  diopi::StepMemory of_first, of_next;
  TensorView part = out;
  if (terms.images > group) DIOPI_TRY(sum.next(&part));
  DIOPI_TRY(of_first.reserve([&] { return add(0, part, false); }));
  if (group > 1 && terms.images > 1) DIOPI_TRY(of_next.reserve([&] { return add(1, part, true); }));
  for (int64_t first = 0; first < terms.images; first += group) {
    if (terms.images > group) DIOPI_TRY(sum.next(&part));
    for (int64_t n = first; n < std::min(terms.images, first + group) && !diopi::in_dry_run(); ++n) {
      diopi::StepMemory& memory = n > first ? of_next : of_first;
      DIOPI_TRY(memory.run([&] { return add(n, part, n > first); }));
    }
    if (terms.images > group) sum.add();
  }
  if (terms.images > group) sum.finish(out);
  return diopiSuccess;
}

}  // namespace impl::cpu

#endif  // IMPL_CPU_CONV_IMAGE_SUM_HPP_
