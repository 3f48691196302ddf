// SPDX-License-Identifier: BSD-3-Clause
#include "impl/cpu/bf16/amx.hpp"

#include <algorithm>
#include <cstring>

#include <hwy/targets.h>

#include "impl/cpu/bf16/amx_emulation.hpp"

#if defined(__x86_64__) && defined(__linux__)

#include <cpuid.h>
#include <immintrin.h>
#include <sys/syscall.h>
#include <unistd.h>

#define IMPL_CPU_AMX __attribute__((target("avx512f,amx-tile,amx-bf16")))
#endif

namespace impl::cpu {

namespace {

using StepFn = void (*)(const AmxProduct& p, int64_t row, int64_t col, int64_t depth);

#if defined(IMPL_CPU_AMX)

static_assert(kAmxBlock == 2 * kAmxRows && kAmxBlock == 2 * kAmxCols);
constexpr int64_t kTile = kAmxRows * kAmxCols;  // sums of a tile
constexpr int64_t kTileRow = 64;                // bytes of a row of a tile

// All eight tiles have 16 rows of 64 bytes.
struct alignas(64) TileConfig {
  uint8_t palette = 1, start_row = 0, reserved[14] = {};
  uint16_t row_bytes[16] = {64, 64, 64, 64, 64, 64, 64, 64};
  uint8_t rows[16] = {16, 16, 16, 16, 16, 16, 16, 16};
};
constexpr TileConfig kConfig;

// A process asks the system once for the use of the tiles.
bool ask_for_tiles() {
  constexpr unsigned kTilesAndBf16 = 1u << 24 | 1u << 22;
  constexpr int kRequestPermission = 0x1023, kTileData = 18;  // ARCH_REQ_XCOMP_PERM, XFEATURE_XTILEDATA
  unsigned eax = 0, ebx = 0, ecx = 0, edx = 0;
  if (__get_cpuid_count(7, 0, &eax, &ebx, &ecx, &edx) == 0 || (edx & kTilesAndBf16) != kTilesAndBf16) return false;
  return syscall(SYS_arch_prctl, kRequestPermission, kTileData) == 0;
}

IMPL_CPU_AMX void configure() { _tile_loadconfig(&kConfig); }
IMPL_CPU_AMX void release() { _tile_release(); }

IMPL_CPU_AMX void add_tile(const float* sums, float scale, float* out, int64_t out_row) {
  const __m512 by = _mm512_set1_ps(scale);
  for (int64_t r = 0; r < kAmxRows; ++r) {
    float* to = out + r * out_row;
    _mm512_storeu_ps(to, _mm512_fmadd_ps(_mm512_load_ps(sums + r * kAmxCols), by, _mm512_loadu_ps(to)));
  }
}

// Adds a part of one step in depth to the sums. The tiles 0 to 3 hold the sums of kRows x kCols tiles of `out`, 4 and 5
// are rows of a, 6 and 7 columns of b.
template <int kRows, int kCols>
IMPL_CPU_AMX inline void multiply_rows_of_a(const uint16_t* a) {
  _tile_loadd(4, a, kTileRow);
  _tile_dpbf16ps(0, 4, 6);
  if constexpr (kCols == 2) _tile_dpbf16ps(1, 4, 7);
  if constexpr (kRows == 2) {
    _tile_loadd(5, a + kAmxRows * kAmxDepth, kTileRow);
    _tile_dpbf16ps(2, 5, 6);
    if constexpr (kCols == 2) _tile_dpbf16ps(3, 5, 7);
  }
}
template <int kCols>
IMPL_CPU_AMX inline void load_columns_of_b(const AmxProduct& p, const uint32_t* b) {
  _tile_loadd(6, b, kTileRow);
  if constexpr (kCols == 2) _tile_loadd(7, b + p.b_panel, kTileRow);
}

template <int kRows, int kCols>
IMPL_CPU_AMX void store_sums(const AmxProduct& p, float* out) {
  alignas(64) float sums[4 * kTile];
  const bool add = p.accumulate;
  const int64_t sums_stride = (add ? kAmxCols : p.out_row) * 4;
  float* lower = out + kAmxRows * p.out_row;
  _tile_stored(0, add ? sums : out, sums_stride);
  if constexpr (kCols == 2) _tile_stored(1, add ? sums + kTile : out + kAmxCols, sums_stride);
  if constexpr (kRows == 2) _tile_stored(2, add ? sums + 2 * kTile : lower, sums_stride);
  if constexpr (kRows == 2 && kCols == 2) _tile_stored(3, add ? sums + 3 * kTile : lower + kAmxCols, sums_stride);
  if (!add) return;
  add_tile(sums, p.scale, out, p.out_row);
  if constexpr (kCols == 2) add_tile(sums + kTile, p.scale, out + kAmxCols, p.out_row);
  if constexpr (kRows == 2) add_tile(sums + 2 * kTile, p.scale, lower, p.out_row);
  if constexpr (kRows == 2 && kCols == 2) add_tile(sums + 3 * kTile, p.scale, lower + kAmxCols, p.out_row);
}

// Adds kAmxDepth terms to the sums of kRows x kCols tiles.
template <int kRows, int kCols>
IMPL_CPU_AMX void multiply_step(const AmxProduct& p, int64_t row, int64_t col, int64_t depth) {
  const uint16_t* a = p.a + depth / kAmxDepth * p.a_panel + row * kAmxDepth;
  const uint32_t* b = p.b + col / kAmxCols * p.b_panel + depth / 2 * kAmxCols;
  if (depth == 0) {
    _tile_zero(0);
    _tile_zero(1);
    _tile_zero(2);
    _tile_zero(3);
  }
  load_columns_of_b<kCols>(p, b);
  multiply_rows_of_a<kRows, kCols>(a);
  for (int64_t part = 1; part < p.parts; ++part) {
    if (p.b_part != 0) load_columns_of_b<kCols>(p, b + part * p.b_part);
    multiply_rows_of_a<kRows, kCols>(a + part * p.a_part);
  }
  if (depth + kAmxDepth == p.depth) store_sums<kRows, kCols>(p, p.out + row * p.out_row + col);
}

StepFn step_function(bool two_rows, bool two_cols) {
  if (two_rows) return two_cols ? multiply_step<2, 2> : multiply_step<2, 1>;
  return two_cols ? multiply_step<1, 2> : multiply_step<1, 1>;
}

#else

bool ask_for_tiles() { return false; }
void configure() {}
void release() {}
StepFn step_function(bool /*two_rows*/, bool /*two_cols*/) { return nullptr; }

#endif

int64_t blocks(int64_t n) { return (n + kAmxBlock - 1) / kAmxBlock; }

}  // namespace

namespace internal {
AmxUse amx_use = AmxUse::kAsFound;
}  // namespace internal

using internal::amx_use;
using internal::AmxUse;

diopi::Status choose_amx(const char* choice) {
  if (choice == nullptr || *choice == '\0') return diopiSuccess;
  const bool emulated = std::strcmp(choice, "emulated") == 0;
  DIOPI_REQUIRE(emulated || std::strcmp(choice, "off") == 0, diopiErrorOccurred,
                "DIOPI_CPU_AMX = %.32s is neither off nor emulated", choice);
  DIOPI_REQUIRE(!emulated || (hwy::SupportedTargets() & HWY_AVX3) != 0, diopiErrorOccurred,
                "DIOPI_CPU_AMX = emulated needs AVX-512, which this processor or DIOPI_CPU_ISA does not allow");
  amx_use = emulated ? AmxUse::kEmulated : AmxUse::kOff;
  return diopiSuccess;
}

bool has_amx_bf16() {
  if (amx_use != AmxUse::kAsFound) return amx_use == AmxUse::kEmulated;
  static const bool kHas = ask_for_tiles();
  return kHas;
}

AmxTiles::AmxTiles() {
  if (amx_use == AmxUse::kAsFound) configure();
}
AmxTiles::~AmxTiles() {
  if (amx_use == AmxUse::kAsFound) release();
}

void AmxQueue::add(const AmxProduct& product) {
  products_[count_++] = product;
  steps_ += blocks(product.rows) * blocks(product.cols) * (product.depth / kAmxDepth);
}

void AmxQueue::run(int64_t part, int64_t parts) {
  asm volatile("" ::: "memory");  // the loads of tiles do not tell the compiler what they read
  for (const int64_t end = steps_ * part / parts; done_ < end; ++done_) {
    const AmxProduct& p = products_[current_];
    const bool two_rows = row_ + kAmxRows < p.rows, two_cols = col_ + kAmxCols < p.cols;
    if (amx_use == AmxUse::kEmulated) {
      emulate_amx_step(p, row_, col_, depth_, two_rows ? 2 : 1, two_cols ? 2 : 1, sums_);
    } else {
      const StepFn step = step_function(two_rows, two_cols);
      step(p, row_, col_, depth_);
    }
    if ((depth_ += kAmxDepth) < p.depth) continue;
    depth_ = 0;
    if ((col_ += kAmxBlock) < p.cols) continue;
    col_ = 0;
    if ((row_ += kAmxBlock) < p.rows) continue;
    row_ = 0;
    ++current_;
  }
}

void amx_product(const AmxProduct& product) {
  AmxQueue queue;
  queue.add(product);
  queue.run(1, 1);
}

}  // namespace impl::cpu
