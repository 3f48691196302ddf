// SPDX-License-Identifier: BSD-3-Clause
// What a vendor implements for operations on lists of tensors: one pass over all tensors, whose work is divided among
// threads as a whole. Tensors of a list may differ in shape and dtype and share no memory with each other. Nothing is
// written unless all tensors are valid.
#ifndef IMPL_COMMON_ENGINE_TENSOR_LIST_HPP_
#define IMPL_COMMON_ENGINE_TENSOR_LIST_HPP_

#include "impl/common/engine/elementwise.hpp"
#include "impl/common/view_list.hpp"

namespace diopi {

// outs[k] = inputs[k] op other, computed in the dtype promoted[k]. outs[k] has the shape of inputs[k] and may be it.
struct ListBinaryCall {
  BinaryOp op;  // kAdd or kMul
  const ViewList &outs, &inputs;
  const diopiDtype_t* promoted;
  const diopiScalar_t* number;  // the operand, or null
  const TensorView* tensor;     // the operand otherwise: one element, no dimensions
};

}  // namespace diopi

namespace impl::DIOPI_VENDOR {

using diopi::ListBinaryCall;
using diopi::Status;
using diopi::TensorView;
using diopi::ViewList;

Status run_list_binary(diopiContextHandle_t ctx, const ListBinaryCall& call);

// outs[k], of one element, = the norm of order p of all elements of inputs[k]; all are floating point. Sums are in
// float64. There are elements if p is negative or infinite.
Status run_list_norm(diopiContextHandle_t ctx, const ViewList& outs, const ViewList& inputs, double p);

// Multiplies floating point gradients by `inv_scale` and sets `found_inf`, both float32, to 1 if an element was
// infinite or NaN. With the factor 1 no gradient is written.
Status run_unscale(diopiContextHandle_t ctx, const ViewList& grads, const TensorView& found_inf,
                   const TensorView& inv_scale);

// The formula is that of the registry. `tracker` is int32, the others float32; all have one element.
Status run_update_scale(diopiContextHandle_t ctx, const TensorView& scale, const TensorView& tracker,
                        const TensorView& found_inf, double growth, double backoff, int32_t interval);

}  // namespace impl::DIOPI_VENDOR

#endif  // IMPL_COMMON_ENGINE_TENSOR_LIST_HPP_
