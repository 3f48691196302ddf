// SPDX-License-Identifier: BSD-3-Clause
// The points of a cloud by voxel: sorted coordinates.
#include <algorithm>

#include "impl/common/engine/voxel.hpp"
#include "impl/common/parallel.hpp"
#include "impl/common/workspace.hpp"
#include "impl/cpu/engine/norm/layout.hpp"
#include "impl/cpu/engine/temporary.hpp"

namespace impl::cpu {
namespace {

constexpr int kMostParts = 16, kMostColumns = 64, kDigit = 11;
constexpr int64_t kBuckets = int64_t{1} << kDigit;

// Points in parts, one for each thread.
class Parts {
 public:
  explicit Parts(int64_t points) : Parts(static_cast<double>(points) * kPointTime, 0) {}
  int count() const { return count_; }
  // Calls f(part, begin, end) for each part of [0, n).
  template <typename F>
  void each(int64_t n, const F& f) const {
    if (count_ == 1) return f(0, int64_t{0}, n);
    claim_.on_each_thread(count_, [=, &f](int64_t part, int64_t parts) {
      f(static_cast<int>(part), n * part / parts, n * (part + 1) / parts);
    });
  }

 private:
  static constexpr double kPointTime = 15000;  // picoseconds
  Parts(double work, int) : claim_(work) {
    const double worth = std::min(work / diopi::PoolClaim::kWorthAThread, static_cast<double>(kMostParts));
    count_ = std::max(1, std::min(claim_.threads(), static_cast<int>(worth)));
  }

  diopi::PoolClaim claim_;
  int count_ = 1;
};

// Replaces the counts of all parts by the sum of all counts before; returns the sum of all.
int64_t sum_before(int64_t* counts, const Parts& parts) {
  int64_t sum = 0;
  for (int p = 0; p < parts.count(); ++p) {
    const int64_t count = counts[p];
    counts[p] = sum;
    sum += count;
  }
  return sum;
}

// Rows of integers, and the bits with which each column is packed into a key of 64 bits.
struct Rows {
  const int64_t* values = nullptr;
  int64_t columns = 0;
  int bits[kMostColumns] = {};
  int total_bits = 0;  // more than 64: the rows have no key

  const int64_t* row(int64_t i) const { return values + i * columns; }
  bool is_valid(int64_t i) const {
    return std::all_of(row(i), row(i) + columns, [](int64_t value) { return value >= 0; });
  }
  uint64_t key(int64_t i) const {
    uint64_t result = 0;
    for (int64_t c = 0; c < columns; ++c) {
      // A column of 64 bits is the only one, or all others have no bits.
      result = (bits[c] < 64 ? result << bits[c] : 0) | static_cast<uint64_t>(row(i)[c]);
    }
    return result;
  }
  bool equal(int64_t i, int64_t j) const { return std::equal(row(i), row(i) + columns, row(j)); }
};

int bits_of(int64_t value) { return value == 0 ? 0 : 64 - __builtin_clzll(static_cast<uint64_t>(value)); }

// Finds the bits of the columns, and how many valid rows each part has.
void look_at(Rows* rows, const Parts& parts, int64_t n, int64_t* valid) {
  const bool may_have_keys = rows->columns <= kMostColumns;
  int64_t together[kMostParts][kMostColumns] = {};  // the bitwise or of a column has the bits of its greatest number
  parts.each(n, [&](int part, int64_t begin, int64_t end) {
    int64_t count = 0, seen[kMostColumns] = {};
    for (int64_t i = begin; i < end; ++i) {
      if (!rows->is_valid(i)) continue;
      ++count;
      for (int64_t c = 0; may_have_keys && c < rows->columns; ++c) seen[c] |= rows->row(i)[c];
    }
    valid[part] = count;
    std::copy_n(seen, kMostColumns, together[part]);
  });
  rows->total_bits = may_have_keys ? 0 : 65;
  for (int64_t c = 0; may_have_keys && c < rows->columns; ++c) {
    int64_t seen = 0;
    for (int p = 0; p < parts.count(); ++p) seen |= together[p][c];
    rows->bits[c] = bits_of(seen);
    rows->total_bits += rows->bits[c];
  }
}

struct Keyed {
  uint64_t key;
  int64_t point;
};

// The places of the items of a pass of the sort: from their counts by part and digit.
void place_digits(int64_t* counts, int parts) {
  int64_t sum = 0;
  for (int64_t b = 0; b < kBuckets; ++b) {
    for (int p = 0; p < parts; ++p) {
      const int64_t count = counts[p * kBuckets + b];
      counts[p * kBuckets + b] = sum;
      sum += count;
    }
  }
}

// Sorts by key with one pass for every 11 bits; equal keys keep their order. Returns the sorted array. `counts` has
// kBuckets numbers for each part.
Keyed* radix_sort(const Parts& parts, Keyed* items, Keyed* other, int64_t* counts, int64_t n, int bits) {
  for (int shift = 0; shift < bits; shift += kDigit) {
    const auto digit = [=](const Keyed& item) { return (item.key >> shift) & (kBuckets - 1); };
    parts.each(n, [=](int part, int64_t begin, int64_t end) {
      int64_t* const mine = counts + part * kBuckets;
      std::fill_n(mine, kBuckets, int64_t{0});
      for (int64_t i = begin; i < end; ++i) ++mine[digit(items[i])];
    });
    place_digits(counts, parts.count());
    parts.each(n, [=](int part, int64_t begin, int64_t end) {
      int64_t* const next = counts + part * kBuckets;
      for (int64_t i = begin; i < end; ++i) other[next[digit(items[i])]++] = items[i];
    });
    std::swap(items, other);
  }
  return items;
}

// Sets start[v] to the first of the sorted points of voxel v; `opens(i)`: point i is the first of its voxel. Returns
// the number of voxels.
template <typename Opens>
int64_t find_starts(const Parts& parts, int64_t n, int64_t* start, const Opens& opens) {
  int64_t counts[kMostParts] = {};
  parts.each(n, [&](int part, int64_t begin, int64_t end) {
    int64_t count = 0;
    for (int64_t i = begin; i < end; ++i) count += opens(i) ? 1 : 0;
    counts[part] = count;
  });
  const int64_t voxels = sum_before(counts, parts);
  parts.each(n, [&](int part, int64_t begin, int64_t end) {
    int64_t* next = start + counts[part];
    for (int64_t i = begin; i < end; ++i) {
      if (opens(i)) *next++ = i;
    }
  });
  start[voxels] = n;
  return voxels;
}

// Sorted points and the memory for finding them.
struct Sorting {
  int64_t *order = nullptr, *start = nullptr, *counts = nullptr;
  Keyed *items = nullptr, *other = nullptr;

  Status reserve(diopiContextHandle_t ctx, const Rows& rows, int64_t count, const Parts& parts) {
    diopi::Workspace workspace(ctx);
    if (rows.total_bits > 64) return diopiSuccess;
    DIOPI_TRY(workspace.take(kBuckets * parts.count(), &counts));
    DIOPI_TRY(workspace.take(count, &items));
    return workspace.take(count, &other);
  }
};

// Sorts `count` valid rows of n. `first` has the number of valid rows before each part. Returns the number of voxels.
int64_t sort_with_keys(const Sorting& s, const Rows& rows, const Parts& parts, const int64_t* first, int64_t n,
                       int64_t count) {
  parts.each(n, [&](int part, int64_t begin, int64_t end) {
    Keyed* next = s.items + first[part];
    for (int64_t i = begin; i < end; ++i) {
      if (rows.is_valid(i)) *next++ = {rows.key(i), i};
    }
  });
  const Keyed* sorted = radix_sort(parts, s.items, s.other, s.counts, count, rows.total_bits);
  parts.each(count, [&](int, int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) s.order[i] = sorted[i].point;
  });
  return find_starts(parts, count, s.start, [=](int64_t i) { return i == 0 || sorted[i].key != sorted[i - 1].key; });
}

// The same for rows without keys.
int64_t sort_rows(const Sorting& s, const Rows& rows, const Parts& parts, int64_t n, int64_t count) {
  int64_t* next = s.order;
  for (int64_t i = 0; i < n; ++i) {
    if (rows.is_valid(i)) *next++ = i;
  }
  std::sort(s.order, s.order + count, [&](int64_t a, int64_t b) {
    const int64_t *left = rows.row(a), *right = rows.row(b);
    const auto apart = std::mismatch(left, left + rows.columns, right);
    return apart.first == left + rows.columns ? a < b : *apart.first < *apart.second;
  });
  return find_starts(parts, count, s.start,
                     [&](int64_t i) { return i == 0 || !rows.equal(s.order[i], s.order[i - 1]); });
}

}  // namespace

Status find_voxels(diopiContextHandle_t ctx, const TensorView& coors, VoxelPoints* points) {
  const int64_t n = coors.shape[0];
  TensorView packed;
  DIOPI_TRY(arrange_input(ctx, coors, nullptr, false, diopi_dtype_int64, &packed));
  Rows rows;
  rows.values = packed.ptr<int64_t>();
  rows.columns = coors.shape[1];
  const Parts parts(n);
  int64_t first[kMostParts] = {};
  look_at(&rows, parts, n, first);
  const int64_t count = sum_before(first, parts);
  diopi::Dims shape(diopiSize_t{&count, 1});
  DIOPI_TRY(make_temporary(ctx, shape, diopi_dtype_int64, &points->order));
  ++shape[0];
  DIOPI_TRY(make_temporary(ctx, shape, diopi_dtype_int64, &points->start));
  Sorting sorting;
  sorting.order = points->order.ptr<int64_t>();
  sorting.start = points->start.ptr<int64_t>();
  DIOPI_TRY(sorting.reserve(ctx, rows, count, parts));
  points->voxels = rows.total_bits > 64 ? sort_rows(sorting, rows, parts, n, count)
                                        : sort_with_keys(sorting, rows, parts, first, n, count);
  return diopiSuccess;
}

}  // namespace impl::cpu
