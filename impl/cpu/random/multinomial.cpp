// SPDX-License-Identifier: BSD-3-Clause
#include "impl/cpu/random/multinomial.hpp"

#include <algorithm>
#include <cmath>
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

}  // namespace

WeightProblem read_weights(const TensorView& input, double* weights) {
  const int64_t rows = input.shape[0], n = input.shape[1];
  WeightProblem problem;
  for (int64_t first = 0; first < input.numel; first += kElementRange) {
    const int64_t count = std::min(kElementRange, input.numel - first);
    gather_range(input, first, count, diopi_dtype_float64, weights + first);
  }
  for (int64_t row = 0; row < rows && problem.row < 0; ++row) {
    double sum = 0;
    bool valid = true;
    for (int64_t i = 0; i < n; ++i) {
      const double weight = weights[row * n + i];
      valid = valid && weight >= 0 && weight <= std::numeric_limits<double>::max();
      sum += weight;
    }
    if (!valid || !(sum > 0)) problem = {row, !valid};
  }
  return problem;
}

void draw_with_replacement(RandomStream stream, const MultinomialPlan& plan, const TensorView& out) {
  diopi::parallel_for(plan.rows, row_grain(plan.n + plan.samples), [&](int64_t begin, int64_t end) {
    LongWords words(stream);
    for (int64_t row = begin; row < end; ++row) {
      double* const sums = plan.weights + row * plan.n;
      int64_t last = 0;  // last position with a weight: rounding may reach the whole sum
      for (int64_t i = 0; i < plan.n; ++i) {
        if (sums[i] > 0) last = i;
        if (i > 0) sums[i] += sums[i - 1];
      }
      for (int64_t j = 0; j < plan.samples; ++j) {
        const double u = static_cast<double>(words(row * plan.samples + j) >> 11) * 0x1p-53;
        const int64_t position = std::upper_bound(sums, sums + plan.n, u * sums[plan.n - 1]) - sums;
        store_position(out, row, j, std::min(position, last));
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
