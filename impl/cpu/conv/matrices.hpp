// SPDX-License-Identifier: BSD-3-Clause
// Tensors of convolutions as matrices, one for each image.
#ifndef IMPL_CPU_CONV_MATRICES_HPP_
#define IMPL_CPU_CONV_MATRICES_HPP_

#include "impl/common/tensor_view.hpp"

namespace impl::cpu {

// Views [N, C, spatial...] as [N, C, positions]. Returns false if the positions are not evenly spaced.
inline bool as_matrices(const diopi::TensorView& view, diopi::TensorView* result) {
  int64_t next = 1;
  for (int dim = view.ndim() - 1; dim >= 2; --dim) {
    if (view.shape[dim] != 1 && view.stride[dim] != next) return false;
    next *= view.shape[dim];
  }
  if (view.shape[1] > 1 && view.stride[1] < next) return false;
  *result = view;
  result->shape.n = result->stride.n = 3;
  result->shape[2] = next;
  result->stride[2] = 1;
  if (view.shape[1] == 1) result->stride[1] = next;
  return true;
}

// The same matrix for each image.
inline diopi::TensorView for_each_image(const diopi::TensorView& matrix, int64_t images) {
  const diopi::TensorView one = matrix.unsqueeze(0);
  diopi::Dims shape = one.shape;
  shape[0] = images;
  return one.expand(shape);
}

}  // namespace impl::cpu

#endif  // IMPL_CPU_CONV_MATRICES_HPP_
