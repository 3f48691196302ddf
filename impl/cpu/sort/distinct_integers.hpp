// SPDX-License-Identifier: BSD-3-Clause
// Distinct integers of a small range: a table with an entry for each integer of the range, without sorting.
#ifndef IMPL_CPU_SORT_DISTINCT_INTEGERS_HPP_
#define IMPL_CPU_SORT_DISTINCT_INTEGERS_HPP_

#include <diopi/diopirt.h>

#include <cstdint>

namespace impl::cpu {

// n > 0 packed integers. The entry of x in tables is x - least, modulo 2^64.
struct IntegerRange {
  const void* data = nullptr;
  int64_t n = 0;
  uint64_t least = 0, extent = 0;  // extent: the largest integer minus the least one
};

inline constexpr uint32_t kNoPosition = ~uint32_t{0};

struct IntegerKernels {
  // Sets least and extent.
  void (*find_range)(IntegerRange* range);
  // first[entry of x] = the position of the first x; entries that do not occur keep their value.
  void (*find_first)(const IntegerRange& range, uint32_t* first);
  // out[i * stride] = table[entry of element i] for the elements [begin, end). Elements of `out` are int64 if `wide`,
  // otherwise int32.
  void (*look_up)(const IntegerRange& range, const uint32_t* table, int64_t begin, int64_t end, void* out,
                  int64_t stride, bool wide);
  // Adds 1 to counts[table[entry of x]] for each element x.
  void (*count)(const IntegerRange& range, const uint32_t* table, int64_t* counts);
};

// Null if `dtype` is not an integer dtype.
const IntegerKernels* integer_kernels(diopiDtype_t dtype);

}  // namespace impl::cpu

#endif  // IMPL_CPU_SORT_DISTINCT_INTEGERS_HPP_
