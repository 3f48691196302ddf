// SPDX-License-Identifier: BSD-3-Clause
#include "adaptor/layer/tensors/elements.hpp"

#include <algorithm>
#include <cinttypes>
#include <cstdio>
#include <cstring>
#include <memory>

#include "adaptor/entry/fallback/device.hpp"
#include "adaptor/entry/fallback/runs.hpp"

namespace diopi::layer {

namespace {

template <typename T>
T load(const char* memory) {
  T value;
  std::memcpy(&value, memory, sizeof(value));
  return value;
}

std::string number_text(double value) {
  char text[40];
  std::snprintf(text, sizeof(text), "%.9g", value);
  return text;
}

template <typename T>
std::string complex_text(const char* memory) {
  const auto imaginary = static_cast<double>(static_cast<float>(load<T>(memory + sizeof(T))));
  return number_text(static_cast<double>(static_cast<float>(load<T>(memory)))) + (imaginary < 0 ? "" : "+") +
         number_text(imaginary) + "j";
}

std::string element_text(diopiDtype_t dtype, const char* memory) {
  switch (dtype) {
    case diopi_dtype_int8:
      return std::to_string(load<int8_t>(memory));
    case diopi_dtype_uint8:
      return std::to_string(load<uint8_t>(memory));
    case diopi_dtype_int16:
      return std::to_string(load<int16_t>(memory));
    case diopi_dtype_uint16:
      return std::to_string(load<uint16_t>(memory));
    case diopi_dtype_int32:
      return std::to_string(load<int32_t>(memory));
    case diopi_dtype_uint32:
      return std::to_string(load<uint32_t>(memory));
    case diopi_dtype_int64:
      return std::to_string(load<int64_t>(memory));
    case diopi_dtype_uint64:
      return std::to_string(load<uint64_t>(memory));
    case diopi_dtype_bool:
      return load<uint8_t>(memory) != 0 ? "true" : "false";
    case diopi_dtype_float16:
      return number_text(static_cast<double>(static_cast<float>(load<float16>(memory))));
    case diopi_dtype_bfloat16:
      return number_text(static_cast<double>(static_cast<float>(load<bfloat16>(memory))));
    case diopi_dtype_float32:
      return number_text(static_cast<double>(load<float>(memory)));
    case diopi_dtype_float64:
      return number_text(load<double>(memory));
    case diopi_dtype_complex64:
      return complex_text<float>(memory);
    case diopi_dtype_complex128:
      return complex_text<double>(memory);
    default:
      return "?";
  }
}

// Copies bytes of a tensor to the host.
class Reader {
 public:
  Reader(diopiContextHandle_t ctx, diopiConstTensorHandle_t tensor) : device_(ctx), tensor_(tensor) {}

  Status open(TensorView* view) {
    bool sparse = false;
    if (diopiIsTensorSparse(tensor_, &sparse) != diopiSuccess) sparse = false;
    DIOPI_REQUIRE(!sparse, diopiNoImplement, "the tensor is sparse");
    DIOPI_TRY(read_tensor(tensor_, "tensor", view));
    DIOPI_REQUIRE(view->itemsize() > 0, diopiDtypeNotSupported, "%s cannot be stored", dtype_name(view->dtype));
    DIOPI_REQUIRE(view->numel == 0 || view->data != nullptr, diopiErrorOccurred, "the tensor has no memory");
    diopiDevice_t device = diopi_device;
    if (diopiGetTensorDevice(tensor_, &device) != diopiSuccess) device = diopi_device;
    on_host_ = device == diopi_host;
    return on_host_ ? Status() : device_.open();
  }
  Status copy(char* host, const char* memory, int64_t bytes) {
    if (!on_host_) return device_.to_host(host, memory, static_cast<uint64_t>(bytes));
    std::memcpy(host, memory, static_cast<size_t>(bytes));
    return diopiSuccess;
  }
  Status wait() { return on_host_ ? Status() : device_.wait(); }

 private:
  fallback::Device device_;
  diopiConstTensorHandle_t tensor_;
  bool on_host_ = false;
};

}  // namespace

Status first_elements(diopiContextHandle_t ctx, diopiConstTensorHandle_t tensor, int64_t count,
                      std::vector<std::string>* elements) {
  Reader reader(ctx, tensor);
  TensorView view;
  DIOPI_TRY(reader.open(&view));
  const int64_t n = std::min(count, view.numel);
  const int64_t size = view.itemsize();
  std::vector<char> memory(static_cast<size_t>(n * size));
  for (int64_t i = 0; i < n; ++i) {
    int64_t rest = i, offset = 0;
    for (int d = view.ndim() - 1; d >= 0; --d) {
      offset += rest % view.shape[d] * view.stride[d];
      rest /= view.shape[d];
    }
    DIOPI_TRY(reader.copy(memory.data() + i * size, view.data + offset * size, size));
  }
  DIOPI_TRY(reader.wait());
  for (int64_t i = 0; i < n; ++i) elements->push_back(element_text(view.dtype, memory.data() + i * size));
  return diopiSuccess;
}

Status visit_elements(diopiContextHandle_t ctx, diopiConstTensorHandle_t tensor, int64_t chunk, const Visit& visit) {
  Reader reader(ctx, tensor);
  TensorView view;
  DIOPI_TRY(reader.open(&view));
  const int64_t size = view.itemsize();
  const int64_t most = std::max(chunk / size, int64_t{1}) * size;
  const fallback::Runs runs(view);
  std::vector<char> memory;
  return runs.visit(0, [&](int64_t begin, int64_t bytes) -> Status {
    for (int64_t done = 0; done < bytes; done += most) {
      const int64_t part = std::min(most, bytes - done);
      memory.resize(static_cast<size_t>(part));
      DIOPI_TRY(reader.copy(memory.data(), view.data + begin + done, part));
      DIOPI_TRY(reader.wait());
      visit(view, begin + done, memory.data(), part);
    }
    return diopiSuccess;
  });
}

std::vector<int64_t> index_at(const TensorView& view, int64_t offset) {
  std::vector<int64_t> index(static_cast<size_t>(view.ndim()), 0);
  std::vector<int> order;
  for (int d = 0; d < view.ndim(); ++d) {
    if (view.shape[d] > 1 && view.stride[d] != 0) order.push_back(d);
  }
  std::sort(order.begin(), order.end(), [&](int a, int b) { return view.stride[a] > view.stride[b]; });
  for (const int d : order) {
    index[static_cast<size_t>(d)] = std::min(offset / view.stride[d], view.shape[d] - 1);
    offset -= index[static_cast<size_t>(d)] * view.stride[d];
  }
  return index;
}

}  // namespace diopi::layer
