// SPDX-License-Identifier: BSD-3-Clause
// QR decompositions of small column-major matrices without calls of LAPACK, which cost more than the computation. The
// reflections are those of LAPACK's geqr2.
#ifndef IMPL_CPU_LINALG_QR_SMALL_HPP_
#define IMPL_CPU_LINALG_QR_SMALL_HPP_

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace impl::cpu {

// The largest number of elements of a matrix for these functions.
constexpr int64_t kSmallQr = 1024;

// The sum of the products, in eight sums.
template <typename T>
T dot_of(const T* a, const T* b, int64_t n) {
  constexpr int64_t kSums = 8;
  T sums[kSums] = {};
  int64_t i = 0;
  for (; i + kSums <= n; i += kSums) {
    for (int64_t k = 0; k < kSums; ++k) sums[k] += a[i + k] * b[i + k];
  }
  for (int64_t k = 0; i < n; ++i, ++k) sums[k] += a[i] * b[i];
  return ((sums[0] + sums[4]) + (sums[1] + sums[5])) + ((sums[2] + sums[6]) + (sums[3] + sums[7]));
}

// The power of two that brings numbers of this magnitude, whose squares are not in the range of double, near 1; else 1.
inline double scale_for(double largest) {
  constexpr double kLeast = 1e-140, kMost = 1e140;
  return largest > 0 && (largest < kLeast || largest > kMost) ? std::scalbn(1.0, -std::ilogb(largest)) : 1.0;
}

// Makes the reflection that clears column[1..n). These elements become the reflection's vector, whose first element is
// 1; column[0] becomes the number on the diagonal. Returns the factor of the reflection; 0 if there is none.
template <typename T>
T make_reflection(T* column, int64_t n) {
  double largest = 0, sum = 0;
  for (int64_t i = 1; i < n; ++i) largest = std::max(largest, std::fabs(static_cast<double>(column[i])));
  if (largest == 0 && dot_of(column + 1, column + 1, n - 1) == T(0)) return T(0);  // not if an element is NaN
  const double scale = scale_for(std::max(largest, std::fabs(static_cast<double>(column[0]))));
  const double first = column[0] * scale;
  for (int64_t i = 1; i < n; ++i) sum += (column[i] * scale) * (column[i] * scale);
  const double diagonal = -std::copysign(std::sqrt(first * first + sum), first);
  const double factor = scale / (first - diagonal);
  for (int64_t i = 1; i < n; ++i) column[i] = static_cast<T>(column[i] * factor);
  column[0] = static_cast<T>(diagonal / scale);
  return static_cast<T>((diagonal - first) / diagonal);
}

// Applies the reflection with the vector [1, v[1..n)] to a column.
template <typename T>
void reflect(const T* v, T factor, T* column, int64_t n) {
  const T product = factor * (column[0] + dot_of(v + 1, column + 1, n - 1));
  column[0] -= product;
  for (int64_t i = 1; i < n; ++i) column[i] -= v[i] * product;
}

// Replaces a matrix by its reflections and R.
template <typename T>
void decompose_small(T* a, int64_t rows, int64_t columns, T* factors) {
  for (int64_t i = 0; i < std::min(rows, columns); ++i) {
    T* const v = a + i * rows + i;
    factors[i] = make_reflection(v, rows - i);
    if (factors[i] == T(0)) continue;
    for (int64_t j = 1; j < columns - i; ++j) reflect(v, factors[i], v + j * rows, rows - i);
  }
}

// Replaces the reflections and further columns by the columns of Q.
template <typename T>
void multiply_small(T* a, int64_t rows, int64_t columns, int64_t reflections, const T* factors) {
  for (int64_t j = reflections; j < columns; ++j) {
    std::fill(a + j * rows, a + (j + 1) * rows, T(0));
    a[j * rows + j] = T(1);
  }
  for (int64_t i = reflections - 1; i >= 0; --i) {
    T* const v = a + i * rows + i;
    for (int64_t j = 1; j < columns - i; ++j) reflect(v, factors[i], v + j * rows, rows - i);
    for (int64_t r = 1; r < rows - i; ++r) v[r] *= -factors[i];
    v[0] = T(1) - factors[i];
    std::fill(a + i * rows, v, T(0));
  }
}

}  // namespace impl::cpu

#endif  // IMPL_CPU_LINALG_QR_SMALL_HPP_
