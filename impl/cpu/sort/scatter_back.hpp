// SPDX-License-Identifier: BSD-3-Clause
// Scatters sorted rows back to their positions.
#ifndef IMPL_CPU_SORT_SCATTER_BACK_HPP_
#define IMPL_CPU_SORT_SCATTER_BACK_HPP_

#include "impl/common/tensor_view.hpp"

namespace impl::cpu {

// result[..., index[..., j, ...], ...] = rows[..., j, ...] along `dim`. `index` holds valid positions.
void scatter_rows(const diopi::TensorView& result, int dim, const diopi::TensorView& index,
                  const diopi::TensorView& rows);

}  // namespace impl::cpu

#endif  // IMPL_CPU_SORT_SCATTER_BACK_HPP_
