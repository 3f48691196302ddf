// SPDX-License-Identifier: BSD-3-Clause
#include "adaptor/layer/tensors/describe.hpp"

#include <diopi/diopirt.h>

#include "impl/common/dtype.hpp"

namespace diopi::layer {

namespace {

void add_numbers(Json* json, const char* key, const diopiSize_t& size) {
  json->open(key, '[');
  for (int64_t i = 0; size.data != nullptr && i < size.len; ++i) json->add(nullptr, size.data[i]);
  json->close();
}

void add_scalar(Json* json, const char* key, const diopiScalar_t* scalar) {
  if (scalar == nullptr) {
    json->add_null(key);
    return;
  }
  json->open(key).add("stype", dtype_text(scalar->stype));
  if (is_floating(scalar->stype)) {
    json->add("value", scalar->fval);
  } else {
    json->add("value", scalar->ival);
  }
  json->close();
}

void add_tensors(Json* json, const Call& call, int parameter) {
  const Parameter& p = call.function.parameters[parameter];
  if (p.kind == Kind::kTensor) return add_tensor(json, p.name, call.tensor(parameter, 0));
  if (call.value<const void*>(parameter) == nullptr) {
    json->add_null(p.name);
    return;
  }
  json->open(p.name, '[');
  for (int64_t i = 0; i < call.count(parameter); ++i) {
    add_tensor(json, nullptr, p.kind == Kind::kCreated && call.end == 0 ? nullptr : call.tensor(parameter, i));
  }
  json->close();
}

void add_generators(Json* json, const Call& call, int parameter) {
  const Parameter& p = call.function.parameters[parameter];
  json->open(p.name, '[');
  for (int64_t i = 0; i < call.count(parameter); ++i) {
    const diopiGeneratorHandle_t generator = call.generator(parameter, i);
    uint64_t seed = 0, offset = 0;
    if (generator == nullptr || diopiGeneratorGetSeedAndOffset(generator, &seed, &offset) != diopiSuccess) {
      json->add_null(nullptr);
      continue;
    }
    json->open().add("seed", std::to_string(seed)).add("offset", std::to_string(offset)).close();
  }
  json->close();
}

// An argument that is a number or a text, or points to one.
void add_plain(Json* json, const Call& call, int parameter) {
  const Parameter& p = call.function.parameters[parameter];
  const bool optional = p.kind == Kind::kOptionalBool || p.kind == Kind::kOptionalInt64 ||
                        p.kind == Kind::kOptionalFloat64 || p.kind == Kind::kOptionalSize || p.kind == Kind::kText ||
                        p.kind == Kind::kPointer;
  if (optional && call.value<const void*>(parameter) == nullptr) {
    json->add_null(p.name);
    return;
  }
  switch (p.kind) {
    case Kind::kBool:
      json->add(p.name, call.value<bool>(parameter));
      break;
    case Kind::kInt32:
      json->add(p.name, static_cast<int64_t>(call.value<int32_t>(parameter)));
      break;
    case Kind::kInt64:
      json->add(p.name, call.value<int64_t>(parameter));
      break;
    case Kind::kFloat32:
      json->add(p.name, static_cast<double>(call.value<float>(parameter)));
      break;
    case Kind::kFloat64:
      json->add(p.name, call.value<double>(parameter));
      break;
    case Kind::kText:
      json->add(p.name, call.value<const char*>(parameter));
      break;
    case Kind::kSize:
      add_numbers(json, p.name, call.value<diopiSize_t>(parameter));
      break;
    case Kind::kOptionalSize:
      add_numbers(json, p.name, *call.value<const diopiSize_t*>(parameter));
      break;
    case Kind::kOptionalBool:
      json->add(p.name, *call.value<const bool*>(parameter));
      break;
    case Kind::kOptionalInt64:
      json->add(p.name, *call.value<const int64_t*>(parameter));
      break;
    case Kind::kOptionalFloat64:
      json->add(p.name, *call.value<const double*>(parameter));
      break;
    default:
      json->add(p.name, "pointer");
      break;
  }
}

}  // namespace

const char* dtype_text(diopiDtype_t dtype) { return dtype_name(dtype); }

void add_tensor(Json* json, const char* key, diopiConstTensorHandle_t tensor) {
  diopiSize_t shape{nullptr, 0}, stride{nullptr, 0};
  diopiDtype_t dtype = diopi_dtype_unsupported;
  diopiDevice_t device = diopi_device;
  const void* data = nullptr;
  int64_t offset = 0;
  if (tensor == nullptr) {
    json->add_null(key);
    return;
  }
  json->open(key);
  if (diopiGetTensorDtype(tensor, &dtype) == diopiSuccess) json->add("dtype", dtype_text(dtype));
  if (diopiGetTensorShape(tensor, &shape) == diopiSuccess) add_numbers(json, "shape", shape);
  if (diopiGetTensorStride(tensor, &stride) == diopiSuccess) add_numbers(json, "stride", stride);
  if (diopiGetTensorDevice(tensor, &device) == diopiSuccess) {
    json->add("device", device == diopi_host ? "host" : "device");
  }
  if (diopiGetTensorDataConst(tensor, &data) == diopiSuccess) {
    json->add("data", static_cast<int64_t>(reinterpret_cast<intptr_t>(data)));
  }
  if (diopiGetTensorStorageOffset(tensor, &offset) == diopiSuccess) json->add("offset", offset);
  json->close();
}

void add_argument(Json* json, const Call& call, int parameter) {
  const Parameter& p = call.function.parameters[parameter];
  switch (p.kind) {
    case Kind::kContext:
      return;
    case Kind::kTensor:
    case Kind::kTensorList:
    case Kind::kCreated:
      add_tensors(json, call, parameter);
      return;
    case Kind::kGenerator:
    case Kind::kGeneratorList:
      add_generators(json, call, parameter);
      return;
    case Kind::kScalar:
      add_scalar(json, p.name, call.value<const diopiScalar_t*>(parameter));
      return;
    default:
      add_plain(json, call, parameter);
      return;
  }
}

}  // namespace diopi::layer
