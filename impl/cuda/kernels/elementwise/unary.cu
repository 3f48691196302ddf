// SPDX-License-Identifier: BSD-3-Clause
#include "impl/cuda/kernels/elementwise/unary.hpp"

#include "impl/cuda/kernels/elementwise/map.cuh"
#include "impl/cuda/kernels/elementwise/real_functions.cuh"

namespace impl::cuda {

namespace {

template <typename T>
__device__ constexpr bool is_negative(T x) {
  if constexpr (std::is_unsigned_v<T>) {
    return false;
  } else {
    return x < T(0);
  }
}

// Operations whose results are exact. The sign of NaN is 0.
template <typename T>
__device__ T exact_number(UnaryOp op, T x) {
  using U = typename diopi::detail::SameBits<T>::type;
  switch (op) {
    case UnaryOp::kAbs:
      return is_negative(x) ? static_cast<T>(U(0) - static_cast<U>(x)) : x;
    case UnaryOp::kNeg:
      return static_cast<T>(U(0) - static_cast<U>(x));
    case UnaryOp::kSign:
    case UnaryOp::kSgn:
      return static_cast<T>((x > T(0)) - is_negative(x));
    case UnaryOp::kRelu:
      return is_negative(x) ? T(0) : x;
    default:  // kFloor, kCeil
      return x;
  }
}

// The sign of zero counts: relu(-0) is -0.
template <typename T>
__device__ T exact_value(UnaryOp op, T x) {
  if constexpr (std::is_same_v<T, bool>) {
    return x;
  } else if constexpr (std::is_integral_v<T>) {
    return exact_number(op, x);
  } else {
    if (op == UnaryOp::kAbs) return std::fabs(x);
    if (op == UnaryOp::kNeg) return -x;
    if (op == UnaryOp::kFloor) return std::floor(x);
    return op == UnaryOp::kCeil ? std::ceil(x) : exact_number(op, x);
  }
}

template <typename T>
__device__ T exponential_value(UnaryOp op, T x) {
  switch (op) {
    case UnaryOp::kReciprocal:
      return T(1) / x;
    case UnaryOp::kSqrt:
      return std::sqrt(x);
    case UnaryOp::kRsqrt:
      return T(1) / std::sqrt(x);
    case UnaryOp::kExp:
      return std::exp(x);
    case UnaryOp::kExpm1:
      return std::expm1(x);
    case UnaryOp::kLog:
      return std::log(x);
    case UnaryOp::kLog2:
      return std::log2(x);
    case UnaryOp::kLog10:
      return std::log10(x);
    case UnaryOp::kLog1p:
      return std::log1p(x);
    case UnaryOp::kErf:
      return std::erf(x);
    default:  // kErfinv
      return static_cast<T>(erfinv(static_cast<double>(x)));
  }
}

template <typename T>
__device__ T trigonometric_value(UnaryOp op, T x) {
  switch (op) {
    case UnaryOp::kSin:
      return std::sin(x);
    case UnaryOp::kCos:
      return std::cos(x);
    case UnaryOp::kTan:
      return static_cast<T>(std::tan(static_cast<double>(x)));
    case UnaryOp::kAsin:
      return std::asin(x);
    case UnaryOp::kAcos:
      return std::acos(x);
    case UnaryOp::kAtan:
      return std::atan(x);
    case UnaryOp::kSinh:
      return static_cast<T>(std::sinh(static_cast<double>(x)));
    case UnaryOp::kCosh:
      return std::cosh(x);
    case UnaryOp::kTanh:
      return std::tanh(x);
    case UnaryOp::kAsinh:
      return std::asinh(x);
    case UnaryOp::kAcosh:
      return std::acosh(x);
    default:  // kAtanh
      return static_cast<T>(std::atanh(static_cast<double>(x)));
  }
}

template <typename T>
__device__ T activation_value(UnaryOp op, T x) {
  switch (op) {
    case UnaryOp::kSigmoid:
      return sigmoid(x);
    case UnaryOp::kSilu:
      return static_cast<T>(silu(static_cast<double>(x)));
    case UnaryOp::kGelu:
      return static_cast<T>(gelu(static_cast<double>(x)));
    case UnaryOp::kGeluTanh:
      return static_cast<T>(gelu_tanh(static_cast<double>(x)));
    default:
      return hardswish(x);
  }
}

// The activations that are computed in double for float, for elements and results of 16 bits.
struct ReducedActivation {
  static constexpr bool kGivesBool = false;
  UnaryOp op;

  static bool has(const MapCall& call, UnaryOp op) {
    return diopi::dtype_size(call.out.dtype) == 2 && diopi::dtype_size(call.in[0].dtype) == 2 &&
           (op == UnaryOp::kSilu || op == UnaryOp::kGelu || op == UnaryOp::kGeluTanh);
  }
  __device__ float operator()(const float (&in)[1]) const {
    if (op == UnaryOp::kSilu) return silu(in[0]);
    return op == UnaryOp::kGelu ? gelu(in[0]) : gelu_tanh(in[0]);
  }
};

// Which of the functions above computes an operation.
enum class Group { kExact, kExponential, kTrigonometric, kActivation };

constexpr Group group_of(UnaryOp op) {
  if (op >= UnaryOp::kSin && op <= UnaryOp::kAtanh) return Group::kTrigonometric;
  if (op <= UnaryOp::kRelu) return Group::kExact;
  if (op <= UnaryOp::kHardswish || op == UnaryOp::kSigmoid) return Group::kActivation;
  return Group::kExponential;
}

template <typename T, Group kGroup>
struct Unary {
  static constexpr bool kGivesBool = false;
  UnaryOp op;
  __device__ T operator()(const T (&in)[1]) const {
    if constexpr (kGroup == Group::kExact) {
      return exact_value(op, in[0]);
    } else if constexpr (kGroup == Group::kExponential) {
      return exponential_value(op, in[0]);
    } else if constexpr (kGroup == Group::kTrigonometric) {
      return trigonometric_value(op, in[0]);
    } else {
      return activation_value(op, in[0]);
    }
  }
};

using ExactNumbers =
    diopi::TypeList<bool, int8_t, uint8_t, int16_t, uint16_t, int32_t, uint32_t, int64_t, uint64_t, float, double>;

template <class Numbers, Group kGroup>
Status launch_group(const MapCall& call, UnaryOp op, diopiDtype_t dtype) {
  return diopi::visit_dtype<Numbers>(dtype, [&](auto tag) -> Status {
    using T = diopi::tagged<decltype(tag)>;
    return launch_map<Unary<T, kGroup>, T, 1>(call, Unary<T, kGroup>{op});
  });
}

}  // namespace

bool has_unary(UnaryOp op, diopiDtype_t dtype) {
  if (dtype == diopi_dtype_bool) return op == UnaryOp::kAbs || op == UnaryOp::kSign || op == UnaryOp::kSgn;
  if (diopi::is_integral(dtype)) return group_of(op) == Group::kExact;
  if (diopi::is_complex(dtype)) return has_complex(op);
  return dtype == diopi_dtype_float32 || dtype == diopi_dtype_float64;
}

Status launch_unary(const MapCall& call, UnaryOp op, diopiDtype_t dtype) {
  using Floating = diopi::TypeList<float, double>;
  if (diopi::is_complex(dtype)) return launch_complex_unary(call, op, dtype);
  if (dtype == diopi_dtype_float32 && !call.idle && ReducedActivation::has(call, op)) {
    return launch_map<ReducedActivation, float, 1>(call, ReducedActivation{op});
  }
  switch (group_of(op)) {
    case Group::kExact:
      return launch_group<ExactNumbers, Group::kExact>(call, op, dtype);
    case Group::kExponential:
      return launch_group<Floating, Group::kExponential>(call, op, dtype);
    case Group::kTrigonometric:
      return launch_group<Floating, Group::kTrigonometric>(call, op, dtype);
    default:
      return launch_group<Floating, Group::kActivation>(call, op, dtype);
  }
}

}  // namespace impl::cuda
