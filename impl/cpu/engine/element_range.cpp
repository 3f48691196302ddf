// SPDX-License-Identifier: BSD-3-Clause
#include "impl/cpu/engine/element_range.hpp"

#include <cstring>

#include "impl/cpu/engine/copy/packed_block.hpp"

namespace impl::cpu {

using diopi::TensorView;

void scatter_range(const TensorView& view, int64_t first, int64_t count, const void* packed) {
  const char* source = static_cast<const char*>(packed);
  const int size = view.itemsize();
  for_element_runs(view, first, count, [&](char* address, int64_t stride, int64_t run) {
    scatter(address, stride, source, size, run);
    source += run * size;
  });
}

void gather_range(const TensorView& view, int64_t first, int64_t count, diopiDtype_t dtype, void* packed) {
  alignas(16) char staging[kElementRange * kMaxItemsize];
  const int size = view.itemsize();
  const bool same = view.dtype == dtype;
  char* const target = same ? static_cast<char*>(packed) : staging;
  const char* source = view.data + first * size;
  if (!view.is_contiguous()) {
    char* to = target;
    for_element_runs(view, first, count, [&](const char* address, int64_t stride, int64_t run) {
      gather(to, address, stride, size, run);
      to += run * size;
    });
    source = target;
  }
  if (!same) {
    cast_function(view.dtype, dtype)(packed, source, count);
  } else if (source != target) {
    std::memcpy(target, source, static_cast<size_t>(count) * size);
  }
}

}  // namespace impl::cpu
