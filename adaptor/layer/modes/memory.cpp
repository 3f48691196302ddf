// SPDX-License-Identifier: BSD-3-Clause
// memory: what operators required and allocated, what is alive at the end, and arguments in memory that was freed.
#include <algorithm>
#include <map>
#include <mutex>
#include <vector>

#include "adaptor/layer/library/heap_marks.hpp"
#include "adaptor/layer/library/memory_hooks.hpp"
#include "adaptor/layer/modes/memory_heap.hpp"
#include "adaptor/layer/modes/modes.hpp"
#include "adaptor/layer/output.hpp"

namespace diopi::layer {

namespace {

constexpr size_t kMostListed = 1000;   // of each list of memory.json
constexpr size_t kMostFreed = 100000;  // pieces of freed memory that are remembered

// Where something happened: a call, or outside of the observed calls.
struct Place {
  const Function* function = nullptr;
  int64_t call = 0;
  int64_t required = 0;  // bytes so far in this call
};
thread_local Place current;

// Keeps the place of the call around this one, and restores it at the end, also if another mode throws.
struct Outer : Kept {
  Outer() : place(current) {}
  ~Outer() override { current = place; }
  Outer(const Outer&) = delete;
  Outer& operator=(const Outer&) = delete;
  const Place place;
};

struct Piece {
  uint64_t bytes = 0;
  Place place;
  Place freed;
};
using Pieces = std::map<uintptr_t, Piece>;

struct Row {
  int64_t calls = 0, allocations = 0, allocated = 0, requests = 0, required = 0, most_required = 0, peak = 0;
};

struct Misuse {
  Place place;
  const char* argument;
  Piece piece;
};

// The piece that contains an address; the end if there is none.
Pieces::iterator containing(Pieces* pieces, uintptr_t address) {
  auto found = pieces->upper_bound(address);
  if (found == pieces->begin()) return pieces->end();
  --found;
  return address - found->first < found->second.bytes ? found : pieces->end();
}

void erase_overlapping(Pieces* pieces, uintptr_t begin, uint64_t bytes) {
  auto found = containing(pieces, begin);
  if (found == pieces->end()) found = pieces->lower_bound(begin);
  while (found != pieces->end() && found->first < begin + bytes) found = pieces->erase(found);
}

uintptr_t address_of(const void* memory) { return reinterpret_cast<uintptr_t>(memory); }

void add_place(Json* json, const char* prefix, const Place& place) {
  const std::string start = prefix;
  if (place.function == nullptr) {
    json->add_null((start + "operator").c_str());
  } else {
    json->add((start + "operator").c_str(), place.function->name).add((start + "call").c_str(), place.call);
  }
}

class Memory : public Mode, public MemoryObserver {
 public:
  Memory() {
    set_memory_observer(this);
    observe_heap();
  }

  std::unique_ptr<Kept> before(const Call& call) override {
    auto outer = std::make_unique<Outer>();
    const std::lock_guard<std::mutex> lock(mutex_);
    current = {&call.function, call.number, 0};
    Row& row = rows_[&call.function];
    ++row.calls;
    row.peak = std::max(row.peak, live_bytes_);
    check_context(call);
    for (int i = 0; i < call.function.num_parameters; ++i) check_argument(call, i);
    return outer;
  }

  void after(const Call& call, Kept* /*kept*/) override {
    const std::lock_guard<std::mutex> lock(mutex_);
    Row& row = rows_[&call.function];
    row.most_required = std::max(row.most_required, current.required);
  }

  void allocated(void* memory, uint64_t bytes) noexcept override try {
    const std::lock_guard<std::mutex> lock(mutex_);
    erase_overlapping(&freed_, address_of(memory), bytes);
    live_[address_of(memory)] = {bytes, current, {}};
    live_bytes_ += static_cast<int64_t>(bytes);
    if (live_bytes_ > peak_) {
      peak_ = live_bytes_;
      peak_place_ = current;
    }
    if (current.function == nullptr) return;
    Row& row = rows_[current.function];
    ++row.allocations;
    row.allocated += static_cast<int64_t>(bytes);
    row.peak = std::max(row.peak, live_bytes_);
  } catch (...) {
    note("memory: the layer has no memory for its list of allocations");
  }

  void freeing(void* memory) noexcept override try {
    if (memory == nullptr) return;
    const std::lock_guard<std::mutex> lock(mutex_);
    const auto found = live_.find(address_of(memory));
    if (found == live_.end()) {
      const auto before = freed_.find(address_of(memory));
      if (before == freed_.end()) {
        ++unknown_frees_;
      } else {
        report(&double_frees_, {current, "", before->second});
        note("memory: device memory is freed twice");
      }
      return;
    }
    Piece piece = found->second;
    piece.freed = current;
    live_bytes_ -= static_cast<int64_t>(piece.bytes);
    erase_overlapping(&required_, found->first, piece.bytes);
    live_.erase(found);
    if (freed_.size() >= kMostFreed) freed_.erase(freed_.begin());
    freed_[address_of(memory)] = piece;
  } catch (...) {
    note("memory: the layer has no memory for its list of allocations");
  }

  // Memory that a runtime keeps for reuse is free when an operator requires it again.
  void required(diopiConstTensorHandle_t tensor) noexcept override try {
    const void* data = nullptr;
    int64_t count = 0, size = 0;
    if (diopiGetTensorDataConst(tensor, &data) != diopiSuccess || diopiGetTensorNumel(tensor, &count) != diopiSuccess ||
        diopiGetTensorElemSize(tensor, &size) != diopiSuccess || data == nullptr) {
      return;
    }
    const std::lock_guard<std::mutex> lock(mutex_);
    const int64_t bytes = count * size;
    current.required += bytes;
    erase_overlapping(&required_, address_of(data), static_cast<uint64_t>(bytes));
    if (containing(&live_, address_of(data)) != live_.end()) {
      required_[address_of(data)] = {static_cast<uint64_t>(bytes), current, {}};
    }
    if (current.function == nullptr) return;
    Row& row = rows_[current.function];
    ++row.requests;
    row.required += bytes;
  } catch (...) {
    note("memory: the layer has no memory for its list of allocations");
  }

  void finish() override {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (rows_.empty() && live_.empty()) return;
    Json json;
    json.open().add("live_bytes", live_bytes_).add("live_pieces", static_cast<int64_t>(live_.size()));
    json.add("peak_bytes", peak_);
    add_place(&json, "peak_", peak_place_);
    json.add("unknown_frees", unknown_frees_).add("double_frees", double_frees_.count);
    json.add("uses_after_free", uses_after_free_.count);
    add_rows(&json);
    add_pieces(&json, "never_freed", live_);
    add_pieces(&json, "required_and_never_freed", required_);
    add_misuses(&json, "used_after_free", uses_after_free_.list);
    add_misuses(&json, "freed_twice", double_frees_.list);
    json.add("uses_of_ended_contexts", uses_after_end_).open("used_after_end", '[');
    for (const Place& place : used_after_end_) {
      json.open();
      add_place(&json, "", place);
      json.close();
    }
    json.close();
    add_heap(&json, [&](const Function& function) { return rows_[&function].calls; });
    json.close();
    File("memory.json").line(json.text());
  }

 private:
  struct Misuses {
    int64_t count = 0;
    std::vector<Misuse> list;
  };

  static void report(Misuses* misuses, const Misuse& misuse) {
    ++misuses->count;
    if (misuses->list.size() < kMostListed) misuses->list.push_back(misuse);
  }

  void check_context(const Call& call) {
    if (heap == nullptr || !heap->has_ended(call.context())) return;
    ++uses_after_end_;
    if (used_after_end_.size() < kMostListed) used_after_end_.push_back(current);
    note("memory: %s: call %lld: its context has ended", call.function.name, static_cast<long long>(call.number));
  }

  void check_argument(const Call& call, int parameter) {
    const Parameter& p = call.function.parameters[parameter];
    if (p.kind != Kind::kTensor && p.kind != Kind::kTensorList) return;
    for (int64_t i = 0; i < call.count(parameter); ++i) {
      const diopiConstTensorHandle_t tensor = call.tensor(parameter, i);
      const void* data = nullptr;
      if (tensor == nullptr || diopiGetTensorDataConst(tensor, &data) != diopiSuccess || data == nullptr) continue;
      const auto found = containing(&freed_, address_of(data));
      if (found == freed_.end()) continue;
      report(&uses_after_free_, {current, p.name, found->second});
      note("memory: %s: call %lld: %s lies in device memory that was freed", call.function.name,
           static_cast<long long>(call.number), p.name);
    }
  }

  void add_rows(Json* json) const {
    std::vector<std::pair<const Function*, Row>> sorted(rows_.begin(), rows_.end());
    std::sort(sorted.begin(), sorted.end(), [](const auto& a, const auto& b) {
      return a.second.peak != b.second.peak ? a.second.peak > b.second.peak : a.second.required > b.second.required;
    });
    json->open("operators", '[');
    for (const auto& [function, row] : sorted) {
      json->open().add("operator", function->name).add("calls", row.calls).add("peak_bytes", row.peak);
      json->add("allocations", row.allocations).add("allocated_bytes", row.allocated);
      json->add("required", row.requests).add("required_bytes", row.required);
      json->add("most_required_bytes", row.most_required).close();
    }
    json->close();
  }

  static void add_pieces(Json* json, const char* key, const Pieces& pieces) {
    size_t listed = 0;
    json->open(key, '[');
    for (const auto& piece : pieces) {
      if (listed++ == kMostListed) break;
      json->open();
      add_place(json, "", piece.second.place);
      json->add("bytes", static_cast<int64_t>(piece.second.bytes)).close();
    }
    json->close();
  }

  static void add_misuses(Json* json, const char* key, const std::vector<Misuse>& misuses) {
    json->open(key, '[');
    for (const Misuse& misuse : misuses) {
      json->open();
      add_place(json, "", misuse.place);
      if (misuse.argument[0] != '\0') json->add("argument", misuse.argument);
      json->add("bytes", static_cast<int64_t>(misuse.piece.bytes));
      add_place(json, "allocated_in_", misuse.piece.place);
      add_place(json, "freed_in_", misuse.piece.freed);
      json->close();
    }
    json->close();
  }

  std::mutex mutex_;
  std::map<const Function*, Row> rows_;
  Pieces live_, freed_, required_;
  int64_t live_bytes_ = 0, peak_ = 0, unknown_frees_ = 0;
  Place peak_place_;
  Misuses double_frees_, uses_after_free_;
  int64_t uses_after_end_ = 0;
  std::vector<Place> used_after_end_;  // calls whose context has ended
};

}  // namespace

std::unique_ptr<Mode> make_memory() { return std::make_unique<Memory>(); }

}  // namespace diopi::layer
