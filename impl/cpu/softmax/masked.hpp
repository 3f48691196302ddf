// SPDX-License-Identifier: BSD-3-Clause
// Rows of the softmax with a mask, in which hidden elements count as -10000.
#ifndef IMPL_CPU_SOFTMAX_MASKED_HPP_
#define IMPL_CPU_SOFTMAX_MASKED_HPP_

#include <cstdint>

#include "impl/common/dtype.hpp"

namespace impl::cpu {

// A packed row of n elements. Element i is hidden if `mask` is given and mask[i * mask_step] is not 0, or i >= visible.
struct MaskedRow {
  int64_t n, visible;
  const uint8_t* mask;
  int64_t mask_step;  // 0 or 1
  double scale;
};

// The bytes of `memory` for a row.
inline int64_t masked_row_bytes(int64_t n) { return (2 * n + 16) * static_cast<int64_t>(sizeof(double)); }

// Forward: in -> out. Backward: grad_out, out -> grad_in. The result may be one of the operands.
using MaskedSoftmaxFn = void (*)(const MaskedRow& row, const void* in, void* out, char* memory);
using MaskedSoftmaxBackwardFn = void (*)(const MaskedRow& row, const void* grad_out, const void* out, void* grad_in,
                                         char* memory);
MaskedSoftmaxFn masked_softmax_kernel(diopiDtype_t dtype);
MaskedSoftmaxBackwardFn masked_softmax_backward_kernel(diopiDtype_t dtype);

}  // namespace impl::cpu

#endif  // IMPL_CPU_SOFTMAX_MASKED_HPP_
