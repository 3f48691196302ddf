// SPDX-License-Identifier: BSD-3-Clause
// Point clouds of mmcv: sampling, grouping, neighbours and membership. impl/<vendor>/functions/mmcv_points.cpp includes
// this file.
#ifndef IMPL_COMMON_FAMILIES_MMCV_POINTS_HPP_
#define IMPL_COMMON_FAMILIES_MMCV_POINTS_HPP_

#include "arguments/mmcv_points.hpp"
#include "impl/common/engine/points.hpp"
#include "impl/common/families/outputs.hpp"

namespace impl::DIOPI_VENDOR {

inline Status run(diopiContextHandle_t ctx, diopi::AssignScoreWithkMmcvArgs& args) {
  DIOPI_TRY(diopi::require_writable(args.output));
  return assign_score(ctx, {args.points, args.centers, args.scores, args.knn_idx}, args.output);
}

inline Status run(diopiContextHandle_t ctx, diopi::AssignScoreWithkBackwardMmcvArgs& args) {
  DIOPI_TRY(diopi::require_writable({&args.grad_points, &args.grad_centers, &args.grad_scores}));
  return assign_score_backward(ctx, {args.points, args.centers, args.scores, args.knn_idx}, args.grad_out,
                               args.grad_points, args.grad_centers, args.grad_scores);
}

inline Status run(diopiContextHandle_t ctx, diopi::BallQueryMmcvArgs& args) {
  DIOPI_TRY(diopi::require_writable(args.idx));
  return ball_query(ctx, args.idx, args.center_xyz, args.xyz, args.min_radius * args.min_radius,
                    args.max_radius * args.max_radius);
}

inline Status run(diopiContextHandle_t ctx, diopi::StackBallQueryMmcvArgs& args) {
  DIOPI_TRY(diopi::require_writable(args.idx));
  return ball_query_stacked(ctx, args.idx, {args.center_xyz, args.center_xyz_batch_cnt}, {args.xyz, args.xyz_batch_cnt},
                            args.max_radius * args.max_radius);
}

inline Status run(diopiContextHandle_t ctx, diopi::FurthestPointSamplingMmcvArgs& args) {
  DIOPI_TRY(diopi::require_writable({&args.temp_tensor, &args.idx_tensor}));
  return furthest_points(ctx, args.idx_tensor, args.temp_tensor, args.points_xyz);
}

inline Status run(diopiContextHandle_t ctx, diopi::FurthestPointSamplingWithDistMmcvArgs& args) {
  DIOPI_TRY(diopi::require_writable({&args.temp_tensor, &args.idx_tensor}));
  return furthest_points_by_distance(ctx, args.idx_tensor, args.temp_tensor, args.points_dist);
}

inline Status run(diopiContextHandle_t ctx, diopi::GatherPointsMmcvArgs& args) {
  DIOPI_TRY(diopi::require_writable(args.out));
  return gather_points(ctx, args.out, args.points, args.idx);
}

inline Status run(diopiContextHandle_t ctx, diopi::GatherPointsBackwardMmcvArgs& args) {
  DIOPI_TRY(diopi::require_writable(args.grad_points));
  return gather_points_backward(ctx, args.grad_points, args.grad_out, args.idx);
}

inline Status run(diopiContextHandle_t ctx, diopi::GroupPointsMmcvArgs& args) {
  DIOPI_TRY(diopi::require_writable(args.out));
  return gather_points(ctx, args.out, args.points, args.idx);
}

inline Status run(diopiContextHandle_t ctx, diopi::GroupPointsBackwardMmcvArgs& args) {
  DIOPI_TRY(diopi::require_writable(args.grad_points));
  return gather_points_backward(ctx, args.grad_points, args.grad_out, args.idx);
}

inline Status run(diopiContextHandle_t ctx, diopi::StackGroupPointsMmcvArgs& args) {
  DIOPI_TRY(diopi::require_writable(args.out_tensor));
  return gather_stacked(ctx, args.out_tensor, {args.features_tensor, args.features_batch_cnt_tensor},
                        {args.idx_tensor, args.idx_batch_cnt_tensor});
}

inline Status run(diopiContextHandle_t ctx, diopi::StackGroupPointsBackwardMmcvArgs& args) {
  DIOPI_TRY(diopi::require_writable(args.grad_features_tensor));
  return gather_stacked_backward(ctx, {args.grad_features_tensor, args.features_batch_cnt_tensor}, args.grad_out_tensor,
                                 {args.idx_tensor, args.idx_batch_cnt_tensor});
}

inline Status run(diopiContextHandle_t ctx, diopi::KnnMmcvArgs& args) {
  constexpr double kFarthest = 1e10;
  DIOPI_TRY(diopi::require_writable({&args.idx_tensor, &args.dist2_tensor}));
  return nearest_points(ctx, args.idx_tensor, args.dist2_tensor, args.new_xyz_tensor, args.xyz_tensor, kFarthest);
}

inline Status run(diopiContextHandle_t ctx, diopi::ThreeNnMmcvArgs& args) {
  constexpr double kFarthest = 1e40;
  DIOPI_TRY(diopi::require_writable({&args.idx, &args.dist2}));
  return nearest_points(ctx, args.idx, args.dist2, args.unknown, args.known, kFarthest);
}

inline Status run(diopiContextHandle_t ctx, diopi::PointsInBoxesPartMmcvArgs& args) {
  DIOPI_TRY(diopi::require_writable(args.box_idx_of_points));
  return first_box_around(ctx, args.box_idx_of_points, args.boxes, args.pts);
}

inline Status run(diopiContextHandle_t ctx, diopi::PointsInBoxesAllMmcvArgs& args) {
  DIOPI_TRY(diopi::require_writable(args.box_idx_of_points));
  return boxes_around(ctx, args.box_idx_of_points, args.boxes, args.pts);
}

inline Status run(diopiContextHandle_t ctx, diopi::ThreeInterpolateMmcvArgs& args) {
  DIOPI_TRY(diopi::require_writable(args.out));
  return interpolate_points(ctx, args.out, args.points, args.idx, args.weight);
}

inline Status run(diopiContextHandle_t ctx, diopi::ThreeInterpolateBackwardMmcvArgs& args) {
  DIOPI_TRY(diopi::require_writable(args.grad_points));
  return interpolate_points_backward(ctx, args.grad_points, args.grad_out, args.idx, args.weight);
}

inline Status run(diopiContextHandle_t ctx, diopi::PointsInPolygonsMmcvArgs& args) {
  DIOPI_TRY(diopi::require_writable(args.output));
  return polygons_around(ctx, args.output, args.points, args.polygons);
}

inline Status run(diopiContextHandle_t ctx, diopi::ChamferDistanceMmcvArgs& args) {
  DIOPI_TRY(diopi::require_writable({&args.dist1, &args.dist2, &args.idx1, &args.idx2}));
  return chamfer_distance(ctx, {args.dist1, args.dist2, args.idx1, args.idx2, args.xyz1, args.xyz2});
}

inline Status run(diopiContextHandle_t ctx, diopi::ChamferDistanceBackwardMmcvArgs& args) {
  DIOPI_TRY(diopi::require_writable({&args.grad_xyz1, &args.grad_xyz2}));
  return chamfer_distance_backward(ctx, {args.grad_xyz1, args.grad_xyz2, args.xyz1, args.xyz2, args.idx1, args.idx2,
                                         args.grad_dist1, args.grad_dist2});
}

}  // namespace impl::DIOPI_VENDOR

#include "functions/mmcv_points.hpp"

#endif  // IMPL_COMMON_FAMILIES_MMCV_POINTS_HPP_
