// SPDX-License-Identifier: BSD-3-Clause
// What a vendor implements for points in three-dimensional boxes. Formulas and shapes are those of the registry;
// tensors have any strides. Results overlap no operand, and every element of them is written. Every tensor may be
// empty.
#ifndef IMPL_COMMON_ENGINE_ROI_POINTS_HPP_
#define IMPL_COMMON_ENGINE_ROI_POINTS_HPP_

#include "impl/common/tensor_view.hpp"

namespace diopi {

// `rois` [R, 7], `points` [P, 3] and `features` [P, C]; `stored` [R, X, Y, Z, V] and `argmax` are int32.
struct VoxelPoolProblem {
  const TensorView &argmax, &stored, &pooled;
  const TensorView &rois, &points, &features;
  bool maximum;  // otherwise the mean
};

// `points` [B, N, 3], `boxes` [B, M, 7], `features` [B, N, C]; `pooled` [B, M, S, 3 + C], `empty` [B, M] of int32.
struct PointSampleProblem {
  const TensorView &pooled, &empty;
  const TensorView &points, &boxes, &features;
};

}  // namespace diopi

namespace impl::DIOPI_VENDOR {

using diopi::PointSampleProblem;
using diopi::Status;
using diopi::TensorView;
using diopi::VoxelPoolProblem;

Status run_voxel_pool(diopiContextHandle_t ctx, const VoxelPoolProblem& p);
// `used` has the numbers of points: for the maximum the argmax [R, X, Y, Z, C], whose elements are points or -1; for
// the mean what run_voxel_pool() stored.
Status run_voxel_pool_backward(diopiContextHandle_t ctx, const TensorView& grad_input, const TensorView& grad_output,
                               const TensorView& used, bool maximum);
// Finds the first voxel, in row-major order, of `stored` that holds more points than it has room for, or fewer than 0,
// or a number that is no point below `points`. `*voxel` is -1 if there is none.
Status find_bad_voxel(diopiContextHandle_t ctx, const TensorView& stored, int64_t points, int64_t* voxel,
                      int64_t* value);
Status run_point_samples(diopiContextHandle_t ctx, const PointSampleProblem& p);

}  // namespace impl::DIOPI_VENDOR

#endif  // IMPL_COMMON_ENGINE_ROI_POINTS_HPP_
