// SPDX-License-Identifier: BSD-3-Clause
#include "impl/cuda/kernels/sort/distinct.hpp"

#include "impl/common/sort_key.hpp"
#include "impl/cuda/kernels/index/offsets.cuh"

namespace impl::cuda {

namespace {

template <typename Bits>
__device__ Bits key_at(const RowsCall& rows, diopi::KeyRule rule, int64_t row, int64_t element) {
  const int64_t at = row * rows.row_stride + offset_of(rows.elements, element);
  return diopi::ordered_key(static_cast<const Bits*>(rows.data)[at], rule);
}

template <typename Bits, typename Key>
__global__ void __launch_bounds__(kBlock) column_keys(RowsCall rows, diopi::KeyRule rule, int64_t column, Key* keys) {
  for (int64_t i = thread_item(); i < rows.n; i += all_threads()) {
    const Bits key = key_at<Bits>(rows, rule, rows.order != nullptr ? rows.order[i] : i, column);
    keys[i] = static_cast<Key>(key - static_cast<Bits>(rows.least));
  }
}

template <typename Bits>
__global__ void __launch_bounds__(kBlock) heads_of(RowsCall rows, diopi::KeyRule rule, uint8_t* heads) {
  for (int64_t i = thread_item(); i < rows.n; i += all_threads()) {
    bool differs = i == 0;
    for (int64_t e = 0; e < rows.length && !differs; ++e) {
      const Bits key = key_at<Bits>(rows, rule, rows.order[i], e);
      const bool is_nan = rule.infinity != 0 && key == static_cast<Bits>(~Bits{0});
      differs = is_nan || key != key_at<Bits>(rows, rule, rows.order[i - 1], e);
    }
    heads[i] = differs ? 1 : 0;
  }
}

__global__ void __launch_bounds__(kBlock) compose(int64_t n, const uint32_t* before, uint32_t* order) {
  for (int64_t i = thread_item(); i < n; i += all_threads()) order[i] = before[order[i]];
}

__global__ void __launch_bounds__(kBlock) firsts_of(GroupsCall groups, int64_t* firsts) {
  for (int64_t k = thread_item(); k < groups.count; k += all_threads()) {
    firsts[k] = groups.order[groups.starts[k]];
  }
}

template <typename T>
__global__ void __launch_bounds__(kBlock) number(GroupsCall groups, T* group, int64_t stride) {
  for (int64_t i = thread_item(); i < groups.n; i += all_threads()) {
    int64_t low = 0, high = groups.count;  // the group is in [low, high)
    while (high - low > 1) {
      const int64_t middle = low + (high - low) / 2;
      if (groups.starts[middle] <= i) {
        low = middle;
      } else {
        high = middle;
      }
    }
    group[groups.order[i] * stride] = static_cast<T>(low);
  }
}

__global__ void __launch_bounds__(kBlock) sizes_of(GroupsCall groups, int64_t* sizes) {
  for (int64_t k = thread_item(); k < groups.count; k += all_threads()) {
    sizes[k] = (k + 1 < groups.count ? groups.starts[k + 1] : groups.n) - groups.starts[k];
  }
}

}  // namespace

cudaError_t make_column_keys(cudaStream_t stream, const RowsCall& rows, int64_t column, bool wide, void* keys) {
  const dim3 grid = grid_for(rows.n);
  const diopi::KeyRule rule = diopi::key_rule(rows.dtype);
  auto* const narrow = static_cast<uint32_t*>(keys);
  switch (diopi::dtype_size(rows.dtype)) {
    case 1:
      return launch(column_keys<uint8_t, uint32_t>, grid, kBlock, 0, stream, rows, rule, column, narrow);
    case 2:
      return launch(column_keys<uint16_t, uint32_t>, grid, kBlock, 0, stream, rows, rule, column, narrow);
    case 4:
      return launch(column_keys<uint32_t, uint32_t>, grid, kBlock, 0, stream, rows, rule, column, narrow);
    default:
      if (!wide) return launch(column_keys<uint64_t, uint32_t>, grid, kBlock, 0, stream, rows, rule, column, narrow);
      return launch(column_keys<uint64_t, uint64_t>, grid, kBlock, 0, stream, rows, rule, column,
                    static_cast<uint64_t*>(keys));
  }
}

cudaError_t mark_heads(cudaStream_t stream, const RowsCall& rows, uint8_t* heads) {
  const dim3 grid = grid_for(rows.n);
  const diopi::KeyRule rule = diopi::key_rule(rows.dtype);
  switch (diopi::dtype_size(rows.dtype)) {
    case 1:
      return launch(heads_of<uint8_t>, grid, kBlock, 0, stream, rows, rule, heads);
    case 2:
      return launch(heads_of<uint16_t>, grid, kBlock, 0, stream, rows, rule, heads);
    case 4:
      return launch(heads_of<uint32_t>, grid, kBlock, 0, stream, rows, rule, heads);
    default:
      return launch(heads_of<uint64_t>, grid, kBlock, 0, stream, rows, rule, heads);
  }
}

cudaError_t compose_orders(cudaStream_t stream, int64_t n, const uint32_t* before, uint32_t* order) {
  return launch(compose, grid_for(n), kBlock, 0, stream, n, before, order);
}

cudaError_t write_firsts(cudaStream_t stream, const GroupsCall& groups, int64_t* firsts) {
  return launch(firsts_of, grid_for(groups.count), kBlock, 0, stream, groups, firsts);
}

cudaError_t number_rows(cudaStream_t stream, const GroupsCall& groups, void* group, int64_t stride, bool is_int64) {
  const dim3 grid = grid_for(groups.n);
  if (is_int64) return launch(number<int64_t>, grid, kBlock, 0, stream, groups, static_cast<int64_t*>(group), stride);
  return launch(number<int32_t>, grid, kBlock, 0, stream, groups, static_cast<int32_t*>(group), stride);
}

cudaError_t write_sizes(cudaStream_t stream, const GroupsCall& groups, int64_t* sizes) {
  return launch(sizes_of, grid_for(groups.count), kBlock, 0, stream, groups, sizes);
}

}  // namespace impl::cuda
