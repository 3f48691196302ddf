// Philox 4x32-10 on vectors of counter blocks, for every target. Included once per target by philox.cpp.
#if defined(DIOPI_CPU_KERNELS_PHILOX_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef DIOPI_CPU_KERNELS_PHILOX_INL_H_
#undef DIOPI_CPU_KERNELS_PHILOX_INL_H_
#else
#define DIOPI_CPU_KERNELS_PHILOX_INL_H_
#endif

#include <hwy/highway.h>

#include <cstdint>
#include <cstring>

HWY_BEFORE_NAMESPACE();
namespace impl::cpu {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

template <class D, class V = hn::Vec<D>>
HWY_INLINE V multiply([[maybe_unused]] D d, uint32_t factor, V x) {
#if HWY_TARGET == HWY_SCALAR
  return hn::Set(d, uint64_t{factor} * static_cast<uint32_t>(hn::GetLane(x)));
#else
  const hn::Repartition<uint32_t, D> d32;
  return hn::MulEven(hn::Set(d32, factor), hn::BitCast(d32, x));
#endif
}

// The four words of as many blocks as there are lanes. Each word lives in the low half of a 64-bit lane; the upper
// halves are never cleaned, because MulEven does not read them.
template <class D, class V = hn::Vec<D>>
HWY_INLINE void philox_round(D d, V key0, V key1, V& c0, V& c1, V& c2, V& c3) {
  const V p0 = multiply(d, 0xD2511F53u, c0);
  const V p1 = multiply(d, 0xCD9E8D57u, c2);
  c0 = hn::Xor(hn::Xor(hn::ShiftRight<32>(p1), c1), key0);
  c2 = hn::Xor(hn::Xor(hn::ShiftRight<32>(p0), c3), key1);
  c1 = p1;
  c3 = p0;
}

template <class D, class V = hn::Vec<D>>
HWY_INLINE void store_blocks(D d, V c0, V c1, V c2, V c3, uint64_t* words) {
  const V mask = hn::Set(d, uint64_t{0xFFFFFFFF});
  const V first = hn::Or(hn::And(c0, mask), hn::ShiftLeft<32>(c1));
  const V second = hn::Or(hn::And(c2, mask), hn::ShiftLeft<32>(c3));
  hn::StoreInterleaved2(first, second, d, words);
}

// Two vectors of blocks at a time: their multiplications overlap.
template <class D>
HWY_INLINE void philox_two_vectors(D d, uint64_t seed, uint64_t block, uint64_t* words) {
  using V = hn::Vec<D>;
  const auto lanes = static_cast<uint64_t>(hn::Lanes(d));
  V a0 = hn::Iota(d, block), b0 = hn::Iota(d, block + lanes);
  V a1 = hn::ShiftRight<32>(a0), b1 = hn::ShiftRight<32>(b0);
  V a2 = hn::Zero(d), a3 = hn::Zero(d), b2 = hn::Zero(d), b3 = hn::Zero(d);
  auto key0 = static_cast<uint32_t>(seed), key1 = static_cast<uint32_t>(seed >> 32);
  for (int round = 0; round < 10; ++round) {
    const V k0 = hn::Set(d, uint64_t{key0}), k1 = hn::Set(d, uint64_t{key1});
    philox_round(d, k0, k1, a0, a1, a2, a3);
    philox_round(d, k0, k1, b0, b1, b2, b3);
    key0 += 0x9E3779B9u;
    key1 += 0xBB67AE85u;
  }
  store_blocks(d, a0, a1, a2, a3, words);
  store_blocks(d, b0, b1, b2, b3, words + 2 * lanes);
}

void philox_blocks(uint64_t seed, uint64_t block, int64_t blocks, uint32_t* words) {
  const hn::ScalableTag<uint64_t> d;
  const auto step = 2 * static_cast<int64_t>(hn::Lanes(d));
  int64_t i = 0;
  for (; i + step <= blocks; i += step) {
    philox_two_vectors(d, seed, block + static_cast<uint64_t>(i), reinterpret_cast<uint64_t*>(words + i * 4));
  }
  if (i < blocks) {
    HWY_ALIGN uint64_t rest[4 * HWY_MAX_BYTES / sizeof(uint64_t)];
    philox_two_vectors(d, seed, block + static_cast<uint64_t>(i), rest);
    std::memcpy(words + i * 4, rest, static_cast<size_t>(blocks - i) * 16);
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace impl::cpu
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
