// SPDX-License-Identifier: BSD-3-Clause
// Deformable attention: weighted sums of samples of the levels of an image pyramid, and their gradients.
#ifndef IMPL_CPU_SAMPLING_ATTENTION_HPP_
#define IMPL_CPU_SAMPLING_ATTENTION_HPP_

#include <cstdint>

#include "impl/common/dtype.hpp"
#include "impl/common/engine/deform.hpp"

namespace impl::cpu {

using diopi::PyramidLevel;

// All arrays have one type, float or double, and are packed.
struct DeformAttention {
  const void* value = nullptr;     // [N, S, heads, D]
  const void* location = nullptr;  // [N, Q, heads, L, P, 2]
  const void* weight = nullptr;    // [N, Q, heads, L, P]
  const void* zeros = nullptr;     // D zeros
  const PyramidLevel* level = nullptr;
  int64_t cells = 0, heads = 0, depth = 0;  // S, heads, D
  int64_t queries = 0, levels = 0, points = 0;
};

// Computes the rows [begin, end) of out [N * Q * heads, D].
using DeformAttentionFn = void (*)(const DeformAttention& call, void* out, int64_t begin, int64_t end);
DeformAttentionFn deform_attention_kernel(diopiDtype_t dtype);

// The arrays of gradients have the layouts of what they are gradients of.
struct DeformAttentionGradients {
  const void* grad_output;  // [N, Q, heads, D]
  void *value, *location, *weight;
};
// Computes the gradients of heads [begin, end) of N * heads; those of `value` are added.
using DeformAttentionBackwardFn = void (*)(const DeformAttention& call, const DeformAttentionGradients& gradients,
                                           int64_t begin, int64_t end);
DeformAttentionBackwardFn deform_attention_backward_kernel(diopiDtype_t dtype);

}  // namespace impl::cpu

#endif  // IMPL_CPU_SAMPLING_ATTENTION_HPP_
