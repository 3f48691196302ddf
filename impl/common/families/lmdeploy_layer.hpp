// SPDX-License-Identifier: BSD-3-Clause
// Fused layers of TurboMind's decoder. impl/<vendor>/functions/lmdeploy_layer.cpp includes this file.
#ifndef IMPL_COMMON_FAMILIES_LMDEPLOY_LAYER_HPP_
#define IMPL_COMMON_FAMILIES_LMDEPLOY_LAYER_HPP_

#include "arguments/lmdeploy_layer.hpp"
#include "impl/common/engine/elementwise.hpp"
#include "impl/common/engine/matmul.hpp"
#include "impl/common/families/lmdeploy_attention.hpp"
#include "impl/common/families/lmdeploy_norm.hpp"
#include "impl/common/families/outputs.hpp"
#include "impl/common/families/workspace_size.hpp"
#include "impl/common/temporary.hpp"

namespace impl::DIOPI_VENDOR {

inline Status run(diopiContextHandle_t ctx, diopi::FusedSiluFfnInpArgs& args) {
  if (stores_sizes({args.workspace_size})) return diopiSuccess;
  const TensorView& x = args.inoutput;
  DIOPI_TRY(diopi::require_writable(x));
  if (x.numel == 0) return diopiSuccess;
  diopi::Dims inner = x.shape;
  inner[1] = args.weight1.shape[1];
  TensorView gate, up;
  DIOPI_TRY(diopi::make_temporary(ctx, inner, x.dtype, "gate", &gate));
  DIOPI_TRY(diopi::make_temporary(ctx, inner, x.dtype, "up", &up));
  DIOPI_TRY(run_matmul(ctx, gate, x, args.weight1));
  DIOPI_TRY(run_matmul(ctx, up, x, args.weight3));
  DIOPI_TRY(run_unary(ctx, UnaryOp::kSilu, gate, gate));
  DIOPI_TRY(run_binary(ctx, BinaryOp::kMul, gate, gate, up, x.dtype));
  return run_matmul(ctx, x, gate, args.weight2);  // the only step that writes a tensor of the caller
}

}  // namespace impl::DIOPI_VENDOR

#include "functions/lmdeploy_layer.hpp"

#endif  // IMPL_COMMON_FAMILIES_LMDEPLOY_LAYER_HPP_
