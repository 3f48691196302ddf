// SPDX-License-Identifier: BSD-3-Clause
// Shape rules that operators share: wrapped dimensions, broadcasting, reduced shapes, overlap.
#ifndef IMPL_COMMON_SHAPE_HPP_
#define IMPL_COMMON_SHAPE_HPP_

#include "impl/common/tensor_view.hpp"

namespace diopi {

// Maps a negative `dim` to [0, ndim). As in PyTorch, a 0-d tensor counts as 1-d.
Status wrap_dim(int64_t dim, const TensorView& view, const char* name, int* wrapped);
Status wrap_dim(int64_t dim, const TensorView& view, const char* name, int64_t* wrapped);

// Broadcasts two shapes. An error names both.
Status broadcast_shapes(const TensorView& a, const TensorView& b, Dims* out);
Status broadcast_shapes(const Dims& a, const char* a_name, const TensorView& b, Dims* out);

// Requires that `view` has exactly this shape.
Status require_shape(const TensorView& view, const Dims& expected);
Status require_same_shape(const TensorView& view, const TensorView& like);
// require_shape() for a result or its gradient. If the expected shape has no dimensions, a vector of one element is
// accepted too, because some frameworks have no 0-d tensors. The overload with a pointer removes the dimension of such
// a view.
Status require_result_shape(const TensorView& view, const Dims& expected);
Status require_result_shape(const TensorView& view, const TensorView& like);
Status require_result_shape(TensorView* view, const Dims& expected);
Status require_result_shape(TensorView* view, const TensorView& like);
// Removes the dimension of a vector of one element if `expected` has no dimensions.
void drop_dim_of_number(TensorView* view, const Dims& expected);
// Requires that `view` has exactly this dtype.
Status require_dtype(const TensorView& view, diopiDtype_t expected);
// Requires that `view` has the dtype of `like`.
Status require_same_dtype(const TensorView& view, const TensorView& like);
// Requires that a result of dtype `from` may be stored in `out` (torch.can_cast).
Status require_castable(diopiDtype_t from, const TensorView& out);

// Reads a set of axes as a bit mask. As in PyTorch's reductions, an empty list means all axes.
Status read_axes(const diopiSize_t& dim, const TensorView& view, const char* name, uint32_t* mask);
// The shape after the axes of `mask` are reduced. The reduced axes become 1 or are removed.
Dims reduced_shape(const Dims& shape, uint32_t mask, bool keepdim);
// Requires that `out` has the reduced shape, with or without the reduced axes as 1: functions without a keepdim
// argument accept both.
Status require_reduced_shape(const TensorView& out, const TensorView& input, uint32_t mask);

// The bytes of a view: [low, high). An empty view has none.
void byte_extent(const TensorView& view, const char** low, const char** high);
// Whether two views may share a byte; compares their extents only.
bool may_overlap(const TensorView& a, const TensorView& b);
// Whether both have the same pointer, dtype, shape and strides: element i of one is element i of the other.
bool is_same_view(const TensorView& a, const TensorView& b);
// Returns the view with extent 1 in dimensions of stride 0, in which elements repeat. It is for scans of values, which
// should read each element only once.
TensorView without_repeats(const TensorView& view);
// Views the real parts of a complex tensor.
TensorView real_parts(const TensorView& view);
// Returns an error if two indices have the same address, as in an expanded tensor: such a tensor is not writable.
Status require_writable(const TensorView& out);

}  // namespace diopi

#endif  // IMPL_COMMON_SHAPE_HPP_
