// SPDX-License-Identifier: BSD-3-Clause
// What a vendor implements for the bookkeeping of tokens.
#ifndef IMPL_COMMON_ENGINE_DECODE_HPP_
#define IMPL_COMMON_ENGINE_DECODE_HPP_

#include "impl/common/tensor_view.hpp"

namespace diopi {

// Writes the ids [steps, B] of each sequence b to row b of `out`, without those of the steps from lengths[b] up to
// `padded_length`. Ids behind the end of a row are dropped; other places of `out` keep their values. The vendor checks
// 0
// <= lengths[b] <= padded_length. `lengths` has the shape [B].
struct GatherStepsProblem {
  const TensorView &out, &ids, &lengths;
  int64_t padded_length, steps;
};

}  // namespace diopi

namespace impl::DIOPI_VENDOR {

using diopi::GatherStepsProblem;
using diopi::Status;
using diopi::TensorView;

Status gather_steps(diopiContextHandle_t ctx, const GatherStepsProblem& p);

}  // namespace impl::DIOPI_VENDOR

#endif  // IMPL_COMMON_ENGINE_DECODE_HPP_
