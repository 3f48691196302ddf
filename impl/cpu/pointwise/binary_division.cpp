// SPDX-License-Identifier: BSD-3-Clause
#include "impl/common/integer_math.hpp"
#include "impl/common/kernel_table.hpp"
#include "impl/cpu/pointwise/binary.hpp"

#include <cmath>
#include <type_traits>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "impl/cpu/pointwise/binary_division.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>
#include "impl/cpu/simd/block_loops-inl.h"

HWY_BEFORE_NAMESPACE();
namespace impl::cpu {
namespace HWY_NAMESPACE {

using diopi::complex128;
using diopi::complex64;

struct DivOp {
  template <class V>
  static HWY_INLINE V vector(V a, V b) {
    return hn::Div(a, b);
  }
  // Division by Smith's method: the operands are scaled by the larger part of the divisor to avoid overflow of
  // intermediate results.
  template <typename R>
  static std::complex<R> apply(std::complex<R> a, std::complex<R> b) {
    const R re = b.real(), im = b.imag();
    if (std::abs(re) >= std::abs(im)) {
      if (re == 0 && im == 0) return {a.real() / std::abs(re), a.imag() / std::abs(im)};
      const R ratio = im / re, scale = 1 / (re + im * ratio);
      return {(a.real() + a.imag() * ratio) * scale, (a.imag() - a.real() * ratio) * scale};
    }
    const R ratio = re / im, scale = 1 / (re * ratio + im);
    return {(a.real() * ratio + a.imag()) * scale, (a.imag() * ratio - a.real()) * scale};
  }
};

struct DivTruncOp {
  template <typename T>
  static T apply(T a, T b) {
    if constexpr (std::is_integral_v<T>)
      return diopi::integer_quotient(a, b);
    else
      return std::trunc(a / b);
  }
};

struct RemainderOp {
  template <typename T>
  static T apply(T a, T b) {
    if constexpr (std::is_integral_v<T>) {
      return diopi::integer_remainder(a, b);
    } else {
      const T r = std::fmod(a, b);
      return r != 0 && (r < 0) != (b < 0) ? r + b : r;
    }
  }
};

// Python's floor division: the quotient q for which a - q * b is the remainder with the sign of b.
struct DivFloorOp {
  template <typename T>
  static T apply(T a, T b) {
    if constexpr (std::is_integral_v<T>) {
      return diopi::integer_floor_quotient(a, b);
    } else {
      if (b == 0) return a / b;
      const T r = std::fmod(a, b);
      T q = (a - r) / b;
      if (r != 0 && (b < 0) != (r < 0)) q -= 1;
      if (q == 0) return std::copysign(T(0), a / b);
      const T f = std::floor(q);
      return q - f > T(0.5) ? f + 1 : f;
    }
  }
};

template <class Op>
BlockFn real_loop(diopiDtype_t dtype) {
  return diopi::kernel_for<diopi::RealTypes>(dtype, [](auto tag) {
    using T = diopi::tagged<decltype(tag)>;
    return loop2<Op, T, T>;
  });
}

BlockFn true_division(diopiDtype_t dtype) {
  if (dtype == diopi_dtype_float32 || dtype == diopi_dtype_float64) return any_streaming_map2<DivOp>(dtype);
  return diopi::kernel_for<diopi::TypeList<complex64, complex128>>(dtype, [](auto tag) {
    using T = diopi::tagged<decltype(tag)>;
    return loop2<DivOp, T, T>;
  });
}

BlockFn GetDivision(BinaryOp op, diopiDtype_t dtype) {
  switch (op) {
    case BinaryOp::kDiv:
      return true_division(dtype);
    case BinaryOp::kDivTrunc:
      return real_loop<DivTruncOp>(dtype);
    case BinaryOp::kDivFloor:
      return real_loop<DivFloorOp>(dtype);
    case BinaryOp::kRemainder:
      return real_loop<RemainderOp>(dtype);
    default:
      return nullptr;
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace impl::cpu
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace impl::cpu {
HWY_EXPORT(GetDivision);

BlockFn division_kernel(BinaryOp op, diopiDtype_t dtype) { return HWY_DYNAMIC_DISPATCH(GetDivision)(op, dtype); }
}  // namespace impl::cpu
#endif
