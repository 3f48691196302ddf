// SPDX-License-Identifier: BSD-3-Clause
// capture: the arguments of each call, the memory of its inputs and that of its outputs, in files.
#include <atomic>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <vector>

#include "adaptor/layer/tensors/describe.hpp"
#include "adaptor/layer/library/library.hpp"
#include "adaptor/layer/tensors/memory_share.hpp"
#include "adaptor/layer/modes/capture_file.hpp"
#include "adaptor/layer/modes/modes.hpp"
#include "adaptor/layer/reference/reference.hpp"
#include "adaptor/layer/tensors/snapshot.hpp"
#include "impl/common/dtype.hpp"

namespace diopi::layer {

namespace {

constexpr uintptr_t kAlignmentUnit = 64;

struct GeneratorState {
  bool given = false;
  uint64_t seed = 0, offset = 0;
};

GeneratorState state_of(diopiGeneratorHandle_t generator) {
  GeneratorState state;
  state.given =
      generator != nullptr && diopiGeneratorGetSeedAndOffset(generator, &state.seed, &state.offset) == diopiSuccess;
  return state;
}

// A call before it is made.
struct Captured : Kept {
  MemoryShare memory;
  Snapshot snapshot;
  std::vector<GeneratorState> generators;  // in the order of the parameters
  std::vector<int64_t> numbers;            // what pointers to numbers pointed to, by parameter
};

// The operator may write the numbers.
void keep_numbers(const Call& call, std::vector<int64_t>* numbers) {
  numbers->resize(static_cast<size_t>(call.function.num_parameters));
  for (int i = 0; i < call.function.num_parameters; ++i) {
    const Parameter& p = call.function.parameters[i];
    const void* const given = p.points_to_number() ? call.value<const void*>(i) : nullptr;
    if (given != nullptr) std::memcpy(&(*numbers)[static_cast<size_t>(i)], given, p.bytes_of_number());
  }
}

bool is_generator(const Parameter& p) { return p.kind == Kind::kGenerator || p.kind == Kind::kGeneratorList; }

// The line of the index.
class Line {
 public:
  Line(const Call& call, const Captured& captured) : call_(call), captured_(captured) {}

  std::string text(const std::string& file, const std::vector<int64_t>& before, const std::vector<int64_t>& after);

 private:
  void add_argument(int parameter);
  void add_number(int parameter);
  void add_numbers_after();
  void add_tensors(int parameter);
  void add_tensor(const char* key, int parameter, int64_t index, Snapshot::Part part);
  void add_generator(const char* key, diopiGeneratorHandle_t generator);
  void add_sizes(const char* key, const Dims& dims);
  void add_position(const char* key, int64_t position);
  int64_t number_of(diopiConstTensorHandle_t handle);

  const Call& call_;
  const Captured& captured_;
  Json json_;
  std::vector<diopiConstTensorHandle_t> handles_;
  size_t generator_ = 0;
};

std::string Line::text(const std::string& file, const std::vector<int64_t>& before, const std::vector<int64_t>& after) {
  json_.open().add("call", call_.number).add("operator", call_.function.name).add("inside", call_.depth > 0);
  json_.add("status", static_cast<int64_t>(call_.status));
  if (file.empty()) {
    json_.add_null("file");
  } else {
    json_.add("file", file);
  }
  json_.open("arguments");
  for (int i = 0; i < call_.function.num_parameters; ++i) add_argument(i);
  json_.close();
  if (call_.status == diopiSuccess) add_numbers_after();
  json_.open("storages", '[');
  const auto& storages = captured_.snapshot.storages();
  for (size_t i = 0; i < storages.size(); ++i) {
    json_.open().add("bytes", static_cast<int64_t>(storages[i].end - storages[i].begin));
    json_.add("device", storages[i].on_host ? "host" : "device");
    json_.add("alignment", static_cast<int64_t>(storages[i].begin % kAlignmentUnit));
    add_position("before", before[i]);
    add_position("after", after[i]);
    json_.close();
  }
  return json_.close().close().text();
}

void Line::add_position(const char* key, int64_t position) {
  if (position < 0) {
    json_.add_null(key);
  } else {
    json_.add(key, position);
  }
}

void Line::add_argument(int parameter) {
  const Parameter& p = call_.function.parameters[parameter];
  if (p.holds_tensors()) return add_tensors(parameter);
  if (p.points_to_number()) return add_number(parameter);
  if (!is_generator(p)) return layer::add_argument(&json_, call_, parameter);
  if (p.kind == Kind::kGenerator) return add_generator(p.name, call_.generator(parameter, 0));
  if (call_.value<const void*>(parameter) == nullptr) {
    json_.add_null(p.name);
    return;
  }
  json_.open(p.name, '[');
  for (int64_t i = 0; i < call_.count(parameter); ++i) add_generator(nullptr, call_.generator(parameter, i));
  json_.close();
}

// The number before the call.
void Line::add_number(int parameter) {
  std::vector<const void*> values(call_.values, call_.values + call_.function.num_parameters);
  const void* const kept = &captured_.numbers[static_cast<size_t>(parameter)];
  if (call_.value<const void*>(parameter) != nullptr) values[static_cast<size_t>(parameter)] = &kept;
  Call before = call_;
  before.values = values.data();
  layer::add_argument(&json_, before, parameter);
}

// The numbers that the operator has stored through pointers.
void Line::add_numbers_after() {
  json_.open("numbers_after");
  for (int i = 0; i < call_.function.num_parameters; ++i) {
    const Parameter& p = call_.function.parameters[i];
    const bool stored = p.points_to_number() && is_written(p) && call_.value<const void*>(i) != nullptr;
    if (stored) layer::add_argument(&json_, call_, i);
  }
  json_.close();
}

void Line::add_generator(const char* key, diopiGeneratorHandle_t generator) {
  const GeneratorState before = captured_.generators[generator_++], after = state_of(generator);
  if (!before.given) {
    json_.add_null(key);
    return;
  }
  json_.open(key).add("seed", std::to_string(before.seed)).add("offset", std::to_string(before.offset));
  json_.add("seed_after", std::to_string(after.seed)).add("offset_after", std::to_string(after.offset)).close();
}

void Line::add_tensors(int parameter) {
  const Parameter& p = call_.function.parameters[parameter];
  if (p.kind == Kind::kTensor) return add_tensor(p.name, parameter, 0, Snapshot::kWhole);
  if (call_.value<const void*>(parameter) == nullptr) {
    json_.add_null(p.name);
    return;
  }
  json_.open(p.name, '[');
  for (int64_t i = 0; i < call_.count(parameter); ++i) add_tensor(nullptr, parameter, i, Snapshot::kWhole);
  json_.close();
}

void Line::add_sizes(const char* key, const Dims& dims) {
  json_.open(key, '[');
  for (const int64_t size : dims) json_.add(nullptr, size);
  json_.close();
}

// Arguments that are the same handle have the same number.
int64_t Line::number_of(diopiConstTensorHandle_t handle) {
  for (size_t i = 0; i < handles_.size(); ++i) {
    if (handles_[i] == handle) return static_cast<int64_t>(i);
  }
  handles_.push_back(handle);
  return static_cast<int64_t>(handles_.size()) - 1;
}

void Line::add_tensor(const char* key, int parameter, int64_t index, Snapshot::Part part) {
  const Snapshot::Tensor* const tensor = captured_.snapshot.find(parameter, index, part);
  int64_t storage_offset = 0;
  if (tensor == nullptr) {
    json_.add_null(key);
    return;
  }
  json_.open(key);
  if (tensor->sparse) json_.add("sparse", true);
  json_.add("dtype", dtype_name(tensor->view.dtype));
  add_sizes("shape", tensor->view.shape);
  if (tensor->sparse) {
    json_.add("handle", number_of(tensor->handle));
    for (const auto each : {Snapshot::kCrowIndices, Snapshot::kColIndices, Snapshot::kValues}) {
      add_tensor(Snapshot::name_of(each), parameter, index, each);
    }
    json_.close();
    return;
  }
  add_sizes("stride", tensor->view.stride);
  json_.add("device", tensor->on_host ? "host" : "device").add("handle", number_of(tensor->handle));
  if (tensor->storage < 0) {
    json_.add_null("storage").add_null("offset");
  } else {
    const auto& storage = captured_.snapshot.storages()[static_cast<size_t>(tensor->storage)];
    json_.add("storage", static_cast<int64_t>(tensor->storage));
    json_.add("offset", static_cast<int64_t>(reinterpret_cast<uintptr_t>(tensor->view.data) - storage.begin));
  }
  if (diopiGetTensorStorageOffset(tensor->handle, &storage_offset) == diopiSuccess) {
    json_.add("storage_offset", storage_offset);
  }
  json_.close();
}

class Capture : public Mode {
 public:
  std::unique_ptr<Kept> before(const Call& call) override {
    if (ended_) return nullptr;
    const OperatorScope scope(call.function.name);
    auto captured = std::make_unique<Captured>();
    if (call.context() == nullptr) return refuse(call, "it has no context");
    if (!captured->snapshot.describe(call).ok()) return refuse(call, last_error());
    const auto bytes = captured->snapshot.bytes([](const auto& t) { return t.read; }) +
                       captured->snapshot.bytes([](const auto& t) { return t.written; });
    if (!captured->memory.take(bytes)) return refuse(call, "its copies exceed the limit of memory");
    keep_numbers(call, &captured->numbers);
    if (!captured->snapshot.copy_before(call.context()).ok()) return refuse(call, last_error());
    for (int i = 0; i < call.function.num_parameters; ++i) {
      if (!is_generator(call.function.parameters[i])) continue;
      for (int64_t k = 0; k < call.count(i); ++k) captured->generators.push_back(state_of(call.generator(i, k)));
    }
    return captured;
  }

  void after(const Call& call, Kept* kept) override {
    if (kept == nullptr || ended_) return;
    const OperatorScope scope(call.function.name);
    auto* const captured = static_cast<Captured*>(kept);
    if (call.status == diopiSuccess) {
      Status copied = captured->snapshot.describe_created(call);
      if (copied.ok()) copied = captured->snapshot.copy_after(call.context(), false);
      if (!copied.ok()) {
        refuse(call, last_error());
        return;
      }
    }
    if (!write(call, *captured)) ended_ = true;
  }

 private:
  static std::unique_ptr<Kept> refuse(const Call& call, const char* reason) {
    note("capture: %s is not captured: %s", call.function.name, reason);
    return nullptr;
  }

  bool write(const Call& call, const Captured& captured) {
    if (!begin()) return false;
    const std::string name = std::to_string(call.number) + ".bin";
    CaptureFile file(run_folder() + "/capture/" + name);
    std::vector<int64_t> before, after;
    for (const auto& storage : captured.snapshot.storages()) {
      const auto bytes = static_cast<int64_t>(storage.end - storage.begin);
      for (auto* const positions : {&before, &after}) {
        const auto& image = positions == &before ? storage.before : storage.after;
        positions->push_back(-1);
        if (image == nullptr) continue;
        const auto* const begin = reinterpret_cast<const void*>(storage.begin);  // NOLINT(performance-no-int-to-ptr)
        positions->back() = file.write(image->at(begin), bytes);
        if (positions->back() < 0) return false;
      }
    }
    if (!file.finish()) return false;
    return index_.line(Line(call, captured).text(file.is_empty() ? "" : name, before, after));
  }

  // The folder and the first line of the index.
  bool begin() {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (begun_) return true;
    const std::string folder = run_folder() + "/capture";
    std::error_code error;
    if (run_folder().empty()) return false;
    std::filesystem::create_directories(folder, error);
    if (error) {
      note("nothing can be written to %s: %s", folder.c_str(), error.message().c_str());
      return false;
    }
    Json json;
    json.open().add("format", "diopi-capture").add("version", 1).add("byte_order", "little");
    begun_ = index_.line(json.add("library", library_path()).close().text());
    return begun_;
  }

  std::mutex mutex_;
  bool begun_ = false;
  std::atomic<bool> ended_{false};
  File index_{"capture/index.jsonl"};
};

}  // namespace

std::unique_ptr<Mode> make_capture() { return std::make_unique<Capture>(); }

}  // namespace diopi::layer
