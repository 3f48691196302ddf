// SPDX-License-Identifier: BSD-3-Clause
#include "impl/cpu/bf16/amx_emulation.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

namespace impl::cpu {

namespace {

float without_subnormal(float x) {
  return std::fabs(x) < std::numeric_limits<float>::min() ? std::copysign(0.0f, x) : x;
}

float widened(uint32_t bits) {
  const uint32_t word = bits << 16;
  float value;
  std::memcpy(&value, &word, sizeof(value));
  return without_subnormal(value);
}

// The sum of kAmxDepth products of a row of `a` and a column of pairs.
float add_terms(float sum, const uint16_t* a, const uint32_t* pairs) {
  float even = 0, odd = 0;
  for (int64_t k = 0; k < kAmxDepth; k += 2, pairs += kAmxCols) {
    even = without_subnormal(std::fma(widened(a[k]), widened(*pairs & 0xFFFF), even));
    odd = without_subnormal(std::fma(widened(a[k + 1]), widened(*pairs >> 16), odd));
  }
  return without_subnormal(sum + without_subnormal(even + odd));
}

}  // namespace

void emulate_amx_step(const AmxProduct& p, int64_t row, int64_t col, int64_t depth, int64_t rows, int64_t cols,
                      float* sums) {
  if (depth == 0) std::fill_n(sums, kAmxBlock * kAmxBlock, 0.0f);
  const uint16_t* a = p.a + depth / kAmxDepth * p.a_panel + row * kAmxDepth;
  const uint32_t* b = p.b + col / kAmxCols * p.b_panel + depth / 2 * kAmxCols;
  for (int64_t part = 0; part < p.parts; ++part, a += p.a_part, b += p.b_part) {
    for (int64_t r = 0; r < rows * kAmxRows; ++r) {
      for (int64_t c = 0; c < cols * kAmxCols; ++c) {
        sums[r * kAmxBlock + c] =
            add_terms(sums[r * kAmxBlock + c], a + r * kAmxDepth, b + c / kAmxCols * p.b_panel + c % kAmxCols);
      }
    }
  }
  if (depth + kAmxDepth < p.depth) return;
  for (int64_t r = 0; r < rows * kAmxRows; ++r) {
    float* out = p.out + (row + r) * p.out_row + col;
    for (int64_t c = 0; c < cols * kAmxCols; ++c) {
      out[c] = p.accumulate ? std::fma(sums[r * kAmxBlock + c], p.scale, out[c]) : sums[r * kAmxBlock + c];
    }
  }
}

}  // namespace impl::cpu
