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

// Replaces the numbers of kRows rows, `step` elements apart, by their cumulative sums.
template <int kRows>
void add_up(double* numbers, int64_t step, int64_t count, double* sums) {
  double sum[kRows];
  std::copy_n(sums, kRows, sum);
  for (int64_t i = 0; i < count; ++i) {
    for (int r = 0; r < kRows; ++r) numbers[r * step + i] = sum[r] += numbers[r * step + i];
  }
  std::copy_n(sum, kRows, sums);
}

// read_weights() for the rows [begin, end), at most kRowsTogether. `last` gets kNoWeight or kInvalid for invalid rows.
void read_rows(const TensorView& input, int64_t begin, int64_t end, bool cumulative, double* weights, int64_t* last) {
  const int64_t n = input.shape[1];
  double sums[kRowsTogether] = {};
  std::fill(last + begin, last + end, kNoWeight);
  for (int64_t first = 0; first < n; first += kChunk) {
    const int64_t count = std::min(kChunk, n - first);
    for (int64_t row = begin; row < end; ++row) {
      double* const mine = weights + row * n + first;
      gather_range(input, row * n + first, count, diopi_dtype_float64, mine);
      check_weights(mine, first, count, last + row);
    }
    if (!cumulative) continue;
    int64_t row = begin;
    for (; row + 8 <= end; row += 8) add_up<8>(weights + row * n + first, n, count, sums + (row - begin));
    for (; row + 4 <= end; row += 4) add_up<4>(weights + row * n + first, n, count, sums + (row - begin));
    for (; row < end; ++row) add_up<1>(weights + row * n + first, n, count, sums + (row - begin));
  }
}

}  // namespace

WeightProblem read_weights(const TensorView& input, bool cumulative, double* weights, int64_t* last) {
  const int64_t rows = input.shape[0];
  diopi::parallel_for(rows, diopi::Picoseconds{800 * input.shape[1]}, [&](int64_t begin, int64_t end) {
    for (; begin < end; begin += kRowsTogether) {
      read_rows(input, begin, std::min(end, begin + kRowsTogether), cumulative, weights, last);
    }
  });
  for (int64_t row = 0; row < rows; ++row) {
    if (last[row] < 0) return {row, last[row] == kInvalid};
  }
  return {};
}

void draw_with_replacement(RandomStream stream, const MultinomialPlan& plan, const TensorView& out) {
  diopi::parallel_for(plan.rows, row_grain(plan.samples), [&](int64_t begin, int64_t end) {
    LongWords words(stream);
    for (int64_t row = begin; row < end; ++row) {
      const double* const sums = plan.weights + row * plan.n;
      for (int64_t j = 0; j < plan.samples; ++j) {
        const double u = static_cast<double>(words(row * plan.samples + j) >> 11) * 0x1p-53;
        const int64_t position = std::upper_bound(sums, sums + plan.n, u * sums[plan.n - 1]) - sums;
        store_position(out, row, j, std::min(position, plan.last[row]));  // rounding may reach the whole sum
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
