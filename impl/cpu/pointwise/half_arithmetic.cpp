// SPDX-License-Identifier: BSD-3-Clause
// Arithmetic and functions of float16 and bfloat16 that take no longer than their conversions. They are computed in
// float in registers, without a float copy in memory.
#include "impl/cpu/pointwise/half.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "impl/cpu/pointwise/half_arithmetic.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>
#include "impl/cpu/math/power-inl.h"
#include "impl/cpu/simd/half_loops-inl.h"
#include "impl/cpu/simd/vector_loops-inl.h"

HWY_BEFORE_NAMESPACE();
namespace impl::cpu {
namespace HWY_NAMESPACE {

#define DIOPI_HALF_FUNCTION(Name, expression)       \
  struct Name##OfHalf {                             \
    template <class D, class V, class... W>         \
    HWY_INLINE V operator()(D, V a, W... b) const { \
      return expression;                            \
    }                                               \
  }
DIOPI_HALF_FUNCTION(Add, hn::Add(a, b...));
DIOPI_HALF_FUNCTION(Sub, hn::Sub(a, b...));
DIOPI_HALF_FUNCTION(Mul, hn::Mul(a, b...));
DIOPI_HALF_FUNCTION(Div, hn::Div(a, b...));
DIOPI_HALF_FUNCTION(DivTrunc, hn::Trunc(hn::Div(a, b...)));
DIOPI_HALF_FUNCTION(Floor, RoundDown(a));
DIOPI_HALF_FUNCTION(Ceil, RoundUp(a));
#undef DIOPI_HALF_FUNCTION
IMPL_CPU_VECTOR_FUNCTION(SquareRoot);
IMPL_CPU_VECTOR_FUNCTION(Reciprocal);
IMPL_CPU_VECTOR_FUNCTION(Rsqrt);

// The result is NaN if an operand is.
template <bool kLargest>
struct ExtremumOfHalf {
  template <class D, class V>
  HWY_INLINE V operator()(D, V a, V b) const {
    return hn::IfThenElse(hn::IsNaN(b), b, kLargest ? AtLeast(b, a) : AtMost(b, a));
  }
};

// Returns get(F{}) with the function of the operation, or nothing.
template <class Get>
auto half_function(BinaryOp op, const Get& get) -> decltype(get(AddOfHalf{})) {
  switch (op) {
    case BinaryOp::kAdd:
      return get(AddOfHalf{});
    case BinaryOp::kSub:
      return get(SubOfHalf{});
    case BinaryOp::kMul:
      return get(MulOfHalf{});
    case BinaryOp::kDiv:
      return get(DivOfHalf{});
    case BinaryOp::kMaximum:
      return get(ExtremumOfHalf<true>{});
    case BinaryOp::kMinimum:
      return get(ExtremumOfHalf<false>{});
    default:
      return {};
  }
}

BlockFn GetHalfBinary(BinaryOp op, diopiDtype_t dtype) {
  return half_function(op, [=](auto f) { return any_half_loop2<decltype(f)>(dtype); });
}
BlockFn GetHalfByNumber(BinaryOp op, diopiDtype_t dtype) {
  if (op == BinaryOp::kDivTrunc) return any_half_loop1_param<DivTruncOfHalf>(dtype);
  return half_function(op, [=](auto f) { return any_half_loop1_param<decltype(f)>(dtype); });
}

// The loop half_loop2 for calls whose input kOne is one element.
template <class F, typename S, int kOne>
void half_loop2_with_one(void* const* out, const void* const* in, int64_t n, const void*) {
  const TagOf<S> d;
  const auto one = hn::Set(d, static_cast<float>(*static_cast<const S*>(in[kOne])));
  map_half<S>(out[0], in, n, [&](auto load) {
    if constexpr (kOne == 0) {
      return F{}(d, one, load(1));
    } else {
      return F{}(d, load(0), one);
    }
  });
}

template <class F>
OneSided half_one_sided(diopiDtype_t dtype) {
  if (dtype == diopi_dtype_float16)
    return {half_loop2_with_one<F, diopi::float16, 0>, half_loop2_with_one<F, diopi::float16, 1>};
  if (dtype == diopi_dtype_bfloat16)
    return {half_loop2_with_one<F, diopi::bfloat16, 0>, half_loop2_with_one<F, diopi::bfloat16, 1>};
  return {};
}

OneSided GetHalfOneSided(BinaryOp op, diopiDtype_t dtype) {
  return half_function(op, [=](auto f) { return half_one_sided<decltype(f)>(dtype); });
}

struct AddcmulOfHalf {
  template <class D, class V>
  HWY_INLINE V operator()(D, V a, V b, V c, V value) const {
    return hn::Add(a, hn::Mul(hn::Mul(value, b), c));
  }
};
struct AddcdivOfHalf {
  template <class D, class V>
  HWY_INLINE V operator()(D, V a, V b, V c, V value) const {
    return hn::Add(a, hn::Div(hn::Mul(value, b), c));
  }
};
struct LerpOfHalf {
  template <class D, class V>
  HWY_INLINE V operator()(D d, V a, V b, V weight) const {
    const auto difference = hn::Sub(b, a);
    const auto from_a = hn::Add(a, hn::Mul(weight, difference));
    const auto from_b = hn::Sub(b, hn::Mul(difference, hn::Sub(hn::Set(d, 1.0f), weight)));
    return hn::IfThenElse(hn::Lt(hn::Abs(weight), hn::Set(d, 0.5f)), from_a, from_b);
  }
};

BlockFn GetHalfTernary(TernaryOp op, diopiDtype_t dtype) {
  switch (op) {
    case TernaryOp::kAddcmul:
      return any_half_loop3_param<AddcmulOfHalf>(dtype);
    case TernaryOp::kAddcdiv:
      return any_half_loop3_param<AddcdivOfHalf>(dtype);
    case TernaryOp::kLerp:
      return any_half_loop3<LerpOfHalf>(dtype);
    default:
      return nullptr;
  }
}

BlockFn GetHalfLerpByNumber(diopiDtype_t dtype) { return any_half_loop2_param<LerpOfHalf>(dtype); }

BlockFn GetHalfUnary(UnaryOp op, diopiDtype_t dtype) {
  switch (op) {
    case UnaryOp::kFloor:
      return any_half_loop1<FloorOfHalf>(dtype);
    case UnaryOp::kCeil:
      return any_half_loop1<CeilOfHalf>(dtype);
    case UnaryOp::kSqrt:
      return any_half_loop1<SquareRootFn>(dtype);
    case UnaryOp::kReciprocal:
      return any_half_loop1<ReciprocalFn>(dtype);
    case UnaryOp::kRsqrt:
      return any_half_loop1<RsqrtFn>(dtype);
    default:
      return nullptr;
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace impl::cpu
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace impl::cpu {
HWY_EXPORT(GetHalfBinary);
HWY_EXPORT(GetHalfByNumber);
HWY_EXPORT(GetHalfOneSided);
HWY_EXPORT(GetHalfTernary);
HWY_EXPORT(GetHalfLerpByNumber);
HWY_EXPORT(GetHalfUnary);

BlockFn half_binary_kernel(BinaryOp op, diopiDtype_t dtype) { return HWY_DYNAMIC_DISPATCH(GetHalfBinary)(op, dtype); }
BlockFn half_by_number_kernel(BinaryOp op, diopiDtype_t dtype) {
  return HWY_DYNAMIC_DISPATCH(GetHalfByNumber)(op, dtype);
}
OneSided half_one_sided_kernels(BinaryOp op, diopiDtype_t dtype) {
  return HWY_DYNAMIC_DISPATCH(GetHalfOneSided)(op, dtype);
}
BlockFn half_ternary_kernel(TernaryOp op, diopiDtype_t dtype) {
  return HWY_DYNAMIC_DISPATCH(GetHalfTernary)(op, dtype);
}
BlockFn half_lerp_by_number_kernel(diopiDtype_t dtype) { return HWY_DYNAMIC_DISPATCH(GetHalfLerpByNumber)(dtype); }
BlockFn simple_half_kernel(UnaryOp op, diopiDtype_t dtype) { return HWY_DYNAMIC_DISPATCH(GetHalfUnary)(op, dtype); }
}  // namespace impl::cpu
#endif
