// SPDX-License-Identifier: BSD-3-Clause
// Group normalisation and its gradients. impl/<vendor>/functions/norm_group.cpp includes this file.
#ifndef IMPL_COMMON_FAMILIES_NORM_GROUP_HPP_
#define IMPL_COMMON_FAMILIES_NORM_GROUP_HPP_

#include "arguments/norm_group.hpp"
#include "impl/common/engine/norm.hpp"
#include "impl/common/families/outputs.hpp"

namespace impl::DIOPI_VENDOR {

inline Status run(diopiContextHandle_t ctx, diopi::GroupNormArgs& args) {
  DIOPI_TRY(diopi::require_writable({&args.out, &args.save_mean, &args.save_invstd}));
  return run_group_norm(ctx, {args.out, args.save_mean, args.save_invstd, args.input, diopi::address_of(args.weight),
                              diopi::address_of(args.bias), args.num_groups, args.eps});
}

inline Status run(diopiContextHandle_t ctx, diopi::GroupNormBackwardArgs& args) {
  const GroupNormBackwardProblem problem{args.grad_output,
                                         args.input,
                                         diopi::address_of(args.weight),
                                         args.mean,
                                         args.rstd,
                                         diopi::address_of(args.grad_input),
                                         diopi::address_of(args.grad_weight),
                                         diopi::address_of(args.grad_bias),
                                         args.num_groups};
  DIOPI_TRY(diopi::require_writable({problem.grad_input, problem.grad_weight, problem.grad_bias}));
  return run_group_norm_backward(ctx, problem);
}

}  // namespace impl::DIOPI_VENDOR

#include "functions/norm_group.hpp"

#endif  // IMPL_COMMON_FAMILIES_NORM_GROUP_HPP_
