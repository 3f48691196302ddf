// SPDX-License-Identifier: BSD-3-Clause
// Tensors of random values, made from the words of a stream. Elements are numbered in row-major order, for any strides.
// Element i is made from word i, or from words 2i and 2i + 1; normal numbers are made from the words of a pair of
// elements. The values do not depend on threads, vector width or memory layout.
#ifndef IMPL_CPU_RANDOM_RANDOM_HPP_
#define IMPL_CPU_RANDOM_RANDOM_HPP_

#include <cstdint>

#include "impl/common/tensor_view.hpp"
#include "impl/cpu/random/philox.hpp"

namespace impl::cpu {

// Value: from + u * (to - from). u has the upper `bits` bits of the word (float32: 24, float16: 11, bfloat16: 8), or of
// the pair of words (float64: 53). Values from `limit` on would be rounded to `to`; they become `from`.
struct UniformParams {
  double from, to, limit;
  int bits;
};

struct NormalParams {
  double mean, std;
};

// The value is 1 if `any` is true and word <= last.
struct BernoulliParams {
  uint32_t last;
  bool any;

  // Makes the value 1 if word < ceil(p * 2^32).
  explicit BernoulliParams(double p);
};

// Value: from + floor(W * range / 2^64) for the pair of words W. A range of 0 means 2^64.
struct IntegerParams {
  int64_t from;
  uint64_t range;
};

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

// The number of words that `kernel` uses for `numel` elements.
int64_t random_words(const RandomKernel& kernel, int64_t numel);

// Fills `out`, of any strides, and casts the values to its dtype. Inputs have the shape of `out`; an input must not
// overlap `out` unless both are the same view.
void fill_random(RandomStream stream, const RandomKernel& kernel, const diopi::TensorView& out,
                 const diopi::TensorView* inputs = nullptr);

// out[i] = x[i] * (mask[i] * scale) with a new mask. All arrays are packed; the dtype is any floating point dtype.
void dropout_packed(RandomStream stream, const BernoulliParams& keep, double scale, diopiDtype_t dtype, const void* x,
                    int64_t n, void* out, uint8_t* mask);

// keys[i] = the pair of words W(i) whose low `index_bits` bits are replaced by i.
void permutation_keys(RandomStream stream, int64_t n, int index_bits, uint64_t* keys);

}  // namespace impl::cpu

#endif  // IMPL_CPU_RANDOM_RANDOM_HPP_
