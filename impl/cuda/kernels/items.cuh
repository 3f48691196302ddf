// SPDX-License-Identifier: BSD-3-Clause
// Several adjacent elements of a tensor, which a thread reads or writes with accesses of up to 16 bytes.
#ifndef IMPL_CUDA_KERNELS_ITEMS_CUH_
#define IMPL_CUDA_KERNELS_ITEMS_CUH_

#include "impl/cuda/kernels/number.cuh"

namespace impl::cuda {

template <typename T, int kItems>
struct alignas(sizeof(T) * kItems) Pack {
  T v[kItems];
};

// A word that is moved by one access: an unsigned integer, or uint4 for diopi::Bytes16.
template <typename Word>
using AlignedWord = std::conditional_t<sizeof(Word) == 16, uint4, Word>;

namespace detail {

template <typename S, int kItems>
using PackOf = Pack<S, (sizeof(S) * kItems > 16 ? 16 / sizeof(S) : kItems)>;

}  // namespace detail

// Whether load_items() and store_items() can access `items` elements of this size from here on.
inline bool are_items_aligned(const void* data, int64_t itemsize, int items) {
  const int64_t bytes = items * itemsize;
  return reinterpret_cast<uintptr_t>(data) % (bytes < 16 ? bytes : 16) == 0;
}

// Reads kItems adjacent elements, and converts them to T. The first one is aligned as find_runs() says.
template <typename S, typename T, int kItems>
__device__ inline void load_items(const S* from, T (&x)[kItems]) {
  using Part = detail::PackOf<S, kItems>;
  constexpr int kEach = sizeof(Part) / sizeof(S);
  const Part* const parts = reinterpret_cast<const Part*>(from);
  DIOPI_UNROLL
  for (int i = 0; i < kItems; i += kEach) {
    const Part part = parts[i / kEach];
    DIOPI_UNROLL
    for (int j = 0; j < kEach; ++j) x[i + j] = convert<T>(part.v[j]);
  }
}
template <typename T, int kItems>
__device__ inline void load_items(const void* base, int64_t index, diopiDtype_t dtype, T (&x)[kItems]) {
  visit_stored(dtype, [&](auto tag) { load_items(static_cast<const decltype(tag)*>(base) + index, x); });
}

// Converts kItems numbers, and writes them.
template <typename S, typename T, int kItems>
__device__ inline void store_items(S* to, const T (&x)[kItems]) {
  using Part = detail::PackOf<S, kItems>;
  constexpr int kEach = sizeof(Part) / sizeof(S);
  Part* const parts = reinterpret_cast<Part*>(to);
  DIOPI_UNROLL
  for (int i = 0; i < kItems; i += kEach) {
    Part part;
    DIOPI_UNROLL
    for (int j = 0; j < kEach; ++j) part.v[j] = convert<S>(x[i + j]);
    parts[i / kEach] = part;
  }
}
template <typename T, int kItems>
__device__ inline void store_items(void* base, int64_t index, diopiDtype_t dtype, const T (&x)[kItems]) {
  visit_stored(dtype, [&](auto tag) { store_items(static_cast<decltype(tag)*>(base) + index, x); });
}

template <typename T, int kItems>
__device__ inline void repeat_item(T value, T (&x)[kItems]) {
  DIOPI_UNROLL
  for (int j = 0; j < kItems; ++j) x[j] = value;
}

}  // namespace impl::cuda

#endif  // IMPL_CUDA_KERNELS_ITEMS_CUH_
