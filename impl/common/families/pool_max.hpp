// SPDX-License-Identifier: BSD-3-Clause
// Max pooling, with and without indices, and its gradient. impl/<vendor>/functions/pool_max.cpp includes this file.
#ifndef IMPL_COMMON_FAMILIES_POOL_MAX_HPP_
#define IMPL_COMMON_FAMILIES_POOL_MAX_HPP_

#include "arguments/pool_max.hpp"
#include "impl/common/families/pooling.hpp"

namespace impl::DIOPI_VENDOR {

template <typename Args>
Status max_pool(diopiContextHandle_t ctx, const Args& args, const TensorView* indices, int spatial) {
  DIOPI_TRY(require_countable_windows(args.windows, args.kernel_size));
  DIOPI_TRY(diopi::require_writable(args.out));
  if (indices != nullptr) DIOPI_TRY(diopi::require_writable(*indices));
  if (args.out.numel == 0) return diopiSuccess;
  const TensorView out = as_planes(args.out, spatial), in = as_planes(args.input, spatial);
  if (indices == nullptr) return run_max_pool(ctx, args.windows, out, nullptr, in);
  const TensorView positions = as_planes(*indices, spatial);
  return run_max_pool(ctx, args.windows, out, &positions, in);
}

template <typename Args>
Status max_pool_backward(diopiContextHandle_t ctx, const Args& args, int spatial) {
  DIOPI_TRY(require_countable_windows(args.windows, args.kernel_size));
  DIOPI_TRY(diopi::require_writable(args.grad_input));
  if (args.grad_input.numel == 0) return diopiSuccess;
  const TensorView indices = as_planes(args.indices, spatial);
  const int64_t positions = args.windows.dim[0].in * args.windows.dim[1].in * args.windows.dim[2].in;
  IndexOutside bad;
  DIOPI_TRY(find_index_outside(ctx, indices, positions, &bad));
  DIOPI_REQUIRE(bad.element < 0, diopiErrorOccurred,
                "indices has the value %lld as its element %lld, expected 0 to %lld", static_cast<long long>(bad.value),
                static_cast<long long>(bad.element), static_cast<long long>(positions - 1));
  return run_max_pool_backward(ctx, args.windows, as_planes(args.grad_input, spatial),
                               as_planes(args.grad_output, spatial), indices);
}

inline Status run(diopiContextHandle_t ctx, diopi::MaxPool1dArgs& args) { return max_pool(ctx, args, nullptr, 1); }
inline Status run(diopiContextHandle_t ctx, diopi::MaxPool2dArgs& args) { return max_pool(ctx, args, nullptr, 2); }
inline Status run(diopiContextHandle_t ctx, diopi::MaxPool3dArgs& args) { return max_pool(ctx, args, nullptr, 3); }
inline Status run(diopiContextHandle_t ctx, diopi::MaxPool1dWithIndicesArgs& args) {
  return max_pool(ctx, args, &args.indices, 1);
}
inline Status run(diopiContextHandle_t ctx, diopi::MaxPool2dWithIndicesArgs& args) {
  return max_pool(ctx, args, &args.indices, 2);
}
inline Status run(diopiContextHandle_t ctx, diopi::MaxPool3dWithIndicesArgs& args) {
  return max_pool(ctx, args, &args.indices, 3);
}
inline Status run(diopiContextHandle_t ctx, diopi::MaxPool1dBackwardArgs& args) {
  return max_pool_backward(ctx, args, 1);
}
inline Status run(diopiContextHandle_t ctx, diopi::MaxPool2dBackwardArgs& args) {
  return max_pool_backward(ctx, args, 2);
}
inline Status run(diopiContextHandle_t ctx, diopi::MaxPool3dBackwardArgs& args) {
  return max_pool_backward(ctx, args, 3);
}

}  // namespace impl::DIOPI_VENDOR

#include "functions/pool_max.hpp"

#endif  // IMPL_COMMON_FAMILIES_POOL_MAX_HPP_
