// SPDX-License-Identifier: BSD-3-Clause
// Row kernels of layer normalisation, and of normalisation by the root mean square. x, y and their gradients have any
// floating point dtype; all other operands have the compute dtype.
#ifndef IMPL_CPU_NORM_LAYER_HPP_
#define IMPL_CPU_NORM_LAYER_HPP_

#include "impl/cpu/engine/rows/row_engine.hpp"

namespace impl::cpu {

struct LayerParams {
  double eps;
  bool has_weight;
  bool has_bias;
};

// x [, weight] [, bias] -> y, mean, rstd; params: LayerParams.
RowFn layer_norm_kernel(diopiDtype_t dtype);
// The same for rows of 1 to layer_norm_short_row(false) elements; null if the dtype is not computed in float32.
RowsFn layer_norm_rows_kernel(diopiDtype_t dtype);
int64_t layer_norm_short_row(bool gradient);

// dy, x, mean, rstd [, weight] -> [dx,] [sum of dy (x - mean) rstd,] [sum of dy]; params: LayerGradients. The sums have
// one element for each position in the row; the kernel adds to them.
struct LayerGradients {
  bool has_weight;
  bool wants_input, wants_weight, wants_bias;
};
RowFn layer_norm_backward_kernel(diopiDtype_t dtype);
// The same for rows of 1 to layer_norm_short_row(true) elements; null if the dtype is not computed in float32.
RowsFn layer_norm_backward_rows_kernel(diopiDtype_t dtype);

// The same without means: x [, weight] [, bias] -> y [, inv_rms]; dy, x, inv_rms [, weight] -> [dx,] [sums,] [sums].
struct RmsParams {
  double eps;
  bool has_weight, has_bias, wants_inv_rms;
};
RowFn rms_norm_kernel(diopiDtype_t dtype);
// The same for rows of 1 to rms_norm_short_row(dtype) elements; null if the dtype is not computed in float32.
RowsFn rms_norm_rows_kernel(diopiDtype_t dtype);
int64_t rms_norm_short_row(diopiDtype_t dtype);
RowFn rms_norm_backward_kernel(diopiDtype_t dtype);

// x, residual, scale [, bias] -> residual, y; params: RmsParams, in which only `eps` and `has_bias` count. The outputs
// may be the inputs.
RowFn add_rms_norm_kernel(diopiDtype_t dtype);

}  // namespace impl::cpu

#endif  // IMPL_CPU_NORM_LAYER_HPP_
