// SPDX-License-Identifier: BSD-3-Clause
#include <cstring>

#include "impl/common/engine/elementwise.hpp"
#include "impl/common/shape.hpp"

namespace impl::cpu {

namespace {

// Recurses over the outer dimensions; `p` is the address of the first element of the remaining block.
bool has_zero_from(const TensorView& view, int dim, const char* p) {
  static constexpr char kZeros[8] = {};
  const int size = view.itemsize();
  if (dim == view.ndim()) return std::memcmp(p, kZeros, size) == 0;
  for (int64_t i = 0; i < view.shape[dim]; ++i, p += view.stride[dim] * size) {
    if (has_zero_from(view, dim + 1, p)) return true;
  }
  return false;
}

}  // namespace

Status any_zero(diopiContextHandle_t ctx, const TensorView& view, bool* found) {
  *found = view.numel > 0 && has_zero_from(diopi::without_repeats(view), 0, view.data);
  return diopiSuccess;
}

}  // namespace impl::cpu
