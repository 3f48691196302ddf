// SPDX-License-Identifier: BSD-3-Clause
#include "adaptor/layer/modes/time_table.hpp"

#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <utility>

#include "adaptor/layer/output.hpp"
#include "adaptor/layer/settings.hpp"
#include "adaptor/layer/tensors/describe.hpp"

namespace diopi::layer {

namespace {

constexpr size_t kMostRows = 10000;     // of a thread; more shapes of an operator share one row
constexpr int64_t kBytesOfEvent = 256;  // on disk, at most for usual shapes
constexpr int kDtypeBits = 8;           // of the number that has the rank, too
constexpr int64_t kDtypeMask = (1 << kDtypeBits) - 1;

// Takes room for `count` events of all threads; false if the limits of the settings are reached.
bool reserve_events(size_t count) {
  static std::atomic<int64_t> reserved{0};
  const Settings& given = settings();
  const auto bytes = static_cast<int64_t>(sizeof(TimeEvent));
  const int64_t most = std::min(given.disk / kBytesOfEvent, given.memory / 2 / bytes);
  return reserved.fetch_add(static_cast<int64_t>(count)) + static_cast<int64_t>(count) <= most;
}

// Shows the numbers of a tensor, until `see` returns false; then returns false.
template <typename See>
bool see_tensor(diopiConstTensorHandle_t tensor, See&& see) {
  diopiSize_t shape{nullptr, 0};
  diopiDtype_t dtype = diopi_dtype_unsupported;
  if (tensor == nullptr || diopiGetTensorShape(tensor, &shape) != diopiSuccess ||
      diopiGetTensorDtype(tensor, &dtype) != diopiSuccess) {
    return see(-1);
  }
  if (!see(shape.len << kDtypeBits | (static_cast<int64_t>(dtype) & kDtypeMask))) return false;
  for (int64_t i = 0; i < shape.len; ++i) {
    if (!see(shape.data[i])) return false;
  }
  return true;
}

// Shows the numbers of a call's key after that of the operator, until `see` returns false; then returns false.
template <typename See>
bool see_key(const Call& call, See&& see) {
  const Function& function = call.function;
  for (int i = 0; i < function.num_parameters; ++i) {
    const Kind kind = function.parameters[i].kind;
    if (kind == Kind::kTensor) {
      if (!see_tensor(call.value<diopiConstTensorHandle_t>(i), see)) return false;
    } else if (kind == Kind::kTensorList) {
      const int64_t count = call.count(i);
      if (!see(count)) return false;
      for (int64_t j = 0; j < count; ++j) {
        if (!see_tensor(call.tensor(i, j), see)) return false;
      }
    }
  }
  return true;
}

// Whether a call has the key of a row of its operator.
bool has_key(const Call& call, const TimeRow& row) {
  const int64_t* next = row.key.data() + 1;
  const int64_t* const end = row.key.data() + row.key.size();
  const auto see = [&](int64_t number) { return next != end && *next++ == number; };
  return !row.key.empty() && see_key(call, see) && next == end;
}

}  // namespace

ShapeKey::ShapeKey(const Call& call) {
  const auto add = [&](int64_t number) {
    if (size_ == kMost) return false;
    numbers_[size_++] = number;
    return true;
  };
  add(static_cast<int64_t>(&call.function - kFunctions));
  see_key(call, add);
}

bool ShapeKey::equals(const TimeRow& row) const {
  return row.key.size() == static_cast<size_t>(size_) && std::equal(begin(), end(), row.key.begin());
}

uint64_t ShapeKey::hash() const {
  uint64_t hash = 0;
  for (const int64_t number : *this) hash = (hash ^ static_cast<uint64_t>(number)) * 0x9e3779b97f4a7c15u;
  return hash ^ hash >> 32;
}

TimeTable::TimeTable() : thread_(syscall(SYS_gettid)), last_(static_cast<size_t>(kNumFunctions)), slots_(64) {}

void TimeTable::add(const Call& call, int64_t synchronised) {
  TimeRow* const row = find(call);
  row->launch.add(call.end - call.begin);
  if (synchronised >= 0) row->synchronised.add(synchronised);
  if (call.status != diopiSuccess) row->failed += 1;
  if (!full_) add_event(call, row);
}

std::vector<const TimeRow*> TimeTable::rows() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  std::vector<const TimeRow*> found;
  found.reserve(rows_.size());
  for (const auto& row : rows_) found.push_back(row.get());
  return found;
}

TimeRow* TimeTable::find(const Call& call) {
  TimeRow*& last = last_[static_cast<size_t>(&call.function - kFunctions)];
  if (last == nullptr || !has_key(call, *last)) last = find(call, ShapeKey(call));
  return last;
}

TimeRow* TimeTable::find(const Call& call, const ShapeKey& key) {
  const uint64_t hash = key.hash();
  const size_t mask = slots_.size() - 1;
  for (size_t i = hash & mask; slots_[i] != nullptr; i = (i + 1) & mask) {
    if (slots_[i]->hash == hash && key.equals(*slots_[i])) return slots_[i];
  }
  return insert(call, key);
}

TimeRow* TimeTable::insert(const Call& call, const ShapeKey& key) {
  const int64_t* last = key.end();
  uint64_t hash = key.hash();
  if (rows_.size() >= kMostRows) {
    last = key.begin();
    hash = 0;
    for (const auto& row : rows_) {
      if (row->key.empty() && &row->function == &call.function) return row.get();
    }
  }
  auto made = std::make_unique<TimeRow>(call.function, key.begin(), last, hash);
  const std::lock_guard<std::mutex> lock(mutex_);
  rows_.push_back(std::move(made));
  if (last == key.begin()) return rows_.back().get();
  if (2 * rows_.size() > slots_.size()) grow();
  const size_t mask = slots_.size() - 1;
  size_t i = hash & mask;
  while (slots_[i] != nullptr && slots_[i] != rows_.back().get()) i = (i + 1) & mask;
  slots_[i] = rows_.back().get();
  return rows_.back().get();
}

void TimeTable::grow() {
  slots_.assign(2 * slots_.size(), nullptr);
  const size_t mask = slots_.size() - 1;
  for (const auto& row : rows_) {
    size_t i = row->hash & mask;
    while (slots_[i] != nullptr) i = (i + 1) & mask;
    slots_[i] = row.get();
  }
}

void TimeTable::add_event(const Call& call, const TimeRow* row) {
  const size_t count = num_events_.load(std::memory_order_relaxed);
  if (count % kChunk == 0) add_chunk();
  if (full_) return;
  chunk_[count % kChunk] = {call.begin, call.end, row, call.number};
  num_events_.store(count + 1, std::memory_order_release);
}

void TimeTable::add_chunk() {
  full_ = !reserve_events(kChunk);
  if (full_) return;
  const std::lock_guard<std::mutex> lock(mutex_);
  events_.emplace_back(new TimeEvent[kChunk]);
  chunk_ = events_.back().get();
}

namespace {

// A tensor of a key.
struct KeyTensor {
  bool exists;
  diopiDtype_t dtype;
  const int64_t* begin;  // of the extents
  const int64_t* end;
};

KeyTensor next_tensor(const int64_t** next, const int64_t* end) {
  const int64_t number = *(*next)++;
  if (number < 0) return {false, diopi_dtype_unsupported, end, end};
  const int64_t* const begin = *next;
  *next = begin + std::min<int64_t>(number >> kDtypeBits, end - begin);
  return {true, static_cast<diopiDtype_t>(number & kDtypeMask), begin, *next};
}

using AddTensor = void (*)(Json* json, const char* name, const KeyTensor& tensor);

// Adds an object with the tensors by parameter.
void add_object(Json* json, const char* name, const TimeRow& row, AddTensor add) {
  const auto* next = row.key.data() + 1;
  const auto* const end = row.key.data() + row.key.size();
  const auto add_next = [&](const char* key) {
    const KeyTensor tensor = next_tensor(&next, end);
    if (tensor.exists) {
      add(json, key, tensor);
    } else {
      json->add_null(key);
    }
  };
  json->open(name);
  for (int i = 0; i < row.function.num_parameters && next < end; ++i) {
    const Parameter& p = row.function.parameters[i];
    if (p.kind == Kind::kTensor) add_next(p.name);
    if (p.kind != Kind::kTensorList) continue;
    const int64_t count = *next++;
    json->open(p.name, '[');
    for (int64_t j = 0; j < count && next < end; ++j) add_next(nullptr);
    json->close();
  }
  json->close();
}

void add_shape(Json* json, const char* name, const KeyTensor& tensor) {
  json->open(name, '[');
  for (const int64_t* extent = tensor.begin; extent != tensor.end; ++extent) json->add(nullptr, *extent);
  json->close();
}

}  // namespace

void add_shapes(Json* json, const TimeRow& row) {
  if (row.key.empty()) {
    json->add("shapes", "other");
    return;
  }
  add_object(json, "shapes", row, add_shape);
  add_object(json, "dtypes", row,
             [](Json* to, const char* name, const KeyTensor& tensor) { to->add(name, dtype_text(tensor.dtype)); });
}

void add_tensors(Json* json, const TimeRow& row) {
  if (row.key.empty()) {
    json->add("tensors", "other");
    return;
  }
  add_object(json, "tensors", row, [](Json* to, const char* name, const KeyTensor& tensor) {
    Json shape;
    add_shape(&shape, nullptr, tensor);
    to->add(name, dtype_text(tensor.dtype) + shape.text());
  });
}

}  // namespace diopi::layer
