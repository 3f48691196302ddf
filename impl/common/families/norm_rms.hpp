// SPDX-License-Identifier: BSD-3-Clause
// Normalisation by the root mean square of the last dimensions, and its gradients. impl/<vendor>/functions/norm_rms.cpp
// includes this file.
#ifndef IMPL_COMMON_FAMILIES_NORM_RMS_HPP_
#define IMPL_COMMON_FAMILIES_NORM_RMS_HPP_

#include "arguments/norm_rms.hpp"
#include "impl/common/engine/norm.hpp"
#include "impl/common/families/normalized_dims.hpp"
#include "impl/common/families/outputs.hpp"

namespace impl::DIOPI_VENDOR {

inline Status run(diopiContextHandle_t ctx, diopi::RMSNormArgs& args) {
  DIOPI_TRY(diopi::require_writable({&args.out, &args.inv_rms}));
  add_normalized_dims(&args.inv_rms, args.input.ndim());
  return run_rms_norm(ctx, {args.out, &args.inv_rms, args.input, diopi::address_of(args.weight),
                            diopi::address_of(args.bias), first_normalized_dim(args), args.eps});
}

inline Status run(diopiContextHandle_t ctx, diopi::RMSNormBackwardArgs& args) {
  add_normalized_dims(&args.inv_rms, args.input.ndim());
  const RmsNormBackwardProblem problem{args.grad_output,
                                       args.input,
                                       diopi::address_of(args.weight),
                                       args.inv_rms,
                                       diopi::address_of(args.grad_input),
                                       diopi::address_of(args.grad_weight),
                                       diopi::address_of(args.grad_bias),
                                       first_normalized_dim(args)};
  DIOPI_TRY(diopi::require_writable({problem.grad_input, problem.grad_weight, problem.grad_bias}));
  return run_rms_norm_backward(ctx, problem);
}

}  // namespace impl::DIOPI_VENDOR

#include "functions/norm_rms.hpp"

#endif  // IMPL_COMMON_FAMILIES_NORM_RMS_HPP_
