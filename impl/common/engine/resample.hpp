// SPDX-License-Identifier: BSD-3-Clause
// What a vendor implements for interpolation of images to another size, and for sampling at given coordinates.
#ifndef IMPL_COMMON_ENGINE_RESAMPLE_HPP_
#define IMPL_COMMON_ENGINE_RESAMPLE_HPP_

#include "impl/common/tensor_view.hpp"

namespace diopi {

enum class Interpolation { kNearest, kLinear, kCubic };

// An interpolation along the last `spatial` dimensions. Output position x of n reads around input position
// (x + 0.5) * m / n - 0.5 of m, or x * (m - 1) / (n - 1) if corners are aligned; for kNearest at x * m / n, rounded
// down, where the quotient m / n and the product are computed in float32.
//   kLinear: between two positions. A coordinate below 0 counts as 0, and a position behind the last one as the last.
//     If m = n, the value is multiplied by 1, and added to itself multiplied by 0.
//   kCubic: between four positions, by cubic convolution with the parameter -0.75. Positions outside count as the
//   border.
struct Resampling {
  Interpolation kind = Interpolation::kNearest;
  bool align_corners = false;
  int spatial = 0;
  // [N, C, spatial...] of any strides, of one dtype, with at least one element.
  TensorView from, to;
};

// Samples of an input [N, C, spatial...] at coordinates [N, positions..., 2 or 3], x first. A coordinate of -1 is the
// outer edge of the first element, and 1 that of the last one: the position is ((coordinate + 1) * extent - 1) / 2,
// computed in the dtype of the coordinates, or float32 for float16 and bfloat16. Elements outside count as 0, and so
// does a sample at a coordinate that is NaN or infinite.
struct GridSampling {
  Interpolation kind = Interpolation::kLinear;  // kNearest rounds halves to even; kCubic only for two dimensions
  TensorView out, in, grid;                     // of any strides, of one dtype; `out` has at least one element
};

}  // namespace diopi

namespace impl::DIOPI_VENDOR {

using diopi::GridSampling;
using diopi::Interpolation;
using diopi::Resampling;
using diopi::Status;
using diopi::TensorView;

// Numbers are computed in float32, those of float64 in float64, and rounded once. Tensors do not overlap.
Status run_resample(diopiContextHandle_t ctx, const Resampling& call);
// Writes the gradient of `from` for `to` as the gradient of the output.
Status run_resample_backward(diopiContextHandle_t ctx, const Resampling& call);
Status run_grid_sample(diopiContextHandle_t ctx, const GridSampling& call);

}  // namespace impl::DIOPI_VENDOR

#endif  // IMPL_COMMON_ENGINE_RESAMPLE_HPP_
