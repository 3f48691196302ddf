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
#include "impl/common/sort_key.hpp"

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

// The keys of impl/common/sort_key.hpp, for one dtype.
template <typename T>
struct SortKey {
  using Key = typename detail::UnsignedOf<sizeof(T)>::type;
  static constexpr diopi::KeyRule kRule = diopi::key_rule(diopi::dtype_of<T>);
  static constexpr bool kFloating = kRule.infinity != 0;
  static constexpr int kTopBit = 8 * sizeof(T) - 1;
  static constexpr Key kSign = static_cast<Key>(Key{1} << kTopBit);
  static constexpr Key kAll = static_cast<Key>(~Key{0});

  static Key encode(const char* element) {
    Key bits;
    std::memcpy(&bits, element, sizeof(bits));
    return diopi::ordered_key(bits, kRule);
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
