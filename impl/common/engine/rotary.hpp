// SPDX-License-Identifier: BSD-3-Clause
// What a vendor implements for rotary position embedding.
#ifndef IMPL_COMMON_ENGINE_ROTARY_HPP_
#define IMPL_COMMON_ENGINE_ROTARY_HPP_

#include "impl/common/tensor_view.hpp"

namespace impl::DIOPI_VENDOR {

using diopi::Status;
using diopi::TensorView;

// Rotates pairs of elements of the last dimension of `x`, which has the extent 2 h: (i, i + h), or (2 i, 2 i + 1) if
// `interleaved`. The pair (a, b) becomes (a cos[i] - b sin[i], b cos[j] + a sin[j]); `sin` is negated if `backwards`.
// The last extent of `cos` and `sin` is h, and then j = i; or, if not `interleaved`, it may be 2 h, and then j = i + h.
// `out` and `x` have one dtype; they are the same view or do not overlap. `cos` and `sin` are expanded to the leading
// dimensions of `x`. All tensors are floating point; the computation is in float64 if `x` is float64, else in float32.
struct RotaryProblem {
  const TensorView &out, &x, &cos, &sin;
  bool backwards, interleaved;
};

Status run_rotary(diopiContextHandle_t ctx, const RotaryProblem& p);

}  // namespace impl::DIOPI_VENDOR

#endif  // IMPL_COMMON_ENGINE_ROTARY_HPP_
