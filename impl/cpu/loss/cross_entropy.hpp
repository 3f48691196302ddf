// SPDX-License-Identifier: BSD-3-Clause
// Row kernels of cross entropy. A row holds the logits of all classes for one sample, in float32 or float64.
#ifndef IMPL_CPU_LOSS_CROSS_ENTROPY_HPP_
#define IMPL_CPU_LOSS_CROSS_ENTROPY_HPP_

#include "impl/cpu/engine/rows/row_engine.hpp"

namespace impl::cpu {

enum class CrossEntropyOp {
  kIndex,                // x, target (int64, one per row) [, weight] -> loss, target's weight (float64, one per row)
  kIndexBackward,        // x, target, g (one per row) [, weight] -> dx
  kProbability,          // x, target (a row) [, weight] -> loss (float64, one per row)
  kProbabilityBackward,  // x, target, g (one per row) [, weight] -> dx
};

struct CrossEntropyParams {
  bool has_weight = false;
  double label_smoothing = 0;
  int64_t ignore_index = -100;
  double scale = 1;       // factor of gradients: the inverse of the divisor of a mean
  double weight_sum = 0;  // sum over all classes
};

// Null if `dtype` is neither float32 nor float64. The caller has checked that each target is a class or `ignore_index`.
RowFn cross_entropy_kernel(CrossEntropyOp op, diopiDtype_t dtype);

// Rows in which the kernel can use all operands in place. Steps are in bytes, from row to row.
struct AdjacentRows {
  int64_t rows, classes;
  int num_outputs, num_inputs;
  char* out[2];
  int64_t out_step[2];
  const char* in[4];
  int64_t in_step[4];
};
void cross_entropy_rows(CrossEntropyOp op, diopiDtype_t dtype, const void* params, const AdjacentRows& rows);

// Rows of few classes are computed together: rows of so many, each in a lane of vectors, and rows of float32 of some
// vectors, four at a time. `in` and `out` are those of the row kernel.
inline constexpr int64_t kFewClasses = 16;
using FewClassesFn = void (*)(const AdjacentRows& rows, int64_t begin, int64_t end, const void* params);

}  // namespace impl::cpu

#endif  // IMPL_CPU_LOSS_CROSS_ENTROPY_HPP_
