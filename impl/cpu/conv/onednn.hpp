// SPDX-License-Identifier: BSD-3-Clause
// Declarations shared by onednn.cpp and onednn_weights.cpp.
#ifndef IMPL_CPU_CONV_ONEDNN_HPP_
#define IMPL_CPU_CONV_ONEDNN_HPP_

#include "impl/cpu/conv/conv.hpp"
#include "impl/cpu/onednn/program_cache.hpp"

namespace impl::cpu {

onednn::Key conv_key(const ConvProblem& problem);
// Builds the primitive of the weights' gradient. It writes float32 for every dtype of the operands.
void build_backward_weights(onednn::Program& program, const void* problem);

// The same in two programs, for problems that differ only in their output channels: the first program copies the images
// to the layout of the primitive, the second one reads the copy. The copy is the workspace of the first program, which
// has no workspace if the images have that layout already.
struct ImagesAndChannels {
  ConvProblem images;    // for which the images were copied
  ConvProblem channels;  // which is computed
};
void build_images(onednn::Program& program, const void* problem);             // a ConvProblem
void build_weights_of_images(onednn::Program& program, const void* problem);  // ImagesAndChannels

// Computes the gradient of the weights. No operand may have a stride of 0 that repeats elements.
SkipReason conv_onednn_weights(const ConvProblem& problem, Status* status);

}  // namespace impl::cpu

#endif  // IMPL_CPU_CONV_ONEDNN_HPP_
