// SPDX-License-Identifier: BSD-3-Clause
// Standard deviations: one reduction for real elements, one for each part of complex elements.
#include "impl/cpu/norm/deviation.hpp"

#include "impl/common/engine/reduce.hpp"
#include "impl/common/shape.hpp"
#include "impl/common/temporary.hpp"

namespace impl::cpu {

namespace {

diopi::TensorView imaginary_parts(const TensorView& view) {
  TensorView parts = diopi::real_parts(view);
  parts.data += parts.itemsize();
  return parts;
}

int64_t reduced_count(const TensorView& in, uint32_t mask) {
  int64_t count = 1;
  for (int i = 0; i < in.ndim(); ++i) {
    if ((mask >> i & 1) != 0) count *= in.shape[i];
  }
  return count;
}

Status complex_std(diopiContextHandle_t ctx, const TensorView& out, const TensorView& in, uint32_t mask,
                   double correction) {
  const TensorView parts[] = {diopi::real_parts(in), imaginary_parts(in)};
  const bool wide = out.dtype == diopi_dtype_float64;
  const diopiDtype_t dtype = wide ? diopi_dtype_float64 : parts[0].dtype;
  TensorView squares[2];
  for (int k = 0; k < 2; ++k) {
    DIOPI_TRY(diopi::make_temporary(ctx, out.shape, diopi_dtype_float64, in.name, &squares[k]));
    DIOPI_TRY(run_reduce(ctx, *squared_deviation_kernel(dtype), &squares[k], parts[k], mask));
  }
  const double divisor = deviation_divisor(reduced_count(in, mask), correction);
  return run_elementwise(ctx, uniform_kernel(joint_deviation_kernel(), diopi_dtype_float64, 2, &divisor), &out,
                         squares);
}

}  // namespace

Status run_std(diopiContextHandle_t ctx, const TensorView& out, const TensorView& in, uint32_t mask,
               double correction) {
  if (diopi::is_complex(in.dtype)) return complex_std(ctx, out, in, mask, correction);
  ReduceKernel kernel = *standard_deviation_kernel(requested_kernel_dtype(out, in));
  kernel.params = &correction;
  return run_reduce(ctx, kernel, &out, in, mask);
}

}  // namespace impl::cpu
