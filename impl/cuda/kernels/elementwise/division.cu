// SPDX-License-Identifier: BSD-3-Clause
// Quotients, remainders and powers.
#include "impl/common/integer_math.hpp"
#include "impl/cuda/kernels/elementwise/binary.hpp"
#include "impl/cuda/kernels/elementwise/complex_elementary.cuh"
#include "impl/cuda/kernels/elementwise/map.cuh"
#include "impl/cuda/kernels/first_bad.cuh"

namespace impl::cuda {

namespace {

template <typename T>
__device__ T floor_quotient(T a, T b) {
  if (b == 0) return a / b;
  const T r = std::fmod(a, b);
  T q = (a - r) / b;
  if (r != 0 && (b < 0) != (r < 0)) q -= 1;
  if (q == 0) return std::copysign(T(0), a / b);
  const T f = std::floor(q);
  return q - f > T(0.5) ? f + 1 : f;
}

template <typename T>
__device__ T remainder_of_floor(T a, T b) {
  const T r = std::fmod(a, b);
  return r != 0 && (r < 0) != (b < 0) ? r + b : r;
}

template <typename T>
__device__ T division_value(BinaryOp op, const FirstBad& zero, T a, T b) {
  if constexpr (is_complex_type<T>) {
    if (op == BinaryOp::kPow) return convert<T>(complex_power(convert<Complex128>(a), convert<Complex128>(b)));
    return a / b;
  } else if constexpr (std::is_integral_v<T>) {
    if (op == BinaryOp::kPow) return diopi::integer_power(a, b);
    if (b == 0) {
      report(zero, 0, 0);
      return 0;
    }
    if (op == BinaryOp::kDivTrunc) return diopi::integer_quotient(a, b);
    return op == BinaryOp::kDivFloor ? diopi::integer_floor_quotient(a, b) : diopi::integer_remainder(a, b);
  } else {
    switch (op) {
      case BinaryOp::kDiv:
        return a / b;
      case BinaryOp::kDivTrunc:
        return std::trunc(a / b);
      case BinaryOp::kDivFloor:
        return floor_quotient(a, b);
      case BinaryOp::kRemainder:
        return remainder_of_floor(a, b);
      default:
        return std::pow(a, b);
    }
  }
}

template <typename T>
struct Division {
  static constexpr bool kGivesBool = false;
  BinaryOp op;
  FirstBad zero;
  __device__ T operator()(const T (&in)[2]) const { return division_value(op, zero, in[0], in[1]); }
};

using Divisible = diopi::TypeList<int8_t, uint8_t, int16_t, uint16_t, int32_t, uint32_t, int64_t, uint64_t, float,
                                  double, Complex64, Complex128>;

}  // namespace

Status launch_division(const MapCall& call, BinaryOp op, diopiDtype_t dtype, const FirstBad& zero) {
  return diopi::visit_dtype<Divisible>(dtype, [&](auto tag) -> Status {
    using T = diopi::tagged<decltype(tag)>;
    return launch_map<Division<T>, T, 2>(call, Division<T>{op, zero});
  });
}

}  // namespace impl::cuda
