// SPDX-License-Identifier: BSD-3-Clause
// The windows of pooling in kernels.
#ifndef IMPL_CUDA_KERNELS_POOL_WINDOWS_CUH_
#define IMPL_CUDA_KERNELS_POOL_WINDOWS_CUH_

#include "impl/common/engine/pool.hpp"
#include "impl/cuda/kernels/planes.cuh"

namespace impl::cuda {

constexpr int kPoolThreads = 128;

// Positions begin, begin + step, ... below end; `size` counts those of a window, with padding if that counts.
struct Span {
  int64_t begin, end, step, size;
  __device__ bool contains(int64_t i) const { return i >= begin && i < end && (i - begin) % step == 0; }
};

// One dimension of the windows.
struct PoolWindow {
  int64_t in, out, kernel, stride, padding, dilation;

  // The input positions of an output position.
  __device__ Span inputs(int64_t o, bool count_padding) const {
    if (kernel == 0) {
      const int64_t begin = o * in / out, end = ((o + 1) * in + out - 1) / out;
      return {begin, end, 1, end - begin};
    }
    const int64_t first = o * stride - padding, stop = first + dilation * (kernel - 1) + 1;
    const int64_t begin = first < 0 ? first + (-first + dilation - 1) / dilation * dilation : first;
    const int64_t end = stop < in ? stop : in;
    const int64_t padded = stop < in + padding ? stop : in + padding;
    return {begin, end, dilation, count_padding ? padded - first : end - begin};
  }
  // The first output position whose window may hold an input position, and the one behind the last.
  __device__ void outputs(int64_t i, int64_t* begin, int64_t* end) const {
    if (out == 0) {
      *begin = *end = 0;
    } else if (kernel == 0) {
      *begin = i * out / in;
      *end = ((i + 1) * out + in - 1) / in;
    } else {
      const int64_t last = i + padding, first = last - dilation * (kernel - 1);
      *begin = first <= 0 ? 0 : (first + stride - 1) / stride;
      *end = last / stride + 1 < out ? last / stride + 1 : out;
    }
  }
};

struct Pooling {
  PoolWindow dim[diopi::kMaxSpatial];
  int64_t samples, channels;
  int64_t divisor;  // 0: the size of the window
  int64_t count_padding;

  Pooling(const diopi::Windows& windows, const diopi::TensorView& in, const diopi::Averaging& averaging)
      : samples(in.shape[0]),
        channels(in.shape[1]),
        divisor(averaging.divisor),
        count_padding(averaging.count_padding ? 1 : 0) {
    for (int i = 0; i < diopi::kMaxSpatial; ++i) {
      const diopi::Window& w = windows.dim[i];
      dim[i] = {w.in, w.out, w.kernel, w.stride, w.padding, w.dilation};
    }
  }
  // The coordinates of an element of the input or of the output.
  __device__ void locate(int64_t item, bool of_output, int64_t* at) const {
    for (int i = 2; i >= 0; --i) at[2 + i] = split_index(&item, of_output ? dim[i].out : dim[i].in);
    at[1] = split_index(&item, channels);
    at[0] = item;
  }
  // The windows of an output element; returns whether they have input positions.
  __device__ bool spans(const int64_t* at, Span* span) const {
    bool any = true;
    for (int i = 0; i < 3; ++i) {
      span[i] = dim[i].inputs(at[2 + i], count_padding != 0);
      any = any && span[i].begin < span[i].end;
    }
    return any;
  }
  // The divisor of the sum of a window that is not empty.
  __device__ int64_t divisor_of(const Span* span) const {
    return divisor != 0 ? divisor : span[0].size * span[1].size * span[2].size;
  }
};

// Calls f(at) for each output element whose window holds the input element `at_input`, in row-major order.
template <class F>
__device__ void for_outputs(const Pooling& p, const int64_t* at_input, const F& f) {
  int64_t begin[3], end[3], at[5] = {at_input[0], at_input[1]};
  for (int i = 0; i < 3; ++i) p.dim[i].outputs(at_input[2 + i], &begin[i], &end[i]);
  for (at[2] = begin[0]; at[2] < end[0]; ++at[2]) {
    if (!p.dim[0].inputs(at[2], false).contains(at_input[2])) continue;
    for (at[3] = begin[1]; at[3] < end[1]; ++at[3]) {
      if (!p.dim[1].inputs(at[3], false).contains(at_input[3])) continue;
      for (at[4] = begin[2]; at[4] < end[2]; ++at[4]) {
        if (p.dim[2].inputs(at[4], false).contains(at_input[4])) f(at);
      }
    }
  }
}

// Calls f(at, position in the plane) for each input element of a window, in row-major order.
template <class F>
__device__ void for_inputs(const Pooling& p, const int64_t* at_output, const Span* span, const F& f) {
  int64_t at[5] = {at_output[0], at_output[1]};
  for (at[2] = span[0].begin; at[2] < span[0].end; at[2] += span[0].step) {
    for (at[3] = span[1].begin; at[3] < span[1].end; at[3] += span[1].step) {
      for (at[4] = span[2].begin; at[4] < span[2].end; at[4] += span[2].step) {
        f(at, (at[2] * p.dim[1].in + at[3]) * p.dim[2].in + at[4]);
      }
    }
  }
}

}  // namespace impl::cuda

#endif  // IMPL_CUDA_KERNELS_POOL_WINDOWS_CUH_
