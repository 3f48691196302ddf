// SPDX-License-Identifier: BSD-3-Clause
#include "impl/common/kernel_table.hpp"
#include "impl/cpu/pointwise/binary.hpp"

#include <type_traits>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "impl/cpu/pointwise/binary_arithmetic.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>
#include "impl/cpu/math/common-inl.h"
#include "impl/cpu/simd/block_loops-inl.h"

HWY_BEFORE_NAMESPACE();
namespace impl::cpu {
namespace HWY_NAMESPACE {

using diopi::complex128;
using diopi::complex64;

struct AddOp {
  template <class V>
  static HWY_INLINE V vector(V a, V b) {
    return hn::Add(a, b);
  }
  template <typename T>
  static T apply(T a, T b) {
    if constexpr (std::is_integral_v<T>)
      return static_cast<T>(static_cast<Wrap<T>>(a) + static_cast<Wrap<T>>(b));
    else
      return a + b;
  }
};
struct SubOp {
  template <class V>
  static HWY_INLINE V vector(V a, V b) {
    return hn::Sub(a, b);
  }
  template <typename T>
  static T apply(T a, T b) {
    if constexpr (std::is_integral_v<T>)
      return static_cast<T>(static_cast<Wrap<T>>(a) - static_cast<Wrap<T>>(b));
    else
      return a - b;
  }
};
// Complex products by the textbook formula; infinities are not recovered from NaN.
template <typename R>
std::complex<R> times(std::complex<R> a, std::complex<R> b) {
  return {a.real() * b.real() - a.imag() * b.imag(), a.real() * b.imag() + a.imag() * b.real()};
}
struct MulOp {
  template <class V>
  static HWY_INLINE V vector(V a, V b) {
    return hn::Mul(a, b);
  }
  template <typename T>
  static T apply(T a, T b) {
    if constexpr (std::is_integral_v<T>)
      return static_cast<T>(static_cast<Wrap<T>>(a) * static_cast<Wrap<T>>(b));
    else if constexpr (std::is_floating_point_v<T>)
      return a * b;
    else
      return times(a, b);
  }
};
struct AddScaledOp {
  template <typename T>
  static T apply(T a, T b, T alpha) {
    return AddOp::apply(a, MulOp::apply(alpha, b));
  }
};
struct MaximumOp {
  template <class V>
  static HWY_INLINE V vector(V a, V b) {
    return hn::IfThenElse(hn::IsNaN(b), b, AtLeast(b, a));
  }
  template <typename T>
  static T apply(T a, T b) {
    if constexpr (std::is_floating_point_v<T>)
      return a != a || a > b ? a : b;
    else
      return a > b ? a : b;
  }
};
struct MinimumOp {
  template <class V>
  static HWY_INLINE V vector(V a, V b) {
    return hn::IfThenElse(hn::IsNaN(b), b, AtMost(b, a));
  }
  template <typename T>
  static T apply(T a, T b) {
    if constexpr (std::is_floating_point_v<T>)
      return a != a || a < b ? a : b;
    else
      return a < b ? a : b;
  }
};
struct AndOp {
  template <typename T>
  static T apply(T a, T b) {
    return static_cast<T>(a & b);
  }
};
struct OrOp {
  template <typename T>
  static T apply(T a, T b) {
    return static_cast<T>(a | b);
  }
};

struct XorOp {
  template <typename T>
  static T apply(T a, T b) {
    return static_cast<T>(a ^ b);
  }
};

template <class Op>
BlockFn integer_loop(diopiDtype_t dtype) {
  return diopi::kernel_for<diopi::IntegerTypes>(dtype, [](auto tag) {
    using T = diopi::tagged<decltype(tag)>;
    return loop2<Op, T, T>;
  });
}

template <class Op>
BlockFn real_loop(diopiDtype_t dtype) {
  return diopi::is_floating(dtype) ? any_streaming_map2<Op>(dtype) : integer_loop<Op>(dtype);
}

template <class Op>
BlockFn numeric_loop(diopiDtype_t dtype) {
  if (dtype == diopi_dtype_complex64) return loop2<Op, complex64, complex64>;
  if (dtype == diopi_dtype_complex128) return loop2<Op, complex128, complex128>;
  // Sums, differences and products of integers have the same bits for signed and unsigned types.
  return real_loop<Op>(diopi::is_integral(dtype) ? static_cast<diopiDtype_t>(dtype | 1) : dtype);
}

BlockFn add_scaled(diopiDtype_t dtype) {
  return diopi::kernel_for<diopi::ComputeTypes>(dtype, [](auto tag) {
    using T = diopi::unsigned_of<decltype(tag)>;
    return loop2_param<AddScaledOp, T, T>;
  });
}

BlockFn GetArithmetic(BinaryOp op, diopiDtype_t dtype) {
  if (dtype == diopi_dtype_bool) {
    switch (op) {
      case BinaryOp::kAdd:
      case BinaryOp::kMaximum:
      case BinaryOp::kBitwiseOr:
        return loop2<OrOp, uint8_t, uint8_t>;
      case BinaryOp::kMul:
      case BinaryOp::kMinimum:
      case BinaryOp::kBitwiseAnd:
        return loop2<AndOp, uint8_t, uint8_t>;
      case BinaryOp::kBitwiseXor:
        return loop2<XorOp, uint8_t, uint8_t>;
      default:
        return nullptr;
    }
  }
  switch (op) {
    case BinaryOp::kAdd:
      return numeric_loop<AddOp>(dtype);
    case BinaryOp::kAddScaled:
      return add_scaled(dtype);
    case BinaryOp::kSub:
      return numeric_loop<SubOp>(dtype);
    case BinaryOp::kMul:
      return numeric_loop<MulOp>(dtype);
    case BinaryOp::kMaximum:
      return real_loop<MaximumOp>(dtype);
    case BinaryOp::kMinimum:
      return real_loop<MinimumOp>(dtype);
    case BinaryOp::kBitwiseAnd:
      return integer_loop<AndOp>(dtype);
    case BinaryOp::kBitwiseOr:
      return integer_loop<OrOp>(dtype);
    case BinaryOp::kBitwiseXor:
      return integer_loop<XorOp>(dtype);
    default:
      return nullptr;
  }
}

struct QuotientOp {
  template <class V>
  static HWY_INLINE V vector(V a, V b) {
    return hn::Div(a, b);
  }
};

template <class Op>
OneSided one_sided(diopiDtype_t dtype) {
  if (dtype == diopi_dtype_float32)
    return {streaming_map2_with_one<Op, float, 0>, streaming_map2_with_one<Op, float, 1>,
            streaming_rows2_of<Op, float>};
  if (dtype == diopi_dtype_float64) {
    return {streaming_map2_with_one<Op, double, 0>, streaming_map2_with_one<Op, double, 1>,
            streaming_rows2_of<Op, double>};
  }
  if constexpr (!std::is_same_v<Op, QuotientOp>) {
    if (dtype == diopi_dtype_int32) return {loop2_with_one<Op, int32_t, 0>, loop2_with_one<Op, int32_t, 1>};
    if (dtype == diopi_dtype_int64) return {loop2_with_one<Op, int64_t, 0>, loop2_with_one<Op, int64_t, 1>};
  }
  return {};
}

template <class Op>
OneSided bitwise_one_sided(diopiDtype_t dtype) {
  if (diopi::is_floating(dtype) || diopi::is_complex(dtype)) return {};
  OneSided kernels;
  diopi::for_itemsize(diopi::dtype_size(dtype), [&](auto tag) {
    using T = diopi::tagged<decltype(tag)>;
    if constexpr (sizeof(T) <= 8) kernels = {loop2_with_one<Op, T, 0>, loop2_with_one<Op, T, 1>};
  });
  return kernels;
}

OneSided GetOneSided(BinaryOp op, diopiDtype_t dtype) {
  switch (op) {
    case BinaryOp::kBitwiseAnd:
      return bitwise_one_sided<AndOp>(dtype);
    case BinaryOp::kBitwiseOr:
      return bitwise_one_sided<OrOp>(dtype);
    case BinaryOp::kBitwiseXor:
      return bitwise_one_sided<XorOp>(dtype);
    case BinaryOp::kAdd:
      return one_sided<AddOp>(dtype);
    case BinaryOp::kSub:
      return one_sided<SubOp>(dtype);
    case BinaryOp::kMul:
      return one_sided<MulOp>(dtype);
    case BinaryOp::kDiv:
      return one_sided<QuotientOp>(dtype);
    case BinaryOp::kMaximum:
      return one_sided<MaximumOp>(dtype);
    case BinaryOp::kMinimum:
      return one_sided<MinimumOp>(dtype);
    default:
      return {};
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace impl::cpu
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace impl::cpu {
HWY_EXPORT(GetArithmetic);
HWY_EXPORT(GetOneSided);

OneSided one_sided_kernels(BinaryOp op, diopiDtype_t dtype) { return HWY_DYNAMIC_DISPATCH(GetOneSided)(op, dtype); }

BlockFn arithmetic_kernel(BinaryOp op, diopiDtype_t dtype) { return HWY_DYNAMIC_DISPATCH(GetArithmetic)(op, dtype); }
}  // namespace impl::cpu
#endif
