/* SPDX-License-Identifier: BSD-3-Clause */
// Philox 4x32-10 on vectors of counter blocks. philox.cpp includes this file once per target.
#if defined(IMPL_CPU_RANDOM_PHILOX_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef IMPL_CPU_RANDOM_PHILOX_INL_H_
#undef IMPL_CPU_RANDOM_PHILOX_INL_H_
#else
#define IMPL_CPU_RANDOM_PHILOX_INL_H_
#endif

#include <hwy/highway.h>

#include <cstdint>
#include <cstring>

HWY_BEFORE_NAMESPACE();
namespace impl::cpu {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// The four words of one block per lane. Each word is in the low half of a 64-bit lane. The upper halves have any value,
// because MulEven does not read them.
template <class V>
struct PhiloxState {
  V c0, c1, c2, c3;
};

template <class D, class V = hn::Vec<D>>
HWY_INLINE V multiply([[maybe_unused]] D d, uint32_t factor, V x) {
#if HWY_TARGET == HWY_SCALAR
  return hn::Set(d, uint64_t{factor} * static_cast<uint32_t>(hn::GetLane(x)));
#else
  const hn::Repartition<uint32_t, D> d32;
  return hn::MulEven(hn::Set(d32, factor), hn::BitCast(d32, x));
#endif
}

template <class D, class V = hn::Vec<D>>
HWY_INLINE void philox_round(D d, V key0, V key1, PhiloxState<V>& s) {
  const V p0 = multiply(d, 0xD2511F53u, s.c0);
  const V p1 = multiply(d, 0xCD9E8D57u, s.c2);
  s.c0 = hn::Xor(hn::Xor(hn::ShiftRight<32>(p1), s.c1), key0);
  s.c2 = hn::Xor(hn::Xor(hn::ShiftRight<32>(p0), s.c3), key1);
  s.c1 = p1;
  s.c3 = p0;
}

// A round waits for the multiplications of the round before it, so the rounds of some vectors overlap. Targets with 32
// registers keep the words of four vectors in them.
constexpr int kPhiloxVectors = HWY_MAX_BYTES >= 64 ? 4 : 2;

// `iota` is 0, 1, 2, ...
template <class D, class V>
HWY_INLINE void philox_vectors(D d, V iota, uint64_t seed, uint64_t block, uint64_t* words) {
  const auto lanes = static_cast<uint64_t>(hn::Lanes(d));
  PhiloxState<V> states[kPhiloxVectors];
  for (PhiloxState<V>& s : states) {
    const V counter = hn::Add(hn::Set(d, block), iota);
    s = {counter, hn::ShiftRight<32>(counter), hn::Zero(d), hn::Zero(d)};
    block += lanes;
  }
  auto key0 = static_cast<uint32_t>(seed), key1 = static_cast<uint32_t>(seed >> 32);
  for (int round = 0; round < 10; ++round) {
    const V k0 = hn::Set(d, uint64_t{key0}), k1 = hn::Set(d, uint64_t{key1});
    for (PhiloxState<V>& s : states) philox_round(d, k0, k1, s);
    key0 += 0x9E3779B9u;
    key1 += 0xBB67AE85u;
  }
  const V mask = hn::Set(d, uint64_t{0xFFFFFFFF});
  for (const PhiloxState<V>& s : states) {
    const V first = hn::Or(hn::And(s.c0, mask), hn::ShiftLeft<32>(s.c1));
    const V second = hn::Or(hn::And(s.c2, mask), hn::ShiftLeft<32>(s.c3));
    hn::StoreInterleaved2(first, second, d, words);
    words += 2 * lanes;
  }
}

void PhiloxBlocks(uint64_t seed, uint64_t block, int64_t blocks, uint32_t* words) {
  const hn::ScalableTag<uint64_t> d;
  const auto iota = hn::Iota(d, 0);
  const auto step = kPhiloxVectors * static_cast<int64_t>(hn::Lanes(d));
  int64_t i = 0;
  for (; i + step <= blocks; i += step) {
    philox_vectors(d, iota, seed, block + static_cast<uint64_t>(i), reinterpret_cast<uint64_t*>(words + i * 4));
  }
  if (i < blocks) {
    HWY_ALIGN uint64_t rest[2 * kPhiloxVectors * HWY_MAX_BYTES / sizeof(uint64_t)];
    philox_vectors(d, iota, seed, block + static_cast<uint64_t>(i), rest);
    std::memcpy(words + i * 4, rest, static_cast<size_t>(blocks - i) * 16);
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace impl::cpu
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
