// SPDX-License-Identifier: BSD-3-Clause
// Unsigned keys in the order in which PyTorch sorts values. A key is packed with the position in the row, so every sort
// of packed keys is stable.
#ifndef IMPL_CPU_SORT_KEYS_HPP_
#define IMPL_CPU_SORT_KEYS_HPP_

#include <cstdint>
#include <cstring>
#include <limits>
#include <type_traits>

#include "impl/common/dtype.hpp"

namespace impl::cpu {

namespace detail {
template <size_t kSize>
struct UnsignedOf;
template <>
struct UnsignedOf<1> {
  using type = uint8_t;
};
template <>
struct UnsignedOf<2> {
  using type = uint16_t;
};
template <>
struct UnsignedOf<4> {
  using type = uint32_t;
};
template <>
struct UnsignedOf<8> {
  using type = uint64_t;
};
}  // namespace detail

// The bits of infinity; larger magnitudes are NaN.
template <typename T>
inline constexpr uint64_t kInfinityBits = 0;
template <>
inline constexpr uint64_t kInfinityBits<diopi::float16> = 0x7C00;
template <>
inline constexpr uint64_t kInfinityBits<diopi::bfloat16> = 0x7F80;
template <>
inline constexpr uint64_t kInfinityBits<float> = 0x7F800000;
template <>
inline constexpr uint64_t kInfinityBits<double> = 0x7FF0000000000000;

// encode() preserves the order. -0 equals +0; all NaN are equal and larger than every number.
template <typename T>
struct SortKey {
  using Key = typename detail::UnsignedOf<sizeof(T)>::type;
  static constexpr bool kFloating = kInfinityBits<T> != 0;
  static constexpr int kTopBit = 8 * sizeof(T) - 1;
  static constexpr Key kSign = static_cast<Key>(Key{1} << kTopBit);
  static constexpr Key kAll = static_cast<Key>(~Key{0});

  static Key encode(const char* element) {
    Key bits;
    std::memcpy(&bits, element, sizeof(bits));
    if constexpr (std::is_same_v<T, bool>) {
      return bits != 0;
    } else if constexpr (kFloating) {
      // Without branches, because signs may be random. A negative number is inverted, and a positive number gets the
      // sign bit. This orders -0 just below +0; adding 1 makes them equal.
      const Key magnitude = bits & static_cast<Key>(~kSign);
      const Key negative = static_cast<Key>(0 - (bits >> kTopBit));
      const Key ordered = static_cast<Key>((bits ^ (negative | kSign)) + (bits == kSign));
      const Key nan = static_cast<Key>(0 - static_cast<Key>(magnitude > static_cast<Key>(kInfinityBits<T>)));
      return ordered | nan;
    } else {
      return std::is_signed_v<T> ? static_cast<Key>(bits ^ kSign) : bits;
    }
  }

  // Whether decode() returns the exact bits. It does not for zeros and NaN, which share a key.
  static bool is_exact(Key key) { return !kFloating || (key != kSign && key != kAll); }

  static Key decode(Key key) {
    if constexpr (kFloating) {
      return static_cast<Key>(key ^ (((key >> kTopBit) - 1) | kSign));
    } else {
      return std::is_signed_v<T> ? static_cast<Key>(key ^ kSign) : key;
    }
  }
};

// Packed keys have the key in the upper half and the position in the lower half.
using Packed128 = unsigned __int128;

template <typename P>
struct Packing {
  static constexpr int kHalf = 4 * sizeof(P);
  using Half = std::conditional_t<sizeof(P) == 4, uint16_t, std::conditional_t<sizeof(P) == 8, uint32_t, uint64_t>>;
  static P pack(uint64_t key, int64_t position) {
    return static_cast<P>(static_cast<P>(key) << kHalf | static_cast<Half>(position));
  }
  static Half key(P packed) { return static_cast<Half>(packed >> kHalf); }
  static int64_t position(P packed) { return static_cast<int64_t>(static_cast<Half>(packed)); }
};

// Sorts distinct packed keys in ascending order, on the calling thread.
void sort_packed(uint32_t* keys, int64_t n);
void sort_packed(uint64_t* keys, int64_t n);
void sort_packed(Packed128* keys, int64_t n);

// Sorts distinct packed keys on all threads. `scratch` has room for n keys; the result is in `keys`.
template <typename P>
void sort_packed_parallel(P* keys, int64_t n, P* scratch);
extern template void sort_packed_parallel(uint32_t*, int64_t, uint32_t*);
extern template void sort_packed_parallel(uint64_t*, int64_t, uint64_t*);
extern template void sort_packed_parallel(Packed128*, int64_t, Packed128*);

}  // namespace impl::cpu

#endif  // IMPL_CPU_SORT_KEYS_HPP_
