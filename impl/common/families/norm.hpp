// SPDX-License-Identifier: BSD-3-Clause
// Vector norms and their gradient. impl/<vendor>/functions/norm.cpp includes this file.
#ifndef IMPL_COMMON_FAMILIES_NORM_HPP_
#define IMPL_COMMON_FAMILIES_NORM_HPP_

#include "arguments/norm.hpp"
#include "impl/common/engine/norm_vector.hpp"
#include "impl/common/families/magnitudes.hpp"
#include "impl/common/families/requested_dtype.hpp"

namespace impl::DIOPI_VENDOR {

// Whether there is a norm of no elements: it is 0, but not for these orders.
inline bool needs_elements(double p) { return p < 0 || std::isinf(p); }

inline double order_of(const diopiScalar_t* p) { return p == nullptr ? 2 : diopi::scalar_as<double>(*p); }

inline Status vector_norm(diopiContextHandle_t ctx, const TensorView& out, const TensorView& input, uint32_t mask,
                          double p) {
  if (needs_elements(p)) DIOPI_TRY(diopi::require_nonempty_reduction(input, mask));
  TensorView in = input;
  if (diopi::is_complex(input.dtype)) {
    DIOPI_TRY(diopi::require_writable(out));
    DIOPI_TRY(take_magnitudes(ctx, out.dtype, &in));
  } else {
    DIOPI_TRY(convert_to_requested(ctx, out.dtype, &in));
  }
  return run_vector_norm(ctx, out, in, mask, p);
}

inline Status run(diopiContextHandle_t ctx, diopi::NormArgs& args) {
  return vector_norm(ctx, args.out, args.input, args.reduced, order_of(args.p));
}

inline Status run(diopiContextHandle_t ctx, diopi::LinalgVecNormArgs& args) {
  return vector_norm(ctx, args.out, args.input, args.reduced, order_of(args.ord));
}

// The view with extent 1 for each reduced dimension.
inline TensorView with_reduced_dims(TensorView view, int ndim, uint32_t mask) {
  if (view.ndim() == ndim) return view;
  if (view.ndim() == 1 && mask == (1u << ndim) - 1) view = view.select(0, 0);  // a result of shape [1]
  for (int i = 0; i < ndim; ++i) {
    if ((mask >> i & 1) != 0) view = view.unsqueeze(i);
  }
  return view;
}

inline Status run(diopiContextHandle_t ctx, diopi::NormBackwardArgs& args) {
  DIOPI_TRY(diopi::require_writable(args.grad_input));
  const int ndim = args.self.ndim();
  const TensorView norm = with_reduced_dims(args.norm, ndim, args.reduced);
  const TensorView grad_output = with_reduced_dims(args.grad_output, ndim, args.reduced);
  return run_vector_norm_backward(ctx, {args.grad_input, grad_output, args.self, norm, args.reduced, order_of(args.p)});
}

}  // namespace impl::DIOPI_VENDOR

#include "functions/norm.hpp"

#endif  // IMPL_COMMON_FAMILIES_NORM_HPP_
