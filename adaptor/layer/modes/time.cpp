// SPDX-License-Identifier: BSD-3-Clause
// time: how long calls take, by operator and by shapes, and when they began.
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <map>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "adaptor/entry/fallback/device.hpp"
#include "adaptor/layer/clock.hpp"
#include "adaptor/layer/modes/modes.hpp"
#include "adaptor/layer/modes/time_table.hpp"
#include "adaptor/layer/output.hpp"
#include "adaptor/layer/settings.hpp"
#include "impl/common/error.hpp"

namespace diopi::layer {

namespace {

constexpr size_t kPiece = 1 << 16;  // bytes of trace.json that are written at a time

// Waits for the stream of the call; false, after a note, if that is not possible.
bool wait_for_stream(const Call& call) {
  fallback::Device device(call.context());
  Status status = device.open();
  if (status.ok()) status = device.wait();
  if (!status.ok()) note("time: DIOPI_LAYER_SYNC: the stream cannot be waited for: %s", last_error());
  return status.ok();
}

// The rows of all threads with the same operator, dtypes and shapes.
struct Merged {
  explicit Merged(const TimeRow* first) : row(first) {}

  const TimeRow* row;
  int64_t failed = 0;
  Histogram launch, synchronised;

  template <typename Row>
  void add(const Row& other) {
    failed += other.failed;
    launch.add(other.launch);
    synchronised.add(other.synchronised);
  }
};

void add_times(Json* json, const std::string& prefix, const Histogram& times, const TickLength& tick) {
  const auto add = [&](const char* name, int64_t ticks) { json->add((prefix + name).c_str(), tick.duration(ticks)); };
  add("total", times.total());
  json->add((prefix + "mean").c_str(), times.mean() * tick.length());
  add("median", times.quantile(0.5));
  add("p99", times.quantile(0.99));
  add("min", times.least());
  add("max", times.most());
}

void add_merged(Json* json, const Merged& merged, const TickLength& tick) {
  json->add("calls", merged.launch.count()).add("failed", merged.failed);
  add_times(json, "", merged.launch, tick);
  if (merged.synchronised.count() != 0) add_times(json, "synchronised_", merged.synchronised, tick);
}

template <typename Key>
std::vector<const Merged*> by_total(const std::map<Key, Merged>& rows) {
  std::vector<const Merged*> sorted;
  sorted.reserve(rows.size());
  for (const auto& row : rows) sorted.push_back(&row.second);
  const auto more = [](const Merged* a, const Merged* b) { return a->launch.total() > b->launch.total(); };
  std::stable_sort(sorted.begin(), sorted.end(), more);
  return sorted;
}

// A complete event; times are in microseconds.
std::string event_text(const TimeEvent& event, int64_t thread, const TickLength& tick) {
  static const int process = getpid();
  const int64_t begin = tick.time(event.begin), duration = tick.time(event.end) - begin;
  char text[256];
  std::snprintf(
      text, sizeof(text),
      R"({"name": "%s", "ph": "X", "cat": "diopi", "ts": %lld.%03d, "dur": %lld.%03d, "pid": %d, "tid": %lld, )",
      event.row->function.name, static_cast<long long>(begin / 1000), static_cast<int>(begin % 1000),
      static_cast<long long>(duration / 1000), static_cast<int>(duration % 1000), process,
      static_cast<long long>(thread));
  Json json;
  json.open().add("call", event.number);
  add_tensors(&json, *event.row);
  json.close();
  return text + ("\"args\": " + json.text()) + "}";
}

class Time : public Mode {
 public:
  std::unique_ptr<Kept> before(const Call& call) override {
    if (synchronise_) wait_for_stream(call);
    return nullptr;
  }

  void after(const Call& call, Kept*) override {
    int64_t synchronised = -1;
    if (synchronise_ && wait_for_stream(call)) synchronised = end_ticks() - call.begin;
    if (call.thread.time_table == nullptr) call.thread.time_table = new_table();
    call.thread.time_table->add(call, synchronised);
  }

  void finish() override {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (tables_.empty()) return;
    const TickLength tick;
    write_table(tick);
    write_events(tick);
  }

 private:
  TimeTable* new_table() {
    const std::lock_guard<std::mutex> lock(mutex_);
    tables_.push_back(std::make_unique<TimeTable>());
    return tables_.back().get();
  }

  void write_table(const TickLength& tick) const {
    std::map<const Function*, Merged> operators;
    std::map<std::pair<const Function*, std::vector<int64_t>>, Merged> shapes;
    for (const auto& table : tables_) {
      for (const TimeRow* row : table->rows()) {
        shapes.try_emplace({&row->function, row->key}, row).first->second.add(*row);
      }
    }
    for (const auto& [key, merged] : shapes) {
      operators.try_emplace(key.first, merged.row).first->second.add(merged);
    }
    Json json;
    json.open().add("unit", "nanoseconds").add("threads", static_cast<int64_t>(tables_.size()));
    json.open("operators", '[');
    for (const Merged* merged : by_total(operators)) {
      json.open().add("operator", merged->row->function.name);
      add_merged(&json, *merged, tick);
      json.close();
    }
    json.close().open("shapes", '[');
    for (const Merged* merged : by_total(shapes)) {
      json.open().add("operator", merged->row->function.name);
      add_shapes(&json, *merged->row);
      add_merged(&json, *merged, tick);
      json.close();
    }
    json.close().close();
    File("time.json").line(json.text());
  }

  // The array format of Chrome traces may lack the bracket at the end, so a file that is cut can be opened.
  void write_events(const TickLength& tick) const {
    File file("trace.json");
    std::string text = "[";
    const char* separator = "\n";
    for (const auto& table : tables_) {
      table->visit_events([&](const TimeEvent& event) {
        text += separator;
        text += event_text(event, table->thread(), tick);
        separator = ",\n";
        if (text.size() < kPiece) return;
        file.line(text);
        text.clear();
        separator = ",";
      });
    }
    file.line(text + "\n]");
  }

  const bool synchronise_ = settings().synchronise;
  std::mutex mutex_;
  std::vector<std::unique_ptr<TimeTable>> tables_;
};

}  // namespace

std::unique_ptr<Mode> make_time() { return std::make_unique<Time>(); }

}  // namespace diopi::layer
