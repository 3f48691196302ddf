// SPDX-License-Identifier: BSD-3-Clause
// Ranges of a strided tensor's elements in row-major order, for work that is divided by element number.
#ifndef IMPL_CPU_ENGINE_ELEMENT_RANGE_HPP_
#define IMPL_CPU_ENGINE_ELEMENT_RANGE_HPP_

#include <algorithm>
#include <cstdint>

#include "impl/common/plan/loop_nest.hpp"
#include "impl/cpu/engine/cast/cast.hpp"

namespace impl::cpu {

// Calls f(address, stride in bytes, run) for each part of a row that belongs to the elements from `first` on.
template <typename F>
void for_element_runs(const diopi::TensorView& view, int64_t first, int64_t count, F&& f) {
  const int64_t size = view.itemsize();
  const auto nest = diopi::row_major_nest(view.shape, view.stride);
  diopi::LoopCursor at(nest, first);
  at.for_runs(count, [&](int64_t run) { f(view.data + at.offset() * size, nest.inner_stride() * size, run); });
}

// Writes `count` packed elements to the elements of `view` from `first` on.
void scatter_range(const diopi::TensorView& view, int64_t first, int64_t count, const void* packed);

// Reads up to kElementRange elements of `view` from `first` on, converted to `dtype`.
void gather_range(const diopi::TensorView& view, int64_t first, int64_t count, diopiDtype_t dtype, void* packed);

inline constexpr int64_t kElementRange = 1024;

// Whether `f(const T*, count)` returns true for all elements of a tensor, which are read as T in packed ranges.
template <typename T, typename F>
bool all_ranges(const diopi::TensorView& view, F&& f) {
  T values[kElementRange];
  for (int64_t first = 0; first < view.numel; first += kElementRange) {
    const int64_t count = std::min(kElementRange, view.numel - first);
    gather_range(view, first, count, diopi::dtype_of<T>, values);
    if (!f(values, count)) return false;
  }
  return true;
}

}  // namespace impl::cpu

#endif  // IMPL_CPU_ENGINE_ELEMENT_RANGE_HPP_
