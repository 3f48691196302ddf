// SPDX-License-Identifier: BSD-3-Clause
// The begin and the end of a call: the host library, arguments, status.
#include "adaptor/entry/fallback/call.hpp"

#include <cstring>

#include "adaptor/entry/fallback/setting.hpp"
#include "impl/common/runtime_call.hpp"

namespace diopi::fallback {

namespace {

// The message of an operator without the operator's name, which the entry of this library adds again.
const char* without_name(const char* message) {
  const char* const name = OperatorScope::current();
  const size_t length = name != nullptr ? std::strlen(name) : 0;
  const bool named =
      length > 0 && std::strncmp(message, name, length) == 0 && std::strncmp(message + length, ": ", 2) == 0;
  return named ? message + length + 2 : message;
}

bool is_on_host(diopiConstTensorHandle_t handle) {
  diopiDevice_t device = diopi_device;
  return diopiGetTensorDevice != nullptr && diopiGetTensorDevice(handle, &device) == diopiSuccess &&
         device == diopi_host;
}

bool is_sparse(diopiConstTensorHandle_t handle) {
  bool sparse = false;
  return diopiIsTensorSparse != nullptr && diopiIsTensorSparse(handle, &sparse) == diopiSuccess && sparse;
}

}  // namespace

Call::~Call() {
  if (library_ == nullptr) return;
  for (const Tensor& tensor : tensors_) library_->diopirtReleaseTensor(tensor.host);
  for (const Generator& generator : generators_) library_->diopirtDestroyGenerator(generator.host);
  if (host_ctx_ != nullptr) library_->diopirtDestroyContext(host_ctx_);
}

Status Call::open_untyped(void** function) {
  DIOPI_TRY(require_allowed());
  const HostLibrary* library = nullptr;
  DIOPI_TRY(host_library(&library));
  DIOPI_TRY(find_operator(*library, row_->name, function));
  DIOPI_TRY(device_.open());
  library_ = library;
  const diopiError_t code = library->diopirtCreateContext(nullptr, &host_ctx_);
  return code == diopiSuccess ? Status() : runtime_failed("a context");
}

template <typename Handle>
Status Call::announce(const char* name, Access access, const Handle* list, int64_t count, bool is_list) {
  const bool given = is_list ? list != nullptr : *list != nullptr;
  arguments_.push_back({tensors_.size(), count, given});
  for (int64_t i = 0; i < count; ++i) {
    const diopiConstTensorHandle_t handle = list != nullptr ? list[i] : nullptr;
    DIOPI_TRY(add_tensor(name, access, handle));
  }
  return diopiSuccess;
}

template Status Call::announce(const char*, Access, const diopiTensorHandle_t*, int64_t, bool);
template Status Call::announce(const char*, Access, const diopiConstTensorHandle_t*, int64_t, bool);

Status Call::add_tensor(const char* name, Access access, diopiConstTensorHandle_t handle) {
  tensors_.emplace_back();
  Tensor& added = tensors_.back();
  added.access = access;
  added.given = handle != nullptr;
  if (handle == nullptr) return diopiSuccess;
  if (is_sparse(handle)) return add_sparse(name, handle);
  added.on_host = is_on_host(handle);
  added.plain_copy = added.on_host && keeps_all_;
  if (added.plain_copy) added.on_host = false;
  return read_tensor(handle, name, &added.view);
}

// The three parts of a sparse tensor follow it in tensors_.
Status Call::add_sparse(const char* name, diopiConstTensorHandle_t handle) {
  diopiSize_t shape{nullptr, 0};
  diopiConstTensorHandle_t crow = nullptr, col = nullptr, values = nullptr;
  DIOPI_TRY_RUNTIME(name, diopiGetTensorShape, handle, &shape);
  DIOPI_TRY_RUNTIME(name, diopiGetTensorCrowIndices, handle, &crow);
  DIOPI_TRY_RUNTIME(name, diopiGetTensorColIndices, handle, &col);
  DIOPI_TRY_RUNTIME(name, diopiGetTensorValues, handle, &values);
  DIOPI_REQUIRE(shape.len >= 0 && shape.len <= kMaxDims, diopiErrorOccurred,
                "%s has %lld dimensions; at most %d are supported", name, static_cast<long long>(shape.len), kMaxDims);
  tensors_.back().sparse = true;
  tensors_.back().sparse_shape = Dims(shape);
  for (const diopiConstTensorHandle_t part : {crow, col, values}) DIOPI_TRY(add_tensor(name, kRead, part));
  return diopiSuccess;
}

Status Call::create(const char* name, const diopiTensorHandle_t* results, int64_t count) {
  arguments_.push_back({results_.size(), count, results != nullptr});
  for (int64_t i = 0; i < count; ++i) results_.push_back({name, nullptr, nullptr, TensorView(), nullptr});
  result_handles_.resize(results_.size() + 1);
  return diopiSuccess;
}

Status Call::generators(const char* name, const diopiGeneratorHandle_t* list, int64_t count) {
  arguments_.push_back({generators_.size(), count, list != nullptr});
  for (int64_t i = 0; i < count; ++i) {
    Generator added{list != nullptr ? list[i] : nullptr, nullptr, 0};
    if (added.given != nullptr) {
      DIOPI_REQUIRE(diopiGeneratorGetSeedAndOffset != nullptr && diopiGeneratorSetSeedAndOffset != nullptr,
                    diopiErrorOccurred, "%s: the runtime lacks diopiGeneratorGetSeedAndOffset, which the host needs",
                    name);
    }
    generators_.push_back(added);
  }
  return diopiSuccess;
}

diopiTensorHandle_t* Call::results(int argument) {
  const Argument& results = arguments_[argument];
  return results.given ? &result_handles_[results.first] : nullptr;
}

diopiGeneratorHandle_t* Call::generator_list(int argument) {
  const Argument& list = arguments_[argument];
  return list.given ? &generator_handles_[list.first] : nullptr;
}

Status Call::finish(diopiError_t status) {
  if (status != diopiSuccess) return host_failed(status);
  DIOPI_TRY(take_results());
  DIOPI_TRY(advance_generators());
  DIOPI_TRY(copy_out());
  const auto duration = std::chrono::steady_clock::now() - begin_;
  const bool first = row_->add(reason_, moved_, std::chrono::duration_cast<std::chrono::nanoseconds>(duration).count());
  if (first && setting() == Setting::kWarn) warn(row_->name, reason_);
  return diopiSuccess;
}

void Call::deliver(int argument, diopiTensorHandle_t* results) const {
  const Argument& created = arguments_[argument];
  for (int64_t i = 0; created.given && i < created.count; ++i) {
    if (results_[created.first + i].made != nullptr) results[i] = results_[created.first + i].made;
  }
}

bool has_dtype(const diopiConstTensorHandle_t* list, int64_t count, uint32_t mask) {
  for (int64_t i = 0; list != nullptr && i < count; ++i) {
    diopiDtype_t dtype = diopi_dtype_unsupported;
    if (list[i] == nullptr || diopiGetTensorDtype(list[i], &dtype) != diopiSuccess) continue;
    const auto bit = static_cast<uint32_t>(dtype);
    if (bit < 32 && (mask >> bit & 1) != 0) return true;
  }
  return false;
}

Status Call::host_failed(diopiError_t status) const { return fail(status, "%s", without_name(library_->last_error())); }

Status Call::runtime_failed(const char* what) const {
  return fail(diopiErrorOccurred, "the host cannot make %s: %s", what, library_->diopirtGetLastErrorString());
}

}  // namespace diopi::fallback
