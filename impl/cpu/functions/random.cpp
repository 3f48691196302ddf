// SPDX-License-Identifier: BSD-3-Clause
#include "impl/common/families/random.hpp"

#include "impl/common/workspace.hpp"
#include "impl/cpu/engine/copy/copy.hpp"
#include "impl/cpu/engine/element_range.hpp"
#include "impl/cpu/random/multinomial.hpp"
#include "impl/cpu/random/random.hpp"

namespace impl::cpu {

namespace {

Status fill(diopiContextHandle_t ctx, const RandomWords& words, const RandomKernel& kernel, const TensorView& out,
            const TensorView* inputs = nullptr) {
  RandomStream stream;
  DIOPI_TRY(words.reserve(ctx, &stream));
  fill_random(stream, kernel, out, inputs);
  return diopiSuccess;
}

}  // namespace

Status run_uniform(diopiContextHandle_t ctx, const RandomWords& words, const TensorView& out,
                   const UniformParams& params) {
  return fill(ctx, words, random_uniform(out.dtype, &params), out);
}

Status run_normal(diopiContextHandle_t ctx, const RandomWords& words, const TensorView& out,
                  const NormalParams& params) {
  return fill(ctx, words, random_normal(out.dtype, &params), out);
}

Status run_integers(diopiContextHandle_t ctx, const RandomWords& words, const TensorView& out,
                    const IntegerParams& params) {
  return fill(ctx, words, random_integers(&params), out);
}

Status run_bernoulli(diopiContextHandle_t ctx, const RandomWords& words, const TensorView& out,
                     const BernoulliParams& params) {
  return fill(ctx, words, random_bernoulli(&params), out);
}

Status run_normal_tensors(diopiContextHandle_t ctx, const RandomWords& words, const TensorView& out,
                          const TensorView& mean, const TensorView& std) {
  const TensorView inputs[] = {mean, std};
  return fill(ctx, words, random_normal_tensors(out.dtype), out, inputs);
}

Status run_bernoulli_tensor(diopiContextHandle_t ctx, const RandomWords& words, const TensorView& out,
                            const TensorView& p) {
  return fill(ctx, words, random_bernoulli_tensor(), out, &p);
}

Status all_within(diopiContextHandle_t, const TensorView& view, double least, double most, bool* within) {
  *within = all_ranges<double>(diopi::without_repeats(view), [&](const double* values, int64_t count) {
    bool all = true;
    for (int64_t i = 0; i < count; ++i) all &= values[i] >= least && values[i] <= most;
    return all;
  });
  return diopiSuccess;
}

Status run_permutation(diopiContextHandle_t ctx, const RandomWords& words, const TensorView& out) {
  const int64_t n = out.numel;
  const CopyDim dim{n, out.stride[0], 1};
  RandomStream stream;
  if (n <= kShortPermutation) {
    int32_t positions[kShortPermutation];
    DIOPI_TRY(words.reserve(ctx, &stream));
    random_short_permutation(stream, n, positions);
    copy_strided(out.data, out.dtype, positions, diopi_dtype_int32, &dim, 1);
    return diopiSuccess;
  }
  uint64_t* positions = nullptr;
  DIOPI_TRY(diopi::Workspace(ctx).take(permutation_memory(n), &positions));
  DIOPI_TRY(words.reserve(ctx, &stream));
  random_permutation(stream, n, positions);
  copy_strided(out.data, out.dtype, positions, diopi_dtype_uint64, &dim, 1);
  return diopiSuccess;
}

Status run_multinomial(diopiContextHandle_t ctx, const RandomWords& words, const TensorView& out,
                       const TensorView& weights, bool replacement) {
  const int64_t rows = weights.shape[0], n = weights.shape[1];
  MultinomialPlan plan(weights, out.shape[1], replacement);
  diopi::Workspace workspace(ctx);
  DIOPI_TRY(workspace.take(rows * plan.kept(), &plan.weights));
  DIOPI_TRY(workspace.take(rows, &plan.last));
  const WeightProblem problem = read_weights(plan);
  if (problem.row >= 0) return refuse_weights(problem.row, !problem.invalid);
  if (!replacement) DIOPI_TRY(workspace.take(rows * n, &plan.order));
  RandomStream stream;
  DIOPI_TRY(words.reserve(ctx, &stream));
  if (replacement) {
    draw_with_replacement(stream, plan, out);
  } else {
    draw_without_replacement(stream, plan, out);
  }
  return diopiSuccess;
}

}  // namespace impl::cpu
