/* SPDX-License-Identifier: BSD-3-Clause */
// Tiles of bfloat16 operands for products by AMX. Weights of the forward pass are rounded to bfloat16. Weights and
// gradients of scores of the backward pass are float32 numbers: each is the sum of three bfloat16 numbers, so no digit
// of it is lost.
#if defined(IMPL_CPU_ATTENTION_BF16_TILES_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef IMPL_CPU_ATTENTION_BF16_TILES_INL_H_
#undef IMPL_CPU_ATTENTION_BF16_TILES_INL_H_
#else
#define IMPL_CPU_ATTENTION_BF16_TILES_INL_H_
#endif

#include <hwy/highway.h>

#include <cstring>

#include "impl/cpu/attention/scores-inl.h"
#include "impl/cpu/engine/copy/transpose.hpp"
#include "impl/cpu/bf16/amx.hpp"
#include "impl/cpu/matmul/interleave-inl.h"
#include "impl/cpu/simd/half_loops-inl.h"

// AMX comes with AVX-512.
#undef IMPL_CPU_ATTENTION_AMX
#if HWY_ARCH_X86 && HWY_TARGET <= HWY_AVX3
#define IMPL_CPU_ATTENTION_AMX 1
#else
#define IMPL_CPU_ATTENTION_AMX 0
#endif

#if IMPL_CPU_ATTENTION_AMX
HWY_BEFORE_NAMESPACE();
namespace impl::cpu {
namespace HWY_NAMESPACE {

// Queries whose scores are computed together, and the parts of a number in the backward pass.
inline constexpr int64_t kAmxQueries = 32, kAmxParts = 3;

HWY_INLINE int64_t padded(int64_t n, int64_t step) { return (n + step - 1) / step * step; }

// Copies rows of `size` elements, and fills them up to `row` elements with zeros.
HWY_NOINLINE inline void copy_rows(const diopi::bfloat16* src, int64_t stride, int64_t rows, int64_t size,
                                   uint16_t* dst, int64_t row) {
  for (int64_t r = 0; r < rows; ++r) {
    std::memcpy(dst + r * row, src + r * stride, size * sizeof(uint16_t));
    std::fill_n(dst + r * row + size, row - size, uint16_t{0});
  }
}

// Copies rows of `size` elements to panels of kAmxDepth columns and `padded_rows` rows, and fills these with zeros.
HWY_NOINLINE inline void pack_rows_bf16(const diopi::bfloat16* src, int64_t stride, int64_t rows, int64_t size,
                                        uint16_t* dst, int64_t padded_rows) {
  for (int64_t d = 0; d < size; d += kAmxDepth, dst += padded_rows * kAmxDepth) {
    copy_rows(src + d, stride, rows, std::min(kAmxDepth, size - d), dst, kAmxDepth);
    std::fill_n(dst + rows * kAmxDepth, (padded_rows - rows) * kAmxDepth, uint16_t{0});
  }
}

// The keys or values [key, key + n) of a head as rows of `row` elements, with zero rows up to `padded_rows`.
HWY_NOINLINE inline void copy_keys(const AttentionCall& c, const HeadRows& x, int64_t b, int64_t head, int64_t key,
                                   int64_t n, uint16_t* rows, int64_t row, int64_t padded_rows) {
  for_key_runs<diopi::bfloat16>(c, x, b, head, key, n, [&](int64_t first, int64_t count, const diopi::bfloat16* src) {
    copy_rows(src, x.row, count, c.head_size, rows + first * row, row);
  });
  std::fill_n(rows + n * row, (padded_rows - n) * row, uint16_t{0});
}

// Whether each of n elements is 0 or a normal number; n is a multiple of kAmxDepth. AMX takes subnormal numbers for 0,
// and a part of a weight that is 0 must not meet an infinite number or NaN.
HWY_NOINLINE inline bool all_normal(const uint16_t* x, int64_t n) {
  const hn::ScalableTag<uint16_t> d;
  const auto no_sign = hn::Set(d, 0x7FFF), one = hn::Set(d, 1);
  auto most = hn::Zero(d), least = hn::Set(d, 0xFFFF);
  for (int64_t i = 0; i < n; i += kAmxDepth) {
    const auto size = hn::And(hn::Load(d, x + i), no_sign);
    most = hn::Max(most, size);
    least = hn::Min(least, hn::Sub(size, one));  // 0 becomes the greatest number
  }
  const auto finite = hn::Lt(most, hn::Set(d, 0x7F80)), normal = hn::Gt(least, hn::Set(d, 0x7E));
  return hn::AllTrue(d, hn::And(finite, normal));
}

// Panels of kAmxCols rows: pairs[r / 16][d / 2][r % 16] = elements d and d + 1 of row r.
HWY_NOINLINE inline void pair_columns(const uint16_t* rows, int64_t row, int64_t count, uint32_t* pairs) {
  constexpr int64_t kPair = sizeof(uint32_t), kElement = sizeof(uint16_t);
  const TransposeFn transpose = transpose_function(kPair);
  for (int64_t r = 0; r < count; r += kAmxCols) {
    transpose(reinterpret_cast<char*>(pairs + r * row / 2), kAmxCols * kPair,
              reinterpret_cast<const char*>(rows + r * row), row * kElement, kAmxCols, row / 2, false);
  }
}

// Panels of kAmxCols columns: pairs[d / 16][r / 2][d % 16] = element d of rows r and r + 1.
HWY_NOINLINE inline void pair_rows(const uint16_t* rows, int64_t row, int64_t count, uint32_t* pairs, int64_t panel) {
  for (int64_t r = 0; r < count; r += 2) {
    const uint16_t *even = rows + r * row, *odd = even + row;
    for (int64_t d = 0; d < row; d += kAmxCols) {
      interleave(even + d, odd + d, kAmxCols, pairs + d / kAmxCols * panel + r / 2 * kAmxCols);
    }
  }
}

// Numbers that are subnormal in bfloat16, or have such a part, are tiny. They are multiplied apart, with a scale.
enum class Weights { kOrdinary, kTiny };
inline constexpr float kTinyPart = 0x1p-103f, kTinyRounded = 0x1p-126f, kTinyScale = 0x1p100f;
HWY_INLINE float product_scale(Weights weights) { return weights == Weights::kTiny ? 1 / kTinyScale : 1; }

// Tells numbers of one kind from the others. Numbers below `limit` are tiny.
template <Weights kWeights>
class WeightFilter {
 public:
  using V = hn::Vec<hn::ScalableTag<float>>;
  HWY_INLINE explicit WeightFilter(float limit) : limit_(hn::Set(D(), limit)), left_out_(hn::Zero(D())) {}
  // The numbers of this kind; the others are 0.
  HWY_INLINE V operator()(V x) {
    const auto is_tiny = hn::Lt(hn::Abs(x), limit_);
    if constexpr (kWeights == Weights::kTiny) return hn::IfThenElseZero(is_tiny, hn::Mul(x, hn::Set(D(), kTinyScale)));
    const V kept = hn::IfThenZeroElse(is_tiny, x);
    left_out_ = hn::Or(left_out_, hn::Xor(x, kept));
    return kept;
  }
  // Whether a tiny number other than 0 was left out.
  HWY_INLINE bool has_tiny() const { return !hn::AllTrue(D(), hn::Eq(hn::Abs(left_out_), hn::Zero(D()))); }

 private:
  using D = hn::ScalableTag<float>;
  V limit_, left_out_;
};

// The next part of a number: its upper 16 bits. The rest of an infinite number is 0.
template <class V>
HWY_INLINE V next_part(V* rest) {
  const hn::ScalableTag<float> d;
  const hn::RebindToUnsigned<decltype(d)> du;
  const V part = hn::BitCast(d, hn::And(hn::BitCast(du, *rest), hn::Set(du, 0xFFFF0000u)));
  *rest = hn::IfThenElseZero(hn::IsFinite(part), hn::Sub(*rest, part));
  return part;
}

// parts[p][i / kAmxDepth][i % kAmxDepth] of n numbers, a multiple of kAmxDepth. `part` and `panel` are strides. Returns
// whether tiny numbers were left out.
template <Weights kWeights>
HWY_NOINLINE bool split_numbers(const float* x, int64_t n, uint16_t* parts, int64_t part, int64_t panel) {
  const hn::ScalableTag<float> d;
  const hn::Repartition<uint16_t, decltype(d)> d16;
  const int64_t lanes = static_cast<int64_t>(hn::Lanes(d));
  WeightFilter<kWeights> filter(kTinyPart);
  for (int64_t i = 0; i < n; i += kAmxDepth, parts += panel) {
    auto low = filter(hn::Load(d, x + i)), high = filter(hn::Load(d, x + i + lanes));
    for (int64_t p = 0; p < kAmxParts; ++p) {
      const auto a = hn::BitCast(d16, next_part(&low)), b = hn::BitCast(d16, next_part(&high));
      hn::Store(hn::ConcatOdd(d16, b, a), d16, parts + p * part);
    }
  }
  return filter.has_tiny();
}

// rounded[i / kAmxDepth][i % kAmxDepth] of n numbers, a multiple of kAmxDepth. `panel` is a stride. Returns whether
// tiny numbers were left out.
template <Weights kWeights>
HWY_NOINLINE bool round_numbers(const float* x, int64_t n, uint16_t* rounded, int64_t panel) {
  const hn::ScalableTag<float> d;
  const int64_t lanes = static_cast<int64_t>(hn::Lanes(d));
  WeightFilter<kWeights> filter(kTinyRounded);
  for (int64_t i = 0; i < n; i += kAmxDepth, rounded += panel) {
    const auto first = filter(hn::Load(d, x + i)), second = filter(hn::Load(d, x + i + lanes));
    store_two(first, second, reinterpret_cast<diopi::bfloat16*>(rounded));
  }
  return filter.has_tiny();
}

}  // namespace HWY_NAMESPACE
}  // namespace impl::cpu
HWY_AFTER_NAMESPACE();
#endif  // IMPL_CPU_ATTENTION_AMX

#endif  // include guard
