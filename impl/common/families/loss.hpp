// SPDX-License-Identifier: BSD-3-Clause
// Losses of each element with an optional reduction: MSE, smooth L1, binary cross entropy, and their gradients.
// impl/<vendor>/functions/loss.cpp includes this file.
#ifndef IMPL_COMMON_FAMILIES_LOSS_HPP_
#define IMPL_COMMON_FAMILIES_LOSS_HPP_

#include "arguments/loss.hpp"
#include "impl/common/engine/loss.hpp"
#include "impl/common/families/promoted_operands.hpp"

namespace impl::DIOPI_VENDOR {

// The operands of a loss. Unlike other operands, those without dimensions promote like the others.
class LossOperands {
 public:
  explicit LossOperands(std::initializer_list<const TensorView*> operands) {
    for (const TensorView* operand : operands) add(*operand);
  }
  void add(const TensorView& operand) {
    call_.promoted = call_.num_inputs == 0 ? operand.dtype : diopi::promote_types(call_.promoted, operand.dtype);
    call_.in[call_.num_inputs++] = operand;
  }
  // A weight that is null is one.
  void add_weight(const std::optional<TensorView>& weight) {
    if (weight) return add(*weight);
    const diopiScalar_t number{diopi_dtype_float32, {1}};
    one_.set(number, "one", number.stype, &call_.in[call_.num_inputs++]);
  }
  // PyTorch subtracts 1 from a pos_weight of integers before it rounds it.
  void add_pos_weight(const std::optional<TensorView>& weight) {
    exact_ = call_.num_inputs;
    add_weight(weight);
  }
  // Rounds integers to the promoted dtype.
  Status round(diopiContextHandle_t ctx, const TensorView& out) {
    for (int i = 0; i < call_.num_inputs; ++i) {
      if (i != exact_) DIOPI_TRY(round_integers(ctx, call_.promoted, out, {&call_.in[i]}));
    }
    return diopiSuccess;
  }
  // Finds the shape of the losses, without the first `skipped` operands.
  Status broadcast(int skipped) {
    const TensorView* const in = call_.in;
    shape_ = &in[skipped].shape;
    for (int i = skipped + 1; i < call_.num_inputs; ++i) {
      if (in[i].shape == *shape_) continue;
      DIOPI_TRY(diopi::broadcast_shapes(*shape_, in[skipped].name, in[i], &joint_));
      shape_ = &joint_;
    }
    return diopiSuccess;
  }
  const Dims& shape() const { return *shape_; }
  LossCall& call() { return call_; }

 private:
  LossCall call_;
  diopi::NumberOperand one_;
  const Dims* shape_ = nullptr;
  int exact_ = -1;  // the operand that is not rounded
  Dims joint_;
};

template <typename Args>
Status loss_forward(diopiContextHandle_t ctx, LossOp op, Args& args, LossOperands& operands) {
  DIOPI_TRY(operands.broadcast(0));
  DIOPI_TRY(operands.round(ctx, args.out));
  return run_loss(ctx, op, args.out, operands.call(), operands.shape(), args.reduction);
}

// The first operand is grad_output.
template <typename Args>
Status loss_backward(diopiContextHandle_t ctx, LossOp op, Args& args, LossOperands& operands) {
  LossCall& call = operands.call();
  DIOPI_TRY(operands.broadcast(1));
  DIOPI_TRY(operands.round(ctx, args.grad_input));
  if (args.reduction == ReductionMean) call.params.scale = 1 / static_cast<double>(operands.shape().product());
  return run_loss_backward(ctx, op, args.grad_input, call);
}

inline Status run(diopiContextHandle_t ctx, diopi::MSELossArgs& args) {
  LossOperands operands({&args.input, &args.target});
  return loss_forward(ctx, LossOp::kMse, args, operands);
}

inline Status run(diopiContextHandle_t ctx, diopi::MSELossBackwardArgs& args) {
  LossOperands operands({&args.grad_output, &args.input, &args.target});
  return loss_backward(ctx, LossOp::kMseBackward, args, operands);
}

inline Status run(diopiContextHandle_t ctx, diopi::SmoothL1LossArgs& args) {
  LossOperands operands({&args.input, &args.target});
  operands.call().params.beta = args.beta;
  return loss_forward(ctx, LossOp::kSmoothL1, args, operands);
}

inline Status run(diopiContextHandle_t ctx, diopi::SmoothL1LossBackwardArgs& args) {
  LossOperands operands({&args.grad_output, &args.input, &args.target});
  operands.call().params.beta = args.beta;
  return loss_backward(ctx, LossOp::kSmoothL1Backward, args, operands);
}

inline Status run(diopiContextHandle_t ctx, diopi::BCELossArgs& args) {
  LossOperands operands({&args.input, &args.target});
  operands.add_weight(args.weight);
  return loss_forward(ctx, LossOp::kBce, args, operands);
}

inline Status run(diopiContextHandle_t ctx, diopi::BCELossBackwardArgs& args) {
  LossOperands operands({&args.grad_output, &args.input, &args.target});
  operands.add_weight(args.weight);
  return loss_backward(ctx, LossOp::kBceBackward, args, operands);
}

inline Status run(diopiContextHandle_t ctx, diopi::BCEWithLogitsArgs& args) {
  LossOperands operands({&args.input, &args.target});
  operands.add_weight(args.weight);
  operands.add_pos_weight(args.pos_weight);
  return loss_forward(ctx, LossOp::kBceWithLogits, args, operands);
}

inline Status run(diopiContextHandle_t ctx, diopi::BCEWithLogitsBackwardArgs& args) {
  LossOperands operands({&args.grad_output, &args.input, &args.target});
  operands.add_weight(args.weight);
  operands.add_pos_weight(args.pos_weight);
  return loss_backward(ctx, LossOp::kBceWithLogitsBackward, args, operands);
}

}  // namespace impl::DIOPI_VENDOR

#include "functions/loss.hpp"

#endif  // IMPL_COMMON_FAMILIES_LOSS_HPP_
