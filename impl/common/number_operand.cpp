// SPDX-License-Identifier: BSD-3-Clause
#include "impl/common/number_operand.hpp"

namespace diopi {

namespace {

using AllTypes = TypeList<bool, int8_t, uint8_t, int16_t, uint16_t, int32_t, uint32_t, int64_t, uint64_t, float, double,
                          complex64, complex128>;

}  // namespace

void store_number(const diopiScalar_t& value, diopiDtype_t dtype, void* bytes) {
  (void)visit_dtype<AllTypes>(dtype, [&](auto tag) -> Status {
    using T = typename decltype(tag)::type;
    T converted;
    if constexpr (std::is_same_v<T, bool>) {
      converted = is_floating(value) ? value.fval != 0 : value.ival != 0;
    } else if constexpr (std::is_same_v<T, complex64>) {
      converted = scalar_as<float>(value);
    } else if constexpr (std::is_same_v<T, complex128>) {
      converted = scalar_as<double>(value);
    } else {
      converted = scalar_as<T>(value);
    }
    std::memcpy(bytes, &converted, sizeof(T));
    return diopiSuccess;
  });
}

Status store_value(const diopiScalar_t& value, const char* name, diopiDtype_t dtype, void* bytes) {
  DIOPI_TRY(require_fits(value, name, dtype));
  store_number(value, dtype, bytes);
  return diopiSuccess;
}

void NumberOperand::set(const diopiScalar_t& value, const char* name, diopiDtype_t dtype, TensorView* view) {
  scalar = &value;
  *view = TensorView();
  view->data = bytes;
  view->name = name;
  view->dtype = compute_dtype(dtype);
  view->numel = 1;
  store_number(value, view->dtype, bytes);
}

}  // namespace diopi
