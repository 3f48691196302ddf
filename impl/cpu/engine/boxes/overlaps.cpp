// SPDX-License-Identifier: BSD-3-Clause
// Overlaps of pairs of boxes.
#include "impl/cpu/engine/boxes/boxes.hpp"
#include "impl/common/parallel.hpp"
#include "impl/cpu/engine/points/packed.hpp"
#include "impl/cpu/geometry/upright.hpp"

namespace impl::cpu {

namespace {

// out[i, j] = f(first[i], second[j]), or f(first[i], second[i]) if `aligned`. `pair` is the time of one call.
template <typename Box, typename F>
void for_pairs(const Box* first, int64_t rows, const Box* second, int64_t columns, bool aligned, int64_t pair,
               double* out, const F& f) {
  const int64_t per_row = aligned ? 1 : columns;
  diopi::parallel_for(rows * per_row, diopi::Picoseconds{pair}, [=, &f](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) out[i] = f(first[i / per_row], second[aligned ? i : i % per_row]);
  });
}

// The overlaps of boxes that read(values) makes from a row of doubles and whose shared area is shared(a, b).
template <typename Box, typename Read, typename Shared>
Status overlaps(diopiContextHandle_t ctx, const BoxPairs& pairs, int64_t pair, const Read& read, const Shared& shared) {
  const Box *first = nullptr, *second = nullptr;
  PackedOutput out;
  DIOPI_TRY(read_boxes(ctx, pairs.first, read, &first));
  DIOPI_TRY(read_boxes(ctx, pairs.second, read, &second));
  DIOPI_TRY(out.prepare(ctx, pairs.out, diopi_dtype_float64));
  if (pairs.out.numel == 0) return diopiSuccess;
  const bool over_first = pairs.over_first;
  for_pairs(first, pairs.first.shape[0], second, pairs.second.shape[0], pairs.aligned, pair, out.data<double>(),
            [over_first, &shared](const Box& a, const Box& b) {
              const double area = shared(a, b), of_a = area_of(a);
              return area == 0 ? 0.0 : area / (over_first ? of_a : of_a + area_of(b) - area);
            });
  out.write_back();
  return diopiSuccess;
}

}  // namespace

Status upright_overlaps(diopiContextHandle_t ctx, const BoxPairs& pairs, double offset) {
  if (pairs.out.numel == 0) return diopiSuccess;
  const diopiDtype_t dtype = diopi::compute_dtype(pairs.out.dtype);
  TensorView first, second;
  PackedOutput out;
  DIOPI_TRY(pack_input(ctx, pairs.first, dtype, &first));
  DIOPI_TRY(pack_planes(ctx, pairs.second, dtype, &second));
  DIOPI_TRY(out.prepare(ctx, pairs.out, dtype));
  upright_overlaps(
      {first.data, second.data, pairs.first.shape[0], pairs.second.shape[0], offset, pairs.over_first, pairs.aligned},
      dtype, out.data<void>());
  out.write_back();
  return diopiSuccess;
}

Status rotated_overlaps(diopiContextHandle_t ctx, const BoxPairs& pairs) {
  constexpr int64_t kPair = 150000;
  return overlaps<TurnedBox>(ctx, pairs, kPair, turned_box,
                             [](const TurnedBox& a, const TurnedBox& b) { return shared_area(a, b); });
}

Status quadrilateral_overlaps(diopiContextHandle_t ctx, const BoxPairs& pairs) {
  constexpr int64_t kPair = 400000;
  return overlaps<Quadrilateral>(ctx, pairs, kPair, quadrilateral, shared_hull_area);
}

Status overlaps_from_above(diopiContextHandle_t ctx, const TensorView& out, const TensorView& first,
                           const TensorView& second) {
  constexpr int64_t kPair = 400000;
  const TurnedBox *a = nullptr, *b = nullptr;
  PackedOutput result;
  DIOPI_TRY(read_boxes(ctx, first, box_from_above, &a));
  DIOPI_TRY(read_boxes(ctx, second, box_from_above, &b));
  DIOPI_TRY(result.prepare(ctx, out, diopi_dtype_float64));
  for_pairs(a, first.shape[0], b, second.shape[0], false, kPair, result.data<double>(),
            [](const TurnedBox& p, const TurnedBox& q) { return shared_area_with_margin(p, q, kMarginFromAbove); });
  result.write_back();
  return diopiSuccess;
}

}  // namespace impl::cpu
