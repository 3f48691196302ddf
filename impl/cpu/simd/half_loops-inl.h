/* SPDX-License-Identifier: BSD-3-Clause */
// Loops over packed float16 and bfloat16 for functions of float vectors. Elements are converted in registers and
// rounded once. Included inside each target's namespace.
#if defined(IMPL_CPU_SIMD_HALF_LOOPS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef IMPL_CPU_SIMD_HALF_LOOPS_INL_H_
#undef IMPL_CPU_SIMD_HALF_LOOPS_INL_H_
#else
#define IMPL_CPU_SIMD_HALF_LOOPS_INL_H_
#endif

#include "impl/cpu/engine/elementwise/elementwise.hpp"
#include "impl/cpu/simd/load_store-inl.h"

HWY_BEFORE_NAMESPACE();
namespace impl::cpu {
namespace HWY_NAMESPACE {

// Stores two adjacent vectors. One instruction picks the upper halves of the rounded floats of both.
template <typename S>
HWY_INLINE void store_two(VecOf<S> first, VecOf<S> second, S* p) {
#if HWY_TARGET != HWY_SCALAR
  if constexpr (std::is_same_v<S, diopi::bfloat16>) {
    const hn::Repartition<uint16_t, TagOf<S>> d16;
#if DIOPI_BFLOAT16_IN_HARDWARE
    if (HWY_LIKELY(rounds_to_bfloat16() && !has_denormals(first) && !has_denormals(second))) {
      __m512i both;
      __asm__("vcvtne2ps2bf16 %2, %1, %0" : "=v"(both) : "v"(second.raw), "v"(first.raw));
      hn::StoreU(hn::Vec<decltype(d16)>{both}, d16, &p->bits);
      return;
    }
#endif
    const TagOf<S> d;
    const bool any_nan = has_nan(d, first, second);
    const auto round = [&](VecOf<S> v) HWY_ATTR {
      return hn::BitCast(d16, HWY_UNLIKELY(any_nan) ? round_to_bfloat16(d, v) : round_number_to_bfloat16(d, v));
    };
    hn::StoreU(hn::ConcatOdd(d16, round(second), round(first)), d16, &p->bits);
    return;
  }
#endif
  store_vector(first, p);
  store_vector(second, p + lanes_of<S>());
}

// out[i] = f(load), where load(k) returns the vector of input k at i.
template <typename S, class F>
HWY_INLINE void map_half(void* out, const void* const* in, int64_t n, F f) {
  S* y = static_cast<S*>(out);
  const int64_t lanes = lanes_of<S>();
  const auto at = [&](int64_t i) { return f([&](int k) { return load_vector(static_cast<const S*>(in[k]) + i); }); };
  int64_t i = 0;
  for (; i + 2 * lanes <= n; i += 2 * lanes) {
    const auto first = at(i), second = at(i + lanes);
    store_two(first, second, y + i);
  }
  if (i + lanes <= n) {
    store_vector(at(i), y + i);
    i += lanes;
  }
  // Lanes behind the end are 1, for which every function is defined.
  if (i < n) {
    const TagOf<S> d;
    const auto inside = hn::FirstN(d, static_cast<size_t>(n - i));
    const auto last = f([&](int k) {
      return hn::IfThenElse(inside, load_some(static_cast<const S*>(in[k]) + i, n - i), hn::Set(d, 1.0f));
    });
    store_some(last, y + i, n - i);
  }
}

template <class F, typename S>
void half_loop1(void* const* out, const void* const* in, int64_t n, const void*) {
  map_half<S>(out[0], in, n, [](auto load) { return F{}(TagOf<S>(), load(0)); });
}
template <class F, typename S>
void half_loop2(void* const* out, const void* const* in, int64_t n, const void*) {
  map_half<S>(out[0], in, n, [](auto load) { return F{}(TagOf<S>(), load(0), load(1)); });
}

template <class F, typename S>
void half_loop3(void* const* out, const void* const* in, int64_t n, const void*) {
  map_half<S>(out[0], in, n, [](auto load) { return F{}(TagOf<S>(), load(0), load(1), load(2)); });
}
// The last operand is a float parameter.
template <class F, typename S>
void half_loop1_param(void* const* out, const void* const* in, int64_t n, const void* params) {
  const auto number = hn::Set(TagOf<S>(), *static_cast<const float*>(params));
  map_half<S>(out[0], in, n, [&](auto load) { return F{}(TagOf<S>(), load(0), number); });
}
template <class F, typename S>
void half_loop2_param(void* const* out, const void* const* in, int64_t n, const void* params) {
  const auto number = hn::Set(TagOf<S>(), *static_cast<const float*>(params));
  map_half<S>(out[0], in, n, [&](auto load) { return F{}(TagOf<S>(), load(0), load(1), number); });
}
template <class F, typename S>
void half_loop3_param(void* const* out, const void* const* in, int64_t n, const void* params) {
  const auto number = hn::Set(TagOf<S>(), *static_cast<const float*>(params));
  map_half<S>(out[0], in, n, [&](auto load) { return F{}(TagOf<S>(), load(0), load(1), load(2), number); });
}

// Each returns its loop for float16 or bfloat16; null for any other dtype.
#define IMPL_CPU_HALF_LOOP(loop)                                        \
  template <class F>                                                    \
  BlockFn any_##loop(diopiDtype_t dtype) {                              \
    if (dtype == diopi_dtype_float16) return loop<F, diopi::float16>;   \
    if (dtype == diopi_dtype_bfloat16) return loop<F, diopi::bfloat16>; \
    return nullptr;                                                     \
  }
IMPL_CPU_HALF_LOOP(half_loop1)
IMPL_CPU_HALF_LOOP(half_loop2)
IMPL_CPU_HALF_LOOP(half_loop3)
IMPL_CPU_HALF_LOOP(half_loop1_param)
IMPL_CPU_HALF_LOOP(half_loop2_param)
IMPL_CPU_HALF_LOOP(half_loop3_param)
#undef IMPL_CPU_HALF_LOOP

}  // namespace HWY_NAMESPACE
}  // namespace impl::cpu
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
