// SPDX-License-Identifier: BSD-3-Clause
#include "impl/cuda/kernels/list/list.hpp"

#include "impl/common/shape.hpp"
#include "impl/cuda/engine/pieces.hpp"
#include "impl/cuda/engine/stream.hpp"
#include "impl/cuda/kernels/items.cuh"
#include "impl/cuda/kernels/list/blocks.cuh"

namespace impl::cuda {

using diopi::TensorView;
using diopi::ViewList;

namespace {

// Tensors of one launch.
struct Chunk {
  ListBlocks list;
  char* out[ListBlocks::kMost];
  const char* in[ListBlocks::kMost];
  uint8_t dtype[ListBlocks::kMost];
  uint8_t aligned[ListBlocks::kMost];  // 1: both begin where threads can access several elements at once
};

template <typename T>
struct WithNumber {
  ListOp op;
  T number;
  __device__ T operator()(T x) const { return op == ListOp::kAdd ? x + number : x * number; }
};

// Computes out[i] = f(in[i]) for `count` elements of tensor k, and writes the results if `writes`.
template <typename T, class F>
__device__ void change_elements(const Chunk& chunk, int k, int64_t first, int count, bool writes, const F& f) {
  const auto dtype = static_cast<diopiDtype_t>(chunk.dtype[k]);
  if (count == ListBlocks::kItems && chunk.aligned[k] != 0) {
    T x[ListBlocks::kItems];
    load_items(chunk.in[k], first, dtype, x);
    DIOPI_UNROLL
    for (T& each : x) each = f(each);
    if (writes) store_items(chunk.out[k], first, dtype, x);
    return;
  }
  for (int64_t i = first; i < first + count; ++i) {
    const T x = f(load_as<T>(chunk.in[k], i, dtype));
    if (writes) store_as(chunk.out[k], i, dtype, x);
  }
}

__global__ void compute_list(Chunk chunk, ListOp op, ListNumber number) {
  const double value = number.data == nullptr ? number.value : load_as<double>(number.data, 0, number.dtype);
  with_thread_elements(chunk.list, [&](int k, int64_t first, int count) {
    if (chunk.dtype[k] == diopi_dtype_float64) {
      change_elements<double>(chunk, k, first, count, true, WithNumber<double>{op, value});
    } else {
      change_elements<float>(chunk, k, first, count, true, WithNumber<float>{op, static_cast<float>(value)});
    }
  });
}

// x - x is 0 for numbers and NaN otherwise.
template <typename T>
struct Unscale {
  T factor;
  float* found;
  __device__ T operator()(T x) const {
    if (x - x != 0) atomicExch(found, 1.0f);
    return x * factor;
  }
};

__global__ void unscale_list(Chunk chunk, const float* factor, float* found) {
  const float value = *factor;
  with_thread_elements(chunk.list, [&](int k, int64_t first, int count) {
    if (chunk.dtype[k] == diopi_dtype_float64) {
      change_elements<double>(chunk, k, first, count, value != 1, Unscale<double>{value, found});
    } else {
      change_elements<float>(chunk, k, first, count, value != 1, Unscale<float>{value, found});
    }
  });
}

template <typename T>
__device__ void unscale_element(char* data, int64_t i, diopiDtype_t dtype, const Unscale<T>& f) {
  const T x = f(load_as<T>(data, i, dtype));
  if (f.factor != 1) store_as(data, i, dtype, x);
}

__global__ void unscale_strided(Strided<1> nest, char* data, diopiDtype_t dtype, const float* factor, float* found) {
  const int64_t item = thread_item();
  if (item >= nest.numel) return;
  int32_t offset[1];
  nest.offsets(static_cast<uint32_t>(item), offset);
  if (dtype == diopi_dtype_float64) {
    unscale_element(data, offset[0], dtype, Unscale<double>{*factor, found});
  } else {
    unscale_element(data, offset[0], dtype, Unscale<float>{*factor, found});
  }
}

__global__ void update_scale(ScaleUpdate update) {
  const double current = *update.scale;
  if (*update.found != 0) {
    *update.scale = static_cast<float>(current * update.backoff);
    *update.tracker = 0;
    return;
  }
  const auto next = static_cast<int32_t>(static_cast<uint32_t>(*update.tracker) + 1);
  const auto grown = static_cast<float>(current * update.growth);
  if (next == update.interval && grown - grown == 0) *update.scale = grown;
  *update.tracker = next == update.interval ? 0 : next;
}

// Adds tensors to chunks and calls launch_chunk(chunk, grid) for each full one, and for the last one.
template <class F>
class Chunks {
 public:
  explicit Chunks(const F& launch_chunk) : launch_chunk_(launch_chunk) {}

  Status add(const TensorView& out, const TensorView& in) {
    if (in.numel == 0) return diopiSuccess;
    if (chunk_.list.is_full()) DIOPI_TRY(finish());
    const int64_t k = chunk_.list.add(in.numel);
    chunk_.out[k] = out.data;
    chunk_.in[k] = in.data;
    chunk_.dtype[k] = static_cast<uint8_t>(in.dtype);
    const bool aligned = has_aligned_items(in) && has_aligned_items(out);
    chunk_.aligned[k] = aligned ? 1 : 0;
    return diopiSuccess;
  }
  Status finish() {
    if (chunk_.list.count == 0) return diopiSuccess;
    const Status status = launch_chunk_(chunk_, chunk_.list.grid());
    chunk_.list.count = 0;
    return status;
  }

 private:
  const F& launch_chunk_;
  Chunk chunk_{};
};

}  // namespace

bool is_listed(const TensorView& out, const TensorView& in) {
  if (!diopi::is_floating(in.dtype) || out.dtype != in.dtype || !in.is_dense()) return false;
  const bool same_order = in.stride == out.stride || (in.is_contiguous() && out.is_contiguous());
  return same_order && (in.data == out.data || !diopi::may_overlap(in, out));
}

Status launch_list(cudaStream_t stream, ListOp op, const ViewList& outs, const ViewList& inputs,
                   const diopiDtype_t* promoted, const ListNumber& number) {
  const auto launch_chunk = [&](const Chunk& chunk, dim3 grid) -> Status {
    return checked(launch(compute_list, grid, dim3(kBlock), 0, stream, chunk, op, number), "a kernel");
  };
  Chunks chunks(launch_chunk);
  for (int64_t k = 0; k < inputs.size(); ++k) {
    if (is_listed(outs[k], inputs[k], promoted[k])) DIOPI_TRY(chunks.add(outs[k], inputs[k]));
  }
  return chunks.finish();
}

Status launch_unscale(cudaStream_t stream, const ViewList& grads, const float* factor, float* found) {
  const auto launch_chunk = [&](const Chunk& chunk, dim3 grid) -> Status {
    return checked(launch(unscale_list, grid, dim3(kBlock), 0, stream, chunk, factor, found), "a kernel");
  };
  Chunks chunks(launch_chunk);
  for (const TensorView& grad : grads) {
    if (grad.numel == 0) continue;
    if (is_listed(grad, grad)) {
      DIOPI_TRY(chunks.add(grad, grad));
      continue;
    }
    diopi::LoopNest<1> nest = diopi::row_major_nest(grad.shape, grad.stride);
    nest.drop_ones();
    nest.merge();
    DIOPI_TRY(for_each_piece(nest, [&](const Piece<1>& piece) -> Status {
      char* const data = grad.data + piece.base[0] * grad.itemsize();
      const dim3 grid = blocks_for(piece.nest.numel);
      return checked(
          launch(unscale_strided, grid, dim3(kBlock), 0, stream, piece.nest, data, grad.dtype, factor, found),
          "a kernel");
    }));
  }
  return chunks.finish();
}

Status launch_update_scale(cudaStream_t stream, const ScaleUpdate& update) {
  return checked(launch(update_scale, dim3(1), dim3(1), 0, stream, update), "a kernel");
}

}  // namespace impl::cuda
