// SPDX-License-Identifier: BSD-3-Clause
#include "impl/common/engine/nms.hpp"

#include "impl/common/workspace.hpp"
#include "impl/cpu/engine/copy/copy.hpp"
#include "impl/cpu/engine/temporary.hpp"
#include "impl/cpu/geometry/nms.hpp"

namespace impl::cpu {

namespace {

// The boxes in the order of their scores: five arrays of n numbers and padding in `memory`.
NmsBoxes in_order(const NmsProblem& p, const double* corners, const int64_t* order, double* memory) {
  const int64_t n = p.order.numel, size = n + kNmsPadding;
  std::fill_n(memory, 5 * size, 0.0);
  for (int64_t i = 0; i < n; ++i) {
    const double* box = corners + order[i] * 4;
    for (int64_t k = 0; k < 4; ++k) memory[k * size + i] = box[k];
    memory[4 * size + i] = (box[2] - box[0] + p.margin) * (box[3] - box[1] + p.margin);
  }
  return {memory, memory + size, memory + 2 * size, memory + 3 * size, memory + 4 * size, p.threshold, p.margin};
}

}  // namespace

Status run_nms(diopiContextHandle_t ctx, const NmsProblem& problem, const TensorView& kept, int64_t* count) {
  const int64_t n = problem.order.numel;
  diopi::Workspace workspace(ctx);
  TensorView corners, order;
  double* memory = nullptr;
  uint8_t* dropped = nullptr;
  DIOPI_TRY(make_temporary(ctx, problem.boxes.shape, diopi_dtype_float64, &corners));
  DIOPI_TRY(make_temporary(ctx, problem.order.shape, diopi_dtype_int64, &order));
  DIOPI_TRY(workspace.take(5 * (n + kNmsPadding), &memory));
  DIOPI_TRY(workspace.take(n, &dropped));
  copy_view(corners, problem.boxes);
  copy_view(order, problem.order);
  const auto* numbers = order.ptr<int64_t>();
  const NmsBoxes boxes = in_order(problem, corners.ptr<double>(), numbers, memory);
  std::fill_n(dropped, n, uint8_t{0});
  auto* positions = kept.ptr<int64_t>();
  *count = suppress_boxes(boxes, n, dropped, positions);
  for (int64_t i = 0; i < *count; ++i) positions[i] = numbers[positions[i]];
  return diopiSuccess;
}

}  // namespace impl::cpu
