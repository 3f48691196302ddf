// SPDX-License-Identifier: BSD-3-Clause
// Focal losses and the steps of synchronised batch normalisation of mmcv. impl/<vendor>/functions/mmcv_norm.cpp
// includes this file.
#ifndef IMPL_COMMON_FAMILIES_MMCV_NORM_HPP_
#define IMPL_COMMON_FAMILIES_MMCV_NORM_HPP_

#include "arguments/mmcv_norm.hpp"
#include "impl/common/engine/focal.hpp"
#include "impl/common/engine/norm_sync.hpp"
#include "impl/common/families/outputs.hpp"

namespace impl::DIOPI_VENDOR {

inline Status run(diopiContextHandle_t ctx, diopi::SigmoidFocalLossMmcvArgs& args) {
  return run_sigmoid_focal(ctx, args.output, {args.input, args.target, args.weight, args.gamma, args.alpha});
}

inline Status run(diopiContextHandle_t ctx, diopi::SigmoidFocalLossBackwardMmcvArgs& args) {
  return run_sigmoid_focal_backward(ctx, args.grad_input,
                                    {args.input, args.target, args.weight, args.gamma, args.alpha});
}

inline Status run(diopiContextHandle_t ctx, diopi::SoftmaxFocalLossMmcvArgs& args) {
  return run_softmax_focal(ctx, args.output, {args.softmax, args.target, args.weight, args.gamma, args.alpha});
}

inline Status run(diopiContextHandle_t ctx, diopi::SoftmaxFocalLossBackwardMmcvArgs& args) {
  return run_softmax_focal_backward(ctx, args.grad_input, args.buff,
                                    {args.softmax, args.target, args.weight, args.gamma, args.alpha});
}

inline Status run(diopiContextHandle_t ctx, diopi::SyncBnMeanMmcvArgs& args) {
  DIOPI_TRY(diopi::require_writable(args.mean));
  return run_channel_moments(ctx, {args.input, nullptr, &args.mean, nullptr, nullptr, 0, 0});
}

inline Status run(diopiContextHandle_t ctx, diopi::SyncBnVarMmcvArgs& args) {
  DIOPI_TRY(diopi::require_writable(args.var));
  return run_channel_moments(ctx, {args.input, &args.mean, nullptr, &args.var, nullptr, 0, 0});
}

inline Status run(diopiContextHandle_t ctx, diopi::SyncBnOutputMmcvArgs& args) {
  DIOPI_TRY(diopi::require_writable({&args.output, &args.norm, &args.std, &args.running_mean, &args.running_var}));
  return run_sync_norm(
      ctx, {args.output, args.norm, args.std, args.input, args.mean, args.var, args.weight, args.bias,
            args.running_mean, args.running_var, args.eps, args.momentum, static_cast<double>(args.group_size)});
}

inline Status run(diopiContextHandle_t ctx, diopi::SyncBnBackwardParamMmcvArgs& args) {
  DIOPI_TRY(diopi::require_writable({&args.grad_weight, &args.grad_bias}));
  return run_channel_gradient_sums(
      ctx, {args.grad_output, args.norm, nullptr, nullptr, nullptr, nullptr, &args.grad_weight, &args.grad_bias});
}

inline Status run(diopiContextHandle_t ctx, diopi::SyncBnBackwardDataMmcvArgs& args) {
  DIOPI_TRY(diopi::require_writable(args.grad_input));
  return run_channel_gradient(ctx, {args.grad_input, args.grad_output, args.norm, nullptr, args.std, true, &args.weight,
                                    args.grad_bias, args.grad_weight, nullptr});
}

}  // namespace impl::DIOPI_VENDOR

#include "functions/mmcv_norm.hpp"

#endif  // IMPL_COMMON_FAMILIES_MMCV_NORM_HPP_
