// SPDX-License-Identifier: BSD-3-Clause
// The normalisations of TurboMind's decoder. impl/common/families/lmdeploy_layer.hpp includes this file.
#ifndef IMPL_COMMON_FAMILIES_LMDEPLOY_NORM_HPP_
#define IMPL_COMMON_FAMILIES_LMDEPLOY_NORM_HPP_

#include "arguments/lmdeploy_layer.hpp"
#include "impl/common/engine/norm.hpp"
#include "impl/common/families/outputs.hpp"

namespace impl::DIOPI_VENDOR {

inline Status run(diopiContextHandle_t ctx, diopi::RootMeanSquareNormInpArgs& args) {
  DIOPI_TRY(diopi::require_writable(args.inoutput));
  return run_rms_norm(ctx, {args.inoutput, nullptr, args.inoutput, &args.scale, nullptr, 1, args.eps});
}

inline Status run(diopiContextHandle_t ctx, diopi::FusedAddRootMeanSquareNormInpArgs& args) {
  DIOPI_TRY(diopi::require_writable({&args.inoutput, &args.residual}));
  return run_add_rms_norm(ctx, {args.inoutput, args.residual, diopi::address_of(args.bias), args.scale, args.eps});
}

}  // namespace impl::DIOPI_VENDOR

#endif  // IMPL_COMMON_FAMILIES_LMDEPLOY_NORM_HPP_
