// SPDX-License-Identifier: BSD-3-Clause
// What a vendor implements for point clouds. The formulas are those of the registry (mmcv_points).
//
// Families have checked dtypes and shapes, and that the elements of outputs have different addresses; no two tensors of
// a call share memory. Points and features are floating point. The vendor checks counts and, except as the comments
// say, indices: it returns refuse_count(), refuse_counts() or refuse_index() before the first write, or reports the
// error later, but never reads or writes out of bounds. Of equal distances the lowest index wins. Sums over indices are
// made in their order, in float64. Results do not depend on the number of threads.
#ifndef IMPL_COMMON_ENGINE_POINTS_HPP_
#define IMPL_COMMON_ENGINE_POINTS_HPP_

#include "impl/common/rules/indices.hpp"
#include "impl/common/tensor_view.hpp"

namespace diopi {

// The error for a number of rows that is negative.
inline Status refuse_count(const TensorView& counts, int64_t value, int64_t position) {
  return fail(diopiErrorOccurred, "%s holds %lld at position %lld, expected at least 0", counts.name,
              static_cast<long long>(value), static_cast<long long>(position));
}

// The error for numbers of rows whose sum is larger than the rows of `stacked`.
inline Status refuse_counts(const TensorView& counts, int64_t sum, const TensorView& stacked) {
  return fail(diopiErrorOccurred, "%s adds up to %lld, expected at most the %lld rows of %s of shape %s", counts.name,
              static_cast<long long>(sum), static_cast<long long>(stacked.shape[0]), stacked.name,
              Text(stacked.shape).c_str());
}

// A tensor with the rows of several batches, and the number of rows of each. Rows beyond the sum of the counts belong
// to the last batch.
struct StackedRows {
  const TensorView &rows, &counts;
};

// The inputs of scores for the differences of points. An index out of range has no effect.
struct AssignScoreProblem {
  const TensorView &points, &centers, &scores, &index;
};

struct ChamferProblem {
  const TensorView &dist1, &dist2, &idx1, &idx2;
  const TensorView &xyz1, &xyz2;
};

struct ChamferBackwardProblem {
  const TensorView &grad_xyz1, &grad_xyz2;
  const TensorView &xyz1, &xyz2, &idx1, &idx2, &grad_dist1, &grad_dist2;
};

}  // namespace diopi

namespace impl::DIOPI_VENDOR {

using diopi::AssignScoreProblem;
using diopi::ChamferBackwardProblem;
using diopi::ChamferProblem;
using diopi::StackedRows;
using diopi::Status;
using diopi::TensorView;

Status assign_score(diopiContextHandle_t ctx, const AssignScoreProblem& p, const TensorView& out);
Status assign_score_backward(diopiContextHandle_t ctx, const AssignScoreProblem& p, const TensorView& grad_out,
                             const TensorView& grad_points, const TensorView& grad_centers,
                             const TensorView& grad_scores);

// out[b, c, p...] = points[b, c, index[b, p...]], and its gradient: the sums of the elements of `grad_out` that have an
// index. `out` and `index` have the same dimensions from the second one of `index` on.
Status gather_points(diopiContextHandle_t ctx, const TensorView& out, const TensorView& points,
                     const TensorView& index);
Status gather_points_backward(diopiContextHandle_t ctx, const TensorView& grad_points, const TensorView& grad_out,
                              const TensorView& index);
// out[p, c, s] = the row index[p, s] of the batch of p, 0 if the index is out of range.
Status gather_stacked(diopiContextHandle_t ctx, const TensorView& out, const StackedRows& features,
                      const StackedRows& index);
Status gather_stacked_backward(diopiContextHandle_t ctx, const StackedRows& grad_features, const TensorView& grad_out,
                               const StackedRows& index);
// out[b, c, i] = sum over j of weight[b, i, j] * points[b, c, index[b, i, j]].
Status interpolate_points(diopiContextHandle_t ctx, const TensorView& out, const TensorView& points,
                          const TensorView& index, const TensorView& weight);
Status interpolate_points_backward(diopiContextHandle_t ctx, const TensorView& grad_points, const TensorView& grad_out,
                                   const TensorView& index, const TensorView& weight);

// The points whose squared distance from a centre is 0, or in [min_square, max_square).
Status ball_query(diopiContextHandle_t ctx, const TensorView& index, const TensorView& centers,
                  const TensorView& points, float min_square, float max_square);
// The points of the batch of each centre whose squared distance is below `max_square`.
Status ball_query_stacked(diopiContextHandle_t ctx, const TensorView& index, const StackedRows& centers,
                          const StackedRows& points, float max_square);
// The nearest points with a squared distance below `limit`; other places hold the index 0 and the distance `limit`.
Status nearest_points(diopiContextHandle_t ctx, const TensorView& index, const TensorView& distance,
                      const TensorView& centers, const TensorView& points, double limit);
Status chamfer_distance(diopiContextHandle_t ctx, const ChamferProblem& p);
Status chamfer_distance_backward(diopiContextHandle_t ctx, const ChamferBackwardProblem& p);

// `least` has the squared distance of each point to those picked so far. It limits the distances and is updated.
Status furthest_points(diopiContextHandle_t ctx, const TensorView& index, const TensorView& least,
                       const TensorView& points);
Status furthest_points_by_distance(diopiContextHandle_t ctx, const TensorView& index, const TensorView& least,
                                   const TensorView& distance);

// The first box that contains a point, or -1; and for each box, whether it contains the point.
Status first_box_around(diopiContextHandle_t ctx, const TensorView& out, const TensorView& boxes,
                        const TensorView& points);
Status boxes_around(diopiContextHandle_t ctx, const TensorView& out, const TensorView& boxes, const TensorView& points);
Status polygons_around(diopiContextHandle_t ctx, const TensorView& out, const TensorView& points,
                       const TensorView& polygons);

}  // namespace impl::DIOPI_VENDOR

#endif  // IMPL_COMMON_ENGINE_POINTS_HPP_
