// SPDX-License-Identifier: BSD-3-Clause
#include "impl/common/families/random.hpp"

#include "impl/cuda/engine/stream.hpp"
#include "impl/cuda/kernels/elementwise/check.hpp"
#include "impl/cuda/kernels/random/random.hpp"

namespace impl::cuda {

namespace {

// Reserves the words of a call and calls f(RandomFill).
template <typename F>
Status fill_with(diopiContextHandle_t ctx, const RandomWords& words, const TensorView& out, const F& f) {
  cudaStream_t stream = nullptr;
  DIOPI_TRY(stream_of(ctx, &stream));
  RandomStream random;
  DIOPI_TRY(words.reserve(ctx, &random));
  return f(RandomFill{stream, random, out});
}

}  // namespace

Status run_uniform(diopiContextHandle_t ctx, const RandomWords& words, const TensorView& out,
                   const diopi::UniformParams& params) {
  return fill_with(ctx, words, out, [&](const RandomFill& fill) { return random_uniform(fill, params); });
}

Status run_normal(diopiContextHandle_t ctx, const RandomWords& words, const TensorView& out,
                  const diopi::NormalParams& params) {
  return fill_with(ctx, words, out, [&](const RandomFill& fill) { return random_normal(fill, params); });
}

Status run_integers(diopiContextHandle_t ctx, const RandomWords& words, const TensorView& out,
                    const diopi::IntegerParams& params) {
  return fill_with(ctx, words, out, [&](const RandomFill& fill) { return random_integers(fill, params); });
}

Status run_bernoulli(diopiContextHandle_t ctx, const RandomWords& words, const TensorView& out,
                     const diopi::BernoulliParams& params) {
  return fill_with(ctx, words, out, [&](const RandomFill& fill) { return random_bernoulli(fill, params); });
}

Status run_normal_tensors(diopiContextHandle_t ctx, const RandomWords& words, const TensorView& out,
                          const TensorView& mean, const TensorView& std) {
  return fill_with(ctx, words, out, [&](const RandomFill& fill) { return random_normal_tensors(fill, mean, std); });
}

Status run_bernoulli_tensor(diopiContextHandle_t ctx, const RandomWords& words, const TensorView& out,
                            const TensorView& p) {
  return fill_with(ctx, words, out, [&](const RandomFill& fill) { return random_bernoulli_tensor(fill, p); });
}

Status all_within(diopiContextHandle_t ctx, const TensorView& view, double least, double most, bool* within) {
  *within = true;
  const ParameterName name(view.name);
  return check_within(ctx, view, least, most,
                      Refusal([name, most](int64_t, int64_t) -> Status { return refuse_outside(name.text, most); }));
}

}  // namespace impl::cuda
