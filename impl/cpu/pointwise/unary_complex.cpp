// SPDX-License-Identifier: BSD-3-Clause
// One-operand functions of complex numbers, and the selection among all unary kernels. complex64 is computed in
// complex128, which avoids overflow and rounding errors of the intermediate steps.
#include <algorithm>
#include <cmath>
#include <complex>
#include <type_traits>

#include "impl/cpu/pointwise/activation.hpp"
#include "impl/cpu/pointwise/unary.hpp"

namespace impl::cpu {

namespace {

using Z = std::complex<double>;

// The absolute value of the largest numbers overflows, and that of subnormal numbers is imprecise, so these are scaled
// by powers of two first.
Z sign(Z z) {
  const double largest = std::max(std::abs(z.real()), std::abs(z.imag()));
  if (largest > 0x1p1000) z *= 0x1p-10;
  if (largest < 0x1p-960) z *= 0x1p80;
  return z == 0.0 ? Z(0) : z / std::abs(z);
}

// e^x cos(y) - 1 is computed as (e^x - 1) cos(y) - 2 sin(y / 2)^2, which loses no digits near 0.
Z expm1(Z z) {
  const double half_sine = std::sin(z.imag() / 2);
  return {std::expm1(z.real()) * std::cos(z.imag()) - 2 * half_sine * half_sine,
          std::exp(z.real()) * std::sin(z.imag())};
}

// |1 + z|^2 is computed as 1 + x (2 + x) + y^2, which loses no digits near 0. Near -1 it would lose them, but there
// 1 + x is exact; far from 0 the square could overflow.
Z log1p(Z z) {
  const double x = z.real(), y = z.imag();
  if (x < -0.5 || x > 1 || std::abs(y) > 1) return std::log(1.0 + z);
  return {std::log1p(x * (2 + x) + y * y) / 2, std::atan2(y, 1 + x)};
}

Z sigmoid(Z z) { return 1.0 / (1.0 + std::exp(-z)); }

#define IMPL_CPU_COMPLEX_OP(Name, expression)     \
  struct Name##Op {                               \
    static auto apply(Z z) { return expression; } \
  }
IMPL_CPU_COMPLEX_OP(Abs, std::abs(z));
IMPL_CPU_COMPLEX_OP(Neg, -z);
IMPL_CPU_COMPLEX_OP(Sgn, sign(z));
IMPL_CPU_COMPLEX_OP(Reciprocal, 1.0 / z);
IMPL_CPU_COMPLEX_OP(Sqrt, std::sqrt(z));
IMPL_CPU_COMPLEX_OP(Rsqrt, 1.0 / std::sqrt(z));
IMPL_CPU_COMPLEX_OP(Exp, std::exp(z));
IMPL_CPU_COMPLEX_OP(Expm1, expm1(z));
IMPL_CPU_COMPLEX_OP(Log, std::log(z));
IMPL_CPU_COMPLEX_OP(Log2, std::log(z) * 1.4426950408889634);
IMPL_CPU_COMPLEX_OP(Log10, std::log10(z));
IMPL_CPU_COMPLEX_OP(Log1p, log1p(z));
IMPL_CPU_COMPLEX_OP(Sin, std::sin(z));
IMPL_CPU_COMPLEX_OP(Cos, std::cos(z));
IMPL_CPU_COMPLEX_OP(Tan, std::tan(z));
IMPL_CPU_COMPLEX_OP(Asin, std::asin(z));
IMPL_CPU_COMPLEX_OP(Acos, std::acos(z));
IMPL_CPU_COMPLEX_OP(Atan, std::atan(z));
IMPL_CPU_COMPLEX_OP(Sinh, std::sinh(z));
IMPL_CPU_COMPLEX_OP(Cosh, std::cosh(z));
IMPL_CPU_COMPLEX_OP(Tanh, std::tanh(z));
IMPL_CPU_COMPLEX_OP(Asinh, std::asinh(z));
IMPL_CPU_COMPLEX_OP(Acosh, std::acosh(z));
IMPL_CPU_COMPLEX_OP(Atanh, std::atanh(z));
IMPL_CPU_COMPLEX_OP(Sigmoid, sigmoid(z));
IMPL_CPU_COMPLEX_OP(Silu, z / (1.0 + std::exp(-z)));
#undef IMPL_CPU_COMPLEX_OP

// The gradient is multiplied by the complex conjugate of the derivative.
struct TanhGradientOp {
  static Z apply(Z grad, Z y) { return grad * std::conj(1.0 - y * y); }
};
struct SigmoidGradientOp {
  static Z apply(Z grad, Z y) { return grad * std::conj((1.0 - y) * y); }
};
struct SiluGradientOp {
  static Z apply(Z grad, Z z) {
    const Z s = sigmoid(z), rest = sigmoid(-z);  // 1 - s would lose digits
    return grad * std::conj(s * (1.0 + z * rest));
  }
};

// T: the storage type, complex64 or complex128.
template <class Op, typename T>
void complex_loop1(void* const* out, const void* const* in, int64_t n, const void*) {
  constexpr bool kGivesReal = std::is_same_v<decltype(Op::apply(Z())), double>;
  using Result = std::conditional_t<kGivesReal, typename T::value_type, T>;
  Result* o = static_cast<Result*>(out[0]);
  const T* a = static_cast<const T*>(in[0]);
  for (int64_t i = 0; i < n; ++i) o[i] = static_cast<Result>(Op::apply(Z(a[i])));
}

template <class Op, typename T>
void complex_loop2(void* const* out, const void* const* in, int64_t n, const void*) {
  T* o = static_cast<T*>(out[0]);
  const T* a = static_cast<const T*>(in[0]);
  const T* b = static_cast<const T*>(in[1]);
  for (int64_t i = 0; i < n; ++i) o[i] = static_cast<T>(Op::apply(Z(a[i]), Z(b[i])));
}

template <typename T>
BlockFn unary_of(UnaryOp op) {
  switch (op) {
#define IMPL_CPU_COMPLEX_CASE(Name) \
  case UnaryOp::k##Name:            \
    return complex_loop1<Name##Op, T>
    IMPL_CPU_COMPLEX_CASE(Abs);
    IMPL_CPU_COMPLEX_CASE(Neg);
    IMPL_CPU_COMPLEX_CASE(Sgn);
    IMPL_CPU_COMPLEX_CASE(Reciprocal);
    IMPL_CPU_COMPLEX_CASE(Sqrt);
    IMPL_CPU_COMPLEX_CASE(Rsqrt);
    IMPL_CPU_COMPLEX_CASE(Exp);
    IMPL_CPU_COMPLEX_CASE(Expm1);
    IMPL_CPU_COMPLEX_CASE(Log);
    IMPL_CPU_COMPLEX_CASE(Log2);
    IMPL_CPU_COMPLEX_CASE(Log10);
    IMPL_CPU_COMPLEX_CASE(Log1p);
    IMPL_CPU_COMPLEX_CASE(Sin);
    IMPL_CPU_COMPLEX_CASE(Cos);
    IMPL_CPU_COMPLEX_CASE(Tan);
    IMPL_CPU_COMPLEX_CASE(Asin);
    IMPL_CPU_COMPLEX_CASE(Acos);
    IMPL_CPU_COMPLEX_CASE(Atan);
    IMPL_CPU_COMPLEX_CASE(Sinh);
    IMPL_CPU_COMPLEX_CASE(Cosh);
    IMPL_CPU_COMPLEX_CASE(Tanh);
    IMPL_CPU_COMPLEX_CASE(Asinh);
    IMPL_CPU_COMPLEX_CASE(Acosh);
    IMPL_CPU_COMPLEX_CASE(Atanh);
    IMPL_CPU_COMPLEX_CASE(Sigmoid);
    IMPL_CPU_COMPLEX_CASE(Silu);
#undef IMPL_CPU_COMPLEX_CASE
    default:
      return nullptr;
  }
}

template <typename T>
BlockFn gradient_of(ActivationGradient op) {
  switch (op) {
    case ActivationGradient::kTanh:
      return complex_loop2<TanhGradientOp, T>;
    case ActivationGradient::kSigmoid:
      return complex_loop2<SigmoidGradientOp, T>;
    case ActivationGradient::kSilu:
      return complex_loop2<SiluGradientOp, T>;
    default:
      return nullptr;
  }
}

}  // namespace

BlockFn complex_unary_kernel(UnaryOp op, diopiDtype_t dtype) {
  if (dtype == diopi_dtype_complex64) return unary_of<diopi::complex64>(op);
  if (dtype == diopi_dtype_complex128) return unary_of<diopi::complex128>(op);
  return nullptr;
}

BlockFn complex_gradient_kernel(ActivationGradient op, diopiDtype_t dtype) {
  if (dtype == diopi_dtype_complex64) return gradient_of<diopi::complex64>(op);
  if (dtype == diopi_dtype_complex128) return gradient_of<diopi::complex128>(op);
  return nullptr;
}

BlockFn unary_kernel(UnaryOp op, diopiDtype_t dtype) {
  if (diopi::is_complex(dtype)) return complex_unary_kernel(op, dtype);
  for (auto* family : {exact_unary_kernel, exponential_kernel, trigonometric_kernel, activation_kernel}) {
    if (const BlockFn fn = family(op, dtype)) return fn;
  }
  return nullptr;
}

}  // namespace impl::cpu
