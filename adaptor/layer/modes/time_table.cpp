// SPDX-License-Identifier: BSD-3-Clause
#include "adaptor/layer/modes/time_table.hpp"

#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>

#include "adaptor/layer/output.hpp"
#include "adaptor/layer/settings.hpp"

namespace diopi::layer {

namespace {

constexpr size_t kMostRows = 10000;     // of a thread; more shapes of an operator share one row
constexpr int64_t kBytesOfEvent = 256;  // on disk, at most for usual shapes

// Takes room for `count` events of all threads; false if the limits of the settings are reached.
bool reserve_events(size_t count) {
  static std::atomic<int64_t> reserved{0};
  const Settings& given = settings();
  const auto bytes = static_cast<int64_t>(sizeof(TimeEvent));
  const int64_t most = std::min(given.disk / kBytesOfEvent, given.memory / 2 / bytes);
  return reserved.fetch_add(static_cast<int64_t>(count)) + static_cast<int64_t>(count) <= most;
}

}  // namespace

ShapeKey::ShapeKey(const Call& call) {
  const Function& function = call.function;
  add(static_cast<int64_t>(&function - kFunctions));
  for (int i = 0; i < function.num_parameters; ++i) {
    const Kind kind = function.parameters[i].kind;
    if (kind == Kind::kTensor) {
      add_tensor(call.value<diopiConstTensorHandle_t>(i));
    } else if (kind == Kind::kTensorList) {
      const int64_t count = call.count(i);
      add(count);
      for (int64_t j = 0; j < count && size_ < kMost; ++j) add_tensor(call.tensor(i, j));
    }
  }
}

bool ShapeKey::equals(const TimeRow& row) const {
  return row.key.size() == static_cast<size_t>(size_) && std::equal(begin(), end(), row.key.begin());
}

uint64_t ShapeKey::hash() const {
  uint64_t hash = 0;
  for (const int64_t number : *this) hash = (hash ^ static_cast<uint64_t>(number)) * 0x9e3779b97f4a7c15u;
  return hash ^ hash >> 32;
}

void ShapeKey::add_tensor(diopiConstTensorHandle_t tensor) {
  diopiSize_t shape{nullptr, 0};
  if (tensor == nullptr || diopiGetTensorShape(tensor, &shape) != diopiSuccess) return add(-1);
  add(shape.len);
  for (int64_t i = 0; i < shape.len && size_ < kMost; ++i) add(shape.data[i]);
}

TimeTable::TimeTable() : thread_(syscall(SYS_gettid)), slots_(64) {}

void TimeTable::add(const Call& call, int64_t synchronised) {
  while (busy_.test_and_set(std::memory_order_acquire)) {
  }
  struct Release {
    std::atomic_flag* flag;
    ~Release() { flag->clear(std::memory_order_release); }
  } const release{&busy_};
  if (ended_) return;
  TimeRow* const row = find(call);
  row->launch.add(call.end - call.begin);
  if (synchronised >= 0) row->synchronised.add(synchronised);
  if (call.status != diopiSuccess) ++row->failed;
  if (!full_) add_event(call, row);
}

void TimeTable::end() {
  while (busy_.test_and_set(std::memory_order_acquire)) {
  }
  ended_ = true;
  busy_.clear(std::memory_order_release);
}

TimeRow* TimeTable::find(const Call& call) {
  const ShapeKey key(call);
  if (last_ != nullptr && key.equals(*last_)) return last_;
  return last_ = find(call, key);
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
  rows_.push_back(std::make_unique<TimeRow>(call.function, key.begin(), last, hash));
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
  if (num_events_ == events_.size() * kChunk) {
    if (!reserve_events(kChunk)) {
      full_ = true;
      return;
    }
    events_.emplace_back(new TimeEvent[kChunk]);
  }
  events_[num_events_ / kChunk][num_events_ % kChunk] = {call.begin, call.end - call.begin, row, call.number};
  ++num_events_;
}

void add_shapes(Json* json, const TimeRow& row) {
  if (row.key.empty()) {
    json->add("shapes", "other");
    return;
  }
  const auto* next = row.key.data() + 1;
  const auto* const end = row.key.data() + row.key.size();
  const auto add_tensor = [&](const char* name) {
    const int64_t rank = *next++;
    if (rank < 0) {
      json->add_null(name);
      return;
    }
    json->open(name, '[');
    for (int64_t i = 0; i < rank && next < end; ++i) json->add(nullptr, *next++);
    json->close();
  };
  json->open("shapes");
  for (int i = 0; i < row.function.num_parameters && next < end; ++i) {
    const Parameter& p = row.function.parameters[i];
    if (p.kind == Kind::kTensor) add_tensor(p.name);
    if (p.kind != Kind::kTensorList) continue;
    const int64_t count = *next++;
    json->open(p.name, '[');
    for (int64_t j = 0; j < count && next < end; ++j) add_tensor(nullptr);
    json->close();
  }
  json->close();
}

}  // namespace diopi::layer
