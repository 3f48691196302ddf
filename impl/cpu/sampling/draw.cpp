// SPDX-License-Identifier: BSD-3-Clause
// The ids with large weights are found without sorting the row. The k largest logits are not less than the k-th largest
// maximum of blocks of the row. For top-p, logits are counted in buckets of equal width, the largest logits in the
// first bucket, and only the bucket that matters is sorted.
#include "impl/cpu/sampling/draw.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "impl/cpu/sampling/largest.hpp"

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

// Collects the ids in a bucket, in the order of the ids.
int64_t collect(const DrawMemory& m, int64_t n, const Buckets& buckets, int bucket) {
  int64_t count = 0;
  for (int64_t i = 0; i < n; ++i) {
    m.candidates[count] = {m.logits[i], i};
    count += buckets.of(m.logits[i]) == bucket;
  }
  return count;
}

void sort_candidates(Candidate* first, Candidate* last) {
  if (!std::is_sorted(first, last, goes_first)) std::sort(first, last, goes_first);
}

// The length of blocks of which there are enough that few logits exceed the k-th largest maximum.
int64_t block_length(int64_t n, int64_t k) {
  constexpr int64_t kMost = 1024, kLeast = 16, kBlocksForEach = 4;
  int64_t length = kMost;
  while (length > kLeast && n / length < kBlocksForEach * k) length /= 2;
  return length;
}

// Puts the k largest logits at the front of the candidates, in order, and returns the largest.
double find_largest(const DrawMemory& m, const LogitRow& row, int64_t k) {
  const LogitKernels kernels = logit_kernels(row.dtype);
  const int64_t length = block_length(row.n, k), blocks = (row.n + length - 1) / length;
  double* const maxima = m.weights;
  kernels.maxima(row.logits, row.n, length, maxima);
  double least = -std::numeric_limits<double>::infinity();
  if (blocks >= k) {
    for (int64_t i = 0; i < blocks; ++i) m.candidates[i] = {maxima[i], i};
    std::nth_element(m.candidates, m.candidates + (k - 1), m.candidates + blocks, goes_first);
    least = m.candidates[k - 1].logit;
  }
  int64_t count = 0;
  for (int64_t i = 0; i < blocks; ++i) {
    if (maxima[i] < least) continue;
    const int64_t begin = i * length, end = std::min(row.n, begin + length);
    count += kernels.collect(row.logits, begin, end, least, m.candidates + count);
  }
  if (count > k) std::nth_element(m.candidates, m.candidates + (k - 1), m.candidates + count, goes_first);
  sort_candidates(m.candidates, m.candidates + k);
  return m.candidates[0].logit;
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

Drawn draw_top_k(const DrawMemory& m, const LogitRow& row, int64_t k, double p, double u) {
  k = std::clamp<int64_t>(k, 1, row.n);
  const double top = find_largest(m, row, k);
  weigh_candidates(m, k, top);
  double sum = 0;
  for (int64_t i = 0; i < k; ++i) sum += m.weights[i];
  const int64_t taken = find_share(m.weights, k, 0, u * p * sum);
  return {m.candidates[taken].id, 0, std::log(m.weights[taken] / sum), m.weights[taken]};
}

Drawn draw_top_k_of_all(const DrawMemory& m, int64_t n, int64_t k, double p, double u) {
  const double total = sum_of_weights(m.logits, n, prepare_logits(m.logits, n).most);
  Drawn drawn = draw_top_k(m, {m.logits, diopi_dtype_float64, n}, k, p, u);
  drawn.log_all = std::log(drawn.weight / total);
  return drawn;
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
    return {first, log, log, 1};
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
  const int64_t count = collect(m, n, buckets, bucket);
  sort_candidates(m.candidates, m.candidates + count);
  weigh_candidates(m, count, row.most);
  const int64_t taken = find_share(m.weights, count, before, target);
  const double log = std::log(m.weights[taken] / total);
  return {m.candidates[taken].id, log, log, m.weights[taken]};
}

}  // namespace impl::cpu
