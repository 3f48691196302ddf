// SPDX-License-Identifier: BSD-3-Clause
#include "numbers.hpp"

#include <Eigen/Core>
#include <cstring>
#include <stdexcept>

namespace diopi_bench {
namespace {

template <class Visitor>
void visit(diopiDtype_t dtype, const Visitor& visitor) {
  switch (dtype) {
    case diopi_dtype_int8:
      return visitor(int8_t());
    case diopi_dtype_uint8:
    case diopi_dtype_bool:
      return visitor(uint8_t());
    case diopi_dtype_int16:
      return visitor(int16_t());
    case diopi_dtype_int32:
      return visitor(int32_t());
    case diopi_dtype_int64:
      return visitor(int64_t());
    case diopi_dtype_float16:
      return visitor(Eigen::half());
    case diopi_dtype_bfloat16:
      return visitor(Eigen::bfloat16());
    case diopi_dtype_float32:
      return visitor(float());
    case diopi_dtype_float64:
      return visitor(double());
    default:
      throw std::runtime_error("the bench does not know this dtype");
  }
}

}  // namespace

// A complex number is stored with equal parts, and read as the sum of its parts.
double load_number(const char* address, diopiDtype_t dtype) {
  if (dtype == diopi_dtype_complex64) {
    return load_number(address, diopi_dtype_float32) + load_number(address + sizeof(float), diopi_dtype_float32);
  }
  double value = 0;
  visit(dtype, [&](auto element) {
    std::memcpy(&element, address, sizeof(element));
    value = static_cast<double>(element);
  });
  return value;
}

void store_number(char* address, diopiDtype_t dtype, double value) {
  if (dtype == diopi_dtype_complex64) {
    store_number(address, diopi_dtype_float32, value);
    return store_number(address + sizeof(float), diopi_dtype_float32, value);
  }
  visit(dtype, [&](auto element) {
    element = static_cast<decltype(element)>(value);
    std::memcpy(address, &element, sizeof(element));
  });
}

}  // namespace diopi_bench
