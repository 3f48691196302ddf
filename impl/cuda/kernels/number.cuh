// SPDX-License-Identifier: BSD-3-Clause
// Numbers in kernels: the types in which elements are stored and computed, and the conversions between them, which are
// those of the CPU vendor (impl/cpu/engine/cast/cast.hpp). All functions also run on the host.
#ifndef IMPL_CUDA_KERNELS_NUMBER_CUH_
#define IMPL_CUDA_KERNELS_NUMBER_CUH_

#include <cmath>
#include <cstring>
#include <type_traits>

#include "impl/common/kernel_table.hpp"
#include "impl/cuda/kernels/launch.cuh"

#ifdef __CUDACC__
#include <cuda_fp16.h>
#endif

namespace impl::cuda {

// A complex number; std::complex has no arithmetic in kernels.
template <typename R>
struct alignas(2 * sizeof(R)) Complex {
  R re, im;

  Complex() = default;
  __host__ __device__ constexpr Complex(R real, R imaginary = R(0)) : re(real), im(imaginary) {}  // NOLINT
};

using Complex64 = Complex<float>;
using Complex128 = Complex<double>;
using diopi::bfloat16;
using diopi::float16;

// A bool in memory, where each byte other than 0 is true.
struct StoredBool {
  uint8_t byte;
};

template <typename T>
inline constexpr bool is_complex_type = false;
template <typename R>
inline constexpr bool is_complex_type<Complex<R>> = true;
template <typename T>
inline constexpr bool is_reduced_type = std::is_same_v<T, float16> || std::is_same_v<T, bfloat16>;

// The types in which numbers are computed.
using IntegerNumbers = diopi::IntegerTypes;
using RealNumbers = diopi::RealTypes;
using InexactNumbers = diopi::TypeList<float, double, Complex64, Complex128>;
using AllNumbers = diopi::TypeList<bool, int8_t, uint8_t, int16_t, uint16_t, int32_t, uint32_t, int64_t, uint64_t,
                                   float, double, Complex64, Complex128>;

__host__ __device__ inline float widen(float16 x) {
#ifdef __CUDA_ARCH__
  return __half2float(__ushort_as_half(x.bits));
#else
  return static_cast<float>(x);
#endif
}
__host__ __device__ inline float widen(bfloat16 x) {
  const uint32_t bits = static_cast<uint32_t>(x.bits) << 16;
  float value;
  memcpy(&value, &bits, sizeof(value));
  return value;
}
template <typename T>
__host__ __device__ constexpr T widen(T x) {
  return x;
}

template <typename T>
__host__ __device__ inline T narrow(float x) {
  T result;
  if constexpr (std::is_same_v<T, bfloat16>) {
#ifdef __CUDA_ARCH__
    asm("cvt.rn.bf16.f32 %0, %1;" : "=h"(result.bits) : "f"(x));  // every NaN becomes 0x7FFF
#else
    uint32_t u;
    memcpy(&u, &x, sizeof(u));
    const uint32_t rounded = (u + 0x7FFF + ((u >> 16) & 1)) >> 16;
    result.bits = static_cast<uint16_t>(x != x ? (u >> 16) | 0x40 : rounded);
#endif
  } else {
#ifdef __CUDA_ARCH__
    result.bits = __half_as_ushort(__float2half_rn(x));
#else
    result = T(x);
#endif
  }
  return result;
}

namespace detail {

// NaN and values out of range become `least`.
template <typename I, typename F>
__host__ __device__ constexpr I truncated(F x, F least, F limit) {
  return x >= least && x < limit ? static_cast<I>(x) : static_cast<I>(least);
}

// Truncates toward zero. Values out of range become the minimum of the type through which the conversion goes.
template <typename To, typename F>
__host__ __device__ constexpr To to_integer(F x) {
  if constexpr (std::is_same_v<To, uint64_t>) {
    if (x >= F(0x1p63) && x < F(0x1p64))
      return static_cast<uint64_t>(static_cast<int64_t>(x - F(0x1p63))) + (1ull << 63);
  }
  if constexpr (sizeof(To) <= 4 && !std::is_same_v<To, uint32_t>) {
    return static_cast<To>(truncated<int32_t>(x, F(-0x1p31), F(0x1p31)));
  } else {
    return static_cast<To>(truncated<int64_t>(x, F(-0x1p63), F(0x1p63)));
  }
}

}  // namespace detail

// Converts a stored or computed number to another type.
template <typename To, typename From>
__host__ __device__ inline To convert(From x) {
  if constexpr (std::is_same_v<To, From>) {
    return x;
  } else if constexpr (std::is_same_v<From, StoredBool>) {
    return convert<To>(x.byte != 0);
  } else if constexpr (std::is_same_v<To, StoredBool>) {
    return StoredBool{convert<bool>(x)};
  } else if constexpr (is_reduced_type<From>) {
    return convert<To>(widen(x));
  } else if constexpr (is_complex_type<From>) {
    if constexpr (is_complex_type<To>) {
      using R = decltype(To::re);
      return To(static_cast<R>(x.re), static_cast<R>(x.im));
    } else if constexpr (std::is_same_v<To, bool>) {
      return x.re != 0 || x.im != 0;
    } else {
      return convert<To>(x.re);
    }
  } else if constexpr (is_complex_type<To>) {
    return To(convert<decltype(To::re)>(x));
  } else if constexpr (is_reduced_type<To>) {
    return narrow<To>(static_cast<float>(x));
  } else if constexpr (std::is_same_v<To, bool>) {
    return x != 0;
  } else if constexpr (std::is_floating_point_v<From> && std::is_integral_v<To>) {
    return detail::to_integer<To>(x);
  } else {
    return static_cast<To>(x);
  }
}

// A number among the parameters of a kernel. It has no unused bytes, which could hold anything.
struct alignas(16) Immediate {
  unsigned char bytes[16] = {};

  template <typename T>
  __host__ __device__ T as() const {
    T value;
    memcpy(&value, bytes, sizeof(T));
    return value;
  }
  template <typename T>
  __host__ __device__ void set(T value) {
    memcpy(bytes, &value, sizeof(T));
  }
};

// Calls f with a value of the type in which elements of `dtype` are stored.
template <class F>
__host__ __device__ inline auto visit_stored(diopiDtype_t dtype, const F& f) {
  switch (dtype) {
    case diopi_dtype_int8:
      return f(int8_t());
    case diopi_dtype_uint8:
      return f(uint8_t());
    case diopi_dtype_int16:
      return f(int16_t());
    case diopi_dtype_uint16:
      return f(uint16_t());
    case diopi_dtype_int32:
      return f(int32_t());
    case diopi_dtype_uint32:
      return f(uint32_t());
    case diopi_dtype_int64:
      return f(int64_t());
    case diopi_dtype_uint64:
      return f(uint64_t());
    case diopi_dtype_float16:
      return f(float16());
    case diopi_dtype_bfloat16:
      return f(bfloat16());
    case diopi_dtype_float32:
      return f(float());
    case diopi_dtype_float64:
      return f(double());
    case diopi_dtype_complex64:
      return f(Complex64());
    case diopi_dtype_complex128:
      return f(Complex128());
    default:
      return f(StoredBool());
  }
}

// Reads an element of a tensor as T.
template <typename T>
__host__ __device__ inline T load_as(const void* base, int64_t index, diopiDtype_t dtype) {
  return visit_stored(dtype, [=](auto tag) { return convert<T>(static_cast<const decltype(tag)*>(base)[index]); });
}

// Writes T as an element of a tensor.
template <typename T>
__host__ __device__ inline void store_as(void* base, int64_t index, diopiDtype_t dtype, T x) {
  visit_stored(dtype, [=](auto tag) { static_cast<decltype(tag)*>(base)[index] = convert<decltype(tag)>(x); });
}

}  // namespace impl::cuda

namespace diopi {

template <>
struct DtypeOf<impl::cuda::Complex64> {
  static constexpr diopiDtype_t value = diopi_dtype_complex64;
};
template <>
struct DtypeOf<impl::cuda::Complex128> {
  static constexpr diopiDtype_t value = diopi_dtype_complex128;
};

}  // namespace diopi

#endif  // IMPL_CUDA_KERNELS_NUMBER_CUH_
