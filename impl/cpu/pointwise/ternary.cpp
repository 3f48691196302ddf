// SPDX-License-Identifier: BSD-3-Clause
#include "impl/cpu/pointwise/ternary.hpp"

#include <type_traits>

#include "impl/common/kernel_table.hpp"
#include "impl/cpu/engine/copy/packed_block.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "impl/cpu/pointwise/ternary.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>
#include "impl/cpu/math/common-inl.h"
#include "impl/cpu/simd/block_loops-inl.h"

HWY_BEFORE_NAMESPACE();
namespace impl::cpu {
namespace HWY_NAMESPACE {

using diopi::complex128;
using diopi::complex64;

struct AddcmulOp {
  template <typename T>
  static T apply(T a, T b, T c, T value) {
    if constexpr (std::is_integral_v<T>) {
      using W = Wrap<T>;
      return static_cast<T>(static_cast<W>(a) + static_cast<W>(value) * static_cast<W>(b) * static_cast<W>(c));
    } else {
      return a + value * b * c;
    }
  }
};
struct AddcdivOp {
  template <typename T>
  static T apply(T a, T b, T c, T value) {
    return a + value * b / c;
  }
};
struct LerpOp {  // of complex numbers
  template <typename T>
  static T apply(T a, T b, T w) {
    return std::norm(w) < 0.25 ? a + w * (b - a) : b - (b - a) * (T(1) - w);
  }
};
struct ClampOp {  // of integers
  template <typename T>
  static T apply(T a, T low, T high) {
    const T raised = a > low ? a : low;
    return raised < high ? raised : high;
  }
};

// out = a + value b c, or a + value b / c. Input kOne, if it is not -1, is one element for all.
template <typename T, bool kDivides, int kOne>
void addc_streaming(void* const* out, const void* const* in, int64_t n, const void* params) {
  const T *a = static_cast<const T*>(in[0]), *b = static_cast<const T*>(in[1]), *c = static_cast<const T*>(in[2]);
  const T value = *static_cast<const T*>(params),
          one = kOne < 0 ? T(0) : *static_cast<const T*>(in[kOne < 0 ? 0 : kOne]);
  streaming_map(static_cast<T*>(out[0]), n, [&](auto d, int64_t i) {
    const auto second = kOne == 1 ? hn::Set(d, one) : hn::LoadU(d, b + i);
    const auto third = kOne == 2 ? hn::Set(d, one) : hn::LoadU(d, c + i);
    const auto scaled = hn::Mul(hn::Set(d, value), second);
    return hn::Add(hn::LoadU(d, a + i), kDivides ? hn::Div(scaled, third) : hn::Mul(scaled, third));
  });
}

// out = min(max(a, low), high), NaN if an operand is.
template <typename T>
void clamp_streaming(void* const* out, const void* const* in, int64_t n, const void*) {
  const T *a = static_cast<const T*>(in[0]), *b = static_cast<const T*>(in[1]), *c = static_cast<const T*>(in[2]);
  streaming_map(static_cast<T*>(out[0]), n, [&](auto d, int64_t i) {
    const auto low = hn::LoadU(d, b + i), high = hn::LoadU(d, c + i);
    const auto raised = hn::IfThenElse(hn::IsNaN(low), low, AtLeast(low, hn::LoadU(d, a + i)));
    return hn::IfThenElse(hn::IsNaN(high), high, AtMost(high, raised));
  });
}

// out = min(max(a, low), high), where both bounds are numbers of the operand's type.
template <typename T>
void clamp_between(void* const* out, const void* const* in, int64_t n, const void* params) {
  const T *a = static_cast<const T*>(in[0]), *bound = static_cast<const T*>(params);
  T low = bound[0], high = bound[1];
  if constexpr (std::is_integral_v<T>) {
    T* o = static_cast<T*>(out[0]);
    IMPL_CPU_INDEPENDENT
    for (int64_t i = 0; i < n; ++i) o[i] = ClampOp::apply(a[i], low, high);
  } else {
    if (low != low) high = low;
    if (high != high) low = high;
    const bool nan = low != low;
    streaming_map(static_cast<T*>(out[0]), n, [&](auto d, int64_t i) {
      const auto upper = hn::Set(d, high);
      return nan ? upper : AtMost(upper, AtLeast(hn::Set(d, low), hn::LoadU(d, a + i)));
    });
  }
}

// out = a + w (b - a) where |w| < 1/2, else b - (b - a) (1 - w)
template <typename T>
void lerp_streaming(void* const* out, const void* const* in, int64_t n, const void*) {
  const T *a = static_cast<const T*>(in[0]), *b = static_cast<const T*>(in[1]), *w = static_cast<const T*>(in[2]);
  streaming_map(static_cast<T*>(out[0]), n, [&](auto d, int64_t i) {
    const auto first = hn::LoadU(d, a + i), second = hn::LoadU(d, b + i), weight = hn::LoadU(d, w + i);
    const auto difference = hn::Sub(second, first);
    const auto from_a = hn::Add(first, hn::Mul(weight, difference));
    const auto from_b = hn::Sub(second, hn::Mul(difference, hn::Sub(hn::Set(d, T(1)), weight)));
    return hn::IfThenElse(hn::Lt(hn::Abs(weight), hn::Set(d, T(0.5))), from_a, from_b);
  });
}

// out = a + weight * (b - a), where the weight is a number of the operands' type.
template <typename T>
void lerp_by_number(void* const* out, const void* const* in, int64_t n, const void* params) {
  const T *a = static_cast<const T*>(in[0]), *b = static_cast<const T*>(in[1]);
  const T weight = *static_cast<const T*>(params);
  const bool from_a = (weight < 0 ? -weight : weight) < T(0.5);
  streaming_map(static_cast<T*>(out[0]), n, [&](auto d, int64_t i) {
    const auto first = hn::LoadU(d, a + i), second = hn::LoadU(d, b + i);
    const auto difference = hn::Sub(second, first);
    return from_a ? hn::Add(first, hn::Mul(hn::Set(d, weight), difference))
                  : hn::Sub(second, hn::Mul(difference, hn::Set(d, 1 - weight)));
  });
}

template <int kOne, bool kDivides>
BlockFn addc_of(diopiDtype_t dtype) {
  if (dtype == diopi_dtype_float32) return addc_streaming<float, kDivides, kOne>;
  return dtype == diopi_dtype_float64 ? addc_streaming<double, kDivides, kOne> : nullptr;
}

BlockFn addcmul(diopiDtype_t dtype) {
  const BlockFn of_floats = addc_of<-1, false>(dtype);
  if (of_floats != nullptr) return of_floats;
  return diopi::kernel_for<diopi::ComputeTypes>(dtype, [](auto tag) {
    using T = diopi::unsigned_of<decltype(tag)>;
    return loop3_param<AddcmulOp, T, T>;
  });
}

BlockFn addcdiv(diopiDtype_t dtype) {
  const BlockFn of_floats = addc_of<-1, true>(dtype);
  if (of_floats != nullptr) return of_floats;
  return diopi::kernel_for<diopi::WideInexactTypes>(dtype, [](auto tag) {
    using T = diopi::tagged<decltype(tag)>;
    return loop3_param<AddcdivOp, T, T>;
  });
}

BlockFn lerp(diopiDtype_t dtype) {
  return diopi::kernel_for<diopi::WideInexactTypes>(dtype, [](auto tag) -> BlockFn {
    using T = diopi::tagged<decltype(tag)>;
    if constexpr (std::is_floating_point_v<T>) {
      return lerp_streaming<T>;
    } else {
      return loop3<LerpOp, T, T>;
    }
  });
}

BlockFn clamp(diopiDtype_t dtype) {
  return diopi::kernel_for<diopi::RealTypes>(dtype, [](auto tag) -> BlockFn {
    using T = diopi::tagged<decltype(tag)>;
    if constexpr (std::is_floating_point_v<T>) {
      return clamp_streaming<T>;
    } else {
      return loop3<ClampOp, T, T>;
    }
  });
}

template <typename T>
void select_loop(void* const* out, const void* const* in, int64_t n, const void*) {
  T* o = static_cast<T*>(out[0]);
  const uint8_t* c = static_cast<const uint8_t*>(in[0]);
  const T* a = static_cast<const T*>(in[1]);
  const T* b = static_cast<const T*>(in[2]);
  IMPL_CPU_INDEPENDENT
  for (int64_t i = 0; i < n; ++i) o[i] = c[i] != 0 ? a[i] : b[i];
}

BlockFn GetTernary(TernaryOp op, diopiDtype_t dtype) {
  switch (op) {
    case TernaryOp::kAddcmul:
      return addcmul(dtype);
    case TernaryOp::kAddcdiv:
      return addcdiv(dtype);
    case TernaryOp::kLerp:
      return lerp(dtype);
    case TernaryOp::kClamp:
      return clamp(dtype);
  }
  return nullptr;
}

BlockFn GetTernaryWithOne(TernaryOp op, diopiDtype_t dtype, int input) {
  if (op == TernaryOp::kAddcmul) return input == 1 ? addc_of<1, false>(dtype) : addc_of<2, false>(dtype);
  if (op == TernaryOp::kAddcdiv) return input == 1 ? addc_of<1, true>(dtype) : addc_of<2, true>(dtype);
  return nullptr;
}

BlockFn GetClampBetween(diopiDtype_t dtype) {
  return diopi::kernel_for<diopi::RealTypes>(dtype,
                                             [](auto tag) { return clamp_between<diopi::tagged<decltype(tag)>>; });
}

BlockFn GetLerpByNumber(diopiDtype_t dtype) {
  if (dtype == diopi_dtype_float32) return lerp_by_number<float>;
  if (dtype == diopi_dtype_float64) return lerp_by_number<double>;
  return nullptr;
}

BlockFn GetSelect(int itemsize) {
  return diopi::for_itemsize(itemsize, [](auto tag) { return select_loop<diopi::tagged<decltype(tag)>>; });
}

}  // namespace HWY_NAMESPACE
}  // namespace impl::cpu
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace impl::cpu {
HWY_EXPORT(GetTernary);
HWY_EXPORT(GetTernaryWithOne);
HWY_EXPORT(GetClampBetween);
HWY_EXPORT(GetLerpByNumber);
HWY_EXPORT(GetSelect);

BlockFn ternary_kernel(TernaryOp op, diopiDtype_t dtype) { return HWY_DYNAMIC_DISPATCH(GetTernary)(op, dtype); }
BlockFn ternary_with_one(TernaryOp op, diopiDtype_t dtype, int input) {
  return HWY_DYNAMIC_DISPATCH(GetTernaryWithOne)(op, dtype, input);
}
BlockFn clamp_between_kernel(diopiDtype_t dtype) { return HWY_DYNAMIC_DISPATCH(GetClampBetween)(dtype); }
BlockFn lerp_by_number_kernel(diopiDtype_t dtype) { return HWY_DYNAMIC_DISPATCH(GetLerpByNumber)(dtype); }
BlockFn select_kernel(int itemsize) { return HWY_DYNAMIC_DISPATCH(GetSelect)(itemsize); }
}  // namespace impl::cpu
#endif
