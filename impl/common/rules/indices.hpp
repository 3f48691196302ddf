// SPDX-License-Identifier: BSD-3-Clause
// The error for an index that is out of range. Vendors that check indices return it.
#ifndef IMPL_COMMON_RULES_INDICES_HPP_
#define IMPL_COMMON_RULES_INDICES_HPP_

#include "impl/common/tensor_view.hpp"

namespace diopi {

// `value`, at a row-major position of `index`, is no index of dimension `dim` of `indexed`. `wrap`: negative indices
// count from the end.
Status refuse_index(const TensorView& index, int64_t value, int64_t position, const TensorView& indexed, int dim,
                    bool wrap);

}  // namespace diopi

#endif  // IMPL_COMMON_RULES_INDICES_HPP_
