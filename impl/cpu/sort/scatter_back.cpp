// SPDX-License-Identifier: BSD-3-Clause
#include "impl/cpu/sort/scatter_back.hpp"

#include <algorithm>
#include <cstring>

#include "impl/common/parallel.hpp"
#include "impl/common/plan/loop_nest.hpp"

namespace impl::cpu {

namespace {

using diopi::TensorView;

int64_t index_at(const TensorView& index, const char* address) {
  if (index.dtype == diopi_dtype_int32) {
    int32_t narrow;
    std::memcpy(&narrow, address, sizeof(narrow));
    return narrow;
  }
  int64_t wide;
  std::memcpy(&wide, address, sizeof(wide));
  return wide;
}

}  // namespace

void scatter_rows(const TensorView& result, int dim, const TensorView& index, const TensorView& rows) {
  if (rows.numel == 0) return;
  const int64_t size = rows.itemsize(), index_size = index.itemsize();
  const bool has_dim = rows.ndim() > 0;
  const int64_t n = has_dim ? rows.shape[dim] : 1;
  const int64_t row_step = has_dim ? rows.stride[dim] * size : 0, result_step = has_dim ? result.stride[dim] * size : 0;
  const int64_t index_step = has_dim ? index.stride[dim] * index_size : 0;
  const int64_t grain = std::max<int64_t>(1, 16384 / n);
  diopi::LoopNest<3> outer;
  for (int i = rows.ndim() - 1; i >= 0; --i) {
    if (i == dim) continue;
    outer.push_back(rows.shape[i], rows.stride[i] * size, index.stride[i] * index_size, result.stride[i] * size);
  }
  diopi::parallel_for(rows.numel / n, grain, [&](int64_t begin, int64_t end) {
    diopi::LoopCursor at(outer, begin);
    for (int64_t row = begin; row < end; ++row, at.next()) {
      const char* const source = rows.data + at.offset(0);
      const char* const positions = index.data + at.offset(1);
      char* const target = result.data + at.offset(2);
      for (int64_t j = 0; j < n; ++j) {
        const int64_t to = index_at(index, positions + j * index_step);
        std::memcpy(target + to * result_step, source + j * row_step, static_cast<size_t>(size));
      }
    }
  });
}

}  // namespace impl::cpu
