// SPDX-License-Identifier: BSD-3-Clause
#include "impl/cuda/kernels/index/embedding.hpp"

#include "impl/cuda/kernels/index/offsets.cuh"
#include "impl/cuda/kernels/number.cuh"

namespace impl::cuda {

namespace {

__global__ void __launch_bounds__(kBlock) drop(DropCall call) {
  for (int64_t p = thread_item(); p < call.count; p += all_threads()) {
    if (call.places[p] == call.dropped) call.places[p] = call.limit;
  }
}

__device__ double power(double a, double p) {
  if (p == 2) return a * a;
  if (p == 1) return a;
  return p == 0 ? (a != 0 ? 1 : 0) : pow(a, p);
}

// Adds to a norm: a power to a sum, or a magnitude to an extreme.
__device__ double joined(double norm, double x, double p) {
  if (!isinf(p)) return norm + x;
  return isnan(x) || (p > 0 ? x > norm : x < norm) ? x : norm;
}

// The norm of a row. All threads of the block call this function and get the result.
__device__ double norm_of_row(const RenormCall& call, int64_t row) {
  DIOPI_SHARED(double, parts, [kBlock]);
  const double p = call.order;
  double norm = isinf(p) && p < 0 ? INFINITY : 0;
  for (int64_t i = threadIdx.x; i < call.width; i += kBlock) {
    const double a = fabs(load_as<double>(call.table, row + i * call.stride, call.dtype));
    norm = joined(norm, isinf(p) ? a : power(a, p), p);
  }
  parts[threadIdx.x] = norm;
  for (int step = kBlock / 2; step > 0; step /= 2) {
    __syncthreads();
    const int t = static_cast<int>(threadIdx.x);
    if (t < step) parts[t] = joined(parts[t], parts[t + step], p);
  }
  __syncthreads();
  norm = parts[0];
  __syncthreads();  // `parts` may be used again
  if (p == 2) return sqrt(norm);
  return p == 0 || p == 1 || isinf(p) ? norm : pow(norm, 1 / p);
}

// A block scales the rows of the positions that are the last with their place.
__global__ void __launch_bounds__(kBlock) renorm(RenormCall call) {
  for (int64_t position = blockIdx.x; position < call.last.count; position += gridDim.x) {
    const int64_t place = call.last.places[position];
    if (place >= call.last.limit) continue;
    const uint64_t last = call.last.wide ? static_cast<const uint64_t*>(call.last.last)[place]
                                         : static_cast<const uint32_t*>(call.last.last)[place];
    if (last != static_cast<uint64_t>(position + 1)) continue;
    const int64_t row = place * call.row_stride;
    const double norm = norm_of_row(call, row);
    if (!(norm > call.max_norm)) continue;
    const double scale = call.max_norm / (norm + 1e-7);
    for (int64_t i = threadIdx.x; i < call.width; i += kBlock) {
      const int64_t at = row + i * call.stride;
      if (call.dtype == diopi_dtype_float64) {
        static_cast<double*>(call.table)[at] *= scale;
      } else {
        store_as(call.table, at, call.dtype, load_as<float>(call.table, at, call.dtype) * static_cast<float>(scale));
      }
    }
  }
}

}  // namespace

cudaError_t drop_place(cudaStream_t stream, const DropCall& call) {
  return launch(drop, grid_for(call.count), kBlock, 0, stream, call);
}

cudaError_t renorm_rows(cudaStream_t stream, const RenormCall& call) {
  return launch(renorm, grid_for(call.last.count * kBlock), kBlock, 0, stream, call);
}

}  // namespace impl::cuda
