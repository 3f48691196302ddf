// SPDX-License-Identifier: BSD-3-Clause
#include "impl/cpu/loss/nll.hpp"

#include <algorithm>
#include <cstdlib>
#include <cstring>

#include "impl/common/parallel.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "impl/cpu/loss/nll.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace impl::cpu {
namespace HWY_NAMESPACE {

// Plain loops, which the compiler vectorises for the target.
bool AllClasses(const int64_t* targets, int64_t n, int64_t classes, int64_t ignore_index) {
  uint64_t bad = 0;
  for (int64_t i = 0; i < n; ++i) {
    const bool outside = static_cast<uint64_t>(targets[i]) >= static_cast<uint64_t>(classes);
    bad |= static_cast<uint64_t>(outside & (targets[i] != ignore_index));
  }
  return bad == 0;
}

int64_t CountUnlike(const int64_t* targets, int64_t n, int64_t ignore_index) {
  int64_t count = 0;
  for (int64_t i = 0; i < n; ++i) count += targets[i] != ignore_index;
  return count;
}

}  // namespace HWY_NAMESPACE
}  // namespace impl::cpu
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace impl::cpu {

HWY_EXPORT(AllClasses);
HWY_EXPORT(CountUnlike);

namespace {

constexpr int64_t kChunk = 1024;        // samples of one partial sum
constexpr int64_t kGrain = 16384;       // fewer samples are not worth a second thread
constexpr int64_t kRowBytes = 1 << 15;  // bytes of gradients that are cleared together

using NllTypes = diopi::TypeList<float, double, diopi::float16, diopi::bfloat16>;

template <typename T>
double as_double(T x) {
  if constexpr (sizeof(T) == 2) {
    return static_cast<double>(static_cast<float>(x));
  } else {
    return static_cast<double>(x);
  }
}

template <typename T>
T from_double(double x) {
  if constexpr (sizeof(T) == 2) {
    return T(static_cast<float>(x));
  } else {
    return static_cast<T>(x);
  }
}

double sum_pairs(const double* partials, int64_t n, int64_t step) {
  if (n == 1) return partials[0];
  return sum_pairs(partials, n / 2, step) + sum_pairs(partials + n / 2 * step, n - n / 2, step);
}

// Calls f(i, count, offset, step) for runs of samples [i, i + count) that begin at `offset` and are `step` bytes apart.
template <typename F>
void for_stretches(const NllSamples& s, int64_t begin, int64_t end, F f) {
  diopi::LoopCursor at(s.nest, begin);
  at.for_runs(end - begin, [&](int64_t count) {
    f(begin, count, at.offset(), s.nest.inner_stride());
    begin += count;
  });
}

template <typename T, bool kWeighted>
NllTotal chunk_total(const NllSamples& s, const char* input, int64_t begin, int64_t end) {
  // Independent sums: an addition does not wait for the one before, and equal terms, which round in one direction, are
  // few.
  constexpr int64_t kLanes = 32;
  double loss[kLanes] = {}, weight[kLanes] = {};
  const int64_t class_step = s.class_step, ignored = s.ignore_index;
  for_stretches(s, begin, end, [&](int64_t first, int64_t count, int64_t offset, int64_t step) {
    const char* row = input + offset;
    const int64_t* targets = s.targets + first;
    const auto add = [&](int64_t lane, int64_t i) {
      const int64_t target = targets[i];
      if (target == ignored) return;
      const double w = kWeighted ? s.weight[target] : 1.0;
      loss[lane] -= w * as_double(*reinterpret_cast<const T*>(row + i * step + target * class_step));
      weight[lane] += w;
    };
    for (int64_t i = 0; i < count; ++i) add((first + i) % kLanes, i);
  });
  return {sum_pairs(loss, kLanes, 1), sum_pairs(weight, kLanes, 1)};
}

}  // namespace

int64_t find_bad_class(const int64_t* targets, int64_t samples, int64_t classes, int64_t ignore_index) {
  constexpr int64_t kFew = 8;  // a call of a vector function takes longer
  if (samples > kFew && HWY_DYNAMIC_DISPATCH(AllClasses)(targets, samples, classes, ignore_index)) return -1;
  for (int64_t i = 0; i < samples; ++i) {
    if ((targets[i] < 0 || targets[i] >= classes) && targets[i] != ignore_index) return i;
  }
  return -1;
}

int64_t nll_partials(int64_t samples) { return 2 * std::max<int64_t>(1, (samples + kChunk - 1) / kChunk); }

NllTotal nll_total(const NllSamples& s, diopiDtype_t dtype, const char* input, double* partials) {
  const int64_t count = nll_partials(s.samples) / 2;
  (void)diopi::visit_dtype<NllTypes>(dtype, [&](auto tag) -> diopi::Status {
    using T = typename decltype(tag)::type;
    const auto total_of_chunk = s.weight != nullptr ? chunk_total<T, true> : chunk_total<T, false>;
    diopi::parallel_for(count, kGrain / kChunk, [&](int64_t begin, int64_t end) {
      for (int64_t p = begin; p < end; ++p) {
        const NllTotal total = total_of_chunk(s, input, p * kChunk, std::min(s.samples, (p + 1) * kChunk));
        partials[2 * p] = total.loss;
        partials[2 * p + 1] = total.weight;
      }
    });
    return diopiSuccess;
  });
  return {sum_pairs(partials, count, 2), sum_pairs(partials + 1, count, 2)};
}

double nll_weight_total(const NllSamples& s, double* partials) {
  if (s.weight == nullptr) {
    return static_cast<double>(HWY_DYNAMIC_DISPATCH(CountUnlike)(s.targets, s.samples, s.ignore_index));
  }
  constexpr int64_t kLanes = 32;  // as in chunk_total
  const int64_t count = nll_partials(s.samples) / 2;
  for (int64_t p = 0; p < count; ++p) {
    double weight[kLanes] = {};
    for (int64_t i = p * kChunk; i < std::min(s.samples, (p + 1) * kChunk); ++i) {
      if (s.targets[i] != s.ignore_index) weight[i % kLanes] += s.weight[s.targets[i]];
    }
    partials[p] = sum_pairs(weight, kLanes, 1);
  }
  return sum_pairs(partials, count, 1);
}

double pairwise_sum(const double* values, int64_t n) {
  if (n <= 8) {
    double total = 0;
    for (int64_t i = 0; i < n; ++i) total += values[i];
    return total;
  }
  return pairwise_sum(values, n / 2) + pairwise_sum(values + n / 2, n - n / 2);
}

void nll_losses(const NllSamples& s, diopiDtype_t dtype, const char* input, double* losses) {
  (void)diopi::visit_dtype<NllTypes>(dtype, [&](auto tag) -> diopi::Status {
    using T = typename decltype(tag)::type;
    diopi::parallel_for(s.samples, kGrain, [&](int64_t begin, int64_t end) {
      for_stretches(s, begin, end, [&](int64_t first, int64_t count, int64_t offset, int64_t step) {
        const char* row = input + offset;
        for (int64_t i = first; i < first + count; ++i, row += step) {
          const int64_t target = s.targets[i];
          losses[i] = 0;
          if (target == s.ignore_index) continue;
          const double w = s.weight != nullptr ? s.weight[target] : 1.0;
          losses[i] = -w * as_double(*reinterpret_cast<const T*>(row + target * s.class_step));
        }
      });
    });
    return diopiSuccess;
  });
}

namespace {

template <typename T>
void write_gradients(const NllSamples& s, char* grad, const double* grads, bool one_for_all, double scale,
                     int64_t begin, int64_t end) {
  const int64_t class_step = s.class_step, ignored = s.ignore_index;
  const bool is_constant = one_for_all && s.weight == nullptr;
  const T constant = from_double<T>(one_for_all ? -scale * grads[0] : 0);
  for_stretches(s, begin, end, [&](int64_t first, int64_t count, int64_t offset, int64_t step) {
    char* row = grad + offset;
    const int64_t* targets = s.targets + first;
    for (int64_t i = 0; i < count && is_constant; ++i) {
      if (targets[i] != ignored) *reinterpret_cast<T*>(row + i * step + targets[i] * class_step) = constant;
    }
    for (int64_t i = 0; i < count && !is_constant; ++i) {
      const int64_t target = targets[i];
      if (target == ignored) continue;
      const double w = s.weight != nullptr ? s.weight[target] : 1.0;
      const double g = grads[one_for_all ? 0 : first + i];
      *reinterpret_cast<T*>(row + i * step + target * class_step) = from_double<T>(-w * scale * g);
    }
  });
}

template <typename T>
void clear(char* row, int64_t step, int64_t n) {
  if (step == static_cast<int64_t>(sizeof(T))) {
    std::memset(row, 0, static_cast<size_t>(n) * sizeof(T));
    return;
  }
  for (int64_t i = 0; i < n; ++i) *reinterpret_cast<T*>(row + i * step) = from_double<T>(0);
}

}  // namespace

void nll_gradient(const NllSamples& s, diopiDtype_t dtype, char* grad, const double* grads, bool one_for_all,
                  double scale) {
  (void)diopi::visit_dtype<NllTypes>(dtype, [&](auto tag) -> diopi::Status {
    using T = typename decltype(tag)::type;
    constexpr int64_t kSize = sizeof(T);
    const int64_t row_bytes = std::max<int64_t>(1, s.classes * kSize);
    const int64_t rows = std::max<int64_t>(1, kRowBytes / row_bytes);
    diopi::parallel_for(s.samples, std::max<int64_t>(1, 2 * kRowBytes / row_bytes), [&](int64_t begin, int64_t end) {
      for (int64_t r = begin; r < end; r += rows) {
        const int64_t stop = std::min(end, r + rows);
        for_stretches(s, r, stop, [&](int64_t, int64_t count, int64_t offset, int64_t step) {
          if (s.class_step == kSize && (count == 1 || step == row_bytes)) {
            clear<T>(grad + offset, kSize, count * s.classes);
          } else if (std::abs(step) < s.class_step) {  // samples are closer to each other than classes
            for (int64_t c = 0; c < s.classes; ++c) clear<T>(grad + offset + c * s.class_step, step, count);
          } else {
            for (int64_t i = 0; i < count; ++i) clear<T>(grad + offset + i * step, s.class_step, s.classes);
          }
        });
        write_gradients<T>(s, grad, grads, one_for_all, scale, r, stop);
      }
    });
    return diopiSuccess;
  });
}

}  // namespace impl::cpu
#endif  // HWY_ONCE
