// SPDX-License-Identifier: BSD-3-Clause
// The loop nest of an element-wise call: operands broadcast to one shape, dimensions sorted and merged.
#ifndef IMPL_CPU_ENGINE_ELEMENTWISE_PLAN_HPP_
#define IMPL_CPU_ENGINE_ELEMENTWISE_PLAN_HPP_

#include <algorithm>
#include <cstdint>

#include "impl/cpu/engine/cast/cast.hpp"
#include "impl/cpu/engine/elementwise/elementwise.hpp"

namespace impl::cpu::elementwise {

inline constexpr int kMaxOperands = kMaxInputs + kMaxOutputs;

// One operand of the merged loop nest; strides in bytes, innermost dimension last.
struct Operand {
  char* data = nullptr;
  int itemsize = 0;
  bool linear = false;   // packed over the whole nest
  bool scalar = false;   // one element for the whole nest
  bool repeats = false;  // all tiles are equal
  int64_t stride[diopi::kMaxDims];
  CastFn cast = nullptr;  // to (inputs) or from (outputs) the kernel's dtype; null if equal
  int kernel_size = 0;    // bytes per element in the kernel's dtype
};

struct Plan {
  const ElementwiseKernel* kernel = nullptr;
  int ndim = 0;
  int64_t shape[diopi::kMaxDims];
  int64_t numel = 0;
  int count = 0;         // outputs first, then inputs
  int64_t tile = 1;      // elements of one tile: whole rows of the innermost dimensions that fit into a block together
  int one = -1;          // the operand that is one element per row, if the kernel has a variant for it
  bool streams = false;  // results are too large to stay in a cache
  Operand op[kMaxOperands];

  int64_t inner() const { return shape[ndim - 1]; }
};

// Plans the nest of one call. In `op`, the outputs come before the inputs.
void make_plan(const ElementwiseKernel& kernel, const TensorView* outputs, const TensorView* inputs, Plan* plan);

// A position in a range of the nest, which moves in row-major order. Each thread has its own.
class Walker {
 public:
  Walker(const Plan& plan, int64_t begin) : plan_(plan) {
    for (int i = plan.ndim - 1; i >= 0; --i) {
      index_[i] = begin % plan.shape[i];
      begin /= plan.shape[i];
    }
  }

  int64_t row_left() const { return plan_.inner() - index_[plan_.ndim - 1]; }

  char* address(const Operand& op) const {
    char* p = op.data;
    for (int i = 0; i < plan_.ndim; ++i) p += index_[i] * op.stride[i];
    return p;
  }

  // Advances by n <= row_left().
  void advance(int64_t n) { advance(plan_.ndim - 1, n); }

  // Only at the beginning of a row: the number of rows left in the dimension before the innermost; advances by some of
  // them.
  int64_t rows_left() const { return plan_.ndim < 2 ? 1 : plan_.shape[plan_.ndim - 2] - index_[plan_.ndim - 2]; }
  void advance_rows(int64_t rows) { advance(std::max(0, plan_.ndim - 2), plan_.ndim < 2 ? plan_.inner() : rows); }

 private:
  void advance(int i, int64_t n) {
    index_[i] += n;
    while (i > 0 && index_[i] == plan_.shape[i]) {
      index_[i] = 0;
      ++index_[--i];
    }
  }

  const Plan& plan_;
  int64_t index_[diopi::kMaxDims];
};

// Calls f(address, row stride, rows) for each run of evenly spaced rows of `op` in the next n elements, and advances
// `at` by n. The elements must be whole rows.
template <typename F>
void for_planes(const Operand& op, const Plan& plan, Walker* at, int64_t n, F&& f) {
  for (int64_t left = n / plan.inner(); left > 0;) {
    const int64_t rows = std::min(left, at->rows_left());
    f(at->address(op), plan.ndim < 2 ? 0 : op.stride[plan.ndim - 2], rows);
    at->advance_rows(rows);
    left -= rows;
  }
}

}  // namespace impl::cpu::elementwise

#endif  // IMPL_CPU_ENGINE_ELEMENTWISE_PLAN_HPP_
