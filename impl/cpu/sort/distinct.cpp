// SPDX-License-Identifier: BSD-3-Clause
#include "impl/cpu/sort/distinct.hpp"

#include <algorithm>

#include "impl/common/kernel_table.hpp"
#include "impl/common/parallel.hpp"

namespace impl::cpu {

namespace {

// NaN is greater than all numbers, and equal to other NaN.
template <typename T>
bool less(T a, T b) {
  return a < b || (a == a && b != b);
}

template <typename T>
const T* row_of(const SortedRows& rows, int64_t number) {
  return static_cast<const T*>(rows.data) + number * rows.length;
}

// Rows with NaN differ from all rows, also from themselves.
template <typename T>
bool differ(const T* a, const T* b, int64_t length) {
  for (int64_t k = 0; k < length; ++k) {
    if (!(a[k] == b[k])) return true;
  }
  return false;
}

template <typename T>
bool begins_group(const SortedRows& rows, int64_t i) {
  if (i == 0) return true;
  if (rows.sorted != nullptr) {
    const T* x = static_cast<const T*>(rows.sorted) + i;
    return differ(x - 1, x, 1);
  }
  return differ(row_of<T>(rows, rows.order[i - 1]), row_of<T>(rows, rows.order[i]), rows.length);
}

template <typename T>
void sort_ties(const SortedRows& rows) {
  const auto first = [&](int64_t i) { return *row_of<T>(rows, rows.order[i]); };
  const auto precedes = [&](int64_t x, int64_t y) {
    const T *a = row_of<T>(rows, x), *b = row_of<T>(rows, y);
    for (int64_t k = 1; k < rows.length; ++k) {
      if (less(a[k], b[k])) return true;
      if (less(b[k], a[k])) return false;
    }
    return x < y;
  };
  for (int64_t i = 0; i < rows.rows;) {
    int64_t end = i + 1;
    while (end < rows.rows && !less(first(i), first(end))) ++end;
    if (end - i > 1) std::sort(rows.order + i, rows.order + end, precedes);
    i = end;
  }
}

template <typename F>
void for_each_chunk(const SortedRows& rows, const F& f) {
  const int64_t chunks = (rows.rows + kDistinctChunk - 1) / kDistinctChunk;
  diopi::parallel_for(chunks, diopi::Picoseconds{kDistinctChunk * 3000}, [&](int64_t begin, int64_t end) {
    for (int64_t c = begin; c < end; ++c) f(c, c * kDistinctChunk, std::min(rows.rows, (c + 1) * kDistinctChunk));
  });
}

template <typename T>
int64_t count_groups(const SortedRows& rows, int64_t* starts) {
  for_each_chunk(rows, [&](int64_t chunk, int64_t begin, int64_t end) {
    int64_t count = 0;
    for (int64_t i = begin; i < end; ++i) count += begins_group<T>(rows, i) ? 1 : 0;
    starts[chunk] = count;
  });
  int64_t total = 0;
  for (int64_t c = 0; c * kDistinctChunk < rows.rows; ++c) {
    const int64_t count = starts[c];
    starts[c] = total;
    total += count;
  }
  return total;
}

template <typename T>
void list_groups(const SortedRows& rows, const int64_t* starts, int64_t* group_begin) {
  for_each_chunk(rows, [&](int64_t chunk, int64_t begin, int64_t end) {
    int64_t* next = group_begin + starts[chunk];
    for (int64_t i = begin; i < end; ++i) {
      if (begins_group<T>(rows, i)) *next++ = i;
    }
  });
}

template <typename T>
constexpr DistinctKernels kKernels{sort_ties<T>, count_groups<T>, list_groups<T>};

}  // namespace

const DistinctKernels* distinct_kernels(diopiDtype_t dtype) {
  return diopi::kernel_for<diopi::RealTypes>(dtype, [](auto tag) { return &kKernels<diopi::tagged<decltype(tag)>>; });
}

}  // namespace impl::cpu
