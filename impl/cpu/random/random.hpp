// SPDX-License-Identifier: BSD-3-Clause
// Tensors of random values, made from the words of a stream. Elements are numbered in row-major order, for any strides.
// Element i is made from word i, or from words 2i and 2i + 1; normal numbers are made from the words of a pair of
// elements. The values do not depend on threads, vector width or memory layout.
#ifndef IMPL_CPU_RANDOM_RANDOM_HPP_
#define IMPL_CPU_RANDOM_RANDOM_HPP_

#include <cstdint>

#include "impl/common/random_params.hpp"
#include "impl/common/tensor_view.hpp"
#include "impl/cpu/random/philox.hpp"

namespace impl::cpu {

using diopi::BernoulliParams;
using diopi::IntegerParams;
using diopi::NormalParams;
using diopi::UniformParams;

// Makes `n` values from their words and from element-wise inputs. `n` is rounded up to a multiple of 64: `out`, `words`
// and the inputs have room for that many.
using RandomBlockFn = void (*)(const uint32_t* words, int64_t n, const void* params, const void* const* in, void* out);

struct RandomKernel {
  RandomBlockFn make;
  const void* params;
  int words_per_element;  // 1 or 2
  diopiDtype_t dtype;     // dtype of the values that `make` writes, and of its inputs
  int num_inputs = 0;     // at most 2
};

inline constexpr int64_t kRandomBlock = 1024;

// Kernels for tensors of a floating point dtype. `params` must live until fill_random() returns.
RandomKernel random_uniform(diopiDtype_t dtype, const UniformParams* params);
RandomKernel random_normal(diopiDtype_t dtype, const NormalParams* params);
// z * in[1] + in[0] with standard normal z.
RandomKernel random_normal_tensors(diopiDtype_t dtype);
// 0 and 1, for any dtype.
RandomKernel random_bernoulli(const BernoulliParams* params);
// 1 if word * 2^-32 < in[0], otherwise 0.
RandomKernel random_bernoulli_tensor();
RandomKernel random_integers(const IntegerParams* params);

// Fills `out`, of any strides, and casts the values to its dtype. Inputs have the shape of `out`; an input must not
// overlap `out` unless both are the same view.
void fill_random(RandomStream stream, const RandomKernel& kernel, const diopi::TensorView& out,
                 const diopi::TensorView* inputs = nullptr);

// out[i] = x[i] * (mask[i] * scale) with a new mask. All arrays are packed; the dtype is any floating point dtype.
void dropout_packed(RandomStream stream, const BernoulliParams& keep, double scale, diopiDtype_t dtype, const void* x,
                    int64_t n, void* out, uint8_t* mask);

// Writes the numbers 0 to n - 1 in the order of the pairs of words W(i) whose low bits, as many as n - 1 has, are
// replaced by i. The numbers are the first n of permutation_memory(n) elements.
int64_t permutation_memory(int64_t n);
void random_permutation(RandomStream stream, int64_t n, uint64_t* numbers);

// random_permutation() for n up to kShortPermutation, without memory, on the calling thread.
inline constexpr int64_t kShortPermutation = 256;
void random_short_permutation(RandomStream stream, int64_t n, int32_t* numbers);

}  // namespace impl::cpu

#endif  // IMPL_CPU_RANDOM_RANDOM_HPP_
