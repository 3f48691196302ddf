// SPDX-License-Identifier: BSD-3-Clause
#include "impl/common/families/binary.hpp"

#include <cmath>

#include "impl/skeleton/skeleton.hpp"

namespace impl::skeleton {

namespace {

int64_t rounded_down(int64_t a, int64_t b) { return a / b - (a % b != 0 && (a < 0) != (b < 0)); }
// PyTorch rounds the exact quotient of a - fmod(a, b), so that 1 / 0.1 becomes 9.
double rounded_down(double a, double b) {
  if (b == 0) return a / b;
  const double rest = std::fmod(a, b), quotient = (a - rest) / b - (rest != 0 && (b < 0) != (rest < 0));
  return quotient == 0 ? std::copysign(0.0, a / b) : std::round(quotient);
}

// T is int64_t or double; both hold every result before it is rounded.
template <typename T>
T apply(BinaryOp op, T a, T b, T alpha) {
  if (op == BinaryOp::kSub) return a - b;
  if (op == BinaryOp::kMul) return a * b;
  if (op == BinaryOp::kDiv) return a / b;
  if (op == BinaryOp::kDivTrunc) return std::is_integral_v<T> ? a / b : std::trunc(static_cast<double>(a) / b);
  if (op == BinaryOp::kDivFloor) return rounded_down(a, b);
  if (op != BinaryOp::kRemainder) return a + alpha * b;
  const T rest = static_cast<T>(std::fmod(static_cast<double>(a), static_cast<double>(b)));  // exact
  return rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest;
}

}  // namespace

Status any_zero(diopiContextHandle_t ctx, const TensorView& view, bool* found) {
  Elements x;
  DIOPI_TRY(x.write(view));
  for_each_index(view.shape, [&](const int64_t* index) { *found |= x.get<int64_t>(index) == 0; });
  return diopiSuccess;
}

Status run_binary(diopiContextHandle_t ctx, BinaryOp op, const TensorView& out, const TensorView& a,
                  const TensorView& b, diopiDtype_t promoted, const void* params) {
  DIOPI_REQUIRE(op <= BinaryOp::kRemainder, diopiDtypeNotSupported, "this vendor does not have the operation");
  Elements x, y, result;
  DIOPI_TRY(x.read(ctx, a, out));
  DIOPI_TRY(y.read(ctx, b, out));
  DIOPI_TRY(result.write(out));
  const auto run = [&](auto alpha) {
    using T = decltype(alpha);
    using In = std::conditional_t<std::is_integral_v<T>, int64_t, float>;  // an int32 is rounded to float first
    for_each_index(out.shape,
                   [&](const int64_t* i) { result.set(i, apply<T>(op, x.get<In>(i), y.get<In>(i), alpha)); });
    return diopiSuccess;
  };
  if (promoted == diopi_dtype_float32) return run(params == nullptr ? 1.0 : double{*static_cast<const float*>(params)});
  return run(params == nullptr ? int64_t{1} : int64_t{*static_cast<const int32_t*>(params)});
}

}  // namespace impl::skeleton
