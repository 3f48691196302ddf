// SPDX-License-Identifier: BSD-3-Clause
// The largest and smallest elements, with and without their positions. impl/<vendor>/functions/reduce_minmax.cpp
// includes this file.
#ifndef IMPL_COMMON_FAMILIES_REDUCE_MINMAX_HPP_
#define IMPL_COMMON_FAMILIES_REDUCE_MINMAX_HPP_

#include "arguments/reduce_minmax.hpp"
#include "impl/common/engine/reduce.hpp"

namespace impl::DIOPI_VENDOR {

inline Status run(diopiContextHandle_t ctx, diopi::MaxArgs& args) {
  return run_extremum(ctx, ReduceOp::kMaximum, &args.max, args.max_indices, args.input, args.reduced);
}
inline Status run(diopiContextHandle_t ctx, diopi::MinArgs& args) {
  return run_extremum(ctx, ReduceOp::kMinimum, &args.min, args.min_indices, args.input, args.reduced);
}
inline Status run(diopiContextHandle_t ctx, diopi::MaxAllArgs& args) {
  return run_reduce(ctx, ReduceOp::kMaximum, args.max, args.input, args.reduced, args.input.dtype);
}
inline Status run(diopiContextHandle_t ctx, diopi::MinAllArgs& args) {
  return run_reduce(ctx, ReduceOp::kMinimum, args.min, args.input, args.reduced, args.input.dtype);
}
inline Status run(diopiContextHandle_t ctx, diopi::AmaxArgs& args) {
  return run_reduce(ctx, ReduceOp::kMaximum, args.out, args.self, args.reduced, args.self.dtype);
}

}  // namespace impl::DIOPI_VENDOR

#include "functions/reduce_minmax.hpp"

#endif  // IMPL_COMMON_FAMILIES_REDUCE_MINMAX_HPP_
