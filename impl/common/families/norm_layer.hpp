// SPDX-License-Identifier: BSD-3-Clause
// Layer normalisation over the last dimensions, and its gradients. impl/<vendor>/functions/norm_layer.cpp includes this
// file.
#ifndef IMPL_COMMON_FAMILIES_NORM_LAYER_HPP_
#define IMPL_COMMON_FAMILIES_NORM_LAYER_HPP_

#include "arguments/norm_layer.hpp"
#include "impl/common/engine/norm.hpp"
#include "impl/common/families/normalized_dims.hpp"
#include "impl/common/families/outputs.hpp"

namespace impl::DIOPI_VENDOR {

inline Status run(diopiContextHandle_t ctx, diopi::LayerNormArgs& args) {
  DIOPI_TRY(diopi::require_writable({&args.out, &args.save_mean, &args.save_invstd}));
  add_normalized_dims(&args.save_mean, args.input.ndim());
  add_normalized_dims(&args.save_invstd, args.input.ndim());
  return run_layer_norm(ctx, {args.out, args.save_mean, args.save_invstd, args.input, diopi::address_of(args.weight),
                              diopi::address_of(args.bias), first_normalized_dim(args), args.eps});
}

inline Status run(diopiContextHandle_t ctx, diopi::LayerNormBackwardArgs& args) {
  add_normalized_dims(&args.mean, args.input.ndim());
  add_normalized_dims(&args.rstd, args.input.ndim());
  const LayerNormBackwardProblem problem{args.grad_output,
                                         args.input,
                                         diopi::address_of(args.weight),
                                         args.mean,
                                         args.rstd,
                                         diopi::address_of(args.grad_input),
                                         diopi::address_of(args.grad_weight),
                                         diopi::address_of(args.grad_bias),
                                         first_normalized_dim(args)};
  DIOPI_TRY(diopi::require_writable({problem.grad_input, problem.grad_weight, problem.grad_bias}));
  return run_layer_norm_backward(ctx, problem);
}

inline Status run(diopiContextHandle_t ctx, diopi::LayerNormGBArgs& args) {
  DIOPI_TRY(diopi::require_writable({&args.out, &args.running_mean, &args.running_var}));
  add_normalized_dims(&args.running_mean, args.input.ndim());
  add_normalized_dims(&args.running_var, args.input.ndim());
  return run_layer_norm(ctx, {args.out, args.running_mean, args.running_var, args.input, diopi::address_of(args.weight),
                              diopi::address_of(args.bias), static_cast<int>(args.begin_norm_axis), args.eps});
}

inline Status run(diopiContextHandle_t ctx, diopi::LayerNormGBBackwardArgs& args) {
  add_normalized_dims(&args.running_mean, args.input.ndim());
  add_normalized_dims(&args.running_std, args.input.ndim());
  const LayerNormBackwardProblem problem{args.grad_output,
                                         args.input,
                                         diopi::address_of(args.weight),
                                         args.running_mean,
                                         args.running_std,  // the inverse standard deviation
                                         diopi::address_of(args.grad_input),
                                         diopi::address_of(args.grad_weight),
                                         diopi::address_of(args.grad_bias),
                                         static_cast<int>(args.begin_norm_axis)};
  DIOPI_TRY(diopi::require_writable({problem.grad_input, problem.grad_weight, problem.grad_bias}));
  return run_layer_norm_backward(ctx, problem);
}

}  // namespace impl::DIOPI_VENDOR

#include "functions/norm_layer.hpp"

#endif  // IMPL_COMMON_FAMILIES_NORM_LAYER_HPP_
