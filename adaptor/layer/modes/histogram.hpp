// SPDX-License-Identifier: BSD-3-Clause
// Durations counted in classes: quantiles without a list of all durations.
#ifndef ADAPTOR_LAYER_MODES_HISTOGRAM_HPP_
#define ADAPTOR_LAYER_MODES_HISTOGRAM_HPP_

#include <algorithm>
#include <atomic>
#include <cstdint>

namespace diopi::layer {

// A number that one thread changes while others may read it.
template <typename T>
class Shared {
 public:
  operator T() const { return value_.load(std::memory_order_relaxed); }  // NOLINT(google-explicit-constructor)
  Shared& operator=(T value) {
    value_.store(value, std::memory_order_relaxed);
    return *this;
  }
  Shared& operator+=(T value) { return *this = *this + value; }

 private:
  std::atomic<T> value_{};
};

// Each power of two has 16 classes, so a quantile is wrong by at most 1/32. Durations below 16 are exact. One thread
// adds; what others read meanwhile may lack a part of the last duration.
class Histogram {
 public:
  void add(int64_t value) {
    const int64_t counted = std::max<int64_t>(value, 0);
    total_ += counted;
    if (count_ == 0 || counted < least_) least_ = counted;
    if (counted > most_) most_ = counted;
    count_ += 1;
    counts_[class_of(counted)] += 1;
  }

  void add(const Histogram& other) {
    if (other.count_ == 0) return;
    if (count_ == 0 || other.least() < least_) least_ = other.least();
    if (other.most() > most_) most_ = other.most();
    total_ += other.total_;
    count_ += other.count_;
    for (int i = 0; i < kClasses; ++i) counts_[i] += other.counts_[i];
  }

  int64_t count() const { return count_; }
  int64_t total() const { return total_; }
  int64_t least() const { return least_; }
  int64_t most() const { return most_; }
  double mean() const { return count_ == 0 ? 0 : static_cast<double>(total()) / static_cast<double>(count()); }

  // The least duration that at least `share` of the durations do not exceed.
  int64_t quantile(double share) const {
    const auto wanted = std::max<int64_t>(1, static_cast<int64_t>(share * static_cast<double>(count()) + 0.999999));
    int64_t seen = 0;
    for (int i = 0; i < kClasses; ++i) {
      seen += counts_[i];
      if (seen >= wanted) return std::min<int64_t>(std::max<int64_t>(middle_of(i), least_), most_);
    }
    return most_;
  }

 private:
  static constexpr int kParts = 16;
  static constexpr int kPowers = 41;  // longer durations than 2^45 share the last class
  static constexpr int kClasses = kParts * (kPowers + 1);

  static int class_of(int64_t value) {
    if (value < kParts) return static_cast<int>(value);
    const int power = 63 - __builtin_clzll(static_cast<uint64_t>(value));
    const int found = (power - 3) * kParts + static_cast<int>(value >> (power - 4)) - kParts;
    return std::min(found, kClasses - 1);
  }

  static int64_t middle_of(int index) {
    if (index < kParts) return index;
    const int shift = index / kParts - 1;
    const int64_t first = static_cast<int64_t>(kParts + index % kParts) << shift;
    return first + ((int64_t{1} << shift) - 1) / 2;
  }

  Shared<int64_t> count_, total_, least_, most_;
  Shared<uint32_t> counts_[kClasses];
};

}  // namespace diopi::layer

#endif  // ADAPTOR_LAYER_MODES_HISTOGRAM_HPP_
