// SPDX-License-Identifier: BSD-3-Clause
// Maximum and average pooling, over sliding or adaptive windows, behind one function. impl/<vendor>/functions/pool.cpp
// includes this file.
#ifndef IMPL_COMMON_FAMILIES_POOL_HPP_
#define IMPL_COMMON_FAMILIES_POOL_HPP_

#include <cstring>

#include "arguments/pool.hpp"
#include "impl/common/families/pooling.hpp"

namespace impl::DIOPI_VENDOR {

// The windows of a call; `result` is the output or its gradient.
template <typename Args>
Status pool_windows(const Args& args, const TensorView& result, int spatial, Windows* windows) {
  if (args.adaptive) return divide_into_windows(args.input, result, spatial, windows);
  *windows = args.windows;
  return require_countable_windows(args.windows, {"ksize", args.ksize});
}

template <typename Args>
bool takes_maxima(const Args& args) {
  return std::strcmp(args.mode, "max") == 0;
}

// How averages of the call divide. Adaptive windows have no padding.
template <typename Args>
Averaging pool_averaging(const Args& args) {
  Averaging averaging;
  if (!args.adaptive) averaging.count_padding = !args.exclusive;
  return averaging;
}

template <typename Args>
Status any_pool(diopiContextHandle_t ctx, const Args& args, int spatial) {
  Windows windows;
  DIOPI_TRY(pool_windows(args, args.out, spatial, &windows));
  if (takes_maxima(args)) return max_pool(ctx, windows, args.out, nullptr, args.input, spatial);
  return avg_pool(ctx, windows, pool_averaging(args), args.out, args.input, spatial);
}

template <typename Args>
Status any_pool_backward(diopiContextHandle_t ctx, const Args& args, int spatial) {
  Windows windows;
  DIOPI_TRY(pool_windows(args, args.grad_output, spatial, &windows));
  if (takes_maxima(args)) {
    return max_pool_backward(ctx, windows, args.grad_input, args.grad_output, *args.indices, spatial);
  }
  return avg_pool_backward(ctx, windows, pool_averaging(args), args.grad_input, args.grad_output, spatial);
}

inline Status run(diopiContextHandle_t ctx, diopi::Pool1dArgs& args) { return any_pool(ctx, args, 1); }
inline Status run(diopiContextHandle_t ctx, diopi::Pool2dArgs& args) { return any_pool(ctx, args, 2); }
inline Status run(diopiContextHandle_t ctx, diopi::Pool3dArgs& args) { return any_pool(ctx, args, 3); }
inline Status run(diopiContextHandle_t ctx, diopi::Pool1dBackwardArgs& args) { return any_pool_backward(ctx, args, 1); }
inline Status run(diopiContextHandle_t ctx, diopi::Pool2dBackwardArgs& args) { return any_pool_backward(ctx, args, 2); }
inline Status run(diopiContextHandle_t ctx, diopi::Pool3dBackwardArgs& args) { return any_pool_backward(ctx, args, 3); }

}  // namespace impl::DIOPI_VENDOR

#include "functions/pool.hpp"

#endif  // IMPL_COMMON_FAMILIES_POOL_HPP_
