// SPDX-License-Identifier: BSD-3-Clause
// Gradients of the weights of convolutions through oneDNN. They are sums over images and positions. oneDNN would divide
// such a sum among its threads, or add the terms one after another. This file divides it in a fixed way instead: into
// chunks, each computed by one thread, and each chunk into tiles of a few thousand positions. So the rounding does not
// depend on the number of threads, and the error stays small. Chunks of the same images share a copy of them in the
// layout of oneDNN's primitives.
#include <algorithm>
#include <atomic>

#include "impl/common/alignment.hpp"
#include "impl/common/parallel.hpp"
#include "impl/common/step_memory.hpp"
#include "impl/common/workspace.hpp"
#include "impl/cpu/conv/onednn.hpp"
#include "impl/cpu/engine/copy/copy.hpp"
#include "impl/cpu/matmul/tiling.hpp"

namespace impl::cpu {
namespace {

using diopi::Dims;

// The most chunks of the images, and the number of chunks up to which the output channels are divided as well: a chunk
// of some channels reads all images.
constexpr int64_t kImageChunks = 16, kFewChunks = 8;
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
// weights is divided by output channels instead: adding these gradients must cost little beside reading the images.
Division divide(const ConvProblem& p) {
  constexpr int64_t kNarrowest = 16;
  const int64_t batch = p.src.shape[0], data = p.src.numel + p.dst.numel;
  Division division;
  int64_t chunks = std::min(kImageChunks, batch);
  while (chunks > 1 && 2 * chunks * p.weight.numel > data) chunks = (chunks + 1) / 2;
  division.images = (batch + chunks - 1) / chunks;
  division.image_chunks = (batch + division.images - 1) / division.images;
  const int64_t outputs = p.weight.shape[0];
  division.channels = outputs;
  if (p.geometry.groups == 1) {
    const int64_t wanted = std::max<int64_t>(1, kFewChunks / division.image_chunks);
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

// Copies of the tiles of images in the layout of oneDNN's primitives; `bytes` is 0 if there are none.
struct Images {
  int64_t chunks = 0, tiles = 0, bytes = 0;  // chunks of images, tiles of each, bytes of each copy
  char* data = nullptr;
  int64_t total() const { return chunks * tiles * bytes; }
  char* copy_of(int64_t chunk, int64_t tile) const { return data + (chunk * tiles + tile) * bytes; }
};

onednn::Key images_key(const ConvProblem& tile) {
  onednn::Key key = conv_key(tile);
  key.add(1);
  return key;
}

// One tile of a chunk as a program. `first` is the tile of the chunk of the first output channels, for which the images
// were copied.
struct TileProgram {
  TileProgram(const ConvProblem& tile, const ConvProblem& first, bool copied)
      : problem{first, tile}, key(conv_key(tile)), shared(copied) {
    if (shared) key.add({2, first.dst.shape[1]});
  }
  SkipReason prepare(int64_t* bytes) const {
    return shared ? onednn::prepare(key, build_weights_of_images, &problem, bytes)
                  : onednn::prepare(key, build_backward_weights, &problem.channels, bytes);
  }
  SkipReason run_in(char* workspace, void* images, Status* status) const {
    const ConvProblem& p = problem.channels;
    void* const slots[] = {shared ? images : p.src.data, p.dst.data, p.weight.data};
    return shared ? onednn::run_in(key, build_weights_of_images, &problem, workspace, slots, status)
                  : onednn::run_in(key, build_backward_weights, &p, workspace, slots, status);
  }
  ImagesAndChannels problem;
  onednn::Key key;
  bool shared;
};

// Prepares the copies of the images of a chunk. `bytes` becomes the size of the largest one.
SkipReason prepare_images(const ConvProblem& chunk, int64_t* bytes) {
  const Tiles tiles(chunk);
  for (int64_t i = 0; i < tiles.count; ++i) {
    ConvProblem tile = chunk;
    int64_t needed = 0;
    if (!narrow_to_tile(&tile, tiles, i)) continue;
    const SkipReason reason = onednn::prepare(images_key(tile), build_images, &tile, &needed);
    if (reason != nullptr) return reason;
    *bytes = std::max(*bytes, diopi::aligned(needed));
  }
  return nullptr;
}

// Prepares the primitives of all tiles of a chunk. `bytes` becomes the largest workspace of any tile.
SkipReason prepare_chunk(const ConvProblem& chunk, const ConvProblem& first, bool copied, int64_t* bytes) {
  const Tiles tiles(chunk);
  for (int64_t i = 0; i < tiles.count; ++i) {
    ConvProblem tile = chunk, tile_of_first = first;
    int64_t needed = 0;
    if (!narrow_to_tile(&tile, tiles, i) || !narrow_to_tile(&tile_of_first, tiles, i)) continue;
    const SkipReason reason = TileProgram(tile, tile_of_first, copied).prepare(&needed);
    if (reason != nullptr) return reason;
    *bytes = std::max(*bytes, needed);
  }
  return nullptr;
}

// Copies one tile of the images. Returns false if oneDNN fails.
bool copy_images(const ConvProblem& chunk, const Images& images, int64_t chunk_index, int64_t index) {
  const Tiles tiles(chunk);
  ConvProblem tile = chunk;
  if (index >= tiles.count || !narrow_to_tile(&tile, tiles, index)) return true;
  Status status;
  void* const slots[] = {tile.src.data};
  char* const copy = images.copy_of(chunk_index, index);
  return onednn::run_in(images_key(tile), build_images, &tile, copy, slots, &status) == nullptr && status.ok();
}

// Memory of one thread: a workspace and, if chunks have several tiles, space for the sum over the tiles.
struct Scratch {
  char* workspace;
  double* sum;
};

// Computes one chunk. Returns false if oneDNN fails.
bool run_chunk(const ConvProblem& chunk, const ConvProblem& first, const Images& images, int64_t chunk_index,
               const Scratch& scratch) {
  const Tiles tiles(chunk);
  float* const gradient = chunk.weight.ptr<float>();
  const int64_t numel = chunk.weight.numel;
  const bool is_cut = tiles.count > 1, copied = images.bytes > 0;
  if (is_cut) std::fill_n(scratch.sum, numel, 0.0);
  for (int64_t i = 0; i < tiles.count; ++i) {
    ConvProblem tile = chunk, tile_of_first = first;
    Status status;
    if (!narrow_to_tile(&tile, tiles, i) || !narrow_to_tile(&tile_of_first, tiles, i)) continue;
    char* const copy = copied ? images.copy_of(chunk_index, i) : nullptr;
    const SkipReason reason = TileProgram(tile, tile_of_first, copied).run_in(scratch.workspace, copy, &status);
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

namespace {

// The chunks of a problem, and what they need.
struct Chunks {
  Chunks(const ConvProblem& problem, const TensorView& sums) : p(problem), division(divide(problem)), partial(sums) {}
  ConvProblem at(int64_t index) const { return chunk_problem(p, division, partial, index); }
  // The chunk of the same images and the first output channels.
  ConvProblem first(int64_t index) const { return at(index - index % division.channel_chunks); }

  // Builds the programs of the chunks with all different extents.
  SkipReason prepare() {
    const SingleThread single;
    const int64_t across = division.channel_chunks, count = division.count();
    images.chunks = division.image_chunks;
    images.tiles = Tiles(at(0)).count;
    for (const int64_t index : {int64_t{0}, count - across}) {
      const SkipReason reason = across > 1 ? prepare_images(at(index), &images.bytes) : nullptr;
      if (reason != nullptr) return reason;
    }
    for (const int64_t index : {int64_t{0}, across - 1, count - across, count - 1}) {
      const SkipReason reason = prepare_chunk(at(index), first(index), images.bytes > 0, &bytes);
      if (reason != nullptr) return reason;
    }
    return nullptr;
  }

  const ConvProblem& p;
  Division division;
  TensorView partial;  // the sums of the chunks
  Images images;
  int64_t bytes = 0;  // of a workspace
};

// Computes all chunks in the memory of `scratch`, which is that of the first thread. Returns false if oneDNN fails.
bool run_chunks(const Chunks& chunks, const Scratch& scratch, int64_t numel) {
  std::atomic<bool> failed{false};
  const Division& division = chunks.division;
  const Images& images = chunks.images;
  const bool nested = omp_in_parallel() != 0;  // then parallel_for stays on this thread
  diopi::parallel_for(images.bytes > 0 ? images.chunks * images.tiles : 0, 1, [&](int64_t begin, int64_t end) {
    const SingleThread single;
    for (int64_t i = begin; i < end; ++i) {
      const int64_t chunk = i / images.tiles;
      if (!copy_images(chunks.at(chunk * division.channel_chunks), images, chunk, i % images.tiles)) failed.store(true);
    }
  });
  if (failed.load()) return false;
  diopi::parallel_for(division.count(), 1, [&](int64_t begin, int64_t end) {
    const SingleThread single;
    const int64_t thread = nested ? 0 : omp_get_thread_num();
    const Scratch mine{scratch.workspace + thread * chunks.bytes, scratch.sum + thread * numel};
    for (int64_t i = begin; i < end; ++i) {
      if (!run_chunk(chunks.at(i), chunks.first(i), images, i / division.channel_chunks, mine)) failed.store(true);
    }
  });
  return !failed.load();
}

}  // namespace

SkipReason conv_onednn_weights(const ConvProblem& p, Status* status) {
  TensorView partial;
  Dims shape = p.weight.unsqueeze(0).shape;
  shape[0] = divide(p).image_chunks;
  *status = make_temporary(p.ctx, shape, diopi_dtype_float32, &partial);
  if (!status->ok()) return nullptr;
  Chunks chunks(p, partial);
  const SkipReason reason = chunks.prepare();
  if (reason != nullptr) return reason;
  const int64_t threads = std::min<int64_t>(omp_get_max_threads(), chunks.division.count());
  const ConvProblem largest = chunks.at(0);
  const int64_t numel = Tiles(largest).count > 1 ? largest.weight.numel : 0;
  Scratch scratch{};
  diopi::Workspace memory(p.ctx);
  *status = memory.take(threads * chunks.bytes, &scratch.workspace);
  if (status->ok() && numel > 0) *status = memory.take(threads * numel, &scratch.sum);
  if (status->ok() && chunks.images.bytes > 0) *status = memory.take(chunks.images.total(), &chunks.images.data);
  if (!status->ok() || diopi::in_dry_run()) return nullptr;
  if (!run_chunks(chunks, scratch, numel)) {
    *status = diopi::fail(diopiErrorOccurred, "oneDNN fails in a part of the gradient of the weights");
    return nullptr;
  }
  add_chunks(partial.ptr<float>(), chunks.division.image_chunks, p.weight.numel);
  copy_view(p.weight, partial.select(0, 0));
  return nullptr;
}

}  // namespace impl::cpu
