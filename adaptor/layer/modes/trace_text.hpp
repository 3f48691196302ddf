// SPDX-License-Identifier: BSD-3-Clause
// A call as one readable line.
#ifndef ADAPTOR_LAYER_MODES_TRACE_TEXT_HPP_
#define ADAPTOR_LAYER_MODES_TRACE_TEXT_HPP_

#include <string>

#include "adaptor/layer/call.hpp"

namespace diopi::layer {

// `out=float32[2, 3], alpha={"stype": "float32", "value": 1}`; with `elements`, `input=float32[2]{1, 2}` for inputs.
std::string arguments_text(const Call& call, bool elements);

// ` -> out{11, 22}`: the first elements of the outputs after the call.
std::string results_text(const Call& call);

// The first elements of a tensor with commas, or why they cannot be read.
std::string elements_text(const Call& call, diopiConstTensorHandle_t tensor);

// Whether the elements of a parameter's tensors are of interest before the call (else after it).
bool has_inputs(const Parameter& parameter);
bool has_outputs(const Parameter& parameter);

}  // namespace diopi::layer

#endif  // ADAPTOR_LAYER_MODES_TRACE_TEXT_HPP_
