// SPDX-License-Identifier: BSD-3-Clause
// What a vendor implements for random numbers. The registry defines the words of a stream and the values made of them,
// so all vendors compute the same bits, whatever the strides and the number of threads.
#ifndef IMPL_COMMON_ENGINE_RANDOM_HPP_
#define IMPL_COMMON_ENGINE_RANDOM_HPP_

#include "impl/common/generator.hpp"
#include "impl/common/random_params.hpp"
#include "impl/common/tensor_view.hpp"

namespace diopi {

// The words of a call, which are not reserved yet. The vendor calls reserve() after everything else that can fail, and
// before it writes.
struct RandomWords {
  diopiGeneratorHandle_t generator;
  int64_t count;

  Status reserve(diopiContextHandle_t ctx, RandomStream* stream) const {
    return reserve_random(ctx, generator, count, stream);
  }
};

}  // namespace diopi

namespace impl::DIOPI_VENDOR {

using diopi::RandomStream;
using diopi::RandomWords;
using diopi::Status;
using diopi::TensorView;

// Element i in row-major order is made of word i; of words 2i and 2i + 1 if the dtype is float64, and for integers. The
// elements of `out` share no memory. Inputs have the shape of `out`; they overlap it only if they are the same view.
Status run_uniform(diopiContextHandle_t ctx, const RandomWords& words, const TensorView& out,
                   const diopi::UniformParams& params);
Status run_normal(diopiContextHandle_t ctx, const RandomWords& words, const TensorView& out,
                  const diopi::NormalParams& params);
Status run_integers(diopiContextHandle_t ctx, const RandomWords& words, const TensorView& out,
                    const diopi::IntegerParams& params);
Status run_bernoulli(diopiContextHandle_t ctx, const RandomWords& words, const TensorView& out,
                     const diopi::BernoulliParams& params);
// z * std + mean with standard normal z.
Status run_normal_tensors(diopiContextHandle_t ctx, const RandomWords& words, const TensorView& out,
                          const TensorView& mean, const TensorView& std);
// 1 if word * 2^-32 < p, otherwise 0.
Status run_bernoulli_tensor(diopiContextHandle_t ctx, const RandomWords& words, const TensorView& out,
                            const TensorView& p);

// Whether all elements of a floating point tensor lie in [least, most], and none is NaN. A device may report it later.
Status all_within(diopiContextHandle_t ctx, const TensorView& view, double least, double most, bool* within);

// Writes the positions 0 to n - 1, n the extent of the vector `out`, in the order of the 64-bit words whose low bits,
// as many as n - 1 has, are replaced by the position.
Status run_permutation(diopiContextHandle_t ctx, const RandomWords& words, const TensorView& out);

// Draws positions from the rows of `weights`, of shape [rows, n] and a floating point dtype, and writes them to `out`,
// of shape [rows, samples] and dtype int32 or int64. The registry says how the words are used. Returns refuse_weights()
// before it writes if a row of weights cannot be drawn from.
Status run_multinomial(diopiContextHandle_t ctx, const RandomWords& words, const TensorView& out,
                       const TensorView& weights, bool replacement);

// The error for the first row whose weights are not valid, or do not have a positive sum.
inline Status refuse_weights(int64_t row, bool valid) {
  if (valid) {
    return diopi::fail(diopiErrorOccurred, "the weights of row %lld of input do not have a positive sum",
                       static_cast<long long>(row));
  }
  return diopi::fail(diopiErrorOccurred, "input has an element that is negative, infinite or NaN in row %lld",
                     static_cast<long long>(row));
}

}  // namespace impl::DIOPI_VENDOR

#endif  // IMPL_COMMON_ENGINE_RANDOM_HPP_
