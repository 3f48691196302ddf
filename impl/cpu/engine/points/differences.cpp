// SPDX-License-Identifier: BSD-3-Clause
// Scores for differences of points, and the gradients of distances.
#include "impl/common/parallel.hpp"
#include "impl/cpu/engine/copy/copy.hpp"
#include "impl/cpu/engine/points/packed.hpp"
#include "impl/cpu/points/rows.hpp"

namespace impl::cpu {

namespace {

// [B, out_dim, npoint, K] as [B, npoint, K, out_dim].
TensorView channels_last(const TensorView& view) { return view.transposed(1, 3).transposed(1, 2); }

// The operands of scores as kernels read them.
class PackedScores {
 public:
  Status prepare(diopiContextHandle_t ctx, const AssignScoreProblem& p, diopiDtype_t dtype) {
    DIOPI_TRY(pack_input(ctx, p.points, dtype, &points_));
    DIOPI_TRY(pack_input(ctx, p.centers, dtype, &centers_));
    DIOPI_TRY(pack_input(ctx, p.scores, dtype, &scores_));
    return pack_input(ctx, p.index, diopi_dtype_int64, &index_);
  }
  ScoredPoints points() const {
    return {points_.shape[0],
            points_.shape[1],
            index_.shape[1],
            index_.shape[2],
            points_.shape[2],
            points_.shape[3],
            index_.ptr<const int64_t>(),
            points_.data,
            centers_.data,
            scores_.data};
  }

 private:
  TensorView points_, centers_, scores_, index_;
};

}  // namespace

Status assign_score(diopiContextHandle_t ctx, const AssignScoreProblem& p, const TensorView& out) {
  const diopiDtype_t dtype = diopi::compute_dtype(p.points.dtype);
  PackedScores packed;
  PackedOutput result;
  DIOPI_TRY(packed.prepare(ctx, p, dtype));
  DIOPI_TRY(result.prepare(ctx, channels_last(out), dtype));
  score_points(packed.points(), dtype, result.data<void>());
  result.write_back();
  return diopiSuccess;
}

Status assign_score_backward(diopiContextHandle_t ctx, const AssignScoreProblem& p, const TensorView& grad_out,
                             const TensorView& grad_points, const TensorView& grad_centers,
                             const TensorView& grad_scores) {
  const diopiDtype_t dtype = diopi::compute_dtype(p.points.dtype);
  PackedScores packed;
  TensorView grad;
  PackedOutput sums[3];
  DIOPI_TRY(packed.prepare(ctx, p, dtype));
  DIOPI_TRY(pack_input(ctx, channels_last(grad_out), dtype, &grad));
  DIOPI_TRY(sums[0].prepare(ctx, grad_points, diopi_dtype_float64));
  DIOPI_TRY(sums[1].prepare(ctx, grad_centers, diopi_dtype_float64));
  DIOPI_TRY(sums[2].prepare(ctx, grad_scores, diopi_dtype_float64));
  for (const PackedOutput& sum : sums) fill_zero(sum.view());
  score_points_backward(packed.points(), dtype, grad.data, sums[0].data<double>(), sums[1].data<double>(),
                        sums[2].data<double>());
  for (const PackedOutput& sum : sums) sum.write_back();
  return diopiSuccess;
}

namespace {

// One set of the distance of two sets: its points, the number of the nearest point of the other set, and the gradient
// of the distance.
class ChamferSide {
 public:
  Status prepare(diopiContextHandle_t ctx, const TensorView& points, const TensorView& index, const TensorView& grad,
                 const TensorView& other) {
    DIOPI_TRY(pack_input(ctx, index, diopi_dtype_int32, &index_));
    if (other.numel > 0) DIOPI_TRY(require_positions(index_, index, other, 1));
    DIOPI_TRY(pack_input(ctx, points, diopi_dtype_float64, &points_));
    return pack_input(ctx, grad, diopi_dtype_float64, &grad_);
  }
  // Adds the gradients of batch `b` to those of both sets.
  void add(const ChamferSide& other, int64_t b, double* own_sum, double* other_sum) const {
    const int64_t count = points_.shape[1], others = other.points_.shape[1];
    if (others == 0) return;
    for (int64_t i = b * count; i < (b + 1) * count; ++i) {
      const int64_t nearest = b * others + index_.ptr<const int32_t>()[i];
      const double twice = 2 * grad_.ptr<const double>()[i];
      for (int dim = 0; dim < 2; ++dim) {
        const double *p = points_.ptr<const double>(), *q = other.points_.ptr<const double>();
        const double g = twice * (p[2 * i + dim] - q[2 * nearest + dim]);
        own_sum[2 * i + dim] += g;
        other_sum[2 * nearest + dim] -= g;
      }
    }
  }
  int64_t count() const { return points_.shape[1]; }

 private:
  TensorView points_, index_, grad_;
};

}  // namespace

Status chamfer_distance_backward(diopiContextHandle_t ctx, const ChamferBackwardProblem& p) {
  ChamferSide first, second;
  PackedOutput first_sum, second_sum;
  DIOPI_TRY(first.prepare(ctx, p.xyz1, p.idx1, p.grad_dist1, p.xyz2));
  DIOPI_TRY(second.prepare(ctx, p.xyz2, p.idx2, p.grad_dist2, p.xyz1));
  DIOPI_TRY(first_sum.prepare(ctx, p.grad_xyz1, diopi_dtype_float64));
  DIOPI_TRY(second_sum.prepare(ctx, p.grad_xyz2, diopi_dtype_float64));
  fill_zero(first_sum.view());
  fill_zero(second_sum.view());
  const diopi::Picoseconds each{4000 * (first.count() + second.count() + 1)};
  diopi::parallel_for(p.xyz1.shape[0], each, [&](int64_t begin, int64_t end) {
    for (int64_t b = begin; b < end; ++b) {
      first.add(second, b, first_sum.data<double>(), second_sum.data<double>());
      second.add(first, b, second_sum.data<double>(), first_sum.data<double>());
    }
  });
  first_sum.write_back();
  second_sum.write_back();
  return diopiSuccess;
}

}  // namespace impl::cpu
