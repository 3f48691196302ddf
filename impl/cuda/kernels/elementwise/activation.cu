// SPDX-License-Identifier: BSD-3-Clause
#include "impl/cuda/kernels/elementwise/activation.hpp"

#include "impl/cuda/kernels/elementwise/complex_elementary.cuh"
#include "impl/cuda/kernels/elementwise/map.cuh"
#include "impl/cuda/kernels/elementwise/real_functions.cuh"

namespace impl::cuda {

namespace {

// The two parameters of an activation.
template <typename T>
struct Parameters {
  T first, second;
  explicit Parameters(const ActivationParams& params) {
    std::memcpy(&first, params.bytes, sizeof(T));
    std::memcpy(&second, params.bytes + sizeof(T), sizeof(T));
  }
};

template <typename T>
struct Activation {
  static constexpr bool kGivesBool = false;
  ParametricActivation op;
  Parameters<T> params;

  __device__ T operator()(const T (&in)[1]) const {
    const T x = in[0];
    if (op == ParametricActivation::kThreshold) return x <= params.first ? params.second : x;
    if (op == ParametricActivation::kLeakyRelu) return x > T(0) ? x : static_cast<T>(x * params.first);
    const T raised = x < params.first ? params.first : x;
    return raised > params.second ? params.second : raised;
  }
};

// Gradients of smooth activations. At an infinite operand, the gradient multiplies the infinity by a slope of 0.
__device__ inline double nan_of_infinity(double x) { return x - x; }

// a b e^(z + low) with a small `low`. The product may be a normal number although e^z underflows. Below kFarthest it is
// 0 for every finite a, because b grows at most with x^3.
__device__ inline double times_exp(double a, double b, double z, double low = 0) {
  constexpr double kFarthest = -1465;
  if (z < kFarthest) return a * (b * 0);
  const double root = std::exp(z / 4);
  return a * root * (b * root) * root * root * (1 + low);
}

__device__ inline double silu_gradient(double grad, double x) {
  if (x < -700) return times_exp(grad, 1 + x + nan_of_infinity(x), x);
  const double s = sigmoid(x), rest = sigmoid(-x);
  return grad * (s * (1 + nan_of_infinity(x) + (x < 1000 ? x : 1000) * rest));
}

// The slope is x times the normal density plus the normal distribution function of x. The rounding error of the square
// is taken into account, because the exponential function magnifies it.
__device__ inline double gelu_gradient(double grad, double x) {
  constexpr double kFar = -30;
  const double bounded = x < -1e100 ? -1e100 : x;
  const double square = bounded * bounded, lost = x < 30 ? -0.5 * std::fma(bounded, bounded, -square) : 0;
  if (!(x < kFar)) {
    const double density = kNormalDensity * std::exp(-0.5 * square) * (1 + lost);
    return grad * (x * density + normal_below(x));
  }
  // With z = 1 / x^2 the distribution function is density (1 - z (1 - 3 z (1 - 5 z (1 - ...)))) / |x|.
  const double inverse = 1 / bounded, z = inverse * inverse;
  double series = 1;
  for (int odd = 9; odd > 0; odd -= 2) series = 1 - odd * z * series;
  const double factor = (bounded - inverse * series) * kNormalDensity + nan_of_infinity(x);
  return times_exp(grad, factor, -0.5 * square, lost);
}

// 2u = x (k + k c x^2) of Gelu by tanh as a sum: the exponential function magnifies the error of a large argument.
struct TwiceU {
  double high, low;
};
__device__ inline TwiceU precise_twice_u(double x) {
  constexpr double kLinearLow = -9.96930880911092e-17, kCubic = 0.07135481627260025, kCubicLow = -6.175149918155315e-19;
  const double square = x * x, square_low = std::fma(x, x, -square);
  const double term = square * kCubic;
  const double term_low = std::fma(square, kCubic, -term) + square_low * kCubic + square * kCubicLow;
  const double sum = kGeluTwiceRoot + term, part = sum - kGeluTwiceRoot;
  const double low = (kGeluTwiceRoot - (sum - part)) + (term - part) + term_low + kLinearLow;
  const double high = x * sum;
  return {high, std::fma(x, sum, -high) + x * low};
}

__device__ inline double gelu_tanh_gradient(double grad, double x) {
  const double bounded = x > 40 ? 40 : x < -40 ? -40 : x;  // beyond, the gradient is constant
  const TwiceU z = precise_twice_u(bounded);
  const double slope = kGeluTwiceRoot * (1 + 3 * kGeluCubic * bounded * bounded);
  if (z.high < -700) return times_exp(grad, 1 + bounded * slope + nan_of_infinity(x), z.high, z.low);
  const double rest = sigmoid(-z.high), s = sigmoid(z.high) * (1 + rest * z.low);
  return grad * (s * (1 + bounded * slope * rest) + nan_of_infinity(x));
}

// The slope: x / 3 + 1/2 between -3 and 3; 0 below -3; 1 above 3 and for NaN.
template <typename T>
__device__ T hardswish_gradient(T grad, T x) {
  if (x <= T(-3)) return T(0);
  return x < T(3) ? grad * (x / T(3) + T(0.5)) : grad;
}

// Gradients of a few operations each. Those that need functions of double have a kernel of their own, because of its
// registers.
template <typename T>
struct Gradient {
  static constexpr bool kGivesBool = false;
  ActivationGradient op;
  Parameters<T> params;

  static bool has(ActivationGradient op) {
    return op != ActivationGradient::kSilu && op != ActivationGradient::kGelu && op != ActivationGradient::kGeluTanh;
  }
  __device__ T operator()(const T (&in)[2]) const {
    const T grad = in[0], x = in[1];
    switch (op) {
      case ActivationGradient::kTanh:
        return grad * std::fma(-x, x, T(1));
      case ActivationGradient::kSigmoid:
        return grad * (T(1) - x) * x;
      case ActivationGradient::kHardswish:
        return hardswish_gradient(grad, x);
      case ActivationGradient::kHardtanh:
        return x <= params.first || x >= params.second ? T(0) : grad;
      case ActivationGradient::kThreshold:
        return x <= params.first ? T(0) : grad;
      default:  // kLeakyRelu
        return x > T(0) ? grad : grad * params.first;
    }
  }
};

template <typename T>
struct SmoothGradient {
  static constexpr bool kGivesBool = false;
  ActivationGradient op;

  __device__ T operator()(const T (&in)[2]) const {
    const double grad = in[0], x = in[1];
    if (op == ActivationGradient::kSilu) return static_cast<T>(silu_gradient(grad, x));
    return static_cast<T>(op == ActivationGradient::kGelu ? gelu_gradient(grad, x) : gelu_tanh_gradient(grad, x));
  }
};

// Threshold is the only gradient of integers.
template <typename T>
struct IntegerGradient {
  static constexpr bool kGivesBool = false;
  T threshold;
  __device__ T operator()(const T (&in)[2]) const { return in[1] <= threshold ? T(0) : in[0]; }
};

// The gradient is multiplied by the complex conjugate of the derivative.
template <typename T>
struct ComplexGradient {
  static constexpr bool kGivesBool = false;
  ActivationGradient op;

  __device__ T operator()(const T (&in)[2]) const {
    const auto grad = convert<Complex128>(in[0]), y = convert<Complex128>(in[1]);
    const Complex128 one(1);
    if (op == ActivationGradient::kSilu) {
      const Complex128 s = complex_sigmoid(y), rest = complex_sigmoid(-y);  // 1 - s would lose digits
      return convert<T>(grad * conj(s * (one + y * rest)));
    }
    const Complex128 slope = op == ActivationGradient::kTanh ? one - y * y : (one - y) * y;
    return convert<T>(grad * conj(slope));
  }
};

bool is_real_float(diopiDtype_t dtype) { return dtype == diopi_dtype_float32 || dtype == diopi_dtype_float64; }

}  // namespace

bool has_activation(ParametricActivation op, diopiDtype_t dtype) {
  return is_real_float(dtype) || (diopi::is_integral(dtype) && op != ParametricActivation::kLeakyRelu);
}

bool has_gradient(ActivationGradient op, diopiDtype_t dtype) {
  if (diopi::is_complex(dtype)) return op <= ActivationGradient::kSilu;
  return is_real_float(dtype) || (diopi::is_integral(dtype) && op == ActivationGradient::kThreshold);
}

Status launch_activation(const MapCall& call, ParametricActivation op, diopiDtype_t dtype,
                         const ActivationParams& params) {
  return diopi::visit_dtype<RealNumbers>(dtype, [&](auto tag) -> Status {
    using T = diopi::tagged<decltype(tag)>;
    return launch_map<Activation<T>, T, 1>(call, Activation<T>{op, Parameters<T>(params)});
  });
}

Status launch_gradient(const MapCall& call, ActivationGradient op, diopiDtype_t dtype, const ActivationParams& params) {
  using Numbers = diopi::TypeList<int8_t, uint8_t, int16_t, uint16_t, int32_t, uint32_t, int64_t, uint64_t, float,
                                  double, Complex64, Complex128>;
  return diopi::visit_dtype<Numbers>(dtype, [&](auto tag) -> Status {
    using T = diopi::tagged<decltype(tag)>;
    if constexpr (is_complex_type<T>) {
      return launch_map<ComplexGradient<T>, T, 2>(call, ComplexGradient<T>{op});
    } else if constexpr (std::is_integral_v<T>) {
      return launch_map<IntegerGradient<T>, T, 2>(call, IntegerGradient<T>{Parameters<T>(params).first});
    } else {
      if (!Gradient<T>::has(op)) return launch_map<SmoothGradient<T>, T, 2>(call, SmoothGradient<T>{op});
      return launch_map<Gradient<T>, T, 2>(call, Gradient<T>{op, Parameters<T>(params)});
    }
  });
}

}  // namespace impl::cuda
