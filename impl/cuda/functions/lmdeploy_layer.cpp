// SPDX-License-Identifier: BSD-3-Clause
// Normalisations. The host computes the other functions of the family.
#include "impl/common/families/lmdeploy_norm.hpp"

namespace impl::cuda {

diopiError_t diopiRootMeanSquareNormInp(diopiContextHandle_t ctx, diopiTensorHandle_t inoutput,
                                        diopiConstTensorHandle_t scale, float eps) {
  diopi::RootMeanSquareNormInpArgs args;
  DIOPI_TRY(diopi::read_root_mean_square_norm_inp(ctx, inoutput, scale, eps, &args));
  return run(ctx, args);
}

diopiError_t diopiFusedAddRootMeanSquareNormInp(diopiContextHandle_t ctx, diopiTensorHandle_t inoutput,
                                                diopiTensorHandle_t residual, diopiConstTensorHandle_t bias,
                                                diopiConstTensorHandle_t scale, float eps) {
  diopi::FusedAddRootMeanSquareNormInpArgs args;
  DIOPI_TRY(diopi::read_fused_add_root_mean_square_norm_inp(ctx, inoutput, residual, bias, scale, eps, &args));
  return run(ctx, args);
}

}  // namespace impl::cuda
