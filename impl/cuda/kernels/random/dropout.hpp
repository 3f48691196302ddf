// SPDX-License-Identifier: BSD-3-Clause
// Dropout in one kernel, which makes the mask and the product with it.
#ifndef IMPL_CUDA_KERNELS_RANDOM_DROPOUT_HPP_
#define IMPL_CUDA_KERNELS_RANDOM_DROPOUT_HPP_

#include "impl/common/random_params.hpp"
#include "impl/cuda/kernels/random/random.hpp"

namespace impl::cuda {

// out = in * (mask * scale), with a mask that random_bernoulli() would make of `fill`. `*done` says whether there is a
// kernel: the tensors are contiguous, and each element of `in` is read before it is written.
diopi::Status drop(const RandomFill& fill, const diopi::BernoulliParams& keep, const diopi::TensorView& out,
                   const diopi::TensorView& in, double scale, bool* done);

}  // namespace impl::cuda

#endif  // IMPL_CUDA_KERNELS_RANDOM_DROPOUT_HPP_
