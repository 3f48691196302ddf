// SPDX-License-Identifier: BSD-3-Clause
#include "impl/common/families/unary.hpp"

#include <cmath>

#include "impl/skeleton/skeleton.hpp"

namespace impl::skeleton {

namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

// The inverse of erf by Newton's method, which starts from the series of the logarithm.
double erfinv(double y) {
  if (!(std::fabs(y) < 1)) return std::fabs(y) == 1 ? std::copysign(INFINITY, y) : kNan;
  const double log = std::log1p(-y * y), t = 4.33 + log / 2;
  double x = std::copysign(std::sqrt(std::sqrt(t * t - log / 0.147) - t), y);
  for (int i = 0; i < 4; ++i) x -= (std::erf(x) - y) * std::exp(x * x) * 0.886226925452758;
  return x;
}

using Function = double (*)(double);

Function function_of(UnaryOp op) {
#define ROW(name, value) \
  case UnaryOp::name:    \
    return [](double x) -> double { return value; }
  switch (op) {  // clang-format off
    ROW(kAbs, std::fabs(x)); ROW(kNeg, -x); ROW(kFloor, std::floor(x)); ROW(kCeil, std::ceil(x));
    ROW(kSign, (x > 0) - (x < 0)); ROW(kSgn, (x > 0) - (x < 0)); ROW(kRelu, x <= 0 ? 0.0 : x);
    ROW(kReciprocal, 1 / x); ROW(kSqrt, std::sqrt(x)); ROW(kRsqrt, 1 / std::sqrt(x));
    ROW(kExp, std::exp(x)); ROW(kExpm1, std::expm1(x)); ROW(kLog, std::log(x)); ROW(kLog2, std::log2(x));
    ROW(kLog10, std::log10(x)); ROW(kLog1p, std::log1p(x)); ROW(kSin, std::sin(x)); ROW(kCos, std::cos(x));
    ROW(kTan, std::tan(x)); ROW(kAsin, std::asin(x)); ROW(kAcos, std::acos(x)); ROW(kAtan, std::atan(x));
    ROW(kSinh, std::sinh(x)); ROW(kCosh, std::cosh(x)); ROW(kTanh, std::tanh(x)); ROW(kAsinh, std::asinh(x));
    ROW(kAcosh, std::acosh(x)); ROW(kAtanh, std::atanh(x)); ROW(kErf, std::erf(x)); ROW(kErfinv, erfinv(x));
    default: return nullptr;
  }  // clang-format on
#undef ROW
}

}  // namespace

Status run_unary(diopiContextHandle_t ctx, UnaryOp op, const TensorView& out, const TensorView& in) {
  const Function f = function_of(op);
  DIOPI_REQUIRE(f != nullptr, diopiDtypeNotSupported, "this vendor does not have the operation on %s", in.name);
  Elements x, y;
  DIOPI_TRY(x.read(ctx, in, out));
  DIOPI_TRY(y.write(out));
  for_each_index(out.shape, [&](const int64_t* index) { y.set(index, f(x.get<double>(index))); });
  return diopiSuccess;
}

}  // namespace impl::skeleton
