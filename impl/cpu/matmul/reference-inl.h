/* SPDX-License-Identifier: BSD-3-Clause */
// The body of the plain matrix product in ordinary loops. It is compiled once per Highway target, so that the compiler
// vectorises it with that target's registers.
#if defined(IMPL_CPU_MATMUL_REFERENCE_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef IMPL_CPU_MATMUL_REFERENCE_INL_H_
#undef IMPL_CPU_MATMUL_REFERENCE_INL_H_
#else
#define IMPL_CPU_MATMUL_REFERENCE_INL_H_
#endif

#include <hwy/highway.h>

#include <algorithm>
#include <type_traits>

#include "impl/cpu/matmul/reference.hpp"

HWY_BEFORE_NAMESPACE();
namespace impl::cpu {
namespace HWY_NAMESPACE {

// Integers wrap around like unsigned numbers. Narrow integers are summed in 32 bits and truncated at the end.
template <typename T>
struct Sum {
  using type = std::conditional_t<std::is_integral_v<T>, std::conditional_t<sizeof(T) == 8, uint64_t, uint32_t>, T>;
};
template <>
struct Sum<diopi::float16> {
  using type = float;
};
template <>
struct Sum<diopi::bfloat16> {
  using type = float;
};

template <typename T>
HWY_INLINE typename Sum<T>::type load_term(const T& value, bool conjugate) {
  if constexpr (std::is_same_v<T, diopi::complex64> || std::is_same_v<T, diopi::complex128>) {
    return conjugate ? std::conj(value) : value;
  } else {
    return static_cast<typename Sum<T>::type>(value);
  }
}

// Complex products without the recovery of infinities that std::complex does and BLAS does not.
template <typename A>
HWY_INLINE void add_product(A& sum, const A& x, const A& y) {
  if constexpr (std::is_same_v<A, diopi::complex64> || std::is_same_v<A, diopi::complex128>) {
    sum = A(sum.real() + (x.real() * y.real() - x.imag() * y.imag()),
            sum.imag() + (x.real() * y.imag() + x.imag() * y.real()));
  } else {
    sum += x * y;
  }
}

template <typename A, typename T>
HWY_INLINE void init_sums(const ReferenceMatmul& g, int64_t row, int64_t rows, int64_t col, int64_t cols, A* sums) {
  for (int64_t i = 0; i < rows; ++i) {
    A* HWY_RESTRICT line = sums + i * kReferenceCols;
    for (int64_t j = 0; j < kReferenceCols; ++j) line[j] = A{};
    for (int64_t j = 0; j < cols; ++j) {
      const int64_t at = (row + i) * g.out_row + (col + j) * g.out_col;
      if (g.bias != nullptr) line[j] = load_term(static_cast<const T*>(g.bias)[col + j], false);
      if (!g.accumulate) continue;
      line[j] = g.out_dtype == g.dtype ? load_term(static_cast<const T*>(g.out)[at], false)
                                       : static_cast<const A*>(g.out)[at];
    }
  }
}

template <typename A, typename T>
HWY_INLINE void store_sums(const ReferenceMatmul& g, int64_t row, int64_t rows, int64_t col, int64_t cols,
                           const A* sums) {
  for (int64_t i = 0; i < rows; ++i) {
    for (int64_t j = 0; j < cols; ++j) {
      const int64_t at = (row + i) * g.out_row + (col + j) * g.out_col;
      const A value = sums[i * kReferenceCols + j];
      if (g.out_dtype == g.dtype) {
        static_cast<T*>(g.out)[at] = static_cast<T>(value);
      } else {
        static_cast<A*>(g.out)[at] = value;
      }
    }
  }
}

template <typename T>
void reference_tile(const ReferenceMatmul& g, int64_t row, int64_t rows, int64_t col, int64_t cols) {
  using A = typename Sum<T>::type;
  constexpr int64_t kDepth = 2048 / (kReferenceCols * sizeof(A)) * 8;  // so the packed part of b takes 16 KiB
  alignas(64) A sums[kReferenceRows * kReferenceCols];
  alignas(64) A packed[kDepth * kReferenceCols];
  const T* a = static_cast<const T*>(g.a) + row * g.a_row;
  const T* b = static_cast<const T*>(g.b) + col * g.b_col;
  init_sums<A, T>(g, row, rows, col, cols, sums);
  const int64_t run = g.run > 0 ? std::min(g.run, kDepth) : kDepth;
  for (int64_t k0 = 0; k0 < g.k; k0 += run) {
    const int64_t depth = std::min(run, g.k - k0);
    for (int64_t k = 0; k < depth; ++k) {
      A* HWY_RESTRICT line = packed + k * kReferenceCols;
      for (int64_t j = 0; j < cols; ++j) line[j] = load_term(b[(k0 + k) * g.b_row + j * g.b_col], g.conj_b);
      for (int64_t j = cols; j < kReferenceCols; ++j) line[j] = A{};
    }
    const int64_t width = (cols + 15) / 16 * 16;
    for (int64_t i = 0; i < rows; ++i) {
      alignas(64) A partial[kReferenceCols];
      std::fill_n(partial, width, A{});
      for (int64_t k = 0; k < depth; ++k) {
        const A factor = load_term(a[i * g.a_row + (k0 + k) * g.a_col], g.conj_a);
        const A* HWY_RESTRICT line = packed + k * kReferenceCols;
        for (int64_t j = 0; j < width; ++j) add_product(partial[j], factor, line[j]);
      }
      A* HWY_RESTRICT sum = sums + i * kReferenceCols;
      for (int64_t j = 0; j < width; ++j) sum[j] += partial[j];
    }
  }
  store_sums<A, T>(g, row, rows, col, cols, sums);
}

}  // namespace HWY_NAMESPACE
}  // namespace impl::cpu
HWY_AFTER_NAMESPACE();

#endif  // include guard
