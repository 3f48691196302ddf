// SPDX-License-Identifier: BSD-3-Clause
#include "impl/cpu/bf16/dot.hpp"

#if defined(__x86_64__)

#include <cpuid.h>
#include <immintrin.h>

#include <algorithm>
#include <cstring>

#define IMPL_CPU_DOT __attribute__((target("avx512f,avx512bw,avx512bf16")))

namespace impl::cpu {

namespace {

// A block of the result fits the registers: its sums, the columns and one pair of a row.
constexpr int kBlockRows = 6, kBlockPanels = 4;

bool ask_for_dots() {
  constexpr unsigned kAvx512f = 1u << 16, kAvx512Bf16 = 1u << 5;
  unsigned eax = 0, ebx = 0, ecx = 0, edx = 0;
  if (__get_cpuid_count(7, 0, &eax, &ebx, &ecx, &edx) == 0 || (ebx & kAvx512f) == 0) return false;
  return eax >= 1 && __get_cpuid_count(7, 1, &eax, &ebx, &ecx, &edx) != 0 && (eax & kAvx512Bf16) != 0;
}

template <int kRows, int kPanels>
IMPL_CPU_DOT void multiply_block(const DotProduct& p, const uint16_t* a, const uint32_t* b, float* out) {
  __m512 sums[kRows][kPanels];
#pragma GCC unroll 8
  for (int r = 0; r < kRows; ++r) {
#pragma GCC unroll 8
    for (int v = 0; v < kPanels; ++v) sums[r][v] = _mm512_setzero_ps();
  }
  for (int64_t k = 0; k < p.depth; k += 2, b += kDotCols) {
    __m512bh columns[kPanels];
#pragma GCC unroll 8
    for (int v = 0; v < kPanels; ++v) columns[v] = reinterpret_cast<__m512bh>(_mm512_loadu_si512(b + v * p.b_panel));
#pragma GCC unroll 8
    for (int r = 0; r < kRows; ++r) {
      int pair;
      std::memcpy(&pair, a + r * p.a_row + k, sizeof(pair));
      const __m512bh factor = reinterpret_cast<__m512bh>(_mm512_set1_epi32(pair));
#pragma GCC unroll 8
      for (int v = 0; v < kPanels; ++v) sums[r][v] = _mm512_dpbf16_ps(sums[r][v], factor, columns[v]);
    }
  }
#pragma GCC unroll 8
  for (int r = 0; r < kRows; ++r) {
#pragma GCC unroll 8
    for (int v = 0; v < kPanels; ++v) _mm512_storeu_ps(out + r * p.out_row + v * kDotCols, sums[r][v]);
  }
}

template <int kPanels>
void multiply_rows(const DotProduct& p, const uint32_t* b, float* out) {
  const uint16_t* a = p.a;
  int64_t rows = p.rows;
  for (; rows >= kBlockRows; rows -= kBlockRows, a += kBlockRows * p.a_row, out += kBlockRows * p.out_row) {
    multiply_block<kBlockRows, kPanels>(p, a, b, out);
  }
  for (; rows >= 2; rows -= 2, a += 2 * p.a_row, out += 2 * p.out_row) multiply_block<2, kPanels>(p, a, b, out);
  if (rows > 0) multiply_block<1, kPanels>(p, a, b, out);
}

}  // namespace

bool has_dot_bf16() {
  static const bool kHas = ask_for_dots();
  return kHas;
}

void dot_product(const DotProduct& p) {
  int64_t panel = 0;
  const int64_t panels = p.cols / kDotCols;
  for (; panel + kBlockPanels <= panels; panel += kBlockPanels) {
    multiply_rows<kBlockPanels>(p, p.b + panel * p.b_panel, p.out + panel * kDotCols);
  }
  for (; panel < panels; ++panel) multiply_rows<1>(p, p.b + panel * p.b_panel, p.out + panel * kDotCols);
}

}  // namespace impl::cpu

#else

namespace impl::cpu {

bool has_dot_bf16() { return false; }
void dot_product(const DotProduct& /*product*/) {}

}  // namespace impl::cpu

#endif
