// SPDX-License-Identifier: BSD-3-Clause
#include "impl/cpu/sort/simd.hpp"

#include <cstring>

#include "impl/common/kernel_table.hpp"
#include "impl/cpu/sort/keys.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "impl/cpu/sort/simd.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace impl::cpu {
namespace HWY_NAMESPACE {

template <typename T>
uint64_t min_key(const void* elements, int64_t n, bool descending) {
  using Key = typename SortKey<T>::Key;
  const Key flip = descending ? SortKey<T>::kAll : Key{0};
  const char* const bytes = static_cast<const char*>(elements);
  Key least = SortKey<T>::kAll;
  for (int64_t i = 0; i < n; ++i) {
    const Key key = static_cast<Key>(SortKey<T>::encode(bytes + i * static_cast<int64_t>(sizeof(T))) ^ flip);
    least = key < least ? key : least;
  }
  return least;
}

template <typename P>
void rank_sort_any(P* keys, int64_t n) {
  if (n <= 1) return;
  P sorted[kRankSorted];
  for (int64_t i = 0; i < n; ++i) {
    const P own = keys[i];
    P smaller = 0;
    for (int64_t j = 0; j < n; ++j) smaller = static_cast<P>(smaller + (keys[j] < own));
    sorted[smaller] = own;
  }
  std::memcpy(keys, sorted, static_cast<size_t>(n) * sizeof(P));
}

// Returns whether the target has vectors. Highway has two targets without vectors. Its library may be built by another
// compiler, so it may use either of them.
bool HasVectors() { return HWY_TARGET != HWY_SCALAR && HWY_TARGET != HWY_EMU128; }

void RankSort32(uint32_t* keys, int64_t n) { rank_sort_any(keys, n); }
void RankSort64(uint64_t* keys, int64_t n) { rank_sort_any(keys, n); }

MinKeyFn GetMinKey(diopiDtype_t dtype) {
  using Types = diopi::TypeList<int8_t, uint8_t, int16_t, uint16_t, int32_t, uint32_t, int64_t, uint64_t,
                                diopi::float16, diopi::bfloat16, float, double, bool>;
  return diopi::kernel_for<Types>(dtype, [](auto tag) { return min_key<diopi::tagged<decltype(tag)>>; });
}

}  // namespace HWY_NAMESPACE
}  // namespace impl::cpu
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace impl::cpu {

HWY_EXPORT(GetMinKey);
HWY_EXPORT(HasVectors);
HWY_EXPORT(RankSort32);
HWY_EXPORT(RankSort64);

MinKeyFn min_key_function(diopiDtype_t dtype) { return HWY_DYNAMIC_DISPATCH(GetMinKey)(dtype); }
bool vectors_sort_pairs() { return HWY_DYNAMIC_DISPATCH(HasVectors)(); }
void rank_sort(uint32_t* keys, int64_t n) { HWY_DYNAMIC_DISPATCH(RankSort32)(keys, n); }
void rank_sort(uint64_t* keys, int64_t n) { HWY_DYNAMIC_DISPATCH(RankSort64)(keys, n); }

}  // namespace impl::cpu
#endif  // HWY_ONCE
