// SPDX-License-Identifier: BSD-3-Clause
// Small tensors that engines read and write element by element.
#ifndef IMPL_CPU_ENGINE_SAMPLING_LISTS_HPP_
#define IMPL_CPU_ENGINE_SAMPLING_LISTS_HPP_

#include <limits>

#include "impl/common/kernel_table.hpp"
#include "impl/cpu/engine/packed.hpp"

namespace impl::cpu {

// The elements of a tensor in row-major order, converted to T.
template <typename T>
Status read_list(diopiContextHandle_t ctx, const TensorView& view, const T** list) {
  TensorView packed;
  DIOPI_TRY(pack_input(ctx, view, diopi::dtype_of<T>, &packed));
  *list = packed.ptr<const T>();
  return diopiSuccess;
}
// The same for a tensor that need not be given; then the list is null.
template <typename T>
Status read_list(diopiContextHandle_t ctx, const TensorView* view, const T** list) {
  *list = nullptr;
  return view != nullptr ? read_list(ctx, *view, list) : Status(diopiSuccess);
}

// Requires that no element of a list is less or greater than a number. The argument `name` holds the list.
inline Status require_elements(const char* name, const int64_t* list, int64_t count, int64_t least,
                               int64_t most = std::numeric_limits<int64_t>::max()) {
  for (int64_t i = 0; i < count; ++i) {
    const auto value = static_cast<long long>(list[i]), at = static_cast<long long>(i);
    DIOPI_REQUIRE(value >= least, diopiErrorOccurred, "%s holds %lld at position %lld, expected at least %lld", name,
                  value, at, static_cast<long long>(least));
    DIOPI_REQUIRE(value <= most, diopiErrorOccurred, "%s holds %lld at position %lld, expected at most %lld", name,
                  value, at, static_cast<long long>(most));
  }
  return diopiSuccess;
}

// Calls f(p) with the pointer to the element `offset` elements behind the first, of its C++ type.
template <typename Set, typename F>
void visit_element(const TensorView& view, int64_t offset, const F& f) {
  (void)diopi::visit_dtype<Set>(view.dtype, [&](auto tag) -> Status {
    f(view.ptr<diopi::tagged<decltype(tag)>>() + offset);
    return diopiSuccess;
  });
}

inline void set_integer(const TensorView& view, int64_t offset, int64_t value) {
  visit_element<diopi::IntegerTypes>(view, offset,
                                     [&](auto* p) { *p = static_cast<std::decay_t<decltype(*p)>>(value); });
}
inline void add_integer(const TensorView& view, int64_t offset, int64_t value) {
  visit_element<diopi::IntegerTypes>(view, offset,
                                     [&](auto* p) { *p = static_cast<std::decay_t<decltype(*p)>>(*p + value); });
}

// Rounds a number once to float16 or bfloat16: through float32, as all conversions.
template <typename T>
T as_element(double value) {
  if constexpr (std::is_same_v<T, double>) {
    return value;
  } else {
    return static_cast<T>(static_cast<float>(value));
  }
}
inline void set_number(const TensorView& view, int64_t offset, double value) {
  visit_element<diopi::FloatingTypes>(view, offset,
                                      [&](auto* p) { *p = as_element<std::decay_t<decltype(*p)>>(value); });
}
// Adds in float64 if the tensor is float64, otherwise in float32.
inline void add_number(const TensorView& view, int64_t offset, double value) {
  visit_element<diopi::FloatingTypes>(view, offset, [&](auto* p) {
    using T = std::decay_t<decltype(*p)>;
    if constexpr (std::is_same_v<T, double>) {
      *p += value;
    } else {
      *p = static_cast<T>(static_cast<float>(*p) + static_cast<float>(value));
    }
  });
}

// The largest finite number of a dtype, but not more than that of float32.
inline double largest_logit(diopiDtype_t dtype) {
  return dtype == diopi_dtype_float16 ? 65504.0 : dtype == diopi_dtype_bfloat16 ? 0x1.fep127 : 0x1.fffffep127;
}

}  // namespace impl::cpu

#endif  // IMPL_CPU_ENGINE_SAMPLING_LISTS_HPP_
