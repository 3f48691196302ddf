// SPDX-License-Identifier: BSD-3-Clause
#include "impl/common/dtype.hpp"

namespace diopi {

namespace {

// The names in the order of the enum's values 0 to 16.
constexpr const char* kNames[] = {"int8",     "uint8",    "int16",     "uint16",    "int32",     "uint32",
                                  "int64",    "uint64",   "float16",   "float32",   "float64",   "bool",
                                  "bfloat16", "tfloat32", "complex32", "complex64", "complex128"};

// The order of the categories: bool < integral < floating < complex.
int category(diopiDtype_t d) {
  if (d == diopi_dtype_bool) return 0;
  if (is_integral(d)) return 1;
  return is_floating(d) ? 2 : 3;
}

bool is_unsigned(diopiDtype_t d) { return is_integral(d) && (d & 1) != 0; }

// Promotes two integral dtypes. As in PyTorch, a signed dtype with a signed one (or uint8) gives the wider, and uint8
// with int8 gives int16. PyTorch does not mix uint16, uint32 and uint64 with signed dtypes; here the result is the next
// wider signed dtype, which holds both.
diopiDtype_t promote_integral(diopiDtype_t a, diopiDtype_t b) {
  if (is_unsigned(a) == is_unsigned(b)) return a > b ? a : b;
  const diopiDtype_t u = is_unsigned(a) ? a : b;
  const diopiDtype_t s = is_unsigned(a) ? b : a;
  if (s > u) return s;  // a wider signed type: the enum alternates int8, uint8, int16, ...
  return u == diopi_dtype_uint64 ? diopi_dtype_int64 : static_cast<diopiDtype_t>(u + 1);
}

diopiDtype_t complex_of(diopiDtype_t d) {
  if (is_complex(d)) return d;
  return d == diopi_dtype_float64 ? diopi_dtype_complex128 : diopi_dtype_complex64;
}

}  // namespace

const char* dtype_name(diopiDtype_t dtype) {
  const auto index = static_cast<unsigned>(dtype);
  return index < sizeof(kNames) / sizeof(kNames[0]) ? kNames[index] : "unsupported";
}

diopiDtype_t promote_types(diopiDtype_t a, diopiDtype_t b) {
  if (a == b) return a;
  const int ca = category(a), cb = category(b);
  if (ca == 3 || cb == 3) {
    const diopiDtype_t x = complex_of(a), y = complex_of(b);
    return x > y ? x : y;
  }
  if (ca != cb) return ca > cb ? a : b;
  if (ca == 1) return promote_integral(a, b);
  // Two different floating point dtypes give the wider one; float16 with bfloat16 gives float32.
  if (is_reduced_float(a) && is_reduced_float(b)) return diopi_dtype_float32;
  if (is_reduced_float(a)) return b;
  if (is_reduced_float(b)) return a;
  return diopi_dtype_float64;
}

bool can_cast(diopiDtype_t from, diopiDtype_t to) {
  if (is_complex(from) && !is_complex(to)) return false;
  if (is_floating(from) && category(to) < 2) return false;
  return !(from != diopi_dtype_bool && to == diopi_dtype_bool);
}

float16::float16(float value) {
  uint32_t u;
  std::memcpy(&u, &value, sizeof(u));
  const uint16_t sign = static_cast<uint16_t>((u >> 16) & 0x8000);
  u &= 0x7FFFFFFF;
  if (u > 0x7F800000) {  // NaN: keeps the upper payload bits and makes it quiet
    bits = static_cast<uint16_t>(sign | 0x7E00 | ((u >> 13) & 0x3FF));
  } else if (u >= 0x477FF000) {  // rounds to infinity
    bits = static_cast<uint16_t>(sign | 0x7C00);
  } else if (u < 0x38800000) {  // subnormal or zero: the float addition rounds
    float magnitude;
    std::memcpy(&magnitude, &u, sizeof(magnitude));
    magnitude += 0.5f;
    std::memcpy(&u, &magnitude, sizeof(u));
    bits = static_cast<uint16_t>(sign | (u - 0x3F000000));
  } else {
    u += 0xC8000FFF + ((u >> 13) & 1);  // changes the exponent's bias by -112, rounds to nearest even
    bits = static_cast<uint16_t>(sign | (u >> 13));
  }
}

float16::operator float() const {
  const uint32_t sign = static_cast<uint32_t>(bits & 0x8000) << 16;
  uint32_t u = static_cast<uint32_t>(bits & 0x7FFF) << 13;
  const uint32_t exponent = u & 0x0F800000;
  float value;
  if (exponent == 0x0F800000) {                                              // infinity or NaN
    u = sign | (u + 0x70000000) | ((u & 0x007FE000) != 0 ? 0x00400000 : 0);  // quiet, like hardware
  } else if (exponent == 0) {  // subnormal: scales by the float with the right exponent
    u += 0x38800000;
    std::memcpy(&value, &u, sizeof(value));
    value -= 6.103515625e-05f;
    std::memcpy(&u, &value, sizeof(u));
    u |= sign;
  } else {
    u = sign | (u + 0x38000000);
  }
  std::memcpy(&value, &u, sizeof(value));
  return value;
}

namespace detail {
Status dtype_not_in_set(diopiDtype_t dtype) {
  return fail(diopiDtypeNotSupported, "dtype %s is not supported", dtype_name(dtype));
}
}  // namespace detail

}  // namespace diopi
