// SPDX-License-Identifier: BSD-3-Clause
#include "adaptor/layer/modes/compare_elements.hpp"

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstdio>
#include <cstring>
#include <type_traits>

#include "impl/common/dtype.hpp"

namespace diopi::layer {

namespace {

using All = TypeList<int8_t, uint8_t, int16_t, uint16_t, int32_t, uint32_t, int64_t, uint64_t, float16, bfloat16, float,
                     double, bool, complex64, complex128>;

template <typename T>
constexpr bool kComplex = std::is_same_v<T, complex64> || std::is_same_v<T, complex128>;
template <typename T>
constexpr bool kInexact =
    kComplex<T> || std::is_floating_point_v<T> || std::is_same_v<T, float16> || std::is_same_v<T, bfloat16>;

struct Format {
  int digits, least;  // bits of the significand, and the exponent of the smallest normal number
};

Format format_of(diopiDtype_t dtype) {
  switch (dtype) {
    case diopi_dtype_float16:
      return {11, -14};
    case diopi_dtype_bfloat16:
      return {8, -126};
    case diopi_dtype_float64:
    case diopi_dtype_complex128:
      return {53, -1022};
    default:
      return {24, -126};
  }
}

double ulp_at(double size, const Format& format) {
  int exponent = 0;
  std::frexp(size, &exponent);
  exponent = size == 0 ? format.least : std::max(exponent - 1, format.least);
  return std::ldexp(1.0, exponent - (format.digits - 1));
}

template <typename T>
T load(const char* at) {
  if constexpr (std::is_same_v<T, bool>) {
    return *at != 0;
  } else {
    T value;
    std::memcpy(&value, at, sizeof(value));
    return value;
  }
}

template <typename T>
std::complex<double> wide(const T& value) {
  if constexpr (kComplex<T>) {
    return {static_cast<double>(value.real()), static_cast<double>(value.imag())};
  } else if constexpr (std::is_same_v<T, float16> || std::is_same_v<T, bfloat16>) {
    return static_cast<double>(static_cast<float>(value));
  } else {
    return static_cast<double>(value);
  }
}

double finite_size(const std::complex<double>& value) {
  const double size = std::abs(value);
  return std::isfinite(size) ? size : 0;
}

bool is_nan(const std::complex<double>& v) { return std::isnan(v.real()) || std::isnan(v.imag()); }
bool is_finite(const std::complex<double>& v) { return std::isfinite(v.real()) && std::isfinite(v.imag()); }

template <typename T>
std::string text_of(const char* at) {
  char text[80];
  if constexpr (std::is_same_v<T, bool>) {
    std::snprintf(text, sizeof(text), "%d", static_cast<int>(static_cast<unsigned char>(*at)));
  } else if constexpr (kComplex<T>) {
    const auto value = wide(load<T>(at));
    std::snprintf(text, sizeof(text), "%.17g%+.17gj", value.real(), value.imag());
  } else if constexpr (kInexact<T>) {
    std::snprintf(text, sizeof(text), std::is_same_v<T, double> ? "%.17g" : "%.9g", wide(load<T>(at)).real());
  } else {
    return std::to_string(load<T>(at));
  }
  return text;
}

// Calls visit(index, offset of `a` in bytes, offset of `b` in bytes) for each element.
template <typename Visit>
void each_element(const TensorView& a, const TensorView& b, Visit&& visit) {
  Dims index;
  for (int i = 0; i < a.ndim(); ++i) index.push_back(0);
  int64_t at_a = 0, at_b = 0;
  const int64_t size = a.itemsize();
  for (int64_t n = 0; n < a.numel; ++n) {
    visit(index, at_a, at_b);
    for (int i = a.ndim() - 1; i >= 0; --i) {
      at_a += a.stride[i] * size;
      at_b += b.stride[i] * size;
      if (++index[i] < a.shape[i]) break;
      at_a -= a.shape[i] * a.stride[i] * size;
      at_b -= b.shape[i] * b.stride[i] * size;
      index[i] = 0;
    }
  }
}

template <typename T>
struct Comparison {
  Tolerance tolerance;
  Format format;
  double accumulated = 0;  // what the accumulation may differ by
  double max_ulp = 0;

  // Whether two elements of different bytes are the same or close enough.
  bool accepts(const char* expected, const char* got) {
    if constexpr (kInexact<T>) {
      const auto e = wide(load<T>(expected)), g = wide(load<T>(got));
      if (e == g || (is_nan(e) && is_nan(g))) return true;
      if (!is_finite(e) || !is_finite(g)) {
        max_ulp = HUGE_VAL;
        return false;
      }
      const double size = finite_size(e), ulp = ulp_at(size, format), distance = std::abs(g - e);
      max_ulp = std::max(max_ulp, distance / ulp);
      return distance <= tolerance.ulp * ulp + tolerance.absolute + tolerance.relative * size + accumulated;
    } else if constexpr (std::is_same_v<T, bool>) {
      return false;
    } else {
      const double distance = std::abs(static_cast<double>(load<T>(expected)) - static_cast<double>(load<T>(got)));
      return tolerance.absolute > 0 && distance <= tolerance.absolute;
    }
  }
};

template <typename T>
double largest(const TensorView& view) {
  double size = 0;
  each_element(view, view, [&](const Dims&, int64_t at, int64_t) {
    size = std::max(size, finite_size(wide(load<T>(view.data + at))));
  });
  return size;
}

template <typename T>
Difference compare_as(const TensorView& expected, const TensorView& got, const Tolerance& tolerance,
                      diopiDtype_t coarse, bool bits) {
  Difference found;
  Comparison<T> comparison{tolerance, format_of(coarse)};
  if constexpr (kInexact<T>) {
    if (tolerance.acc_ulp > 0) {
      const diopiDtype_t dtype = is_reduced_float(coarse) ? diopi_dtype_float32 : coarse;
      comparison.accumulated = tolerance.acc_ulp * ulp_at(largest<T>(expected), format_of(dtype));
    }
  }
  found.numel = expected.numel;
  each_element(expected, got, [&](const Dims& index, int64_t at_expected, int64_t at_got) {
    const char* const e = expected.data + at_expected;
    const char* const g = got.data + at_got;
    const bool is_bool = std::is_same_v<T, bool>;
    if (std::memcmp(e, g, sizeof(T)) == 0 && (!is_bool || static_cast<unsigned char>(*g) <= 1)) return;
    if (!bits && comparison.accepts(e, g)) return;
    if (found.wrong++ > 0) return;
    found.index = index;
    found.expected = text_of<T>(e);
    found.got = text_of<T>(g);
  });
  found.max_ulp = comparison.max_ulp;
  return found;
}

bool same_bytes(const TensorView& a, const TensorView& b) {
  return a.dtype != diopi_dtype_bool && a.is_contiguous() && b.is_contiguous() &&
         std::memcmp(a.data, b.data, static_cast<size_t>(a.numel * a.itemsize())) == 0;
}

}  // namespace

diopiDtype_t coarser(diopiDtype_t a, diopiDtype_t b) { return format_of(b).digits < format_of(a).digits ? b : a; }

Difference compare_elements(const TensorView& expected, const TensorView& got, const Tolerance& tolerance,
                            diopiDtype_t coarse, bool bits) {
  Difference found;
  found.numel = expected.numel;
  if (expected.numel == 0 || same_bytes(expected, got)) return found;
  const Status known = visit_dtype<All>(expected.dtype, [&](auto tag) -> Status {
    using T = typename decltype(tag)::type;
    found = compare_as<T>(expected, got, tolerance, coarse, bits);
    return diopiSuccess;
  });
  if (!known.ok()) found.wrong = found.numel;
  return found;
}

}  // namespace diopi::layer
