// SPDX-License-Identifier: BSD-3-Clause
// What convolutions and transposed convolutions share.
#ifndef IMPL_COMMON_FAMILIES_CONV_OPERANDS_HPP_
#define IMPL_COMMON_FAMILIES_CONV_OPERANDS_HPP_

#include "impl/common/checked.hpp"
#include "impl/common/engine/conv.hpp"
#include "impl/common/engine/copy.hpp"
#include "impl/common/engine/reduce.hpp"
#include "impl/common/families/fill_number.hpp"
#include "impl/common/step_memory.hpp"

namespace impl::DIOPI_VENDOR {

// Adds the dimension of the batch if the tensor lacks it.
inline TensorView batched(const TensorView& image, int spatial) {
  return image.ndim() == spatial + 1 ? image.unsqueeze(0) : image;
}

// Requires that an image with its padding can be stored. A stride or a dilation that is never used becomes 1, because
// implementations may refuse other values.
inline Status finish_windows(const diopiSize_t& padding, ConvCall* call) {
  diopi::Dims padded;
  padded.push_back(call->src.shape[1]);
  for (int i = 0; i < call->windows.spatial; ++i) {
    diopi::Window& w = call->windows.at(i);
    int64_t extent = 0;
    const bool fits = diopi::padded_extent(w.in, w.padding, &extent);
    padded.push_back(fits ? extent : INT64_MAX);
    if (w.out == 1) w.stride = 1;
    if (w.kernel == 1) w.dilation = 1;
  }
  int64_t numel = 0;
  DIOPI_REQUIRE(diopi::count_elements(padded, &numel), diopiErrorOccurred,
                "padding = %s makes an image of shape %s, which is more than 2^63 bytes", diopi::Text(padding).c_str(),
                diopi::Text(padded).c_str());
  return diopiSuccess;
}

// Writes the value of sums without terms: the bias of each channel, or 0.
inline Status fill_bias(diopiContextHandle_t ctx, const TensorView& images, const std::optional<TensorView>& bias) {
  if (!bias) return fill_number(ctx, images, 0);
  TensorView expanded = *bias;
  while (expanded.ndim() < images.ndim() - 1) expanded = expanded.unsqueeze(expanded.ndim());
  return copy(ctx, images, expanded);
}

// grad_bias = the sum of the output's gradient over images and positions.
inline Status sum_channels(diopiContextHandle_t ctx, const TensorView& grad_bias, const TensorView& grad_output) {
  const uint32_t all = (1u << grad_output.ndim()) - 1;
  return run_reduce(ctx, ReduceOp::kSum, grad_bias, grad_output, all & ~2u, diopi::compute_dtype(grad_output.dtype));
}

// Requires that the sizes of the bias are those of its gradient.
template <typename Args>
Status require_bias_sizes(const Args& args, int64_t channels) {
  if (!args.grad_bias || args.bias_sizes == nullptr) return diopiSuccess;
  const diopiSize_t& sizes = *args.bias_sizes;
  DIOPI_REQUIRE(sizes.len == 1 && sizes.data[0] == channels, diopiErrorOccurred, "bias_sizes = %s, expected [%lld]",
                diopi::Text(sizes).c_str(), static_cast<long long>(channels));
  return diopiSuccess;
}

}  // namespace impl::DIOPI_VENDOR

#endif  // IMPL_COMMON_FAMILIES_CONV_OPERANDS_HPP_
