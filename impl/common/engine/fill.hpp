// SPDX-License-Identifier: BSD-3-Clause
// What a vendor implements to fill tensors.
#ifndef IMPL_COMMON_ENGINE_FILL_HPP_
#define IMPL_COMMON_ENGINE_FILL_HPP_

#include "impl/common/scalar.hpp"
#include "impl/common/tensor_view.hpp"

namespace impl::DIOPI_VENDOR {

using diopi::Status;
using diopi::TensorView;

// Sets every element to `value`, converted to the dtype of `out`. In a dry run (see step_memory.hpp) it writes nothing.
Status fill(diopiContextHandle_t ctx, const TensorView& out, const diopiScalar_t& value);

// out[i] = start + i * step, computed in float64 if `out` is floating point, otherwise in int64, which wraps around. i
// counts the elements of `out` in row-major order.
Status fill_arange(diopiContextHandle_t ctx, const TensorView& out, const diopiScalar_t& start,
                   const diopiScalar_t& step);

// Element i of n is start + i * step in the first half and end - (n - 1 - i) * step in the second, computed in float64,
// where step = (end - start) / (n - 1). A single element is `start`.
Status fill_linspace(diopiContextHandle_t ctx, const TensorView& out, double start, double end);

// out[..., c] = 1 if in[...] == c, else 0. The integers of `in` are in range. The two do not overlap.
Status fill_one_hot(diopiContextHandle_t ctx, const TensorView& out, const TensorView& in);

}  // namespace impl::DIOPI_VENDOR

#endif  // IMPL_COMMON_ENGINE_FILL_HPP_
