// SPDX-License-Identifier: BSD-3-Clause
// Durations counted in classes: quantiles without a list of all durations.
#ifndef ADAPTOR_LAYER_MODES_HISTOGRAM_HPP_
#define ADAPTOR_LAYER_MODES_HISTOGRAM_HPP_

#include <algorithm>
#include <cstdint>

namespace diopi::layer {

// Each power of two has 16 classes, so a quantile is wrong by at most 1/32. Durations below 16 are exact.
class Histogram {
 public:
  void add(int64_t value) {
    const int64_t counted = std::max<int64_t>(value, 0);
    total_ += counted;
    least_ = count_ == 0 ? counted : std::min(least_, counted);
    most_ = std::max(most_, counted);
    ++count_;
    ++counts_[class_of(counted)];
  }

  void add(const Histogram& other) {
    if (other.count_ == 0) return;
    least_ = count_ == 0 ? other.least_ : std::min(least_, other.least_);
    most_ = std::max(most_, other.most_);
    total_ += other.total_;
    count_ += other.count_;
    for (int i = 0; i < kClasses; ++i) counts_[i] += other.counts_[i];
  }

  int64_t count() const { return count_; }
  int64_t total() const { return total_; }
  int64_t least() const { return least_; }
  int64_t most() const { return most_; }
  double mean() const { return count_ == 0 ? 0 : static_cast<double>(total_) / static_cast<double>(count_); }

  // The least duration that at least `share` of the durations do not exceed.
  int64_t quantile(double share) const {
    const auto wanted = std::max<int64_t>(1, static_cast<int64_t>(share * static_cast<double>(count_) + 0.999999));
    int64_t seen = 0;
    for (int i = 0; i < kClasses; ++i) {
      seen += counts_[i];
      if (seen >= wanted) return std::min(std::max(middle_of(i), least_), most_);
    }
    return most_;
  }

 private:
  static constexpr int kParts = 16;
  static constexpr int kPowers = 40;  // up to 2^43 ns, more than two hours
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

  int64_t count_ = 0, total_ = 0, least_ = 0, most_ = 0;
  uint32_t counts_[kClasses] = {};
};

}  // namespace diopi::layer

#endif  // ADAPTOR_LAYER_MODES_HISTOGRAM_HPP_
