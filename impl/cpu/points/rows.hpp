// SPDX-License-Identifier: BSD-3-Clause
// Moves and sums elements of packed rows through indices, which the caller has checked.
#ifndef IMPL_CPU_POINTS_ROWS_HPP_
#define IMPL_CPU_POINTS_ROWS_HPP_

#include <cstdint>

#include "impl/common/dtype.hpp"

namespace impl::cpu {

// Rows of `width` elements in each of `batches` batches with `channels` rows. A batch has `picks` indices.
struct PickedRows {
  int64_t batches, channels, width, picks;
  const int32_t* index;  // [batches, picks]
};

// out[b, c, p] = in[b, c, index[b, p]], for elements of `itemsize` bytes.
void gather_rows(const PickedRows& rows, int itemsize, void* out, const void* in);
// sum[b, c, index[b, p]] += in[b, c, p], from zero, in the order of p. `dtype` is that of `in`, float32 or float64.
void add_rows(const PickedRows& rows, diopiDtype_t dtype, double* sum, const void* in);

// The same with three indices and their weights for each element: `picks` counts the elements, `index` and `weight` are
// [batches, picks, 3].
void interpolate_rows(const PickedRows& rows, diopiDtype_t dtype, void* out, const void* in, const void* weight);
void add_weighted_rows(const PickedRows& rows, diopiDtype_t dtype, double* sum, const void* in, const void* weight);

// Scores for the differences of points, in float32 or float64. Indices that are out of range have no effect.
struct ScoredPoints {
  int64_t batches, points, picks, neighbours, scores, width;  // the sizes B, N, npoint, K, M and out_dim
  const int64_t* index;                                       // [B, npoint, K]
  const void *point, *centre, *score;                         // [B, N, M, out_dim] twice, [B, npoint, K, M]
};

// out[b, n, k, o] = sum over m of score * (point - centre).
void score_points(const ScoredPoints& p, diopiDtype_t dtype, void* out);
// Adds to sums that are zero before; `grad` is [B, npoint, K, out_dim].
void score_points_backward(const ScoredPoints& p, diopiDtype_t dtype, const void* grad, double* grad_points,
                           double* grad_centers, double* grad_scores);

}  // namespace impl::cpu

#endif  // IMPL_CPU_POINTS_ROWS_HPP_
