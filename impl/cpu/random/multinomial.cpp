// SPDX-License-Identifier: BSD-3-Clause
#include "impl/cpu/random/multinomial.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "impl/common/parallel.hpp"
#include "impl/cpu/engine/element_range.hpp"

namespace impl::cpu {

namespace {

using diopi::TensorView;

// Returns 64-bit words of a stream by their number. It computes some blocks of words at a time.
class LongWords {
 public:
  explicit LongWords(RandomStream stream) : stream_(stream) {}
  uint64_t operator()(int64_t i) {
    const int64_t chunk = i / kCount;
    if (chunk != chunk_) {
      chunk_ = chunk;
      philox_words(stream_, chunk * kCount / 2, kCount / 2, words_);
    }
    const uint32_t* const pair = words_ + 2 * (i % kCount);
    return pair[0] | static_cast<uint64_t>(pair[1]) << 32;
  }

 private:
  static constexpr int64_t kCount = 64;
  RandomStream stream_;
  int64_t chunk_ = -1;
  uint32_t words_[2 * kCount];
};

void store_position(const TensorView& out, int64_t row, int64_t sample, int64_t position) {
  const int64_t at = row * out.stride[0] + sample * out.stride[1];
  if (out.dtype == diopi_dtype_int64) {
    out.ptr<int64_t>()[at] = position;
  } else {
    out.ptr<int32_t>()[at] = static_cast<int32_t>(position);
  }
}

int64_t row_grain(int64_t work) { return std::max<int64_t>(1, 16384 / std::max<int64_t>(1, work)); }

constexpr int64_t kRowsTogether = 8;  // whose sums are added side by side: an addition waits for the one before it
constexpr int64_t kChunk = 256;       // weights of a row that are read at a time
constexpr int64_t kNoWeight = -1, kInvalid = -2;

bool are_weights(const double* numbers, int64_t count) {
  // Sign and exponent alone show that nearly all numbers are valid: with one added to them, negative and infinite
  // numbers and NaN have a higher bit.
  uint64_t seen = 0;
  for (int64_t i = 0; i < count; ++i) {
    uint64_t bits;
    std::memcpy(&bits, numbers + i, sizeof(bits));
    seen |= (bits >> 52) + 1;
  }
  if (seen >> 11 == 0) return true;
  return std::all_of(numbers, numbers + count,
                     [](double x) { return x >= 0 && x <= std::numeric_limits<double>::max(); });
}

// Updates the last position of a row for the weights [first, first + count).
void check_weights(const double* weights, int64_t first, int64_t count, int64_t* last) {
  if (!are_weights(weights, count)) *last = kInvalid;
  if (*last == kInvalid) return;
  while (count > 0 && !(weights[count - 1] > 0)) --count;
  if (count > 0) *last = first + count - 1;
}

// Adds the numbers of kRows rows, `step` elements apart, to `sums`. With kKeeps, they are replaced by the sums.
template <int kRows, bool kKeeps>
void add_up(double* numbers, int64_t step, int64_t count, double* sums) {
  double sum[kRows];
  std::copy_n(sums, kRows, sum);
  for (int64_t i = 0; i < count; ++i) {
    for (int r = 0; r < kRows; ++r) {
      sum[r] += numbers[r * step + i];
      if (kKeeps) numbers[r * step + i] = sum[r];
    }
  }
  std::copy_n(sum, kRows, sums);
}

template <bool kKeeps>
void add_up_rows(double* numbers, int64_t step, int64_t rows, int64_t count, double* sums) {
  int64_t r = 0;
  for (; r + 8 <= rows; r += 8) add_up<8, kKeeps>(numbers + r * step, step, count, sums + r);
  for (; r + 4 <= rows; r += 4) add_up<4, kKeeps>(numbers + r * step, step, count, sums + r);
  for (; r < rows; ++r) add_up<1, kKeeps>(numbers + r * step, step, count, sums + r);
}

// read_weights() for the rows [begin, end), at most kRowsTogether. `last` gets kNoWeight or kInvalid for invalid rows.
void read_rows(const MultinomialPlan& plan, int64_t begin, int64_t end) {
  const int64_t n = plan.n, block = static_cast<int64_t>(plan.sums), kept = plan.kept();
  const bool in_blocks = plan.sums == Sums::kOfBlocks;
  double sums[kRowsTogether] = {}, chunk[kRowsTogether * kChunk];
  std::fill(plan.last + begin, plan.last + end, kNoWeight);
  for (int64_t first = 0; first < n; first += kChunk) {
    const int64_t count = std::min(kChunk, n - first), step = in_blocks ? kChunk : n;
    double* const numbers = in_blocks ? chunk : plan.weights + begin * n + first;
    for (int64_t row = begin; row < end; ++row) {
      double* const mine = numbers + (row - begin) * step;
      gather_range(*plan.input, row * n + first, count, diopi_dtype_float64, mine);
      check_weights(mine, first, count, plan.last + row);
    }
    if (plan.sums == Sums::kOfEach) add_up_rows<true>(numbers, step, end - begin, count, sums);
    for (int64_t i = 0; in_blocks && i < count; i += block) {
      add_up_rows<false>(numbers + i, step, end - begin, std::min(block, count - i), sums);
      for (int64_t row = begin; row < end; ++row) plan.weights[row * kept + (first + i) / block] = sums[row - begin];
    }
  }
}

// Returns the first position of a row whose cumulative sum exceeds this share of the whole sum, or n.
int64_t position_of(const MultinomialPlan& plan, int64_t row, double share) {
  const int64_t kept = plan.kept(), block = static_cast<int64_t>(plan.sums);
  const double* const sums = plan.weights + row * kept;
  const double target = share * sums[kept - 1];
  const int64_t found = std::upper_bound(sums, sums + kept, target) - sums;
  if (block == 1 || found == kept) return std::min(found * block, plan.n);
  double weights[static_cast<int64_t>(Sums::kOfBlocks)], sum = found > 0 ? sums[found - 1] : 0;
  const int64_t first = found * block, count = std::min(block, plan.n - first);
  gather_range(*plan.input, row * plan.n + first, count, diopi_dtype_float64, weights);
  int64_t i = 0;
  while (i < count && !((sum += weights[i]) > target)) ++i;
  return first + i;
}

// For many samples, the sums of all weights are faster.
Sums sums_for(int64_t n, int64_t samples) {
  constexpr int64_t kFew = 256;  // samples that read fewer weights again than there are
  return n >= kFew && samples <= n / static_cast<int64_t>(Sums::kOfBlocks) ? Sums::kOfBlocks : Sums::kOfEach;
}

}  // namespace

MultinomialPlan::MultinomialPlan(const TensorView& view, int64_t num_samples, bool replacement)
    : rows(view.shape[0]),
      n(view.shape[1]),
      samples(num_samples),
      sums(replacement ? sums_for(n, samples) : Sums::kNone),
      input(&view) {}

WeightProblem read_weights(const MultinomialPlan& plan) {
  diopi::parallel_for(plan.rows, diopi::Picoseconds{800 * plan.n}, [&](int64_t begin, int64_t end) {
    for (; begin < end; begin += kRowsTogether) read_rows(plan, begin, std::min(end, begin + kRowsTogether));
  });
  for (int64_t row = 0; row < plan.rows; ++row) {
    if (plan.last[row] < 0) return {row, plan.last[row] == kInvalid};
  }
  return {};
}

void draw_with_replacement(RandomStream stream, const MultinomialPlan& plan, const TensorView& out) {
  diopi::parallel_for(plan.rows, row_grain(plan.samples), [&](int64_t begin, int64_t end) {
    LongWords words(stream);
    for (int64_t row = begin; row < end; ++row) {
      for (int64_t j = 0; j < plan.samples; ++j) {
        const double u = static_cast<double>(words(row * plan.samples + j) >> 11) * 0x1p-53;
        // Rounding may reach the whole sum.
        store_position(out, row, j, std::min(position_of(plan, row, u), plan.last[row]));
      }
    }
  });
}

void draw_without_replacement(RandomStream stream, const MultinomialPlan& plan, const TensorView& out) {
  diopi::parallel_for(plan.rows, row_grain(8 * plan.n), [&](int64_t begin, int64_t end) {
    LongWords words(stream);
    for (int64_t row = begin; row < end; ++row) {
      Packed128* const order = plan.order + row * plan.n;
      for (int64_t i = 0; i < plan.n; ++i) {
        const double u = static_cast<double>((words(row * plan.n + i) >> 12) + 1) * 0x1p-52;
        const double wait = -std::log(u) / plan.weights[row * plan.n + i];  // infinity for a weight of zero, or NaN
        const double ordered = wait >= 0 ? wait : std::numeric_limits<double>::infinity();
        order[i] = Packing<Packed128>::pack(SortKey<double>::encode(reinterpret_cast<const char*>(&ordered)), i);
      }
      std::partial_sort(order, order + plan.samples, order + plan.n);
      for (int64_t j = 0; j < plan.samples; ++j) {
        store_position(out, row, j, Packing<Packed128>::position(order[j]));
      }
    }
  });
}

}  // namespace impl::cpu
