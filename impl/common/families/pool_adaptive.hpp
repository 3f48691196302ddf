// SPDX-License-Identifier: BSD-3-Clause
// Adaptive average and max pooling, and their gradients. impl/<vendor>/functions/pool_adaptive.cpp includes this file.
#ifndef IMPL_COMMON_FAMILIES_POOL_ADAPTIVE_HPP_
#define IMPL_COMMON_FAMILIES_POOL_ADAPTIVE_HPP_

#include "arguments/pool_adaptive.hpp"
#include "impl/common/families/pooling.hpp"

namespace impl::DIOPI_VENDOR {

template <typename Args>
Status adaptive_avg_pool(diopiContextHandle_t ctx, const Args& args, int spatial) {
  Windows windows;
  DIOPI_TRY(divide_into_windows(args.input, args.out, spatial, &windows));
  return avg_pool(ctx, windows, {}, args.out, args.input, spatial);
}

template <typename Args>
Status adaptive_avg_pool_backward(diopiContextHandle_t ctx, const Args& args, int spatial) {
  Windows windows;
  DIOPI_TRY(divide_into_windows(args.input, args.grad_output, spatial, &windows));
  return avg_pool_backward(ctx, windows, {}, args.grad_input, args.grad_output, spatial);
}

template <typename Args>
Status adaptive_max_pool(diopiContextHandle_t ctx, const Args& args, const TensorView* indices, int spatial) {
  Windows windows;
  DIOPI_TRY(divide_into_windows(args.input, args.out, spatial, &windows));
  return max_pool(ctx, windows, args.out, indices, args.input, spatial);
}

template <typename Args>
Status adaptive_max_pool_backward(diopiContextHandle_t ctx, const Args& args, int spatial) {
  Windows windows;
  DIOPI_TRY(divide_into_windows(args.input, args.grad_output, spatial, &windows));
  return max_pool_backward(ctx, windows, args.grad_input, args.grad_output, args.indices, spatial);
}

inline Status run(diopiContextHandle_t ctx, diopi::AdaptiveAvgPool1dArgs& args) {
  return adaptive_avg_pool(ctx, args, 1);
}
inline Status run(diopiContextHandle_t ctx, diopi::AdaptiveAvgPool2dArgs& args) {
  return adaptive_avg_pool(ctx, args, 2);
}
inline Status run(diopiContextHandle_t ctx, diopi::AdaptiveAvgPool3dArgs& args) {
  return adaptive_avg_pool(ctx, args, 3);
}
inline Status run(diopiContextHandle_t ctx, diopi::AdaptiveAvgPool1dBackwardArgs& args) {
  return adaptive_avg_pool_backward(ctx, args, 1);
}
inline Status run(diopiContextHandle_t ctx, diopi::AdaptiveAvgPool2dBackwardArgs& args) {
  return adaptive_avg_pool_backward(ctx, args, 2);
}
inline Status run(diopiContextHandle_t ctx, diopi::AdaptiveAvgPool3dBackwardArgs& args) {
  return adaptive_avg_pool_backward(ctx, args, 3);
}
inline Status run(diopiContextHandle_t ctx, diopi::AdaptiveMaxPool1dArgs& args) {
  return adaptive_max_pool(ctx, args, nullptr, 1);
}
inline Status run(diopiContextHandle_t ctx, diopi::AdaptiveMaxPool2dArgs& args) {
  return adaptive_max_pool(ctx, args, nullptr, 2);
}
inline Status run(diopiContextHandle_t ctx, diopi::AdaptiveMaxPool3dArgs& args) {
  return adaptive_max_pool(ctx, args, nullptr, 3);
}
inline Status run(diopiContextHandle_t ctx, diopi::AdaptiveMaxPool1dWithIndicesArgs& args) {
  return adaptive_max_pool(ctx, args, &args.indices, 1);
}
inline Status run(diopiContextHandle_t ctx, diopi::AdaptiveMaxPool2dWithIndicesArgs& args) {
  return adaptive_max_pool(ctx, args, &args.indices, 2);
}
inline Status run(diopiContextHandle_t ctx, diopi::AdaptiveMaxPool3dWithIndicesArgs& args) {
  return adaptive_max_pool(ctx, args, &args.indices, 3);
}
inline Status run(diopiContextHandle_t ctx, diopi::AdaptiveMaxPool1dBackwardArgs& args) {
  return adaptive_max_pool_backward(ctx, args, 1);
}
inline Status run(diopiContextHandle_t ctx, diopi::AdaptiveMaxPool2dBackwardArgs& args) {
  return adaptive_max_pool_backward(ctx, args, 2);
}
inline Status run(diopiContextHandle_t ctx, diopi::AdaptiveMaxPool3dBackwardArgs& args) {
  return adaptive_max_pool_backward(ctx, args, 3);
}

}  // namespace impl::DIOPI_VENDOR

#include "functions/pool_adaptive.hpp"

#endif  // IMPL_COMMON_FAMILIES_POOL_ADAPTIVE_HPP_
