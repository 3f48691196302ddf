// Activations that choose between their operand, a line through 0 and constants; and their gradients.
#include <cstring>
#include <type_traits>

#include "impl/cpu/kernels/activation.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "impl/cpu/kernels/activation_choice.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"
#include "impl/cpu/kernels/block_loops-inl.h"

HWY_BEFORE_NAMESPACE();
namespace impl::cpu {
namespace HWY_NAMESPACE {

// NaN passes through each of these.
struct HardtanhOp {
  template <typename T>
  static T apply(T a, const T* p) {
    const T raised = a < p[0] ? p[0] : a;
    return raised > p[1] ? p[1] : raised;
  }
};
struct ThresholdOp {
  template <typename T>
  static T apply(T a, const T* p) {
    return a <= p[0] ? p[1] : a;
  }
};
struct LeakyReluOp {
  template <typename T>
  static T apply(T a, const T* p) {
    return a > T(0) ? a : a * p[0];
  }
};

// For NaN these pass the gradient, but for the last.
struct HardtanhGradientOp {
  template <typename T>
  static T apply(T grad, T a, const T* p) {
    return a <= p[0] || a >= p[1] ? T(0) : grad;
  }
};
struct ThresholdGradientOp {
  template <typename T>
  static T apply(T grad, T a, const T* p) {
    return a <= p[0] ? T(0) : grad;
  }
};
struct LeakyReluGradientOp {
  template <typename T>
  static T apply(T grad, T a, const T* p) {
    return a > T(0) ? grad : grad * p[0];
  }
};

template <class Op, typename T>
void choice_loop1(void* const* out, const void* const* in, int64_t n, const void* params) {
  T* o = static_cast<T*>(out[0]);
  const T* a = static_cast<const T*>(in[0]);
  T p[2];
  std::memcpy(p, params, sizeof(p));
  IMPL_CPU_INDEPENDENT
  for (int64_t i = 0; i < n; ++i) o[i] = Op::apply(a[i], p);
}

template <class Op, typename T>
void choice_loop2(void* const* out, const void* const* in, int64_t n, const void* params) {
  T* o = static_cast<T*>(out[0]);
  const T* grad = static_cast<const T*>(in[0]);
  const T* a = static_cast<const T*>(in[1]);
  T p[2];
  std::memcpy(p, params, sizeof(p));
  IMPL_CPU_INDEPENDENT
  for (int64_t i = 0; i < n; ++i) o[i] = Op::apply(grad[i], a[i], p);
}

template <class Op>
struct Loop1 {
  template <typename T>
  static constexpr BlockFn kFn = choice_loop1<Op, T>;
};
template <class Op>
struct Loop2 {
  template <typename T>
  static constexpr BlockFn kFn = choice_loop2<Op, T>;
};

template <class Loop>
BlockFn for_floating(diopiDtype_t dtype) {
  switch (dtype) {
    case diopi_dtype_float32:
      return Loop::template kFn<float>;
    case diopi_dtype_float64:
      return Loop::template kFn<double>;
    default:
      return nullptr;
  }
}

template <class Loop>
BlockFn for_signed(diopiDtype_t dtype) {
  switch (dtype) {
    case diopi_dtype_int8:
      return Loop::template kFn<int8_t>;
    case diopi_dtype_int16:
      return Loop::template kFn<int16_t>;
    case diopi_dtype_int32:
      return Loop::template kFn<int32_t>;
    case diopi_dtype_int64:
      return Loop::template kFn<int64_t>;
    default:
      return for_floating<Loop>(dtype);
  }
}

template <class Loop>
BlockFn for_real(diopiDtype_t dtype) {
  switch (dtype) {
    case diopi_dtype_uint8:
      return Loop::template kFn<uint8_t>;
    case diopi_dtype_uint16:
      return Loop::template kFn<uint16_t>;
    case diopi_dtype_uint32:
      return Loop::template kFn<uint32_t>;
    case diopi_dtype_uint64:
      return Loop::template kFn<uint64_t>;
    default:
      return for_signed<Loop>(dtype);
  }
}

BlockFn GetParametricActivation(ParametricActivation op, diopiDtype_t dtype) {
  switch (op) {
    case ParametricActivation::kHardtanh:
      return for_signed<Loop1<HardtanhOp>>(dtype);
    case ParametricActivation::kThreshold:
      return for_real<Loop1<ThresholdOp>>(dtype);
    case ParametricActivation::kLeakyRelu:
      return for_floating<Loop1<LeakyReluOp>>(dtype);
  }
  return nullptr;
}

BlockFn GetChoiceGradient(ActivationGradient op, diopiDtype_t dtype) {
  switch (op) {
    case ActivationGradient::kHardtanh:
      return for_floating<Loop2<HardtanhGradientOp>>(dtype);
    case ActivationGradient::kThreshold:
      return for_real<Loop2<ThresholdGradientOp>>(dtype);
    case ActivationGradient::kLeakyRelu:
      return for_floating<Loop2<LeakyReluGradientOp>>(dtype);
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

BlockFn activation_gradient_kernel(ActivationGradient op, diopiDtype_t dtype) {
  if (diopi::is_complex(dtype)) return complex_gradient_kernel(op, dtype);
  const BlockFn fn = smooth_gradient_kernel(op, dtype);
  return fn != nullptr ? fn : HWY_DYNAMIC_DISPATCH(GetChoiceGradient)(op, dtype);
}
}  // namespace impl::cpu
#endif
