// SPDX-License-Identifier: BSD-3-Clause
// Greedy suppression of boxes that are turned.
#include <algorithm>

#include "impl/cpu/engine/boxes/boxes.hpp"
#include "impl/cpu/engine/copy/copy.hpp"
#include "impl/cpu/geometry/nms.hpp"

namespace impl::cpu {

namespace {

// Boxes in the order of suppression, and memory for its result.
struct Candidates {
  const TurnedBox* boxes = nullptr;
  uint8_t* dropped = nullptr;
  int64_t* kept = nullptr;

  Status prepare(diopiContextHandle_t ctx, int64_t n) {
    diopi::Workspace workspace(ctx);
    DIOPI_TRY(workspace.take(n, &dropped));
    return workspace.take(n, &kept);
  }
};

// The area that two boxes share if they are not turned.
double upright_area(const TurnedBox& a, const TurnedBox& b) {
  const Point d = b.centre - a.centre;
  const double w = std::min(a.width / 2, d.x + b.width / 2) - std::max(-a.width / 2, d.x - b.width / 2);
  const double h = std::min(a.height / 2, d.y + b.height / 2) - std::max(-a.height / 2, d.y - b.height / 2);
  return std::max(w, 0.0) * std::max(h, 0.0);
}

// Keeps boxes of which no kept one before is_over(a, b).
template <typename IsOver>
int64_t suppress(const Candidates& c, int64_t n, int64_t pair, const IsOver& is_over) {
  std::fill_n(c.dropped, n, uint8_t{0});
  const TurnedBox* boxes = c.boxes;
  return greedy_suppression(n, diopi::Picoseconds{pair}, c.dropped, c.kept,
                            [boxes, &is_over](int64_t i, int64_t begin, int64_t end, uint8_t* dropped) {
                              for (int64_t j = begin; j < end; ++j) {
                                if (dropped[j] == 0 && is_over(boxes[i], boxes[j])) dropped[j] = 1;
                              }
                            });
}

}  // namespace

Status suppress_from_above(diopiContextHandle_t ctx, const TensorView& keep, const TensorView& count,
                           const TensorView& boxes, float threshold, bool with_heading) {
  constexpr int64_t kPair = 100000;
  constexpr double kLeastUnion = 1e-8;
  const int64_t n = keep.numel;
  Candidates candidates;
  PackedOutput positions;
  DIOPI_TRY(read_boxes(ctx, boxes, box_from_above, &candidates.boxes));
  DIOPI_TRY(candidates.prepare(ctx, n));
  DIOPI_TRY(positions.prepare(ctx, keep, diopi_dtype_int64));
  const int64_t kept = suppress(candidates, n, kPair, [=](const TurnedBox& a, const TurnedBox& b) {
    const double shared = with_heading ? shared_area_with_margin(a, b, kMarginFromAbove) : upright_area(a, b);
    return static_cast<float>(shared / std::max(a.area() + b.area() - shared, kLeastUnion)) > threshold;
  });
  std::copy_n(candidates.kept, kept, positions.data<int64_t>());
  std::fill_n(positions.data<int64_t>() + kept, n - kept, int64_t{0});
  positions.write_back();
  *count.ptr<int64_t>() = kept;
  return diopiSuccess;
}

Status suppress_rotated(diopiContextHandle_t ctx, const TensorView& boxes, const TensorView& order, float threshold,
                        const TensorView& kept, int64_t* count) {
  constexpr int64_t kPair = 100000;
  const int64_t n = order.numel, boxes_count = boxes.shape[0];
  const auto* numbers = order.ptr<const int64_t>();
  for (int64_t i = 0; i < n; ++i) {
    if (numbers[i] < 0 || numbers[i] >= boxes_count) return diopi::refuse_index(order, numbers[i], i, boxes, 0, false);
  }
  Candidates candidates;
  const TurnedBox* unsorted = nullptr;
  TurnedBox* sorted = nullptr;
  DIOPI_TRY(read_boxes(ctx, boxes, turned_box, &unsorted));
  DIOPI_TRY(diopi::Workspace(ctx).take(n, &sorted));
  for (int64_t i = 0; i < n; ++i) new (sorted + i) TurnedBox(unsorted[numbers[i]]);
  candidates.boxes = sorted;
  DIOPI_TRY(candidates.prepare(ctx, n));
  *count = suppress(candidates, n, kPair, [=](const TurnedBox& a, const TurnedBox& b) {
    const double shared = shared_area(a, b);
    return static_cast<float>(shared == 0 ? 0.0 : shared / (a.area() + b.area() - shared)) > threshold;
  });
  for (int64_t k = 0; k < *count; ++k) kept.ptr<int64_t>()[k] = numbers[candidates.kept[k]];
  return diopiSuccess;
}

}  // namespace impl::cpu
