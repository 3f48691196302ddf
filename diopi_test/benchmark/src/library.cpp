// SPDX-License-Identifier: BSD-3-Clause
#include "library.hpp"

#include <cmath>
#include <cstring>

#include "process_info.hpp"

namespace diopi_bench {
namespace {

diopiSize_t size_of(const std::vector<int64_t>& values) { return {values.data(), static_cast<int64_t>(values.size())}; }

}  // namespace

void check(diopiError_t status, const char* what) {
  if (status != diopiSuccess) throw std::runtime_error(std::string(what) + ": " + diopirtGetLastErrorString());
}

Library::Library(const std::string& path) {
  check(diopirtLoadLibrary(path.c_str(), &library_), "loading the library");
  check(diopirtCreateContext(library_, &context_), "making a context");
  check(diopirtCreateGenerator(1, &generator_), "making a generator");
  set_openmp_threads_ = reinterpret_cast<void (*)(int)>(find_symbol(path, "omp_set_num_threads"));
}

void Library::set_threads(int threads) {
  if (set_openmp_threads_ != nullptr) set_openmp_threads_(threads);
}

std::string Library::version() {
  const auto vendor = find<const char* (*)()>("diopiGetVendorName");
  const auto version = find<const char* (*)()>("diopiGetImplVersion");
  return std::string(vendor ? vendor() : "?") + " " + (version ? version() : "?");
}

void Library::synchronize() {
  if (!on_device_) return;
  if (const diopiError_t status = diopirtSynchronize(context_); status != diopiSuccess) fail(status);
}

Call Library::prepare(const Operands& operands) {
  const PrepareDiopi prepare = find_diopi_call(operands.op);
  return prepare ? prepare(*this, operands) : Call();
}

void Library::set_up(const Operands& operands) {
  const PrepareDiopi prepare = find_diopi_setup(operands.op);
  if (prepare == nullptr) return;
  const Call call = prepare(*this, operands);
  if (!call) throw std::runtime_error("the library lacks what the case is set up with");
  call(1, false);
}

void Library::release() {
  for (diopiTensorHandle_t handle : handles_) diopirtReleaseTensor(handle);
  handles_.clear();
  diopirtClearTemporaries(context_);
  diopirtReleaseCachedMemory(context_);
  clears_ = false;
}

diopiTensorHandle_t Library::tensor(const Operands& operands, const std::string& name) {
  const Tensor* tensor = operands.find(name);
  if (tensor == nullptr) return nullptr;
  const diopiSize_t strides = size_of(tensor->strides);
  diopiTensorHandle_t handle = nullptr;
  const int64_t bytes = tensor->storage_bytes - (tensor->data - tensor->storage);
  check(diopirtWrapMemory(context_, tensor->data, bytes, size_of(tensor->shape), &strides, tensor->dtype, diopi_device,
                          nullptr, nullptr, &handle),
        name.c_str());
  handles_.push_back(handle);
  return handle;
}

void Library::find_out_whether_temporaries_are_used() {
  diopirtContextStatistics_t statistics;
  check(diopirtGetContextStatistics(context_, &statistics), "reading the context's statistics");
  clears_ = statistics.live_temporaries > 0;
  diopirtClearTemporaries(context_);
}

void Library::store(diopiConstTensorHandle_t result, const Tensor& output) {
  const void* data = nullptr;
  check(diopiGetTensorDataConst(result, &data), "reading a result");
  if (data == output.data) return;
  const int64_t bytes = output.numel() * element_size(output.dtype);
  if (!on_device_) return check(diopirtCopyToHost(context_, result, output.data, bytes), "copying a result");
  std::vector<char> elements(bytes);
  check(diopirtCopyToHost(context_, result, elements.data(), bytes), "copying a result");
  diopiTensorHandle_t memory = nullptr;
  check(diopirtWrapMemory(context_, output.data, bytes, {&bytes, 1}, nullptr, diopi_dtype_uint8, diopi_device, nullptr,
                          nullptr, &memory),
        output.name.c_str());
  const diopiError_t status = diopirtCopyFromHost(context_, memory, elements.data(), bytes);
  diopirtReleaseTensor(memory);
  check(status, "copying a result");
}

void Library::fail(diopiError_t status) const {
  const char* message = nullptr;
  diopirtGetVendorErrorString(library_, &message);
  const std::string text = "error " + std::to_string(status) + ": " + (message ? message : "");
  if (on_device_ && status == diopiNoImplement) throw NotOnDevice(text);
  throw std::runtime_error(text);
}

diopiScalar_t make_scalar(double value, diopiDtype_t dtype) {
  const bool is_floating = dtype == diopi_dtype_float16 || dtype == diopi_dtype_bfloat16 ||
                           dtype == diopi_dtype_float32 || dtype == diopi_dtype_float64 || value != std::floor(value);
  diopiScalar_t scalar;
  scalar.stype = is_floating ? diopi_dtype_float64 : diopi_dtype_int64;
  if (is_floating) {
    scalar.fval = value;
  } else {
    scalar.ival = static_cast<int64_t>(value);
  }
  return scalar;
}

}  // namespace diopi_bench
