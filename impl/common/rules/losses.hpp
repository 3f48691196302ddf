// SPDX-License-Identifier: BSD-3-Clause
// Shapes of losses and of their gradients. Generated code calls these functions after the checks of the operands.
#ifndef IMPL_COMMON_RULES_LOSSES_HPP_
#define IMPL_COMMON_RULES_LOSSES_HPP_

#include <initializer_list>

#include "impl/common/tensor_view.hpp"

namespace diopi {

// Requires the shape to which operands broadcast. Null operands are skipped; the first is not null.
Status require_loss_shape(TensorView* view, std::initializer_list<const TensorView*> operands);
// The same if nothing is reduced; otherwise no dimensions.
Status require_loss_shape(TensorView* view, diopiReduction_t reduction,
                          std::initializer_list<const TensorView*> operands);

// The dimension of the classes: the second, or the only one of a vector.
inline int class_dim(const TensorView& input) { return input.ndim() == 1 ? 0 : 1; }
// Requires the shape of `input` without the dimension of the classes if nothing is reduced; otherwise no dimensions.
Status require_class_loss_shape(TensorView* view, diopiReduction_t reduction, const TensorView& input);

}  // namespace diopi

#endif  // IMPL_COMMON_RULES_LOSSES_HPP_
