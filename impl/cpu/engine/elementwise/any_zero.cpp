// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cstring>

#include "impl/common/engine/elementwise.hpp"
#include "impl/common/plan/loop_nest.hpp"
#include "impl/common/shape.hpp"

namespace impl::cpu {

namespace {

bool has_zero(const TensorView& view) {
  static constexpr char kZeros[8] = {};
  const int64_t size = view.itemsize();
  const auto nest = diopi::row_major_nest(view.shape, view.stride);
  const int64_t n = nest.inner_extent(), step = nest.inner_stride() * size;
  diopi::LoopCursor row(nest, 0, std::min(1, nest.n), nest.n);
  do {
    const char* p = view.data + row.offset() * size;
    for (int64_t i = 0; i < n; ++i, p += step) {
      if (std::memcmp(p, kZeros, static_cast<size_t>(size)) == 0) return true;
    }
  } while (row.next());
  return false;
}

}  // namespace

Status any_zero(diopiContextHandle_t ctx, const TensorView& view, bool* found) {
  *found = view.numel > 0 && has_zero(diopi::without_repeats(view));
  return diopiSuccess;
}

}  // namespace impl::cpu
