// SPDX-License-Identifier: BSD-3-Clause
// The accuracy of the CPU vendor's elementary functions for float16 and bfloat16: all 65,536 inputs, on each vector
// target of this machine. Errors are in units in the last place of the exact result.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "diopi_test/unit/every_target.hpp"
#include "diopi_test/unit/math_functions.hpp"
#include "impl/cpu/engine/cast/cast.hpp"
#include "impl/cpu/pointwise/half.hpp"

namespace {

using impl::cpu::BlockFn;
using test::Function;
using test::kFunctions;

constexpr int kInputs = 1 << 16;

template <typename S>
struct Format;
template <>
struct Format<diopi::float16> {
  static constexpr const char* kName = "float16";
  static constexpr int kDigits = 11, kMinExponent = -13;
  static constexpr double kLargest = 65504;
};
template <>
struct Format<diopi::bfloat16> {
  static constexpr const char* kName = "bfloat16";
  static constexpr int kDigits = 8, kMinExponent = -125;
  static constexpr double kLargest = 0x1.fep127;
};

// test::ulps in units of S. A result that is rounded past the largest number is infinite.
template <typename S>
double ulps_of(double got, double exact) {
  using F = Format<S>;
  if (std::isnan(exact) || std::isnan(got)) return std::isnan(exact) == std::isnan(got) ? 0 : INFINITY;
  const double unit_at_top = std::ldexp(1.0, std::ilogb(F::kLargest) + 1 - F::kDigits);
  if (std::fabs(exact) >= F::kLargest + unit_at_top)
    return std::isinf(got) && std::signbit(got) == std::signbit(exact) ? 0 : INFINITY;
  if (std::isinf(got)) got = std::copysign(F::kLargest + unit_at_top, got);
  if (exact == 0 && got == 0) return std::signbit(exact) == std::signbit(got) ? 0 : INFINITY;
  int exponent;
  std::frexp(exact, &exponent);
  return std::fabs(got - exact) / std::ldexp(1.0, std::max(exponent, F::kMinExponent) - F::kDigits);
}

// Computes the operator: with a kernel for S if there is one, otherwise in float between conversions.
template <typename S>
std::vector<S> results_of(const Function& f, const std::vector<S>& x) {
  std::vector<S> y(x.size());
  const int64_t n = static_cast<int64_t>(x.size());
  if (const BlockFn half = impl::cpu::half_unary_kernel(f.op, diopi::dtype_of<S>)) {
    void* out[] = {y.data()};
    const void* in[] = {x.data()};
    half(out, in, n, nullptr);
    return y;
  }
  std::vector<float> wide(x.size());
  impl::cpu::cast_function(diopi::dtype_of<S>, diopi_dtype_float32)(wide.data(), x.data(), n);
  void* out[] = {wide.data()};
  const void* in[] = {wide.data()};
  impl::cpu::unary_kernel(f.op, diopi_dtype_float32)(out, in, n, nullptr);
  impl::cpu::cast_function(diopi_dtype_float32, diopi::dtype_of<S>)(y.data(), wide.data(), n);
  return y;
}

template <typename S>
void expect_rounded_once() {
  std::vector<S> x(kInputs);
  for (int i = 0; i < kInputs; ++i) x[i].bits = static_cast<uint16_t>(i);
  for (const Function& f : kFunctions) {
    // Float's own error of a few ULPs can change the rounding to S only near a tie.
    const double bound = 0.5 + 2 * f.float_bound * std::ldexp(1.0, Format<S>::kDigits - 24);
    test::on_every_target([&] {
      const std::vector<S> y = results_of(f, x);
      double worst = 0;
      int at = 0;
      for (int i = 0; i < kInputs; ++i) {
        const double a = static_cast<float>(x[i]), got = static_cast<float>(y[i]), exact = f.exact(a);
        if (f.loses_denormals && std::fabs(got - exact) <= std::fabs(a) * std::numeric_limits<float>::min()) continue;
        const double distance = ulps_of<S>(got, exact);
        if (distance > worst) worst = distance, at = i;
      }
      EXPECT_LE(worst, bound) << f.name << "(" << static_cast<float>(x[at]) << ") = " << static_cast<float>(y[at]);
      test::print_ulps(f.name, Format<S>::kName, worst, static_cast<float>(x[at]));
    });
  }
}

TEST(MathUlp, every_float16_is_rounded_once_on_every_target) { expect_rounded_once<diopi::float16>(); }

TEST(MathUlp, every_bfloat16_is_rounded_once_on_every_target) { expect_rounded_once<diopi::bfloat16>(); }

}  // namespace
