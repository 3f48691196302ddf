/* SPDX-License-Identifier: BSD-3-Clause */
// Loops over packed blocks for vector functions such as those of math-inl.h: f(d, v) with f of type F.
#if defined(IMPL_CPU_SIMD_VECTOR_LOOPS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef IMPL_CPU_SIMD_VECTOR_LOOPS_INL_H_
#undef IMPL_CPU_SIMD_VECTOR_LOOPS_INL_H_
#else
#define IMPL_CPU_SIMD_VECTOR_LOOPS_INL_H_
#endif

#include <cstdint>

#include <hwy/cache_control.h>
#include <hwy/highway.h>
#include "impl/cpu/prefetch.hpp"
#include "impl/cpu/simd/load_store_n-inl.h"

HWY_BEFORE_NAMESPACE();
namespace impl::cpu {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// Loads the first `count` lanes from memory. The other lanes are 1, for which every function is defined.
template <class D>
HWY_INLINE hn::Vec<D> load_first(D d, const hn::TFromD<D>* p, size_t count) {
  return hn::IfThenElse(hn::FirstN(d, count), load_n(d, p, count), hn::Set(d, hn::TFromD<D>(1)));
}

// Writes f(load) for each vector of a block. load(p) returns the vector of the operand at `p`.
template <class D, class F>
HWY_INLINE void map_vectors(D d, hn::TFromD<D>* out, int64_t n, F f) {
  using T = hn::TFromD<D>;
  constexpr int64_t kAhead = 1024 / sizeof(T);  // prefetch distance: a store waits for its line
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  const bool ahead = fetches_ahead();
  int64_t i = 0;
  for (; i + lanes <= n; i += lanes) {
    if (ahead) hwy::Prefetch(out + i + kAhead);
    hn::StoreU(f([&](const void* p) { return hn::LoadU(d, static_cast<const T*>(p) + i); }), d, out + i);
  }
  if (i < n) {
    const auto last = f([&](const void* p) { return load_first(d, static_cast<const T*>(p) + i, n - i); });
    store_n(last, d, out + i, n - i);
  }
}

template <class F, typename T>
void vector_loop1(void* const* out, const void* const* in, int64_t n, const void*) {
  const hn::ScalableTag<T> d;
  map_vectors(d, static_cast<T*>(out[0]), n, [&](auto load) { return F{}(d, load(in[0])); });
}

template <class F, typename T>
void vector_loop2(void* const* out, const void* const* in, int64_t n, const void*) {
  const hn::ScalableTag<T> d;
  map_vectors(d, static_cast<T*>(out[0]), n, [&](auto load) { return F{}(d, load(in[0]), load(in[1])); });
}

// Returns the loop for float or double; null for any other dtype.
template <class F>
BlockFn real_vector_loop1(diopiDtype_t dtype) {
  if (dtype == diopi_dtype_float32) return vector_loop1<F, float>;
  if (dtype == diopi_dtype_float64) return vector_loop1<F, double>;
  return nullptr;
}
template <class F>
BlockFn real_vector_loop2(diopiDtype_t dtype) {
  if (dtype == diopi_dtype_float32) return vector_loop2<F, float>;
  if (dtype == diopi_dtype_float64) return vector_loop2<F, double>;
  return nullptr;
}

}  // namespace HWY_NAMESPACE
}  // namespace impl::cpu
HWY_AFTER_NAMESPACE();

// Defines a functor for a vector function of math-inl.h.
#ifndef IMPL_CPU_VECTOR_FUNCTION
#define IMPL_CPU_VECTOR_FUNCTION(Name)              \
  struct Name##Fn {                                 \
    template <class D, class... V>                  \
    HWY_INLINE auto operator()(D d, V... v) const { \
      return Name(d, v...);                         \
    }                                               \
  }
#endif

#endif  // IMPL_CPU_SIMD_VECTOR_LOOPS_INL_H_
