// SPDX-License-Identifier: BSD-3-Clause
// Absolute value, sign, rounding and rectification of every real dtype. All results are exact.
#include <cmath>
#include <type_traits>

#include "impl/common/kernel_table.hpp"
#include "impl/cpu/pointwise/unary.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "impl/cpu/pointwise/unary_exact.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>
#include "impl/cpu/math/common-inl.h"
#include "impl/cpu/simd/block_loops-inl.h"
#include "impl/cpu/simd/vector_loops-inl.h"

HWY_BEFORE_NAMESPACE();
namespace impl::cpu {
namespace HWY_NAMESPACE {

// The absolute value of the most negative integer is that integer itself.
struct AbsOp {
  template <class V>
  static HWY_INLINE V vector(V a) {
    return hn::Abs(a);
  }
  template <typename T>
  static T apply(T a) {
    if constexpr (std::is_floating_point_v<T>) {
      return std::abs(a);
    } else if constexpr (std::is_signed_v<T>) {
      using U = std::make_unsigned_t<T>;
      return static_cast<T>(a < 0 ? static_cast<U>(0) - static_cast<U>(a) : static_cast<U>(a));
    } else {
      return a;
    }
  }
};

struct NegOp {
  template <class V>
  static HWY_INLINE V vector(V a) {
    return hn::Neg(a);
  }
  template <typename T>
  static T apply(T a) {
    if constexpr (std::is_floating_point_v<T>)
      return -a;
    else
      return static_cast<T>(std::make_unsigned_t<T>(0) - static_cast<std::make_unsigned_t<T>>(a));
  }
};

// The sign; 0 for NaN.
struct SignOp {
  template <class V>
  static HWY_INLINE V vector(V a) {
    const hn::DFromV<V> d;
    return hn::IfThenElseZero(hn::Gt(hn::Abs(a), hn::Zero(d)), hn::CopySign(hn::Set(d, hn::TFromD<decltype(d)>(1)), a));
  }
  template <typename T>
  static T apply(T a) {
    if constexpr (std::is_signed_v<T>)
      return static_cast<T>((a > T(0)) - (a < T(0)));
    else
      return static_cast<T>(a != T(0));
  }
};

// Rounding of integers, and absolute values of bools, return the operand. Rounding of floating point uses Highway,
// because GCC does not vectorise std::floor.
struct WholeOp {
  template <typename T>
  static T apply(T a) {
    return a;
  }
};
struct FloorFn {
  template <class D, class V>
  HWY_INLINE V operator()(D, V v) const {
    return RoundDown(v);
  }
};
struct CeilFn {
  template <class D, class V>
  HWY_INLINE V operator()(D, V v) const {
    return RoundUp(v);
  }
};

// max(x, 0); NaN stays NaN, and -0 stays -0.
struct ReluOp {
  template <class V>
  static HWY_INLINE V vector(V a) {
    return hn::IfThenZeroElse(hn::Lt(a, hn::Xor(a, a)), a);
  }
  template <typename T>
  static T apply(T a) {
    if constexpr (std::is_signed_v<T>)
      return a < T(0) ? T(0) : a;
    else
      return a;
  }
};

// Functions that depend only on the sign work on the bits of float16 and bfloat16.
struct AbsBitsOp {
  static uint16_t apply(uint16_t bits) { return bits & 0x7FFF; }
};
struct NegBitsOp {
  static uint16_t apply(uint16_t bits) { return bits ^ 0x8000; }
};
template <uint16_t kNegativeInfinity>
struct ReluBitsOp {
  static uint16_t apply(uint16_t bits) { return bits > 0x8000 && bits <= kNegativeInfinity ? 0 : bits; }
};

BlockFn bits_loop(UnaryOp op, diopiDtype_t dtype) {
  switch (op) {
    case UnaryOp::kAbs:
      return loop1<AbsBitsOp, uint16_t, uint16_t>;
    case UnaryOp::kNeg:
      return loop1<NegBitsOp, uint16_t, uint16_t>;
    case UnaryOp::kRelu:
      if (dtype == diopi_dtype_float16) return loop1<ReluBitsOp<0xFC00>, uint16_t, uint16_t>;
      return loop1<ReluBitsOp<0xFF80>, uint16_t, uint16_t>;
    default:
      return nullptr;
  }
}

template <class Op>
BlockFn real_loop(diopiDtype_t dtype) {
  return diopi::kernel_for<diopi::RealTypes>(dtype, [](auto tag) {
    using T = diopi::tagged<decltype(tag)>;
    return loop1<Op, T, T>;
  });
}

template <class Op>
BlockFn real_streaming_map(diopiDtype_t dtype) {
  return diopi::is_floating(dtype) ? any_streaming_map1<Op>(dtype) : real_loop<Op>(dtype);
}

BlockFn GetExactUnary(UnaryOp op, diopiDtype_t dtype) {
  if (diopi::is_reduced_float(dtype)) return bits_loop(op, dtype);
  switch (op) {
    case UnaryOp::kAbs:
      if (dtype == diopi_dtype_bool) return loop1<WholeOp, bool, bool>;
      return real_streaming_map<AbsOp>(dtype);
    case UnaryOp::kNeg:
      return real_streaming_map<NegOp>(dtype);
    case UnaryOp::kSign:
    case UnaryOp::kSgn:
      if (dtype == diopi_dtype_bool) return loop1<SignOp, bool, bool>;
      return real_streaming_map<SignOp>(dtype);
    case UnaryOp::kFloor:
      return diopi::is_floating(dtype) ? real_vector_loop1<FloorFn>(dtype) : real_loop<WholeOp>(dtype);
    case UnaryOp::kCeil:
      return diopi::is_floating(dtype) ? real_vector_loop1<CeilFn>(dtype) : real_loop<WholeOp>(dtype);
    case UnaryOp::kRelu:
      return real_streaming_map<ReluOp>(dtype);
    default:
      return nullptr;
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace impl::cpu
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace impl::cpu {
HWY_EXPORT(GetExactUnary);

BlockFn exact_unary_kernel(UnaryOp op, diopiDtype_t dtype) { return HWY_DYNAMIC_DISPATCH(GetExactUnary)(op, dtype); }
}  // namespace impl::cpu
#endif
