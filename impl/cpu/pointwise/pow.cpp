// SPDX-License-Identifier: BSD-3-Clause
#include <complex>
#include <type_traits>

#include "impl/common/integer_math.hpp"
#include "impl/common/kernel_table.hpp"
#include "impl/cpu/pointwise/binary.hpp"

namespace impl::cpu {

namespace {

// x^0 and 1^x are 1, and x^1 is x, for every x. For other infinities and NaN, the logarithm gives NaN.
template <typename T>
T complex_power(T base, T exponent) {
  if (exponent == T(0) || base == T(1)) return T(1);
  return exponent == T(1) ? base : std::pow(base, exponent);
}

template <typename T>
void pow_loop(void* const* out, const void* const* in, int64_t n, const void*) {
  T* o = static_cast<T*>(out[0]);
  const T* a = static_cast<const T*>(in[0]);
  const T* b = static_cast<const T*>(in[1]);
  for (int64_t i = 0; i < n; ++i) {
    if constexpr (std::is_integral_v<T>) {
      o[i] = diopi::integer_power(a[i], b[i]);
    } else {
      o[i] = complex_power(a[i], b[i]);
    }
  }
}

}  // namespace

BlockFn pow_kernel(diopiDtype_t dtype) {
  if (dtype == diopi_dtype_float32 || dtype == diopi_dtype_float64) return real_pow_kernel(dtype);
  using Types = diopi::TypeList<int8_t, uint8_t, int16_t, uint16_t, int32_t, uint32_t, int64_t, uint64_t,
                                diopi::complex64, diopi::complex128>;
  return diopi::kernel_for<Types>(dtype, [](auto tag) { return pow_loop<diopi::tagged<decltype(tag)>>; });
}

}  // namespace impl::cpu
