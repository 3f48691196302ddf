/* SPDX-License-Identifier: BSD-3-Clause */
// Loads and stores the first elements of a vector, for the ends of rows. Included inside each target's namespace.
#if defined(IMPL_CPU_SIMD_LOAD_STORE_N_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef IMPL_CPU_SIMD_LOAD_STORE_N_INL_H_
#undef IMPL_CPU_SIMD_LOAD_STORE_N_INL_H_
#else
#define IMPL_CPU_SIMD_LOAD_STORE_N_INL_H_
#endif

#include <cstdint>
#include <cstring>

#include <hwy/highway.h>

// Whether masked loads and stores are fast instructions that do not access the other lanes' memory. AVX2 has such
// loads, but its masked stores are slow on AMD's processors.
#undef IMPL_CPU_MASKS_MEMORY
#if HWY_ARCH_X86 && HWY_TARGET <= HWY_AVX3
#define IMPL_CPU_MASKS_MEMORY 1
#else
#define IMPL_CPU_MASKS_MEMORY 0
#endif

// Whether the compiler knows the size of a vector, so that words of it can be moved.
#undef IMPL_CPU_MOVES_WORDS
#if IMPL_CPU_MASKS_MEMORY || HWY_HAVE_SCALABLE || HWY_TARGET == HWY_SCALAR
#define IMPL_CPU_MOVES_WORDS 0
#else
#define IMPL_CPU_MOVES_WORDS 1
#endif

HWY_BEFORE_NAMESPACE();
namespace impl::cpu {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

#if IMPL_CPU_MOVES_WORDS
template <class D>
inline constexpr size_t kWordsOf = hn::MaxLanes(D()) * sizeof(hn::TFromD<D>) / sizeof(uint64_t);

template <typename Word>
HWY_INLINE uint64_t load_word(const char* p) {
  Word word;
  std::memcpy(&word, p, sizeof(word));
  return word;
}

// Returns `bytes` bytes from p on, an even number from 2 to 8; the bytes behind them are 0. The second of two loads may
// overlap the first.
HWY_INLINE uint64_t load_bytes(const char* p, size_t bytes) {
  if (bytes == 8) return load_word<uint64_t>(p);
  if (bytes < 4) return load_word<uint16_t>(p);
  return load_word<uint32_t>(p) | load_word<uint32_t>(p + bytes - 4) << (8 * (bytes - 4));
}

// Stores the first `bytes` bytes of a word, an even number from 0 to 6.
HWY_INLINE void store_bytes(uint64_t word, char* p, size_t bytes) {
  if ((bytes & 4) != 0) {
    std::memcpy(p, &word, 4);
    word >>= 32;
    p += 4;
  }
  if ((bytes & 2) != 0) std::memcpy(p, &word, 2);
}
#endif

// Loads n elements, 0 < n < lanes. The other lanes are 0.
template <class D>
HWY_INLINE hn::Vec<D> load_n(D d, const hn::TFromD<D>* p, size_t n) {
  using T = hn::TFromD<D>;
  static_assert(sizeof(T) >= 2, "the number of bytes must be even");
#if IMPL_CPU_MASKS_MEMORY
  return hn::MaskedLoad(hn::FirstN(d, n), d, p);
#else
#if IMPL_CPU_MOVES_WORDS
  const hn::Repartition<uint64_t, D> words;
  const char* const at = reinterpret_cast<const char*>(p);
  const size_t bytes = n * sizeof(T);
  if constexpr (HWY_TARGET == HWY_AVX2 && sizeof(T) >= 4 && kWordsOf<D> >= 2) {
    return hn::MaskedLoad(hn::FirstN(d, n), d, p);
  } else if constexpr (kWordsOf<D> == 1) {
    return hn::BitCast(d, hn::Set(words, load_bytes(at, bytes)));
  } else if constexpr (kWordsOf<D> == 2) {
    const bool has_second = bytes > 8;
    const uint64_t low = load_bytes(at, has_second ? 8 : bytes);
    const uint64_t high = has_second ? load_word<uint64_t>(at + bytes - 8) >> (8 * (16 - bytes)) : 0;
    return hn::BitCast(d, hn::InterleaveLower(words, hn::Set(words, low), hn::Set(words, high)));
  }
#endif
  HWY_ALIGN T line[HWY_MAX_BYTES / sizeof(T)] = {};
  std::memcpy(line, p, n * sizeof(T));
  return hn::Load(d, line);
#endif
}

// Stores the first n lanes, 0 < n < lanes.
template <class D>
HWY_INLINE void store_n(hn::Vec<D> v, D d, hn::TFromD<D>* p, size_t n) {
  using T = hn::TFromD<D>;
  static_assert(sizeof(T) >= 2, "the number of bytes must be even");
#if IMPL_CPU_MASKS_MEMORY
  hn::BlendedStore(v, hn::FirstN(d, n), d, p);
#elif IMPL_CPU_MOVES_WORDS
  if constexpr (kWordsOf<D> == 1) {
    store_bytes(hn::GetLane(hn::BitCast(hn::Repartition<uint64_t, D>(), v)), reinterpret_cast<char*>(p), n * sizeof(T));
  } else {
    const hn::Half<D> half;
    const size_t lower = hn::Lanes(half);
    if (n < lower) return store_n(hn::LowerHalf(half, v), half, p, n);
    hn::StoreU(hn::LowerHalf(half, v), half, p);
    if (n > lower) store_n(hn::UpperHalf(half, v), half, p + lower, n - lower);
  }
#else
  HWY_ALIGN T line[HWY_MAX_BYTES / sizeof(T)];
  hn::Store(v, d, line);
  std::memcpy(p, line, n * sizeof(T));
#endif
}

}  // namespace HWY_NAMESPACE
}  // namespace impl::cpu
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
