// SPDX-License-Identifier: BSD-3-Clause
// The dimensions over which layer normalisation and normalisation by the root mean square work.
#ifndef IMPL_COMMON_FAMILIES_NORMALIZED_DIMS_HPP_
#define IMPL_COMMON_FAMILIES_NORMALIZED_DIMS_HPP_

#include "impl/common/tensor_view.hpp"

namespace impl::DIOPI_VENDOR {

// The shape of a statistic is the leading dimensions, with or without the normalised ones as 1; they are added.
inline void add_normalized_dims(diopi::TensorView* statistic, int ndim) {
  while (statistic->ndim() < ndim) *statistic = statistic->unsqueeze(statistic->ndim());
}

template <typename Args>
int first_normalized_dim(const Args& args) {
  return args.input.ndim() - static_cast<int>(args.normalized_shape.len);
}

}  // namespace impl::DIOPI_VENDOR

#endif  // IMPL_COMMON_FAMILIES_NORMALIZED_DIMS_HPP_
