/* SPDX-License-Identifier: BSD-3-Clause */
// Products of bfloat16 rows of queries with a tile of keys or values by AVX512_BF16. For other dtypes and processors
// the classes refuse, and the caller computes with float32 numbers.
#if defined(IMPL_CPU_ATTENTION_BF16_DOTS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef IMPL_CPU_ATTENTION_BF16_DOTS_INL_H_
#undef IMPL_CPU_ATTENTION_BF16_DOTS_INL_H_
#else
#define IMPL_CPU_ATTENTION_BF16_DOTS_INL_H_
#endif

#include <hwy/highway.h>

#include "impl/cpu/attention/bf16_tiles-inl.h"
#include "impl/cpu/bf16/dot.hpp"

HWY_BEFORE_NAMESPACE();
namespace impl::cpu {
namespace HWY_NAMESPACE {

// Rows of queries. take() returns false if they cannot be multiplied.
template <typename S>
struct DotRows {
  void carve(Carver* /*carver*/, int64_t /*head_size*/) {}
  bool take(const S* /*rows*/, int64_t /*stride*/, int64_t /*count*/) { return false; }
};

// A tile of keys or values. take() returns false if it cannot be multiplied.
template <typename S>
struct DotTile {
  void carve(Carver* /*carver*/, int64_t /*head_size*/) {}
  bool take(const AttentionCall& /*c*/, const HeadRows& /*x*/, int64_t /*b*/, int64_t /*head*/, int64_t /*key*/,
            int64_t /*n*/) {
    return false;
  }
  // out [rows, kKeyTile] = rows @ the keys `used`, which begin at a vector's limit.
  void multiply(const DotRows<S>& /*rows*/, const Seen& /*used*/, ComputeOf<S>* /*out*/) const {}
};

#if IMPL_CPU_ATTENTION_AMX

template <>
struct DotRows<diopi::bfloat16> {
  uint16_t* data = nullptr;  // [kGradientTile][row], filled up with zeros
  int64_t size = 0, row = 0, count = 0;

  void carve(Carver* carver, int64_t head_size) {
    size = head_size;
    row = padded(head_size, kAmxDepth);
    data = carver->take<uint16_t>(kGradientTile * row);
  }
  bool take(const diopi::bfloat16* rows, int64_t stride, int64_t n) {
    count = n;
    copy_rows(rows, stride, n, size, data, row);
    return all_normal(data, n * row);
  }
};

template <>
struct DotTile<diopi::bfloat16> {
  uint16_t* lines = nullptr;  // [kKeyTile][row]
  uint32_t* pairs = nullptr;  // pairs along the head, in panels
  int64_t row = 0;

  void carve(Carver* carver, int64_t head_size) {
    row = padded(head_size, kAmxDepth);
    lines = carver->take<uint16_t>(kKeyTile * row);
    pairs = carver->take<uint32_t>(row / 2 * kKeyTile);
  }
  bool take(const AttentionCall& c, const HeadRows& x, int64_t b, int64_t head, int64_t key, int64_t n) {
    if (row == 0 || !has_dot_bf16()) return false;
    const int64_t columns = padded(n, kAmxCols);
    copy_keys(c, x, b, head, key, n, lines, row, columns);
    if (!all_normal(lines, n * row)) return false;
    pair_columns(lines, row, columns, pairs);
    return true;
  }
  void multiply(const DotRows<diopi::bfloat16>& rows, const Seen& used, float* out) const {
    static_assert(kDotCols == kAmxCols);
    DotProduct p;
    p.a = rows.data;
    p.a_row = row;
    p.b = pairs + used.begin * row / 2;
    p.b_panel = kDotCols * row / 2;
    p.out = out + used.begin;
    p.out_row = kKeyTile;
    p.rows = rows.count;
    p.depth = row;
    p.cols = padded(used.end - used.begin, kDotCols);
    dot_product(p);
  }
};

#endif  // IMPL_CPU_ATTENTION_AMX

}  // namespace HWY_NAMESPACE
}  // namespace impl::cpu
HWY_AFTER_NAMESPACE();

#endif  // include guard
