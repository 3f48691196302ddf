// SPDX-License-Identifier: BSD-3-Clause
// time: how long calls take, by operator and by shapes, and when they began.
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <map>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "adaptor/entry/fallback/device.hpp"
#include "adaptor/layer/modes/modes.hpp"
#include "adaptor/layer/modes/time_table.hpp"
#include "adaptor/layer/output.hpp"
#include "adaptor/layer/settings.hpp"
#include "impl/common/error.hpp"

namespace diopi::layer {

namespace {

constexpr size_t kPiece = 1 << 16;  // bytes of trace.json that are written at a time

int64_t now() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

// Waits for the stream of the call; false, after a note, if that is not possible.
bool wait_for_stream(const Call& call) {
  fallback::Device device(call.context());
  Status status = device.open();
  if (status.ok()) status = device.wait();
  if (!status.ok()) note("time: DIOPI_LAYER_SYNC: the stream cannot be waited for: %s", last_error());
  return status.ok();
}

// The rows of all threads with the same operator and shapes.
struct Merged {
  const TimeRow* row;
  int64_t failed = 0;
  Histogram launch, synchronised;

  void add(const TimeRow& other) {
    failed += other.failed;
    launch.add(other.launch);
    synchronised.add(other.synchronised);
  }
};

void add_times(Json* json, const std::string& prefix, const Histogram& times) {
  const auto key = [&](const char* name) { return prefix + name; };
  json->add(key("total").c_str(), times.total()).add(key("mean").c_str(), times.mean());
  json->add(key("median").c_str(), times.quantile(0.5)).add(key("p99").c_str(), times.quantile(0.99));
  json->add(key("min").c_str(), times.least()).add(key("max").c_str(), times.most());
}

void add_merged(Json* json, const Merged& merged) {
  json->add("calls", merged.launch.count()).add("failed", merged.failed);
  add_times(json, "", merged.launch);
  if (merged.synchronised.count() != 0) add_times(json, "synchronised_", merged.synchronised);
}

template <typename Key>
std::vector<const Merged*> by_total(const std::map<Key, Merged>& rows) {
  std::vector<const Merged*> sorted;
  for (const auto& row : rows) sorted.push_back(&row.second);
  const auto more = [](const Merged* a, const Merged* b) { return a->launch.total() > b->launch.total(); };
  std::stable_sort(sorted.begin(), sorted.end(), more);
  return sorted;
}

// A complete event; times are in microseconds.
std::string event_text(const TimeEvent& event, int64_t thread) {
  static const int process = getpid();
  char text[256];
  std::snprintf(
      text, sizeof(text),
      R"({"name": "%s", "ph": "X", "cat": "diopi", "ts": %lld.%03d, "dur": %lld.%03d, "pid": %d, "tid": %lld, )",
      event.row->function.name, static_cast<long long>(event.begin / 1000), static_cast<int>(event.begin % 1000),
      static_cast<long long>(event.duration / 1000), static_cast<int>(event.duration % 1000), process,
      static_cast<long long>(thread));
  Json json;
  json.open().add("call", event.number);
  add_shapes(&json, *event.row);
  json.close();
  return text + ("\"args\": " + json.text()) + "}";
}

class Time : public Mode {
 public:
  std::unique_ptr<Kept> before(const Call& call) override {
    if (settings().synchronise) wait_for_stream(call);
    return nullptr;
  }

  void after(const Call& call, Kept*) override {
    int64_t synchronised = -1;
    if (settings().synchronise && wait_for_stream(call)) synchronised = now() - call.begin;
    thread_local TimeTable* table = nullptr;
    if (table == nullptr) table = new_table();
    table->add(call, synchronised);
  }

  void finish() override {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (tables_.empty()) return;
    for (const auto& table : tables_) table->end();
    write_table();
    write_events();
  }

 private:
  TimeTable* new_table() {
    const std::lock_guard<std::mutex> lock(mutex_);
    tables_.push_back(std::make_unique<TimeTable>());
    return tables_.back().get();
  }

  void write_table() const {
    std::map<const Function*, Merged> operators;
    std::map<std::pair<const Function*, std::vector<int64_t>>, Merged> shapes;
    for (const auto& table : tables_) {
      for (const auto& row : table->rows()) {
        operators.try_emplace(&row->function, Merged{row.get(), 0, {}, {}}).first->second.add(*row);
        shapes.try_emplace({&row->function, row->key}, Merged{row.get(), 0, {}, {}}).first->second.add(*row);
      }
    }
    Json json;
    json.open().add("unit", "nanoseconds").add("threads", static_cast<int64_t>(tables_.size()));
    json.open("operators", '[');
    for (const Merged* merged : by_total(operators)) {
      json.open().add("operator", merged->row->function.name);
      add_merged(&json, *merged);
      json.close();
    }
    json.close().open("shapes", '[');
    for (const Merged* merged : by_total(shapes)) {
      json.open().add("operator", merged->row->function.name);
      add_shapes(&json, *merged->row);
      add_merged(&json, *merged);
      json.close();
    }
    json.close().close();
    File("time.json").line(json.text());
  }

  // The array format of Chrome traces may lack the bracket at the end, so a file that is cut can be opened.
  void write_events() const {
    File file("trace.json");
    std::string text = "[";
    const char* separator = "\n";
    for (const auto& table : tables_) {
      table->visit_events([&](const TimeEvent& event) {
        text += separator;
        text += event_text(event, table->thread());
        separator = ",\n";
        if (text.size() < kPiece) return;
        file.line(text);
        text.clear();
        separator = ",";
      });
    }
    file.line(text + "\n]");
  }

  std::mutex mutex_;
  std::vector<std::unique_ptr<TimeTable>> tables_;
};

}  // namespace

std::unique_ptr<Mode> make_time() { return std::make_unique<Time>(); }

}  // namespace diopi::layer
