// SPDX-License-Identifier: BSD-3-Clause
// Vector loops of random.hpp, dispatched to the running CPU's target. For functions that make pairs of values or whole
// vectors, `n` is a multiple of 64.
#ifndef IMPL_CPU_RANDOM_RANDOM_SIMD_HPP_
#define IMPL_CPU_RANDOM_RANDOM_SIMD_HPP_

#include <cstdint>

#include "impl/cpu/random/random.hpp"

namespace impl::cpu {

void random_uniform_float(const uint32_t* words, int64_t n, const UniformParams& p, float* out);
void random_uniform_double(const uint32_t* words, int64_t n, const UniformParams& p, double* out);
void random_normal_float(const uint32_t* words, int64_t n, const NormalParams& p, float* out);
void random_normal_double(const uint32_t* words, int64_t n, const NormalParams& p, double* out);
void random_bernoulli_bytes(const uint32_t* words, int64_t n, const BernoulliParams& p, uint8_t* out);
void random_dropout_float(const uint8_t* mask, const float* x, int64_t n, float scale, float* out);
void random_dropout_double(const uint8_t* mask, const double* x, int64_t n, double scale, double* out);

}  // namespace impl::cpu

#endif  // IMPL_CPU_RANDOM_RANDOM_SIMD_HPP_
