// SPDX-License-Identifier: BSD-3-Clause
// Operations on lists of tensors and gradient scaling. impl/<vendor>/functions/foreach.cpp includes this file.
#ifndef IMPL_COMMON_FAMILIES_FOREACH_HPP_
#define IMPL_COMMON_FAMILIES_FOREACH_HPP_

#include <algorithm>

#include "arguments/foreach.hpp"
#include "impl/common/engine/tensor_list.hpp"
#include "impl/common/families/magnitudes.hpp"
#include "impl/common/workspace.hpp"

namespace impl::DIOPI_VENDOR {

inline Status list_binary(diopiContextHandle_t ctx, BinaryOp op, const ViewList& outs, const ViewList& inputs,
                          const diopiScalar_t* number, const TensorView* tensor) {
  diopiDtype_t* promoted = nullptr;
  DIOPI_TRY(diopi::host_workspace(ctx).take(inputs.size(), &promoted));
  for (int64_t k = 0; k < inputs.size(); ++k) {
    diopi::ResultType type;
    type.tensor(inputs[k].dtype, inputs[k].ndim());
    if (number != nullptr) type.scalar(*number);
    if (tensor != nullptr) type.tensor(tensor->dtype, 0);
    promoted[k] = type.get();
    DIOPI_TRY(diopi::require_castable(promoted[k], outs[k]));
    DIOPI_TRY(diopi::require_writable(outs[k]));
  }
  return run_list_binary(ctx, {op, outs, inputs, promoted, number, tensor});
}

// A view without dimensions of the only element.
inline TensorView without_dims(TensorView view) {
  view.shape.n = view.stride.n = 0;
  return view;
}

inline Status run(diopiContextHandle_t ctx, diopi::ForeachaddScalarArgs& args) {
  return list_binary(ctx, BinaryOp::kAdd, args.outs, args.inputs, args.other, nullptr);
}
inline Status run(diopiContextHandle_t ctx, diopi::ForeachaddInpScalarArgs& args) {
  return list_binary(ctx, BinaryOp::kAdd, args.inputs, args.inputs, args.other, nullptr);
}
inline Status run(diopiContextHandle_t ctx, diopi::ForeachmulScalarArgs& args) {
  return list_binary(ctx, BinaryOp::kMul, args.outs, args.inputs, args.other, nullptr);
}
inline Status run(diopiContextHandle_t ctx, diopi::ForeachmulInpScalarArgs& args) {
  return list_binary(ctx, BinaryOp::kMul, args.inputs, args.inputs, args.other, nullptr);
}
inline Status run(diopiContextHandle_t ctx, diopi::ForeachmulTensorArgs& args) {
  const TensorView other = without_dims(args.other);
  return list_binary(ctx, BinaryOp::kMul, args.outs, args.inputs, nullptr, &other);
}
inline Status run(diopiContextHandle_t ctx, diopi::ForeachmulInpTensorArgs& args) {
  const TensorView other = without_dims(args.other);
  return list_binary(ctx, BinaryOp::kMul, args.inputs, args.inputs, nullptr, &other);
}

inline Status run(diopiContextHandle_t ctx, diopi::ForeachnormScalarArgs& args) {
  const double p = diopi::scalar_as<double>(*args.ord);
  for (const TensorView& input : args.inputs) {
    DIOPI_REQUIRE(input.numel > 0 || !(p < 0 || std::isinf(p)), diopiErrorOccurred,
                  "inputs has a tensor of shape %s, but nothing has no norm of order ord = %g",
                  diopi::Text(input.shape).c_str(), p);
  }
  if (std::none_of(args.inputs.begin(), args.inputs.end(),
                   [](const TensorView& input) { return diopi::is_complex(input.dtype); })) {
    return run_list_norm(ctx, args.outs, args.inputs, p);
  }
  diopi::ViewList inputs;
  DIOPI_TRY(inputs.reserve(ctx, args.inputs.size()));
  for (int64_t k = 0; k < inputs.size(); ++k) {
    inputs[k] = args.inputs[k];
    DIOPI_TRY(diopi::require_writable(args.outs[k]));
    if (diopi::is_complex(inputs[k].dtype)) DIOPI_TRY(take_magnitudes(ctx, args.outs[k].dtype, &inputs[k]));
  }
  return run_list_norm(ctx, args.outs, inputs, p);
}

inline Status run(diopiContextHandle_t ctx, diopi::AmpForeachNonFiniteCheckAndUnscaleInpArgs& args) {
  for (const TensorView& grad : args.scaled_grads) DIOPI_TRY(diopi::require_writable(grad));
  return run_unscale(ctx, args.scaled_grads, args.found_inf, args.inv_scale);
}

inline Status run(diopiContextHandle_t ctx, diopi::AmpUpdateScaleInpArgs& args) {
  return run_update_scale(ctx, args.current_scale, args.growth_tracker, args.found_inf, args.scale_growth_factor,
                          args.scale_backoff_factor, args.growth_interval);
}

}  // namespace impl::DIOPI_VENDOR

#include "functions/foreach.hpp"

#endif  // IMPL_COMMON_FAMILIES_FOREACH_HPP_
