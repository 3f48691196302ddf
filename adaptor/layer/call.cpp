// SPDX-License-Identifier: BSD-3-Clause
#include "adaptor/layer/call.hpp"

namespace diopi::layer {

int64_t Call::count(int parameter) const {
  const Parameter& p = function.parameters[parameter];
  if (p.length > 0) return p.length;
  if (p.count < 0) return 1;
  return function.parameters[p.count].kind == Kind::kInt32 ? value<int32_t>(p.count) : value<int64_t>(p.count);
}

diopiConstTensorHandle_t Call::tensor(int parameter, int64_t index) const {
  if (function.parameters[parameter].kind == Kind::kTensor) return value<diopiConstTensorHandle_t>(parameter);
  const auto* const list = value<const diopiConstTensorHandle_t*>(parameter);
  return list != nullptr ? list[index] : nullptr;
}

diopiGeneratorHandle_t Call::generator(int parameter, int64_t index) const {
  if (function.parameters[parameter].kind == Kind::kGenerator) return value<diopiGeneratorHandle_t>(parameter);
  const auto* const list = value<const diopiGeneratorHandle_t*>(parameter);
  return list != nullptr ? list[index] : nullptr;
}

diopiContextHandle_t Call::context() const {
  for (int i = 0; i < function.num_parameters; ++i) {
    if (function.parameters[i].kind == Kind::kContext) return value<diopiContextHandle_t>(i);
  }
  return nullptr;
}

}  // namespace diopi::layer
