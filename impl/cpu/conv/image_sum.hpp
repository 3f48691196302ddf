// SPDX-License-Identifier: BSD-3-Clause
// The gradient of weights is a sum over images. The images are divided into groups, and the sums of the groups are
// added pairwise. The division depends only on the shapes.
#ifndef IMPL_CPU_CONV_IMAGE_SUM_HPP_
#define IMPL_CPU_CONV_IMAGE_SUM_HPP_

#include <algorithm>

#include "impl/common/step_memory.hpp"
#include "impl/cpu/engine/pairwise_sum.hpp"
#include "impl/cpu/engine/reduce/kernels.hpp"
#include "impl/cpu/engine/step_threads.hpp"

namespace impl::cpu {

struct ImageSum {
  int64_t images, positions;  // terms of each image
  // Returns the number of images that are added one after another.
  int64_t group() const { return std::clamp<int64_t>(kLongestSum / std::max<int64_t>(positions, 1), 1, 64); }
};

namespace image_sum_detail {

// Computes in `sum` the sum of the gradients of images [first, last).
template <typename Add>
Status sum_group(int64_t first, int64_t last, const TensorView& sum, const Add& add) {
  diopi::StepMemory of_first, of_next;
  DIOPI_TRY(of_first.reserve([&] { return add(first, sum, false); }));
  if (last - first > 1) DIOPI_TRY(of_next.reserve([&] { return add(first + 1, sum, true); }));
  for (int64_t n = first; n < last && !diopi::in_dry_run(); ++n) {
    diopi::StepMemory& memory = n > first ? of_next : of_first;
    DIOPI_TRY(memory.run([&] { return add(n, sum, n > first); }));
  }
  return diopiSuccess;
}

// The number of images in groups that threads add at the same time, or 0 if the product of one image is large enough
// for all threads, or the sums of the groups need too much memory.
inline int64_t small_group(const ImageSum& terms, const TensorView& out) {
  constexpr int64_t kEnoughTerms = 128;  // the sums of the groups are added in a small part of the time
  constexpr int64_t kLargeProduct = int64_t{1} << 22, kMostBytes = int64_t{8} << 20;
  if (out.numel * terms.positions >= kLargeProduct || out.ndim() == diopi::kMaxDims) return 0;
  const int64_t positions = std::max<int64_t>(terms.positions, 1);
  const int64_t group = std::min((kEnoughTerms + positions - 1) / positions, terms.group());
  const int64_t groups = (terms.images + group - 1) / group;
  return groups > 1 && groups * out.numel * out.itemsize() <= kMostBytes ? group : 0;
}

// Computes the sums of all groups at the same time, and adds them.
template <typename Add>
Status sum_groups(diopiContextHandle_t ctx, const ImageSum& terms, int64_t group, const TensorView& out,
                  const Add& add) {
  constexpr double kMultiplied = 100;  // picoseconds of a product and its part of what is copied for it
  const int64_t groups = (terms.images + group - 1) / group;
  TensorView sums;
  diopi::Dims shape = out.unsqueeze(0).shape;
  shape[0] = groups;
  DIOPI_TRY(make_temporary(ctx, shape, out.dtype, &sums));
  const double work = kMultiplied * static_cast<double>(out.numel * terms.positions * terms.images);
  DIOPI_TRY(run_steps_on_threads(ctx, groups, work, [&](int64_t k) {
    return sum_group(k * group, std::min(terms.images, (k + 1) * group), sums.select(0, k), add);
  }));
  return run_reduce(ctx, *reduce_kernel(ReduceOp::kSum, sums.dtype), &out, sums, 1);
}

}  // namespace image_sum_detail

// Computes in `out` the sum of the gradients of all images. add(n, sum, accumulate) computes the gradient of image n:
// it adds it to `sum` if `accumulate` is true, and writes it otherwise; threads may call it at the same time. `out` has
// a dtype of PairwiseSum.
template <typename Add>
Status sum_images(diopiContextHandle_t ctx, const ImageSum& terms, const TensorView& out, const Add& add) {
  using namespace image_sum_detail;  // NOLINT: this function is its interface
  const int64_t small = small_group(terms, out), group = terms.group();
  if (small > 0) return sum_groups(ctx, terms, small, out, add);
  if (terms.images <= group) return sum_group(0, terms.images, out, add);
  PairwiseSum sum(ctx, out.shape, out.dtype);
  diopi::StepMemory memory;
  TensorView part;
  DIOPI_TRY(sum.next(&part));
  DIOPI_TRY(memory.reserve([&] { return sum_group(0, group, part, add); }));
  for (int64_t first = 0; first < terms.images; first += group) {
    if (first > 0) DIOPI_TRY(sum.next(&part));
    const int64_t last = std::min(terms.images, first + group);
    if (!diopi::in_dry_run()) DIOPI_TRY(memory.run([&] { return sum_group(first, last, part, add); }));
    sum.add();
  }
  sum.finish(out);
  return diopiSuccess;
}

}  // namespace impl::cpu

#endif  // IMPL_CPU_CONV_IMAGE_SUM_HPP_
