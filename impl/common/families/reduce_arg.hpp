// SPDX-License-Identifier: BSD-3-Clause
// Positions of the largest and smallest elements. impl/<vendor>/functions/reduce_arg.cpp includes this file.
#ifndef IMPL_COMMON_FAMILIES_REDUCE_ARG_HPP_
#define IMPL_COMMON_FAMILIES_REDUCE_ARG_HPP_

#include "arguments/reduce_arg.hpp"
#include "impl/common/engine/reduce.hpp"

namespace impl::DIOPI_VENDOR {

inline Status run(diopiContextHandle_t ctx, diopi::ArgmaxArgs& args) {
  return run_extremum(ctx, ReduceOp::kMaximum, nullptr, args.out, args.input, args.reduced);
}
inline Status run(diopiContextHandle_t ctx, diopi::ArgminArgs& args) {
  return run_extremum(ctx, ReduceOp::kMinimum, nullptr, args.out, args.input, args.reduced);
}

}  // namespace impl::DIOPI_VENDOR

#include "functions/reduce_arg.hpp"

#endif  // IMPL_COMMON_FAMILIES_REDUCE_ARG_HPP_
