// SPDX-License-Identifier: BSD-3-Clause
// Running sums along a dimension. impl/<vendor>/functions/cumulative.cpp includes this file.
#ifndef IMPL_COMMON_FAMILIES_CUMULATIVE_HPP_
#define IMPL_COMMON_FAMILIES_CUMULATIVE_HPP_

#include "arguments/cumulative.hpp"
#include "impl/common/engine/cumulative.hpp"
#include "impl/common/families/requested_dtype.hpp"

namespace impl::DIOPI_VENDOR {

// The elements are converted to the dtype of out first, as `dtype=` does in PyTorch. A 0-d tensor is a row of one
// element.
inline Status cumsum(diopiContextHandle_t ctx, ScanDirection direction, const TensorView& out, TensorView in,
                     int64_t dim) {
  DIOPI_TRY(convert_to_requested(ctx, out.dtype, &in));
  const diopiDtype_t dtype = diopi::accumulation_dtype(out.dtype);
  if (in.ndim() == 0) return run_cumsum(ctx, direction, out.unsqueeze(0), in.unsqueeze(0), 0, dtype);
  return run_cumsum(ctx, direction, out, in, static_cast<int>(dim), dtype);
}

inline Status run(diopiContextHandle_t ctx, diopi::CumsumArgs& args) {
  return cumsum(ctx, ScanDirection::kForward, args.out, args.input, args.dim);
}

// The gradient is the running sum from the end.
inline Status run(diopiContextHandle_t ctx, diopi::CumsumBackwardArgs& args) {
  return cumsum(ctx, ScanDirection::kBackward, args.grad_input, args.grad_output, args.dim);
}

}  // namespace impl::DIOPI_VENDOR

#include "functions/cumulative.hpp"

#endif  // IMPL_COMMON_FAMILIES_CUMULATIVE_HPP_
