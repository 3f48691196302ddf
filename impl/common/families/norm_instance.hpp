// SPDX-License-Identifier: BSD-3-Clause
// Instance normalisation, scaling to unit norm, and their gradients. impl/<vendor>/functions/norm_instance.cpp includes
// this file.
#ifndef IMPL_COMMON_FAMILIES_NORM_INSTANCE_HPP_
#define IMPL_COMMON_FAMILIES_NORM_INSTANCE_HPP_

#include "arguments/norm_instance.hpp"
#include "impl/common/engine/fill.hpp"
#include "impl/common/engine/norm.hpp"
#include "impl/common/engine/norm_vector.hpp"
#include "impl/common/families/magnitudes.hpp"
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

// As run_normalize() for complex numbers; the norms are those of their magnitudes.
inline Status normalize_complex(diopiContextHandle_t ctx, const NormalizeProblem& p) {
  DIOPI_TRY(diopi::require_writable(p.out));
  const bool wide = p.out.dtype == diopi_dtype_complex128 || p.input.dtype == diopi_dtype_complex128 ||
                    p.input.dtype == diopi_dtype_float64;
  const diopiDtype_t dtype = wide ? diopi_dtype_complex128 : diopi_dtype_complex64;
  TensorView in = p.input, norm, bound;
  if (in.dtype != dtype) {
    DIOPI_TRY(diopi::make_temporary(ctx, in.shape, dtype, in.name, &in));
    DIOPI_TRY(copy(ctx, in, p.input));
  }
  diopi::Dims shape = in.shape;
  if (in.ndim() > 0) shape[p.axis] = 1;
  TensorView magnitudes = in;
  DIOPI_TRY(take_magnitudes(ctx, diopi::real_dtype(dtype), &magnitudes));
  DIOPI_TRY(diopi::make_temporary(ctx, shape, magnitudes.dtype, "norm", &norm));
  DIOPI_TRY(run_vector_norm(ctx, norm, magnitudes, in.ndim() == 0 ? 0 : 1u << p.axis, p.p));
  DIOPI_TRY(diopi::make_temporary(ctx, diopi::Dims(), norm.dtype, "eps", &bound));
  diopiScalar_t eps{};
  eps.stype = diopi_dtype_float64;
  eps.fval = p.eps;
  DIOPI_TRY(fill(ctx, bound, eps));
  DIOPI_TRY(run_binary(ctx, BinaryOp::kMaximum, norm, norm, bound, norm.dtype));
  return run_binary(ctx, BinaryOp::kDiv, p.out, in, norm, dtype);
}

inline Status run(diopiContextHandle_t ctx, diopi::NormalizeArgs& args) {
  if (diopi::is_complex(args.output.dtype)) {
    return normalize_complex(ctx, {args.output, args.input, static_cast<int>(args.axis), args.p, args.eps});
  }
  return run_normalize(ctx, {args.output, args.input, static_cast<int>(args.axis), args.p, args.eps});
}

inline Status run(diopiContextHandle_t ctx, diopi::NormalizeBackwardArgs& args) {
  return run_normalize_backward(
      ctx, {args.grad_input, args.grad_output, args.input, static_cast<int>(args.axis), args.p, args.eps});
}

}  // namespace impl::DIOPI_VENDOR

#include "functions/norm_instance.hpp"

#endif  // IMPL_COMMON_FAMILIES_NORM_INSTANCE_HPP_
