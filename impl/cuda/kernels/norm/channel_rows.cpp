// SPDX-License-Identifier: BSD-3-Clause
#include "impl/cuda/kernels/norm/channel_rows.hpp"

#include <algorithm>
#include <cstdlib>

#include "impl/common/shape.hpp"

namespace impl::cuda {

namespace {

constexpr int kOperands = ChannelRows::kOperands, kOut = 2;
constexpr int64_t kMostOffset = int64_t{1} << 30;  // of a run in a row
using Views = const TensorView* const[kOperands];

// The dimensions [first, last) as one loop, if there is one for all views.
bool find_loop(const Views& views, int first, int last, diopi::Loop<kOperands>* loop) {
  diopi::LoopNest<kOperands> nest;
  for (int dim = last - 1; dim >= first; --dim) {
    diopi::Loop<kOperands>& next = nest.loop[nest.n++];
    next.extent = views[0]->shape[dim];
    for (int k = 0; k < kOperands; ++k) next.stride[k] = (views[k] != nullptr ? views[k] : views[0])->stride[dim];
  }
  nest.drop_ones();
  nest.merge();
  *loop = nest.n > 0 ? nest[0] : diopi::Loop<kOperands>(1, 0, 0, 0);
  return nest.n <= 1;
}

bool is_supported(const Views& views) {
  const diopiDtype_t dtype = views[0]->dtype;
  if (dtype != diopi_dtype_float32 && dtype != diopi_dtype_float16 && dtype != diopi_dtype_bfloat16) return false;
  for (int k = 1; k < kOperands; ++k) {
    if (views[k] != nullptr && views[k]->dtype != dtype) return false;
  }
  for (int k = 0; k < kOut && views[kOut] != nullptr; ++k) {
    if (views[k] == nullptr || diopi::is_same_view(*views[k], *views[kOut])) continue;
    if (diopi::may_overlap(*views[k], *views[kOut])) return false;
  }
  return views[0]->numel > 0;
}

// The threads of a block for short rows: a warp if there are many.
int32_t least_threads(int32_t rows) { return rows < 2048 ? 64 : 32; }

}  // namespace

bool ChannelRows::find(const TensorView* input, const TensorView* grad_output, const TensorView* out, int axis,
                       bool together) {
  constexpr int64_t kLeast = 8, kMostPacks = int64_t{1} << 26, kMostRows = int64_t{1} << 30;
  const Views views = {input, grad_output, out};
  diopi::Loop<kOperands> sample, channel, inner;
  if (!is_supported(views) || axis < 1 || axis > input->ndim()) return false;
  if (!find_loop(views, 0, 1, &sample) || !find_loop(views, 1, axis, &channel)) return false;
  if (!find_loop(views, axis, input->ndim(), &inner) || inner.extent < kLeast) return false;
  const int size = input->itemsize();
  items = inner.extent % (16 / size) == 0 ? 16 / size : 1;
  const int64_t runs = together ? sample.extent : 1, num_samples = together ? 1 : sample.extent;
  const int64_t row_packs = runs * (inner.extent / items), num_rows = num_samples * channel.extent;
  if (row_packs > kMostPacks || num_rows > kMostRows) return false;
  wide = 1;
  for (int k = 0; k < kOperands; ++k) {
    data[k] = views[k] != nullptr ? views[k]->data : nullptr;
    if (inner.stride[k] != 1) return false;
    if (together && std::abs(sample.stride[k]) > kMostOffset / sample.extent) return false;
    run_step[k] = together ? static_cast<int32_t>(sample.stride[k]) : 0;
    sample_step[k] = together ? 0 : sample.stride[k];
    channel_step[k] = channel.stride[k];
    const bool aligned =
        reinterpret_cast<uintptr_t>(data[k]) % 16 == 0 && channel_step[k] % items == 0 && sample.stride[k] % items == 0;
    if (!aligned || items == 1) wide = 0;
  }
  samples = static_cast<int32_t>(num_samples);
  length = runs * inner.extent;
  share = 1 / static_cast<double>(length);
  channels = Divider(static_cast<uint32_t>(channel.extent));
  run = Divider(static_cast<uint32_t>(inner.extent / items));
  rows = static_cast<int32_t>(num_rows);
  packs = static_cast<int32_t>(row_packs);
  dtype = input->dtype;
  return true;
}

bool ChannelRows::make_whole() {
  constexpr int32_t kShort = 4096, kLong = 65536, kManyRows = 512;
  constexpr int64_t kManyThreads = 132 * 1024;  // about as many as large GPUs run at a time
  if (packs > kLong || (packs > kShort && rows < kManyRows)) return false;
  threads = least_threads(rows);
  const auto wants_more = [&] {
    return 2 * threads < packs && (threads < 128 || int64_t{2} * threads * rows <= kManyThreads);
  };
  while (threads < kMostRowThreads && wants_more()) threads *= 2;
  pieces = 1;
  piece = packs;
  return true;
}

void ChannelRows::make_pieces(bool long_pieces) {
  constexpr int kMostThreads = 256, kLeastSteps = 4;
  constexpr int64_t kManyPieces = 2048;
  const int64_t most_steps = long_pieces ? int64_t{1} << 20 : kLeastSteps;
  threads = least_threads(rows);
  while (threads < kMostThreads && threads < packs) threads *= 2;
  int64_t steps = kLeastSteps;
  while (steps < most_steps && steps * threads < packs && rows * (packs / (steps * threads)) > kManyPieces) steps *= 2;
  piece = static_cast<int32_t>(std::min<int64_t>(packs, steps * threads));
  pieces = (packs + piece - 1) / piece;
}

}  // namespace impl::cuda
