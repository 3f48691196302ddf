// SPDX-License-Identifier: BSD-3-Clause
#include "impl/common/families/complex.hpp"

#include "impl/cpu/engine/elementwise/elementwise.hpp"
#include "impl/cpu/pointwise/complex_parts.hpp"

namespace impl::cpu {

namespace {

Status run_parts(diopiContextHandle_t ctx, BlockFn fn, const TensorView& out, const TensorView& a,
                 const TensorView& b) {
  const TensorView in[] = {a, b};
  return run_elementwise(ctx, mixed_kernel(fn, a.dtype, 2, out.dtype), &out, in);
}

}  // namespace

Status make_complex(diopiContextHandle_t ctx, const TensorView& out, const TensorView& real, const TensorView& imag) {
  return run_parts(ctx, complex_kernel(real.dtype), out, real, imag);
}

Status make_polar(diopiContextHandle_t ctx, const TensorView& out, const TensorView& abs, const TensorView& angle) {
  return run_parts(ctx, polar_kernel(abs.dtype), out, abs, angle);
}

Status conjugate(diopiContextHandle_t ctx, const TensorView& out, const TensorView& in) {
  return run_elementwise(ctx, uniform_kernel(conjugate_kernel(in.dtype), in.dtype, 1), &out, &in);
}

}  // namespace impl::cpu
