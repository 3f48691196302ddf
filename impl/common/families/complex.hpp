// SPDX-License-Identifier: BSD-3-Clause
// Complex tensors from parts, and parts of complex tensors. impl/<vendor>/functions/complex.cpp includes this file.
#ifndef IMPL_COMMON_FAMILIES_COMPLEX_HPP_
#define IMPL_COMMON_FAMILIES_COMPLEX_HPP_

#include "arguments/complex.hpp"
#include "impl/common/engine/complex.hpp"
#include "impl/common/engine/copy.hpp"

namespace impl::DIOPI_VENDOR {

inline Status run(diopiContextHandle_t ctx, diopi::ComplexArgs& args) {
  DIOPI_TRY(diopi::require_writable(args.out));
  return make_complex(ctx, args.out, args.real, args.imag);
}

inline Status run(diopiContextHandle_t ctx, diopi::PolarArgs& args) {
  DIOPI_TRY(diopi::require_writable(args.out));
  return make_polar(ctx, args.out, args.abs, args.angle);
}

inline Status run(diopiContextHandle_t ctx, diopi::ConjArgs& args) {
  DIOPI_TRY(diopi::require_writable(args.out));
  if (!diopi::is_complex(args.input.dtype)) return copy(ctx, args.out, args.input);
  return conjugate(ctx, args.out, args.input);
}

inline Status run(diopiContextHandle_t ctx, diopi::RealArgs& args) {
  DIOPI_TRY(diopi::require_writable(args.out));
  return copy(ctx, args.out, diopi::is_complex(args.input.dtype) ? diopi::real_parts(args.input) : args.input);
}

inline Status run(diopiContextHandle_t ctx, diopi::ImagArgs& args) {
  DIOPI_TRY(diopi::require_writable(args.out));
  TensorView imaginary = diopi::real_parts(args.input);
  imaginary.data += imaginary.itemsize();
  return copy(ctx, args.out, imaginary);
}

}  // namespace impl::DIOPI_VENDOR

#include "functions/complex.hpp"

#endif  // IMPL_COMMON_FAMILIES_COMPLEX_HPP_
