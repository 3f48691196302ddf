// SPDX-License-Identifier: BSD-3-Clause
// Chooses a kernel by dtype or by the size of an element: the only tables from dtypes to kernels.
#ifndef IMPL_COMMON_KERNEL_TABLE_HPP_
#define IMPL_COMMON_KERNEL_TABLE_HPP_

#include <type_traits>

#include "impl/common/dtype.hpp"

// Inlined, so that a lambda is compiled for the vector target of its caller.
#define DIOPI_TABLE_INLINE inline __attribute__((always_inline))

namespace diopi {

using IntegerTypes = TypeList<int8_t, uint8_t, int16_t, uint16_t, int32_t, uint32_t, int64_t, uint64_t>;
using RealTypes = TypeList<int8_t, uint8_t, int16_t, uint16_t, int32_t, uint32_t, int64_t, uint64_t, float, double>;
// The dtypes in which numbers are computed; float16 and bfloat16 are computed in float32.
using ComputeTypes = TypeList<int8_t, uint8_t, int16_t, uint16_t, int32_t, uint32_t, int64_t, uint64_t, float, double,
                              complex64, complex128>;
using FloatingTypes = TypeList<float16, bfloat16, float, double>;
using WideInexactTypes = TypeList<float, double, complex64, complex128>;

// The type of the tag that a lambda receives.
template <class Tag>
using tagged = typename Tag::type;

namespace detail {
template <typename T, bool kIsInteger = std::is_integral_v<T> && !std::is_same_v<T, bool>>
struct SameBits {
  using type = T;
};
template <typename T>
struct SameBits<T, true> {
  using type = std::make_unsigned_t<T>;
};

template <typename First, typename... Rest, typename F>
DIOPI_TABLE_INLINE auto kernel_in(TypeList<First, Rest...>, diopiDtype_t dtype, const F& kernel_of) {
  decltype(kernel_of(TypeTag<First>{})) kernel = nullptr;
  const auto choose = [&](auto tag) __attribute__((always_inline)) {
    if (dtype != dtype_of<tagged<decltype(tag)>>) return false;
    kernel = kernel_of(tag);
    return true;
  };
  (void)(choose(TypeTag<First>{}) || ... || choose(TypeTag<Rest>{}));
  return kernel;
}
}  // namespace detail

// For an integer the unsigned type of its size, otherwise the type itself: sums, differences and products of integers
// have the same bits for signed and unsigned types.
template <class Tag>
using unsigned_of = typename detail::SameBits<tagged<Tag>>::type;

// Returns kernel_of(TypeTag<T>{}) for the C++ type of `dtype`; null if `Set` lacks the dtype.
template <typename Set, typename F>
DIOPI_TABLE_INLINE auto kernel_for(diopiDtype_t dtype, const F& kernel_of) {
  return detail::kernel_in(Set{}, dtype, kernel_of);
}

// An element of 16 bytes.
struct Bytes16 {
  uint64_t v[2];
};

// Returns f(TypeTag<T>{}), where T is the unsigned integer of `size` bytes, or Bytes16.
template <typename F>
DIOPI_TABLE_INLINE auto for_itemsize(int64_t size, const F& f) {
  switch (size) {
    case 1:
      return f(TypeTag<uint8_t>{});
    case 2:
      return f(TypeTag<uint16_t>{});
    case 4:
      return f(TypeTag<uint32_t>{});
    case 8:
      return f(TypeTag<uint64_t>{});
    default:
      return f(TypeTag<Bytes16>{});
  }
}

}  // namespace diopi

#endif  // IMPL_COMMON_KERNEL_TABLE_HPP_
