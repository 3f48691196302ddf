// SPDX-License-Identifier: BSD-3-Clause
// The rules of the registry about reduced dimensions. Generated code calls these functions. A mask has bit i for
// dimension i.
#ifndef IMPL_COMMON_RULES_REDUCTIONS_HPP_
#define IMPL_COMMON_RULES_REDUCTIONS_HPP_

#include "impl/common/shape.hpp"

namespace diopi {

inline uint32_t all_axes(const TensorView& view) { return (1u << view.ndim()) - 1; }
// The mask of a dimension that has been checked.
inline uint32_t one_axis(int64_t dim, const TensorView& view) { return view.ndim() > 0 ? 1u << dim : 0; }
// Reads one dimension; null means all.
inline Status read_axes(const int64_t* dim, const TensorView& view, const char* name, uint32_t* mask) {
  return read_axes(diopiSize_t{dim, dim != nullptr ? 1 : 0}, view, name, mask);
}
// Reads the extents of the last dimensions.
Status read_last_axes(const diopiSize_t& extents, const TensorView& view, const char* name, uint32_t* mask);

// Requires elements in each reduced dimension.
Status require_nonempty_reduction(const TensorView& view, uint32_t mask);

}  // namespace diopi

#endif  // IMPL_COMMON_RULES_REDUCTIONS_HPP_
