// SPDX-License-Identifier: BSD-3-Clause
// The steps of synchronised batch normalisation. families/norm_batch.hpp includes this file.
#ifndef IMPL_COMMON_FAMILIES_NORM_BATCH_SYNC_HPP_
#define IMPL_COMMON_FAMILIES_NORM_BATCH_SYNC_HPP_

#include <cmath>

#include "arguments/norm_batch.hpp"
#include "impl/common/engine/norm_sync.hpp"
#include "impl/common/families/outputs.hpp"

namespace impl::DIOPI_VENDOR {

inline Status run(diopiContextHandle_t ctx, diopi::BatchNormStatsArgs& args) {
  DIOPI_TRY(diopi::require_writable({&args.mean, &args.invstd}));
  return run_channel_moments(ctx, {args.input, nullptr, &args.mean, nullptr, &args.invstd, args.eps, NAN});
}

inline Status run(diopiContextHandle_t ctx, diopi::BatchNormGatherStatsWithCountsArgs& args) {
  const GatherStatisticsProblem problem{args.mean,
                                        args.invstd,
                                        args.mean_all,
                                        args.invstd_all,
                                        args.counts,
                                        diopi::address_of(args.running_mean),
                                        diopi::address_of(args.running_var),
                                        args.momentum,
                                        args.eps};
  DIOPI_TRY(diopi::require_writable({&args.mean, &args.invstd, problem.running_mean, problem.running_var}));
  return run_gather_statistics(ctx, problem);
}

inline Status run(diopiContextHandle_t ctx, diopi::BatchNormBackwardReduceArgs& args) {
  const auto wanted = [](bool flag, const std::optional<TensorView>& output) {
    return flag ? diopi::address_of(output) : nullptr;
  };
  const ChannelGradientSumsProblem problem{args.grad_out,
                                           args.input,
                                           &args.mean,
                                           &args.invstd,
                                           wanted(args.input_g, args.sum_dy),
                                           wanted(args.input_g, args.sum_dy_xmu),
                                           wanted(args.weight_g, args.grad_weight),
                                           wanted(args.bias_g, args.grad_bias)};
  DIOPI_TRY(diopi::require_writable({problem.sum_dy, problem.sum_dy_xmu, problem.grad_weight, problem.grad_bias}));
  return run_channel_gradient_sums(ctx, problem);
}

inline Status run(diopiContextHandle_t ctx, diopi::BatchNormBackwardElemtArgs& args) {
  DIOPI_TRY(diopi::require_writable(args.grad_input));
  return run_channel_gradient(ctx, {args.grad_input, args.grad_out, args.input, &args.mean, args.invstd, false,
                                    diopi::address_of(args.weight), args.sum_dy, args.sum_dy_xmu, &args.count});
}

inline Status run(diopiContextHandle_t ctx, diopi::BatchNormElemtArgs& args) {
  DIOPI_TRY(diopi::require_writable(args.out));
  return run_channel_scale(ctx, {args.out, args.input, diopi::address_of(args.weight), diopi::address_of(args.bias),
                                 args.mean, args.invstd});
}

}  // namespace impl::DIOPI_VENDOR

#endif  // IMPL_COMMON_FAMILIES_NORM_BATCH_SYNC_HPP_
