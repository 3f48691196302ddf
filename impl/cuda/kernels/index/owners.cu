// SPDX-License-Identifier: BSD-3-Clause
// Writes of few positions through an index. Each block owns some places, for which it finds the last position in shared
// memory. All blocks read the whole index, which costs less than another launch.
#include "impl/common/kernel_table.hpp"
#include "impl/cuda/engine/pieces.hpp"
#include "impl/cuda/engine/stream.hpp"
#include "impl/cuda/engine/words.hpp"
#include "impl/cuda/kernels/index/source.cuh"
#include "impl/cuda/kernels/items.cuh"

namespace impl::cuda {

namespace {

constexpr int kOwners = 128, kOwnerThreads = 1024;
constexpr int kRun = 32;  // adjacent places of an owner
constexpr int kEach = 4;  // elements of a thread, whose loads do not wait for each other
constexpr int64_t kMostPositions = 1 << 15, kMostPlaces = 12 << 10, kMostBytes = 256 << 10;  // of an owner

template <typename Word>
struct Owned {
  Strided<2> slices;
  Divider words;  // of a slice
  IndexSource source;
  int32_t count, places;  // positions, and places of a block
  int32_t index_step, src_step;
  int64_t out_step;
  Word* out;
  const Word* src;
};

// Finds the last position of each place of the block, plus one.
template <typename Word>
__device__ void find_last_positions(const Owned<Word>& p, unsigned* last) {
  const auto thread = static_cast<int32_t>(threadIdx.x);
  for (int32_t t = thread; t < p.places; t += kOwnerThreads) last[t] = 0;
  __syncthreads();
  for (int32_t first = thread; first < p.count; first += kEach * kOwnerThreads) {
    int64_t index[kEach];
    DIOPI_UNROLL
    for (int j = 0; j < kEach; ++j) {
      const int32_t at = first + j * kOwnerThreads;
      if (at < p.count) index[j] = read_index(p.source, at * p.index_step);
    }
    DIOPI_UNROLL
    for (int j = 0; j < kEach; ++j) {
      const int32_t at = first + j * kOwnerThreads;
      if (at >= p.count) continue;
      if (!is_in_range(p.source, &index[j])) {
        if (blockIdx.x == 0) refuse(p.source, at, index[j]);
        continue;
      }
      const auto place = static_cast<uint32_t>(index[j]), run = place / kRun;
      if (run % kOwners != blockIdx.x) continue;
      atomicMax(last + run / kOwners * kRun + place % kRun, static_cast<unsigned>(at + 1));
    }
  }
  __syncthreads();
}

template <typename Word>
__global__ void __launch_bounds__(kOwnerThreads) replace_owned(Owned<Word> p) {
  DIOPI_DYNAMIC_SHARED(unsigned, last);
  find_last_positions(p, last);
  const uint32_t total = static_cast<uint32_t>(p.places) * p.words.divisor;
  for (uint32_t first = threadIdx.x; first < total; first += kEach * kOwnerThreads) {
    Word word[kEach];
    Word* to[kEach];
    DIOPI_UNROLL
    for (int j = 0; j < kEach; ++j) {
      const uint32_t item = first + j * kOwnerThreads;
      to[j] = nullptr;
      if (item >= total) continue;
      const uint32_t own = p.words.quotient(item);
      const auto position = static_cast<int32_t>(last[own]) - 1;
      if (position < 0) continue;
      int32_t offset[2];
      p.slices.offsets(item - own * p.words.divisor, offset);
      const uint32_t place = (own / kRun * kOwners + blockIdx.x) * kRun + own % kRun;
      to[j] = p.out + (place * p.out_step + offset[0]);
      word[j] = p.src[position * p.src_step + offset[1]];
    }
    DIOPI_UNROLL
    for (int j = 0; j < kEach; ++j) {
      if (to[j] != nullptr) *to[j] = word[j];
    }
  }
}

int64_t places_of_owner(int64_t places) { return (places + kOwners * kRun - 1) / (kOwners * kRun) * kRun; }

// Counts slices in words of several elements. Returns the bytes of a word.
int widen_owned(OwnedCall* call) {
  if (call->slices.n == 0) return call->width;
  diopi::LoopNest<2>& slices = call->slices;
  slices.push_back(2, call->out_step, call->src_step);
  const int width = widen(&slices, call->width, {call->out, call->src});
  call->out_step = slices[slices.n - 1].stride[0];
  call->src_step = slices[slices.n - 1].stride[1];
  --slices.n;
  return width;
}

}  // namespace

bool fits_owners(const OwnedCall& call) {
  const int64_t places = places_of_owner(call.places), slice = call.slices.numel();
  if (call.count > kMostPositions || places > kMostPlaces || slice * places * call.width > kMostBytes) return false;
  if (call.slices.n == diopi::kMaxDims || call.count * std::abs(call.index_step) > INT32_MAX) return false;
  diopi::LoopNest<2> all = call.slices;
  all.push_back(call.count, 0, call.src_step);
  return fits_32_bits(all);
}

Status replace_by_owners(cudaStream_t stream, const OwnedCall& call) {
  OwnedCall wide = call;
  wide.width = widen_owned(&wide);
  return diopi::for_itemsize(wide.width, [&](auto tag) -> Status {
    using Word = AlignedWord<diopi::tagged<decltype(tag)>>;
    return for_each_piece(wide.slices, [&](const Piece<2>& piece) -> Status {
      Owned<Word> p{};
      p.slices = piece.nest;
      p.words = Divider(piece.nest.numel);
      p.source = wide.source;
      p.count = static_cast<int32_t>(wide.count);
      p.places = static_cast<int32_t>(places_of_owner(wide.places));
      p.index_step = static_cast<int32_t>(wide.index_step);
      p.src_step = static_cast<int32_t>(wide.src_step);
      p.out_step = wide.out_step;
      p.out = static_cast<Word*>(wide.out) + piece.base[0];
      p.src = static_cast<const Word*>(wide.src) + piece.base[1];
      const auto bytes = static_cast<size_t>(p.places) * sizeof(unsigned);
      const auto owners = static_cast<unsigned>(std::min<int64_t>(kOwners, (wide.places + kRun - 1) / kRun));
      return checked(launch(replace_owned<Word>, dim3(owners), dim3(kOwnerThreads), bytes, stream, p),
                     "writing through an index");
    });
  });
}

}  // namespace impl::cuda
