// SPDX-License-Identifier: BSD-3-Clause
// Quotients, remainders and powers of integers, for the host and for kernels of devices. No division by zero.
#ifndef IMPL_COMMON_INTEGER_MATH_HPP_
#define IMPL_COMMON_INTEGER_MATH_HPP_

#include <cstdint>
#include <type_traits>

#ifdef __CUDACC__
#define DIOPI_HOST_DEVICE __host__ __device__
#else
#define DIOPI_HOST_DEVICE
#endif

namespace diopi {

// Truncates toward zero. The quotient of the most negative value and -1 wraps around.
template <typename T>
DIOPI_HOST_DEVICE constexpr T integer_quotient(T a, T b) {
  if constexpr (std::is_signed_v<T>) {
    if (b == -1) return static_cast<T>(0 - static_cast<std::make_unsigned_t<T>>(a));
  }
  return static_cast<T>(a / b);
}

// Python's floor division.
template <typename T>
DIOPI_HOST_DEVICE constexpr T integer_floor_quotient(T a, T b) {
  const T q = integer_quotient(a, b);
  if constexpr (std::is_unsigned_v<T>) {
    return q;
  } else {
    const bool rest = a != static_cast<T>(static_cast<uint64_t>(q) * static_cast<uint64_t>(b));
    return static_cast<T>(q - static_cast<T>(rest & ((a < 0) != (b < 0))));
  }
}

// The remainder with the sign of the divisor.
template <typename T>
DIOPI_HOST_DEVICE constexpr T integer_remainder(T a, T b) {
  if constexpr (std::is_signed_v<T>) {
    if (b == -1) return 0;
    const T r = static_cast<T>(a % b);
    return static_cast<T>(r + ((r != 0) & ((r < 0) != (b < 0)) ? b : 0));
  } else {
    return static_cast<T>(a % b);
  }
}

// Powers wrap around. With a negative exponent, powers of 1 and -1 are exact and all others are zero.
template <typename T>
DIOPI_HOST_DEVICE constexpr T integer_power(T base, T exponent) {
  using U = std::make_unsigned_t<T>;
  if constexpr (std::is_signed_v<T>) {
    if (exponent < 0) {
      if (base == 1) return 1;
      if (base == -1) return exponent % 2 == 0 ? 1 : -1;
      return 0;
    }
  }
  uint64_t result = 1, square = static_cast<U>(base);
  for (auto e = static_cast<U>(exponent); e != 0; e = static_cast<U>(e >> 1)) {
    if ((e & 1) != 0) result *= square;
    square *= square;
  }
  return static_cast<T>(result);
}

}  // namespace diopi

#endif  // IMPL_COMMON_INTEGER_MATH_HPP_
