// SPDX-License-Identifier: BSD-3-Clause
// Normalisation over channels: statistics of each channel, or of each group of channels in each sample; batch and group
// normalisation, forward and backward.
//
// Channels lie in planes (each sample's elements of a channel are packed, one channel after the other) or in columns
// (the channels of one position are packed, one position after the other). All tensors of a call have the same layout.
#ifndef IMPL_CPU_NORM_BATCH_GROUP_HPP_
#define IMPL_CPU_NORM_BATCH_GROUP_HPP_

#include <diopi/diopirt.h>

#include <cstdint>

#include "impl/common/error.hpp"

namespace impl::cpu {

using diopi::Status;

// Mean and sum of squared deviations of a set; add() merges a disjoint set into it.
struct Moments {
  double count = 0, mean = 0, m2 = 0;
  void add(double other_count, double other_mean, double other_m2) {
    const double total = count + other_count;
    if (total == 0) return;
    const double delta = other_mean - mean;
    mean += delta * (other_count / total);
    m2 += other_m2 + delta * delta * (count * other_count / total);
    count = total;
  }
};

// `count` pieces of `length` packed elements, `step` elements apart.
struct StridedSegments {
  int64_t count, length, step;
};

// Constants of each segment: `step` is 0 if all segments share one constant.
struct SegmentConstants {
  const double* scale;
  const double* shift;
  int64_t step;
};

// Constants of each plane.
struct PlaneConstants {
  const double *mean, *scale, *shift;
};

// Kernels for the segments of one channel or group of an NCHW tensor.
struct NchwKernels {
  // Prefetches `y`, which is written soon. Null: do not prefetch.
  Moments (*moments)(const void* x, const void* y, const StridedSegments& segments);
  // Like moments, but the mean is also precise if it is small compared with the elements. This takes longer.
  Moments (*precise_moments)(const void* x, const void* y, const StridedSegments& segments);
  // y = (x - mean) scale + shift
  void (*normalize)(void* y, const void* x, const StridedSegments& segments, double mean,
                    const SegmentConstants& constants);
  // The same for packed planes of `space` elements with constants of their own.
  void (*normalize_planes)(void* y, const void* x, int64_t planes, int64_t space, const PlaneConstants& constants);
  // sums[0] = sum of dy, sums[1] = sum of dy (x - mean)
  void (*grad_sums)(const void* dy, const void* x, const StridedSegments& segments, double mean, double* sums);
  // The sums of grad_sums for each segment.
  void (*segment_sums)(const void* dy, const void* x, const StridedSegments& segments, double mean, double* sum_dy,
                       double* sum_dy_xmu);
  // dx = dy scale - a - (x - mean) b
  void (*grad_input)(void* dx, const void* dy, const void* x, const StridedSegments& segments, double mean, double a,
                     double b, const SegmentConstants& constants);
};
const NchwKernels* nchw_kernels(diopiDtype_t dtype);

// Kernels for `rows` rows of `width` <= kMaxColumns columns, `pitch` elements apart. There is one result for each
// column. Constants are packed arrays of the compute dtype.
struct NhwcKernels {
  void (*moments)(const void* x, int64_t rows, int64_t pitch, int64_t width, double* mean, double* m2);
  // y = (x - mean) scale + shift; constants: mean, scale, shift
  void (*normalize)(void* y, const void* x, int64_t rows, int64_t pitch, int64_t width, const void* const* constants);
  void (*grad_sums)(const void* dy, const void* x, int64_t rows, int64_t pitch, int64_t width, const void* mean,
                    double* sum_dy, double* sum_dy_xmu);
  // dx = dy scale - a - (x - mean) b; constants: mean, scale, a, b
  void (*grad_input)(void* dx, const void* dy, const void* x, int64_t rows, int64_t pitch, int64_t width,
                     const void* const* constants);
};
const NhwcKernels* nhwc_kernels(diopiDtype_t dtype);

struct ChannelShape {
  bool columns = false;
  int64_t samples = 0, channels = 0, space = 0;  // elements: samples * channels * space
  diopiDtype_t dtype = diopi_dtype_unsupported;
};

// Each array has one value per channel. In training the kernel writes the statistics; otherwise it reads mean and
// invstd.
struct BatchForward {
  const double *weight, *bias;
  double *mean, *invstd;
  double* m2;  // sums of squared deviations, written in training
  bool training;
  double eps;
};
Status batch_forward(diopiContextHandle_t ctx, const ChannelShape& shape, void* y, const void* x,
                     const BatchForward& p);

// Writes the sums of dy and of dy (x - mean). Without training the statistics are constants. dx may be null.
struct BatchBackward {
  const double *weight, *mean, *invstd;
  double *sum_dy, *sum_dy_xmu;
  bool training;
};
Status batch_backward(diopiContextHandle_t ctx, const ChannelShape& shape, void* dx, const void* dy, const void* x,
                      const BatchBackward& p);

// Computes mean, m2 and invstd alone.
Status batch_statistics(diopiContextHandle_t ctx, const ChannelShape& shape, const void* x, const BatchForward& p);

// dx = dy scale - a - (x - mean) b; each array has one value per channel.
struct BatchGradConstants {
  const double *mean, *scale, *a, *b;
};
Status batch_grad_input(diopiContextHandle_t ctx, const ChannelShape& shape, void* dx, const void* dy, const void* x,
                        const BatchGradConstants& p);

// Shape of a group normalisation in planes. `channels` is the number of channels of one group. Weight, bias and their
// gradients have one value per channel of all groups; statistics have one value per sample and group.
struct GroupShape {
  int64_t samples = 0, groups = 0, channels = 0, space = 0;
  diopiDtype_t dtype = diopi_dtype_unsupported;
  int64_t count() const { return samples * groups; }
  int64_t elements() const { return channels * space; }
};
Status group_forward(diopiContextHandle_t ctx, const GroupShape& shape, void* y, const void* x, const double* weight,
                     const double* bias, double eps, double* mean, double* invstd);
// The statistics of the groups. If they are not known, the gradient computes them with `eps` and writes them.
struct GroupStatistics {
  double *mean, *invstd;
  bool known = true;
  double eps = 0;
};
Status group_backward(diopiContextHandle_t ctx, const GroupShape& shape, void* dx, const void* dy, const void* x,
                      const double* weight, const GroupStatistics& statistics, double* grad_weight, double* grad_bias);

}  // namespace impl::cpu

#endif  // IMPL_CPU_NORM_BATCH_GROUP_HPP_
