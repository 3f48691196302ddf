// SPDX-License-Identifier: BSD-3-Clause
// Combines many values with the items of a short line, on several threads. Each thread owns some items of the line and
// reads the values for them from lists that an earlier pass made. Values for one item are combined in their order, for
// any number of threads.
#ifndef IMPL_CPU_ENGINE_INDEX_SCATTER_REDUCE_1D_HPP_
#define IMPL_CPU_ENGINE_INDEX_SCATTER_REDUCE_1D_HPP_

#include <cstdint>

#include "impl/common/error.hpp"
#include "impl/cpu/engine/index/slices.hpp"

namespace impl::cpu {

inline constexpr int64_t kValuesTogether = 65536;  // most values of one call
inline constexpr int kMaxLineThreads = 16;

// Values and their index entries. Both are packed. The index is int64 or int32, and a value has 4 or 8 bytes.
struct LineValues {
  const void* index;
  const char* values;
  int64_t n;
};

// The values of one thread, divided into one list for each part of the line. The value `value[i]` belongs to the item
// `at[i]`. Both are stored as unsigned integers as wide as the values.
struct LineLists {
  char* at[kMaxLineThreads];
  char* value[kMaxLineThreads];
  int64_t count[kMaxLineThreads];
};

// Appends values [begin, end) to `count` lists. Each list has `width` items of the line of `size` items. Returns false
// if an index is out of range. May write a vector past the ends of the lists.
using DistributeFn = bool (*)(const LineValues& values, int64_t begin, int64_t end, int64_t size, int64_t width,
                              int count, LineLists* lists);
// Null without AVX-512.
DistributeFn distribute_function(int64_t item_size, bool is_int64);

class ScatterReduce1d {
 public:
  // Items of the line are `step` bytes apart. Allocates nothing if there is only one thread or the dtype or the size is
  // not supported.
  diopi::Status prepare(diopiContextHandle_t ctx, Accumulate op, diopiDtype_t dtype, void* line, int64_t size,
                        int64_t step, bool is_int64);
  // Like prepare(), for adding values of `dtype` to the sums of a LongLine.
  diopi::Status prepare_long(diopiContextHandle_t ctx, diopiDtype_t dtype, void* sums, int64_t size, int64_t step,
                             bool is_int64);
  bool is_ready() const { return distribute_ != nullptr; }

  // Returns false and does nothing if an index is out of range.
  bool add(const LineValues& values) const;

 private:
  // Combines the `n` values of a list with the items of the line.
  using CombineFn = void (*)(char* line, int64_t step, const char* at, const char* value, int64_t n);
  template <typename T, class Op>
  static void combine(char* line, int64_t step, const char* at, const char* value, int64_t n);
  diopi::Status make_lists(diopiContextHandle_t ctx, diopiDtype_t dtype, bool is_int64);

  LineLists* lists() const { return reinterpret_cast<LineLists*>(memory_); }  // one for each thread

  DistributeFn distribute_ = nullptr;
  CombineFn combine_ = nullptr;
  char* line_ = nullptr;
  char* memory_ = nullptr;
  int64_t size_ = 0, step_ = 0, room_ = 0;
  int threads_ = 1;
};

}  // namespace impl::cpu

#endif  // IMPL_CPU_ENGINE_INDEX_SCATTER_REDUCE_1D_HPP_
