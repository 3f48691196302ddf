// SPDX-License-Identifier: BSD-3-Clause
// Copies operands between tensors and packed blocks; the functions know the element size, not the dtype.
#ifndef IMPL_CPU_ENGINE_COPY_PACKED_BLOCK_HPP_
#define IMPL_CPU_ENGINE_COPY_PACKED_BLOCK_HPP_

#include <cstdint>
#include <cstring>

#include "impl/common/kernel_table.hpp"
#include "impl/cpu/engine/cast/cast.hpp"
#include "impl/cpu/engine/copy/copy_simd.hpp"

namespace impl::cpu {

inline constexpr int64_t kBlock = 1024;  // elements per block: small enough for the first-level cache
inline constexpr int kMaxItemsize = 16;

namespace detail {

using diopi::Bytes16;

template <typename T>
inline void gather_as(char* dst, const char* src, int64_t stride, int64_t n) {
  T* out = reinterpret_cast<T*>(dst);
#pragma GCC unroll 4
  for (int64_t i = 0; i < n; ++i) std::memcpy(out + i, src + i * stride, sizeof(T));
}

template <typename T>
inline void scatter_as(char* dst, int64_t stride, const char* src, int64_t n) {
  const T* in = reinterpret_cast<const T*>(src);
#pragma GCC unroll 4
  for (int64_t i = 0; i < n; ++i) std::memcpy(dst + i * stride, in + i, sizeof(T));
}

}  // namespace detail

// dst[i] = element 2 i of `src`.
void gather_every_second(char* dst, const char* src, int itemsize, int64_t n);

// dst[i] = the element at src + i * stride bytes.
inline void gather(char* dst, const char* src, int64_t stride, int itemsize, int64_t n) {
  if (stride == itemsize) {
    std::memcpy(dst, src, static_cast<size_t>(n) * itemsize);
    return;
  }
  if (stride == int64_t{2} * itemsize) return gather_every_second(dst, src, itemsize, n);
  diopi::for_itemsize(itemsize,
                      [=](auto tag) { detail::gather_as<diopi::tagged<decltype(tag)>>(dst, src, stride, n); });
}

// Packs `rows` rows of n elements. The rows begin row_stride bytes apart, and the elements of a row are stride bytes
// apart.
void gather_rows(char* dst, const char* src, int64_t stride, int itemsize, int64_t n, int64_t row_stride, int64_t rows);

// The element at dst + i * stride bytes = src[i].
inline void scatter(char* dst, int64_t stride, const char* src, int itemsize, int64_t n) {
  if (stride == itemsize) {
    std::memcpy(dst, src, static_cast<size_t>(n) * itemsize);
    return;
  }
  diopi::for_itemsize(itemsize,
                      [=](auto tag) { detail::scatter_as<diopi::tagged<decltype(tag)>>(dst, stride, src, n); });
}

// The reverse of gather_rows(): writes the packed rows of `src`.
inline void scatter_rows(char* dst, int64_t stride, int64_t row_stride, const char* src, int itemsize, int64_t n,
                         int64_t rows) {
  const int64_t bytes = n * itemsize;
  if (stride == itemsize) return copy_rows(dst, row_stride, src, bytes, bytes, rows);
  for (int64_t r = 0; r < rows; ++r) scatter(dst + r * row_stride, stride, src + r * bytes, itemsize, n);
}

}  // namespace impl::cpu

#endif  // IMPL_CPU_ENGINE_COPY_PACKED_BLOCK_HPP_
