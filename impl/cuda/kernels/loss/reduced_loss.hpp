// SPDX-License-Identifier: BSD-3-Clause
// Losses of classes with few launches: a thread computes the loss of a sample, and blocks add the losses up.
#ifndef IMPL_CUDA_KERNELS_LOSS_REDUCED_LOSS_HPP_
#define IMPL_CUDA_KERNELS_LOSS_REDUCED_LOSS_HPP_

#include <cuda_runtime_api.h>

#include "impl/common/engine/loss_nll.hpp"
#include "impl/cuda/kernels/first_bad.hpp"

namespace impl::cuda {

using diopi::ClassLoss;
using diopi::Status;
using diopi::TensorView;

// The most classes whose probabilities a thread computes.
inline constexpr int64_t kMostClasses = 128;

// Whether compute_reduced_loss() can compute a loss. Its input holds scores, or log probabilities.
bool has_few_launches(const ClassLoss& loss, const TensorView& out, bool has_scores, bool wants_weight);

// The loss and the weight of a sample, or their sums.
struct LossPart {
  double loss, weight;
};

struct ReducedLoss {
  bool has_scores;
  LossPart* parts;  // parts_of_loss() elements; null if nothing is reduced
  FirstBad bad;     // gets the first target that is no class
  const TensorView *out, *total_weight;
};
int64_t parts_of_loss(const ClassLoss& loss);
// Writes the losses, or their sum or mean, and the total weight if it is wanted.
Status compute_reduced_loss(cudaStream_t stream, const ClassLoss& loss, const ReducedLoss& call);

}  // namespace impl::cuda

#endif  // IMPL_CUDA_KERNELS_LOSS_REDUCED_LOSS_HPP_
