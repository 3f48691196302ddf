// SPDX-License-Identifier: BSD-3-Clause
// Tensors as packed doubles, for statistics, weights of channels or classes, and sums.
#ifndef IMPL_CPU_ENGINE_DOUBLES_HPP_
#define IMPL_CPU_ENGINE_DOUBLES_HPP_

#include "impl/common/tensor_view.hpp"

namespace impl::cpu {

using diopi::Status;
using diopi::TensorView;

// Reads a tensor of any strides and floating point dtype as packed doubles in row-major order; and writes it back.
Status read_doubles(diopiContextHandle_t ctx, const TensorView& view, double** values);
Status write_doubles(diopiContextHandle_t ctx, const TensorView& view, const double* values);

// Reads a vector of `count` elements as doubles. If the view is null, all are `fallback`.
Status read_vector(diopiContextHandle_t ctx, const TensorView* view, int64_t count, double fallback, double** values);
// Writes doubles to a vector, converted to its dtype. A null view is skipped.
void write_vector(const TensorView* view, const double* values);

}  // namespace impl::cpu

#endif  // IMPL_CPU_ENGINE_DOUBLES_HPP_
