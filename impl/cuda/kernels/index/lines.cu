// SPDX-License-Identifier: BSD-3-Clause
// Writes through an index along the last dimension. A block writes a line, whose places it keeps in shared memory, so
// that one launch does all.
#include "impl/common/kernel_table.hpp"
#include "impl/cuda/engine/pieces.hpp"
#include "impl/cuda/engine/stream.hpp"
#include "impl/cuda/kernels/index/fixed_point.cuh"
#include "impl/cuda/kernels/index/source.cuh"
#include "impl/cuda/kernels/items.cuh"

namespace impl::cuda {

namespace {

constexpr int kEach = 4;  // elements of a thread, whose loads do not wait for each other
constexpr int64_t kMostBytes = 48 << 10;

template <typename Word>
struct Lines {
  Strided<5> nest;
  IndexSource source;
  int32_t places, count, base_step, src_step, index_step;
  int32_t bits, is_kept;
  int64_t first_number;
  Word* out;
  const Word* base;
  const Word* src;
};

// The line of a block: offsets of its first element.
struct Line {
  int32_t offset[5];

  template <typename Word>
  __device__ explicit Line(const Lines<Word>& p) {
    p.nest.offsets(blockIdx.x, offset);
  }
};

// Calls f(place, load(position)) for the positions of a line whose index is in range.
template <bool kReports, typename Word, class Load, class F>
__device__ void for_positions(const Lines<Word>& p, const Line& line, const Load& load, const F& f) {
  const auto step = static_cast<int32_t>(blockDim.x);
  for (auto first = static_cast<int32_t>(threadIdx.x); first < p.count; first += kEach * step) {
    int64_t index[kEach];
    decltype(load(0)) x[kEach] = {};
    DIOPI_UNROLL
    for (int j = 0; j < kEach; ++j) {
      const int32_t at = first + j * step;
      if (at >= p.count) continue;
      index[j] = read_index(p.source, line.offset[3] + at * p.index_step);
      x[j] = load(at);
    }
    DIOPI_UNROLL
    for (int j = 0; j < kEach; ++j) {
      const int32_t at = first + j * step;
      if (at >= p.count) continue;
      if (is_in_range(p.source, &index[j])) {
        f(static_cast<int32_t>(index[j]), x[j]);
      } else if (kReports) {
        refuse(p.source, p.first_number + line.offset[4] + at, index[j]);
      }
    }
  }
}

template <typename Word>
__global__ void __launch_bounds__(kBlock) replace_lines(Lines<Word> p) {
  DIOPI_DYNAMIC_SHARED(unsigned, last);  // the greatest position of each place, plus one
  const Line line(p);
  const auto thread = static_cast<int32_t>(threadIdx.x);
  for (int32_t t = thread; t < p.places; t += kBlock) last[t] = 0;
  __syncthreads();
  for_positions<true>(
      p, line, [](int32_t at) { return static_cast<unsigned>(at + 1); },
      [&](int32_t place, unsigned number) { atomicMax(last + place, number); });
  __syncthreads();
  for (int32_t first = thread; first < p.places; first += kEach * kBlock) {
    Word word[kEach] = {};
    bool is_written[kEach];
    DIOPI_UNROLL
    for (int j = 0; j < kEach; ++j) {
      const int32_t t = first + j * kBlock;
      is_written[j] = false;
      if (t >= p.places) continue;
      const auto at = static_cast<int32_t>(last[t]) - 1;
      is_written[j] = at >= 0 || p.is_kept == 0;
      if (at >= 0) {
        word[j] = p.src[line.offset[2] + at * p.src_step];
      } else if (p.base != nullptr) {
        word[j] = p.base[line.offset[1] + t * p.base_step];
      }
    }
    DIOPI_UNROLL
    for (int j = 0; j < kEach; ++j) {
      if (is_written[j]) p.out[line.offset[0] + first + j * kBlock] = word[j];
    }
  }
}

template <typename T>
__global__ void __launch_bounds__(kBlock) add_lines(Lines<T> p) {
  DIOPI_DYNAMIC_SHARED(Atomic, sums);
  auto* const tops = reinterpret_cast<unsigned*>(sums + p.places);
  const Line line(p);
  const auto thread = static_cast<int32_t>(threadIdx.x);
  for (int32_t t = thread; t < p.places; t += kBlock) {
    sums[t] = 0;
    tops[t] = 0;
  }
  __syncthreads();
  const auto term = [&](int32_t at) { return convert<float>(p.src[line.offset[2] + at * p.src_step]); };
  for_positions<true>(p, line, term, [&](int32_t place, float x) { atomicMax(tops + place, top_of(x)); });
  __syncthreads();
  for_positions<false>(p, line, term, [&](int32_t place, float x) { add_term(sums + place, x, tops[place], p.bits); });
  __syncthreads();
  for (int32_t t = thread; t < p.places; t += kBlock) {
    T* const out = p.out + line.offset[0] + t;
    T x{};
    if (p.is_kept != 0) {
      x = *out;
    } else if (p.base != nullptr) {
      x = p.base[line.offset[1] + t * p.base_step];
    }
    const unsigned top = tops[t];
    if (top != 0) x = convert<T>(convert<double>(x) + total_of(sums[t], top, p.bits));
    if (top != 0 || p.is_kept == 0) *out = x;
  }
}

template <typename Word>
Status launch_lines(cudaStream_t stream, const LinesCall& call, void (*kernel)(Lines<Word>), int64_t bytes) {
  return for_each_piece(call.lines, [&](const Piece<5>& piece) -> Status {
    Lines<Word> p{};
    p.nest = piece.nest;
    p.source = moved_by(call.source, piece.base[3]);
    p.places = static_cast<int32_t>(call.places);
    p.count = static_cast<int32_t>(call.count);
    p.base_step = static_cast<int32_t>(call.base_step);
    p.src_step = static_cast<int32_t>(call.src_step);
    p.index_step = static_cast<int32_t>(call.index_step);
    p.bits = call.bits;
    p.is_kept = call.is_kept;
    p.first_number = piece.base[4];
    p.out = static_cast<Word*>(call.out) + piece.base[0];
    if (call.base != nullptr) p.base = static_cast<const Word*>(call.base) + piece.base[1];
    p.src = static_cast<const Word*>(call.src) + piece.base[2];
    const dim3 grid(piece.nest.numel);
    return checked(launch(kernel, grid, dim3(kBlock), static_cast<size_t>(bytes), stream, p),
                   "writing through an index");
  });
}

constexpr int64_t kReplaceBytes = sizeof(unsigned), kAddBytes = sizeof(Atomic) + sizeof(unsigned);  // of a place

}  // namespace

bool fits_line(const LinesCall& call, bool adds) {
  constexpr int64_t kMost = INT32_MAX / 2;
  if (call.places * (adds ? kAddBytes : kReplaceBytes) > kMostBytes || call.count > kMost) return false;
  for (const int64_t step : {call.base_step, call.src_step, call.index_step}) {
    if (std::abs(step) > kMost / std::max(call.count, call.places)) return false;
  }
  return true;
}

Status replace_in_lines(cudaStream_t stream, const LinesCall& call) {
  return diopi::for_itemsize(diopi::dtype_size(call.dtype), [&](auto tag) -> Status {
    using Word = AlignedWord<diopi::tagged<decltype(tag)>>;
    return launch_lines<Word>(stream, call, replace_lines<Word>, call.places * kReplaceBytes);
  });
}

Status add_in_lines(cudaStream_t stream, const LinesCall& call) {
  return with_terms(call.dtype, [&](auto tag) -> Status {
    using T = decltype(tag);
    if constexpr (std::is_same_v<T, uint64_t>) {
      return diopi::fail(diopiErrorOccurred, "the sums of lines are floating numbers");
    } else {
      return launch_lines<T>(stream, call, add_lines<T>, call.places * kAddBytes);
    }
  });
}

}  // namespace impl::cuda
