// SPDX-License-Identifier: BSD-3-Clause
// Atomics with exactly CUDA's overloads: relaxed, and atomic towards all threads and the host.
#ifndef DIOPI_EMULATION_ATOMICS_HPP_
#define DIOPI_EMULATION_ATOMICS_HPP_

#include <diopi_emulation/thread.hpp>

#include <cstdint>
#include <cstring>

namespace diopi::emulation {

template <size_t N>
struct Word;
template <>
struct Word<2> {
  using type = uint16_t;
};
template <>
struct Word<4> {
  using type = uint32_t;
};
template <>
struct Word<8> {
  using type = uint64_t;
};

// Replaces *address by change(*address); returns what it was.
template <typename T, typename F>
T update(T* address, Site site, F&& change) {
  using Bits = typename Word<sizeof(T)>::type;
  if (reinterpret_cast<uintptr_t>(address) % sizeof(T) != 0) misuse(site, "the address of an atomic is not aligned");
  Bits* const word = reinterpret_cast<Bits*>(address);
  Bits seen = __atomic_load_n(word, __ATOMIC_RELAXED);
  for (;;) {
    T old;
    std::memcpy(static_cast<void*>(&old), &seen, sizeof(T));
    const T next = change(old);
    Bits wanted;
    std::memcpy(&wanted, &next, sizeof(T));
    if (__atomic_compare_exchange_n(word, &seen, wanted, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) return old;
  }
}

}  // namespace diopi::emulation

// NOLINTBEGIN(google-runtime-int): CUDA declares these functions with these words.
#define DIOPI_EMULATION_ATOMIC(name, type, result)                                                    \
  inline type name(type* address, type value, DIOPI_EMULATION_SITE) {                                 \
    return ::diopi::emulation::update(address, {file, line},                                          \
                                      [value]([[maybe_unused]] type old) -> type { return result; }); \
  }
#define DIOPI_EMULATION_ATOMIC_BITS(type)                            \
  DIOPI_EMULATION_ATOMIC(atomicMin, type, value < old ? value : old) \
  DIOPI_EMULATION_ATOMIC(atomicMax, type, old < value ? value : old) \
  DIOPI_EMULATION_ATOMIC(atomicAnd, type, old& value)                \
  DIOPI_EMULATION_ATOMIC(atomicOr, type, old | value)                \
  DIOPI_EMULATION_ATOMIC(atomicXor, type, old ^ value)               \
  DIOPI_EMULATION_ATOMIC(atomicExch, type, value)
DIOPI_EMULATION_ATOMIC_BITS(int)
DIOPI_EMULATION_ATOMIC_BITS(unsigned int)
DIOPI_EMULATION_ATOMIC_BITS(unsigned long long)
DIOPI_EMULATION_ATOMIC(atomicMin, long long, value < old ? value : old)
DIOPI_EMULATION_ATOMIC(atomicMax, long long, old < value ? value : old)
DIOPI_EMULATION_ATOMIC(atomicAnd, long long, old& value)
DIOPI_EMULATION_ATOMIC(atomicOr, long long, old | value)
DIOPI_EMULATION_ATOMIC(atomicXor, long long, old ^ value)
DIOPI_EMULATION_ATOMIC(atomicExch, float, value)
DIOPI_EMULATION_ATOMIC(atomicAdd, int, static_cast<int>(static_cast<unsigned>(old) + static_cast<unsigned>(value)))
DIOPI_EMULATION_ATOMIC(atomicSub, int, static_cast<int>(static_cast<unsigned>(old) - static_cast<unsigned>(value)))
DIOPI_EMULATION_ATOMIC(atomicAdd, unsigned int, old + value)
DIOPI_EMULATION_ATOMIC(atomicSub, unsigned int, old - value)
DIOPI_EMULATION_ATOMIC(atomicAdd, unsigned long long, old + value)
DIOPI_EMULATION_ATOMIC(atomicAdd, float, old + value)
DIOPI_EMULATION_ATOMIC(atomicAdd, double, old + value)
DIOPI_EMULATION_ATOMIC(atomicInc, unsigned int, old >= value ? 0 : old + 1)
DIOPI_EMULATION_ATOMIC(atomicDec, unsigned int, old == 0 || old > value ? value : old - 1)
#undef DIOPI_EMULATION_ATOMIC_BITS
#undef DIOPI_EMULATION_ATOMIC

#define DIOPI_EMULATION_CAS(type)                                                                       \
  inline type atomicCAS(type* address, type expected, type value, DIOPI_EMULATION_SITE) {               \
    return ::diopi::emulation::update(address, {file, line},                                            \
                                      [=](type old) -> type { return old == expected ? value : old; }); \
  }
DIOPI_EMULATION_CAS(int)
DIOPI_EMULATION_CAS(unsigned short)
DIOPI_EMULATION_CAS(unsigned int)
DIOPI_EMULATION_CAS(unsigned long long)
#undef DIOPI_EMULATION_CAS
// NOLINTEND(google-runtime-int)

#endif  // DIOPI_EMULATION_ATOMICS_HPP_
