// SPDX-License-Identifier: BSD-3-Clause
// What the gradients of normalisations over channels have in common.
#ifndef IMPL_CUDA_KERNELS_NORM_CHANNEL_GRADIENT_CUH_
#define IMPL_CUDA_KERNELS_NORM_CHANNEL_GRADIENT_CUH_

#include "impl/cuda/kernels/norm/channel_rows.cuh"

namespace impl::cuda {

// The means of the rows: `rows` adjacent ones share one.
struct RowMeans {
  Sources<1> in;
  int64_t step, rows;

  __device__ double of(int64_t row) const { return in.read<double>(0, row / rows * step); }
};

// Writes the sums of add_gradients() for each piece of each row.
template <typename S, int kItems>
__global__ void __launch_bounds__(kMostRowThreads, 2)
    fold_row_gradients(ChannelRows rows, RowMeans means, RowSums* parts) {
  DIOPI_SHARED(RowSums, all, [kMostRowWarps]);
  const int64_t items = int64_t{rows.rows} * rows.pieces;
  for (int64_t item = blockIdx.x; item < items; item += gridDim.x) {
    const RowPlace place(rows, item);
    const RowSums sums = block_sums(add_gradients<S, kItems>(rows, place, means.of(place.row)), all);
    if (threadIdx.x == 0) parts[item] = sums;
  }
}

// The gradient of the elements x of a row, where g is that of the output:
// (g * weight - shift - (x - mean) * slope) * factor
struct GradientScale {
  SplitMean mean;
  float weight, shift, slope, factor;
};

template <typename S, int kItems>
__device__ void store_gradients(const ChannelRows& rows, const RowPlace& place, const GradientScale& c) {
  constexpr int kUsed = kInputUsed | kGradientUsed;
  visit_packs<S, kItems, kUsed>(rows, place, [&](int at, const Pack<S, kItems>& x, const Pack<S, kItems>& g) {
    float y[kItems];
    DIOPI_UNROLL
    for (int i = 0; i < kItems; ++i) {
      const float rest = convert<float>(g.v[i]) * c.weight - c.shift;
      y[i] = (rest - c.mean.distance(convert<float>(x.v[i])) * c.slope) * c.factor;
    }
    store_pack<S, kItems>(rows, place, at, y);
  });
}

}  // namespace impl::cuda

#endif  // IMPL_CUDA_KERNELS_NORM_CHANNEL_GRADIENT_CUH_
