// SPDX-License-Identifier: BSD-3-Clause
// Circular and hyperbolic functions of float and double, and their inverses.
#include "impl/cpu/pointwise/unary.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "impl/cpu/pointwise/unary_trigonometric.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>
#include "impl/cpu/math/math-inl.h"
#include "impl/cpu/simd/vector_loops-inl.h"

HWY_BEFORE_NAMESPACE();
namespace impl::cpu {
namespace HWY_NAMESPACE {

IMPL_CPU_VECTOR_FUNCTION(Sin);
IMPL_CPU_VECTOR_FUNCTION(Cos);
IMPL_CPU_VECTOR_FUNCTION(Tan);
IMPL_CPU_VECTOR_FUNCTION(Asin);
IMPL_CPU_VECTOR_FUNCTION(Acos);
IMPL_CPU_VECTOR_FUNCTION(Atan);
IMPL_CPU_VECTOR_FUNCTION(Sinh);
IMPL_CPU_VECTOR_FUNCTION(Cosh);
IMPL_CPU_VECTOR_FUNCTION(Tanh);
IMPL_CPU_VECTOR_FUNCTION(Asinh);
IMPL_CPU_VECTOR_FUNCTION(Acosh);
IMPL_CPU_VECTOR_FUNCTION(Atanh);

BlockFn GetTrigonometric(UnaryOp op, diopiDtype_t dtype) {
  switch (op) {
    case UnaryOp::kSin:
      return real_vector_loop1<SinFn>(dtype);
    case UnaryOp::kCos:
      return real_vector_loop1<CosFn>(dtype);
    case UnaryOp::kTan:
      return real_vector_loop1<TanFn>(dtype);
    case UnaryOp::kAsin:
      return real_vector_loop1<AsinFn>(dtype);
    case UnaryOp::kAcos:
      return real_vector_loop1<AcosFn>(dtype);
    case UnaryOp::kAtan:
      return real_vector_loop1<AtanFn>(dtype);
    case UnaryOp::kSinh:
      return real_vector_loop1<SinhFn>(dtype);
    case UnaryOp::kCosh:
      return real_vector_loop1<CoshFn>(dtype);
    case UnaryOp::kTanh:
      return real_vector_loop1<TanhFn>(dtype);
    case UnaryOp::kAsinh:
      return real_vector_loop1<AsinhFn>(dtype);
    case UnaryOp::kAcosh:
      return real_vector_loop1<AcoshFn>(dtype);
    case UnaryOp::kAtanh:
      return real_vector_loop1<AtanhFn>(dtype);
    default:
      return nullptr;
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace impl::cpu
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace impl::cpu {
HWY_EXPORT(GetTrigonometric);

BlockFn trigonometric_kernel(UnaryOp op, diopiDtype_t dtype) {
  return HWY_DYNAMIC_DISPATCH(GetTrigonometric)(op, dtype);
}
}  // namespace impl::cpu
#endif
