// SPDX-License-Identifier: BSD-3-Clause
// Products of small bfloat16 matrices with sums in float32 by AMX, the matrix unit of x86 processors.
#ifndef IMPL_CPU_BF16_AMX_HPP_
#define IMPL_CPU_BF16_AMX_HPP_

#include <cstdint>

#include "impl/common/error.hpp"

namespace impl::cpu {

// Rows, depth and columns of a product are multiples of these.
inline constexpr int64_t kAmxRows = 16, kAmxDepth = 32, kAmxCols = 16;
// The rows and columns of the sums that the tiles hold.
inline constexpr int64_t kAmxBlock = 32;

// out [rows, cols] = the sum of a[p] @ b[p] over the parts p; strides in elements. Both operands consist of panels, so
// that a tile is packed memory. An operand that is the same for all parts has the part stride 0.
struct AmxProduct {
  const uint16_t* a = nullptr;  // panels of kAmxDepth columns: [parts][depth / 32][rows][32]
  int64_t a_panel = 0, a_part = 0;
  const uint32_t* b = nullptr;      // panels of kAmxCols columns of pairs: [parts][cols / 16][depth / 2][16]
  int64_t b_panel = 0, b_part = 0;  // a pair is element 2 k of a column in the lower half, and 2 k + 1
  float* out = nullptr;
  int64_t out_row = 0;
  int64_t rows = 0, depth = 0, cols = 0, parts = 1;
  bool accumulate = false;  // adds the product times `scale` to `out`
  float scale = 1;
};

namespace internal {
enum class AmxUse { kAsFound, kOff, kEmulated };
extern AmxUse amx_use;
}  // namespace internal

// Whether this processor has AMX and the system lets this process use it; or what choose_amx() says.
bool has_amx_bf16();

// "off": no AMX. "emulated": other instructions compute what AMX does, slowly, also on processors without it; the
// kernels must be allowed to use AVX-512. A null or empty choice changes nothing. It must be called while no kernel
// runs. initLibrary() passes the value of DIOPI_CPU_AMX.
diopi::Status choose_amx(const char* choice);

// While an object lives, this thread may call amx_product(). There is one at a time, and nothing else may use AMX.
class AmxTiles {
 public:
  AmxTiles();
  ~AmxTiles();
  AmxTiles(const AmxTiles&) = delete;
  AmxTiles& operator=(const AmxTiles&) = delete;
};

void amx_product(const AmxProduct& product);

// Products that are computed step by step, one after the other. The matrix unit works on a step while the caller
// computes something else.
class AmxQueue {
 public:
  void add(const AmxProduct& product);
  // Computes until `part` of `parts` equal parts of all steps are done.
  void run(int64_t part, int64_t parts);

 private:
  static constexpr int kMost = 2;
  AmxProduct products_[kMost];
  int count_ = 0, current_ = 0;
  int64_t row_ = 0, col_ = 0, depth_ = 0;  // of the next step
  int64_t steps_ = 0, done_ = 0;
  float sums_[kAmxBlock * kAmxBlock];  // where AMX is emulated
};

}  // namespace impl::cpu

#endif  // IMPL_CPU_BF16_AMX_HPP_
