// SPDX-License-Identifier: BSD-3-Clause
// What the host passes to the row kernels.
#ifndef IMPL_CUDA_KERNELS_ROWS_CALLS_HPP_
#define IMPL_CUDA_KERNELS_ROWS_CALLS_HPP_

#include "impl/common/tensor_view.hpp"

namespace impl::cuda {

using diopi::Dims;
using diopi::Status;
using diopi::TensorView;

// An input: a view that is broadcast to the shape of the call, or a number for all elements.
struct RowInput {
  TensorView view;  // without memory if the input is a number
  double number = 0;

  RowInput() = default;
  RowInput(const TensorView& operand) : view(operand) {}  // NOLINT: converts
  explicit RowInput(double value) : number(value) {}
  // `operand`, or a number if it is null.
  RowInput(const TensorView* operand, double value) : number(value) {
    if (operand != nullptr) view = *operand;
  }
};

// Folds the dimensions of `mask`. Inputs have `shape`, or broadcast to it. Outputs have it with the dimensions of
// `mask` removed or with extent 1; one without memory is not wanted. Outputs may overlap inputs.
struct FoldCall {
  static constexpr int kMost = 5;
  Dims shape;
  uint32_t mask = 0;
  RowInput in[kMost];
  TensorView out[kMost];
};

// Computes each element on its own. Outputs have `shape`. An output may be an input or overlap it.
struct PointwiseCall {
  static constexpr int kMost = 10;
  Dims shape;
  RowInput in[kMost];
  TensorView out[3];
};

// Folds each row, the elements of the dimensions of `mask`, and then computes its elements. Inputs have `shape`, or
// broadcast to it. `out` has it, and may be an input or overlap it. Results have it with extent 1 for the dimensions of
// `mask`, or without them, and overlap no input. Outputs and results without memory are not wanted.
struct FusedCall {
  static constexpr int kMost = 5;
  Dims shape;
  uint32_t mask = 0;
  RowInput in[kMost];
  TensorView out, results[2];
};

// The operands of a call.
struct RowOperands {
  const RowInput* in;
  int inputs;
  const TensorView* out;
  int outputs;
  bool same_allowed;  // an output may be an input, element by element
};

// Outputs for the kernel: those of the call, or temporaries for those that overlap an input.
Status separate_outputs(diopiContextHandle_t ctx, const RowOperands& operands, TensorView* separate);
// Copies the temporaries to the outputs of the call.
Status copy_to_outputs(diopiContextHandle_t ctx, const RowOperands& operands, const TensorView* separate);

}  // namespace impl::cuda

#endif  // IMPL_CUDA_KERNELS_ROWS_CALLS_HPP_
