// SPDX-License-Identifier: BSD-3-Clause
#include "impl/common/integer_math.hpp"
#include "impl/common/kernel_table.hpp"
#include "impl/cpu/pointwise/binary.hpp"

#include <cmath>
#include <limits>
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
    if constexpr (std::is_integral_v<T>) {
      return diopi::integer_quotient(a, b);
    } else {
      return std::trunc(a / b);
    }
  }
  template <class V>
  static HWY_INLINE V vector(V a, V b) {
    return hn::Trunc(hn::Div(a, b));
  }
  template <class V>
  static HWY_INLINE V whole(V a, V b) {
    return vector(a, b);
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
  template <class V>
  static HWY_INLINE V whole(V a, V b) {
    return hn::Sub(a, hn::Mul(hn::Floor(hn::Div(a, b)), b));
  }
  // `r` is fmod(a, b).
  template <class D, class V>
  static HWY_INLINE V vector(D d, V /*a*/, V b, V r) {
    return hn::IfThenElse(has_other_sign(d, r, b), hn::Add(r, b), r);
  }
  // Whether r is not 0 and has not the sign of b.
  template <class D, class V>
  static HWY_INLINE auto has_other_sign(D d, V r, V b) {
    const auto zero = hn::Zero(d);
    return hn::And(hn::Ne(r, zero), hn::Xor(hn::Lt(r, zero), hn::Lt(b, zero)));
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
  template <class V>
  static HWY_INLINE V whole(V a, V b) {
    return hn::Floor(hn::Div(a, b));
  }
  template <class D, class V>
  static HWY_INLINE V vector(D d, V a, V b, V r) {
    using T = hn::TFromD<D>;
    const auto one = hn::Set(d, T(1));
    auto q = hn::Div(hn::Sub(a, r), b);
    q = hn::IfThenElse(RemainderOp::has_other_sign(d, r, b), hn::Sub(q, one), q);
    const auto f = hn::Floor(q);
    const auto whole = hn::IfThenElse(hn::Gt(hn::Sub(q, f), hn::Set(d, T(0.5))), hn::Add(f, one), f);
    return hn::IfThenElse(hn::Eq(q, hn::Zero(d)), hn::CopySign(hn::Zero(d), hn::Div(a, b)), whole);
  }
};

#if HWY_NATIVE_FMA  // a product and a sum are rounded once
// out = Op::vector(a, b, fmod(a, b)), or Op::apply(a, b) where a / b is large or not finite. If the rounded quotient q
// is below 2^23 or 2^52, then a - q * b is exact, and has the wrong sign if q was rounded up to the next integer.
template <class Op, typename T>
void loop_of_remainders(void* const* out, const void* const* in, int64_t n, const void*) {
  const hn::ScalableTag<T> d;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  const auto most = hn::Set(d, static_cast<T>(int64_t{1} << (std::numeric_limits<T>::digits - 1)));
  const auto infinity = hn::Set(d, std::numeric_limits<T>::infinity());
  T* o = static_cast<T*>(out[0]);
  const T* a = static_cast<const T*>(in[0]);
  const T* b = static_cast<const T*>(in[1]);
  int64_t i = 0;
  for (; i + lanes <= n; i += lanes) {
    const auto x = hn::LoadU(d, a + i), y = hn::LoadU(d, b + i);
    const auto q = hn::Trunc(hn::Div(x, y));
    if (HWY_UNLIKELY(!hn::AllTrue(d, hn::And(hn::Lt(hn::Abs(q), most), hn::Lt(hn::Abs(y), infinity))))) {
      for (int64_t k = i; k < i + lanes; ++k) o[k] = Op::apply(a[k], b[k]);
      continue;
    }
    auto r = hn::NegMulAdd(q, y, x);
    r = hn::IfThenElse(RemainderOp::has_other_sign(d, r, x), hn::Add(r, hn::CopySign(y, x)), r);
    hn::StoreU(Op::vector(d, x, y, hn::CopySign(r, x)), d, o + i);
  }
  for (; i < n; ++i) o[i] = Op::apply(a[i], b[i]);
}

template <class Op, typename T>
constexpr BlockFn kFloatLoop = loop_of_remainders<Op, T>;
#else
template <class Op, typename T>
constexpr BlockFn kFloatLoop = loop2<Op, T, T>;
#endif

#if HWY_TARGET != HWY_SCALAR
// Integers of up to 16 bits are divided as float, others as double. There a quotient never rounds up to an integer: a /
// b and the next integer differ by at least 1 / b, which is more than a rounding error if |a| < 2^52.
template <typename T>
using WideInteger = std::conditional_t<sizeof(T) <= 2, int32_t, int64_t>;

template <class D, typename T>
HWY_INLINE hn::Vec<D> load_wide(D d, const T* from) {
  const hn::Rebind<T, D> narrow;
  if constexpr (sizeof(T) == 8) {
    return hn::BitCast(d, hn::LoadU(narrow, from));
  } else if constexpr (std::is_same_v<T, uint32_t>) {
    return hn::BitCast(d, hn::PromoteTo(hn::RebindToUnsigned<D>(), hn::LoadU(narrow, from)));
  } else {
    return hn::PromoteTo(d, hn::LoadU(narrow, from));
  }
}

// Stores the lower bits.
template <class D, typename T>
HWY_INLINE void store_narrow(D d, hn::Vec<D> v, T* to) {
  using U = std::make_unsigned_t<T>;
  const auto bits = hn::BitCast(hn::RebindToUnsigned<D>(), v);
  if constexpr (sizeof(T) == 8) {
    hn::StoreU(v, d, reinterpret_cast<int64_t*>(to));
  } else {
    const hn::Rebind<U, D> narrow;
    hn::StoreU(hn::TruncateTo(narrow, bits), narrow, reinterpret_cast<U*>(to));
  }
}

// Whether all integers can be divided as double.
template <typename T, class D, class V>
HWY_INLINE bool are_small(D d, V a, V b) {
  constexpr int kBits = 52;
  if constexpr (sizeof(T) < 8) {
    return true;
  } else if constexpr (std::is_signed_v<T>) {
    const auto size = hn::Or(hn::Xor(a, hn::ShiftRight<63>(a)), hn::Xor(b, hn::ShiftRight<63>(b)));
    return hn::AllTrue(d, hn::Lt(size, hn::Set(d, int64_t{1} << kBits)));
  } else {
    const hn::RebindToUnsigned<D> du;
    const auto high = hn::ShiftRight<kBits>(hn::BitCast(du, hn::Or(a, b)));
    return hn::AllTrue(du, hn::Eq(high, hn::Zero(du)));
  }
}

template <class Op, typename T>
void loop_of_integers(void* const* out, const void* const* in, int64_t n, const void*) {
  const hn::ScalableTag<WideInteger<T>> d;
  const hn::RebindToFloat<decltype(d)> df;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  T* o = static_cast<T*>(out[0]);
  const T* a = static_cast<const T*>(in[0]);
  const T* b = static_cast<const T*>(in[1]);
  int64_t i = 0;
  for (; i + lanes <= n; i += lanes) {
    const auto x = load_wide(d, a + i), y = load_wide(d, b + i);
    if (HWY_LIKELY((are_small<T>(d, x, y)))) {
      store_narrow(d, hn::ConvertTo(d, Op::whole(hn::ConvertTo(df, x), hn::ConvertTo(df, y))), o + i);
    } else {
      for (int64_t k = i; k < i + lanes; ++k) o[k] = Op::apply(a[k], b[k]);
    }
  }
  for (; i < n; ++i) o[i] = Op::apply(a[i], b[i]);
}

template <class Op, typename T>
constexpr BlockFn kIntegerLoop = loop_of_integers<Op, T>;
#else
template <class Op, typename T>
constexpr BlockFn kIntegerLoop = loop2<Op, T, T>;
#endif

template <class Op>
BlockFn integer_loop(diopiDtype_t dtype) {
  return diopi::kernel_for<diopi::IntegerTypes>(
      dtype, [](auto tag) { return kIntegerLoop<Op, diopi::tagged<decltype(tag)>>; });
}

BlockFn truncated_division(diopiDtype_t dtype) {
  return diopi::is_floating(dtype) ? any_streaming_map2<DivTruncOp>(dtype) : integer_loop<DivTruncOp>(dtype);
}

template <class Op>
BlockFn remainder_loop(diopiDtype_t dtype) {
  if (dtype == diopi_dtype_float32) return kFloatLoop<Op, float>;
  if (dtype == diopi_dtype_float64) return kFloatLoop<Op, double>;
  return integer_loop<Op>(dtype);
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
      return truncated_division(dtype);
    case BinaryOp::kDivFloor:
      return remainder_loop<DivFloorOp>(dtype);
    case BinaryOp::kRemainder:
      return remainder_loop<RemainderOp>(dtype);
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
