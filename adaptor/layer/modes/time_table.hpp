// SPDX-License-Identifier: BSD-3-Clause
// The times of one thread's calls, by operator and shapes.
#ifndef ADAPTOR_LAYER_MODES_TIME_TABLE_HPP_
#define ADAPTOR_LAYER_MODES_TIME_TABLE_HPP_

#include <atomic>
#include <cstdint>
#include <memory>
#include <vector>

#include "adaptor/layer/call.hpp"
#include "adaptor/layer/modes/histogram.hpp"
#include "adaptor/layer/output.hpp"

namespace diopi::layer {

struct TimeRow;

// The operator and the shapes of the tensors of a call, as numbers. For each parameter that stands for tensors: the
// count of tensors, then each tensor's rank (-1 for null) and extents. A long key is cut, so that calls that differ
// only in later tensors share a row.
class ShapeKey {
 public:
  explicit ShapeKey(const Call& call);

  const int64_t* begin() const { return numbers_; }
  const int64_t* end() const { return numbers_ + size_; }
  int size() const { return size_; }
  uint64_t hash() const;
  bool equals(const TimeRow& row) const;

 private:
  static constexpr int kMost = 96;

  void add(int64_t number) {
    if (size_ < kMost) numbers_[size_++] = number;
  }
  void add_tensor(diopiConstTensorHandle_t tensor);

  int64_t numbers_[kMost];  // the first size_ are set
  int size_ = 0;
};

// A row: all calls of one operator with the same shapes.
struct TimeRow {
  TimeRow(const Function& function_of_calls, const int64_t* first, const int64_t* last, uint64_t hash_of_key)
      : function(function_of_calls), key(first, last), hash(hash_of_key) {}

  const Function& function;
  const std::vector<int64_t> key;  // empty: shapes for which the table has no room
  const uint64_t hash;
  int64_t failed = 0;
  Histogram launch, synchronised;
};

// One call on the time line.
struct TimeEvent {
  int64_t begin, duration;
  const TimeRow* row;
  int64_t number;
};

// A thread owns its table. The lock is only contended at the end of the process, when the tables are merged.
class TimeTable {
 public:
  TimeTable();

  // Adds a call; `synchronised` is negative if the stream was not waited for.
  void add(const Call& call, int64_t synchronised);

  int64_t thread() const { return thread_; }
  // Ends the recording: later calls are not added.
  void end();
  const std::vector<std::unique_ptr<TimeRow>>& rows() const { return rows_; }
  template <typename Visit>
  void visit_events(Visit&& visit) const {
    for (size_t i = 0; i < num_events_; ++i) visit(events_[i / kChunk][i % kChunk]);
  }

 private:
  static constexpr size_t kChunk = 4096;

  TimeRow* find(const Call& call);
  TimeRow* find(const Call& call, const ShapeKey& key);
  TimeRow* insert(const Call& call, const ShapeKey& key);
  void grow();
  void add_event(const Call& call, const TimeRow* row);

  std::atomic_flag busy_ = ATOMIC_FLAG_INIT;
  bool ended_ = false;
  int64_t thread_;
  TimeRow* last_ = nullptr;
  std::vector<TimeRow*> slots_;  // hash table with open addressing; its size is a power of two
  std::vector<std::unique_ptr<TimeRow>> rows_;
  std::vector<std::unique_ptr<TimeEvent[]>> events_;
  size_t num_events_ = 0;
  bool full_ = false;  // no room for more events
};

// The row's shapes in JSON: {"input": [2, 3], "tensors": [[1], [2]]}.
void add_shapes(Json* json, const TimeRow& row);

}  // namespace diopi::layer

#endif  // ADAPTOR_LAYER_MODES_TIME_TABLE_HPP_
