// SPDX-License-Identifier: BSD-3-Clause
#include "impl/cpu/tensor/cumsum.hpp"

#include <type_traits>

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

template <typename T, typename Sum, bool kReversed>
void cumsum_row(void* const* out, const void* const* in, int64_t n, const void*) {
  T* y = static_cast<T*>(out[0]);
  const T* x = static_cast<const T*>(in[0]);
  Sum sum(0);
  int64_t k = 0;
  if constexpr (std::is_same_v<T, float>) k = add_by_fours<kReversed>(y, x, n, &sum);
  for (; k < n; ++k) {
    const int64_t i = kReversed ? n - 1 - k : k;
    sum += static_cast<Sum>(x[i]);
    y[i] = static_cast<T>(sum);
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

}  // namespace impl::cpu
