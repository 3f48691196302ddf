// SPDX-License-Identifier: BSD-3-Clause
// Sum, mean, product, any and all over any dimensions. impl/<vendor>/functions/reduce.cpp includes this file.
#ifndef IMPL_COMMON_FAMILIES_REDUCE_HPP_
#define IMPL_COMMON_FAMILIES_REDUCE_HPP_

#include "arguments/reduce.hpp"
#include "impl/common/engine/reduce.hpp"
#include "impl/common/families/requested_dtype.hpp"

namespace impl::DIOPI_VENDOR {

// Reduces in the dtype of out, as `dtype=` does in PyTorch. For bool, a sum is whether any element is true, and a
// product whether all are.
template <typename Args>
Status reduce_as_requested(diopiContextHandle_t ctx, ReduceOp op, const Args& args) {
  const diopiDtype_t dtype = args.out.dtype;
  if (dtype == diopi_dtype_bool) {
    const ReduceOp test = op == ReduceOp::kProd ? ReduceOp::kAll : ReduceOp::kAny;
    return run_reduce(ctx, test, args.out, args.input, args.reduced, diopi_dtype_bool);
  }
  TensorView in = args.input;
  DIOPI_TRY(convert_to_requested(ctx, dtype, &in));
  return run_reduce(ctx, op, args.out, in, args.reduced, diopi::summed_dtype(dtype));
}

inline Status run(diopiContextHandle_t ctx, diopi::SumArgs& args) {
  return reduce_as_requested(ctx, ReduceOp::kSum, args);
}
inline Status run(diopiContextHandle_t ctx, diopi::MeanArgs& args) {
  return reduce_as_requested(ctx, ReduceOp::kMean, args);
}
inline Status run(diopiContextHandle_t ctx, diopi::ProdArgs& args) {
  return reduce_as_requested(ctx, ReduceOp::kProd, args);
}
inline Status run(diopiContextHandle_t ctx, diopi::AnyArgs& args) {
  return run_reduce(ctx, ReduceOp::kAny, args.out, args.input, args.reduced, diopi_dtype_bool);
}
inline Status run(diopiContextHandle_t ctx, diopi::AllArgs& args) {
  return run_reduce(ctx, ReduceOp::kAll, args.out, args.input, args.reduced, diopi_dtype_bool);
}

inline Status run(diopiContextHandle_t ctx, diopi::StdArgs& args) {
  const double correction = args.correction == nullptr ? 1 : diopi::scalar_as<double>(*args.correction);
  TensorView in = args.input;
  if (!diopi::is_complex(in.dtype)) DIOPI_TRY(convert_to_requested(ctx, args.out.dtype, &in));
  return run_std(ctx, args.out, in, args.reduced, correction);
}

}  // namespace impl::DIOPI_VENDOR

#include "functions/reduce.hpp"

#endif  // IMPL_COMMON_FAMILIES_REDUCE_HPP_
