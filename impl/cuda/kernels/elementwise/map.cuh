// SPDX-License-Identifier: BSD-3-Clause
// Kernels that compute each element on its own from up to three operands. A functor has
//   __device__ T operator()(const T (&in)[kInputs]) const
// and T is the type in which it computes. Operands may have any dtype and any strides. If all tensors have the dtype of
// the computation (or a 16-bit one for float) and are packed, each thread reads and writes 16 bytes at once.
#ifndef IMPL_CUDA_KERNELS_ELEMENTWISE_MAP_CUH_
#define IMPL_CUDA_KERNELS_ELEMENTWISE_MAP_CUH_

#include "impl/cuda/engine/map.hpp"
#include "impl/cuda/kernels/number.cuh"

namespace impl::cuda {

namespace detail {

template <typename T, int kItems>
struct alignas(sizeof(T) * kItems) Pack {
  T v[kItems];
};

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

#undef DIOPI_UNROLL

template <int kInputs>
struct StridedMap {
  Strided<kInputs + 1> nest;
  void* out;
  const void* in[kInputs];  // null: number[k]
  diopiDtype_t out_dtype;
  diopiDtype_t dtype[kInputs];
  Immediate number[kInputs];
};

template <class F, typename T, int kInputs>
__global__ void map_strided(F f, StridedMap<kInputs> map) {
  const int64_t item = thread_item();
  if (item >= map.nest.numel) return;
  int32_t offset[kInputs + 1];
  map.nest.offsets(static_cast<uint32_t>(item), offset);
  T operands[kInputs];
  for (int k = 0; k < kInputs; ++k) {
    operands[k] =
        map.in[k] == nullptr ? map.number[k].template as<T>() : load_as<T>(map.in[k], offset[k + 1], map.dtype[k]);
  }
  store_as(map.out, offset[0], map.out_dtype, static_cast<T>(f(operands)));
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

template <class F, typename T, int kInputs>
Status launch_strided(const MapCall& call, const diopi::LoopNest<kInputs + 1>& nest, const F& f) {
  return for_each_piece(nest, [&](const Piece<kInputs + 1>& piece) -> Status {
    StridedMap<kInputs> map{};
    map.nest = piece.nest;
    map.out = call.out.data + piece.base[0] * call.out.itemsize();
    map.out_dtype = call.out.dtype;
    read_numbers<T>(call, map.number, map.in);
    for (int k = 0; k < kInputs; ++k) {
      map.dtype[k] = call.in[k].dtype;
      if (map.in[k] != nullptr) map.in[k] = call.in[k].data + piece.base[k + 1] * call.in[k].itemsize();
    }
    const dim3 grid = blocks_for(map.nest.numel);
    return checked(launch(map_strided<F, T, kInputs>, grid, dim3(kBlock), 0, call.stream, f, map), "a kernel");
  });
}

}  // namespace detail

// Launches f for all elements of a call. F::kGivesBool says whether results are truth values, 0 or 1.
template <class F, typename T, int kInputs>
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
  return done ? Status(diopiSuccess) : detail::launch_strided<F, T, kInputs>(call, nest, f);
}

}  // namespace impl::cuda

#endif  // IMPL_CUDA_KERNELS_ELEMENTWISE_MAP_CUH_
