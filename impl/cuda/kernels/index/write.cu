// SPDX-License-Identifier: BSD-3-Clause
#include "impl/common/kernel_table.hpp"
#include "impl/cuda/engine/pieces.hpp"
#include "impl/cuda/engine/stream.hpp"
#include "impl/cuda/engine/words.hpp"
#include "impl/cuda/kernels/index/offsets.cuh"
#include "impl/cuda/kernels/index/source.cuh"
#include "impl/cuda/kernels/items.cuh"

namespace impl::cuda {

namespace {

// The elements that a thread reads or writes, whose loads do not wait for each other.
constexpr int kEach = 4;

struct Mark {
  Strided<3> nest;
  IndexSource source;
  int64_t step, first_place, first_number;
  void* last;
};

template <typename Position>
__global__ void __launch_bounds__(kBlock) mark(Mark m) {
  uint32_t number[kEach];
  int32_t offset[kEach][3];
  int64_t index[kEach];
  numbers_of_thread(number);
  m.nest.offsets(number, offset);
  DIOPI_UNROLL
  for (int j = 0; j < kEach; ++j) {
    if (number[j] < m.nest.numel) index[j] = read_index(m.source, offset[j][0]);
  }
  DIOPI_UNROLL
  for (int j = 0; j < kEach; ++j) {
    if (number[j] >= m.nest.numel) continue;
    const int64_t position = m.first_number + offset[j][2];
    if (is_in_range(m.source, &index[j])) {
      const int64_t place = m.first_place + offset[j][1] + index[j] * m.step;
      atomicMax(static_cast<Position*>(m.last) + place, static_cast<Position>(position + 1));
    } else {
      refuse(m.source, position, index[j]);
    }
  }
}

template <typename Word, typename Position>
struct Replace {
  Strided<5> nest;
  IndexSource source;
  int64_t offset_step, place_step, first_number;
  Word* out;
  const Word* src;
  const Position* last;
};

template <typename Word, typename Position>
__global__ void __launch_bounds__(kBlock) replace(Replace<Word, Position> r) {
  constexpr int kItems = sizeof(Word) == 16 ? 2 : kEach;
  uint32_t number[kItems];
  int32_t offset[kItems][5];
  int64_t index[kItems];
  Word word[kItems];
  bool is_written[kItems];
  numbers_of_thread(number);
  r.nest.offsets(number, offset);
  DIOPI_UNROLL
  for (int j = 0; j < kItems; ++j) {
    is_written[j] = number[j] < r.nest.numel;
    if (!is_written[j]) continue;
    index[j] = read_index(r.source, offset[j][2]);
    word[j] = r.src[offset[j][0]];
  }
  DIOPI_UNROLL
  for (int j = 0; j < kItems; ++j) {
    if (!is_written[j] || !is_in_range(r.source, &index[j])) {
      is_written[j] = false;
      continue;
    }
    const auto position = static_cast<Position>(r.first_number + offset[j][4] + 1);
    is_written[j] = r.last[offset[j][3] + index[j] * r.place_step] == position;
  }
  DIOPI_UNROLL
  for (int j = 0; j < kItems; ++j) {
    if (is_written[j]) r.out[offset[j][1] + index[j] * r.offset_step] = word[j];
  }
}

template <typename Word>
struct Put {
  Strided<3> nest;
  IndexSource source;
  int64_t step, first_number;
  Word* out;
  const Word* element;
  Immediate number;
};

template <typename Word>
__global__ void __launch_bounds__(kBlock) put(Put<Word> p) {
  uint32_t number[kEach];
  int32_t offset[kEach][3];
  int64_t index[kEach];
  numbers_of_thread(number);
  p.nest.offsets(number, offset);
  DIOPI_UNROLL
  for (int j = 0; j < kEach; ++j) {
    if (number[j] < p.nest.numel) index[j] = read_index(p.source, offset[j][1]);
  }
  const Word word = p.element != nullptr ? *p.element : p.number.template as<Word>();
  DIOPI_UNROLL
  for (int j = 0; j < kEach; ++j) {
    if (number[j] >= p.nest.numel) continue;
    if (is_in_range(p.source, &index[j])) {
      p.out[offset[j][0] + index[j] * p.step] = word;
    } else {
      refuse(p.source, p.first_number + offset[j][2], index[j]);
    }
  }
}

template <typename T>
__global__ void __launch_bounds__(kBlock) write(WriteCall call) {
  const int64_t total = call.loops.count * call.loops.slice;
  for (int64_t i = thread_item(); i < total; i += all_threads()) {
    const int64_t p = i / call.loops.slice, place = call.last.places[p];
    if (place >= call.last.limit) continue;
    const uint64_t last = call.last.wide ? static_cast<const uint64_t*>(call.last.last)[place]
                                         : static_cast<const uint32_t*>(call.last.last)[place];
    if (last != static_cast<uint64_t>(p + 1)) continue;
    int64_t offset[2] = {offset_of(call.targets, place), offset_of(call.loops.positions, p)};
    add_offsets(call.loops.slices, i - p * call.loops.slice, offset);
    static_cast<T*>(call.out)[offset[0]] = static_cast<const T*>(call.src)[offset[1]];
  }
}

template <typename Word>
Status launch_put(cudaStream_t stream, const PutCall& call) {
  return for_each_piece(call.loops, [&](const Piece<3>& piece) -> Status {
    Put<Word> p{};
    p.nest = piece.nest;
    p.source = moved_by(call.source, piece.base[1]);
    p.step = call.step;
    p.first_number = piece.base[2];
    p.out = static_cast<Word*>(call.out) + piece.base[0];
    p.element = static_cast<const Word*>(call.element);
    std::memcpy(p.number.bytes, call.number, sizeof(call.number));
    const dim3 grid = blocks_for(piece.nest.numel, kBlock * kEach);
    return checked(launch(put<Word>, grid, dim3(kBlock), 0, stream, p), "writing through an index");
  });
}

template <typename Word, typename Position>
Status launch_replace(cudaStream_t stream, const ReplaceCall& call) {
  return for_each_piece(call.loops, [&](const Piece<5>& piece) -> Status {
    Replace<Word, Position> r{};
    r.nest = piece.nest;
    r.source = moved_by(call.source, piece.base[2]);
    r.offset_step = call.offset_step;
    r.place_step = call.place_step;
    r.first_number = piece.base[4];
    r.src = static_cast<const Word*>(call.src) + piece.base[0];
    r.out = static_cast<Word*>(call.out) + piece.base[1];
    r.last = static_cast<const Position*>(call.last.last) + piece.base[3];
    const dim3 grid = blocks_for(piece.nest.numel, kBlock * (sizeof(Word) == 16 ? 2 : kEach));
    const auto kernel = replace<Word, Position>;
    return checked(launch(kernel, grid, dim3(kBlock), 0, stream, r), "writing through an index");
  });
}

}  // namespace

Status mark_last(cudaStream_t stream, const MarkCall& call) {
  return for_each_piece(call.loops, [&](const Piece<3>& piece) -> Status {
    const Mark m{piece.nest,    moved_by(call.source, piece.base[0]), call.step, piece.base[1], piece.base[2],
                 call.last.last};
    const auto kernel = call.last.wide ? mark<unsigned long long> : mark<unsigned>;
    const dim3 grid = blocks_for(piece.nest.numel, kBlock * kEach);
    return checked(launch(kernel, grid, dim3(kBlock), 0, stream, m), "reading an index");
  });
}

Status replace_elements(cudaStream_t stream, const ReplaceCall& call) {
  ReplaceCall wide = call;
  wide.loops.drop_ones();
  wide.loops.sort([](const auto& a, const auto& b) { return std::abs(a.stride[0]) > std::abs(b.stride[0]); });
  wide.loops.merge();
  wide.width = widen_slices(&wide.loops, wide.width, {wide.src, wide.out}, &wide.offset_step);
  return diopi::for_itemsize(wide.width, [&](auto tag) -> Status {
    using Word = AlignedWord<diopi::tagged<decltype(tag)>>;
    return wide.last.wide ? launch_replace<Word, unsigned long long>(stream, wide)
                          : launch_replace<Word, unsigned>(stream, wide);
  });
}

Status put_element(cudaStream_t stream, const PutCall& call) {
  PutCall wide = call;
  wide.loops.drop_ones();
  wide.loops.sort([](const auto& a, const auto& b) { return std::abs(a.stride[0]) > std::abs(b.stride[0]); });
  wide.loops.merge();
  if (wide.element == nullptr) wide.width = widen_slices(&wide.loops, wide.width, {wide.out}, &wide.step);
  return diopi::for_itemsize(wide.width, [&](auto tag) -> Status {
    return launch_put<AlignedWord<diopi::tagged<decltype(tag)>>>(stream, wide);
  });
}

cudaError_t write_places(cudaStream_t stream, const WriteCall& call) {
  const dim3 grid = grid_for(call.loops.count * call.loops.slice);
  return diopi::for_itemsize(
      call.width, [&](auto tag) { return launch(write<diopi::tagged<decltype(tag)>>, grid, kBlock, 0, stream, call); });
}

}  // namespace impl::cuda
