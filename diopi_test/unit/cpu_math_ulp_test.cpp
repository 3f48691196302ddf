// SPDX-License-Identifier: BSD-3-Clause
// The accuracy of the CPU vendor's elementary functions, on each vector target of this machine.
//
// For float, every bit pattern with a stride is tried (DIOPI_ULP_STRIDE=1 tries every float). For double, random
// numbers of each range of magnitudes are tried (DIOPI_ULP_SAMPLES of them). DIOPI_ULP_PRINT=1 prints the largest
// errors; scripts/ulp_table.sh makes a table of them. Errors are in units in the last place of the exact result.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <type_traits>
#include <vector>

#include "diopi_test/unit/every_target.hpp"
#include "diopi_test/unit/math_functions.hpp"
#include "impl/cpu/pointwise/binary.hpp"
#include "impl/cpu/pointwise/unary.hpp"

namespace {

using impl::cpu::BlockFn;
using impl::cpu::UnaryOp;
using test::Function;
using test::kDtype;
using test::kFunctions;
using test::on_every_target;
using test::print_ulps;
using test::ulps;

template <typename T>
std::vector<T> apply(BlockFn fn, const std::vector<T>& x) {
  std::vector<T> y(x.size());
  void* out[] = {y.data()};
  const void* in[] = {x.data()};
  fn(out, in, static_cast<int64_t>(x.size()), nullptr);
  return y;
}

template <typename T, typename Exact>
void expect_within(const Function& f, const std::vector<T>& x, const std::vector<Exact>& exact, double bound) {
  on_every_target([&] {
    const std::vector<T> y = apply(impl::cpu::unary_kernel(f.op, kDtype<T>), x);
    double worst = 0;
    size_t at = 0;
    for (size_t i = 0; i < x.size(); ++i) {
      if (f.loses_denormals && std::fabs(y[i] - exact[i]) <= std::fabs(x[i]) * std::numeric_limits<T>::min()) continue;
      const double distance = ulps(y[i], exact[i]);
      if (distance > worst) worst = distance, at = i;
    }
    EXPECT_LE(worst, bound) << f.name << "(" << x[at] << ") = " << y[at] << ", exactly " << exact[at];
    print_ulps(f.name, sizeof(T) == 4 ? "float32" : "float64", worst, static_cast<double>(x[at]));
  });
}

template <typename T>
void add_specials(std::vector<T>* x) {
  using L = std::numeric_limits<T>;
  for (const T v : {T(0), L::denorm_min(), L::min(), std::nextafter(L::min(), T(0)), T(0.5), T(1), L::max(),
                    std::nextafter(T(1), T(0)), std::nextafter(T(1), T(2)), L::infinity(), L::quiet_NaN(), T(1e30),
                    T(88.72284), T(88.9), T(709.7827), T(-103.9), T(-745.1)}) {
    x->push_back(v);
    x->push_back(-v);
  }
}

std::vector<float> float_sweep() {
  const char* text = std::getenv("DIOPI_ULP_STRIDE");
  const uint64_t stride = text != nullptr ? std::strtoull(text, nullptr, 10) : 2503;
  std::vector<float> x;
  for (uint64_t bits = 0; bits < (uint64_t{1} << 32); bits += stride) {
    const auto pattern = static_cast<uint32_t>(bits);
    float v;
    std::memcpy(&v, &pattern, sizeof(v));
    x.push_back(v);
  }
  add_specials(&x);
  return x;
}

std::vector<double> double_sample() {
  std::vector<double> x;
  const char* text = std::getenv("DIOPI_ULP_SAMPLES");
  const int64_t samples = text != nullptr ? std::strtoll(text, nullptr, 10) : 400000;
  uint64_t state = 88172645463325252u;
  for (int64_t i = 0; i < samples; ++i) {
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    const double unit = static_cast<double>(static_cast<int64_t>(state)) * 0x1p-63;  // (-1, 1)
    switch (i % 4) {
      case 0:
        std::memcpy(&x.emplace_back(), &state, sizeof(double));
        break;
      case 1:
        x.push_back(unit * 40);
        break;
      case 2:
        x.push_back(unit);
        break;
      default:
        x.push_back(std::ldexp(unit, static_cast<int>(state % 60) - 45));
    }
  }
  add_specials(&x);
  return x;
}

TEST(MathUlp, float_functions_stay_within_two_ulp_on_every_target) {
  const std::vector<float> x = float_sweep();
  for (const Function& f : kFunctions) {
    std::vector<double> exact(x.size());
    for (size_t i = 0; i < x.size(); ++i) exact[i] = f.exact(x[i]);
    expect_within(f, x, exact, f.float_bound);
  }
}

TEST(MathUlp, double_functions_stay_within_their_bounds_on_every_target) {
  const std::vector<double> x = double_sample();
  for (const Function& f : kFunctions) {
    std::vector<long double> exact(x.size());
    for (size_t i = 0; i < x.size(); ++i) exact[i] = f.precise(x[i]);
    expect_within(f, x, exact, f.double_bound);
  }
}

// Threads may divide a tensor anywhere. So the neighbours of an element in a vector depend on the number of threads.
template <typename T>
void expect_independent_of_neighbours(const Function& f, const std::vector<T>& x) {
  const size_t n = x.size(), step = 7919;  // a prime that does not divide n
  ASSERT_NE(n % step, 0u);
  std::vector<T> mixed(n);
  for (size_t i = 0; i < n; ++i) mixed[i] = x[i * step % n];
  on_every_target([&] {
    const BlockFn kernel = impl::cpu::unary_kernel(f.op, kDtype<T>);
    const std::vector<T> y = apply<T>(kernel, x), other = apply<T>(kernel, mixed);
    for (size_t i = 0; i < n; ++i) {
      const T a = y[i * step % n], b = other[i];
      ASSERT_TRUE(std::memcmp(&a, &b, sizeof(T)) == 0 || (std::isnan(a) && std::isnan(b)))
          << f.name << "(" << mixed[i] << ") = " << a << " or " << b;
    }
  });
}

TEST(MathUlp, results_do_not_depend_on_what_else_is_in_the_vector) {
  std::vector<float> x = float_sweep();
  const std::vector<double> sample = double_sample();
  for (int i = -60000; i <= 60000; ++i) x.push_back(static_cast<float>(i) * 0.0003f);
  for (const Function& f : kFunctions) {
    expect_independent_of_neighbours(f, x);
    expect_independent_of_neighbours(f, sample);
  }
}

// The error in units in the last place of the largest term, which is a normal number here.
template <typename T>
void expect_gradients_within_bounds(const char* dtype) {
  for (const test::Gradient& g : test::kGradients) {
    std::vector<T> x;
    const double range = g.of_output ? 1.0 : 9.0;
    for (int i = -30000; i <= 30000; ++i) x.push_back(static_cast<T>(range * i / 30000));
    const std::vector<T> ones(x.size(), T(1));
    on_every_target([&] {
      std::vector<T> y(x.size());
      void* out[] = {y.data()};
      const void* in[] = {ones.data(), x.data()};
      impl::cpu::activation_gradient_kernel(g.op, kDtype<T>)(out, in, static_cast<int64_t>(x.size()), nullptr);
      double worst = 0;
      size_t at = 0;
      for (size_t i = 0; i < x.size(); ++i) {
        const long double exact = g.exact(x[i]), largest = std::fabs(g.largest(x[i]));
        if (largest == 0 && y[i] == 0) continue;
        int exponent;
        std::frexp(largest, &exponent);
        const long double unit = std::ldexp(1.0L, exponent - std::numeric_limits<T>::digits);
        const auto distance = static_cast<double>(std::fabs(y[i] - exact) / unit);
        if (!(distance <= worst)) worst = distance, at = i;
      }
      EXPECT_LE(worst, g.bound) << g.name << "(" << x[at] << ") = " << y[at];
      print_ulps(g.name, dtype, worst, static_cast<double>(x[at]));
    });
  }
}

TEST(MathUlp, gradients_of_activations_stay_within_their_bounds_on_every_target) {
  expect_gradients_within_bounds<float>("float32");
  expect_gradients_within_bounds<double>("float64");
}

template <typename T>
void expect_powers_within(double bound) {
  using Exact = std::conditional_t<sizeof(T) == 4, double, long double>;
  using L = std::numeric_limits<T>;
  const double largest = L::max_exponent;
  std::vector<T> x, y;
  for (const T a : {T(0), L::denorm_min(), T(0.5), T(1), T(2), T(3), L::max(), L::infinity(), L::quiet_NaN(),
                    std::nextafter(T(1), T(0)), std::ldexp(T(1), L::digits), std::ldexp(T(1), L::digits) - 1}) {
    for (const T b : {T(0), T(0.5), T(1), T(2), T(3), T(2.5), L::infinity(), L::quiet_NaN(), L::max()}) {
      x.insert(x.end(), {a, -a, a, -a});
      y.insert(y.end(), {b, b, -b, -b});
    }
  }
  uint64_t state = 88172645463325252u;
  for (int i = 0; i < 40000; ++i) {
    const auto next = [&] {
      state ^= state << 13;
      state ^= state >> 7;
      state ^= state << 17;
      return static_cast<double>(state) * 0x1p-64;
    };
    const auto base = static_cast<T>(i % 2 == 0 ? std::exp2((next() - 0.5) * 2 * largest) : 1 + (next() - 0.5) * 1e-3);
    if (!(base > 0) || base == 1) continue;
    x.push_back(base);  // the results range from zero and subnormals to infinity
    y.push_back(static_cast<T>((next() - 0.5) * 2.2 * largest / std::log2(static_cast<double>(base))));
  }
  on_every_target([&] {
    std::vector<T> z(x.size());
    void* out[] = {z.data()};
    const void* in[] = {x.data(), y.data()};
    impl::cpu::pow_kernel(kDtype<T>)(out, in, static_cast<int64_t>(x.size()), nullptr);
    for (size_t i = 0; i < x.size(); ++i) {
      ASSERT_LE(ulps(z[i], std::pow(Exact(x[i]), Exact(y[i]))), bound) << x[i] << " ^ " << y[i] << " = " << z[i];
    }
  });
}

TEST(MathUlp, powers_stay_within_their_bounds_on_every_target) {
  expect_powers_within<float>(0.51);
  expect_powers_within<double>(1.2);
}

// Blocks that do not fill their last vector: all lengths around the widest vector; nothing is written past the end.
TEST(MathUlp, remainders_of_blocks_are_computed_and_no_more) {
  on_every_target([] {
    const BlockFn fn = impl::cpu::unary_kernel(UnaryOp::kExp, diopi_dtype_float32);
    for (int64_t n = 0; n <= 40; ++n) {
      std::vector<float> x(n + 1, 1.0f), y(n + 1, -7.0f);
      void* out[] = {y.data()};
      const void* in[] = {x.data()};
      fn(out, in, n, nullptr);
      for (int64_t i = 0; i < n; ++i) ASSERT_NEAR(y[i], 2.7182817f, 1e-6f) << n;
      ASSERT_EQ(y[n], -7.0f) << n;
    }
  });
}

}  // namespace
