// SPDX-License-Identifier: BSD-3-Clause
#include "impl/cpu/sort/topk_small_k.hpp"

#include <algorithm>

#include "impl/common/kernel_table.hpp"
#include "impl/cpu/sort/keys.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "impl/cpu/sort/topk_small_k.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace impl::cpu {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

template <typename T>
using KeyOf = typename SortKey<T>::Key;

// Encodes a row as keys. The rest of the last vectors is filled with the largest key. Returns the padded length.
template <typename T>
int64_t encode_row(const char* row, int64_t n, int64_t stride, bool descending, KeyOf<T>* keys) {
  using Key = KeyOf<T>;
  constexpr auto kSize = static_cast<int64_t>(sizeof(T));
  const Key flip = descending ? SortKey<T>::kAll : Key{0};
  if (stride == 1) {  // a plain loop, which the compiler vectorises
    for (int64_t i = 0; i < n; ++i) keys[i] = static_cast<Key>(SortKey<T>::encode(row + i * kSize) ^ flip);
  } else {
    for (int64_t i = 0; i < n; ++i) keys[i] = static_cast<Key>(SortKey<T>::encode(row + i * stride * kSize) ^ flip);
  }
  const int64_t step = 2 * static_cast<int64_t>(hn::Lanes(hn::ScalableTag<Key>()));
  const int64_t padded = (n + step - 1) / step * step;
  std::fill(keys + n, keys + padded, SortKey<T>::kAll);
  return padded;
}

template <typename Key>
Key least_key(const Key* keys, int64_t padded) {
  const hn::ScalableTag<Key> d;
  const int64_t lanes = static_cast<int64_t>(hn::Lanes(d));
  auto a = hn::Load(d, keys), b = hn::Load(d, keys + lanes);
  for (int64_t i = 2 * lanes; i < padded; i += 2 * lanes) {
    a = hn::Min(a, hn::Load(d, keys + i));
    b = hn::Min(b, hn::Load(d, keys + i + lanes));
  }
  HWY_ALIGN Key all[hn::MaxLanes(d)];
  hn::Store(hn::Min(a, b), d, all);
  Key least = all[0];
  for (int64_t i = 1; i < lanes; ++i) least = all[i] < least ? all[i] : least;
  return least;
}

// Returns the first position of `key`, which must be among the keys.
template <typename Key>
int64_t first_equal(const Key* keys, Key key) {
  const hn::ScalableTag<Key> d;
  const auto wanted = hn::Set(d, key);
  for (int64_t i = 0;; i += static_cast<int64_t>(hn::Lanes(d))) {
    const auto found = hn::FindFirstTrue(d, hn::Eq(hn::Load(d, keys + i), wanted));
    if (found >= 0) return i + static_cast<int64_t>(found);
  }
}

template <typename T>
void topk_small_k(const void* row, int64_t n, int64_t stride, bool descending, int64_t k, int64_t* positions) {
  using Key = KeyOf<T>;
  HWY_ALIGN Key keys[kSmallKElements + 2 * hn::MaxLanes(hn::ScalableTag<Key>())];
  const int64_t padded = encode_row<T>(static_cast<const char*>(row), n, stride, descending, keys);
  for (int64_t found = 0; found < k; ++found) {
    const Key least = least_key(keys, padded);
    if (least == SortKey<T>::kAll) {  // all remaining elements are equal: takes the others in order
      for (int64_t i = 0; found < k; ++i) {
        if (std::find(positions, positions + found, i) == positions + found) positions[found++] = i;
      }
      return;
    }
    positions[found] = first_equal(keys, least);
    keys[positions[found]] = SortKey<T>::kAll;
  }
}

TopkSmallKFn GetTopkSmallK(diopiDtype_t dtype) {
  using Types = diopi::TypeList<int8_t, uint8_t, int16_t, uint16_t, int32_t, uint32_t, int64_t, uint64_t,
                                diopi::float16, diopi::bfloat16, float, double, bool>;
  return diopi::kernel_for<Types>(dtype, [](auto tag) { return topk_small_k<diopi::tagged<decltype(tag)>>; });
}

}  // namespace HWY_NAMESPACE
}  // namespace impl::cpu
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace impl::cpu {

HWY_EXPORT(GetTopkSmallK);
TopkSmallKFn topk_small_k_function(diopiDtype_t dtype) { return HWY_DYNAMIC_DISPATCH(GetTopkSmallK)(dtype); }

}  // namespace impl::cpu
#endif  // HWY_ONCE
