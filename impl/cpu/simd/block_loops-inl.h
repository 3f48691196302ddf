/* SPDX-License-Identifier: BSD-3-Clause */
// Loops over packed blocks for operations of one line. The header is included inside each target's namespace, so that
// the compiler vectorises the loops for that target.

// Per-target include guard
#if defined(IMPL_CPU_SIMD_BLOCK_LOOPS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef IMPL_CPU_SIMD_BLOCK_LOOPS_INL_H_
#undef IMPL_CPU_SIMD_BLOCK_LOOPS_INL_H_
#else
#define IMPL_CPU_SIMD_BLOCK_LOOPS_INL_H_
#endif

#include <cstdint>
#include <cstring>
#include <type_traits>

#include <hwy/cache_control.h>
#include <hwy/highway.h>
#include "impl/cpu/engine/elementwise/elementwise.hpp"
#include "impl/cpu/prefetch.hpp"
#include "impl/cpu/simd/load_store_n-inl.h"

// Elements do not depend on each other, even if an output is also an input: the compiler needs no run-time alias
// checks.
#if defined(__clang__)
#define IMPL_CPU_INDEPENDENT _Pragma("clang loop vectorize(assume_safety)")
#else
#define IMPL_CPU_INDEPENDENT _Pragma("GCC ivdep")
#endif

HWY_BEFORE_NAMESPACE();
namespace impl::cpu {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// Integer arithmetic wraps around. It uses the unsigned type of the same width, at least as wide as int to avoid
// promotion.
template <typename T>
using Wrap = std::conditional_t<sizeof(T) < 4, uint32_t, std::make_unsigned_t<T>>;

// out = Op::apply(a)
template <class Op, typename T, typename R>
void loop1(void* const* out, const void* const* in, int64_t n, const void*) {
  R* o = static_cast<R*>(out[0]);
  const T* a = static_cast<const T*>(in[0]);
  IMPL_CPU_INDEPENDENT
  for (int64_t i = 0; i < n; ++i) o[i] = static_cast<R>(Op::apply(a[i]));
}

// out = Op::apply(a, b)
template <class Op, typename T, typename R>
void loop2(void* const* out, const void* const* in, int64_t n, const void*) {
  R* o = static_cast<R*>(out[0]);
  const T* a = static_cast<const T*>(in[0]);
  const T* b = static_cast<const T*>(in[1]);
  IMPL_CPU_INDEPENDENT
  for (int64_t i = 0; i < n; ++i) o[i] = static_cast<R>(Op::apply(a[i], b[i]));
}

// The loop loop2 for calls whose input kOne is one element.
template <class Op, typename T, int kOne>
void loop2_with_one(void* const* out, const void* const* in, int64_t n, const void*) {
  T* o = static_cast<T*>(out[0]);
  const T one = *static_cast<const T*>(in[kOne]);
  const T* a = static_cast<const T*>(in[1 - kOne]);
  IMPL_CPU_INDEPENDENT
  for (int64_t i = 0; i < n; ++i) o[i] = kOne == 0 ? Op::apply(one, a[i]) : Op::apply(a[i], one);
}

// out = Op::apply(a, b, parameter of the operands' type)
template <class Op, typename T, typename R>
void loop2_param(void* const* out, const void* const* in, int64_t n, const void* params) {
  R* o = static_cast<R*>(out[0]);
  const T* a = static_cast<const T*>(in[0]);
  const T* b = static_cast<const T*>(in[1]);
  T p;
  std::memcpy(&p, params, sizeof(T));
  IMPL_CPU_INDEPENDENT
  for (int64_t i = 0; i < n; ++i) o[i] = static_cast<R>(Op::apply(a[i], b[i], p));
}

// out = Op::apply(a, b, c)
template <class Op, typename T, typename R>
void loop3(void* const* out, const void* const* in, int64_t n, const void*) {
  R* o = static_cast<R*>(out[0]);
  const T* a = static_cast<const T*>(in[0]);
  const T* b = static_cast<const T*>(in[1]);
  const T* c = static_cast<const T*>(in[2]);
  IMPL_CPU_INDEPENDENT
  for (int64_t i = 0; i < n; ++i) o[i] = static_cast<R>(Op::apply(a[i], b[i], c[i]));
}

// out = Op::apply(a, b, c, parameter of the operands' type)
template <class Op, typename T, typename R>
void loop3_param(void* const* out, const void* const* in, int64_t n, const void* params) {
  R* o = static_cast<R*>(out[0]);
  const T* a = static_cast<const T*>(in[0]);
  const T* b = static_cast<const T*>(in[1]);
  const T* c = static_cast<const T*>(in[2]);
  T p;
  std::memcpy(&p, params, sizeof(T));
  IMPL_CPU_INDEPENDENT
  for (int64_t i = 0; i < n; ++i) o[i] = static_cast<R>(Op::apply(a[i], b[i], c[i], p));
}

// A loop over float or double that is limited by memory: o[i] = f(d, i), where f returns the vector of elements from i
// on. In the second-level cache each store waits for its line, so lines are prefetched; and two stores of half a line
// are faster there than one store of a whole line. A short block is usually a row, and the next row follows it: then
// lines past its end are prefetched too. Past the end of a long block another thread writes, so those lines are not
// prefetched.
template <typename T, class F>
HWY_INLINE void streaming_map(T* o, int64_t n, F f) {
  constexpr int64_t kLine = 64 / sizeof(T), kAhead = 1024 / sizeof(T);
  const hn::CappedTag<T, 32 / sizeof(T)> d;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  const int64_t step = 4 * lanes;
  const int64_t fetching = !fetches_ahead() ? 0 : n <= 4 * kAhead ? n : n - kAhead;
  int64_t i = 0;
  for (; i + step <= fetching; i += step) {
    for (int64_t line = 0; line < step; line += kLine) hwy::Prefetch(o + i + kAhead + line);
    for (int64_t k = 0; k < step; k += lanes) hn::StoreU(f(d, i + k), d, o + i + k);
  }
  for (; i + step <= n; i += step) {
    for (int64_t k = 0; k < step; k += lanes) hn::StoreU(f(d, i + k), d, o + i + k);
  }
  for (; i + lanes <= n; i += lanes) hn::StoreU(f(d, i), d, o + i);
  const hn::CappedTag<T, 16 / sizeof(T)> quarter;
  const auto few = static_cast<int64_t>(hn::Lanes(quarter));
  for (; i + few <= n; i += few) hn::StoreU(f(quarter, i), quarter, o + i);
  const hn::CappedTag<T, 1> d1;
  for (; i < n; ++i) hn::StoreU(f(d1, i), d1, o + i);
}

// o[i] = Op::vector(a[i])
template <class Op, typename T>
void streaming_map1(void* const* out, const void* const* in, int64_t n, const void*) {
  const T* a = static_cast<const T*>(in[0]);
  streaming_map(static_cast<T*>(out[0]), n, [&](auto d, int64_t i) { return Op::vector(hn::LoadU(d, a + i)); });
}

// o[i] = Op::vector(a[i], b[i])
template <class Op, typename T>
void streaming_map2(void* const* out, const void* const* in, int64_t n, const void*) {
  const T *a = static_cast<const T*>(in[0]), *b = static_cast<const T*>(in[1]);
  streaming_map(static_cast<T*>(out[0]), n,
                [&](auto d, int64_t i) { return Op::vector(hn::LoadU(d, a + i), hn::LoadU(d, b + i)); });
}

// The loop streaming_map2 for calls whose input kOne is one element.
template <class Op, typename T, int kOne>
void streaming_map2_with_one(void* const* out, const void* const* in, int64_t n, const void*) {
  const T one = *static_cast<const T*>(in[kOne]);
  const T* a = static_cast<const T*>(in[1 - kOne]);
  streaming_map(static_cast<T*>(out[0]), n, [&](auto d, int64_t i) {
    const auto v = hn::LoadU(d, a + i), w = hn::Set(d, one);
    if constexpr (kOne == 0) {
      return Op::vector(w, v);
    } else {
      return Op::vector(v, w);
    }
  });
}

// o[i] = Op::vector(a[i], b[i]) for `rows` rows of n elements, whose operands are step[k] bytes apart. Input kOne has
// one element in each row; there is none if kOne is -1. A row is kVectors vectors, or any number if kVectors is 0.
template <class Op, typename T, int kOne, int kVectors>
HWY_INLINE void streaming_rows2_by(void* const* operand, const int64_t* step, int64_t n, int64_t rows) {
  constexpr int64_t kLine = 64 / sizeof(T), kAhead = 1024 / sizeof(T);
  const hn::CappedTag<T, 32 / sizeof(T)> d;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  const bool ahead = fetches_ahead();
  const auto at = [&](int k, int64_t r) { return reinterpret_cast<T*>(static_cast<char*>(operand[k]) + r * step[k]); };
  for (int64_t r = 0; r < rows; ++r) {
    T* const o = at(0, r);
    const T *const a = at(1, r), *const b = at(2, r);
    for (int64_t line = 0; ahead && line < n; line += kLine) hwy::Prefetch(o + kAhead + line);
    const auto one = hn::Set(d, kOne < 0 ? T(0) : kOne == 0 ? *a : *b);
    const auto result = [&](auto load)
                            HWY_ATTR { return Op::vector(kOne == 0 ? one : load(a), kOne == 1 ? one : load(b)); };
    const auto store = [&](int64_t i) HWY_ATTR {
      hn::StoreU(result([&](const T* p) HWY_ATTR { return hn::LoadU(d, p + i); }), d, o + i);
    };
    int64_t i = 0;
    if constexpr (kVectors > 0) {
      for (int k = 0; k < kVectors; ++k) store(k * lanes);
      continue;
    }
    for (; i + lanes <= n; i += lanes) store(i);
    if (i == n) continue;
    const auto rest = static_cast<size_t>(n - i);
    store_n(result([&](const T* p) HWY_ATTR { return load_n(d, p + i, rest); }), d, o + i, rest);
  }
}
template <class Op, typename T, int kOne>
HWY_INLINE void streaming_rows2(void* const* operand, const int64_t* step, int64_t n, int64_t rows) {
  const auto lanes = static_cast<int64_t>(hn::Lanes(hn::CappedTag<T, 32 / sizeof(T)>()));
  if (n == lanes) return streaming_rows2_by<Op, T, kOne, 1>(operand, step, n, rows);
  if (n == 2 * lanes) return streaming_rows2_by<Op, T, kOne, 2>(operand, step, n, rows);
  streaming_rows2_by<Op, T, kOne, 0>(operand, step, n, rows);
}
template <class Op, typename T>
void streaming_rows2_of(void* const* operand, const int64_t* step, int one, int64_t n, int64_t rows) {
  if (one == 0) return streaming_rows2<Op, T, 0>(operand, step, n, rows);
  if (one == 1) return streaming_rows2<Op, T, 1>(operand, step, n, rows);
  streaming_rows2<Op, T, -1>(operand, step, n, rows);
}

template <class Op>
BlockFn any_streaming_map1(diopiDtype_t dtype) {
  if (dtype == diopi_dtype_float32) return streaming_map1<Op, float>;
  if (dtype == diopi_dtype_float64) return streaming_map1<Op, double>;
  return nullptr;
}
template <class Op>
BlockFn any_streaming_map2(diopiDtype_t dtype) {
  if (dtype == diopi_dtype_float32) return streaming_map2<Op, float>;
  if (dtype == diopi_dtype_float64) return streaming_map2<Op, double>;
  return nullptr;
}

}  // namespace HWY_NAMESPACE
}  // namespace impl::cpu
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
