#include "impl/cpu/kernels/index_simd.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "impl/cpu/kernels/index_simd.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace impl::cpu {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

// A plain loop: the compiler vectorises it for the target.
template <typename I>
bool all_within(const I* index, int64_t n, int64_t low, int64_t span) {
  uint64_t bad = 0;
  for (int64_t i = 0; i < n; ++i) {
    const uint64_t above = static_cast<uint64_t>(static_cast<int64_t>(index[i])) - static_cast<uint64_t>(low);
    bad |= static_cast<uint64_t>(above >= static_cast<uint64_t>(span));
  }
  return bad == 0;
}
bool all_within64(const int64_t* index, int64_t n, int64_t low, int64_t span) {
  return all_within(index, n, low, span);
}
bool all_within32(const int32_t* index, int64_t n, int64_t low, int64_t span) {
  return all_within(index, n, low, span);
}

#if HWY_ARCH_X86 && HWY_TARGET <= HWY_AVX3
template <class D>
HWY_INLINE hn::Vec<D> load_index(D d, const int32_t* index) {
  return hn::LoadU(d, index);
}
template <class D>
HWY_INLINE hn::Vec<D> load_index(D d, const int64_t* index) {
  const hn::Repartition<uint64_t, D> wide;
  const hn::Half<hn::RebindToUnsigned<D>> half;
  const auto* words = reinterpret_cast<const uint64_t*>(index);
  const auto low = hn::TruncateTo(half, hn::LoadU(wide, words));
  const auto high = hn::TruncateTo(half, hn::LoadU(wide, words + hn::Lanes(wide)));
  return hn::BitCast(d, hn::Combine(hn::RebindToUnsigned<D>(), high, low));
}

template <typename T, typename I>
void gather_items(void* dst, const void* src, const void* entries, int64_t n) {
  const hn::ScalableTag<T> d;
  const hn::RebindToSigned<decltype(d)> di;
  const int64_t lanes = static_cast<int64_t>(hn::Lanes(d));
  const I* index = static_cast<const I*>(entries);
  const T* from = static_cast<const T*>(src);
  T* to = static_cast<T*>(dst);
  int64_t i = 0;
  for (; i + lanes <= n; i += lanes) hn::StoreU(hn::GatherIndex(d, from, load_index(di, index + i)), d, to + i);
  for (; i < n; ++i) to[i] = from[index[i]];
}
#endif

GatherItemsFn find_gather_items(int64_t item_size, bool is_int64) {
#if HWY_ARCH_X86 && HWY_TARGET <= HWY_AVX3
  if (item_size == 4) return is_int64 ? gather_items<uint32_t, int64_t> : gather_items<uint32_t, int32_t>;
#else
  (void)item_size;
  (void)is_int64;
#endif
  return nullptr;
}

}  // namespace HWY_NAMESPACE
}  // namespace impl::cpu
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace impl::cpu {

HWY_EXPORT(all_within64);
HWY_EXPORT(all_within32);
HWY_EXPORT(find_gather_items);

bool indices_within(const int64_t* index, int64_t n, int64_t low, int64_t span) {
  return HWY_DYNAMIC_DISPATCH(all_within64)(index, n, low, span);
}
bool indices_within(const int32_t* index, int64_t n, int64_t low, int64_t span) {
  return HWY_DYNAMIC_DISPATCH(all_within32)(index, n, low, span);
}
GatherItemsFn gather_items_function(int64_t item_size, bool is_int64) {
  return HWY_DYNAMIC_DISPATCH(find_gather_items)(item_size, is_int64);
}

}  // namespace impl::cpu
#endif  // HWY_ONCE
