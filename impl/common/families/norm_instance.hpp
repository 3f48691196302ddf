// SPDX-License-Identifier: BSD-3-Clause
// Instance normalisation, scaling to unit norm, and their gradients. impl/<vendor>/functions/norm_instance.cpp includes
// this file.
#ifndef IMPL_COMMON_FAMILIES_NORM_INSTANCE_HPP_
#define IMPL_COMMON_FAMILIES_NORM_INSTANCE_HPP_

#include "arguments/norm_instance.hpp"
#include "impl/common/engine/norm.hpp"
#include "impl/common/engine/norm_vector.hpp"
#include "impl/common/families/outputs.hpp"

namespace impl::DIOPI_VENDOR {

inline Status run(diopiContextHandle_t ctx, diopi::InstanceNormArgs& args) {
  DIOPI_TRY(diopi::require_writable(args.output));
  return run_instance_norm(ctx, {args.output, args.input, diopi::address_of(args.scale), diopi::address_of(args.bias),
                                 static_cast<int>(args.axis), args.eps});
}

inline Status run(diopiContextHandle_t ctx, diopi::InstanceNormBackwardArgs& args) {
  const InstanceNormBackwardProblem problem{args.grad_output,
                                            args.input,
                                            diopi::address_of(args.scale),
                                            diopi::address_of(args.grad_input),
                                            diopi::address_of(args.grad_scale),
                                            diopi::address_of(args.grad_bias),
                                            static_cast<int>(args.axis),
                                            args.eps};
  DIOPI_TRY(diopi::require_writable({problem.grad_input, problem.grad_scale, problem.grad_bias}));
  return run_instance_norm_backward(ctx, problem);
}

inline Status run(diopiContextHandle_t ctx, diopi::NormalizeArgs& args) {
  return run_normalize(ctx, {args.output, args.input, static_cast<int>(args.axis), args.p, args.eps});
}

inline Status run(diopiContextHandle_t ctx, diopi::NormalizeBackwardArgs& args) {
  return run_normalize_backward(
      ctx, {args.grad_input, args.grad_output, args.input, static_cast<int>(args.axis), args.p, args.eps});
}

}  // namespace impl::DIOPI_VENDOR

#include "functions/norm_instance.hpp"

#endif  // IMPL_COMMON_FAMILIES_NORM_INSTANCE_HPP_
