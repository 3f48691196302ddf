// SPDX-License-Identifier: BSD-3-Clause
// Activations and their gradients on each vector target of this machine.
#include <cmath>
#include <cstdint>
#include <vector>

#include "diopi_test/unit/every_target.hpp"
#include "impl/cpu/pointwise/activation.hpp"
#include "impl/cpu/pointwise/unary.hpp"

namespace {

using impl::cpu::BlockFn;
using impl::cpu::UnaryOp;
using test::kDtype;
using test::on_every_target;

// The results of every target are compared with those of the target on which the conformance cases run.
template <typename T>
void expect_same_activations() {
  using impl::cpu::ActivationGradient;
  using impl::cpu::ParametricActivation;
  const T tolerance = sizeof(T) == 4 ? T(1e-6) : T(1e-14);
  const T params[] = {T(-0.75), T(1.5)};
  std::vector<T> x, grad;
  for (int i = -160; i <= 160; ++i) {
    x.push_back(T(i) * T(0.0931));
    grad.push_back(T(1) + T(i % 7) / 8);
  }
  const auto n = static_cast<int64_t>(x.size());
  const auto run = [&](BlockFn fn, bool gradient) {
    std::vector<T> y(x.size());
    void* out[] = {y.data()};
    const void* in[] = {gradient ? grad.data() : x.data(), x.data()};
    fn(out, in, n, params);
    return y;
  };
  const auto expect_same = [&](auto kernel, bool gradient, int op) {
    const std::vector<T> reference = run(kernel(), gradient);
    on_every_target([&] {
      const std::vector<T> y = run(kernel(), gradient);
      for (int64_t i = 0; i < n; ++i) {
        ASSERT_NEAR(y[i], reference[i], tolerance * (1 + std::abs(x[i]))) << "operation " << op << " at " << x[i];
      }
    });
  };
  for (const UnaryOp op : {UnaryOp::kRelu, UnaryOp::kSilu, UnaryOp::kGelu, UnaryOp::kGeluTanh, UnaryOp::kHardswish,
                           UnaryOp::kAbs, UnaryOp::kNeg, UnaryOp::kSign, UnaryOp::kFloor, UnaryOp::kCeil}) {
    expect_same([op] { return impl::cpu::unary_kernel(op, kDtype<T>); }, false, static_cast<int>(op));
  }
  for (int op = 0; op <= static_cast<int>(ParametricActivation::kLeakyRelu); ++op) {
    const auto activation = static_cast<ParametricActivation>(op);
    expect_same([=] { return impl::cpu::parametric_activation_kernel(activation, kDtype<T>); }, false, 100 + op);
  }
  for (int op = 0; op <= static_cast<int>(ActivationGradient::kLeakyRelu); ++op) {
    const auto gradient = static_cast<ActivationGradient>(op);
    expect_same([=] { return impl::cpu::activation_gradient_kernel(gradient, kDtype<T>); }, true, 200 + op);
  }
}

TEST(Activation, functions_and_gradients_agree_on_every_target) {
  expect_same_activations<float>();
  expect_same_activations<double>();
}

}  // namespace
