// SPDX-License-Identifier: BSD-3-Clause
// Sigmoid, Silu, Gelu and Hardswish of float and double, and the gradients that share their vector functions.
#include "impl/cpu/pointwise/activation.hpp"
#include "impl/cpu/pointwise/unary.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "impl/cpu/pointwise/activation_smooth.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>
#include "impl/cpu/pointwise/activation_functions-inl.h"

HWY_BEFORE_NAMESPACE();
namespace impl::cpu {
namespace HWY_NAMESPACE {

BlockFn GetActivation(UnaryOp op, diopiDtype_t dtype) {
  switch (op) {
    case UnaryOp::kSigmoid:
      return real_vector_loop1<SigmoidFn>(dtype);
    case UnaryOp::kSilu:
      return real_vector_loop1<SiluFn>(dtype);
    case UnaryOp::kGelu:
      return real_vector_loop1<GeluFn>(dtype);
    case UnaryOp::kGeluTanh:
      return real_vector_loop1<GeluTanhFn>(dtype);
    case UnaryOp::kHardswish:
      return real_vector_loop1<HardswishFn>(dtype);
    default:
      return nullptr;
  }
}

BlockFn GetSmoothGradient(ActivationGradient op, diopiDtype_t dtype) {
  switch (op) {
    case ActivationGradient::kTanh:
      return real_vector_loop2<TanhGradientFn>(dtype);
    case ActivationGradient::kSigmoid:
      return real_vector_loop2<SigmoidGradientFn>(dtype);
    case ActivationGradient::kSilu:
      return real_vector_loop2<SiluGradientFn>(dtype);
    case ActivationGradient::kGelu:
      return real_vector_loop2<GeluGradientFn>(dtype);
    case ActivationGradient::kGeluTanh:
      return real_vector_loop2<GeluTanhGradientFn>(dtype);
    case ActivationGradient::kHardswish:
      return real_vector_loop2<HardswishGradientFn>(dtype);
    default:
      return nullptr;
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace impl::cpu
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace impl::cpu {
HWY_EXPORT(GetActivation);
HWY_EXPORT(GetSmoothGradient);

BlockFn activation_kernel(UnaryOp op, diopiDtype_t dtype) { return HWY_DYNAMIC_DISPATCH(GetActivation)(op, dtype); }

BlockFn smooth_gradient_kernel(ActivationGradient op, diopiDtype_t dtype) {
  return HWY_DYNAMIC_DISPATCH(GetSmoothGradient)(op, dtype);
}
}  // namespace impl::cpu
#endif
