// Row and block kernels of the normalisations; computed in float32 or float64.
#pragma once

#include "impl/cpu/kernels/elementwise.hpp"
#include "impl/cpu/kernels/rows.hpp"

namespace impl::cpu {

enum class NormRow {
  kMoments,        // x -> mean, sum of squared deviations (float64, one per row each)
  kGradSums,       // dy, x, mean (one per row) -> sum dy, sum dy (x - mean) (float64, one per row each)
  kNormalize,      // x; one per row each: mean, scale, shift -> (x - mean) scale + shift
  kGradInput,      // dy, x; one per row each: mean, a, b, scale -> dy scale - a - (x - mean) b
  kLayer,          // x [, weight] [, bias] -> y, mean, rstd; params: LayerParams
  kLayerBackward,  // dy, x, mean, rstd [, weight] -> dx; params: LayerParams
};

struct LayerParams {
  double eps;
  bool has_weight;
  bool has_bias;
};

// Null where `dtype` is neither float32 nor float64.
RowFn norm_row_kernel(NormRow op, diopiDtype_t dtype);

enum class NormBlock {
  kNormalize,   // x, mean, scale, shift, element by element
  kGradInput,   // dy, x, mean, a, b, scale
  kGradWeight,  // dy, x, mean, rstd -> dy (x - mean) rstd
};

BlockFn norm_block_kernel(NormBlock op, diopiDtype_t dtype);

// Mean and sum of squared deviations of two disjoint sets together.
struct Moments {
  double count = 0, mean = 0, m2 = 0;
  void add(double other_count, double other_mean, double other_m2) {
    const double total = count + other_count;
    if (total == 0) return;
    const double delta = other_mean - mean;
    mean += delta * (other_count / total);
    m2 += other_m2 + delta * delta * (count * other_count / total);
    count = total;
  }
};

}  // namespace impl::cpu
