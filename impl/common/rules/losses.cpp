// SPDX-License-Identifier: BSD-3-Clause
#include "impl/common/rules/losses.hpp"

#include <algorithm>

#include "impl/common/rules/shapes.hpp"
#include "impl/common/shape.hpp"

namespace diopi {

Status require_loss_shape(TensorView* view, std::initializer_list<const TensorView*> operands) {
  const Dims& first = (*operands.begin())->shape;
  const auto has_shape = [&](const TensorView* operand) { return operand == nullptr || operand->shape == first; };
  if (std::all_of(operands.begin(), operands.end(), has_shape)) return require_result_shape(view, first);
  Dims shape;
  DIOPI_TRY(broadcast_operands(operands, &shape));
  return require_result_shape(view, shape);
}

Status require_loss_shape(TensorView* view, diopiReduction_t reduction,
                          std::initializer_list<const TensorView*> operands) {
  return reduction == ReductionNone ? require_loss_shape(view, operands) : require_result_shape(view, Dims());
}

Status require_class_loss_shape(TensorView* view, diopiReduction_t reduction, const TensorView& input) {
  if (reduction != ReductionNone && view->ndim() == 0) return diopiSuccess;
  if (reduction != ReductionNone) return require_result_shape(view, Dims());
  return require_result_shape(view, reduced_shape(input.shape, 1u << class_dim(input), false));
}

}  // namespace diopi
