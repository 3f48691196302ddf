// SPDX-License-Identifier: BSD-3-Clause
// What the two files of oneDNN's convolutions share.
#pragma once

#include "conv.hpp"
#include "onednn_cache.hpp"

namespace impl::cpu {

onednn::Key conv_key(const ConvProblem& problem);
// Writes a float32 gradient, whatever the dtype of the operands.
void build_backward_weights(onednn::Program& program, const void* problem);

// The gradient of the weights, of operands that oneDNN can step through.
Declined conv_onednn_weights(const ConvProblem& problem, Status* status);

}  // namespace impl::cpu
