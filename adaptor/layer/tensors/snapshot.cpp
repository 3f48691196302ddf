// SPDX-License-Identifier: BSD-3-Clause
#include "adaptor/layer/tensors/snapshot.hpp"

#include <algorithm>
#include <cstring>

#include "adaptor/entry/fallback/device.hpp"
#include "adaptor/entry/fallback/runs.hpp"
#include "adaptor/layer/reference/reference.hpp"
#include "impl/common/runtime_call.hpp"

namespace diopi::layer {

namespace {

constexpr int64_t kJoin = 4096;  // docs/layer.md states it

uintptr_t begin_of(const Snapshot::Tensor& tensor) { return reinterpret_cast<uintptr_t>(tensor.view.data); }

}  // namespace

const char* Snapshot::name_of(Part part) {
  constexpr const char* kNames[] = {"", "crow_indices", "col_indices", "values"};
  return kNames[part];
}

Status Snapshot::add(const Call& call, int parameter, int64_t index, Part part, diopiConstTensorHandle_t handle) {
  const Parameter& p = call.function.parameters[parameter];
  diopiDevice_t device = diopi_device;
  bool sparse = false;
  if (handle == nullptr) return diopiSuccess;
  tensors_.push_back({parameter, index, part, handle, is_read(p), is_written(p), false, false, TensorView(), -1});
  Tensor& added = tensors_.back();
  if (part != kWhole || diopiIsTensorSparse(handle, &sparse) != diopiSuccess || !sparse) {
    added.on_host = diopiGetTensorDevice(handle, &device) == diopiSuccess && device == diopi_host;
    return read_tensor(handle, p.name, &added.view);
  }
  added.sparse = true;
  diopiSize_t shape{nullptr, 0};
  diopiConstTensorHandle_t parts[3] = {};
  DIOPI_TRY_RUNTIME(p.name, diopiGetTensorDtype, handle, &added.view.dtype);
  DIOPI_TRY_RUNTIME(p.name, diopiGetTensorShape, handle, &shape);
  DIOPI_REQUIRE(shape.len >= 0 && shape.len <= kMaxDims, diopiErrorOccurred, "%s has too many dimensions", p.name);
  added.view.shape = Dims(shape);
  DIOPI_TRY_RUNTIME(p.name, diopiGetTensorCrowIndices, handle, &parts[0]);
  DIOPI_TRY_RUNTIME(p.name, diopiGetTensorColIndices, handle, &parts[1]);
  DIOPI_TRY_RUNTIME(p.name, diopiGetTensorValues, handle, &parts[2]);
  for (int i = 0; i < 3; ++i) DIOPI_TRY(add(call, parameter, index, static_cast<Part>(i + 1), parts[i]));
  return diopiSuccess;
}

Status Snapshot::describe(const Call& call) {
  for (int i = 0; i < call.function.num_parameters; ++i) {
    const Parameter& p = call.function.parameters[i];
    if (!p.holds_tensors() || p.kind == Kind::kCreated) continue;
    for (int64_t k = 0; k < call.count(i); ++k) DIOPI_TRY(add(call, i, k, kWhole, call.tensor(i, k)));
  }
  make_storages(0);
  return diopiSuccess;
}

Status Snapshot::describe_created(const Call& call) {
  const size_t first = tensors_.size();
  for (int i = 0; i < call.function.num_parameters; ++i) {
    if (call.function.parameters[i].kind != Kind::kCreated) continue;
    for (int64_t k = 0; k < call.count(i); ++k) DIOPI_TRY(add(call, i, k, kWhole, call.tensor(i, k)));
  }
  make_storages(first);
  return diopiSuccess;
}

void Snapshot::make_storages(size_t first) {
  std::vector<size_t> order;
  for (size_t i = first; i < tensors_.size(); ++i) {
    if (!tensors_[i].sparse && tensors_[i].view.numel > 0) order.push_back(i);
  }
  std::sort(order.begin(), order.end(),
            [&](size_t a, size_t b) { return begin_of(tensors_[a]) < begin_of(tensors_[b]); });
  const size_t first_storage = storages_.size();
  for (const size_t i : order) {
    Tensor& tensor = tensors_[i];
    const uintptr_t begin = begin_of(tensor);
    const uintptr_t end = begin + static_cast<uintptr_t>(fallback::Runs(tensor.view).span());
    if (storages_.size() == first_storage || storages_.back().end <= begin) {
      storages_.push_back({begin, end, tensor.on_host, false, false, nullptr, nullptr});
    }
    Storage& storage = storages_.back();
    storage.end = std::max(storage.end, end);
    storage.read = storage.read || tensor.read;
    storage.written = storage.written || tensor.written;
    tensor.storage = static_cast<int>(storages_.size()) - 1;
  }
}

Status Snapshot::copy(diopiContextHandle_t ctx, bool after, bool all) {
  fallback::Device device(ctx);
  DIOPI_TRY(device.open());
  for (const bool on_host : {false, true}) {  // what the stream still writes to the host is complete after wait()
    for (const Tensor& tensor : tensors_) {
      const bool chosen = all || (after ? tensor.written : tensor.read);
      if (tensor.storage < 0 || !chosen || tensor.on_host != on_host) continue;
      Storage& storage = storages_[static_cast<size_t>(tensor.storage)];
      std::unique_ptr<fallback::Image>& image = after ? storage.after : storage.before;
      if (image == nullptr) {
        image = std::make_unique<fallback::Image>(storage.begin, storage.end);
        DIOPI_TRY(image->allocate());
      }
      DIOPI_TRY(fallback::Runs(tensor.view).visit(on_host ? 0 : kJoin, [&](int64_t offset, int64_t bytes) -> Status {
        const char* const from = tensor.view.data + offset;
        if (!on_host) return device.to_host(image->at(from), from, static_cast<uint64_t>(bytes));
        std::memcpy(image->at(from), from, static_cast<size_t>(bytes));
        return diopiSuccess;
      }));
    }
    if (!on_host) DIOPI_TRY(device.wait());
  }
  return diopiSuccess;
}

Status Snapshot::copy_before(diopiContextHandle_t ctx) { return copy(ctx, false, false); }

Status Snapshot::copy_after(diopiContextHandle_t ctx, bool all) { return copy(ctx, true, all); }

const Snapshot::Tensor* Snapshot::find(int parameter, int64_t index, Part part) const {
  for (const Tensor& tensor : tensors_) {
    if (tensor.parameter == parameter && tensor.index == index && tensor.part == part) return &tensor;
  }
  return nullptr;
}

TensorView Snapshot::after(const Tensor& tensor) const {
  TensorView view = tensor.view;
  if (tensor.storage >= 0) view.data = storages_[static_cast<size_t>(tensor.storage)].after->at(view.data);
  return view;
}

}  // namespace diopi::layer
