// SPDX-License-Identifier: BSD-3-Clause
// Activations and their gradients over the whole range of finite numbers, on each vector target of this machine.
// Overflow or underflow of an intermediate value must not affect a result in the range of T.
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "diopi_test/unit/every_target.hpp"
#include "diopi_test/unit/math_functions.hpp"
#include "impl/cpu/pointwise/activation.hpp"
#include "impl/cpu/pointwise/unary.hpp"

namespace {

using impl::cpu::ActivationGradient;
using impl::cpu::BlockFn;
using impl::cpu::ParametricActivation;
using impl::cpu::UnaryOp;
using test::kDtype;
using test::on_every_target;

// Three numbers of each decade from the smallest subnormal to the largest number, and steps through the range in which
// exponentials vary; each with both signs.
template <typename T>
std::vector<T> whole_range() {
  using L = std::numeric_limits<T>;
  std::vector<T> x = {T(0), L::denorm_min(), L::min(), std::nextafter(L::min(), T(0)), L::max()};
  for (int exponent = L::min_exponent10 - L::digits10 - 1; exponent <= L::max_exponent10; ++exponent) {
    for (const long double digit : {1.0L, 2.7L, 6.1L}) {
      const long double number = digit * powl(10.0L, exponent);
      if (number <= L::max()) x.push_back(static_cast<T>(number));
    }
  }
  const T last = sizeof(T) == 4 ? T(240) : T(1600);
  for (T number = T(0.0117); number < last; number *= T(1.0043)) x.push_back(number);
  for (size_t i = x.size(); i-- > 0;) x.push_back(-x[i]);
  return x;
}

// The largest error in ULPs of the sum of the terms' magnitudes. A result beyond the largest number counts as infinite.
// Below the normal numbers, an ULP is the smallest subnormal.
template <typename T>
double error_in_ulps(T got, long double exact, long double terms) {
  using L = std::numeric_limits<T>;
  if (std::isnan(exact) || std::isnan(got)) return std::isnan(exact) == std::isnan(got) ? 0 : INFINITY;
  const T rounded = static_cast<T>(exact);
  if (std::isinf(rounded) || std::isinf(got)) {
    const T near = std::nextafter(std::nextafter(L::max(), T(0)), T(0));
    return rounded == got || std::fabs(exact) > near * (1 + 8 * L::epsilon()) || std::fabs(got) >= near ? 0 : INFINITY;
  }
  int exponent;
  std::frexp(terms, &exponent);
  exponent = std::max(exponent, L::min_exponent);
  return static_cast<double>(std::fabs(got - exact) / std::ldexp(1.0L, exponent - L::digits));
}

template <typename T>
std::vector<T> gradient(ActivationGradient op, const std::vector<T>& grad, const std::vector<T>& x, const T* params) {
  std::vector<T> y(x.size());
  void* out[] = {y.data()};
  const void* in[] = {grad.data(), x.data()};
  impl::cpu::activation_gradient_kernel(op, kDtype<T>)(out, in, static_cast<int64_t>(x.size()), params);
  return y;
}

template <typename T>
void expect_gradients_over_the_whole_range() {
  using L = std::numeric_limits<T>;
  const std::vector<T> x = whole_range<T>();
  for (const test::Gradient& g : test::kGradients) {
    for (const T factor : {T(1), -L::max(), L::max() / 1024, L::min()}) {
      const std::vector<T> grad(x.size(), factor);
      on_every_target([&] {
        const std::vector<T> y = gradient(g.op, grad, x, static_cast<const T*>(nullptr));
        double worst = 0;
        size_t at = 0;
        for (size_t i = 0; i < x.size(); ++i) {
          if (g.of_output && std::fabs(x[i]) > 1) continue;
          const long double exact = factor * g.exact(x[i]);
          const double error = error_in_ulps(y[i], exact, factor * g.largest(x[i]));
          if (!(error <= worst)) worst = error, at = i;
        }
        EXPECT_LE(worst, g.bound + 1) << factor << " " << g.name << "(" << x[at] << ") = " << y[at] << ", exactly "
                                      << factor * g.exact(x[at]);
      });
    }
  }
}

TEST(ActivationRange, gradients_are_right_for_every_finite_number) {
  expect_gradients_over_the_whole_range<float>();
  expect_gradients_over_the_whole_range<double>();
}

template <typename T>
void expect_nan_of_infinities() {
  const T infinity = std::numeric_limits<T>::infinity();
  const std::vector<T> x = {-infinity, infinity, std::numeric_limits<T>::quiet_NaN()}, grad(3, T(1));
  for (const ActivationGradient op :
       {ActivationGradient::kSilu, ActivationGradient::kGelu, ActivationGradient::kGeluTanh}) {
    on_every_target([&] {
      const std::vector<T> y = gradient(op, grad, x, static_cast<const T*>(nullptr));
      for (size_t i = 0; i < x.size(); ++i) EXPECT_TRUE(std::isnan(y[i])) << static_cast<int>(op) << " at " << x[i];
    });
  }
}

TEST(ActivationRange, smooth_gradients_are_nan_at_infinities) {
  expect_nan_of_infinities<float>();
  expect_nan_of_infinities<double>();
}

// Activations that select a value are exact or are rounded once.
template <typename T>
void expect_choices_over_the_whole_range() {
  const std::vector<T> x = whole_range<T>();
  const T a = T(-0.75), b = T(1.5), params[] = {a, b}, slope[] = {a, T(0)};
  const std::vector<T> ones(x.size(), T(1));
  struct Case {
    const char* name;
    T (*expected)(T x, T a, T b);
    BlockFn (*kernel)();
    const T* params;
    bool is_gradient;
  };
  const Case cases[] = {
      {"relu", [](T v, T, T) { return v > 0 ? v : T(0); },
       [] { return impl::cpu::unary_kernel(UnaryOp::kRelu, kDtype<T>); }, params, false},
      {"hardtanh", [](T v, T low, T high) { return std::min(std::max(v, low), high); },
       [] { return impl::cpu::parametric_activation_kernel(ParametricActivation::kHardtanh, kDtype<T>); }, params,
       false},
      {"threshold", [](T v, T least, T value) { return v <= least ? value : v; },
       [] { return impl::cpu::parametric_activation_kernel(ParametricActivation::kThreshold, kDtype<T>); }, params,
       false},
      {"leaky_relu", [](T v, T factor, T) { return v > 0 ? v : v * factor; },
       [] { return impl::cpu::parametric_activation_kernel(ParametricActivation::kLeakyRelu, kDtype<T>); }, slope,
       false},
      {"hardtanh'", [](T v, T low, T high) { return v > low && v < high ? T(1) : T(0); },
       [] { return impl::cpu::activation_gradient_kernel(ActivationGradient::kHardtanh, kDtype<T>); }, params, true},
      {"threshold'", [](T v, T least, T) { return v <= least ? T(0) : T(1); },
       [] { return impl::cpu::activation_gradient_kernel(ActivationGradient::kThreshold, kDtype<T>); }, params, true},
      {"leaky_relu'", [](T v, T factor, T) { return v > 0 ? T(1) : factor; },
       [] { return impl::cpu::activation_gradient_kernel(ActivationGradient::kLeakyRelu, kDtype<T>); }, slope, true},
  };
  for (const Case& c : cases) {
    on_every_target([&] {
      std::vector<T> y(x.size());
      void* out[] = {y.data()};
      const void* in[] = {c.is_gradient ? ones.data() : x.data(), x.data()};
      c.kernel()(out, in, static_cast<int64_t>(x.size()), c.params);
      for (size_t i = 0; i < x.size(); ++i) {
        ASSERT_EQ(y[i], c.expected(x[i], c.params[0], c.params[1])) << c.name << " at " << x[i];
      }
    });
  }
}

TEST(ActivationRange, choices_are_exact_for_every_finite_number) {
  expect_choices_over_the_whole_range<float>();
  expect_choices_over_the_whole_range<double>();
}

// x min(max(x + 3, 0), 6) / 6 is x from 3 on.
template <typename T>
void expect_hardswish_over_the_whole_range() {
  const std::vector<T> x = whole_range<T>();
  on_every_target([&] {
    std::vector<T> y(x.size());
    void* out[] = {y.data()};
    const void* in[] = {x.data()};
    impl::cpu::unary_kernel(UnaryOp::kHardswish, kDtype<T>)(out, in, static_cast<int64_t>(x.size()), nullptr);
    for (size_t i = 0; i < x.size(); ++i) {
      const long double gate = std::min(std::max(x[i] + 3.0L, 0.0L), 6.0L) / 6;
      ASSERT_LE(error_in_ulps(y[i], x[i] * gate, x[i] * std::max(gate, 0.5L)), 3) << x[i];
    }
  });
}

TEST(ActivationRange, hardswish_is_right_for_every_finite_number) {
  expect_hardswish_over_the_whole_range<float>();
  expect_hardswish_over_the_whole_range<double>();
}

}  // namespace
