// SPDX-License-Identifier: BSD-3-Clause
#include "impl/cuda/kernels/norm/channel_norm.hpp"

#include "impl/common/workspace.hpp"
#include "impl/cuda/kernels/norm/channel_rows.cuh"

namespace impl::cuda {

namespace {

enum Input { kWeight, kBias, kMean, kSpread, kRunningMean, kRunningVar, kInputs };
// Only the thread that updates the running statistics reads them; all blocks read the inputs before these.
constexpr int kShared = kRunningMean;
enum Output { kSaveMean, kSaveInvstd, kNewMean, kNewVar, kOutputs };

// Where the statistics come from.
enum class Statistics : int64_t { kGiven, kFolded, kParts };

struct Normalization {
  ChannelRows rows;
  ChannelVectors<kInputs, kOutputs> vectors;
  const RowSums* parts;   // of each piece
  const double* origins;  // of each row
  Statistics statistics;
  int64_t spread;
  double momentum, eps;
};

struct Scale {
  SplitMean mean;
  float factor, bias;
};

template <typename S, int kItems>
__global__ void __launch_bounds__(kMostRowThreads, 2)
    fold_distances(ChannelRows rows, RowSums* parts, double* origins) {
  DIOPI_SHARED(RowSums, all, [kMostRowWarps]);
  const int64_t items = int64_t{rows.rows} * rows.pieces;
  for (int64_t item = blockIdx.x; item < items; item += gridDim.x) {
    const RowPlace place(rows, item);
    const double origin = origin_of<S>(rows, place);
    const RowSums sums = block_sums(add_distances<S, kItems>(rows, place, origin), all);
    if (threadIdx.x != 0) continue;
    parts[item] = sums;
    if (place.piece == 0) origins[place.row] = origin;
  }
}

// The mean and the inverse deviation of a channel.
struct ChannelStatistics {
  double mean, inverse, variance;

  __device__ ChannelStatistics(const Normalization& p, const double* numbers, double origin, const RowSums& sums)
      : mean(numbers[kMean]), inverse(numbers[kSpread]), variance(0) {
    if (p.statistics != Statistics::kGiven) {
      const Moments moments(origin, sums, p.rows.share);
      mean = moments.mean;
      variance = moments.variance;
      inverse = 1 / sqrt(variance + p.eps);
    } else if (p.spread == static_cast<int64_t>(Spread::kVariance)) {
      inverse = 1 / sqrt(inverse + p.eps);
    }
  }
  __device__ Scale scale(const double* numbers) const {
    return {SplitMean(mean), static_cast<float>(inverse * numbers[kWeight]), static_cast<float>(numbers[kBias])};
  }
  __device__ void write(const Normalization& p, int64_t channel) const {
    const auto n = static_cast<double>(p.rows.length);
    const auto updated = [&](Input old, double value) {
      return (1 - p.momentum) * p.vectors.read(old, channel) + p.momentum * value;
    };
    p.vectors.write(kSaveMean, channel, mean);
    p.vectors.write(kSaveInvstd, channel, inverse);
    p.vectors.write(kNewMean, channel, updated(kRunningMean, mean));
    p.vectors.write(kNewVar, channel, updated(kRunningVar, variance * n / (n - 1)));
  }
};

template <typename S, int kItems>
__global__ void __launch_bounds__(kMostRowThreads, 2) normalize_rows(Normalization p) {
  DIOPI_SHARED(RowSums, all, [kMostRowWarps]);
  DIOPI_SHARED(double, numbers, [kShared]);
  DIOPI_SHARED(Scale, shared, [1]);
  const ChannelRows& rows = p.rows;
  const int64_t items = int64_t{rows.rows} * rows.pieces;
  for (int64_t item = blockIdx.x; item < items; item += gridDim.x) {
    const RowPlace place(rows, item);
    if (place.piece != 0 && rows.data[2] == nullptr) continue;
    if (threadIdx.x < kShared) {
      numbers[threadIdx.x] = p.vectors.read(static_cast<int>(threadIdx.x), place.channel);
    }
    double origin = 0;
    RowSums sums{0, 0};
    if (p.statistics == Statistics::kFolded) {
      origin = origin_of<S>(rows, place);
      sums = block_sums(add_distances<S, kItems>(rows, place, origin), all);
    } else if (p.statistics == Statistics::kParts) {
      origin = p.origins[place.row];
      sums = sum_parts(rows.pieces, all, [&](int64_t i) { return p.parts[int64_t{place.row} * rows.pieces + i]; });
    } else {
      __syncthreads();
    }
    if (threadIdx.x == 0) shared[0] = ChannelStatistics(p, numbers, origin, sums).scale(numbers);
    if (threadIdx.x == blockDim.x - 1 && place.piece == 0 && p.statistics != Statistics::kGiven) {
      ChannelStatistics(p, numbers, origin, sums).write(p, place.channel);
    }
    __syncthreads();
    const Scale scale = shared[0];
    if (rows.data[2] != nullptr) {
      visit_packs<S, kItems, kInputUsed>(rows, place, [&](int at, const Pack<S, kItems>& x, const Pack<S, kItems>&) {
        float y[kItems];
        DIOPI_UNROLL
        for (int i = 0; i < kItems; ++i) y[i] = scale.mean.distance(convert<float>(x.v[i])) * scale.factor + scale.bias;
        store_pack<S, kItems>(rows, place, at, y);
      });
    }
    __syncthreads();  // before the next item uses the shared memory
  }
}

bool find_normalization(const ChannelNormCall& call, Normalization* p) {
  constexpr double kNoBias = -0.0;  // adding it keeps the sign of a zero
  auto& v = p->vectors;
  p->spread = static_cast<int64_t>(call.kind);
  p->momentum = call.momentum;
  p->eps = call.eps;
  return p->rows.find(call.input, nullptr, call.out, 2, true) && v.set_input(kWeight, call.weight, 1) &&
         v.set_input(kBias, call.bias, kNoBias) && v.set_input(kMean, call.mean, 0) &&
         v.set_input(kSpread, call.spread, 1) && v.set_input(kRunningMean, call.running_mean, 0) &&
         v.set_input(kRunningVar, call.running_var, 0) && v.set_output(kSaveMean, call.save_mean) &&
         v.set_output(kSaveInvstd, call.save_invstd) && v.set_output(kNewMean, call.running_mean) &&
         v.set_output(kNewVar, call.running_var);
}

}  // namespace

Status normalize_channels(diopiContextHandle_t ctx, const ChannelNormCall& call, bool* done) {
  Normalization p{};
  if (call.input->ndim() < 2 || !find_normalization(call, &p)) return diopiSuccess;
  *done = true;
  RowSums* parts = nullptr;
  double* origins = nullptr;
  if (call.mean != nullptr) {
    p.statistics = Statistics::kGiven;
    p.rows.make_pieces(false);
  } else if (p.rows.make_whole()) {
    p.statistics = Statistics::kFolded;
  } else {
    p.statistics = Statistics::kParts;
    p.rows.make_pieces(true);
    DIOPI_TRY(diopi::Workspace(ctx).take(int64_t{p.rows.rows} * p.rows.pieces, &parts));
    DIOPI_TRY(diopi::Workspace(ctx).take(p.rows.rows, &origins));
    p.parts = parts;
    p.origins = origins;
  }
  return with_row_type(p.rows, [&](auto tag, auto items) -> Status {
    using S = decltype(tag);
    constexpr int kItems = decltype(items)::value;
    const int64_t blocks = int64_t{p.rows.rows} * p.rows.pieces;
    if (parts != nullptr) {
      DIOPI_TRY(launch_blocks(ctx, fold_distances<S, kItems>, blocks, p.rows.threads, p.rows, parts, origins));
    }
    return launch_blocks(ctx, normalize_rows<S, kItems>, blocks, p.rows.threads, p);
  });
}

}  // namespace impl::cuda
