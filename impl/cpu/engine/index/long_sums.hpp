// SPDX-License-Identifier: BSD-3-Clause
// Part of the index engine: sums of so many terms that a sum in the dtype of the terms would lose digits.
#ifndef IMPL_CPU_ENGINE_INDEX_LONG_SUMS_HPP_
#define IMPL_CPU_ENGINE_INDEX_LONG_SUMS_HPP_

#include <algorithm>
#include <cstdint>
#include <cstring>

#include "impl/cpu/engine/long_sum.hpp"

namespace impl::cpu::index_detail {

// Adds items of type T to a LongSum<T>.
template <typename T>
struct AddLong {
  static constexpr int64_t kSize = sizeof(LongSum<T>), kPackedSize = sizeof(T);
  static constexpr bool kReadsTarget = true;
  static void apply(char* sum, const char* term) {
    T value;
    std::memcpy(&value, term, sizeof(T));
    reinterpret_cast<LongSum<T>*>(sum)->add(value);
  }
};

using InexactTypes =
    diopi::TypeList<float, double, diopi::float16, diopi::bfloat16, diopi::complex64, diopi::complex128>;

// The largest number of terms that are added to an element one after another in its own dtype.
inline constexpr int64_t kLongestInOrder = 4096;

// Counts how often numbers occur. Several numbers may share a counter.
class Occurrences {
 public:
  static constexpr int64_t kCounters = 8192;
  void count(int64_t counter) { ++counters_[counter]; }
  // Returns the largest counter.
  int64_t most() const { return *std::max_element(counters_, counters_ + kCounters); }

 private:
  uint32_t counters_[kCounters] = {};
};

}  // namespace impl::cpu::index_detail

#endif  // IMPL_CPU_ENGINE_INDEX_LONG_SUMS_HPP_
