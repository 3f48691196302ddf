// SPDX-License-Identifier: BSD-3-Clause
// Max pooling, with and without indices, and its gradient. impl/<vendor>/functions/pool_max.cpp includes this file.
#ifndef IMPL_COMMON_FAMILIES_POOL_MAX_HPP_
#define IMPL_COMMON_FAMILIES_POOL_MAX_HPP_

#include "arguments/pool_max.hpp"
#include "impl/common/families/pooling.hpp"

namespace impl::DIOPI_VENDOR {

template <typename Args>
Status sliding_max_pool(diopiContextHandle_t ctx, const Args& args, const TensorView* indices, int spatial) {
  DIOPI_TRY(require_countable_windows(args.windows, {"kernel_size", args.kernel_size}));
  return max_pool(ctx, args.windows, args.out, indices, args.input, spatial);
}

template <typename Args>
Status sliding_max_pool_backward(diopiContextHandle_t ctx, const Args& args, int spatial) {
  DIOPI_TRY(require_countable_windows(args.windows, {"kernel_size", args.kernel_size}));
  return max_pool_backward(ctx, args.windows, args.grad_input, args.grad_output, args.indices, spatial);
}

inline Status run(diopiContextHandle_t ctx, diopi::MaxPool1dArgs& args) {
  return sliding_max_pool(ctx, args, nullptr, 1);
}
inline Status run(diopiContextHandle_t ctx, diopi::MaxPool2dArgs& args) {
  return sliding_max_pool(ctx, args, nullptr, 2);
}
inline Status run(diopiContextHandle_t ctx, diopi::MaxPool3dArgs& args) {
  return sliding_max_pool(ctx, args, nullptr, 3);
}
inline Status run(diopiContextHandle_t ctx, diopi::MaxPool1dWithIndicesArgs& args) {
  return sliding_max_pool(ctx, args, &args.indices, 1);
}
inline Status run(diopiContextHandle_t ctx, diopi::MaxPool2dWithIndicesArgs& args) {
  return sliding_max_pool(ctx, args, &args.indices, 2);
}
inline Status run(diopiContextHandle_t ctx, diopi::MaxPool3dWithIndicesArgs& args) {
  return sliding_max_pool(ctx, args, &args.indices, 3);
}
inline Status run(diopiContextHandle_t ctx, diopi::MaxPool1dBackwardArgs& args) {
  return sliding_max_pool_backward(ctx, args, 1);
}
inline Status run(diopiContextHandle_t ctx, diopi::MaxPool2dBackwardArgs& args) {
  return sliding_max_pool_backward(ctx, args, 2);
}
inline Status run(diopiContextHandle_t ctx, diopi::MaxPool3dBackwardArgs& args) {
  return sliding_max_pool_backward(ctx, args, 3);
}

}  // namespace impl::DIOPI_VENDOR

#include "functions/pool_max.hpp"

#endif  // IMPL_COMMON_FAMILIES_POOL_MAX_HPP_
