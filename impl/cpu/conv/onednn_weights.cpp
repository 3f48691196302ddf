// SPDX-License-Identifier: BSD-3-Clause
// Gradients of the weights of convolutions through oneDNN. They are sums over images and positions. oneDNN would divide
// such a sum among its threads, or add the terms one after another. This file divides it in a fixed way instead: into
// chunks, each computed by one thread, and each chunk into tiles of a few thousand positions. So the rounding does not
// depend on the number of threads, and the error stays small.
#include <algorithm>
#include <atomic>

#include "impl/common/parallel.hpp"
#include "impl/common/step_memory.hpp"
#include "impl/common/workspace.hpp"
#include "impl/cpu/conv/onednn.hpp"
#include "impl/cpu/engine/copy/copy.hpp"
#include "impl/cpu/matmul/tiling.hpp"

namespace impl::cpu {
namespace {

using diopi::Dims;

constexpr int64_t kChunks = 16;
// The most positions whose terms oneDNN adds one after another. A depthwise image of up to kLargestImage positions is
// not divided, because dividing it would take half as long as the gradient itself.
constexpr int64_t kTilePositions = 4096, kLargestImage = 16384;

// The division of a problem: chunk (i, j) has range i of the images and range j of the output channels.
struct Division {
  int64_t image_chunks = 1, images = 1;      // ranges of images, and images of each
  int64_t channel_chunks = 1, channels = 1;  // ranges of output channels, and channels of each
  int64_t count() const { return image_chunks * channel_chunks; }
};

// The division depends only on the shape. Each chunk of the batch needs its own gradient, so a problem with large
// weights is divided by output channels instead.
Division divide(const ConvProblem& p) {
  constexpr int64_t kNarrowest = 16;
  const int64_t batch = p.src.shape[0], data = p.src.numel + p.dst.numel;
  Division division;
  int64_t chunks = std::min(kChunks, batch);
  while (chunks > 1 && chunks * p.weight.numel > data) chunks = (chunks + 1) / 2;
  division.images = (batch + chunks - 1) / chunks;
  division.image_chunks = (batch + division.images - 1) / division.images;
  const int64_t outputs = p.weight.shape[0];
  division.channels = outputs;
  if (p.geometry.groups == 1) {
    const int64_t wanted = std::max<int64_t>(1, kChunks / division.image_chunks);
    division.channels = std::max(kNarrowest, (outputs + wanted - 1) / wanted);
    division.channels = std::min(outputs, (division.channels + kNarrowest - 1) / kNarrowest * kNarrowest);
  }
  division.channel_chunks = (outputs + division.channels - 1) / division.channels;
  return division;
}

// The problem of one chunk. It writes to its part of `partial`, [image_chunks, weight...].
ConvProblem chunk_problem(const ConvProblem& p, const Division& division, const TensorView& partial, int64_t index) {
  const int64_t first_image = index / division.channel_chunks * division.images;
  const int64_t first_channel = index % division.channel_chunks * division.channels;
  const int64_t images = std::min(division.images, p.src.shape[0] - first_image);
  const int64_t channels = std::min(division.channels, p.weight.shape[0] - first_channel);
  ConvProblem chunk = p;
  chunk.src = p.src.narrow(0, first_image, images);
  chunk.dst = p.dst.narrow(0, first_image, images).narrow(1, first_channel, channels);
  chunk.weight = partial.select(0, index / division.channel_chunks).narrow(0, first_channel, channels);
  return chunk;
}

// The tiles of a chunk: images and output positions are divided, outer dimensions first.
struct Tiles {
  explicit Tiles(const ConvProblem& p) : dims(p.geometry.spatial + 1) {
    const bool depthwise = p.geometry.groups > 1 && p.weight.shape[1] == 1;
    int64_t inner = 1;
    for (int i = 1; i < dims; ++i) inner *= p.dst.shape[i + 1];
    const int64_t largest = depthwise && inner <= kLargestImage ? kLargestImage : kTilePositions;
    for (int i = 0; i < dims; ++i) {
      const int64_t all = extent(p, i), most = std::max<int64_t>(1, largest / inner);
      const int64_t parts = (all + most - 1) / most;
      size[i] = (all + parts - 1) / parts;
      number[i] = (all + size[i] - 1) / size[i];
      count *= number[i];
      if (i + 1 < dims) inner /= extent(p, i + 1);
    }
  }
  static int64_t extent(const ConvProblem& p, int i) { return p.dst.shape[i == 0 ? 0 : i + 1]; }

  int dims;
  int64_t size[kMaxSpatial + 1], number[kMaxSpatial + 1], count = 1;
};

// Narrows the output positions of spatial dimension `i` to [begin, begin + count), and the input to the positions that
// they read. Returns false if these are only padding.
bool narrow_positions(ConvProblem* p, int i, int64_t begin, int64_t count) {
  ConvGeometry& g = p->geometry;
  const int64_t all = p->src.shape[i + 2];
  const int64_t low = begin * g.stride[i] - g.padding[i];
  const int64_t high = low + (count - 1) * g.stride[i] + (p->weight.shape[i + 2] - 1) * g.dilation[i] + 1;
  const int64_t first = std::max<int64_t>(0, low), last = std::min(all, high);
  if (first >= last) return false;
  p->dst = p->dst.narrow(i + 2, begin, count);
  p->src = p->src.narrow(i + 2, first, last - first);
  g.cut_begin[i] = g.padding[i] - (first - low);
  g.cut_end[i] = g.padding[i] - (high - last);
  return true;
}

// Narrows a chunk to one of its tiles. Returns false if the tile reads only padding.
bool narrow_to_tile(ConvProblem* p, const Tiles& tiles, int64_t index) {
  if (tiles.count == 1) return true;
  for (int i = tiles.dims - 1; i >= 0; --i) {
    const int64_t begin = index % tiles.number[i] * tiles.size[i];
    const int64_t count = std::min(tiles.size[i], Tiles::extent(*p, i) - begin);
    index /= tiles.number[i];
    if (i == 0) {
      p->src = p->src.narrow(0, begin, count);
      p->dst = p->dst.narrow(0, begin, count);
    } else if (tiles.number[i] > 1 && !narrow_positions(p, i - 1, begin, count)) {
      return false;
    }
  }
  return true;
}

// Prepares the primitives of all tiles of a chunk. `bytes` becomes the largest workspace of any tile.
SkipReason prepare_chunk(const ConvProblem& chunk, int64_t* bytes) {
  const Tiles tiles(chunk);
  for (int64_t i = 0; i < tiles.count; ++i) {
    ConvProblem tile = chunk;
    int64_t needed = 0;
    if (!narrow_to_tile(&tile, tiles, i)) continue;
    const SkipReason reason = onednn::prepare(conv_key(tile), build_backward_weights, &tile, &needed);
    if (reason != nullptr) return reason;
    *bytes = std::max(*bytes, needed);
  }
  return nullptr;
}

// Memory of one thread: a workspace and, if chunks have several tiles, space for the sum over the tiles.
struct Scratch {
  char* workspace;
  double* sum;
};

// Computes one chunk. Returns false if oneDNN fails.
bool run_chunk(const ConvProblem& chunk, const Scratch& scratch) {
  const Tiles tiles(chunk);
  float* const gradient = chunk.weight.ptr<float>();
  const int64_t numel = chunk.weight.numel;
  const bool is_cut = tiles.count > 1;
  if (is_cut) std::fill_n(scratch.sum, numel, 0.0);
  for (int64_t i = 0; i < tiles.count; ++i) {
    ConvProblem tile = chunk;
    Status status;
    if (!narrow_to_tile(&tile, tiles, i)) continue;
    void* const slots[] = {tile.src.data, tile.dst.data, tile.weight.data};
    const SkipReason reason =
        onednn::run_in(conv_key(tile), build_backward_weights, &tile, scratch.workspace, slots, &status);
    if (reason != nullptr || !status.ok()) return false;
    for (int64_t k = 0; is_cut && k < numel; ++k) scratch.sum[k] += static_cast<double>(gradient[k]);
  }
  for (int64_t k = 0; is_cut && k < numel; ++k) gradient[k] = static_cast<float>(scratch.sum[k]);
  return true;
}

// Adds all chunks of `partial` into the first one, pairwise: neighbouring chunks first.
void add_chunks(float* partial, int64_t chunks, int64_t numel) {
  diopi::parallel_for(numel, 8192, [&](int64_t begin, int64_t end) {
    for (int64_t step = 1; step < chunks; step *= 2) {
      for (int64_t c = 0; c + step < chunks; c += 2 * step) {
        float* into = partial + c * numel;
        const float* from = partial + (c + step) * numel;
        for (int64_t i = begin; i < end; ++i) into[i] += from[i];
      }
    }
  });
}

}  // namespace

SkipReason conv_onednn_weights(const ConvProblem& p, Status* status) {
  const Division division = divide(p);
  TensorView partial;
  Dims shape = p.weight.unsqueeze(0).shape;
  shape[0] = division.image_chunks;
  *status = make_temporary(p.ctx, shape, diopi_dtype_float32, &partial);
  if (!status->ok()) return nullptr;
  int64_t bytes = 0;
  {
    const SingleThread single;
    for (const int64_t index :
         {int64_t{0}, division.channel_chunks - 1, division.count() - division.channel_chunks, division.count() - 1}) {
      const SkipReason reason = prepare_chunk(chunk_problem(p, division, partial, index), &bytes);
      if (reason != nullptr) return reason;
    }
  }
  const int64_t threads = std::min<int64_t>(omp_get_max_threads(), division.count());
  const ConvProblem largest = chunk_problem(p, division, partial, 0);
  const int64_t numel = Tiles(largest).count > 1 ? largest.weight.numel : 0;
  char* workspace = nullptr;
  double* sums = nullptr;
  *status = diopi::Workspace(p.ctx).take(threads * bytes, &workspace);
  if (status->ok() && numel > 0) *status = diopi::Workspace(p.ctx).take(threads * numel, &sums);
  if (!status->ok() || diopi::in_dry_run()) return nullptr;
  std::atomic<bool> failed{false};
  const bool nested = omp_in_parallel() != 0;  // then parallel_for stays on this thread
  diopi::parallel_for(division.count(), 1, [&](int64_t begin, int64_t end) {
    const SingleThread single;
    const int64_t thread = nested ? 0 : omp_get_thread_num();
    const Scratch scratch{workspace + thread * bytes, sums + thread * numel};
    for (int64_t i = begin; i < end; ++i) {
      if (!run_chunk(chunk_problem(p, division, partial, i), scratch)) failed.store(true);
    }
  });
  if (failed.load()) {
    *status = diopi::fail(diopiErrorOccurred, "oneDNN fails in a part of the gradient of the weights");
    return nullptr;
  }
  add_chunks(partial.ptr<float>(), division.image_chunks, p.weight.numel);
  copy_view(p.weight, partial.select(0, 0));
  return nullptr;
}

}  // namespace impl::cpu
