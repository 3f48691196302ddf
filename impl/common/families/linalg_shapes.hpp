// SPDX-License-Identifier: BSD-3-Clause
// The shapes of the results of triangular solves and of QR decompositions.
#ifndef IMPL_COMMON_FAMILIES_LINALG_SHAPES_HPP_
#define IMPL_COMMON_FAMILIES_LINALG_SHAPES_HPP_

#include <algorithm>
#include <cstring>

#include "impl/common/shape.hpp"

namespace impl::DIOPI_VENDOR {

using diopi::Dims;
using diopi::Status;
using diopi::TensorView;

// The shape [batch..., rows, columns] with the broadcast batch of `b` and `mat`.
inline Status system_shape(const TensorView& b, const TensorView& mat, int64_t columns, Dims* shape) {
  TensorView other = mat;
  other.shape.n -= 2;
  DIOPI_TRY(diopi::broadcast_shapes(diopi::part_of(b.shape, 0, -2), "the batch of b", other, shape));
  DIOPI_REQUIRE(shape->n + 2 <= diopi::kMaxDims, diopiErrorOccurred,
                "b and mat make a result of %d dimensions; at most %d are supported", shape->n + 2, diopi::kMaxDims);
  shape->push_back(mat.shape[mat.ndim() - 1]);
  shape->push_back(columns);
  return diopiSuccess;
}

// The shapes of Q and R; Q is [0] in the mode "r".
inline void qr_shapes(const TensorView& a, const char* mode, Dims* q, Dims* r) {
  const int64_t m = a.shape[a.ndim() - 2], n = a.shape[a.ndim() - 1];
  const int64_t rank = std::strcmp(mode, "complete") == 0 ? m : std::min(m, n);
  *q = *r = a.shape;
  (*q)[a.ndim() - 1] = rank;
  (*r)[a.ndim() - 2] = rank;
  if (std::strcmp(mode, "r") == 0) {
    q->n = 1;
    (*q)[0] = 0;
  }
}

}  // namespace impl::DIOPI_VENDOR

#endif  // IMPL_COMMON_FAMILIES_LINALG_SHAPES_HPP_
