// SPDX-License-Identifier: BSD-3-Clause
// Normalisation of groups of channels in planes.
#include <algorithm>

#include "impl/common/parallel.hpp"
#include "impl/common/workspace.hpp"
#include "impl/cpu/norm/batch_group.hpp"
#include "impl/cpu/norm/segments.hpp"

namespace impl::cpu {

Status group_forward(diopiContextHandle_t ctx, const GroupShape& shape, void* y, const void* x, const double* weight,
                     const double* bias, double eps, double* mean, double* invstd) {
  const NchwKernels& kernels = *nchw_kernels(shape.dtype);
  const int size = diopi::dtype_size(shape.dtype);
  double* scales = nullptr;
  DIOPI_TRY(diopi::Workspace(ctx).take(shape.count() * shape.channels, &scales));
  const auto cost = cost_of(shape.channels, shape.space, kReading + kWriting);
  const int64_t bytes = shape.elements() * size;
  diopi::parallel_for(shape.count(), cost, [=](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      const char* source = at(x, i * shape.elements(), size);
      char* target = at(y, i * shape.elements(), size);
      const Moments m =
          kernels.moments(source, fetched_early(target, bytes, bytes * shape.count()), {1, shape.elements(), 0});
      mean[i] = m.mean;
      invstd[i] = inverse_std(m.m2, m.count, eps);
      const int64_t first = i % shape.groups * shape.channels;
      double* scale = scales + i * shape.channels;
      for (int64_t c = 0; c < shape.channels; ++c) scale[c] = invstd[i] * weight[first + c];
      kernels.normalize(target, source, {shape.channels, shape.space, shape.space}, m.mean, {scale, bias + first, 1});
    }
  });
  return diopiSuccess;
}

namespace {

// Computes the statistics of groups [begin, end), and prefetches the same elements of `next`, which is read next.
void take_statistics(const NchwKernels& kernels, const GroupShape& shape, const void* x, const void* next,
                     int64_t begin, int64_t end, const GroupStatistics& s) {
  const int size = diopi::dtype_size(shape.dtype);
  const int64_t elements = shape.elements(), bytes = elements * size;
  for (int64_t i = begin; i < end; ++i) {
    const char* const early = fetched_early(at(next, i * elements, size), bytes, bytes * shape.count());
    const Moments m = kernels.moments(at(x, i * elements, size), early, {1, elements, 0});
    s.mean[i] = m.mean;
    s.invstd[i] = inverse_std(m.m2, m.count, s.eps);
  }
}

struct GroupBackward {
  NchwKernels kernels;
  GroupShape shape;
  int size;
  char* dx;
  const char *dy, *x;
  const double* weight;
  GroupStatistics statistics;
  double *scales, *sum_dy, *sum_dy_h;  // one per sample and channel; h = (x - mean) invstd

  // Computes dx and the sums for group i % groups of sample i / groups.
  void differentiate(int64_t i) const {
    const double mean = statistics.mean[i], r = statistics.invstd[i];
    const int64_t first = i * shape.channels, place = i * shape.elements() * size;
    const double* w = weight + i % shape.groups * shape.channels;
    const StridedSegments segments{shape.channels, shape.space, shape.space};
    const double n = static_cast<double>(shape.elements());
    kernels.segment_sums(dy + place, x + place, segments, mean, sum_dy + first, sum_dy_h + first);
    double weighted = 0, weighted_h = 0;
    for (int64_t c = 0; c < shape.channels; ++c) {
      sum_dy_h[first + c] *= r;
      weighted += w[c] * sum_dy[first + c];
      weighted_h += w[c] * sum_dy_h[first + c];
      scales[first + c] = w[c] * r;
    }
    if (dx == nullptr) return;
    kernels.grad_input(dx + place, dy + place, x + place, segments, mean, r * weighted / n, r * r * weighted_h / n,
                       {scales + first, nullptr, 1});
  }

  // The same for groups [begin, end). Statistics that are not known are computed just before, while x stays in cache.
  void differentiate(int64_t begin, int64_t end) const {
    constexpr int64_t kCached = int64_t{1} << 17;  // bytes of x and dy
    const int64_t bytes = 2 * shape.elements() * size;
    const int64_t together = statistics.known ? end - begin : kCached / std::clamp<int64_t>(bytes, 1, kCached);
    for (; begin < end; begin += together) {
      const int64_t last = std::min(begin + together, end);
      if (!statistics.known) take_statistics(kernels, shape, x, dy, begin, last, statistics);
      for (int64_t i = begin; i < last; ++i) differentiate(i);
    }
  }

  // Adds the sums of samples first + 1 to last - 1 to those of sample `first`.
  void join(int64_t first, int64_t last) const {
    const int64_t channels = shape.groups * shape.channels;
    for (double* const sum : {sum_dy + first * channels, sum_dy_h + first * channels}) {
      for (int64_t s = 1; s < last - first; ++s) {
        for (int64_t c = 0; c < channels; ++c) sum[c] += sum[s * channels + c];
      }
    }
  }

  // Adds up the sums of every `step`th sample for channels [begin, end) of all groups.
  void merge(int64_t begin, int64_t end, int64_t step, double* grad_weight, double* grad_bias) const {
    const int64_t channels = shape.groups * shape.channels;
    std::fill(grad_weight + begin, grad_weight + end, 0.0);
    std::fill(grad_bias + begin, grad_bias + end, 0.0);
    for (int64_t s = 0; s < shape.samples; s += step) {
      for (int64_t c = begin; c < end; ++c) grad_weight[c] += sum_dy_h[s * channels + c];
      for (int64_t c = begin; c < end; ++c) grad_bias[c] += sum_dy[s * channels + c];
    }
  }
};

}  // namespace

Status group_backward(diopiContextHandle_t ctx, const GroupShape& shape, void* dx, const void* dy, const void* x,
                      const double* weight, const GroupStatistics& statistics, double* grad_weight, double* grad_bias) {
  constexpr int64_t kManyGroups = 16;  // with so many groups, each thread handles some groups of all samples
  // Threads that write parts of one short sample hinder each other, so each handles whole samples, so many at a time.
  constexpr int64_t kShortSample = 8192, kTogether = 16;
  double* sums = nullptr;
  const int64_t all = shape.count() * shape.channels;
  DIOPI_TRY(diopi::Workspace(ctx).take(3 * all, &sums));
  const GroupBackward groups{*nchw_kernels(shape.dtype),
                             shape,
                             static_cast<int>(diopi::dtype_size(shape.dtype)),
                             static_cast<char*>(dx),
                             static_cast<const char*>(dy),
                             static_cast<const char*>(x),
                             weight,
                             statistics,
                             sums,
                             sums + all,
                             sums + 2 * all};
  auto cost = cost_of(shape.channels, shape.space, (statistics.known ? 2 : 3) * kReading + kWriting);
  const int64_t channels = shape.groups * shape.channels;
  if (shape.samples > kTogether && shape.groups * shape.elements() * groups.size < kShortSample) {
    cost.count *= shape.groups * kTogether;
    diopi::parallel_for((shape.samples + kTogether - 1) / kTogether, cost, [groups](int64_t begin, int64_t end) {
      const int64_t each = groups.shape.groups;
      for (int64_t k = begin; k < end; ++k) {
        const int64_t first = k * kTogether, last = std::min(first + kTogether, groups.shape.samples);
        groups.differentiate(first * each, last * each);
        groups.join(first, last);
      }
    });
    groups.merge(0, channels, kTogether, grad_weight, grad_bias);
    return diopiSuccess;
  }
  if (shape.groups < kManyGroups) {
    diopi::parallel_for(shape.count(), cost,
                        [groups](int64_t begin, int64_t end) { groups.differentiate(begin, end); });
    groups.merge(0, channels, 1, grad_weight, grad_bias);
    return diopiSuccess;
  }
  // Each thread reads only what it wrote, so no barrier is needed.
  cost.count *= shape.samples;
  diopi::parallel_for(shape.groups, cost, [=](int64_t begin, int64_t end) {
    const int64_t each = groups.shape.groups;
    for (int64_t s = 0; s < groups.shape.samples; ++s) {
      groups.differentiate(s * each + begin, s * each + end);
    }
    groups.merge(begin * groups.shape.channels, end * groups.shape.channels, 1, grad_weight, grad_bias);
  });
  return diopiSuccess;
}

}  // namespace impl::cpu
