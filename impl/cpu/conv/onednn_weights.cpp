// SPDX-License-Identifier: BSD-3-Clause
// Gradients of the weights of convolutions through oneDNN. They are sums over images and positions. oneDNN would divide
// such a sum among its threads, or add the terms one after another. This file divides it in a fixed way instead: into
// pieces, each computed by one thread, and each piece into boxes of a few thousand positions. So the rounding does not
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

constexpr int64_t kPieces = 16;
// The most positions whose terms oneDNN adds one after another. A depthwise image of up to kLargestImage positions is
// not divided, because dividing it would take half as long as the gradient itself.
constexpr int64_t kBoxPositions = 4096, kLargestImage = 16384;

// The division of a problem: piece (i, j) has the images of chunk i and the output channels of slice j.
struct Pieces {
  int64_t chunks = 1, images = 1;    // chunks of the batch, and images per chunk
  int64_t slices = 1, channels = 1;  // slices of the output channels, and channels per slice
  int64_t count() const { return chunks * slices; }
};

// The division depends only on the shape. Each chunk of the batch needs its own gradient, so a problem with large
// weights is divided by output channels instead.
Pieces divide(const ConvProblem& p) {
  constexpr int64_t kNarrowest = 16;
  const int64_t batch = p.src.shape[0], data = p.src.numel + p.dst.numel;
  Pieces pieces;
  int64_t chunks = std::min(kPieces, batch);
  while (chunks > 1 && chunks * p.weight.numel > data) chunks = (chunks + 1) / 2;
  pieces.images = (batch + chunks - 1) / chunks;
  pieces.chunks = (batch + pieces.images - 1) / pieces.images;
  const int64_t outputs = p.weight.shape[0];
  pieces.channels = outputs;
  if (p.geometry.groups == 1) {
    const int64_t wanted = std::max<int64_t>(1, kPieces / pieces.chunks);
    pieces.channels = std::max(kNarrowest, (outputs + wanted - 1) / wanted);
    pieces.channels = std::min(outputs, (pieces.channels + kNarrowest - 1) / kNarrowest * kNarrowest);
  }
  pieces.slices = (outputs + pieces.channels - 1) / pieces.channels;
  return pieces;
}

// The problem of one piece. It writes to its part of `partial`, [chunks, weight...].
ConvProblem piece_problem(const ConvProblem& p, const Pieces& pieces, const TensorView& partial, int64_t index) {
  const int64_t first_image = index / pieces.slices * pieces.images;
  const int64_t first_channel = index % pieces.slices * pieces.channels;
  const int64_t images = std::min(pieces.images, p.src.shape[0] - first_image);
  const int64_t channels = std::min(pieces.channels, p.weight.shape[0] - first_channel);
  ConvProblem piece = p;
  piece.src = p.src.narrow(0, first_image, images);
  piece.dst = p.dst.narrow(0, first_image, images).narrow(1, first_channel, channels);
  piece.weight = partial.select(0, index / pieces.slices).narrow(0, first_channel, channels);
  return piece;
}

// The boxes of a piece: images and output positions are divided, outer dimensions first.
struct Boxes {
  explicit Boxes(const ConvProblem& p) : dims(p.geometry.spatial + 1) {
    const bool depthwise = p.geometry.groups > 1 && p.weight.shape[1] == 1;
    int64_t inner = 1;
    for (int i = 1; i < dims; ++i) inner *= p.dst.shape[i + 1];
    const int64_t largest = depthwise && inner <= kLargestImage ? kLargestImage : kBoxPositions;
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

// Narrows a piece to one of its boxes. Returns false if the box reads only padding.
bool narrow_to_box(ConvProblem* p, const Boxes& boxes, int64_t index) {
  if (boxes.count == 1) return true;
  for (int i = boxes.dims - 1; i >= 0; --i) {
    const int64_t begin = index % boxes.number[i] * boxes.size[i];
    const int64_t count = std::min(boxes.size[i], Boxes::extent(*p, i) - begin);
    index /= boxes.number[i];
    if (i == 0) {
      p->src = p->src.narrow(0, begin, count);
      p->dst = p->dst.narrow(0, begin, count);
    } else if (boxes.number[i] > 1 && !narrow_positions(p, i - 1, begin, count)) {
      return false;
    }
  }
  return true;
}

// Prepares the primitives of all boxes of a piece. `bytes` becomes the largest workspace of any box.
SkipReason prepare_piece(const ConvProblem& piece, int64_t* bytes) {
  const Boxes boxes(piece);
  for (int64_t i = 0; i < boxes.count; ++i) {
    ConvProblem box = piece;
    int64_t needed = 0;
    if (!narrow_to_box(&box, boxes, i)) continue;
    const SkipReason reason = onednn::prepare(conv_key(box), build_backward_weights, &box, &needed);
    if (reason != nullptr) return reason;
    *bytes = std::max(*bytes, needed);
  }
  return nullptr;
}

// Memory of one thread: a workspace and, if pieces have several boxes, space for the sum over the boxes.
struct Scratch {
  char* workspace;
  double* sum;
};

// Computes one piece. Returns false if oneDNN fails.
bool run_piece(const ConvProblem& piece, const Scratch& scratch) {
  const Boxes boxes(piece);
  float* const gradient = piece.weight.ptr<float>();
  const int64_t numel = piece.weight.numel;
  const bool is_cut = boxes.count > 1;
  if (is_cut) std::fill_n(scratch.sum, numel, 0.0);
  for (int64_t i = 0; i < boxes.count; ++i) {
    ConvProblem box = piece;
    Status status;
    if (!narrow_to_box(&box, boxes, i)) continue;
    void* const slots[] = {box.src.data, box.dst.data, box.weight.data};
    const SkipReason reason =
        onednn::run_in(conv_key(box), build_backward_weights, &box, scratch.workspace, slots, &status);
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
  const Pieces pieces = divide(p);
  TensorView partial;
  Dims shape = p.weight.unsqueeze(0).shape;
  shape[0] = pieces.chunks;
  *status = make_temporary(p.ctx, shape, diopi_dtype_float32, &partial);
  if (!status->ok()) return nullptr;
  int64_t bytes = 0;
  {
    const SingleThread single;
    for (const int64_t index : {int64_t{0}, pieces.slices - 1, pieces.count() - pieces.slices, pieces.count() - 1}) {
      const SkipReason reason = prepare_piece(piece_problem(p, pieces, partial, index), &bytes);
      if (reason != nullptr) return reason;
    }
  }
  const int64_t threads = std::min<int64_t>(omp_get_max_threads(), pieces.count());
  const ConvProblem largest = piece_problem(p, pieces, partial, 0);
  const int64_t numel = Boxes(largest).count > 1 ? largest.weight.numel : 0;
  char* workspace = nullptr;
  double* sums = nullptr;
  *status = diopi::Workspace(p.ctx).take(threads * bytes, &workspace);
  if (status->ok() && numel > 0) *status = diopi::Workspace(p.ctx).take(threads * numel, &sums);
  if (!status->ok() || diopi::in_dry_run()) return nullptr;
  std::atomic<bool> failed{false};
  const bool nested = omp_in_parallel() != 0;  // then parallel_for stays on this thread
  diopi::parallel_for(pieces.count(), 1, [&](int64_t begin, int64_t end) {
    const SingleThread single;
    const int64_t thread = nested ? 0 : omp_get_thread_num();
    const Scratch scratch{workspace + thread * bytes, sums + thread * numel};
    for (int64_t i = begin; i < end; ++i) {
      if (!run_piece(piece_problem(p, pieces, partial, i), scratch)) failed.store(true);
    }
  });
  if (failed.load()) {
    *status = diopi::fail(diopiErrorOccurred, "oneDNN fails in a part of the gradient of the weights");
    return nullptr;
  }
  add_chunks(partial.ptr<float>(), pieces.chunks, p.weight.numel);
  copy_view(p.weight, partial.select(0, 0));
  return nullptr;
}

}  // namespace impl::cpu
