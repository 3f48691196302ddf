// SPDX-License-Identifier: BSD-3-Clause
#include "impl/cpu/tensor/cumsum.hpp"

#include <algorithm>
#include <type_traits>

#include "impl/common/kernel_table.hpp"
#include "impl/cpu/engine/cast/cast.hpp"

namespace impl::cpu {

namespace {

// Adds four elements to each other before it adds them to the running sum, because each addition to the sum waits for
// the one before it. In double this loses no digits of a float, and sums of floats do not overflow.
template <bool kReversed>
int64_t add_by_fours(float* y, const float* x, int64_t n, double* total) {
  constexpr int64_t kStep = kReversed ? -1 : 1;
  const int64_t first = kReversed ? n - 1 : 0;
  double sum = *total;
  int64_t k = 0;
  for (; k + 4 <= n; k += 4) {
    const float* from = x + first + k * kStep;
    float* to = y + first + k * kStep;
    const double a = from[0], b = from[kStep], c = from[2 * kStep], d = from[3 * kStep];
    const double ab = a + b, abcd = ab + (c + d);
    to[0] = static_cast<float>(sum + a);
    to[kStep] = static_cast<float>(sum + ab);
    to[2 * kStep] = static_cast<float>(sum + (ab + c));
    sum += abcd;
    to[3 * kStep] = static_cast<float>(sum);
  }
  *total = sum;
  return k;
}

// Adds n elements to the sum of those before them.
template <typename T, typename Sum, bool kReversed>
void continue_row(T* y, const T* x, int64_t n, Sum* total) {
  int64_t k = 0;
  if constexpr (std::is_same_v<T, float>) k = add_by_fours<kReversed>(y, x, n, total);
  Sum sum = *total;
  for (; k < n; ++k) {
    const int64_t i = kReversed ? n - 1 - k : k;
    sum += static_cast<Sum>(x[i]);
    y[i] = static_cast<T>(sum);
  }
  *total = sum;
}

template <typename T, typename Sum, bool kReversed>
void cumsum_row(void* const* out, const void* const* in, int64_t n, const void*) {
  Sum sum(0);
  continue_row<T, Sum, kReversed>(static_cast<T*>(out[0]), static_cast<const T*>(in[0]), n, &sum);
}

// A row of float16 or bfloat16, in parts that are converted.
template <diopiDtype_t kDtype, bool kReversed>
void cumsum_half_row(void* const* out, const void* const* in, int64_t n, const void*) {
  constexpr int64_t kPart = 256, kSize = 2;
  float part[kPart];
  double sum = 0;
  for (int64_t done = 0; done < n; done += kPart) {
    const int64_t some = std::min(kPart, n - done), first = kReversed ? n - done - some : done;
    cast_function(kDtype, diopi_dtype_float32)(part, static_cast<const char*>(in[0]) + first * kSize, some);
    continue_row<float, double, kReversed>(part, part, some, &sum);
    cast_function(diopi_dtype_float32, kDtype)(static_cast<char*>(out[0]) + first * kSize, part, some);
  }
}

// kRows rows at a time, because each addition to a sum waits for the one before it.
template <typename T, typename Sum, bool kReversed, int kRows>
void cumsum_of_rows(char* out, const char* in, const int64_t* step, int64_t n) {
  T* y[kRows];
  const T* x[kRows];
  Sum sum[kRows];
  for (int r = 0; r < kRows; ++r) {
    y[r] = reinterpret_cast<T*>(out + r * step[0]);
    x[r] = reinterpret_cast<const T*>(in + r * step[1]);
    sum[r] = Sum(0);
  }
  for (int64_t k = 0; k < n; ++k) {
    const int64_t i = kReversed ? n - 1 - k : k;
#pragma GCC unroll 4
    for (int r = 0; r < kRows; ++r) {
      sum[r] += static_cast<Sum>(x[r][i]);
      y[r][i] = static_cast<T>(sum[r]);
    }
  }
}

template <typename T, typename Sum, bool kReversed>
void cumsum_rows(void* const* out, const void* const* in, const int64_t* step, int64_t n, int64_t rows, const void*) {
  constexpr int kTogether = 4;
  char* y = static_cast<char*>(out[0]);
  const char* x = static_cast<const char*>(in[0]);
  if (n == 1 && step[0] == sizeof(T) && step[1] == sizeof(T)) {
    T* const to = reinterpret_cast<T*>(y);
    const T* const from = reinterpret_cast<const T*>(x);
#pragma GCC ivdep
    for (int64_t i = 0; i < rows; ++i) to[i] = T(0) + from[i];  // -0 becomes 0
    return;
  }
  // Integers are added in one cycle, so their long rows gain nothing from being added together.
  constexpr int64_t kLong = 8;
  const int64_t together = std::is_integral_v<T> && n >= kLong ? 0 : rows / kTogether * kTogether;
  int64_t r = 0;
  for (; r < together; r += kTogether) {
    cumsum_of_rows<T, Sum, kReversed, kTogether>(y + r * step[0], x + r * step[1], step, n);
  }
  for (; r < rows; ++r) {
    char* const to = y + r * step[0];
    const char* const from = x + r * step[1];
    if constexpr (std::is_same_v<T, float>) {  // as the other rows
      cumsum_of_rows<T, Sum, kReversed, 1>(to, from, step, n);
    } else {
      Sum sum(0);
      continue_row<T, Sum, kReversed>(reinterpret_cast<T*>(to), reinterpret_cast<const T*>(from), n, &sum);
    }
  }
}

template <bool kReversed>
RowsFn rows_of(diopiDtype_t dtype) {
  switch (dtype) {
    case diopi_dtype_int64:
      return cumsum_rows<uint64_t, uint64_t, kReversed>;
    case diopi_dtype_float32:
      return cumsum_rows<float, double, kReversed>;
    case diopi_dtype_float64:
      return cumsum_rows<double, double, kReversed>;
    default:
      return nullptr;
  }
}

template <bool kReversed>
RowFn kernel_of(diopiDtype_t dtype) {
  switch (dtype) {
    // Integers are summed as unsigned, because integer sums wrap around.
    case diopi_dtype_int64:
      return cumsum_row<uint64_t, uint64_t, kReversed>;
    case diopi_dtype_float32:
      return cumsum_row<float, double, kReversed>;
    case diopi_dtype_float64:
      return cumsum_row<double, double, kReversed>;
    case diopi_dtype_float16:
      return cumsum_half_row<diopi_dtype_float16, kReversed>;
    case diopi_dtype_bfloat16:
      return cumsum_half_row<diopi_dtype_bfloat16, kReversed>;
    case diopi_dtype_complex64:
      return cumsum_row<diopi::complex64, diopi::complex128, kReversed>;
    case diopi_dtype_complex128:
      return cumsum_row<diopi::complex128, diopi::complex128, kReversed>;
    default:
      return nullptr;
  }
}

}  // namespace

RowFn cumsum_kernel(diopiDtype_t dtype, bool reversed) {
  return reversed ? kernel_of<true>(dtype) : kernel_of<false>(dtype);
}

RowsFn cumsum_rows_kernel(diopiDtype_t dtype, bool reversed) {
  return reversed ? rows_of<true>(dtype) : rows_of<false>(dtype);
}

}  // namespace impl::cpu
