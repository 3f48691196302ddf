// SPDX-License-Identifier: BSD-3-Clause
// The elementary functions of the CPU vendor, their references, and the bounds of their errors.
#ifndef DIOPI_TEST_UNIT_MATH_FUNCTIONS_HPP_
#define DIOPI_TEST_UNIT_MATH_FUNCTIONS_HPP_

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <limits>

#include "diopi_test/unit/every_target.hpp"
#include "impl/cpu/pointwise/activation.hpp"
#include "impl/cpu/pointwise/unary.hpp"

namespace test {

using impl::cpu::UnaryOp;

struct Function {
  UnaryOp op;
  const char* name;
  double (*exact)(double);
  long double (*precise)(long double);
  double float_bound;
  double double_bound;
  // For products of x and a factor that underflows: they may be wrong by x times the smallest normal number.
  bool loses_denormals = false;
};

// Solves erf(y) = x by Newton's method from an estimate. Near 1 it uses the complement, which keeps its digits there.
inline long double inverse_erf(long double x) {
  const long double s = fabsl(x);
  if (s >= 1 || std::isnan(x)) return s == 1 ? copysignl(INFINITY, x) : NAN;
  const long double w = -logl((1 - s) * (1 + s));
  const long double a = 2 / (0.147L * acosl(-1.0L)) - w / 2;
  long double y = sqrtl(sqrtl(a * a + w / 0.147L) - a);
  for (int i = 0; i < 6; ++i) {
    const long double error = s > 0.5L ? (1 - s) - erfcl(y) : erfl(y) - s;
    y -= error * expl(y * y) * sqrtl(acosl(-1.0L)) / 2;
  }
  return copysignl(s < 1e-9L ? s * sqrtl(acosl(-1.0L)) / 2 : y, x);
}

// x (1 + tanh(u)) / 2 with u = sqrt(2 / pi) (x + 0.044715 x^3), without cancellation.
inline long double gelu_by_tanh(long double x) {
  const long double u = sqrtl(2 / acosl(-1.0L)) * (x + 0.044715L * x * x * x);
  return x / (1 + expl(-2 * u));
}

// The bound is two ULP for float. For double functions that end in a difference of rounded parts it is slightly larger.
#define DIOPI_C_FUNCTION(op, f, double_bound) \
  { UnaryOp::op, #f, std::f, f##l, 2.0, double_bound }
inline const Function kFunctions[] = {
    DIOPI_C_FUNCTION(kSqrt, sqrt, 0.5001),
    DIOPI_C_FUNCTION(kExp, exp, 1.2),
    DIOPI_C_FUNCTION(kExpm1, expm1, 2.5),
    DIOPI_C_FUNCTION(kLog, log, 1.0),
    DIOPI_C_FUNCTION(kLog2, log2, 2.0),
    DIOPI_C_FUNCTION(kLog10, log10, 2.0),
    DIOPI_C_FUNCTION(kLog1p, log1p, 2.0),
    DIOPI_C_FUNCTION(kSin, sin, 2.0),
    DIOPI_C_FUNCTION(kCos, cos, 2.0),
    DIOPI_C_FUNCTION(kTan, tan, 2.0),
    DIOPI_C_FUNCTION(kAsin, asin, 2.2),
    DIOPI_C_FUNCTION(kAcos, acos, 2.0),
    DIOPI_C_FUNCTION(kAtan, atan, 2.0),
    DIOPI_C_FUNCTION(kSinh, sinh, 2.0),
    DIOPI_C_FUNCTION(kCosh, cosh, 2.0),
    DIOPI_C_FUNCTION(kTanh, tanh, 2.0),
    DIOPI_C_FUNCTION(kAsinh, asinh, 2.0),
    DIOPI_C_FUNCTION(kAcosh, acosh, 2.2),
    DIOPI_C_FUNCTION(kAtanh, atanh, 2.0),
    DIOPI_C_FUNCTION(kErf, erf, 2.5),
    {UnaryOp::kRsqrt, "rsqrt", [](double x) { return 1 / std::sqrt(x); }, [](long double x) { return 1 / sqrtl(x); },
     2.0, 2.0},
    {UnaryOp::kReciprocal, "reciprocal", [](double x) { return 1 / x; }, [](long double x) { return 1 / x; }, 0.5001,
     0.5001},
    {UnaryOp::kSigmoid, "sigmoid", [](double x) { return 1 / (1 + std::exp(-x)); },
     [](long double x) { return 1 / (1 + expl(-x)); }, 2.0, 2.0},
    {UnaryOp::kErfinv, "erfinv", [](double x) { return static_cast<double>(inverse_erf(x)); }, inverse_erf, 2.0, 3.0},
    {UnaryOp::kSilu, "silu", [](double x) { return x / (1 + std::exp(-x)); },
     [](long double x) { return x / (1 + expl(-x)); }, 2.0, 2.3, true},
    {UnaryOp::kGelu, "gelu", [](double x) { return x * std::erfc(-x * std::sqrt(0.5)) / 2; },
     [](long double x) { return x * erfcl(-x * sqrtl(0.5L)) / 2; }, 2.0, 2.8, true},
    {UnaryOp::kGeluTanh, "gelu_tanh", [](double x) { return static_cast<double>(gelu_by_tanh(x)); }, gelu_by_tanh, 1.0,
     1.6, true},
};
#undef DIOPI_C_FUNCTION

// Gradients of activations, for an incoming gradient of 1. If their terms cancel, the ULP of the largest term counts.
struct Gradient {
  impl::cpu::ActivationGradient op;
  const char* name;
  long double (*exact)(long double);
  long double (*largest)(long double);
  bool of_output;  // a function of the activation's result, which is between -1 and 1
  double bound;
};

inline long double normal_cdf(long double x) { return erfcl(-x * sqrtl(0.5L)) / 2; }
inline long double normal_term(long double x) { return x * expl(-x * x / 2) / sqrtl(2 * acosl(-1.0L)); }
inline long double sigmoid(long double x) { return 1 / (1 + expl(-x)); }
inline long double silu_term(long double x) { return x / (1 + expl(-x)) / (1 + expl(x)); }

// s + x s (1 - s) (2u)' with s = sigmoid(2u) and u as in gelu_by_tanh. An absolute error of 2u is a relative error of s
// or 1 - s.
inline long double twice_u(long double x) { return 2 * sqrtl(2 / acosl(-1.0L)) * (x + 0.044715L * x * x * x); }
inline long double gelu_tanh_term(long double x) {
  const long double bounded = std::min(std::max(x, -60.0L), 60.0L);  // beyond it s or 1 - s vanishes
  const long double slope = 2 * sqrtl(2 / acosl(-1.0L)) * (1 + 3 * 0.044715L * bounded * bounded);
  return bounded * slope * sigmoid(twice_u(bounded)) * sigmoid(-twice_u(bounded));
}
inline long double gelu_tanh_largest(long double x) {
  return std::max(sigmoid(twice_u(x)), fabsl(gelu_tanh_term(x)) * (1 + std::min(fabsl(twice_u(x)), 2000.0L)));
}
inline long double hardswish_slope(long double x) { return x <= -3 ? 0 : x < 3 ? x / 3 + 0.5L : 1; }

inline const Gradient kGradients[] = {
    {impl::cpu::ActivationGradient::kGelu, "gelu'", [](long double x) { return normal_cdf(x) + normal_term(x); },
     [](long double x) { return std::max(normal_cdf(x), fabsl(normal_term(x))); }, false, 3.8},
    {impl::cpu::ActivationGradient::kSilu, "silu'", [](long double x) { return sigmoid(x) + silu_term(x); },
     [](long double x) { return std::max(sigmoid(x), fabsl(silu_term(x))); }, false, 3.8},
    {impl::cpu::ActivationGradient::kGeluTanh, "gelu_tanh'",
     [](long double x) { return sigmoid(twice_u(x)) + gelu_tanh_term(x); }, gelu_tanh_largest, false, 4.0},
    {impl::cpu::ActivationGradient::kHardswish, "hardswish'", hardswish_slope,
     [](long double x) { return x > -3 && x < 3 ? std::max(fabsl(x) / 3, 0.5L) : hardswish_slope(x); }, false, 2.0},
    {impl::cpu::ActivationGradient::kTanh, "tanh'", [](long double y) { return (1 - y) * (1 + y); },
     [](long double) { return 1.0L; }, true, 0.51},
    {impl::cpu::ActivationGradient::kSigmoid, "sigmoid'", [](long double y) { return (1 - y) * y; },
     [](long double y) { return (1 - y) * y; }, true, 1.6},
};

// The distance of `got` from `exact` in ULPs of T; infinite if only one of them is infinite or NaN.
template <typename T, typename Exact>
double ulps(T got, Exact exact) {
  using Limits = std::numeric_limits<T>;
  const T rounded = static_cast<T>(exact);
  if (std::isnan(exact) || std::isnan(got)) return std::isnan(exact) == std::isnan(got) ? 0 : INFINITY;
  if (std::isinf(rounded) && got == std::copysign(Limits::max(), rounded)) return 1;  // just below the overflow
  if (std::isinf(rounded) || std::isinf(got)) return rounded == got ? 0 : INFINITY;
  if (rounded == 0 && got == 0) return std::signbit(rounded) == std::signbit(got) ? 0 : INFINITY;
  int exponent;
  std::frexp(exact, &exponent);
  exponent = std::max(exponent, Limits::min_exponent);
  return static_cast<double>(std::fabs(got - exact) / std::ldexp(Exact(1), exponent - Limits::digits));
}

// Prints a line for scripts/ulp_table.sh if that script requests it.
inline void print_ulps(const char* function, const char* dtype, double worst, double at) {
  if (std::getenv("DIOPI_ULP_PRINT") == nullptr) return;
  std::printf("ulp\t%s\t%s\t%s\t%.3f\t%a\n", function, dtype, target_name(), worst, at);
}

}  // namespace test

#endif  // DIOPI_TEST_UNIT_MATH_FUNCTIONS_HPP_
