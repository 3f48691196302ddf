// SPDX-License-Identifier: BSD-3-Clause
// Fills tensors with constants, ranges and one-hot rows.
#ifndef IMPL_CPU_TENSOR_FILL_HPP_
#define IMPL_CPU_TENSOR_FILL_HPP_

#include <cstdint>

#include "impl/common/tensor_view.hpp"

namespace impl::cpu {

// Sets every element to `element`, of `out.itemsize()` bytes.
void fill_bytes(const diopi::TensorView& out, const void* element);

// Sets every element to `value`, converted to the dtype of `out`.
template <typename T>
void fill_constant(const diopi::TensorView& out, T value);
extern template void fill_constant(const diopi::TensorView&, int64_t);
extern template void fill_constant(const diopi::TensorView&, double);

// out[i] = start + i * step, computed in int64 (wraps around) or float64 and converted; i counts in row-major order.
void fill_arange(const diopi::TensorView& out, int64_t start, int64_t step);
void fill_arange(const diopi::TensorView& out, double start, double step);

// Element i of `steps` is start + i * step in the first half and end - (steps - 1 - i) * step in the second, in
// float64.
void fill_linspace(const diopi::TensorView& out, double start, double end, int64_t steps);

// Finds the smallest and the largest element of an integer tensor, which must not be empty.
void index_range(const diopi::TensorView& input, int64_t* least, int64_t* most);

// out[..., c] = 1 if input[...] == c, else 0.
void fill_one_hot(const diopi::TensorView& out, const diopi::TensorView& input);

}  // namespace impl::cpu

#endif  // IMPL_CPU_TENSOR_FILL_HPP_
