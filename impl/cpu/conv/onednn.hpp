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

// Computes the gradient of the weights. No operand may have a stride of 0 that repeats elements.
SkipReason conv_onednn_weights(const ConvProblem& problem, Status* status);

}  // namespace impl::cpu

#endif  // IMPL_CPU_CONV_ONEDNN_HPP_
