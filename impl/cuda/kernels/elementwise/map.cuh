// SPDX-License-Identifier: BSD-3-Clause
// Kernels that compute each element on its own from up to three operands. A functor has
//   __device__ T operator()(const T (&in)[kInputs]) const
// and T is the type in which it computes. Operands may have any dtype and any strides. There are three kernels:
//   map_packed   all tensors have the dtype of the computation (or a 16-bit one for float) and are packed
//   map_runs     along the innermost loop, each operand is contiguous or repeats one element
//   map_strided  all others
// A thread of the first two reads and writes several adjacent elements with accesses of up to 16 bytes.
#ifndef IMPL_CUDA_KERNELS_ELEMENTWISE_MAP_CUH_
#define IMPL_CUDA_KERNELS_ELEMENTWISE_MAP_CUH_

#include "impl/cuda/engine/map.hpp"
#include "impl/cuda/kernels/items.cuh"
#include "impl/cuda/kernels/runs.cuh"

namespace impl::cuda {

namespace detail {

template <int kInputs>
struct PackedMap {
  int64_t numel;
  void* out;
  const void* in[kInputs];  // null: number[k]
  Immediate number[kInputs];
};

template <typename S, typename R>
constexpr int items_of = 16 / (sizeof(S) > sizeof(R) ? sizeof(S) : sizeof(R));

// S: the type in which inputs are stored; R: that of the results.
template <class F, typename T, typename S, typename R, int kInputs>
__global__ void map_packed(F f, PackedMap<kInputs> map) {
  constexpr int kItems = items_of<S, R>;
  using In = Pack<S, kItems>;
  using Out = Pack<R, kItems>;
  const int64_t first = thread_item() * kItems;
  const int count = static_cast<int>(map.numel - first < kItems ? map.numel - first : kItems);
  if (count <= 0) return;
  In in[kInputs];
  for (int k = 0; k < kInputs; ++k) {
    if (map.in[k] == nullptr) continue;
    const S* const source = static_cast<const S*>(map.in[k]) + first;
    if (count == kItems) {
      in[k] = *reinterpret_cast<const In*>(source);
    } else {
      DIOPI_UNROLL
      for (int j = 0; j < kItems; ++j) {
        if (j < count) in[k].v[j] = source[j];
      }
    }
  }
  Out out;
  DIOPI_UNROLL
  for (int j = 0; j < kItems; ++j) {
    if (j >= count) continue;
    T operands[kInputs];
    for (int k = 0; k < kInputs; ++k) {
      operands[k] = map.in[k] == nullptr ? map.number[k].template as<T>() : convert<T>(in[k].v[j]);
    }
    out.v[j] = convert<R>(f(operands));
  }
  R* const target = static_cast<R*>(map.out) + first;
  if (count == kItems) {
    *reinterpret_cast<Out*>(target) = out;
  } else {
    DIOPI_UNROLL
    for (int j = 0; j < kItems; ++j) {
      if (j < count) target[j] = out.v[j];
    }
  }
}

// The operands of a kernel for tensors of any dtype.
template <int kInputs>
struct MapOperands {
  void* out;
  const void* in[kInputs];  // null: number[k]
  diopiDtype_t out_dtype;
  diopiDtype_t dtype[kInputs];
  Immediate number[kInputs];

  template <typename T>
  __device__ T load(int k, int32_t offset) const {
    return in[k] == nullptr ? number[k].template as<T>() : load_as<T>(in[k], offset, dtype[k]);
  }
};

template <class F, typename T, int kInputs>
__device__ inline void map_element(const F& f, const MapOperands<kInputs>& map, const int32_t (&offset)[kInputs + 1]) {
  T operands[kInputs];
  for (int k = 0; k < kInputs; ++k) operands[k] = map.template load<T>(k, offset[k + 1]);
  store_as(map.out, offset[0], map.out_dtype, static_cast<T>(f(operands)));
}

template <class F, typename T, int kInputs>
__global__ void map_strided(F f, Strided<kInputs + 1> nest, MapOperands<kInputs> map) {
  const int64_t item = thread_item();
  if (item >= nest.numel) return;
  int32_t offset[kInputs + 1];
  nest.offsets(static_cast<uint32_t>(item), offset);
  map_element<F, T>(f, map, offset);
}

// The items of a thread of map_runs: 32 bytes in the type of the computation, so that 16-bit operands of float have 16.
template <typename T>
constexpr int kRunItems = sizeof(T) <= 4 ? 8 : 32 / sizeof(T);

template <class F, typename T, int kInputs, int kItems>
__global__ void map_runs(F f, Runs<kInputs + 1> runs, MapOperands<kInputs> map) {
  const int64_t item = thread_item();
  if (item >= runs.threads()) return;
  int32_t offset[kInputs + 1];
  const int count = runs.template locate<kItems>(static_cast<uint32_t>(item), offset);
  if (count < kItems) {  // the end of a run
    for (int j = 0; j < count; ++j) {
      map_element<F, T>(f, map, offset);
      for (int k = 0; k <= kInputs; ++k) offset[k] += runs.step[k];
    }
    return;
  }
  T in[kInputs][kItems];
  DIOPI_UNROLL
  for (int k = 0; k < kInputs; ++k) {
    if (runs.step[k + 1] != 0) {
      load_items(map.in[k], offset[k + 1], map.dtype[k], in[k]);
    } else {
      repeat_item(map.template load<T>(k, offset[k + 1]), in[k]);
    }
  }
  T out[kItems];
  DIOPI_UNROLL
  for (int j = 0; j < kItems; ++j) {
    T operands[kInputs];
    for (int k = 0; k < kInputs; ++k) operands[k] = in[k][j];
    out[j] = static_cast<T>(f(operands));
  }
  store_items(map.out, offset[0], map.out_dtype, out);
}

// Whether map_packed<..., T, S, R, ...> can compute a call whose elements are packed. Bytes of bools other than 0 are
// true, so bools are read as uint8.
template <typename T, typename S, typename R, int kInputs>
bool is_stored_as(const MapCall& call) {
  constexpr int kItems = items_of<S, R>;
  constexpr diopiDtype_t kDtype = std::is_same_v<T, bool> ? diopi_dtype_bool : diopi::dtype_of<S>;
  const auto aligned = [](const void* data, size_t bytes) { return reinterpret_cast<uintptr_t>(data) % bytes == 0; };
  if (call.out.dtype != diopi::dtype_of<R> || !aligned(call.out.data, sizeof(R) * kItems)) return false;
  for (int k = 0; k < kInputs; ++k) {
    if (call.is_number[k]) continue;
    if (call.in[k].dtype != kDtype || !aligned(call.in[k].data, sizeof(S) * kItems)) return false;
  }
  return true;
}

template <typename T, int kInputs>
void read_numbers(const MapCall& call, Immediate (&number)[kInputs], const void* (&in)[kInputs]) {
  for (int k = 0; k < kInputs; ++k) {
    if (call.is_number[k]) number[k].set(load_as<T>(call.in[k].data, 0, call.in[k].dtype));
    in[k] = call.is_number[k] ? nullptr : call.in[k].data;
  }
}

template <class F, typename T, typename S, typename R, int kInputs>
Status launch_packed(const MapCall& call, const F& f) {
  PackedMap<kInputs> map{};
  map.numel = call.out.numel;
  map.out = call.out.data;
  read_numbers<T>(call, map.number, map.in);
  constexpr int kItems = items_of<S, R>;
  const dim3 grid = blocks_for((map.numel + kItems - 1) / kItems);
  return checked(launch(map_packed<F, T, S, R, kInputs>, grid, dim3(kBlock), 0, call.stream, f, map), "a kernel");
}

// Launches the packed kernel of storage type S, if it fits. `*done` says whether it did.
template <class F, typename T, typename S, int kInputs>
Status try_packed(const MapCall& call, const F& f, bool* done) {
  if (*done) return diopiSuccess;
  using R = std::conditional_t<std::is_same_v<T, bool>, bool, S>;
  if (is_stored_as<T, S, R, kInputs>(call)) {
    *done = true;
    return launch_packed<F, T, S, R, kInputs>(call, f);
  }
  if constexpr (F::kGivesBool && !std::is_same_v<T, bool>) {
    if (is_stored_as<T, S, bool, kInputs>(call)) {
      *done = true;
      return launch_packed<F, T, S, bool, kInputs>(call, f);
    }
  }
  return diopiSuccess;
}

// Launches map_runs or map_strided for a piece of a nest.
template <class F, typename T, int kInputs, int kItems>
Status launch_piece(const MapCall& call, const Piece<kInputs + 1>& piece, const F& f) {
  MapOperands<kInputs> map{};
  read_numbers<T>(call, map.number, map.in);
  map.out = call.out.data + piece.base[0] * call.out.itemsize();
  map.out_dtype = call.out.dtype;
  const void* data[kInputs + 1] = {map.out};
  int size[kInputs + 1] = {static_cast<int>(call.out.itemsize())};
  for (int k = 0; k < kInputs; ++k) {
    size[k + 1] = static_cast<int>(call.in[k].itemsize());
    map.dtype[k] = call.in[k].dtype;
    if (map.in[k] != nullptr) map.in[k] = call.in[k].data + piece.base[k + 1] * size[k + 1];
    data[k + 1] = map.in[k];
  }
  Runs<kInputs + 1> runs;
  if (find_runs(piece.nest, kItems, data, size, &runs)) {
    const dim3 grid = blocks_for(runs.threads());
    const auto kernel = map_runs<F, T, kInputs, kItems>;
    return checked(launch(kernel, grid, dim3(kBlock), 0, call.stream, f, runs, map), "a kernel");
  }
  const dim3 grid = blocks_for(piece.nest.numel);
  const auto kernel = map_strided<F, T, kInputs>;
  return checked(launch(kernel, grid, dim3(kBlock), 0, call.stream, f, piece.nest, map), "a kernel");
}

}  // namespace detail

// Launches f for all elements of a call. F::kGivesBool says whether results are truth values, 0 or 1.
template <class F, typename T, int kInputs, int kItems = detail::kRunItems<T>>
Status launch_map(const MapCall& call, const F& f) {
  if (call.idle) return diopiSuccess;
  const auto nest = map_nest<kInputs>(call);
  bool done = false;
  if (is_packed<kInputs>(call, nest)) {
    using S = std::conditional_t<std::is_same_v<T, bool>, uint8_t, T>;
    DIOPI_TRY((detail::try_packed<F, T, S, kInputs>(call, f, &done)));
    if constexpr (std::is_same_v<T, float>) {
      DIOPI_TRY((detail::try_packed<F, T, float16, kInputs>(call, f, &done)));
      DIOPI_TRY((detail::try_packed<F, T, bfloat16, kInputs>(call, f, &done)));
    }
  }
  if (done) return diopiSuccess;
  return for_each_piece(nest, [&](const Piece<kInputs + 1>& piece) -> Status {
    return detail::launch_piece<F, T, kInputs, kItems>(call, piece, f);
  });
}

}  // namespace impl::cuda

#endif  // IMPL_CUDA_KERNELS_ELEMENTWISE_MAP_CUH_
