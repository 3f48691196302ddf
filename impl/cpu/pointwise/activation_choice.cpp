// SPDX-License-Identifier: BSD-3-Clause
// Activations whose result is the operand, a multiple of it or a constant; and their gradients.
#include <cstring>

#include "impl/common/kernel_table.hpp"
#include "impl/cpu/pointwise/activation.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "impl/cpu/pointwise/activation_choice.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>
#include "impl/cpu/math/common-inl.h"
#include "impl/cpu/simd/block_loops-inl.h"
#include "impl/cpu/simd/half_loops-inl.h"
#include "impl/cpu/simd/vector_loops-inl.h"

HWY_BEFORE_NAMESPACE();
namespace impl::cpu {
namespace HWY_NAMESPACE {

// Vector functions for floating point, with both parameters as vectors. The activations return NaN for NaN. At a NaN
// operand, Hardtanh and Threshold pass the whole gradient, and LeakyRelu passes the gradient times the slope.
struct HardtanhFn {
  template <class V>
  HWY_INLINE V operator()(V a, V low, V high) const {
    return AtMost(high, AtLeast(low, a));
  }
};
struct ThresholdFn {
  template <class V>
  HWY_INLINE V operator()(V a, V threshold, V value) const {
    return hn::IfThenElse(hn::Le(a, threshold), value, a);
  }
};
struct LeakyReluFn {
  template <class V>
  HWY_INLINE V operator()(V a, V slope, V zero) const {
    return hn::IfThenElse(hn::Gt(a, zero), a, hn::Mul(a, slope));
  }
};
struct HardtanhGradientFn {
  template <class V>
  HWY_INLINE V operator()(V grad, V a, V low, V high) const {
    return hn::IfThenZeroElse(hn::Or(hn::Le(a, low), hn::Ge(a, high)), grad);
  }
};
struct ThresholdGradientFn {
  template <class V>
  HWY_INLINE V operator()(V grad, V a, V threshold, V) const {
    return hn::IfThenZeroElse(hn::Le(a, threshold), grad);
  }
};
struct LeakyReluGradientFn {
  template <class V>
  HWY_INLINE V operator()(V grad, V a, V slope, V zero) const {
    return hn::IfThenElse(hn::Gt(a, zero), grad, hn::Mul(grad, slope));
  }
};

// Functions for integers, used in plain loops.
struct HardtanhOp {
  template <typename T>
  static T apply(T a, T low, T high) {
    const T raised = a < low ? low : a;
    return raised > high ? high : raised;
  }
};
struct ThresholdOp {
  template <typename T>
  static T apply(T a, T threshold, T value) {
    return a <= threshold ? value : a;
  }
};
struct ThresholdGradientOp {
  template <typename T>
  static T apply(T grad, T a, T threshold, T) {
    return a <= threshold ? T(0) : grad;
  }
};

template <typename T>
T parameter(const void* params, int i) {
  T value;
  std::memcpy(&value, static_cast<const char*>(params) + i * sizeof(T), sizeof(T));
  return value;
}

// Loops over float and double, and over float16 and bfloat16, whose parameters are floats.
template <class F>
struct Vectors1 {
  template <typename T>
  static void run(void* const* out, const void* const* in, int64_t n, const void* params) {
    const TagOf<T> d;
    const auto first = hn::Set(d, parameter<ComputeOf<T>>(params, 0));
    const auto second = hn::Set(d, parameter<ComputeOf<T>>(params, 1));
    if constexpr (sizeof(T) == 2) {
      map_half<T>(out[0], in, n, [&](auto load) { return F{}(load(0), first, second); });
    } else {
      map_vectors(d, static_cast<T*>(out[0]), n, [&](auto load) { return F{}(load(in[0]), first, second); });
    }
  }
};
template <class F>
struct Vectors2 {
  template <typename T>
  static void run(void* const* out, const void* const* in, int64_t n, const void* params) {
    const TagOf<T> d;
    const auto first = hn::Set(d, parameter<ComputeOf<T>>(params, 0));
    const auto second = hn::Set(d, parameter<ComputeOf<T>>(params, 1));
    if constexpr (sizeof(T) == 2) {
      map_half<T>(out[0], in, n, [&](auto load) { return F{}(load(0), load(1), first, second); });
    } else {
      map_vectors(d, static_cast<T*>(out[0]), n,
                  [&](auto load) { return F{}(load(in[0]), load(in[1]), first, second); });
    }
  }
};
template <class Op>
struct Loop1 {
  template <typename T>
  static void run(void* const* out, const void* const* in, int64_t n, const void* params) {
    T* o = static_cast<T*>(out[0]);
    const T* a = static_cast<const T*>(in[0]);
    const T first = parameter<T>(params, 0), second = parameter<T>(params, 1);
    IMPL_CPU_INDEPENDENT
    for (int64_t i = 0; i < n; ++i) o[i] = Op::apply(a[i], first, second);
  }
};
template <class Op>
struct Loop2 {
  template <typename T>
  static void run(void* const* out, const void* const* in, int64_t n, const void* params) {
    T* o = static_cast<T*>(out[0]);
    const T* grad = static_cast<const T*>(in[0]);
    const T* a = static_cast<const T*>(in[1]);
    const T first = parameter<T>(params, 0), second = parameter<T>(params, 1);
    IMPL_CPU_INDEPENDENT
    for (int64_t i = 0; i < n; ++i) o[i] = Op::apply(grad[i], a[i], first, second);
  }
};

template <class Loop>
BlockFn for_floating(diopiDtype_t dtype) {
  if (dtype == diopi_dtype_float32) return Loop::template run<float>;
  if (dtype == diopi_dtype_float64) return Loop::template run<double>;
  if (dtype == diopi_dtype_float16) return Loop::template run<diopi::float16>;
  if (dtype == diopi_dtype_bfloat16) return Loop::template run<diopi::bfloat16>;
  return nullptr;
}

template <class Loop>
BlockFn for_signed(diopiDtype_t dtype) {
  return diopi::kernel_for<diopi::TypeList<int8_t, int16_t, int32_t, int64_t>>(
      dtype, [](auto tag) { return Loop::template run<diopi::tagged<decltype(tag)>>; });
}

template <class Loop>
BlockFn for_unsigned(diopiDtype_t dtype) {
  return diopi::kernel_for<diopi::TypeList<uint8_t, uint16_t, uint32_t, uint64_t>>(
      dtype, [](auto tag) { return Loop::template run<diopi::tagged<decltype(tag)>>; });
}

BlockFn any_of(BlockFn a, BlockFn b, BlockFn c = nullptr) { return a != nullptr ? a : b != nullptr ? b : c; }

BlockFn GetParametricActivation(ParametricActivation op, diopiDtype_t dtype) {
  switch (op) {
    case ParametricActivation::kHardtanh:
      return any_of(for_floating<Vectors1<HardtanhFn>>(dtype), for_signed<Loop1<HardtanhOp>>(dtype),
                    for_unsigned<Loop1<HardtanhOp>>(dtype));
    case ParametricActivation::kThreshold:
      return any_of(for_floating<Vectors1<ThresholdFn>>(dtype), for_signed<Loop1<ThresholdOp>>(dtype),
                    for_unsigned<Loop1<ThresholdOp>>(dtype));
    case ParametricActivation::kLeakyRelu:
      return for_floating<Vectors1<LeakyReluFn>>(dtype);
  }
  return nullptr;
}

BlockFn GetChoiceGradient(ActivationGradient op, diopiDtype_t dtype) {
  switch (op) {
    case ActivationGradient::kHardtanh:
      return for_floating<Vectors2<HardtanhGradientFn>>(dtype);
    case ActivationGradient::kThreshold:
      return any_of(for_floating<Vectors2<ThresholdGradientFn>>(dtype), for_signed<Loop2<ThresholdGradientOp>>(dtype),
                    for_unsigned<Loop2<ThresholdGradientOp>>(dtype));
    case ActivationGradient::kLeakyRelu:
      return for_floating<Vectors2<LeakyReluGradientFn>>(dtype);
    default:
      return nullptr;
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace impl::cpu
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace impl::cpu {
HWY_EXPORT(GetParametricActivation);
HWY_EXPORT(GetChoiceGradient);

BlockFn parametric_activation_kernel(ParametricActivation op, diopiDtype_t dtype) {
  return HWY_DYNAMIC_DISPATCH(GetParametricActivation)(op, dtype);
}

BlockFn choice_gradient_kernel(ActivationGradient op, diopiDtype_t dtype) {
  return HWY_DYNAMIC_DISPATCH(GetChoiceGradient)(op, dtype);
}

BlockFn activation_gradient_kernel(ActivationGradient op, diopiDtype_t dtype) {
  if (diopi::is_complex(dtype)) return complex_gradient_kernel(op, dtype);
  const BlockFn fn = smooth_gradient_kernel(op, dtype);
  return fn != nullptr ? fn : choice_gradient_kernel(op, dtype);
}
}  // namespace impl::cpu
#endif
