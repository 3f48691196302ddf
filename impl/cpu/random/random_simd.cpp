// SPDX-License-Identifier: BSD-3-Clause
#include "impl/cpu/random/random_simd.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "impl/cpu/random/random_simd.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "impl/cpu/random/random-inl.h"

#if HWY_ONCE
namespace impl::cpu {

HWY_EXPORT(UniformFloat);
HWY_EXPORT(UniformDouble);
HWY_EXPORT(NormalFloat);
HWY_EXPORT(NormalDouble);
HWY_EXPORT(BernoulliBytes);
HWY_EXPORT(DropoutFloat);
HWY_EXPORT(DropoutDouble);

void random_uniform_float(const uint32_t* words, int64_t n, const UniformParams& p, float* out) {
  HWY_DYNAMIC_DISPATCH(UniformFloat)(words, n, p, out);
}
void random_uniform_double(const uint32_t* words, int64_t n, const UniformParams& p, double* out) {
  HWY_DYNAMIC_DISPATCH(UniformDouble)(words, n, p, out);
}
void random_normal_float(const uint32_t* words, int64_t n, const NormalParams& p, float* out) {
  HWY_DYNAMIC_DISPATCH(NormalFloat)(words, n, p, out);
}
void random_normal_double(const uint32_t* words, int64_t n, const NormalParams& p, double* out) {
  HWY_DYNAMIC_DISPATCH(NormalDouble)(words, n, p, out);
}
void random_bernoulli_bytes(const uint32_t* words, int64_t n, const BernoulliParams& p, uint8_t* out) {
  HWY_DYNAMIC_DISPATCH(BernoulliBytes)(words, n, p, out);
}
void random_dropout_float(const uint8_t* mask, const float* x, int64_t n, float scale, float* out) {
  HWY_DYNAMIC_DISPATCH(DropoutFloat)(mask, x, n, scale, out);
}
void random_dropout_double(const uint8_t* mask, const double* x, int64_t n, double scale, double* out) {
  HWY_DYNAMIC_DISPATCH(DropoutDouble)(mask, x, n, scale, out);
}

}  // namespace impl::cpu
#endif  // HWY_ONCE
