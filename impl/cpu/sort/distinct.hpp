// SPDX-License-Identifier: BSD-3-Clause
// Groups of equal rows, for rows whose first elements have been sorted.
#ifndef IMPL_CPU_SORT_DISTINCT_HPP_
#define IMPL_CPU_SORT_DISTINCT_HPP_

#include <diopi/diopirt.h>

#include <cstdint>

namespace impl::cpu {

// A row-major matrix of `rows` rows, and their numbers, sorted by the first elements of the rows.
struct SortedRows {
  const void* data;
  int64_t rows, length;
  int64_t* order;
  const void* sorted = nullptr;  // the elements in this order, if the rows have one element each
};

struct DistinctKernels {
  // Sorts rows whose first elements are equal by their other elements.
  void (*sort_ties)(const SortedRows& rows);
  // Counts the groups that begin in each chunk of kDistinctChunk rows: starts[c] = the number of those before chunk c;
  // returns their total number.
  int64_t (*count)(const SortedRows& rows, int64_t* starts);
  // begin[k] = where group k begins in the order, for the groups of all chunks.
  void (*list)(const SortedRows& rows, const int64_t* starts, int64_t* begin);
};

inline constexpr int64_t kDistinctChunk = 8192;

// The kernels for elements of an integer dtype, float32 or float64.
const DistinctKernels* distinct_kernels(diopiDtype_t dtype);

}  // namespace impl::cpu

#endif  // IMPL_CPU_SORT_DISTINCT_HPP_
