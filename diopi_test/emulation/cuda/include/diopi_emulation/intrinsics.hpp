// SPDX-License-Identifier: BSD-3-Clause
// Device functions that the host's library lacks. Functions of float that have no form in the host's library compute in
// double, so they are at least as accurate as the chip's.
#ifndef DIOPI_EMULATION_INTRINSICS_HPP_
#define DIOPI_EMULATION_INTRINSICS_HPP_

#include <math.h>

#include <cstdint>
#include <cstring>

namespace diopi::emulation {

template <typename To, typename From>
To bit_cast(From value) {
  static_assert(sizeof(To) == sizeof(From));
  To result;
  std::memcpy(&result, &value, sizeof(To));
  return result;
}

double erfinv(double x);
double erfcinv(double x);
void thread_fence();

}  // namespace diopi::emulation

// NOLINTBEGIN(bugprone-reserved-identifier): CUDA has these names

// NOLINTBEGIN(google-runtime-int): CUDA declares these functions with these words.
inline unsigned __float_as_uint(float x) { return ::diopi::emulation::bit_cast<unsigned>(x); }
inline int __float_as_int(float x) { return ::diopi::emulation::bit_cast<int>(x); }
inline float __uint_as_float(unsigned x) { return ::diopi::emulation::bit_cast<float>(x); }
inline float __int_as_float(int x) { return ::diopi::emulation::bit_cast<float>(x); }
inline long long __double_as_longlong(double x) { return ::diopi::emulation::bit_cast<long long>(x); }
inline double __longlong_as_double(long long x) { return ::diopi::emulation::bit_cast<double>(x); }

inline int __popc(unsigned x) { return __builtin_popcount(x); }
inline int __popcll(unsigned long long x) { return __builtin_popcountll(x); }
inline int __ffs(int x) { return __builtin_ffs(x); }
inline int __ffsll(long long x) { return __builtin_ffsll(x); }
inline int __clz(int x) { return x == 0 ? 32 : __builtin_clz(static_cast<unsigned>(x)); }
inline int __clzll(long long x) { return x == 0 ? 64 : __builtin_clzll(static_cast<unsigned long long>(x)); }
inline unsigned __brev(unsigned x) {
  unsigned result = 0;
  for (int bit = 0; bit < 32; ++bit) result |= (x >> bit & 1) << (31 - bit);
  return result;
}
inline unsigned long long __brevll(unsigned long long x) {
  return static_cast<unsigned long long>(__brev(static_cast<unsigned>(x))) << 32 |
         __brev(static_cast<unsigned>(x >> 32));
}
inline int __mulhi(int a, int b) { return static_cast<int>(int64_t{a} * b >> 32); }
inline unsigned __umulhi(unsigned a, unsigned b) { return static_cast<unsigned>(uint64_t{a} * b >> 32); }
__extension__ typedef __int128 diopi_emulation_int128;
__extension__ typedef unsigned __int128 diopi_emulation_uint128;
inline long long __mul64hi(long long a, long long b) {
  return static_cast<long long>(static_cast<diopi_emulation_int128>(a) * b >> 64);
}
inline unsigned long long __umul64hi(unsigned long long a, unsigned long long b) {
  return static_cast<unsigned long long>(static_cast<diopi_emulation_uint128>(a) * b >> 64);
}

// The _rn forms are never contracted to fused multiply-add.
inline float __fadd_rn(float a, float b) { return a + b; }
inline float __fsub_rn(float a, float b) { return a - b; }
inline float __fmul_rn(float a, float b) { return a * b; }
inline float __fdiv_rn(float a, float b) { return a / b; }
inline float __fmaf_rn(float a, float b, float c) { return fmaf(a, b, c); }
inline float __fsqrt_rn(float x) { return sqrtf(x); }
inline float __frcp_rn(float x) { return 1.0f / x; }
inline double __dadd_rn(double a, double b) { return a + b; }
inline double __dsub_rn(double a, double b) { return a - b; }
inline double __dmul_rn(double a, double b) { return a * b; }
inline double __ddiv_rn(double a, double b) { return a / b; }
inline double __fma_rn(double a, double b, double c) { return fma(a, b, c); }
inline double __dsqrt_rn(double x) { return sqrt(x); }

inline float __expf(float x) { return expf(x); }
inline float __logf(float x) { return logf(x); }
inline float __sinf(float x) { return sinf(x); }
inline float __cosf(float x) { return cosf(x); }
inline float __powf(float x, float y) { return powf(x, y); }
inline float __fdividef(float a, float b) { return a / b; }
inline float __saturatef(float x) { return x != x || x < 0 ? 0.0f : x > 1 ? 1.0f : x; }
inline float rsqrtf(float x) { return static_cast<float>(1.0 / sqrt(static_cast<double>(x))); }
inline double rsqrt(double x) { return 1.0 / sqrt(x); }
inline double erfinv(double x) { return ::diopi::emulation::erfinv(x); }
inline float erfinvf(float x) { return static_cast<float>(::diopi::emulation::erfinv(x)); }
inline double erfcinv(double x) { return ::diopi::emulation::erfcinv(x); }
inline float erfcinvf(float x) { return static_cast<float>(::diopi::emulation::erfcinv(x)); }
inline double normcdf(double x) { return 0.5 * erfc(-x * 0.70710678118654752440); }
inline float normcdff(float x) { return static_cast<float>(normcdf(x)); }
inline double normcdfinv(double p) { return -1.41421356237309504880 * ::diopi::emulation::erfcinv(2 * p); }
inline float normcdfinvf(float p) { return static_cast<float>(normcdfinv(p)); }

#define DIOPI_EMULATION_MIN_MAX(type)                       \
  inline type min(type a, type b) { return b < a ? b : a; } \
  inline type max(type a, type b) { return a < b ? b : a; }
DIOPI_EMULATION_MIN_MAX(int)
DIOPI_EMULATION_MIN_MAX(unsigned)
DIOPI_EMULATION_MIN_MAX(long)
DIOPI_EMULATION_MIN_MAX(unsigned long)
DIOPI_EMULATION_MIN_MAX(long long)
DIOPI_EMULATION_MIN_MAX(unsigned long long)
#undef DIOPI_EMULATION_MIN_MAX
inline float min(float a, float b) { return fminf(a, b); }
inline float max(float a, float b) { return fmaxf(a, b); }
inline double min(double a, double b) { return fmin(a, b); }
inline double max(double a, double b) { return fmax(a, b); }
// NOLINTEND(google-runtime-int)

inline void __threadfence() { ::diopi::emulation::thread_fence(); }
inline void __threadfence_block() { ::diopi::emulation::thread_fence(); }
inline void __threadfence_system() { ::diopi::emulation::thread_fence(); }

template <typename T>
T __ldg(const T* address) {
  return *address;
}
template <typename T>
T __ldcs(const T* address) {
  return *address;
}
template <typename T>
void __stcs(T* address, T value) {
  *address = value;
}
// NOLINTEND(bugprone-reserved-identifier)

#endif  // DIOPI_EMULATION_INTRINSICS_HPP_
