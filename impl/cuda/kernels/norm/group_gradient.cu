// SPDX-License-Identifier: BSD-3-Clause
// Gradients of normalisations of each sample on its own, by groups of channels or by channels.
#include "impl/common/workspace.hpp"
#include "impl/cuda/kernels/norm/channel_gradient.cuh"
#include "impl/cuda/kernels/norm/channel_norm.hpp"

namespace impl::cuda {

namespace {

enum Input { kWeight, kInputs };
enum Output { kGradWeight, kGradBias, kOutputs };
using Vectors = ChannelVectors<kInputs, kOutputs>;

constexpr int kSampleThreads = 64;

struct GroupGradient {
  ChannelRows rows;
  Vectors vectors;
  Sources<2> statistics;  // mean and inverse deviation of each group of each sample
  const RowSums* parts;   // of each piece
  int64_t size;           // channels of a group
};

// The sums of grad_output * weight over a group.
__device__ inline RowSums sums_of_group(const GroupGradient& p, int64_t group, RowSums* all) {
  const int64_t pieces = p.rows.pieces, first = group * p.size;
  return sum_parts(p.size * pieces, all, [&](int64_t i) {
    const RowSums& part = p.parts[first * pieces + i];
    const double weight = p.vectors.read(kWeight, (first + i / pieces) % p.rows.channels.divisor);
    return RowSums{part.first * weight, part.second * weight};
  });
}

// Sums the gradients of the parameters of a channel over the samples.
__device__ inline void write_parameters(const GroupGradient& p, int64_t channel, RowSums* all) {
  const int64_t pieces = p.rows.pieces, channels = p.rows.channels.divisor;
  const RowSums sums = sum_parts(p.rows.samples * pieces, all, [&](int64_t i) {
    const int64_t row = i / pieces * channels + channel;
    const RowSums& part = p.parts[row * pieces + i % pieces];
    return RowSums{part.first, part.second * p.statistics.read<double>(1, row / p.size)};
  });
  if (threadIdx.x != 0) return;
  p.vectors.write(kGradBias, channel, sums.first);
  p.vectors.write(kGradWeight, channel, sums.second);
}

__device__ inline GradientScale scale_of(const GroupGradient& p, const RowPlace& place, int64_t group,
                                         const RowSums& sums) {
  const double inverse = p.statistics.read<double>(1, group), share = p.rows.share / static_cast<double>(p.size);
  return {SplitMean(p.statistics.read<double>(0, group)), static_cast<float>(p.vectors.read(kWeight, place.channel)),
          static_cast<float>(sums.first * share), static_cast<float>(inverse * (sums.second * share) * inverse),
          static_cast<float>(inverse)};
}

template <typename S, int kItems>
__global__ void __launch_bounds__(kMostRowThreads, 2) compute_group_gradients(GroupGradient p) {
  DIOPI_SHARED(RowSums, all, [kMostRowWarps]);
  DIOPI_SHARED(GradientScale, shared, [1]);
  const ChannelRows& rows = p.rows;
  const int64_t items = int64_t{rows.rows} * rows.pieces;
  for (int64_t item = blockIdx.x; item < items; item += gridDim.x) {
    const RowPlace place(rows, item);
    if (place.sample == 0 && place.piece == 0) write_parameters(p, place.channel, all);
    if (rows.data[2] == nullptr) continue;
    const int64_t group = place.row / p.size;
    const RowSums sums = sums_of_group(p, group, all);
    if (threadIdx.x == 0) shared[0] = scale_of(p, place, group, sums);
    __syncthreads();
    const GradientScale scale = shared[0];
    store_gradients<S, kItems>(rows, place, scale);
  }
}

// Folds the statistics of each row, then the sums of its gradients, and computes the latter.
template <typename S, int kItems>
__global__ void __launch_bounds__(kMostRowThreads, 2)
    compute_instance_gradients(ChannelRows rows, Vectors vectors, double eps, RowSums* parts) {
  DIOPI_SHARED(RowSums, all, [kMostRowWarps]);
  DIOPI_SHARED(GradientScale, shared, [1]);
  for (int64_t item = blockIdx.x; item < rows.rows; item += gridDim.x) {
    const RowPlace place(rows, item);
    const double origin = origin_of<S>(rows, place), share = rows.share;
    const Moments moments(origin, block_sums(add_distances<S, kItems>(rows, place, origin), all), share);
    const double inverse = 1 / sqrt(moments.variance + eps);
    const RowSums sums = block_sums(add_gradients<S, kItems>(rows, place, moments.mean), all);
    if (threadIdx.x == 0 && parts != nullptr) parts[place.row] = {sums.first, sums.second * inverse};
    if (rows.data[2] == nullptr) continue;
    if (threadIdx.x == 0) {
      const double weight = vectors.read(kWeight, place.channel);
      shared[0] = {SplitMean(moments.mean), 1, static_cast<float>(sums.first * share),
                   static_cast<float>(inverse * (sums.second * share) * inverse), static_cast<float>(inverse * weight)};
    }
    __syncthreads();
    const GradientScale scale = shared[0];
    store_gradients<S, kItems>(rows, place, scale);
  }
}

// Sums the parts of each channel over the samples.
__global__ void add_samples(int64_t samples, int64_t channels, const RowSums* parts, Vectors vectors) {
  DIOPI_SHARED(RowSums, all, [kSampleThreads / kRowWarp]);
  for (int64_t channel = blockIdx.x; channel < channels; channel += gridDim.x) {
    const RowSums sums = sum_parts(samples, all, [&](int64_t i) { return parts[i * channels + channel]; });
    if (threadIdx.x != 0) continue;
    vectors.write(kGradBias, channel, sums.first);
    vectors.write(kGradWeight, channel, sums.second);
  }
}

bool set_statistics(const TensorView& view, int k, Sources<2>* statistics) {
  statistics->data[k] = view.data;
  statistics->dtype[k] = view.dtype;
  return view.dtype != diopi_dtype_float64 && view.is_contiguous();
}

}  // namespace

Status group_gradients(diopiContextHandle_t ctx, const diopi::GroupNormBackwardProblem& p, bool* done) {
  GroupGradient g{};
  const bool found = g.rows.find(&p.input, &p.grad_output, p.grad_input, 2, false) &&
                     g.vectors.set_input(kWeight, p.weight, 1) && g.vectors.set_output(kGradWeight, p.grad_weight) &&
                     g.vectors.set_output(kGradBias, p.grad_bias) && set_statistics(p.mean, 0, &g.statistics) &&
                     set_statistics(p.invstd, 1, &g.statistics);
  if (!found) return diopiSuccess;
  *done = true;
  g.size = p.input.shape[1] / p.groups;
  g.rows.make_pieces(true);
  const int64_t blocks = int64_t{g.rows.rows} * g.rows.pieces;
  RowSums* parts = nullptr;
  DIOPI_TRY(diopi::Workspace(ctx).take(blocks, &parts));
  g.parts = parts;
  RowMeans means{};
  means.in.data[0] = g.statistics.data[0];
  means.in.dtype[0] = g.statistics.dtype[0];
  means.step = 1;
  means.rows = g.size;
  return with_row_type(g.rows, [&](auto tag, auto items) -> Status {
    using S = decltype(tag);
    constexpr int kItems = decltype(items)::value;
    DIOPI_TRY(launch_blocks(ctx, fold_row_gradients<S, kItems>, blocks, g.rows.threads, g.rows, means, parts));
    return launch_blocks(ctx, compute_group_gradients<S, kItems>, blocks, g.rows.threads, g);
  });
}

Status instance_gradients(diopiContextHandle_t ctx, const diopi::InstanceNormBackwardProblem& p, bool* done) {
  ChannelRows rows{};
  Vectors vectors{};
  const bool found = rows.find(&p.input, &p.grad_output, p.grad_input, p.axis, false) &&
                     vectors.set_input(kWeight, p.scale, 1) && vectors.set_output(kGradWeight, p.grad_scale) &&
                     vectors.set_output(kGradBias, p.grad_bias) && rows.make_whole();
  if (!found) return diopiSuccess;
  *done = true;
  const bool sums = p.grad_scale != nullptr || p.grad_bias != nullptr;
  RowSums* parts = nullptr;
  if (sums) DIOPI_TRY(diopi::Workspace(ctx).take(rows.rows, &parts));
  const int64_t channels = rows.channels.divisor, samples = rows.samples;
  DIOPI_TRY(with_row_type(rows, [&](auto tag, auto items) -> Status {
    const auto kernel = compute_instance_gradients<decltype(tag), decltype(items)::value>;
    return launch_blocks(ctx, kernel, rows.rows, rows.threads, rows, vectors, p.eps, parts);
  }));
  if (!sums) return diopiSuccess;
  return launch_blocks(ctx, add_samples, channels, kSampleThreads, samples, channels,
                       static_cast<const RowSums*>(parts), vectors);
}

}  // namespace impl::cuda
