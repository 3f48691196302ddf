// SPDX-License-Identifier: BSD-3-Clause
// Softmax and log-softmax along one dimension, and their gradients. impl/<vendor>/functions/softmax.cpp includes this
// file.
#ifndef IMPL_COMMON_FAMILIES_SOFTMAX_HPP_
#define IMPL_COMMON_FAMILIES_SOFTMAX_HPP_

#include "arguments/softmax.hpp"
#include "impl/common/engine/softmax.hpp"
#include "impl/common/families/promoted_operands.hpp"
#include "impl/common/shape.hpp"

namespace impl::DIOPI_VENDOR {

// A 0-d tensor is a row of one element.
inline Status softmax_rows(diopiContextHandle_t ctx, SoftmaxOp op, const TensorView& out, const TensorView* in,
                           int num_inputs, int64_t dim, diopiDtype_t dtype) {
  if (out.ndim() > 0) return run_softmax(ctx, op, out, in, static_cast<int>(dim), dtype);
  const TensorView rows[] = {in[0].unsqueeze(0), in[num_inputs - 1].unsqueeze(0)};
  return run_softmax(ctx, op, out.unsqueeze(0), rows, 0, dtype);
}

// The elements are converted to the dtype of out first, as `dtype=` does in PyTorch. Complex numbers lose their
// imaginary parts. If the dtype of out holds the elements of the input, the kernel converts them while it reads.
template <typename Args>
Status softmax_forward(diopiContextHandle_t ctx, SoftmaxOp op, const Args& args) {
  TensorView in = args.input;
  if (diopi::is_complex(in.dtype)) in = diopi::real_parts(in);
  if (diopi::promote_types(in.dtype, args.out.dtype) != args.out.dtype || rounds_integers(args.out.dtype, in)) {
    DIOPI_TRY(convert_to_requested(ctx, args.out.dtype, &in));
  }
  return softmax_rows(ctx, op, args.out, &in, 1, args.dim, args.out.dtype);
}

template <typename Args>
Status softmax_backward(diopiContextHandle_t ctx, SoftmaxOp op, const Args& args) {
  const TensorView in[] = {args.grad_output, args.output};
  const diopiDtype_t dtype = diopi::promote_types(in[0].dtype, in[1].dtype);
  return softmax_rows(ctx, op, args.grad_input, in, 2, args.dim, dtype);
}

inline Status run(diopiContextHandle_t ctx, diopi::SoftmaxArgs& args) {
  return softmax_forward(ctx, SoftmaxOp::kSoftmax, args);
}
inline Status run(diopiContextHandle_t ctx, diopi::LogSoftmaxArgs& args) {
  return softmax_forward(ctx, SoftmaxOp::kLogSoftmax, args);
}
inline Status run(diopiContextHandle_t ctx, diopi::SoftmaxBackwardArgs& args) {
  return softmax_backward(ctx, SoftmaxOp::kSoftmaxBackward, args);
}
inline Status run(diopiContextHandle_t ctx, diopi::LogSoftmaxBackwardArgs& args) {
  return softmax_backward(ctx, SoftmaxOp::kLogSoftmaxBackward, args);
}

inline Status run(diopiContextHandle_t ctx, diopi::ScaledMaskedSoftmaxArgs& args) {
  DIOPI_TRY(diopi::require_writable(args.output));
  const TensorView mask = args.mask.expand(args.input.shape);
  return run_masked_softmax(ctx, {args.fixed_triu_mask ? nullptr : &mask, args.scale}, args.output, args.input);
}
inline Status run(diopiContextHandle_t ctx, diopi::ScaledMaskedSoftmaxBackwardArgs& args) {
  DIOPI_TRY(diopi::require_writable(args.grad_input));
  const TensorView mask = args.mask.expand(args.output.shape);
  return run_masked_softmax_backward(ctx, {args.fixed_triu_mask ? nullptr : &mask, args.scale}, args.grad_input,
                                     args.grad_output, args.output);
}

}  // namespace impl::DIOPI_VENDOR

#include "functions/softmax.hpp"

#endif  // IMPL_COMMON_FAMILIES_SOFTMAX_HPP_
