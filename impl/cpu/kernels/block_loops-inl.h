// Loops over packed blocks for one-line operations. Included inside each target's namespace, so that the compiler
// vectorises them for that target.

// Per-target include guard
#if defined(IMPL_CPU_KERNELS_BLOCK_LOOPS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef IMPL_CPU_KERNELS_BLOCK_LOOPS_INL_H_
#undef IMPL_CPU_KERNELS_BLOCK_LOOPS_INL_H_
#else
#define IMPL_CPU_KERNELS_BLOCK_LOOPS_INL_H_
#endif

#include <cstdint>
#include <cstring>

#include "hwy/highway.h"

// Elements do not depend on each other, even where an output is an input: no run-time alias checks.
#if defined(__clang__)
#define IMPL_CPU_INDEPENDENT _Pragma("clang loop vectorize(assume_safety)")
#else
#define IMPL_CPU_INDEPENDENT _Pragma("GCC ivdep")
#endif

HWY_BEFORE_NAMESPACE();
namespace impl::cpu {
namespace HWY_NAMESPACE {

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

}  // namespace HWY_NAMESPACE
}  // namespace impl::cpu
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
