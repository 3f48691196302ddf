// SPDX-License-Identifier: BSD-3-Clause
// Shape rules that operators share: wrapped dimensions, broadcasting, reduced shapes, overlap.
#pragma once

#include "tensor_view.hpp"

namespace diopi {

// Wraps a negative `dim` into [0, ndim); a 0-d tensor counts as 1-d, as in PyTorch.
Status wrap_dim(int64_t dim, const TensorView& view, const char* name, int* wrapped);

// The broadcast of two shapes; an error names both.
Status broadcast_shapes(const TensorView& a, const TensorView& b, Dims* out);
Status broadcast_shapes(const Dims& a, const char* a_name, const TensorView& b, Dims* out);

// `view` must have exactly this shape.
Status require_shape(const TensorView& view, const Dims& expected);
Status require_same_shape(const TensorView& view, const TensorView& like);
// require_shape for a result or its gradient: if the expected shape has no dimensions, a vector of one element is
// accepted too, because some frameworks have no 0-d tensors. Given as a pointer, such a view loses its dimension.
Status require_result_shape(const TensorView& view, const Dims& expected);
Status require_result_shape(const TensorView& view, const TensorView& like);
Status require_result_shape(TensorView* view, const Dims& expected);
Status require_result_shape(TensorView* view, const TensorView& like);
// Drops the dimension of a vector of one element where `expected` has none.
void drop_dim_of_number(TensorView* view, const Dims& expected);
// `view` must have exactly this dtype.
Status require_dtype(const TensorView& view, diopiDtype_t expected);
// `view` must have the dtype of `like`.
Status require_same_dtype(const TensorView& view, const TensorView& like);
// A result of `from` must be allowed in `out` (torch.can_cast).
Status require_castable(diopiDtype_t from, const TensorView& out);

// A set of axes as a bit mask. An empty list means all axes, as PyTorch's reductions have it.
Status read_axes(const diopiSize_t& dim, const TensorView& view, const char* name, uint32_t* mask);
// Shape after reducing `mask`, with the reduced axes kept as 1 or dropped.
Dims reduced_shape(const Dims& shape, uint32_t mask, bool keepdim);
// `out` must have the reduced shape, with or without kept axes: where no keepdim exists, out decides.
Status require_reduced_shape(const TensorView& out, const TensorView& input, uint32_t mask);

// The bytes that a view touches: [low, high). Empty views touch none.
void byte_extent(const TensorView& view, const char** low, const char** high);
// Whether two views may share a byte (by extents).
bool may_overlap(const TensorView& a, const TensorView& b);
// Same pointer, dtype, shape and strides: element i of one is element i of the other.
bool is_same_view(const TensorView& a, const TensorView& b);
// The elements that lie apart in memory: a dimension along which they repeat (stride 0) has extent 1. For scans of
// values, of which a call should not read one many times.
TensorView without_repeats(const TensorView& view);
// Two indices of one tensor at the same address, as an expanded tensor has: not writable.
Status require_writable(const TensorView& out);

}  // namespace diopi
