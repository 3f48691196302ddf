// SPDX-License-Identifier: BSD-3-Clause
#include "session.hpp"

namespace {

void check_runtime(diopiError_t code) {
  if (code != diopiSuccess) throw Failure(diopirtGetLastErrorString());
}

}  // namespace

Shape shape_of(diopiConstTensorHandle_t tensor) {
  diopiSize_t size{nullptr, 0};
  check_runtime(diopiGetTensorShape(tensor, &size));
  return {size.data, size.data + size.len};
}

diopiScalar_t scalar(double value) {
  diopiScalar_t result{};
  result.stype = diopi_dtype_float64;
  result.fval = value;
  return result;
}

diopiScalar_t scalar(int64_t value) {
  diopiScalar_t result{};
  result.stype = diopi_dtype_int64;
  result.ival = value;
  return result;
}

Session::Session(const std::string& library, uint64_t seed) {
  try {
    check_runtime(diopirtLoadLibrary(library.c_str(), &library_));
    load_operators();
    check_runtime(diopirtCreateContext(library_, &context_));
    check_runtime(diopirtCreateGenerator(seed, &generator_));
  } catch (...) {
    close();
    throw;
  }
}

Session::~Session() { close(); }

void Session::close() {
  views_.clear();
  diopirtDestroyGenerator(generator_);
  diopirtDestroyContext(context_);
  if (library_ != nullptr) diopirtUnloadLibrary(library_);
}

void Session::load_operators() {
  diopirtFunction_t function = nullptr;
#define TRAIN_DIGITS_FIND(name)                                          \
  check_runtime(diopirtGetFunction(library_, "diopi" #name, &function)); \
  op.name = reinterpret_cast<decltype(op.name)>(function);
  TRAIN_DIGITS_OPERATORS(TRAIN_DIGITS_FIND)
#undef TRAIN_DIGITS_FIND
}

// The vendor's message begins with the operator's name. A failure of the runtime inside the call has its own message.
void Session::check(diopiError_t code) const {
  if (code == diopiSuccess) return;
  throw Failure("error " + std::to_string(code) + ": " + op.GetLastErrorString() + " " + diopirtGetLastErrorString());
}

Tensor Session::tensor(const Shape& shape, diopiDtype_t dtype) {
  diopiTensorHandle_t result = nullptr;
  check_runtime(diopirtCreateTensor(context_, sizes(shape), nullptr, dtype, diopi_device, &result));
  return Tensor(result);
}

diopiTensorHandle_t Session::temporary(const Shape& shape, diopiDtype_t dtype) {
  diopiTensorHandle_t result = nullptr;
  const diopiSize_t size = sizes(shape);
  check_runtime(diopiRequireTensor(context_, &result, &size, nullptr, dtype, diopi_device));
  return result;
}

diopiTensorHandle_t Session::view(diopiTensorHandle_t base, const Shape& shape, int64_t offset) {
  diopiTensorHandle_t result = nullptr;
  check_runtime(diopirtCreateView(base, sizes(shape), nullptr, offset, &result));
  views_.emplace_back(result);
  return result;
}

Tensor Session::strided(diopiTensorHandle_t base, const Shape& shape, const Shape& stride) {
  diopiTensorHandle_t result = nullptr;
  const diopiSize_t strides = sizes(stride);
  check_runtime(diopirtCreateView(base, sizes(shape), &strides, 0, &result));
  return Tensor(result);
}

void Session::end_step() {
  views_.clear();
  check_runtime(diopirtClearTemporaries(context_));
}

void Session::upload(diopiTensorHandle_t tensor, const void* data, size_t bytes) {
  check_runtime(diopirtCopyFromHost(context_, tensor, data, bytes));
}

void Session::download(diopiTensorHandle_t tensor, void* data, size_t bytes) {
  check_runtime(diopirtCopyToHost(context_, tensor, data, bytes));
}

std::string Session::vendor() const { return std::string(op.GetVendorName()) + " " + op.GetImplVersion(); }
