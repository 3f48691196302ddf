#include "impl/cpu/kernels/cumulative.hpp"

namespace impl::cpu {

namespace {

template <typename T, typename Sum, bool kReversed>
void cumsum_row(void* const* out, const void* const* in, int64_t n, const void*) {
  T* y = static_cast<T*>(out[0]);
  const T* x = static_cast<const T*>(in[0]);
  Sum sum(0);
  for (int64_t k = 0; k < n; ++k) {
    const int64_t i = kReversed ? n - 1 - k : k;
    sum += static_cast<Sum>(x[i]);
    y[i] = static_cast<T>(sum);
  }
}

template <bool kReversed>
RowFn kernel_of(diopiDtype_t dtype) {
  switch (dtype) {
    // Unsigned, because integer sums wrap.
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
