// SPDX-License-Identifier: BSD-3-Clause
// C++ types of the contract's dtypes, their properties, and PyTorch's promotion rules.
#ifndef IMPL_COMMON_DTYPE_HPP_
#define IMPL_COMMON_DTYPE_HPP_

#include <diopi/diopirt.h>

#include <complex>
#include <cstdint>
#include <cstring>

#include "impl/common/error.hpp"

namespace diopi {

// IEEE binary16, only for storage: arithmetic uses float.
struct float16 {
  uint16_t bits;
  float16() = default;
  explicit float16(float value);
  explicit operator float() const;
};

// The upper half of a float, only for storage. Conversion rounds to nearest even.
struct bfloat16 {
  uint16_t bits;
  bfloat16() = default;
  explicit bfloat16(float value) {
    uint32_t u;
    std::memcpy(&u, &value, sizeof(u));
    bits = value != value ? static_cast<uint16_t>((u >> 16) | 0x40)
                          : static_cast<uint16_t>((u + 0x7FFF + ((u >> 16) & 1)) >> 16);
  }
  explicit operator float() const {
    const uint32_t u = static_cast<uint32_t>(bits) << 16;
    float value;
    std::memcpy(&value, &u, sizeof(value));
    return value;
  }
};

using complex64 = std::complex<float>;
using complex128 = std::complex<double>;

template <typename... T>
struct TypeList {};

template <typename T>
struct TypeTag {
  using type = T;
};

template <typename T>
struct DtypeOf;
#define DIOPI_DTYPE_OF(cpp, name)                             \
  template <>                                                 \
  struct DtypeOf<cpp> {                                       \
    static constexpr diopiDtype_t value = diopi_dtype_##name; \
  };
DIOPI_DTYPE_OF(int8_t, int8)
DIOPI_DTYPE_OF(uint8_t, uint8)
DIOPI_DTYPE_OF(int16_t, int16)
DIOPI_DTYPE_OF(uint16_t, uint16)
DIOPI_DTYPE_OF(int32_t, int32)
DIOPI_DTYPE_OF(uint32_t, uint32)
DIOPI_DTYPE_OF(int64_t, int64)
DIOPI_DTYPE_OF(uint64_t, uint64)
DIOPI_DTYPE_OF(float16, float16)
DIOPI_DTYPE_OF(bfloat16, bfloat16)
DIOPI_DTYPE_OF(float, float32)
DIOPI_DTYPE_OF(double, float64)
DIOPI_DTYPE_OF(bool, bool)
DIOPI_DTYPE_OF(complex64, complex64)
DIOPI_DTYPE_OF(complex128, complex128)
#undef DIOPI_DTYPE_OF

template <typename T>
inline constexpr diopiDtype_t dtype_of = DtypeOf<T>::value;

// The name of a dtype in messages, such as `float32`; `unsupported` for a value outside the enum.
const char* dtype_name(diopiDtype_t dtype);
// Bytes per element; 0 for a dtype that cannot be stored.
constexpr int dtype_size(diopiDtype_t dtype) {
  constexpr uint8_t kSizes[] = {1, 1, 2, 2, 4, 4, 8, 8, 2, 4, 8, 1, 2, 0, 0, 8, 16};  // in the order of the enum
  return static_cast<unsigned>(dtype) < sizeof(kSizes) ? kSizes[dtype] : 0;
}

constexpr bool is_complex(diopiDtype_t d) {
  return d == diopi_dtype_complex32 || d == diopi_dtype_complex64 || d == diopi_dtype_complex128;
}
constexpr bool is_floating(diopiDtype_t d) {
  return d == diopi_dtype_float16 || d == diopi_dtype_bfloat16 || d == diopi_dtype_float32 || d == diopi_dtype_float64;
}
constexpr bool is_integral(diopiDtype_t d) {  // bool does not count as integral
  return d <= diopi_dtype_uint64;
}
constexpr bool is_reduced_float(diopiDtype_t d) { return d == diopi_dtype_float16 || d == diopi_dtype_bfloat16; }

// Returns the same dtype as torch.promote_types.
diopiDtype_t promote_types(diopiDtype_t a, diopiDtype_t b);
// torch.can_cast: whether a result of dtype `from` may be stored in an output of dtype `to`.
bool can_cast(diopiDtype_t from, diopiDtype_t to);
// The dtype in which floating point arithmetic on `d` is done: float32 for float16 and bfloat16, otherwise `d`.
constexpr diopiDtype_t compute_dtype(diopiDtype_t d) { return is_reduced_float(d) ? diopi_dtype_float32 : d; }

namespace detail {
Status dtype_not_in_set(diopiDtype_t dtype);

template <typename F>
Status visit(TypeList<>, diopiDtype_t dtype, F&&) {
  return dtype_not_in_set(dtype);
}
template <typename First, typename... Rest, typename F>
Status visit(TypeList<First, Rest...>, diopiDtype_t dtype, F&& f) {
  if (dtype == dtype_of<First>) return f(TypeTag<First>{});
  return visit(TypeList<Rest...>{}, dtype, static_cast<F&&>(f));
}
}  // namespace detail

// Calls `f(TypeTag<T>)` for the C++ type of `dtype`; diopiDtypeNotSupported if `Set` lacks the dtype.
template <typename Set, typename F>
Status visit_dtype(diopiDtype_t dtype, F&& f) {
  return detail::visit(Set{}, dtype, static_cast<F&&>(f));
}

}  // namespace diopi

#endif  // IMPL_COMMON_DTYPE_HPP_
