// SPDX-License-Identifier: BSD-3-Clause
// Arguments of a call in JSON.
#ifndef ADAPTOR_LAYER_TENSORS_DESCRIBE_HPP_
#define ADAPTOR_LAYER_TENSORS_DESCRIBE_HPP_

#include "adaptor/layer/call.hpp"
#include "adaptor/layer/output.hpp"

namespace diopi::layer {

// The name of a dtype as in diopi_dtype_<name>.
const char* dtype_text(diopiDtype_t dtype);

// Adds {"dtype", "shape", "stride", "device", "data", "offset"} of a tensor, or null.
void add_tensor(Json* json, const char* key, diopiConstTensorHandle_t tensor);

// Adds the argument under the parameter's name, as a tensor, a list of tensors, a number, a list of numbers or a text.
void add_argument(Json* json, const Call& call, int parameter);

}  // namespace diopi::layer

#endif  // ADAPTOR_LAYER_TENSORS_DESCRIBE_HPP_
