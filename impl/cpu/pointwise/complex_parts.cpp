// SPDX-License-Identifier: BSD-3-Clause
#include "impl/cpu/pointwise/complex_parts.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "impl/cpu/pointwise/complex_parts.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>
#include "impl/cpu/math/math-inl.h"
#include "impl/cpu/simd/vector_loops-inl.h"

HWY_BEFORE_NAMESPACE();
namespace impl::cpu {
namespace HWY_NAMESPACE {

// Writes f(a[i], b[i]), a pair of vectors, as complex numbers.
template <typename T, class F>
void make_pairs(T* out, const T* a, const T* b, int64_t n, F f) {
  const hn::ScalableTag<T> d;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  int64_t i = 0;
  for (; i + lanes <= n; i += lanes) {
    const auto pair = f(d, hn::LoadU(d, a + i), hn::LoadU(d, b + i));
    hn::StoreInterleaved2(pair.first, pair.second, d, out + 2 * i);
  }
  if (i == n) return;
  const auto pair = f(d, load_first(d, a + i, n - i), load_first(d, b + i, n - i));
  HWY_ALIGN T rest[2 * HWY_MAX_BYTES / sizeof(T)];
  hn::StoreInterleaved2(pair.first, pair.second, d, rest);
  std::memcpy(out + 2 * i, rest, static_cast<size_t>(2 * (n - i)) * sizeof(T));
}

template <class V>
struct Pair {
  V first, second;
};

template <typename T>
void complex_loop(void* const* out, const void* const* in, int64_t n, const void*) {
  make_pairs(static_cast<T*>(out[0]), static_cast<const T*>(in[0]), static_cast<const T*>(in[1]), n,
             [](auto, auto a, auto b) HWY_ATTR {
               return Pair<decltype(a)>{a, b};
             });
}

template <typename T>
void polar_loop(void* const* out, const void* const* in, int64_t n, const void*) {
  make_pairs(static_cast<T*>(out[0]), static_cast<const T*>(in[0]), static_cast<const T*>(in[1]), n,
             [](auto d, auto a, auto b) HWY_ATTR {
               return Pair<decltype(a)>{hn::Mul(a, Cos(d, b)), hn::Mul(a, Sin(d, b))};
             });
}

template <typename T>
void conjugate_loop(void* const* out, const void* const* in, int64_t n, const void*) {
#if HWY_TARGET == HWY_SCALAR  // a vector has no odd lane
  T* to = static_cast<T*>(out[0]);
  const T* from = static_cast<const T*>(in[0]);
  for (int64_t i = 0; i < 2 * n; i += 2) {
    to[i] = from[i];
    to[i + 1] = -from[i + 1];
  }
#else
  const hn::ScalableTag<T> d;
  map_vectors(d, static_cast<T*>(out[0]), 2 * n, [&](auto load) HWY_ATTR {
    const auto parts = load(in[0]);
    return hn::OddEven(hn::Neg(parts), parts);
  });
#endif
}

BlockFn GetComplex(diopiDtype_t dtype) {
  return dtype == diopi_dtype_float32 ? complex_loop<float> : complex_loop<double>;
}
BlockFn GetPolar(diopiDtype_t dtype) { return dtype == diopi_dtype_float32 ? polar_loop<float> : polar_loop<double>; }
BlockFn GetConjugate(diopiDtype_t dtype) {
  return dtype == diopi_dtype_complex64 ? conjugate_loop<float> : conjugate_loop<double>;
}

}  // namespace HWY_NAMESPACE
}  // namespace impl::cpu
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace impl::cpu {
HWY_EXPORT(GetComplex);
HWY_EXPORT(GetPolar);
HWY_EXPORT(GetConjugate);

BlockFn complex_kernel(diopiDtype_t dtype) { return HWY_DYNAMIC_DISPATCH(GetComplex)(dtype); }
BlockFn polar_kernel(diopiDtype_t dtype) { return HWY_DYNAMIC_DISPATCH(GetPolar)(dtype); }
BlockFn conjugate_kernel(diopiDtype_t dtype) { return HWY_DYNAMIC_DISPATCH(GetConjugate)(dtype); }
}  // namespace impl::cpu
#endif
