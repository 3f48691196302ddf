// SPDX-License-Identifier: BSD-3-Clause
// Functions of one complex number. complex64 is computed in complex128, which avoids overflow and rounding errors of
// the intermediate steps.
#include "impl/cuda/kernels/elementwise/complex_elementary.cuh"
#include "impl/cuda/kernels/elementwise/map.cuh"
#include "impl/cuda/kernels/elementwise/unary.hpp"

namespace impl::cuda {

namespace {

__device__ Complex128 exponential_value(UnaryOp op, Complex128 z) {
  constexpr double kLog2E = 1.4426950408889634, kLog10E = 0.4342944819032518;
  switch (op) {
    case UnaryOp::kAbs:
      return Complex128(std::hypot(z.re, z.im));
    case UnaryOp::kNeg:
      return -z;
    case UnaryOp::kSgn:
      return complex_sign(z);
    case UnaryOp::kReciprocal:
      return Complex128(1) / z;
    case UnaryOp::kSqrt:
      return complex_sqrt(z);
    case UnaryOp::kRsqrt:
      return Complex128(1) / complex_sqrt(z);
    case UnaryOp::kExp:
      return complex_exp(z);
    case UnaryOp::kExpm1:
      return complex_expm1(z);
    case UnaryOp::kLog:
      return complex_log(z);
    case UnaryOp::kLog2:
      return scaled(complex_log(z), kLog2E);
    case UnaryOp::kLog10:
      return scaled(complex_log(z), kLog10E);
    case UnaryOp::kLog1p:
      return complex_log1p(z);
    case UnaryOp::kSilu:
      return z * complex_sigmoid(z);
    default:  // kSigmoid
      return complex_sigmoid(z);
  }
}

__device__ Complex128 trigonometric_value(UnaryOp op, Complex128 z) {
  switch (op) {
    case UnaryOp::kSin:
      return turned_back(complex_sinh(turned(z)));
    case UnaryOp::kCos:
      return complex_cosh(turned(z));
    case UnaryOp::kTan:
      return turned_back(complex_tanh(turned(z)));
    case UnaryOp::kAsin:
      return complex_asin(z);
    case UnaryOp::kAcos:
      return complex_acos(z);
    case UnaryOp::kAtan:
      return turned_back(complex_atanh(turned(z)));
    case UnaryOp::kSinh:
      return complex_sinh(z);
    case UnaryOp::kCosh:
      return complex_cosh(z);
    case UnaryOp::kTanh:
      return complex_tanh(z);
    case UnaryOp::kAsinh:
      return turned_back(complex_asin(turned(z)));
    case UnaryOp::kAcosh:
      return complex_acosh(z);
    default:  // kAtanh
      return complex_atanh(z);
  }
}

template <typename T, bool kTrigonometric>
struct ComplexUnary {
  static constexpr bool kGivesBool = false;
  UnaryOp op;
  __device__ T operator()(const T (&in)[1]) const {
    const auto z = convert<Complex128>(in[0]);
    return convert<T>(kTrigonometric ? trigonometric_value(op, z) : exponential_value(op, z));
  }
};

}  // namespace

bool has_complex(UnaryOp op) {
  const bool is_real = op == UnaryOp::kSign || (op >= UnaryOp::kFloor && op <= UnaryOp::kRelu) ||
                       (op >= UnaryOp::kGelu && op <= UnaryOp::kHardswish) || op >= UnaryOp::kErf;
  return !is_real;
}

Status launch_complex_unary(const MapCall& call, UnaryOp op, diopiDtype_t dtype) {
  return diopi::visit_dtype<diopi::TypeList<Complex64, Complex128>>(dtype, [&](auto tag) -> Status {
    using T = diopi::tagged<decltype(tag)>;
    if (op < UnaryOp::kSin || op > UnaryOp::kAtanh) {
      return launch_map<ComplexUnary<T, false>, T, 1>(call, ComplexUnary<T, false>{op});
    }
    return launch_map<ComplexUnary<T, true>, T, 1>(call, ComplexUnary<T, true>{op});
  });
}

}  // namespace impl::cuda
