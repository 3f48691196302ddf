// SPDX-License-Identifier: BSD-3-Clause
// Kernels that fill tensors with random numbers. Element i, in row-major order, is made of word i of the stream, or of
// words 2i and 2i + 1. `out` has any strides; its elements share no memory.
#ifndef IMPL_CUDA_KERNELS_RANDOM_RANDOM_HPP_
#define IMPL_CUDA_KERNELS_RANDOM_RANDOM_HPP_

#include <cuda_runtime_api.h>

#include "impl/common/generator.hpp"
#include "impl/common/random_params.hpp"
#include "impl/common/tensor_view.hpp"

namespace impl::cuda {

struct RandomFill {
  cudaStream_t stream;
  diopi::RandomStream words;
  const diopi::TensorView& out;
};

diopi::Status random_uniform(const RandomFill& fill, const diopi::UniformParams& params);
diopi::Status random_normal(const RandomFill& fill, const diopi::NormalParams& params);
diopi::Status random_integers(const RandomFill& fill, const diopi::IntegerParams& params);
diopi::Status random_bernoulli(const RandomFill& fill, const diopi::BernoulliParams& params);
// z * std + mean with standard normal z. The operands have the shape of `out`, or are numbers on the host.
diopi::Status random_normal_tensors(const RandomFill& fill, const diopi::TensorView& mean,
                                    const diopi::TensorView& std);
// 1 if word * 2^-32 < p, otherwise 0.
diopi::Status random_bernoulli_tensor(const RandomFill& fill, const diopi::TensorView& p);

}  // namespace impl::cuda

#endif  // IMPL_CUDA_KERNELS_RANDOM_RANDOM_HPP_
