// SPDX-License-Identifier: BSD-3-Clause
#include "impl/cuda/kernels/random/dropout.hpp"

#include "impl/cuda/engine/stream.hpp"
#include "impl/cuda/kernels/items.cuh"
#include "impl/cuda/kernels/random/philox.cuh"

namespace impl::cuda {

using diopi::Status;
using diopi::TensorView;

namespace {

struct DropCall {
  diopi::RandomStream words;
  int64_t numel;
  const void* in;
  void* out;
  void* mask;
  float scale;
  uint32_t last;  // the largest word that keeps its element
  bool any;
};

// The elements of a thread: those of some counter blocks, which one access reads.
template <typename S>
constexpr int kDropItems = 16 / sizeof(S);

// S: the type of the elements; M: that of the mask.
template <typename S, typename M>
__global__ void __launch_bounds__(kBlock) drop_elements(DropCall call) {
  constexpr int kItems = kDropItems<S>;
  const int64_t first = thread_item() * kItems;
  if (first >= call.numel) return;
  const int count = static_cast<int>(min(call.numel - first, int64_t{kItems}));
  const S* const from = static_cast<const S*>(call.in) + first;
  float x[kItems], kept[kItems];
  if (count == kItems) {
    load_items(from, x);
  } else {
    DIOPI_UNROLL
    for (int j = 0; j < kItems; ++j) x[j] = j < count ? convert<float>(from[j]) : 0;
  }
  DIOPI_UNROLL
  for (int i = 0; i < kItems; i += kPhiloxWords) {
    const PhiloxBlock block = philox(call.words, static_cast<uint64_t>((first + i) / kPhiloxWords));
    DIOPI_UNROLL
    for (int j = 0; j < kPhiloxWords; ++j) kept[i + j] = call.any && block.word[j] <= call.last ? 1.f : 0.f;
  }
  DIOPI_UNROLL
  for (int j = 0; j < kItems; ++j) x[j] = x[j] * (kept[j] * call.scale);
  S* const to = static_cast<S*>(call.out) + first;
  M* const mask = static_cast<M*>(call.mask) + first;
  if (count == kItems) {
    store_items(to, x);
    store_items(mask, kept);
    return;
  }
  DIOPI_UNROLL
  for (int j = 0; j < kItems; ++j) {
    if (j < count) to[j] = convert<S>(x[j]), mask[j] = convert<M>(kept[j]);
  }
}

template <typename S>
Status drop_stored(const RandomFill& fill, const DropCall& call) {
  const dim3 grid = blocks_for((call.numel + kDropItems<S> - 1) / kDropItems<S>);
  const auto kernel = fill.out.dtype == diopi_dtype_bool || fill.out.dtype == diopi_dtype_uint8
                          ? drop_elements<S, uint8_t>
                          : drop_elements<S, S>;
  return checked(launch(kernel, grid, dim3(kBlock), 0, fill.stream, call), "a kernel");
}

}  // namespace

Status drop(const RandomFill& fill, const diopi::BernoulliParams& keep, const TensorView& out, const TensorView& in,
            double scale, bool* done) {
  constexpr int64_t kAlignment = 16, kMost = INT32_MAX;
  const TensorView& mask = fill.out;
  const auto fits = [&](const TensorView& view) {
    return view.is_contiguous() && view.shape == out.shape && reinterpret_cast<uintptr_t>(view.data) % kAlignment == 0;
  };
  *done = false;
  if (!fits(out) || !fits(in) || !fits(mask) || in.dtype != out.dtype || out.numel > kMost) return diopiSuccess;
  if (mask.dtype != diopi_dtype_bool && mask.dtype != diopi_dtype_uint8 && mask.dtype != out.dtype) return diopiSuccess;
  const DropCall call{fill.words, out.numel, in.data, out.data, mask.data, static_cast<float>(scale),
                      keep.last,  keep.any};
  *done = true;
  if (out.dtype == diopi_dtype_float32) return drop_stored<float>(fill, call);
  if (out.dtype == diopi_dtype_float16) return drop_stored<float16>(fill, call);
  if (out.dtype == diopi_dtype_bfloat16) return drop_stored<bfloat16>(fill, call);
  *done = false;
  return diopiSuccess;
}

}  // namespace impl::cuda
