// SPDX-License-Identifier: BSD-3-Clause
#include "adaptor/layer/modes/trace_text.hpp"

#include <cstring>
#include <vector>

#include "adaptor/layer/tensors/describe.hpp"
#include "adaptor/layer/tensors/elements.hpp"
#include "impl/common/error.hpp"

namespace diopi::layer {

namespace {

constexpr int64_t kElements = 8;

std::string list_text(const diopiSize_t& size) {
  std::string text = "[";
  for (int64_t i = 0; i < size.len; ++i) text += (i > 0 ? ", " : "") + std::to_string(size.data[i]);
  return text + "]";
}

bool is_contiguous(const diopiSize_t& shape, const diopiSize_t& stride) {
  int64_t expected = 1;
  for (int64_t i = shape.len - 1; i >= 0; --i) {
    if (shape.data[i] != 1 && stride.data[i] != expected) return shape.data[i] == 0;
    expected *= shape.data[i];
  }
  return true;
}

std::string tensor_text(const Call& call, diopiConstTensorHandle_t tensor, bool elements) {
  if (tensor == nullptr) return "null";
  diopiSize_t shape{nullptr, 0}, stride{nullptr, 0};
  diopiDtype_t dtype = diopi_dtype_unsupported;
  diopiDevice_t device = diopi_device;
  if (diopiGetTensorDtype(tensor, &dtype) != diopiSuccess || diopiGetTensorShape(tensor, &shape) != diopiSuccess) {
    return "?";
  }
  std::string text = dtype_text(dtype) + list_text(shape);
  if (diopiGetTensorStride(tensor, &stride) == diopiSuccess && stride.len == shape.len &&
      !is_contiguous(shape, stride)) {
    text += " stride " + list_text(stride);
  }
  if (diopiGetTensorDevice(tensor, &device) == diopiSuccess && device == diopi_host) text += " on host";
  if (elements) text += "{" + elements_text(call, tensor) + "}";
  return text;
}

// The text of an argument that stands for no tensor, as in JSON.
std::string plain_text(const Call& call, int parameter) {
  Json json;
  json.open();
  add_argument(&json, call, parameter);
  json.close();
  const size_t skipped = std::strlen(call.function.parameters[parameter].name) + 5;  // {"name":
  const std::string& text = json.text();
  return text.size() > skipped ? text.substr(skipped, text.size() - skipped - 1) : "?";
}

std::string argument_text(const Call& call, int parameter, bool elements) {
  const Parameter& p = call.function.parameters[parameter];
  const bool with = elements && has_inputs(p);
  if (p.kind == Kind::kTensor) return tensor_text(call, call.tensor(parameter, 0), with);
  if (p.kind == Kind::kCreated) return "created";
  if (p.kind != Kind::kTensorList) return plain_text(call, parameter);
  if (call.value<const void*>(parameter) == nullptr) return "null";
  std::string text = "[";
  for (int64_t i = 0; i < call.count(parameter); ++i) {
    text += (i > 0 ? ", " : "") + tensor_text(call, call.tensor(parameter, i), with);
  }
  return text + "]";
}

}  // namespace

bool has_inputs(const Parameter& parameter) {
  return parameter.holds_tensors() &&
         (parameter.direction == Direction::kIn || parameter.direction == Direction::kInOut);
}

bool has_outputs(const Parameter& parameter) {
  return parameter.holds_tensors() &&
         (parameter.direction == Direction::kOut || parameter.direction == Direction::kInOut);
}

std::string elements_text(const Call& call, diopiConstTensorHandle_t tensor) {
  std::vector<std::string> elements;
  if (!first_elements(call.context(), tensor, kElements, &elements).ok()) return last_error();
  std::string text;
  for (const std::string& element : elements) text += (text.empty() ? "" : ", ") + element;
  int64_t count = 0;
  if (diopiGetTensorNumel(tensor, &count) == diopiSuccess && count > kElements) text += ", ...";
  return text;
}

std::string arguments_text(const Call& call, bool elements) {
  std::string text;
  for (int i = 0; i < call.function.num_parameters; ++i) {
    const Parameter& p = call.function.parameters[i];
    if (p.kind == Kind::kContext) continue;
    text += (text.empty() ? "" : ", ") + std::string(p.name) + "=" + argument_text(call, i, elements);
  }
  return text;
}

std::string results_text(const Call& call) {
  std::string text;
  if (call.status != diopiSuccess) return text;
  for (int i = 0; i < call.function.num_parameters; ++i) {
    const Parameter& p = call.function.parameters[i];
    if (!has_outputs(p) || (p.kind != Kind::kTensor && call.value<const void*>(i) == nullptr)) continue;
    for (int64_t j = 0; j < call.count(i); ++j) {
      const diopiConstTensorHandle_t tensor = call.tensor(i, j);
      if (tensor == nullptr) continue;
      text += (text.empty() ? " -> " : ", ") + std::string(p.name);
      text += "{" + elements_text(call, tensor) + "}";
    }
  }
  return text;
}

}  // namespace diopi::layer
