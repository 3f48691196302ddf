// SPDX-License-Identifier: BSD-3-Clause
// Barriers, shuffles, votes and reductions of a warp. Each knows the file and line of its call.
#ifndef DIOPI_EMULATION_WARP_HPP_
#define DIOPI_EMULATION_WARP_HPP_

#include <diopi_emulation/thread.hpp>

#include <cstdint>
#include <cstring>
#include <type_traits>

namespace diopi::emulation {

// Waits for all threads of the block that have not ended. Returns how many of them passed a predicate that is not zero.
int sync_threads(Site site, int predicate);
// Waits for the lanes of the mask. Memory accesses of these lanes before it are visible to them after it.
void sync_warp(uint32_t mask, Site site);
// Waits for the lanes of the mask, and returns what each of them gave, by lane.
const uint64_t* exchange(uint32_t mask, uint64_t bits, Site site);

template <typename T>
uint64_t to_bits(T value) {
  static_assert(sizeof(T) <= 8 && std::is_trivially_copyable_v<T>);
  uint64_t bits = 0;
  std::memcpy(&bits, &value, sizeof(T));
  return bits;
}

template <typename T>
T from_bits(uint64_t bits) {
  T value;
  std::memcpy(static_cast<void*>(&value), &bits, sizeof(T));
  return value;
}

// A source that is out of the lane's segment of width lanes means the lane itself.
template <typename T>
T shuffle(uint32_t mask, T value, int source, int width, Site site) {
  if (width <= 0 || width > 32 || (width & (width - 1)) != 0)
    misuse(site, "the width of a shuffle is no power of two up to 32");
  const int lane = current->lane, first = lane & ~(width - 1);
  if (source < first || source >= first + width) source = lane;
  const uint64_t* const values = exchange(mask, to_bits(value), site);
  if ((mask >> source & 1) == 0) misuse(site, "a shuffle reads a lane that is not in its mask");
  return from_bits<T>(values[source]);
}

template <typename T, typename F>
T reduce_lanes(uint32_t mask, T value, Site site, F&& combine) {
  const uint64_t* const values = exchange(mask, to_bits(value), site);
  const int first = __builtin_ctz(mask);
  T result = from_bits<T>(values[first]);
  for (int lane = first + 1; lane < 32; ++lane) {
    if ((mask >> lane & 1) != 0) result = combine(result, from_bits<T>(values[lane]));
  }
  return result;
}

// The types that CUDA's shuffles take.
template <typename T>
inline constexpr bool kShuffles =
    std::is_same_v<T, int> || std::is_same_v<T, unsigned> || std::is_same_v<T, long> ||
    std::is_same_v<T, unsigned long> || std::is_same_v<T, long long> || std::is_same_v<T, unsigned long long> ||
    std::is_same_v<T, float> || std::is_same_v<T, double>;

}  // namespace diopi::emulation

// NOLINTBEGIN(bugprone-reserved-identifier): CUDA has these names

inline void __syncthreads(DIOPI_EMULATION_SITE) { ::diopi::emulation::sync_threads({file, line}, 0); }
inline int __syncthreads_count(int predicate, DIOPI_EMULATION_SITE) {
  return ::diopi::emulation::sync_threads({file, line}, predicate != 0 ? 1 : 0);
}
inline int __syncthreads_or(int predicate, DIOPI_EMULATION_SITE) {
  return ::diopi::emulation::sync_threads({file, line}, predicate != 0 ? 1 : 0) != 0 ? 1 : 0;
}
inline int __syncthreads_and(int predicate, DIOPI_EMULATION_SITE) {
  return ::diopi::emulation::sync_threads({file, line}, predicate == 0 ? 1 : 0) == 0 ? 1 : 0;
}
inline void __syncwarp(unsigned mask = 0xFFFFFFFFu, DIOPI_EMULATION_SITE) {
  ::diopi::emulation::sync_warp(mask, {file, line});
}

#define DIOPI_EMULATION_SHUFFLE(name, parameter, source)                                 \
  template <typename T>                                                                  \
  T name(unsigned mask, T value, parameter, int width = 32, DIOPI_EMULATION_SITE) {      \
    static_assert(::diopi::emulation::kShuffles<T>, "CUDA has no shuffle of this type"); \
    const int lane = ::diopi::emulation::current->lane;                                  \
    return ::diopi::emulation::shuffle(mask, value, source, width, {file, line});        \
  }
DIOPI_EMULATION_SHUFFLE(__shfl_sync, int from, (lane & ~(width - 1)) + (from & (width - 1)))
DIOPI_EMULATION_SHUFFLE(__shfl_up_sync, unsigned delta, lane - static_cast<int>(delta))
DIOPI_EMULATION_SHUFFLE(__shfl_down_sync, unsigned delta, lane + static_cast<int>(delta))
DIOPI_EMULATION_SHUFFLE(__shfl_xor_sync, int bits, lane ^ bits)
#undef DIOPI_EMULATION_SHUFFLE

inline unsigned __ballot_sync(unsigned mask, int predicate, DIOPI_EMULATION_SITE) {
  const uint64_t* const values = ::diopi::emulation::exchange(mask, predicate != 0 ? 1 : 0, {file, line});
  unsigned result = 0;
  for (int lane = 0; lane < 32; ++lane) {
    if ((mask >> lane & 1) != 0 && values[lane] != 0) result |= 1u << lane;
  }
  return result;
}
inline int __any_sync(unsigned mask, int predicate, DIOPI_EMULATION_SITE) {
  return __ballot_sync(mask, predicate, file, line) != 0 ? 1 : 0;
}
inline int __all_sync(unsigned mask, int predicate, DIOPI_EMULATION_SITE) {
  return __ballot_sync(mask, predicate, file, line) == mask ? 1 : 0;
}
template <typename T>
unsigned __match_any_sync(unsigned mask, T value, DIOPI_EMULATION_SITE) {
  static_assert(::diopi::emulation::kShuffles<T>, "CUDA has no match of this type");
  const uint64_t* const values = ::diopi::emulation::exchange(mask, ::diopi::emulation::to_bits(value), {file, line});
  unsigned result = 0;
  for (int lane = 0; lane < 32; ++lane) {
    if ((mask >> lane & 1) != 0 && values[lane] == values[::diopi::emulation::current->lane]) result |= 1u << lane;
  }
  return result;
}

#define DIOPI_EMULATION_WARP_REDUCE(name, type, result)                                                        \
  inline type name(unsigned mask, type value, DIOPI_EMULATION_SITE) {                                          \
    return ::diopi::emulation::reduce_lanes(mask, value, {file, line}, [](type a, type b) { return result; }); \
  }
DIOPI_EMULATION_WARP_REDUCE(__reduce_add_sync, unsigned, a + b)
DIOPI_EMULATION_WARP_REDUCE(__reduce_min_sync, unsigned, a < b ? a : b)
DIOPI_EMULATION_WARP_REDUCE(__reduce_max_sync, unsigned, a < b ? b : a)
DIOPI_EMULATION_WARP_REDUCE(__reduce_add_sync, int,
                            static_cast<int>(static_cast<unsigned>(a) + static_cast<unsigned>(b)))
DIOPI_EMULATION_WARP_REDUCE(__reduce_min_sync, int, a < b ? a : b)
DIOPI_EMULATION_WARP_REDUCE(__reduce_max_sync, int, a < b ? b : a)
DIOPI_EMULATION_WARP_REDUCE(__reduce_and_sync, unsigned, a& b)
DIOPI_EMULATION_WARP_REDUCE(__reduce_or_sync, unsigned, a | b)
DIOPI_EMULATION_WARP_REDUCE(__reduce_xor_sync, unsigned, a ^ b)
#undef DIOPI_EMULATION_WARP_REDUCE
// NOLINTEND(bugprone-reserved-identifier)

#endif  // DIOPI_EMULATION_WARP_HPP_
