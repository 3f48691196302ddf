// SPDX-License-Identifier: BSD-3-Clause
#include "impl/cpu/random/random_simd.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "impl/cpu/random/random_simd.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "impl/cpu/random/random-inl.h"

#if HWY_ONCE
namespace impl::cpu {

HWY_EXPORT(uniform_float);
HWY_EXPORT(uniform_double);
HWY_EXPORT(normal_float);
HWY_EXPORT(normal_double);
HWY_EXPORT(bernoulli_bytes);
HWY_EXPORT(dropout_float);
HWY_EXPORT(dropout_double);

void random_uniform_float(const uint32_t* words, int64_t n, const UniformParams& p, float* out) {
  HWY_DYNAMIC_DISPATCH(uniform_float)(words, n, p, out);
}
void random_uniform_double(const uint32_t* words, int64_t n, const UniformParams& p, double* out) {
  HWY_DYNAMIC_DISPATCH(uniform_double)(words, n, p, out);
}
void random_normal_float(const uint32_t* words, int64_t n, const NormalParams& p, float* out) {
  HWY_DYNAMIC_DISPATCH(normal_float)(words, n, p, out);
}
void random_normal_double(const uint32_t* words, int64_t n, const NormalParams& p, double* out) {
  HWY_DYNAMIC_DISPATCH(normal_double)(words, n, p, out);
}
void random_bernoulli_bytes(const uint32_t* words, int64_t n, const BernoulliParams& p, uint8_t* out) {
  HWY_DYNAMIC_DISPATCH(bernoulli_bytes)(words, n, p, out);
}
void random_dropout_float(const uint8_t* mask, const float* x, int64_t n, float scale, float* out) {
  HWY_DYNAMIC_DISPATCH(dropout_float)(mask, x, n, scale, out);
}
void random_dropout_double(const uint8_t* mask, const double* x, int64_t n, double scale, double* out) {
  HWY_DYNAMIC_DISPATCH(dropout_double)(mask, x, n, scale, out);
}

}  // namespace impl::cpu
#endif  // HWY_ONCE
