// SPDX-License-Identifier: BSD-3-Clause
#include "impl/cpu/tensor/tril_triu.hpp"

#include <algorithm>
#include <cstring>

#include "impl/common/kernel_table.hpp"
#include "impl/common/parallel.hpp"
#include "impl/common/plan/loop_nest.hpp"

namespace impl::cpu {

using diopi::TensorView;

namespace {

template <int kSize>
void move_items(char* dst, int64_t dst_step, const char* src, int64_t src_step, int64_t n) {
  if (n <= 0 || (dst == src && dst_step == src_step)) return;
  if (dst_step == kSize && src_step == kSize) {
    std::memcpy(dst, src, static_cast<size_t>(n) * kSize);
    return;
  }
  for (int64_t i = 0; i < n; ++i) std::memcpy(dst + i * dst_step, src + i * src_step, kSize);
}

template <int kSize>
void clear_items(char* dst, int64_t dst_step, int64_t n) {
  if (n <= 0) return;
  if (dst_step == kSize) {
    std::memset(dst, 0, static_cast<size_t>(n) * kSize);
    return;
  }
  for (int64_t i = 0; i < n; ++i) std::memset(dst + i * dst_step, 0, kSize);
}

// Copies one row: elements [begin, end) are copied, the others become zero.
template <int kSize>
void copy_row(char* dst, int64_t dst_step, const char* src, int64_t src_step, int64_t begin, int64_t end, int64_t n) {
  move_items<kSize>(dst + begin * dst_step, dst_step, src + begin * src_step, src_step, end - begin);
  clear_items<kSize>(dst, dst_step, begin);
  clear_items<kSize>(dst + end * dst_step, dst_step, n - end);
}

using CopyRow = void (*)(char*, int64_t, const char*, int64_t, int64_t, int64_t, int64_t);

CopyRow row_function(int size) {
  return diopi::for_itemsize(size, [](auto tag) { return copy_row<sizeof(diopi::tagged<decltype(tag)>)>; });
}

}  // namespace

void copy_triangle(const TensorView& dst, const TensorView& src, bool lower, int64_t diagonal) {
  if (dst.numel == 0) return;
  const int n = dst.ndim();
  const int64_t size = dst.itemsize(), columns = dst.shape[n - 1], height = dst.shape[n - 2];
  const CopyRow copy = row_function(static_cast<int>(size));
  diopi::LoopNest<2> rows;
  for (int d = n - 2; d >= 0; --d) rows.push_back(dst.shape[d], dst.stride[d], src.stride[d]);
  // The diagonal is limited to the matrix, so that sums of indices cannot overflow.
  diagonal = std::clamp(diagonal, -height - 1, columns + 1);
  diopi::parallel_for(dst.numel / columns, std::max<int64_t>(1, 32768 / columns), [&](int64_t begin, int64_t end) {
    diopi::LoopCursor at(rows, begin);
    for (int64_t r = begin; r < end; ++r, at.next()) {
      const int64_t edge = std::clamp<int64_t>(r % height + diagonal + (lower ? 1 : 0), 0, columns);
      copy(dst.data + at.offset(0) * size, dst.stride[n - 1] * size, src.data + at.offset(1) * size,
           src.stride[n - 1] * size, lower ? 0 : edge, lower ? edge : columns, columns);
    }
  });
}

}  // namespace impl::cpu
