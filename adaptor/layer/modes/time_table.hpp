// SPDX-License-Identifier: BSD-3-Clause
// The times of one thread's calls, by operator and shapes.
#ifndef ADAPTOR_LAYER_MODES_TIME_TABLE_HPP_
#define ADAPTOR_LAYER_MODES_TIME_TABLE_HPP_

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "adaptor/layer/call.hpp"
#include "adaptor/layer/modes/histogram.hpp"
#include "adaptor/layer/output.hpp"

namespace diopi::layer {

struct TimeRow;

// The operator, dtypes and shapes of the tensors of a call, as numbers. For each parameter that stands for tensors: the
// count of a list, then for each tensor its rank and dtype in one number (-1 for null) and its extents. A long key is
// cut, so that calls that differ only in later tensors share a row.
class ShapeKey {
 public:
  explicit ShapeKey(const Call& call);

  const int64_t* begin() const { return numbers_; }
  const int64_t* end() const { return numbers_ + size_; }
  uint64_t hash() const;
  bool equals(const TimeRow& row) const;

 private:
  static constexpr int kMost = 96;

  int64_t numbers_[kMost];  // the first size_ are set
  int size_ = 0;
};

// A row: all calls of one operator with the same dtypes and shapes. Durations are in ticks.
struct TimeRow {
  TimeRow(const Function& function_of_calls, const int64_t* first, const int64_t* last, uint64_t hash_of_key)
      : function(function_of_calls), key(first, last), hash(hash_of_key) {}

  const Function& function;
  const std::vector<int64_t> key;  // empty: shapes for which the table has no room
  const uint64_t hash;
  Shared<int64_t> failed;
  Histogram launch, synchronised;
};

// One call on the time line.
struct TimeEvent {
  int64_t begin, end;  // ticks
  const TimeRow* row;
  int64_t number;
};

// A thread owns its table and adds to it without a lock; others read it at the end of the process. The lock is taken
// when rows or pieces of the list of events are added.
class TimeTable {
 public:
  TimeTable();

  // Adds a call; `synchronised` is negative if the stream was not waited for.
  void add(const Call& call, int64_t synchronised);

  int64_t thread() const { return thread_; }
  std::vector<const TimeRow*> rows() const;
  // Shows the events so far.
  template <typename Visit>
  void visit_events(Visit&& visit) const {
    const std::lock_guard<std::mutex> lock(mutex_);
    const size_t count = num_events_.load(std::memory_order_acquire);
    for (size_t i = 0; i < count; ++i) visit(events_[i / kChunk][i % kChunk]);
  }

 private:
  static constexpr size_t kChunk = 4096;

  TimeRow* find(const Call& call);
  TimeRow* find(const Call& call, const ShapeKey& key);
  TimeRow* insert(const Call& call, const ShapeKey& key);
  void grow();
  void add_event(const Call& call, const TimeRow* row);
  void add_chunk();

  mutable std::mutex mutex_;  // of rows_ and events_
  int64_t thread_;
  std::vector<TimeRow*> last_;   // the row of the last call of each operator
  std::vector<TimeRow*> slots_;  // hash table with open addressing; its size is a power of two
  std::vector<std::unique_ptr<TimeRow>> rows_;
  std::vector<std::unique_ptr<TimeEvent[]>> events_;
  TimeEvent* chunk_ = nullptr;  // the last of events_
  std::atomic<size_t> num_events_{0};
  bool full_ = false;  // no room for more events
};

// Adds the row's tensors to JSON: {"shapes": {"input": [2, 3]}, "dtypes": {"input": "float32"}}; lists become lists.
void add_shapes(Json* json, const TimeRow& row);
// The same as texts: {"tensors": {"input": "float32[2, 3]"}}.
void add_tensors(Json* json, const TimeRow& row);

}  // namespace diopi::layer

#endif  // ADAPTOR_LAYER_MODES_TIME_TABLE_HPP_
