#include "copy_simd.hpp"

#include <cstring>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "impl/cpu/kernels/copy_simd.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace impl::cpu {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

struct Pair {
  uint64_t v[2];
};

template <class D>
HWY_INLINE hn::Vec<D> reversed(D d, hn::Vec<D> v) {
#if HWY_TARGET == HWY_SCALAR  // one lane
  (void)d;
  return v;
#else
  if constexpr (sizeof(hn::TFromD<D>) == 1) {  // pairs of bytes, each pair turned round
    const hn::Repartition<uint16_t, D> pairs;
    const auto p = hn::Reverse(pairs, hn::BitCast(pairs, v));
    return hn::BitCast(d, hn::Or(hn::ShiftLeft<8>(p), hn::ShiftRight<8>(p)));
  } else {
    return hn::Reverse(d, v);
  }
#endif
}

template <typename T>
void reverse_as(void* dst, const void* src, int64_t n) {
  const T* from = static_cast<const T*>(src);
  T* to = static_cast<T*>(dst);
  int64_t i = 0;
  if constexpr (sizeof(T) <= 8) {
    const hn::ScalableTag<T> d;
    const auto lanes = static_cast<int64_t>(hn::Lanes(d));
    for (; i + lanes <= n; i += lanes) hn::StoreU(reversed(d, hn::LoadU(d, from + n - i - lanes)), d, to + i);
  }
  for (; i < n; ++i) to[i] = from[n - 1 - i];
}

template <typename T>
void repeat_as(void* dst, const void* src, int64_t n) {
  T value;
  std::memcpy(&value, src, sizeof(T));
  T* to = static_cast<T*>(dst);
  int64_t i = 0;
  if constexpr (sizeof(T) <= 8) {
    const hn::ScalableTag<T> d;
    const auto lanes = static_cast<int64_t>(hn::Lanes(d));
    const auto v = hn::Set(d, value);
    for (; i + lanes <= n; i += lanes) hn::StoreU(v, d, to + i);
  }
  for (; i < n; ++i) to[i] = value;
}

void reverse_any(void* dst, const void* src, int64_t item_size, int64_t n) {
  switch (item_size) {
    case 1:
      return reverse_as<uint8_t>(dst, src, n);
    case 2:
      return reverse_as<uint16_t>(dst, src, n);
    case 4:
      return reverse_as<uint32_t>(dst, src, n);
    case 8:
      return reverse_as<uint64_t>(dst, src, n);
    default:
      return reverse_as<Pair>(dst, src, n);
  }
}

void repeat_any(void* dst, const void* src, int64_t item_size, int64_t n) {
  switch (item_size) {
    case 1:
      return repeat_as<uint8_t>(dst, src, n);
    case 2:
      return repeat_as<uint16_t>(dst, src, n);
    case 4:
      return repeat_as<uint32_t>(dst, src, n);
    case 8:
      return repeat_as<uint64_t>(dst, src, n);
    default:
      return repeat_as<Pair>(dst, src, n);
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace impl::cpu
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace impl::cpu {

HWY_EXPORT(reverse_any);
HWY_EXPORT(repeat_any);

void reverse_items(void* dst, const void* src, int64_t item_size, int64_t n) {
  HWY_DYNAMIC_DISPATCH(reverse_any)(dst, src, item_size, n);
}
void repeat_item(void* dst, const void* src, int64_t item_size, int64_t n) {
  HWY_DYNAMIC_DISPATCH(repeat_any)(dst, src, item_size, n);
}

}  // namespace impl::cpu
#endif  // HWY_ONCE
