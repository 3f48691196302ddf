// SPDX-License-Identifier: BSD-3-Clause
// Greedy suppression of boxes in the order of their scores. Boxes are settled in steps of kStep: one kernel compares
// the boxes of a step with each other, one block walks through them, and a third kernel compares all later boxes with
// the kept ones. The memory is linear in the number of boxes.
#include "impl/common/workspace.hpp"
#include "impl/cuda/kernels/nms/nms.hpp"
#include "impl/cuda/kernels/rounded.cuh"
#include "impl/cuda/kernels/rows/operands.cuh"

namespace impl::cuda {

namespace {

constexpr int kNmsThreads = 256, kWord = 64, kLanes = 32;
constexpr int64_t kStep = 4096;
constexpr int kWords = kStep / kWord;

using Number = Rounded<double>;

struct Boxes {
  const char* given;
  diopiDtype_t dtype;
  int64_t row_stride, column_stride, order_stride;
  const int64_t* order;
  double threshold, margin;
  int64_t n;
  // In the order of the scores: x1, y1, x2, y2 and area of each box, n numbers apart; whether it is dropped; and the
  // positions of the kept ones.
  double* numbers;
  uint8_t* dropped;
  int64_t *positions, *kept;
  int64_t* counts;  // of the boxes that were kept before a step, and after it
  // Bit j of word w * kStep + i: whether box i of the step drops its box w * 64 + j.
  uint64_t* drops;

  __device__ Number number(int k, int64_t i) const { return {numbers[k * n + i]}; }
};

struct Step {
  int64_t first, size;
};

__host__ __device__ int words_of(const Step& step) { return static_cast<int>((step.size + kWord - 1) / kWord); }

// Whether box i, which is better, drops box j.
__device__ bool drops_box(const Boxes& p, int64_t i, int64_t j) {
  const auto larger = [](Number a, Number b) { return a.v < b.v ? b : a; };
  const auto smaller = [](Number a, Number b) { return b.v < a.v ? b : a; };
  const auto side = [&](int low, int high) {
    const Number begin = larger(p.number(low, i), p.number(low, j)),
                 end = smaller(p.number(high, i), p.number(high, j));
    const Number size = end - begin + Number{p.margin};
    return size.v > 0 ? size : Number{0};
  };
  const Number shared = side(0, 2) * side(1, 3);
  return (shared / (p.number(4, i) + p.number(4, j) - shared)).v > p.threshold;
}

__global__ void __launch_bounds__(kNmsThreads) order_boxes(Boxes p) {
  if (thread_item() == 0) p.counts[0] = p.counts[1] = 0;
  for (int64_t i = thread_item(); i < p.n; i += static_cast<int64_t>(gridDim.x) * kNmsThreads) {
    const int64_t row = p.order[i * p.order_stride] * p.row_stride;
    Number x[4];
    for (int k = 0; k < 4; ++k) {
      x[k].v = load_as<double>(p.given, row + k * p.column_stride, p.dtype);
      p.numbers[k * p.n + i] = x[k].v;
    }
    const Number margin{p.margin};
    p.numbers[4 * p.n + i] = ((x[2] - x[0] + margin) * (x[3] - x[1] + margin)).v;
    p.dropped[i] = 0;
  }
}

__global__ void __launch_bounds__(kNmsThreads) compare_boxes(Boxes p, Step step) {
  const int64_t items = step.size * words_of(step);
  for (int64_t item = thread_item(); item < items; item += static_cast<int64_t>(gridDim.x) * kNmsThreads) {
    int64_t word = item;
    const int64_t i = split_index(&word, step.size), end = min((word + 1) * kWord, step.size);
    uint64_t bits = 0;
    for (int64_t j = max(word * kWord, i + 1); j < end; ++j) {
      if (drops_box(p, step.first + i, step.first + j)) bits |= uint64_t{1} << (j - word * kWord);
    }
    p.drops[word * kStep + i] = bits;
  }
}

// The boxes of word `g` that are kept, when `dropped` are the boxes that better ones outside of the word drop.
__device__ uint64_t walk_word(const uint64_t* drops, uint64_t dropped) {
  uint64_t kept = 0;
  for (int i = 0; i < kWord; ++i) {
    if ((dropped >> i & 1) != 0) continue;
    kept |= uint64_t{1} << i;
    dropped |= drops[i];
  }
  return kept;
}

__device__ uint64_t or_of_lanes(uint64_t bits) {
  for (int step = kLanes / 2; step > 0; step /= 2) bits |= __shfl_xor_sync(0xFFFFFFFFu, bits, step);
  return bits;
}

// One block. Boxes behind the end of the step count as dropped.
__global__ void __launch_bounds__(kNmsThreads, 1) settle_boxes(Boxes p, Step step) {
  DIOPI_SHARED(uint64_t, dropped, [kWords]);
  DIOPI_SHARED(uint64_t, own, [kWord]);
  DIOPI_SHARED(uint64_t, kept, [1]);
  const int thread = static_cast<int>(threadIdx.x), lane = thread % kLanes, words = words_of(step);
  int64_t count = p.counts[1];
  for (int w = thread; w < words; w += kNmsThreads) {
    dropped[w] = 0;
    for (int j = 0; j < kWord; ++j) {
      const int64_t i = int64_t{w} * kWord + j;
      if (i >= step.size || p.dropped[step.first + i] != 0) dropped[w] |= uint64_t{1} << j;
    }
  }
  __syncthreads();
  if (thread == 0) p.counts[0] = count;
  for (int g = 0; g < words; ++g) {
    const int64_t begin = int64_t{g} * kWord;
    if (thread < kWord) own[thread] = begin + thread < step.size ? p.drops[g * kStep + begin + thread] : 0;
    __syncthreads();
    if (thread == 0) kept[0] = walk_word(own, dropped[g]);
    __syncthreads();
    const uint64_t bits = kept[0];
    for (int w = g + 1 + thread / kLanes; w < words; w += kNmsThreads / kLanes) {
      uint64_t all = 0;
      for (int i = lane; i < kWord; i += kLanes) {
        if ((bits >> i & 1) != 0) all |= p.drops[w * kStep + begin + i];
      }
      all = or_of_lanes(all);
      if (lane == 0) dropped[w] |= all;
    }
    if (thread < kWord && (bits >> thread & 1) != 0) {
      const int64_t place = count + __popcll(bits & ((uint64_t{1} << thread) - 1));
      p.positions[place] = step.first + begin + thread;
      p.kept[place] = p.order[p.positions[place] * p.order_stride];
    }
    count += __popcll(bits);
    __syncthreads();  // before the next word replaces what was shared
  }
  if (thread == 0) p.counts[1] = count;
}

// Compares the boxes from `first` on with those that the last step kept.
__global__ void __launch_bounds__(kNmsThreads) drop_boxes(Boxes p, int64_t first) {
  const int64_t begin = p.counts[0], end = p.counts[1];
  for (int64_t j = first + thread_item(); j < p.n; j += static_cast<int64_t>(gridDim.x) * kNmsThreads) {
    bool dropped = p.dropped[j] != 0;
    for (int64_t k = begin; k < end && !dropped; ++k) dropped = drops_box(p, p.positions[k], j);
    if (dropped) p.dropped[j] = 1;
  }
}

int64_t blocks_of(int64_t items) { return (items + kNmsThreads - 1) / kNmsThreads; }

}  // namespace

Status suppress_boxes(diopiContextHandle_t ctx, const NmsProblem& problem, int64_t* kept, int64_t* count) {
  Boxes p{};
  const TensorView& boxes = problem.boxes;
  p.given = boxes.data;
  p.dtype = boxes.dtype;
  p.row_stride = boxes.stride[0];
  p.column_stride = boxes.stride[1];
  p.order = problem.order.ptr<const int64_t>();
  p.order_stride = problem.order.stride[0];
  p.threshold = problem.threshold;
  p.margin = problem.margin;
  p.n = problem.order.numel;
  p.kept = kept;
  diopi::Workspace workspace(ctx);
  DIOPI_TRY(workspace.take(5 * p.n, &p.numbers));
  DIOPI_TRY(workspace.take(p.n, &p.dropped));
  DIOPI_TRY(workspace.take(p.n, &p.positions));
  DIOPI_TRY(workspace.take(2, &p.counts));
  DIOPI_TRY(workspace.take((std::min(p.n, kStep) + kWord - 1) / kWord * kStep, &p.drops));
  DIOPI_TRY(launch_blocks(ctx, order_boxes, blocks_of(p.n), kNmsThreads, p));
  for (int64_t first = 0; first < p.n; first += kStep) {
    const Step step{first, std::min(kStep, p.n - first)};
    const int64_t pairs = step.size * words_of(step), later = p.n - first - step.size;
    DIOPI_TRY(launch_blocks(ctx, compare_boxes, blocks_of(pairs), kNmsThreads, p, step));
    DIOPI_TRY(launch_blocks(ctx, settle_boxes, 1, kNmsThreads, p, step));
    if (later > 0) DIOPI_TRY(launch_blocks(ctx, drop_boxes, blocks_of(later), kNmsThreads, p, first + step.size));
  }
  return read_back(ctx, count, p.counts + 1, sizeof(*count));
}

}  // namespace impl::cuda
