// SPDX-License-Identifier: BSD-3-Clause
// Channels: dimension 1 of a tensor, and vectors with one element for each channel.
#ifndef IMPL_CUDA_ENGINE_CHANNELS_HPP_
#define IMPL_CUDA_ENGINE_CHANNELS_HPP_

#include "impl/common/temporary.hpp"
#include "impl/cuda/engine/norm.hpp"
#include "impl/cuda/kernels/norm/channel_norm.hpp"

namespace impl::cuda {

// A vector as an operand that broadcasts to the shape of `like`.
inline TensorView per_channel(TensorView vector, const TensorView& like) {
  while (vector.ndim() < like.ndim() - 1) vector = vector.unsqueeze(vector.ndim());
  return vector;
}
// The same for a vector that may be null: then all elements are `number`.
inline RowInput per_channel(const TensorView* vector, double number, const TensorView& like) {
  return vector != nullptr ? RowInput(per_channel(*vector, like)) : RowInput(number);
}

// A float64 temporary with one element for each channel.
inline Status make_channels(diopiContextHandle_t ctx, const TensorView& input, TensorView* vector) {
  Dims shape;
  shape.push_back(input.shape[1]);
  return diopi::make_temporary(ctx, shape, diopi_dtype_float64, "channels", vector);
}

// A fold of all dimensions but the channels.
inline FoldCall fold_channels(const TensorView& input) {
  FoldCall fold;
  fold.shape = input.shape;
  fold.mask = ((1u << input.ndim()) - 1) & ~2u;
  return fold;
}

// A float64 temporary with 1 / sqrt(variance + eps) of each channel.
Status invert_deviation(diopiContextHandle_t ctx, const TensorView& variance, double eps, TensorView* inverse);

// Does what ChannelNormCall says for all dtypes and strides. Given statistics are a mean and a variance or an inverse
// deviation.
Status norm_channels(diopiContextHandle_t ctx, const ChannelNormCall& call);

}  // namespace impl::cuda

#endif  // IMPL_CUDA_ENGINE_CHANNELS_HPP_
