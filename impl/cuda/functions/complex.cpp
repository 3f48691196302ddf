// SPDX-License-Identifier: BSD-3-Clause
#include "impl/common/families/complex.hpp"

#include "impl/cuda/kernels/elementwise/parts.hpp"

namespace impl::cuda {

Status make_complex(diopiContextHandle_t ctx, const TensorView& out, const TensorView& real, const TensorView& imag) {
  const TensorView inputs[] = {real, imag};
  MapCall call;
  DIOPI_TRY(prepare_map(ctx, out, inputs, 2, &call));
  return launch_complex(call, real.dtype);
}

Status make_polar(diopiContextHandle_t ctx, const TensorView& out, const TensorView& abs, const TensorView& angle) {
  const TensorView inputs[] = {abs, angle};
  MapCall call;
  DIOPI_TRY(prepare_map(ctx, out, inputs, 2, &call));
  return launch_polar(call, abs.dtype);
}

Status conjugate(diopiContextHandle_t ctx, const TensorView& out, const TensorView& in) {
  MapCall call;
  DIOPI_TRY(prepare_map(ctx, out, &in, 1, &call));
  return launch_conjugate(call, in.dtype);
}

}  // namespace impl::cuda
