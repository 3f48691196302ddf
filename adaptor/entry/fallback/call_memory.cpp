// SPDX-License-Identifier: BSD-3-Clause
// The data of a call: images of the device's memory, tensors on them, generators, and the way back.
#include <algorithm>
#include <cstring>

#include "adaptor/entry/fallback/call.hpp"
#include "adaptor/entry/fallback/runs.hpp"
#include "impl/common/runtime_call.hpp"

namespace diopi::fallback {

namespace {

// Runs that are at most this far apart are read with one copy. Results are written without what is between them,
// because another thread may write there.
constexpr int64_t kJoin = 4096;

diopiSize_t size_of(const Dims& dims) { return {dims.v, dims.n}; }

}  // namespace

Status Call::copy_in() {
  DIOPI_TRY(make_images());
  for (const Tensor& tensor : tensors_) {
    if (!tensor.plain_copy) DIOPI_TRY(fetch(tensor));
  }
  DIOPI_TRY(device_.wait());
  for (const Tensor& tensor : tensors_) {
    if (tensor.plain_copy) DIOPI_TRY(fetch(tensor));
  }
  DIOPI_TRY(make_tensors());
  return make_generators();
}

Status Call::fetch(const Tensor& tensor) {
  if (!tensor.given || tensor.sparse || tensor.on_host || !is_fetched(tensor.access) || tensor.view.numel == 0) {
    return diopiSuccess;
  }
  const Image& image = images_[tensor.image];
  return Runs(tensor.view).visit(tensor.plain_copy ? 0 : kJoin, [&](int64_t offset, int64_t bytes) -> Status {
    moved_ += bytes;
    const char* const from = tensor.view.data + offset;
    if (!tensor.plain_copy) return device_.to_host(image.at(from), from, static_cast<uint64_t>(bytes));
    std::memcpy(image.at(from), from, static_cast<size_t>(bytes));
    return diopiSuccess;
  });
}

// One image for each set of tensors whose addresses overlap.
Status Call::make_images() {
  std::vector<std::pair<uintptr_t, size_t>> begins;
  for (size_t i = 0; i < tensors_.size(); ++i) {
    const Tensor& tensor = tensors_[i];
    if (!tensor.given || tensor.sparse || tensor.on_host || tensor.view.numel == 0) continue;
    begins.emplace_back(reinterpret_cast<uintptr_t>(tensor.view.data), i);
  }
  std::sort(begins.begin(), begins.end());
  for (const auto& [begin, i] : begins) {
    const uintptr_t end = begin + static_cast<uintptr_t>(Runs(tensors_[i].view).span());
    if (images_.empty() || images_.back().end() <= begin) {
      images_.emplace_back(begin, end);
    } else {
      images_.back().extend(end);
    }
    tensors_[i].image = images_.size() - 1;
  }
  for (Image& image : images_) DIOPI_TRY(image.allocate());
  return diopiSuccess;
}

Status Call::make_tensors() {
  for (size_t i = tensors_.size(); i-- > 0;) {  // the parts of a sparse tensor come before the tensor
    Tensor& tensor = tensors_[i];
    if (!tensor.given) continue;
    if (!tensor.sparse) {
      DIOPI_TRY(wrap(&tensor));
      continue;
    }
    const diopiError_t code = library_->diopirtCreateSparseCsr(
        tensors_[i + 1].host, tensors_[i + 2].host, tensors_[i + 3].host, size_of(tensor.sparse_shape), &tensor.host);
    if (code != diopiSuccess) return runtime_failed("a sparse tensor");
  }
  for (const Tensor& tensor : tensors_) handles_.push_back(tensor.host);
  handles_.push_back(nullptr);  // an empty list at the end has an address, too
  return diopiSuccess;
}

Status Call::wrap(Tensor* tensor) {
  static char nothing[1];
  const TensorView& view = tensor->view;
  char* data = view.data;
  if (view.numel == 0) {
    data = nothing;
  } else if (!tensor->on_host) {
    data = images_[tensor->image].at(view.data);
  }
  const diopiSize_t stride = size_of(view.stride);
  const auto bytes = static_cast<size_t>(Runs(view).span());
  const diopiError_t code = library_->diopirtWrapMemory(host_ctx_, data, bytes, size_of(view.shape), &stride,
                                                        view.dtype, diopi_device, nullptr, nullptr, &tensor->host);
  return code == diopiSuccess ? Status() : runtime_failed(view.name);
}

// A generator that is given twice is one generator of the host, too.
Status Call::make_generators() {
  generator_handles_.resize(generators_.size() + 1);  // an empty list at the end has an address, too
  for (size_t i = 0; i < generators_.size(); ++i) {
    Generator& generator = generators_[i];
    uint64_t seed = 0;
    if (generator.given == nullptr) continue;
    const auto same = [&](const Generator& other) { return other.given == generator.given; };
    const auto first =
        static_cast<size_t>(std::find_if(generators_.begin(), generators_.end(), same) - generators_.begin());
    if (first < i) {
      generator_handles_[i] = generator_handles_[first];
      continue;
    }
    DIOPI_TRY_RUNTIME("generator", diopiGeneratorGetSeedAndOffset, generator.given, &seed, &generator.offset);
    if (library_->diopirtCreateGenerator(seed, &generator.host) != diopiSuccess ||
        library_->diopiGeneratorSetSeedAndOffset(generator.host, seed, generator.offset) != diopiSuccess) {
      return runtime_failed("a generator");
    }
    generator_handles_[i] = generator.host;
  }
  return diopiSuccess;
}

bool Call::read_result(diopiTensorHandle_t result, TensorView* view) const {
  diopiSize_t shape{nullptr, 0}, stride{nullptr, 0};
  const void* data = nullptr;
  if (library_->diopiGetTensorShape(result, &shape) != diopiSuccess ||
      library_->diopiGetTensorStride(result, &stride) != diopiSuccess ||
      library_->diopiGetTensorDtype(result, &view->dtype) != diopiSuccess ||
      library_->diopiGetTensorNumel(result, &view->numel) != diopiSuccess ||
      library_->diopiGetTensorDataConst(result, &data) != diopiSuccess) {
    return false;
  }
  view->shape = Dims(shape);
  view->stride = Dims(stride);
  view->data = const_cast<char*>(static_cast<const char*>(data));
  return true;
}

bool Call::computed(int argument, int64_t index, int part, TensorView* view) const {
  const Tensor& tensor = tensors_[arguments_[argument].first + static_cast<size_t>(index + part)];
  if (!tensor.given || tensor.sparse) return false;
  *view = tensor.view;
  if (!tensor.on_host && tensor.view.numel > 0) view->data = images_[tensor.image].at(tensor.view.data);
  return true;
}

bool Call::created(int argument, int64_t index, TensorView* view) const {
  const diopiTensorHandle_t result = result_handles_[arguments_[argument].first + static_cast<size_t>(index)];
  return result != nullptr && read_result(result, view);
}

bool Call::state(int argument, int64_t index, uint64_t* seed, uint64_t* offset) const {
  const diopiGeneratorHandle_t host = generator_handles_[arguments_[argument].first + static_cast<size_t>(index)];
  return host != nullptr && library_->diopiGeneratorGetSeedAndOffset(host, seed, offset) == diopiSuccess;
}

// Requires a tensor of the device for each tensor that the operator has created.
Status Call::take_results() {
  for (size_t i = 0; i < results_.size(); ++i) {
    Result& result = results_[i];
    result.host = result_handles_[i];
    if (result.host == nullptr) continue;
    void* to = nullptr;
    if (!read_result(result.host, &result.from)) return runtime_failed(result.name);
    const diopiSize_t shape = size_of(result.from.shape), stride = size_of(result.from.stride);
    DIOPI_TRY_RUNTIME(result.name, diopiRequireTensor, ctx_, &result.made, &shape, &stride, result.from.dtype,
                      diopi_device);
    DIOPI_TRY_RUNTIME(result.name, diopiGetTensorData, result.made, &to);
    result.to = static_cast<char*>(to);
  }
  return diopiSuccess;
}

Status Call::advance_generators() {
  for (const Generator& generator : generators_) {
    if (generator.host == nullptr) continue;
    uint64_t seed = 0, offset = 0;
    if (library_->diopiGeneratorGetSeedAndOffset(generator.host, &seed, &offset) != diopiSuccess) {
      return runtime_failed("the state of a generator");
    }
    if (offset == generator.offset) continue;
    DIOPI_TRY_RUNTIME("generator", diopiGeneratorSetSeedAndOffset, generator.given, seed, offset);
  }
  return diopiSuccess;
}

Status Call::copy_out() {
  const auto send = [&](char* to, const char* from, int64_t bytes) {
    moved_ += bytes;
    return device_.to_device(to, from, static_cast<uint64_t>(bytes));
  };
  for (const Tensor& tensor : tensors_) {
    if (!tensor.given || tensor.sparse || tensor.on_host || !is_sent(tensor.access) || tensor.view.numel == 0) continue;
    const Image& image = images_[tensor.image];
    DIOPI_TRY(Runs(tensor.view).visit(0, [&](int64_t offset, int64_t bytes) {
      char* const to = tensor.view.data + offset;
      return send(to, image.at(to), bytes);
    }));
  }
  for (const Result& result : results_) {
    if (result.host == nullptr || result.from.numel == 0) continue;
    DIOPI_TRY(Runs(result.from).visit(0, [&](int64_t offset, int64_t bytes) {
      return send(result.to + offset, result.from.data + offset, bytes);
    }));
  }
  return device_.wait();
}

}  // namespace diopi::fallback
