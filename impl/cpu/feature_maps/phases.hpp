// SPDX-License-Identifier: BSD-3-Clause
// Rows whose positions are stored in parts, so that every k-th position is adjacent to the next one.
#ifndef IMPL_CPU_FEATURE_MAPS_PHASES_HPP_
#define IMPL_CPU_FEATURE_MAPS_PHASES_HPP_

#include <algorithm>
#include <cstdint>

namespace impl::cpu {

// The quotients rounded down and up; b > 0.
inline int64_t floor_quotient(int64_t a, int64_t b) { return a / b - static_cast<int64_t>(a % b < 0); }
inline int64_t ceil_quotient(int64_t a, int64_t b) { return a / b + static_cast<int64_t>(a % b > 0); }

// A row of positions, each of `items` elements. Position x is number x / phases of part x % phases.
struct PhaseRow {
  int64_t width = 0, phases = 1, items = 1;

  int64_t part() const { return phases == 1 ? width : ceil_quotient(width, phases); }
  int64_t elements() const { return std::min(phases, width) * part() * items; }
  // The place of the first element of position x. For a position outside of the row: the place from which x + k *
  // phases is k positions away.
  int64_t place(int64_t x) const {
    if (phases == 1) return x * items;
    const int64_t number = floor_quotient(x, phases);
    return ((x - number * phases) * part() + number) * items;
  }
};

// The numbers t in [0, count) for which first + t * step lies in [0, width).
struct PhaseRange {
  int64_t begin, end;
};
inline PhaseRange inside_range(int64_t first, int64_t step, int64_t width, int64_t count) {
  const int64_t before = step == 1 ? -first : ceil_quotient(-first, step);
  const int64_t after = step == 1 ? width - first : ceil_quotient(width - first, step);
  const int64_t begin = std::clamp<int64_t>(before, 0, count);
  return {begin, std::clamp<int64_t>(after, begin, count)};
}

// Copies rows [begin, end) from the order of positions to parts, or back.
template <typename T>
void split_rows(const PhaseRow& row, const T* in, T* out, int64_t begin, int64_t end) {
  for (int64_t i = begin; i < end; ++i) {
    for (int64_t x = 0; x < row.width; ++x) {
      std::copy_n(in + (i * row.width + x) * row.items, row.items, out + i * row.elements() + row.place(x));
    }
  }
}
template <typename T>
void merge_rows(const PhaseRow& row, const T* in, T* out, int64_t begin, int64_t end) {
  for (int64_t i = begin; i < end; ++i) {
    for (int64_t x = 0; x < row.width; ++x) {
      std::copy_n(in + i * row.elements() + row.place(x), row.items, out + (i * row.width + x) * row.items);
    }
  }
}

}  // namespace impl::cpu

#endif  // IMPL_CPU_FEATURE_MAPS_PHASES_HPP_
