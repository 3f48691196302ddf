// SPDX-License-Identifier: BSD-3-Clause
// Loops and sums of the kernels over the rows of ChannelRows. Sums are in float64, in a fixed order.
#ifndef IMPL_CUDA_KERNELS_NORM_CHANNEL_ROWS_CUH_
#define IMPL_CUDA_KERNELS_NORM_CHANNEL_ROWS_CUH_

#include "impl/cuda/kernels/items.cuh"
#include "impl/cuda/kernels/norm/channel_rows.hpp"
#include "impl/cuda/kernels/rows/operands.cuh"
#include "impl/cuda/kernels/rows/stored.cuh"

namespace impl::cuda {

constexpr int kRowWarp = 32, kMostRowWarps = kMostRowThreads / kRowWarp;

// Two sums of the elements of a row or of a piece.
struct RowSums {
  double first, second;

  __device__ void add(const RowSums& other) {
    first += other.first;
    second += other.second;
  }
};

// The sums of all threads of the block, for each of them. `all` has room for a part of each warp.
__device__ inline RowSums block_sums(RowSums own, RowSums* all) {
  DIOPI_UNROLL
  for (int bits = kRowWarp / 2; bits > 0; bits /= 2) {
    const RowSums other{__shfl_xor_sync(0xFFFFFFFFu, own.first, bits), __shfl_xor_sync(0xFFFFFFFFu, own.second, bits)};
    own.add(other);
  }
  const int warps = static_cast<int>(blockDim.x) / kRowWarp;
  __syncthreads();  // the shared memory may be in use
  if (threadIdx.x % kRowWarp == 0) all[threadIdx.x / kRowWarp] = own;
  __syncthreads();
  own = all[0];
  for (int warp = 1; warp < warps; ++warp) own.add(all[warp]);
  return own;
}

// The sums of `count` parts, for each thread of the block. get(i) reads part i.
template <class Get>
__device__ RowSums sum_parts(int64_t count, RowSums* all, const Get& get) {
  RowSums own{0, 0};
  for (int64_t i = threadIdx.x; i < count; i += blockDim.x) own.add(get(i));
  return block_sums(own, all);
}

// Vectors with one element for each channel, of any dtype. Inputs without memory are numbers, outputs without memory
// are not wanted.
template <int kIn, int kOut>
struct ChannelVectors {
  Sources<kIn> in;
  Targets<kOut> out;
  int64_t in_step[kIn], out_step[kOut];

  __device__ double read(int k, int64_t channel) const { return in.template read<double>(k, channel * in_step[k]); }
  __device__ void write(int k, int64_t channel, double value) const { out.write(k, channel * out_step[k], value); }

  // A vector of any shape whose elements have one stride, or a number if it is null. Returns whether it is one.
  bool set_input(int k, const TensorView* view, double number) {
    in.number[k] = number;
    return view == nullptr || set(*view, const_cast<const char**>(&in.data[k]), &in.dtype[k], &in_step[k]);
  }
  bool set_output(int k, const TensorView* view) {
    return view == nullptr || set(*view, &out.data[k], &out.dtype[k], &out_step[k]);
  }

 private:
  template <typename Data>
  static bool set(const TensorView& view, Data* data, diopiDtype_t* dtype, int64_t* step) {
    *data = view.data;
    *dtype = view.dtype;
    *step = view.ndim() == 1 ? view.stride[0] : 1;
    return view.dtype != diopi_dtype_float64 && (view.ndim() == 1 || view.is_contiguous());
  }
};

// The place of a row, and of one piece of it.
struct RowPlace {
  int row, sample, channel, piece, begin, end;  // begin, end: packs
  int64_t offset[ChannelRows::kOperands];

  __device__ RowPlace(const ChannelRows& p, int64_t item) {
    piece = static_cast<int>(split_index(&item, p.pieces));
    row = static_cast<int>(item);
    sample = static_cast<int>(p.channels.quotient(static_cast<uint32_t>(row)));
    channel = row - sample * static_cast<int>(p.channels.divisor);
    begin = piece * p.piece;
    end = begin + p.piece < p.packs ? begin + p.piece : p.packs;
    DIOPI_UNROLL
    for (int k = 0; k < ChannelRows::kOperands; ++k) {
      offset[k] = sample * p.sample_step[k] + channel * p.channel_step[k];
    }
  }
};

constexpr int kInputUsed = 1, kGradientUsed = 2;

// The first element of a row.
template <typename S>
__device__ inline S* row_begin(const ChannelRows& p, const RowPlace& place, int operand) {
  return reinterpret_cast<S*>(p.data[operand]) + place.offset[operand];
}

// The place of a pack in its row, in elements.
template <int kItems>
__device__ inline int pack_offset(const ChannelRows& p, int operand, int at) {
  const int run = static_cast<int>(p.run.quotient(static_cast<uint32_t>(at)));
  return run * p.run_step[operand] + (at - run * static_cast<int>(p.run.divisor)) * kItems;
}

// Calls f(at, pack of the input, pack of the gradient) for the packs that the thread has in the piece. kUsed says which
// of them are read.
template <typename S, int kItems, int kUsed, class F>
__device__ void visit_packs(const ChannelRows& p, const RowPlace& place, const F& f) {
  // More loads at a time would need more than 64 registers.
  constexpr bool kBoth = kUsed == (kInputUsed | kGradientUsed);
  constexpr int kLoads = kItems == 1 ? 8 : kBoth || kItems > 4 ? 2 : 4;
  const int step = static_cast<int>(blockDim.x);
  for (int first = place.begin + static_cast<int>(threadIdx.x); first < place.end; first += kLoads * step) {
    Pack<S, kItems> pack[kLoads][2];
    DIOPI_UNROLL
    for (int k = 0; k < 2; ++k) {
      if ((kUsed >> k & 1) == 0) continue;
      const S* const row = row_begin<const S>(p, place, k);
      if (kItems == 1 || p.wide != 0) {
        DIOPI_UNROLL
        for (int j = 0; j < kLoads; ++j) {
          const int at = first + j * step;
          if (at >= place.end) continue;
          pack[j][k] = *reinterpret_cast<const Pack<S, kItems>*>(row + pack_offset<kItems>(p, k, at));
        }
      } else {
        DIOPI_UNROLL
        for (int j = 0; j < kLoads; ++j) {
          const int at = first + j * step;
          if (at >= place.end) continue;
          const S* const from = row + pack_offset<kItems>(p, k, at);
          DIOPI_UNROLL
          for (int i = 0; i < kItems; ++i) pack[j][k].v[i] = from[i];
        }
      }
    }
    DIOPI_UNROLL
    for (int j = 0; j < kLoads; ++j) {
      const int at = first + j * step;
      if (at < place.end) f(at, pack[j][0], pack[j][1]);
    }
  }
}

template <typename S, int kItems>
__device__ inline void store_pack(const ChannelRows& p, const RowPlace& place, int at, const float (&y)[kItems]) {
  S* const to = row_begin<S>(p, place, 2) + pack_offset<kItems>(p, 2, at);
  Pack<S, kItems> pack;
  DIOPI_UNROLL
  for (int i = 0; i < kItems; ++i) pack.v[i] = convert<S>(y[i]);
  if (kItems == 1 || p.wide != 0) {
    *reinterpret_cast<Pack<S, kItems>*>(to) = pack;
  } else {
    DIOPI_UNROLL
    for (int i = 0; i < kItems; ++i) to[i] = pack.v[i];
  }
}

// A number near the elements of a row: the first one, or 0 if it is not finite. Distances from it are added, so that a
// mean far from 0 costs no accuracy.
template <typename S>
__device__ inline double origin_of(const ChannelRows& p, const RowPlace& place) {
  const double first = convert<double>(*row_begin<const S>(p, place, 0));
  return first - first == 0 ? first : 0;
}

// The sums of the distances of the input from `origin`, and of their squares.
template <typename S, int kItems>
__device__ RowSums add_distances(const ChannelRows& p, const RowPlace& place, double origin) {
  RowSums sums{0, 0};
  visit_packs<S, kItems, kInputUsed>(p, place, [&](int, const Pack<S, kItems>& x, const Pack<S, kItems>&) {
    DIOPI_UNROLL
    for (int i = 0; i < kItems; ++i) {
      const double distance = convert<double>(x.v[i]) - origin;
      sums.first += distance;
      sums.second = fma(distance, distance, sums.second);
    }
  });
  return sums;
}

// The sums of the gradient g, and of g times the distance of the input from the mean.
template <typename S, int kItems>
__device__ RowSums add_gradients(const ChannelRows& p, const RowPlace& place, double mean) {
  RowSums sums{0, 0};
  constexpr int kUsed = kInputUsed | kGradientUsed;
  visit_packs<S, kItems, kUsed>(p, place, [&](int, const Pack<S, kItems>& x, const Pack<S, kItems>& g) {
    DIOPI_UNROLL
    for (int i = 0; i < kItems; ++i) {
      const double gradient = convert<double>(g.v[i]);
      sums.first += gradient;
      sums.second = fma(gradient, convert<double>(x.v[i]) - mean, sums.second);
    }
  });
  return sums;
}

// The mean and the variance of n elements, from 1 / n.
struct Moments {
  double mean, variance;

  __device__ Moments(double origin, const RowSums& sums, double share) {
    const double offset = sums.first * share, rest = sums.second - sums.first * offset;
    mean = origin + offset;
    variance = rest < 0 ? 0 : rest * share;
  }
};

// A mean as the sum of two numbers of float32, so that distances from it are accurate.
struct SplitMean {
  float high, low;

  __device__ explicit SplitMean(double mean) : high(static_cast<float>(mean)) {
    low = static_cast<float>(mean - static_cast<double>(high));
    if (low - low != 0) low = 0;
  }
  SplitMean() = default;
  __device__ float distance(float x) const { return (x - high) - low; }
};

// Calls f(S(), kItems as a type) for the stored type of the rows.
template <class F>
Status with_row_type(const ChannelRows& rows, const F& f) {
  Status status = diopiSuccess;
  visit_listed(diopi::TypeList<float, float16, bfloat16>(), rows.dtype, [&](auto tag) {
    constexpr int kItems = 16 / sizeof(tag);
    status =
        rows.items == kItems ? f(tag, std::integral_constant<int, kItems>()) : f(tag, std::integral_constant<int, 1>());
  });
  return status;
}

}  // namespace impl::cuda

#endif  // IMPL_CUDA_KERNELS_NORM_CHANNEL_ROWS_CUH_
