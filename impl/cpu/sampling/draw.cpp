// SPDX-License-Identifier: BSD-3-Clause
// The ids with large weights are found without sorting the row: logits are counted in buckets of equal width, the
// largest logits in the first bucket, and only the buckets that matter are sorted.
#include "impl/cpu/sampling/draw.hpp"

#include <algorithm>
#include <cmath>

namespace impl::cpu {

namespace {

constexpr int kBuckets = 1024;
constexpr double kWidest = 64;  // logits that are so much below the largest have no weight that counts
constexpr int64_t kChunk = 512;

bool goes_first(const Candidate& a, const Candidate& b) {
  return a.logit > b.logit || (a.logit == b.logit && a.id < b.id);
}

// The buckets of a row. A larger logit is never in a later bucket.
class Buckets {
 public:
  explicit Buckets(const Extremes& row) : top_(row.most) {
    const double range = std::min(row.most - row.least, kWidest);
    scale_ = range > 0 ? (kBuckets - 1) / range : 0;
  }
  int of(double logit) const {
    if (logit == top_) return 0;
    const double place = (top_ - logit) * scale_;
    return place < kBuckets - 1 ? static_cast<int>(place) : kBuckets - 1;
  }

 private:
  double top_, scale_;
};

// Collects the ids in the buckets [first, last], in the order of their logits.
int64_t collect(const DrawMemory& m, int64_t n, const Buckets& buckets, int first, int last) {
  int64_t count = 0;
  for (int64_t i = 0; i < n; ++i) {
    const int bucket = buckets.of(m.logits[i]);
    m.candidates[count] = {m.logits[i], i};
    count += bucket >= first && bucket <= last;
  }
  return count;
}

void sort_candidates(Candidate* first, Candidate* last) {
  if (!std::is_sorted(first, last, goes_first)) std::sort(first, last, goes_first);
}

// The weights of the first `count` candidates; their logits take the memory of the row's.
void weigh_candidates(const DrawMemory& m, int64_t count, double top) {
  for (int64_t i = 0; i < count; ++i) m.logits[i] = m.candidates[i].logit;
  make_weights(m.logits, count, top, m.weights);
}

// The first position with before + weights[0] + ... + weights[i] >= target, or the last one.
int64_t find_share(const double* weights, int64_t count, double before, double target) {
  double sum = before;
  for (int64_t i = 0; i + 1 < count; ++i) {
    sum += weights[i];
    if (sum >= target) return i;
  }
  return count - 1;
}

// Calls f(bucket, weight) for each logit.
template <typename F>
void for_weights(const double* logits, int64_t n, double top, const F& f) {
  double weights[kChunk];
  for (int64_t start = 0; start < n; start += kChunk) {
    const int64_t count = std::min(kChunk, n - start);
    make_weights(logits + start, count, top, weights);
    for (int64_t i = 0; i < count; ++i) f(logits[start + i], weights[i]);
  }
}

double sum_of_weights(const double* logits, int64_t n, double top) {
  double total = 0;
  for (int64_t start = 0; start < n; start += kChunk) {
    double weights[kChunk], sum = 0;
    const int64_t count = std::min(kChunk, n - start);
    make_weights(logits + start, count, top, weights);
    for (int64_t i = 0; i < count; ++i) sum += weights[i];
    total += sum;
  }
  return total;
}

}  // namespace

Drawn draw_top_k(const DrawMemory& m, int64_t n, int64_t k, double p, double u, bool wants_all) {
  const Extremes row = prepare_logits(m.logits, n);
  const Buckets buckets(row);
  k = std::clamp<int64_t>(k, 1, n);
  const double total = wants_all ? sum_of_weights(m.logits, n, row.most) : 0;
  int64_t counts[kBuckets] = {}, count = 0;
  for (int64_t i = 0; i < n; ++i) ++counts[buckets.of(m.logits[i])];
  int last = 0;
  for (; last < kBuckets - 1 && (count += counts[last]) < k;) ++last;
  count = collect(m, n, buckets, 0, last);
  if (count > k) std::nth_element(m.candidates, m.candidates + (k - 1), m.candidates + count, goes_first);
  sort_candidates(m.candidates, m.candidates + k);
  weigh_candidates(m, k, row.most);
  double sum = 0;
  for (int64_t i = 0; i < k; ++i) sum += m.weights[i];
  const int64_t taken = find_share(m.weights, k, 0, u * p * sum);
  const double weight = m.weights[taken];
  return {m.candidates[taken].id, wants_all ? std::log(weight / total) : 0, std::log(weight / sum)};
}

Drawn draw_top_p(const DrawMemory& m, int64_t n, double p, double u) {
  const Extremes row = prepare_logits(m.logits, n);
  const Buckets buckets(row);
  double sums[kBuckets] = {}, total = 0;
  int64_t counts[kBuckets] = {};
  for_weights(m.logits, n, row.most, [&](double logit, double weight) {
    const int bucket = buckets.of(logit);
    sums[bucket] += weight;
    ++counts[bucket];
  });
  for (double sum : sums) total += sum;
  if (1 / total >= p) {
    const int64_t first = std::find(m.logits, m.logits + n, row.most) - m.logits;
    const double log = std::log(1 / total);
    return {first, log, log};
  }
  const double target = u * p * total;
  int bucket = 0;
  double before = 0;
  for (int next = 0; next < kBuckets; ++next) {
    if (counts[next] == 0) continue;
    if (next > 0) before += sums[bucket];
    bucket = next;
    if (before + sums[bucket] >= target) break;
  }
  const int64_t count = collect(m, n, buckets, bucket, bucket);
  sort_candidates(m.candidates, m.candidates + count);
  weigh_candidates(m, count, row.most);
  const int64_t taken = find_share(m.weights, count, before, target);
  const double log = std::log(m.weights[taken] / total);
  return {m.candidates[taken].id, log, log};
}

}  // namespace impl::cpu
