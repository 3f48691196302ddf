// SPDX-License-Identifier: BSD-3-Clause
// The functions of float16 and bfloat16 that networks use most.
#include "impl/cpu/pointwise/half.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "impl/cpu/pointwise/half_functions.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>
#include "impl/cpu/math/exp-inl.h"
#include "impl/cpu/math/log-inl.h"
#include "impl/cpu/pointwise/activation_functions-inl.h"
#include "impl/cpu/simd/half_loops-inl.h"
#include "impl/cpu/simd/vector_loops-inl.h"

HWY_BEFORE_NAMESPACE();
namespace impl::cpu {
namespace HWY_NAMESPACE {

IMPL_CPU_VECTOR_FUNCTION(Exp);
IMPL_CPU_VECTOR_FUNCTION(Log);
IMPL_CPU_VECTOR_FUNCTION(Tanh);

BlockFn GetHalfFunction(UnaryOp op, diopiDtype_t dtype) {
  switch (op) {
    case UnaryOp::kExp:
      return any_half_loop1<ExpFn>(dtype);
    case UnaryOp::kLog:
      return any_half_loop1<LogFn>(dtype);
    case UnaryOp::kTanh:
      return any_half_loop1<TanhFn>(dtype);
    case UnaryOp::kSigmoid:
      return any_half_loop1<SigmoidFn>(dtype);
    case UnaryOp::kSilu:
      return any_half_loop1<SiluFn>(dtype);
    case UnaryOp::kGelu:
      return any_half_loop1<RoughGeluFn>(dtype);
    case UnaryOp::kGeluTanh:
      return any_half_loop1<GeluTanhFn>(dtype);
    case UnaryOp::kHardswish:
      return any_half_loop1<HardswishFn>(dtype);
    default:
      return nullptr;
  }
}

BlockFn GetHalfGradient(ActivationGradient op, diopiDtype_t dtype) {
  switch (op) {
    case ActivationGradient::kTanh:
      return any_half_loop2<TanhGradientFn>(dtype);
    case ActivationGradient::kSigmoid:
      return any_half_loop2<SigmoidGradientFn>(dtype);
    case ActivationGradient::kSilu:
      return any_half_loop2<SiluGradientFn>(dtype);
    case ActivationGradient::kGelu:
      return any_half_loop2<GeluGradientFn>(dtype);
    default:
      return nullptr;
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace impl::cpu
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace impl::cpu {
HWY_EXPORT(GetHalfFunction);
HWY_EXPORT(GetHalfGradient);

BlockFn half_unary_kernel(UnaryOp op, diopiDtype_t dtype) {
  const BlockFn simple = simple_half_kernel(op, dtype);
  return simple != nullptr ? simple : HWY_DYNAMIC_DISPATCH(GetHalfFunction)(op, dtype);
}
BlockFn half_gradient_kernel(ActivationGradient op, diopiDtype_t dtype) {
  if (!diopi::is_reduced_float(dtype)) return nullptr;
  const BlockFn fn = HWY_DYNAMIC_DISPATCH(GetHalfGradient)(op, dtype);
  return fn != nullptr ? fn : choice_gradient_kernel(op, dtype);
}
}  // namespace impl::cpu
#endif
