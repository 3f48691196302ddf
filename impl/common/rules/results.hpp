// SPDX-License-Identifier: BSD-3-Clause
// Shapes that operators give their results. Generated code calls these functions after the checks of the operands.
#ifndef IMPL_COMMON_RULES_RESULTS_HPP_
#define IMPL_COMMON_RULES_RESULTS_HPP_

#include "impl/common/tensor_view.hpp"

namespace diopi {

// The shape of torch.matmul: the broadcast batch, then the rows of `a` and the columns of `b`, which vectors lack.
Dims matmul_shape(const Dims& a, const Dims& b);

// The shape with another last extent.
Dims with_last_extent(const Dims& shape, int64_t extent);

}  // namespace diopi

#endif  // IMPL_COMMON_RULES_RESULTS_HPP_
