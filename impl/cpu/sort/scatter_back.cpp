// SPDX-License-Identifier: BSD-3-Clause
#include "impl/cpu/sort/scatter_back.hpp"

#include <algorithm>
#include <cstring>

#include "impl/common/parallel.hpp"

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
  diopi::parallel_for(rows.numel / n, grain, [&](int64_t begin, int64_t end) {
    for (int64_t row = begin; row < end; ++row) {
      const char *source = rows.data, *positions = index.data;
      char* target = result.data;
      for (int64_t i = rows.ndim() - 1, rest = row; i >= 0; --i) {
        if (i == dim) continue;
        const int64_t at = rest % rows.shape[i];
        rest /= rows.shape[i];
        source += at * rows.stride[i] * size;
        positions += at * index.stride[i] * index_size;
        target += at * result.stride[i] * size;
      }
      for (int64_t j = 0; j < n; ++j) {
        const int64_t to = index_at(index, positions + j * index_step);
        std::memcpy(target + to * result_step, source + j * row_step, static_cast<size_t>(size));
      }
    }
  });
}

}  // namespace impl::cpu
