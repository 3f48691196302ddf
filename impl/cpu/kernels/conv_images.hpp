// SPDX-License-Identifier: BSD-3-Clause
// The sum over images that a gradient of weights is: images in groups, whose sums are added pairwise.
#pragma once

#include <algorithm>

#include "../../common/step_memory.hpp"
#include "pairwise_sum.hpp"

namespace impl::cpu {

struct ImageSum {
  int64_t images, positions;  // terms of each image
  // Images that are added one after the other: few, and of few terms together. Depends on the shape alone.
  int64_t group() const { return std::clamp<int64_t>(kLongestSum / std::max<int64_t>(positions, 1), 1, 64); }
};

// out = the sum over all images n of add(n, sum, accumulate), which writes the gradient of one to `sum`, or adds it.
// `out` has a dtype of PairwiseSum.
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
