// SPDX-License-Identifier: BSD-3-Clause
// Reads through an index. A thread copies several elements, whose loads do not wait for each other.
#include "impl/cuda/engine/pieces.hpp"
#include "impl/cuda/engine/stream.hpp"
#include "impl/cuda/engine/words.hpp"
#include "impl/cuda/kernels/index/source.cuh"
#include "impl/cuda/kernels/items.cuh"

namespace impl::cuda {

namespace {

template <typename Word>
struct Pick {
  Strided<4> nest;
  IndexSource source;
  int64_t step, first_number;
  Word* out;
  const Word* in;
};

template <typename Word>
constexpr int kEach = sizeof(Word) == 16 ? 2 : 4;

template <typename Word>
__global__ void __launch_bounds__(kBlock) pick(Pick<Word> p) {
  constexpr int kItems = kEach<Word>;
  uint32_t number[kItems];
  int32_t offset[kItems][3];
  int64_t index[kItems];
  Word word[kItems];
  bool is_element[kItems];
  numbers_of_thread(number);
  p.nest.offsets(number, offset);
  DIOPI_UNROLL
  for (int j = 0; j < kItems; ++j) {
    is_element[j] = number[j] < p.nest.numel;
    if (is_element[j]) index[j] = read_index(p.source, offset[j][2]);
  }
  DIOPI_UNROLL
  for (int j = 0; j < kItems; ++j) {
    if (!is_element[j]) continue;
    is_element[j] = is_in_range(p.source, &index[j]);
    if (is_element[j]) word[j] = p.in[offset[j][1] + index[j] * p.step];
  }
  DIOPI_UNROLL
  for (int j = 0; j < kItems; ++j) {
    if (is_element[j]) {
      p.out[offset[j][0]] = word[j];
    } else if (number[j] < p.nest.numel) {
      int32_t all[4];
      p.nest.offsets(number[j], all);
      refuse(p.source, p.first_number + all[3], index[j]);
    }
  }
}

template <typename Word>
Status launch_pick(cudaStream_t stream, const PickCall& call) {
  return for_each_piece(call.loops, [&](const Piece<4>& piece) -> Status {
    Pick<Word> p{};
    p.nest = piece.nest;
    p.source = moved_by(call.source, piece.base[2]);
    p.step = call.step;
    p.first_number = piece.base[3];
    p.out = static_cast<Word*>(call.out) + piece.base[0];
    p.in = static_cast<const Word*>(call.in) + piece.base[1];
    const dim3 grid = blocks_for(piece.nest.numel, kBlock * kEach<Word>);
    return checked(launch(pick<Word>, grid, dim3(kBlock), 0, stream, p), "reading through an index");
  });
}

}  // namespace

Status pick_elements(cudaStream_t stream, const PickCall& call) {
  PickCall wide = call;
  wide.loops.drop_ones();
  wide.loops.sort([](const auto& a, const auto& b) { return std::abs(a.stride[0]) > std::abs(b.stride[0]); });
  wide.loops.merge();
  wide.width = widen_slices(&wide.loops, wide.width, {wide.out, wide.in}, &wide.step);
  return diopi::for_itemsize(wide.width, [&](auto tag) -> Status {
    return launch_pick<AlignedWord<diopi::tagged<decltype(tag)>>>(stream, wide);
  });
}

}  // namespace impl::cuda
