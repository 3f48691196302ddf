// SPDX-License-Identifier: BSD-3-Clause
// Gradients of normalisations whose sets are channels.
#include "impl/common/workspace.hpp"
#include "impl/cuda/kernels/norm/channel_gradient.cuh"
#include "impl/cuda/kernels/norm/channel_norm.hpp"

namespace impl::cuda {

namespace {

enum Input { kWeight, kMean, kSpread, kGivenDy, kGivenDyXmu, kInputs };
enum Output { kGradWeight, kGradBias, kSumDy, kSumDyXmu, kOutputs };

enum class Sums : int64_t { kGiven, kFolded, kParts };

struct Gradient {
  ChannelRows rows;
  ChannelVectors<kInputs, kOutputs> vectors;
  const RowSums* parts;  // of each piece
  Sums sums;
  int64_t spread;
  int64_t fixed, normal;  // flags of ChannelGradientCall
  Sources<1> counts;
  int64_t devices, count_step;  // of counts
  double eps;
};

__device__ inline double inverse_of(const Gradient& p, double spread) {
  if (p.spread == static_cast<int64_t>(Spread::kVariance)) return 1 / sqrt(spread + p.eps);
  return p.spread == static_cast<int64_t>(Spread::kDeviation) ? 1 / spread : spread;
}

// Writes the gradients of the parameters and the sums, and finds how the gradient of the elements is computed.
__device__ inline GradientScale scale_of(const Gradient& p, const double* numbers, const RowPlace& place,
                                         const RowSums& sums) {
  const double inverse = inverse_of(p, numbers[kSpread]);
  double share = p.rows.share;
  if (p.devices > 0) {
    double n = 0;
    for (int64_t i = 0; i < p.devices; ++i) n += p.counts.read<double>(0, i * p.count_step);
    share = 1 / n;
  }
  if (place.piece == 0) {
    p.vectors.write(kGradWeight, place.channel, sums.second * inverse);
    p.vectors.write(kGradBias, place.channel, sums.first);
    p.vectors.write(kSumDy, place.channel, sums.first);
    p.vectors.write(kSumDyXmu, place.channel, sums.second);
  }
  const double square = p.normal != 0 ? 1 : inverse * inverse;
  return {SplitMean(numbers[kMean]), 1, static_cast<float>(sums.first * share),
          static_cast<float>(square * (sums.second * share)), static_cast<float>(inverse * numbers[kWeight])};
}

template <typename S, int kItems>
__device__ void write_gradients(const Gradient& p, const RowPlace& place, const GradientScale& c) {
  if (p.fixed != 0) {
    visit_packs<S, kItems, kGradientUsed>(p.rows, place, [&](int at, const auto&, const Pack<S, kItems>& g) {
      float y[kItems];
      DIOPI_UNROLL
      for (int i = 0; i < kItems; ++i) y[i] = convert<float>(g.v[i]) * c.factor;
      store_pack<S, kItems>(p.rows, place, at, y);
    });
    return;
  }
  store_gradients<S, kItems>(p.rows, place, c);
}

template <typename S, int kItems>
__global__ void __launch_bounds__(kMostRowThreads, 2) compute_gradients(Gradient p) {
  DIOPI_SHARED(RowSums, all, [kMostRowWarps]);
  DIOPI_SHARED(double, numbers, [kInputs]);
  DIOPI_SHARED(GradientScale, shared, [1]);
  const ChannelRows& rows = p.rows;
  const int64_t items = int64_t{rows.rows} * rows.pieces;
  for (int64_t item = blockIdx.x; item < items; item += gridDim.x) {
    const RowPlace place(rows, item);
    if (place.piece != 0 && rows.data[2] == nullptr) continue;
    if (threadIdx.x < kInputs) {
      numbers[threadIdx.x] = p.vectors.read(static_cast<int>(threadIdx.x), place.channel);
    }
    __syncthreads();
    RowSums sums{numbers[kGivenDy], numbers[kGivenDyXmu]};
    if (p.sums == Sums::kFolded) {
      sums = block_sums(add_gradients<S, kItems>(rows, place, numbers[kMean]), all);
    } else if (p.sums == Sums::kParts) {
      sums = sum_parts(rows.pieces, all, [&](int64_t i) { return p.parts[int64_t{place.row} * rows.pieces + i]; });
    }
    if (threadIdx.x == 0) shared[0] = scale_of(p, numbers, place, sums);
    __syncthreads();
    const GradientScale scale = shared[0];
    if (rows.data[2] != nullptr) write_gradients<S, kItems>(p, place, scale);
    __syncthreads();  // before the next item uses the shared memory
  }
}

bool find_gradient(const ChannelGradientCall& call, Gradient* p) {
  constexpr int64_t kMostDevices = 64;
  auto& v = p->vectors;
  p->spread = static_cast<int64_t>(call.kind);
  p->fixed = call.fixed ? 1 : 0;
  p->normal = call.normal ? 1 : 0;
  p->eps = call.eps;
  if (call.counts != nullptr) {
    if (call.counts->numel < 1 || call.counts->numel > kMostDevices || !call.counts->is_contiguous()) return false;
    p->counts.data[0] = call.counts->data;
    p->counts.dtype[0] = call.counts->dtype;
    p->devices = call.counts->numel;
    p->count_step = 1;
  }
  return p->rows.find(call.input, call.grad_output, call.grad_input, 2, true) && v.set_input(kWeight, call.weight, 1) &&
         v.set_input(kMean, call.mean, 0) && v.set_input(kSpread, call.spread, 1) &&
         v.set_input(kGivenDy, call.given_dy, 0) && v.set_input(kGivenDyXmu, call.given_dy_xmu, 0) &&
         v.set_output(kGradWeight, call.grad_weight) && v.set_output(kGradBias, call.grad_bias) &&
         v.set_output(kSumDy, call.sum_dy) && v.set_output(kSumDyXmu, call.sum_dy_xmu);
}

RowMeans means_of(const Gradient& p) {
  RowMeans means{};
  means.in.data[0] = p.vectors.in.data[kMean];
  means.in.dtype[0] = p.vectors.in.dtype[kMean];
  means.in.number[0] = p.vectors.in.number[kMean];
  means.step = p.vectors.in_step[kMean];
  means.rows = 1;
  return means;
}

}  // namespace

Status channel_gradients(diopiContextHandle_t ctx, const ChannelGradientCall& call, bool* done) {
  Gradient p{};
  if (call.input->ndim() < 2 || !find_gradient(call, &p)) return diopiSuccess;
  *done = true;
  RowSums* parts = nullptr;
  if (call.given_dy != nullptr) {
    p.sums = Sums::kGiven;
    p.rows.make_pieces(false);
  } else if (p.rows.make_whole()) {
    p.sums = Sums::kFolded;
  } else {
    p.sums = Sums::kParts;
    p.rows.make_pieces(true);
    DIOPI_TRY(diopi::Workspace(ctx).take(int64_t{p.rows.rows} * p.rows.pieces, &parts));
    p.parts = parts;
  }
  return with_row_type(p.rows, [&](auto tag, auto items) -> Status {
    using S = decltype(tag);
    constexpr int kItems = decltype(items)::value;
    const int64_t blocks = int64_t{p.rows.rows} * p.rows.pieces;
    if (parts != nullptr) {
      DIOPI_TRY(launch_blocks(ctx, fold_row_gradients<S, kItems>, blocks, p.rows.threads, p.rows, means_of(p), parts));
    }
    return launch_blocks(ctx, compute_gradients<S, kItems>, blocks, p.rows.threads, p);
  });
}

}  // namespace impl::cuda
