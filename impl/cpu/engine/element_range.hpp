// SPDX-License-Identifier: BSD-3-Clause
// Ranges of a strided tensor's elements in row-major order, for work that is divided by element number.
#ifndef IMPL_CPU_ENGINE_ELEMENT_RANGE_HPP_
#define IMPL_CPU_ENGINE_ELEMENT_RANGE_HPP_

#include <algorithm>
#include <cstdint>

#include "impl/common/tensor_view.hpp"
#include "impl/cpu/engine/cast/cast.hpp"

namespace impl::cpu {

// Calls f(address, stride in bytes, run) for each part of a row that belongs to the elements from `first` on.
template <typename F>
void for_element_runs(const diopi::TensorView& view, int64_t first, int64_t count, F&& f) {
  const int64_t size = view.itemsize();
  const int last = view.ndim() - 1;
  if (count <= 0) return;
  if (last < 0) return f(view.data, size, count);
  diopi::Dims index = view.shape;
  int64_t rest = first, offset = 0;
  for (int i = last; i >= 0; --i) {
    index[i] = rest % view.shape[i];
    rest /= view.shape[i];
    offset += index[i] * view.stride[i];
  }
  while (count > 0) {
    const int64_t run = std::min(view.shape[last] - index[last], count);
    f(view.data + offset * size, view.stride[last] * size, run);
    count -= run;
    offset -= index[last] * view.stride[last];
    index[last] = 0;
    for (int i = last - 1; i >= 0; --i) {
      offset += view.stride[i];
      if (++index[i] < view.shape[i]) break;
      offset -= index[i] * view.stride[i];
      index[i] = 0;
    }
  }
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
