// SPDX-License-Identifier: BSD-3-Clause
// What a vendor implements for dropout.
#ifndef IMPL_COMMON_ENGINE_DROPOUT_HPP_
#define IMPL_COMMON_ENGINE_DROPOUT_HPP_

#include "impl/common/engine/random.hpp"

namespace impl::DIOPI_VENDOR {

// Element i of `mask`, in row-major order, is 1 if word i of the call, times 2^-32, is less than 1 - p, and otherwise
// 0. out = in * (mask * scale), with scale = 1 / (1 - p), or 0 if p is 1. The dtypes of `out` and `in` are floating
// point, that of `mask` is real or bool. `out` has the shape of `in`, to which `mask` broadcasts; `out` may be `in`,
// and `mask` overlaps neither of them. float16 and bfloat16 are computed in float32.
Status run_dropout(diopiContextHandle_t ctx, const TensorView& out, const TensorView& mask, const TensorView& in,
                   double p, const RandomWords& words);

}  // namespace impl::DIOPI_VENDOR

#endif  // IMPL_COMMON_ENGINE_DROPOUT_HPP_
