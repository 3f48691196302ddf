// SPDX-License-Identifier: BSD-3-Clause
#include "adaptor/layer/reference/reference.hpp"

#include <cstring>
#include <mutex>

#include "adaptor/layer/settings.hpp"

namespace diopi::layer {

namespace {

void choose_reference() {
  static std::once_flag once;
  std::call_once(once, [] {
    if (!settings().reference.empty()) fallback::use_host_file(settings().reference.c_str());
  });
}

bool is_const(const Parameter& parameter) { return std::strstr(parameter.type, "Const") != nullptr; }

}  // namespace

const char* reference_path() {
  return settings().reference.empty() ? "diopi/libdiopi_host.so" : settings().reference.c_str();
}

Status find_in_reference(const char* name) {
  choose_reference();
  const fallback::HostLibrary* library = nullptr;
  void* function = nullptr;
  DIOPI_TRY(fallback::host_library(&library));
  return fallback::find_operator(*library, name, &function);
}

bool is_read(const Parameter& parameter) {
  return is_const(parameter) || parameter.direction != Direction::kOut || parameter.sometimes_written;
}

bool is_written(const Parameter& parameter) {
  return !is_const(parameter) && (parameter.direction == Direction::kOut || parameter.direction == Direction::kInOut);
}

Status ReferenceCall::announce(int parameter) {
  const Parameter& p = call_.function.parameters[parameter];
  switch (p.kind) {
    case Kind::kTensor: {
      const auto tensor = call_.value<diopiTensorHandle_t>(parameter);
      if (!is_written(p)) return host_.read(p.name, tensor);
      return is_read(p) ? host_.update(p.name, tensor) : host_.write(p.name, tensor);
    }
    case Kind::kTensorList: {
      const auto* const list = call_.value<const diopiTensorHandle_t*>(parameter);
      const int64_t count = call_.count(parameter);
      if (!is_written(p)) return host_.read(p.name, call_.value<const diopiConstTensorHandle_t*>(parameter), count);
      return is_read(p) ? host_.update(p.name, list, count) : host_.write(p.name, list, count);
    }
    case Kind::kCreated:
      return host_.create(p.name, call_.value<const diopiTensorHandle_t*>(parameter), call_.count(parameter));
    case Kind::kGenerator: {
      const auto generator = call_.value<diopiGeneratorHandle_t>(parameter);
      return host_.generators(p.name, &generator, 1);
    }
    case Kind::kGeneratorList:
      return host_.generators(p.name, call_.value<const diopiGeneratorHandle_t*>(parameter), call_.count(parameter));
    default:
      announced_ -= 1;
      arguments_[static_cast<size_t>(parameter)] = -1;
      return diopiSuccess;
  }
}

Status ReferenceCall::open(bool keep_all) {
  choose_reference();
  DIOPI_TRY(host_.open(&function_));
  keeps_all_ = keep_all;
  if (keep_all) host_.keep_all();
  for (int i = 0; i < call_.function.num_parameters; ++i) {
    arguments_[static_cast<size_t>(i)] = announced_++;
    DIOPI_TRY(announce(i));
  }
  return host_.copy_in();
}

const void* ReferenceCall::own_number(int parameter) {
  const Parameter& p = call_.function.parameters[parameter];
  if (!keeps_all_ || !p.points_to_number() || !is_written(p)) return nullptr;
  const void* const given = call_.value<const void*>(parameter);
  if (given == nullptr) return nullptr;
  int64_t* const own = &numbers_[static_cast<size_t>(parameter)];
  std::memcpy(own, given, p.bytes_of_number());
  return own;
}

const char* ReferenceCall::number(int parameter) const {
  const Parameter& p = call_.function.parameters[parameter];
  if (!p.points_to_number() || !is_written(p) || call_.value<const void*>(parameter) == nullptr) return nullptr;
  return reinterpret_cast<const char*>(&numbers_[static_cast<size_t>(parameter)]);
}

diopiError_t ReferenceCall::run() {
  const Function& function = call_.function;
  std::vector<const void*> handles(static_cast<size_t>(function.num_parameters));
  numbers_.resize(static_cast<size_t>(function.num_parameters));
  std::vector<const void*> values(call_.values, call_.values + function.num_parameters);
  for (int i = 0; i < function.num_parameters; ++i) {
    const int number = argument(i);
    const void*& handle = handles[static_cast<size_t>(i)];
    switch (function.parameters[i].kind) {
      case Kind::kContext:
        handle = host_.context();
        break;
      case Kind::kTensor:
        handle = host_.tensor(number);
        break;
      case Kind::kTensorList:
        handle = host_.list(number);
        break;
      case Kind::kCreated:
        handle = host_.results(number);
        break;
      case Kind::kGenerator:
        handle = host_.generator(number);
        break;
      case Kind::kGeneratorList:
        handle = host_.generator_list(number);
        break;
      default:
        handle = own_number(i);
        if (handle == nullptr) continue;
        break;
    }
    values[static_cast<size_t>(i)] = &handle;
  }
  return function.apply(function_, values.data());
}

Status ReferenceCall::finish(diopiError_t status) {
  DIOPI_TRY(host_.finish(status));
  for (int i = 0; i < call_.function.num_parameters; ++i) {
    if (call_.function.parameters[i].kind != Kind::kCreated) continue;
    host_.deliver(argument(i), call_.value<diopiTensorHandle_t*>(i));
  }
  return diopiSuccess;
}

}  // namespace diopi::layer
