// SPDX-License-Identifier: BSD-3-Clause
// Average pooling and its gradient. impl/<vendor>/functions/pool_avg.cpp includes this file.
#ifndef IMPL_COMMON_FAMILIES_POOL_AVG_HPP_
#define IMPL_COMMON_FAMILIES_POOL_AVG_HPP_

#include "arguments/pool_avg.hpp"
#include "impl/common/families/pooling.hpp"

namespace impl::DIOPI_VENDOR {

template <typename Args>
Status read_averaging(const Args& args, const int64_t* divisor_override, Averaging* averaging) {
  DIOPI_TRY(require_countable_windows(args.windows, {"kernel_size", args.kernel_size}));
  averaging->count_padding = args.count_include_pad;
  if (divisor_override != nullptr) averaging->divisor = *divisor_override;
  return diopiSuccess;
}

template <typename Args>
Status sliding_avg_pool(diopiContextHandle_t ctx, const Args& args, int spatial, const int64_t* divisor_override) {
  Averaging averaging;
  DIOPI_TRY(read_averaging(args, divisor_override, &averaging));
  return avg_pool(ctx, args.windows, averaging, args.out, args.input, spatial);
}

template <typename Args>
Status sliding_avg_pool_backward(diopiContextHandle_t ctx, const Args& args, int spatial,
                                 const int64_t* divisor_override) {
  Averaging averaging;
  DIOPI_TRY(read_averaging(args, divisor_override, &averaging));
  return avg_pool_backward(ctx, args.windows, averaging, args.grad_input, args.grad_output, spatial);
}

inline Status run(diopiContextHandle_t ctx, diopi::AvgPool1dArgs& args) {
  return sliding_avg_pool(ctx, args, 1, nullptr);
}
inline Status run(diopiContextHandle_t ctx, diopi::AvgPool2dArgs& args) {
  return sliding_avg_pool(ctx, args, 2, args.divisor_override);
}
inline Status run(diopiContextHandle_t ctx, diopi::AvgPool3dArgs& args) {
  return sliding_avg_pool(ctx, args, 3, args.divisor_override);
}
inline Status run(diopiContextHandle_t ctx, diopi::AvgPool1dBackwardArgs& args) {
  return sliding_avg_pool_backward(ctx, args, 1, nullptr);
}
inline Status run(diopiContextHandle_t ctx, diopi::AvgPool2dBackwardArgs& args) {
  return sliding_avg_pool_backward(ctx, args, 2, args.divisor_override);
}
inline Status run(diopiContextHandle_t ctx, diopi::AvgPool3dBackwardArgs& args) {
  return sliding_avg_pool_backward(ctx, args, 3, args.divisor_override);
}

}  // namespace impl::DIOPI_VENDOR

#include "functions/pool_avg.hpp"

#endif  // IMPL_COMMON_FAMILIES_POOL_AVG_HPP_
