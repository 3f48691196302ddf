// SPDX-License-Identifier: BSD-3-Clause
// The loop nest of an element-wise call: operands broadcast to one shape, dimensions sorted and merged.
#ifndef IMPL_CPU_ENGINE_ELEMENTWISE_PLAN_HPP_
#define IMPL_CPU_ENGINE_ELEMENTWISE_PLAN_HPP_

#include <algorithm>
#include <cstdint>

#include "impl/common/plan/loop_nest.hpp"
#include "impl/cpu/engine/cast/cast.hpp"
#include "impl/cpu/engine/elementwise/elementwise.hpp"

namespace impl::cpu::elementwise {

inline constexpr int kMaxOperands = kMaxInputs + kMaxOutputs;

using Nest = diopi::LoopNest<kMaxOperands>;
using Cursor = diopi::LoopCursor<Nest, 0>;

// One operand of the merged nest.
struct Operand {
  char* data = nullptr;
  int itemsize = 0;
  bool linear = false;    // packed over the whole nest
  bool scalar = false;    // one element for the whole nest
  bool repeats = false;   // all tiles are equal
  CastFn cast = nullptr;  // to (inputs) or from (outputs) the kernel's dtype; null if equal
  int kernel_size = 0;    // bytes per element in the kernel's dtype
};

struct Plan {
  const ElementwiseKernel* kernel = nullptr;
  Nest nest;  // at least one loop; strides in bytes
  int64_t numel = 0;
  int count = 0;         // outputs first, then inputs
  int64_t tile = 1;      // elements of one tile: whole rows of the innermost dimensions that fit into a block together
  int one = -1;          // the operand that is one element per row, if the kernel has a variant for it
  bool streams = false;  // results are too large to stay in a cache
  Operand op[kMaxOperands];

  int64_t inner() const { return nest[0].extent; }
  int64_t inner_stride(int k) const { return nest[0].stride[k]; }
};

// Plans the nest of one call. In `op`, the outputs come before the inputs.
void make_plan(const ElementwiseKernel& kernel, const TensorView* outputs, const TensorView* inputs, Plan* plan);

// The rows that are left in the loop around the innermost one, if the cursor is at the beginning of a row.
inline int64_t rows_left(const Cursor& at) { return at.left(1); }
// Advances by whole rows, at most rows_left().
inline void advance_rows(const Plan& plan, Cursor* at, int64_t rows) {
  plan.nest.n < 2 ? at->advance(plan.inner()) : at->advance(rows, 1);
}

// Calls f(address, row stride, rows) for each run of evenly spaced rows of operand k in the next n elements, and
// advances `at` by n. The elements must be whole rows.
template <typename F>
void for_planes(int k, const Plan& plan, Cursor* at, int64_t n, F&& f) {
  for (int64_t left = n / plan.inner(); left > 0;) {
    const int64_t rows = std::min(left, rows_left(*at));
    f(plan.op[k].data + at->offset(k), plan.nest.n < 2 ? 0 : plan.nest[1].stride[k], rows);
    advance_rows(plan, at, rows);
    left -= rows;
  }
}

}  // namespace impl::cpu::elementwise

#endif  // IMPL_CPU_ENGINE_ELEMENTWISE_PLAN_HPP_
