// SPDX-License-Identifier: BSD-3-Clause
// Interpolation along up to three dimensions. A first kernel writes a table for each dimension: the taps of each output
// position, which are input positions and their weights, and the output positions that may have an input position among
// their taps. The adjoint reads the same tables, so each element is a sum in a fixed order.
#include "impl/cuda/kernels/resample/resample.hpp"

#include "impl/common/kernel_table.hpp"
#include "impl/common/workspace.hpp"
#include "impl/cuda/kernels/planes.cuh"
#include "impl/cuda/kernels/resample/cubic.cuh"
#include "impl/cuda/kernels/resample/planes.hpp"

namespace impl::cuda {

namespace {

constexpr int kResampleThreads = 128;

// One dimension. Tap k of output position x is at index[k * out + x]; outputs first[i] to last[i] may read input i.
template <typename T>
struct TableAxis {
  int64_t in, out, taps, align_corners;
  int64_t* index;
  T* weight;
  int64_t *first, *last;

  __device__ double scale() const {
    if (align_corners == 0) return static_cast<double>(in) / static_cast<double>(out);
    return out > 1 ? static_cast<double>(in - 1) / static_cast<double>(out - 1) : 0.0;
  }
  __device__ double source(int64_t x) const {
    if (align_corners != 0) {
      return out > 1 ? static_cast<double>(x) * static_cast<double>(in - 1) / static_cast<double>(out - 1) : 0.0;
    }
    return (static_cast<double>(x) + 0.5) * static_cast<double>(in) / static_cast<double>(out) - 0.5;
  }
  __device__ int64_t nearest(int64_t x) const {
    if (in == out) return x;
    if (out == 2 * in) return x / 2;
    const float ratio = static_cast<float>(in) / static_cast<float>(out);
    return min(static_cast<int64_t>(floorf(static_cast<float>(x) * ratio)), in - 1);
  }
  __device__ void set(int k, int64_t x, int64_t position, double value) const {
    index[k * out + x] = position;
    weight[k * out + x] = static_cast<T>(value);
  }
  __device__ void set_linear(int64_t x) const {
    const double at = max(0.0, source(x));
    const int64_t low = min(static_cast<int64_t>(at), in - 1);
    const double part = min(at - static_cast<double>(low), 1.0);
    const bool same = in == out;
    set(0, x, same ? x : low, same ? 1 : 1 - part);
    set(1, x, same ? x : min(low + 1, in - 1), same ? 0 : part);
  }
  __device__ void set_cubic(int64_t x) const {
    const double at = source(x), whole = floor(at);
    double weights[kMostTaps];
    cubic_weights(at - whole, weights);
    for (int k = 0; k < kMostTaps; ++k) {
      set(k, x, max(int64_t{0}, min(static_cast<int64_t>(whole) - 1 + k, in - 1)), weights[k]);
    }
  }
  // Taps are less than three positions from the source of an output; outputs beyond the border read the border.
  __device__ void set_range(int64_t i) const {
    const double step = scale(), offset = align_corners != 0 ? 0 : 0.5;
    const auto output = [&](double at) { return (at + offset) / step - offset; };
    const bool all = step == 0;
    first[i] = all || i == 0 ? 0 : max(int64_t{0}, static_cast<int64_t>(output(static_cast<double>(i) - 3)) - 1);
    last[i] = all || i == in - 1 ? out - 1 : min(out - 1, static_cast<int64_t>(output(static_cast<double>(i) + 3)) + 1);
  }
};

template <typename T>
__global__ void fill_axis(TableAxis<T> axis) {
  const int64_t step = static_cast<int64_t>(gridDim.x) * kResampleThreads;
  for (int64_t x = thread_item(); x < axis.out; x += step) {
    if (axis.taps == 1) axis.set(0, x, axis.nearest(x), 1);
    if (axis.taps == 2) axis.set_linear(x);
    if (axis.taps == kMostTaps) axis.set_cubic(x);
  }
  for (int64_t i = thread_item(); axis.first != nullptr && i < axis.in; i += step) axis.set_range(i);
}

// `in` is read, and `out` written: images of the output and of the input in the adjoint.
template <typename T>
struct Images {
  TableAxis<T> axis[3];
  Planes in, out;
  int64_t channels, numel;
};

__device__ inline void locate(int64_t item, const int64_t* extent, int64_t channels, int64_t* at) {
  for (int i = 2; i >= 0; --i) at[2 + i] = split_index(&item, extent[i]);
  at[1] = split_index(&item, channels);
  at[0] = item;
}

template <typename T>
__global__ void interpolate(Images<T> p) {
  const int64_t extent[3] = {p.axis[0].out, p.axis[1].out, p.axis[2].out};
  for (int64_t i = thread_item(); i < p.numel; i += static_cast<int64_t>(gridDim.x) * kResampleThreads) {
    int64_t to[5], from[5];
    locate(i, extent, p.channels, to);
    from[0] = to[0], from[1] = to[1];
    const auto tap = [&](int d, int64_t k) {
      from[2 + d] = p.axis[d].index[k * p.axis[d].out + to[2 + d]];
      return p.axis[d].weight[k * p.axis[d].out + to[2 + d]];
    };
    T volume(0);
    for (int64_t a = 0; a < p.axis[0].taps; ++a) {
      const T slice_weight = tap(0, a);
      T slice(0);
      for (int64_t b = 0; b < p.axis[1].taps; ++b) {
        const T row_weight = tap(1, b);
        T row(0);
        for (int64_t c = 0; c < p.axis[2].taps; ++c) {
          const T weight = tap(2, c);
          row += weight * p.in.template read<T>(offset_of(p.in, from));
        }
        slice += row_weight * row;
      }
      volume += slice_weight * slice;
    }
    p.out.write(offset_of(p.out, to), volume);
  }
}

// Calls f(weight) for the taps of output positions, from[2 + d], that are at the input position.
template <typename T, class F>
__device__ void for_adjoint(const TableAxis<T>& axis, int64_t position, int64_t* output, const F& f) {
  for (*output = axis.first[position]; *output <= axis.last[position]; ++*output) {
    for (int64_t k = 0; k < axis.taps; ++k) {
      if (axis.index[k * axis.out + *output] == position) f(axis.weight[k * axis.out + *output]);
    }
  }
}

template <typename T>
__global__ void interpolate_adjoint(Images<T> p) {
  const int64_t extent[3] = {p.axis[0].in, p.axis[1].in, p.axis[2].in};
  for (int64_t i = thread_item(); i < p.numel; i += static_cast<int64_t>(gridDim.x) * kResampleThreads) {
    int64_t to[5], from[5];
    locate(i, extent, p.channels, to);
    from[0] = to[0], from[1] = to[1];
    T volume(0);
    for_adjoint(p.axis[0], to[2], from + 2, [&](T slice_weight) {
      T slice(0);
      for_adjoint(p.axis[1], to[3], from + 3, [&](T row_weight) {
        T row(0);
        for_adjoint(p.axis[2], to[4], from + 4,
                    [&](T weight) { row += weight * p.in.template read<T>(offset_of(p.in, from)); });
        slice += row_weight * row;
      });
      volume += slice_weight * slice;
    });
    p.out.write(offset_of(p.out, to), volume);
  }
}

// Copies the nearest elements, whatever their dtype.
template <typename T>
__global__ void copy_nearest(Images<float> p) {
  const int64_t extent[3] = {p.axis[0].out, p.axis[1].out, p.axis[2].out};
  for (int64_t i = thread_item(); i < p.numel; i += static_cast<int64_t>(gridDim.x) * kResampleThreads) {
    int64_t to[5], from[5];
    locate(i, extent, p.channels, to);
    from[0] = to[0], from[1] = to[1];
    for (int d = 0; d < 3; ++d) from[2 + d] = p.axis[d].index[to[2 + d]];
    reinterpret_cast<T*>(p.out.data)[offset_of(p.out, to)] =
        reinterpret_cast<const T*>(p.in.data)[offset_of(p.in, from)];
  }
}

int64_t blocks_of(int64_t count) { return (count + kResampleThreads - 1) / kResampleThreads; }

template <typename T>
Status make_axis(diopiContextHandle_t ctx, const Resampling& call, int d, bool adjoint, TableAxis<T>* axis) {
  axis->in = call.from.shape[2 + d];
  axis->out = call.to.shape[2 + d];
  const bool applies = d >= 3 - call.spatial;
  axis->taps = !applies || call.kind == Interpolation::kNearest ? 1
               : call.kind == Interpolation::kLinear            ? 2
                                                                : kMostTaps;
  axis->align_corners = call.align_corners ? 1 : 0;
  diopi::Workspace workspace(ctx);
  DIOPI_TRY(workspace.take(axis->taps * axis->out, &axis->index));
  DIOPI_TRY(workspace.take(axis->taps * axis->out, &axis->weight));
  if (adjoint) DIOPI_TRY(workspace.take(axis->in, &axis->first));
  if (adjoint) DIOPI_TRY(workspace.take(axis->in, &axis->last));
  return launch_blocks(ctx, fill_axis<T>, blocks_of(std::max(axis->in, axis->out)), kResampleThreads, *axis);
}

template <typename T>
Status make_images(diopiContextHandle_t ctx, const Resampling& call, bool adjoint, Images<T>* images) {
  for (int d = 0; d < 3; ++d) DIOPI_TRY(make_axis(ctx, call, d, adjoint, &images->axis[d]));
  const TensorView &in = adjoint ? call.to : call.from, &out = adjoint ? call.from : call.to;
  images->in = Planes(in);
  images->out = Planes(out);
  images->channels = out.shape[1];
  images->numel = out.numel;
  return diopiSuccess;
}

template <typename T>
Status run(diopiContextHandle_t ctx, const Resampling& call, bool adjoint) {
  Images<T> images{};
  DIOPI_TRY(make_images(ctx, call, adjoint, &images));
  const auto kernel = adjoint ? interpolate_adjoint<T> : interpolate<T>;
  return launch_blocks(ctx, kernel, blocks_of(images.numel), kResampleThreads, images);
}

}  // namespace

Status resample(diopiContextHandle_t ctx, const Resampling& call, bool adjoint) {
  if (fits_planes(call, adjoint)) return resample_planes(ctx, call, adjoint);
  if (call.kind != Interpolation::kNearest || adjoint) {
    return call.from.dtype == diopi_dtype_float64 ? run<double>(ctx, call, adjoint) : run<float>(ctx, call, adjoint);
  }
  Images<float> images{};
  DIOPI_TRY(make_images(ctx, call, false, &images));
  return diopi::for_itemsize(call.to.itemsize(), [&](auto tag) -> Status {
    const auto kernel = copy_nearest<diopi::tagged<decltype(tag)>>;
    return launch_blocks(ctx, kernel, blocks_of(images.numel), kResampleThreads, images);
  });
}

}  // namespace impl::cuda
