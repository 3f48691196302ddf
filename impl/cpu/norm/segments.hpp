// SPDX-License-Identifier: BSD-3-Clause
// What the loops over channels and over groups share: the costs of segments, and addresses.
#ifndef IMPL_CPU_NORM_SEGMENTS_HPP_
#define IMPL_CPU_NORM_SEGMENTS_HPP_

#include <cmath>
#include <cstdint>

#include "impl/common/parallel.hpp"

namespace impl::cpu {

// Time of one thread in picoseconds: to read an element; to read one and write one; to begin a segment; to merge the
// statistics of two tiles.
inline constexpr int64_t kReading = 50, kWriting = 80, kSegment = 10000, kMerging = 5000;

inline diopi::Picoseconds cost_of(int64_t segments, int64_t length, int64_t each) {
  return {segments * (kSegment + length * each)};
}

inline const char* at(const void* p, int64_t element, int itemsize) {
  return static_cast<const char*>(p) + element * itemsize;
}
inline char* at(void* p, int64_t element, int itemsize) { return static_cast<char*>(p) + element * itemsize; }

// Returns `y`, the next `bytes` to write, if it should be prefetched while x is read: it fits the second-level cache
// beside x and is not in the cache yet. Otherwise returns null.
inline const char* fetched_early(const char* y, int64_t bytes, int64_t bytes_of_all) {
  return bytes <= int64_t{1} << 18 && bytes_of_all > int64_t{1} << 20 ? y : nullptr;
}

inline double inverse_std(double m2, double count, double eps) { return 1 / std::sqrt(m2 / count + eps); }

}  // namespace impl::cpu

#endif  // IMPL_CPU_NORM_SEGMENTS_HPP_
