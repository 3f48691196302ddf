// SPDX-License-Identifier: BSD-3-Clause
// From elements to keys, and from the order of keys to sorted elements.
#include "impl/common/kernel_table.hpp"
#include "impl/common/sort_key.hpp"
#include "impl/cuda/kernels/index/offsets.cuh"
#include "impl/cuda/kernels/sort/sort.hpp"
#include "impl/cuda/kernels/strided.cuh"

namespace impl::cuda {

namespace {

template <typename Bits, typename Key>
__global__ void __launch_bounds__(kBlock) make(KeyCall call, diopi::KeyRule rule) {
  for (int64_t i = thread_item(); i < call.numel; i += all_threads()) {
    const Bits bits = static_cast<const Bits*>(call.in)[offset_of(call.in_loops, i)];
    const Bits key = diopi::ordered_key(bits, rule);
    static_cast<Key*>(call.keys)[i] = call.descending ? static_cast<Bits>(~key) : key;
  }
}

template <typename Key>
__global__ void __launch_bounds__(kBlock) narrow_numbers(const int64_t* numbers, int64_t n, Key* keys) {
  for (int64_t i = thread_item(); i < n; i += all_threads()) keys[i] = static_cast<Key>(numbers[i]);
}

// `kept`: that of the call if it and the items are less than 2^31; otherwise its divisor is 0.
template <typename T>
__global__ void __launch_bounds__(kBlock) write(SortedCall call, Divider kept) {
  for (int64_t i = thread_item(); i < call.rows * call.kept; i += all_threads()) {
    const int64_t row = kept.divisor != 0 ? int64_t{kept.quotient(static_cast<uint32_t>(i))} : i / call.kept;
    const int64_t k = i - row * call.kept, position = call.order[row * call.n + k];
    int64_t offset[3] = {position * call.in_stride, k * call.values_stride, k * call.indices_stride};
    add_offsets(call.row_loops, row, offset);
    if (call.is_int64) {
      static_cast<int64_t*>(call.indices)[offset[2]] = position;
    } else {
      static_cast<int32_t*>(call.indices)[offset[2]] = static_cast<int32_t>(position);
    }
    if (call.values != nullptr) static_cast<T*>(call.values)[offset[1]] = static_cast<const T*>(call.in)[offset[0]];
  }
}

}  // namespace

cudaError_t make_keys(cudaStream_t stream, const KeyCall& call) {
  const dim3 grid = grid_for(call.numel);
  const diopi::KeyRule rule = diopi::key_rule(call.dtype);
  switch (diopi::dtype_size(call.dtype)) {
    case 1:
      return launch(make<uint8_t, uint32_t>, grid, kBlock, 0, stream, call, rule);
    case 2:
      return launch(make<uint16_t, uint32_t>, grid, kBlock, 0, stream, call, rule);
    case 4:
      return launch(make<uint32_t, uint32_t>, grid, kBlock, 0, stream, call, rule);
    default:
      return launch(make<uint64_t, uint64_t>, grid, kBlock, 0, stream, call, rule);
  }
}

cudaError_t keys_of_numbers(cudaStream_t stream, const int64_t* numbers, int64_t n, bool wide, void* keys) {
  const dim3 grid = grid_for(n);
  if (wide) {
    return launch(narrow_numbers<uint64_t>, grid, kBlock, 0, stream, numbers, n, static_cast<uint64_t*>(keys));
  }
  return launch(narrow_numbers<uint32_t>, grid, kBlock, 0, stream, numbers, n, static_cast<uint32_t*>(keys));
}

cudaError_t write_sorted(cudaStream_t stream, const SortedCall& call) {
  const dim3 grid = grid_for(call.rows * call.kept);
  Divider kept;
  kept.divisor = 0;
  if (call.rows * call.kept <= INT32_MAX) kept = Divider(static_cast<uint32_t>(call.kept));
  return diopi::for_itemsize(call.width, [&](auto tag) {
    return launch(write<diopi::tagged<decltype(tag)>>, grid, kBlock, 0, stream, call, kept);
  });
}

}  // namespace impl::cuda
