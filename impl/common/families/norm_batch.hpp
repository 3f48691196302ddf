// SPDX-License-Identifier: BSD-3-Clause
// Batch normalisation and its gradients. impl/<vendor>/functions/norm_batch.cpp includes this file.
#ifndef IMPL_COMMON_FAMILIES_NORM_BATCH_HPP_
#define IMPL_COMMON_FAMILIES_NORM_BATCH_HPP_

#include "arguments/norm_batch.hpp"
#include "impl/common/engine/norm.hpp"
#include "impl/common/families/norm_batch_sync.hpp"
#include "impl/common/families/outputs.hpp"

namespace impl::DIOPI_VENDOR {

inline Status run(diopiContextHandle_t ctx, diopi::BatchNormArgs& args) {
  const BatchNormProblem problem{args.out,
                                 args.input,
                                 diopi::address_of(args.weight),
                                 diopi::address_of(args.bias),
                                 diopi::address_of(args.running_mean),
                                 diopi::address_of(args.running_var),
                                 diopi::address_of(args.save_mean),
                                 diopi::address_of(args.save_invstd),
                                 args.training,
                                 args.momentum,
                                 args.eps};
  DIOPI_TRY(diopi::require_writable(args.out));
  if (args.training) {
    DIOPI_TRY(
        diopi::require_writable({problem.save_mean, problem.save_invstd, problem.running_mean, problem.running_var}));
  }
  return args.input.numel > 0 ? run_batch_norm(ctx, problem) : Status(diopiSuccess);
}

// As in PyTorch, an input of shape [0] stands for [0, channels].
inline void add_channels(TensorView* view, int64_t channels) {
  if (view->ndim() != 1) return;
  *view = view->unsqueeze(1);
  view->shape[1] = channels;
}

inline Status run(diopiContextHandle_t ctx, diopi::BatchNormBackwardArgs& args) {
  const TensorView& mean = args.training ? *args.save_mean : *args.running_mean;
  const TensorView& invstd = args.training ? *args.save_invstd : *args.running_var;
  add_channels(&args.input, mean.numel);
  add_channels(&args.grad_output, mean.numel);
  if (args.grad_input) add_channels(&*args.grad_input, mean.numel);
  const BatchNormBackwardProblem problem{args.grad_output,
                                         args.input,
                                         diopi::address_of(args.weight),
                                         mean,
                                         invstd,
                                         diopi::address_of(args.grad_input),
                                         diopi::address_of(args.grad_weight),
                                         diopi::address_of(args.grad_bias),
                                         args.training,
                                         args.eps};
  DIOPI_TRY(diopi::require_writable({problem.grad_input, problem.grad_weight, problem.grad_bias}));
  return run_batch_norm_backward(ctx, problem);
}

}  // namespace impl::DIOPI_VENDOR

#include "functions/norm_batch.hpp"

#endif  // IMPL_COMMON_FAMILIES_NORM_BATCH_HPP_
