// SPDX-License-Identifier: BSD-3-Clause
// Copies of the tensors of a list: one launch copies many of them.
#include "impl/cuda/engine/map.hpp"
#include "impl/cuda/engine/words.hpp"
#include "impl/cuda/kernels/copy/copy.hpp"
#include "impl/cuda/kernels/copy/transpose.cuh"
#include "impl/cuda/kernels/items.cuh"

namespace impl::cuda {

namespace {

constexpr int kFewParts = 4, kMostParts = 32, kMostLoops = 3;
constexpr int kEach = 4;  // words of a thread, whose loads do not wait for each other

// A tensor, as words of `width` bytes.
struct CopyPart {
  char* out;
  const char* in;
  uint32_t numel;
  int32_t width, loops;
  Divider extent[kMostLoops];
  int32_t stride[kMostLoops][2];
};

// The blocks of part k begin at first[k]. The parameters of a launch are copied, so few parts have a type of their own.
template <int kParts>
struct CopyParts {
  int32_t count;
  uint32_t first[kParts + 1];
  CopyPart part[kParts];
};

template <typename Word>
__device__ inline void copy_words(const CopyPart& part, uint32_t first) {
  int32_t to[kEach];
  Word word[kEach];
  DIOPI_UNROLL
  for (int j = 0; j < kEach; ++j) {
    uint32_t number = first + j * kBlock;
    if (number >= part.numel) continue;
    int32_t from = 0;
    to[j] = 0;
    for (int i = 0; i < part.loops; ++i) {
      const uint32_t rest = part.extent[i].quotient(number);
      const int32_t index = static_cast<int32_t>(number - rest * part.extent[i].divisor);
      to[j] += index * part.stride[i][0];
      from += index * part.stride[i][1];
      number = rest;
    }
    word[j] = reinterpret_cast<const Word*>(part.in)[from];
  }
  DIOPI_UNROLL
  for (int j = 0; j < kEach; ++j) {
    if (first + j * kBlock < part.numel) reinterpret_cast<Word*>(part.out)[to[j]] = word[j];
  }
}

template <int kParts>
__global__ void __launch_bounds__(kBlock) copy_parts(CopyParts<kParts> parts) {
  int low = 0, high = parts.count - 1;  // the part is one of these
  while (low < high) {
    const int middle = (low + high + 1) / 2;
    if (parts.first[middle] <= blockIdx.x) {
      low = middle;
    } else {
      high = middle - 1;
    }
  }
  const CopyPart& part = parts.part[low];
  const uint32_t first = (blockIdx.x - parts.first[low]) * (kBlock * kEach) + threadIdx.x;
  switch (part.width) {
    case 1:
      return copy_words<uint8_t>(part, first);
    case 2:
      return copy_words<uint16_t>(part, first);
    case 4:
      return copy_words<uint32_t>(part, first);
    case 8:
      return copy_words<uint64_t>(part, first);
    default:
      return copy_words<uint4>(part, first);
  }
}

// Whether a copy can be a part of a launch, which `*part` then is.
bool find_part(const TensorView& out, const TensorView& in, CopyPart* part) {
  MapCall call;
  call.out = out;
  call.in[0] = in;
  diopi::LoopNest<2> nest = map_nest<1>(call);
  if (!has_same_bits(out.dtype, in.dtype) || on_host(in.data)) return false;
  *part = CopyPart{};
  part->width = widen(&nest, static_cast<int>(out.itemsize()), {out.data, in.data});
  Transpose transpose;
  bool fits = false;
  (void)for_each_piece(nest, [&](const Piece<2>& piece) -> Status {
    const Strided<2>& loops = piece.nest;
    fits = loops.numel == nest.numel() && loops.loops <= kMostLoops && !find_transpose(loops, &transpose);
    if (!fits) return diopiErrorOccurred;  // ends the search
    part->numel = loops.numel;
    part->loops = loops.loops;
    for (int i = 0; i < loops.loops; ++i) {
      part->extent[i] = loops.extent[i];
      for (int k = 0; k < 2; ++k) part->stride[i][k] = loops.stride[i][k];
    }
    return diopiSuccess;
  });
  part->out = out.data;
  part->in = in.data;
  return fits;
}

template <int kParts>
Status launch_parts(cudaStream_t stream, const CopyParts<kParts>& parts) {
  if (parts.count == 0) return diopiSuccess;
  const dim3 grid(parts.first[parts.count]);
  return checked(launch(copy_parts<kParts>, grid, dim3(kBlock), 0, stream, parts), "a copy");
}

template <int kParts>
Status copy_by_parts(cudaStream_t stream, const diopi::ViewList& outs, const diopi::ViewList& ins) {
  CopyParts<kParts> parts{};
  for (int64_t i = 0; i < outs.size(); ++i) {
    if (outs[i].numel == 0) continue;
    CopyPart part;
    if (!find_part(outs[i], ins[i], &part)) {
      DIOPI_TRY(copy_elements(stream, outs[i], ins[i]));
      continue;
    }
    const uint32_t before = parts.first[parts.count], blocks = blocks_for(part.numel, kBlock * kEach).x;
    if (parts.count == kParts || before + blocks > INT32_MAX) {
      DIOPI_TRY(launch_parts(stream, parts));
      parts.count = 0;
    }
    parts.part[parts.count] = part;
    parts.first[parts.count + 1] = parts.first[parts.count] + blocks;
    ++parts.count;
  }
  return launch_parts(stream, parts);
}

}  // namespace

Status copy_each(cudaStream_t stream, const diopi::ViewList& outs, const diopi::ViewList& ins) {
  const auto copy = outs.size() <= kFewParts ? copy_by_parts<kFewParts> : copy_by_parts<kMostParts>;
  return copy(stream, outs, ins);
}

}  // namespace impl::cuda
