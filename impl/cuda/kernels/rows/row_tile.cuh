// SPDX-License-Identifier: BSD-3-Clause
// The elements of a row that a thread keeps in registers: packs of kItems elements each. In a wide tile, the elements
// of a pack are adjacent, and one access reads them; otherwise adjacent threads read adjacent elements, or those of
// adjacent rows. Inputs have the type S in memory, or are one number for each channel or for the whole row.
#ifndef IMPL_CUDA_KERNELS_ROWS_ROW_TILE_CUH_
#define IMPL_CUDA_KERNELS_ROWS_ROW_TILE_CUH_

#include "impl/cuda/kernels/items.cuh"
#include "impl/cuda/kernels/rows/operands.cuh"
#include "impl/cuda/kernels/rows/row_parts.cuh"
#include "impl/cuda/kernels/strided.cuh"

namespace impl::cuda {

// Whether the elements of an operand along a row are one number, one for each channel, or all different.
enum class Along : int32_t { kRow, kChannel, kElement };

// Where the rows of each operand begin.
template <int kCount>
struct RowPlaces {
  static constexpr int kMostLoops = 3;
  int32_t loops;
  Divider extent[kMostLoops];
  int64_t stride[kMostLoops][kCount];

  // Takes kCount operands of the loops, from `first` on.
  template <class Nest>
  void set(const Nest& nest, int first) {
    loops = nest.n;
    for (int i = 0; i < nest.n; ++i) {
      extent[i] = Divider(static_cast<uint32_t>(nest.loop[i].extent));
      for (int k = 0; k < kCount; ++k) stride[i][k] = nest.loop[i].stride[first + k];
    }
  }
  __device__ void at(uint32_t row, int64_t (&offset)[kCount]) const {
    DIOPI_UNROLL
    for (int k = 0; k < kCount; ++k) offset[k] = 0;
    DIOPI_UNROLL
    for (int i = 0; i < kMostLoops; ++i) {
      if (i >= loops) break;
      uint32_t index = row;
      if (i + 1 < loops) {
        row = extent[i].quotient(row);
        index -= row * extent[i].divisor;
      }
      DIOPI_UNROLL
      for (int k = 0; k < kCount; ++k) offset[k] += static_cast<int64_t>(index) * stride[i][k];
    }
  }
};

template <int kIn, int kNumResults>
struct PackedRows {
  RowPlaces<kIn + 1> places;  // of the inputs and the output
  RowPlaces<kNumResults> result_rows;
  Sources<kIn> in;
  char* out;
  Targets<kNumResults> results;
  Along along[kIn];
  int32_t step[kIn + 1];  // from an element, or a channel, to the next one, in bytes
  Divider inner;          // elements of a channel
  int32_t rows, length;
  int32_t packs;                  // of the thread with the most of them
  int32_t lanes;                  // threads of a row: a power of two
  int32_t lane_bits, block_bits;  // the logarithms of the threads of a row and of a block
  int32_t plain;                  // 1: a warp has a row, whose elements are adjacent in all operands
  int32_t across;                 // 1: adjacent threads have adjacent rows
};

// A pack as it is in memory. The compiler would split 16 bytes into their elements at once, and so wait for each load.
template <typename S, int kItems, bool kWide>
struct StoredPack {
  S v[kItems];

  __device__ void fill(S value) { repeat_item(value, v); }
  __device__ void take(S (&items)[kItems]) const { memcpy(items, v, sizeof(v)); }
};
template <typename S, int kItems>
struct StoredPack<S, kItems, true> {
  uint4 words;

  __device__ void fill(S value) {
    S items[kItems];
    repeat_item(value, items);
    memcpy(&words, items, sizeof(words));
  }
  __device__ void take(S (&items)[kItems]) const { memcpy(items, &words, sizeof(words)); }
};

template <class Op, typename S, int kPacks, bool kWide>
struct RowTile {
  using T = typename Op::Value;
  using Rows = PackedRows<Op::kInputs, Op::kResults>;
  static constexpr int kItems = kWide ? 16 / sizeof(S) : 4;
  static constexpr int kIn = Op::kInputs, kFolded = Op::kFolded, kOthers = kIn - kFolded - Op::kNumbers;
  static constexpr int32_t kSize = sizeof(S);
  using Stored = StoredPack<S, kItems, kWide>;

  const Rows& p;
  const char* from[kIn];  // the row of each input
  char* to;
  int32_t lane, length;
  T number[kIn];  // of inputs with one element for the row
  T x[kPacks][kFolded][kItems];

  __device__ RowTile(const Rows& rows, int64_t row, int lane_of_row)
      : p(rows), lane(lane_of_row), length(row < rows.rows ? rows.length : 0) {
    int64_t base[kIn + 1];
    p.places.at(row < rows.rows ? static_cast<uint32_t>(row) : 0, base);
    DIOPI_UNROLL
    for (int k = 0; k < kIn; ++k) {
      from[k] = p.in.data[k] + base[k] * static_cast<int64_t>(sizeof(S));
      const bool alone = k >= Op::kElements && p.along[k] == Along::kRow;
      number[k] = alone ? p.in.template read<T>(k, base[k]) : T(0);
    }
    to = p.out + base[kIn] * static_cast<int64_t>(sizeof(S));
  }

  // The first element of pack `at`, and the distance to the next one.
  __device__ int32_t first(int at) const {
    return kWide ? (at * p.lanes + lane) * kItems : at * kItems * p.lanes + lane;
  }
  __device__ int32_t next() const { return kWide ? 1 : p.lanes; }
  __device__ static int64_t wide_product(int32_t a, int32_t b) { return static_cast<int64_t>(a) * b; }

  // Calls f(i, offset) for the elements of pack `at` that are not behind the end of the row, which are `step` bytes
  // from each other. The offsets of plain rows differ by constants.
  template <class F>
  __device__ void for_each(int at, int32_t step, const F& f) const {
    if (p.plain != 0) {
      DIOPI_UNROLL
      for (int i = 0; i < kItems; ++i) {
        const int32_t before = (at * kItems + i) * kWarp;
        if (lane + before < length) f(i, int64_t{lane} * kSize + before * kSize);
      }
    } else {
      DIOPI_UNROLL
      for (int i = 0; i < kItems; ++i) {
        const int32_t index = first(at) + i * p.lanes;
        if (index < length) f(i, wide_product(index, step));
      }
    }
  }

  // Reads the elements of input k in pack `at` that are not behind the end of the row.
  __device__ void read(int k, int at, Stored& items) const {
    const int32_t begin = first(at);
    if (k >= Op::kElements && p.along[k] != Along::kElement) {
      if (p.along[k] == Along::kChannel) read_channels(k, begin, items);
    } else if constexpr (kWide) {
      if (begin < length) items.words = *reinterpret_cast<const uint4*>(reinterpret_cast<const S*>(from[k]) + begin);
    } else {
      for_each(at, p.step[k],
               [&](int i, int64_t offset) { items.v[i] = *reinterpret_cast<const S*>(from[k] + offset); });
    }
  }
  __device__ void read_channels(int k, int32_t begin, Stored& items) const {
    const auto read_one = [&](int32_t index) {
      const auto channel = static_cast<int32_t>(p.inner.quotient(static_cast<uint32_t>(index < length ? index : 0)));
      return *reinterpret_cast<const S*>(from[k] + wide_product(channel, p.step[k]));
    };
    if constexpr (kWide) {
      items.fill(read_one(begin));
    } else {
      DIOPI_UNROLL
      for (int i = 0; i < kItems; ++i) items.v[i] = read_one(begin + i * p.lanes);
    }
  }

  // Reads kCount inputs, input k0 and those after it, from pack `at` on; elements behind the end of the row become
  // `neutral`. All loads come before the first conversion.
  template <int kNumPacks, int kCount>
  __device__ void load_inputs(int k0, int at, T neutral, T (&items)[kNumPacks][kCount][kItems]) const {
    Stored stored[kNumPacks][kCount];
    DIOPI_UNROLL
    for (int j = 0; j < kNumPacks; ++j) {
      DIOPI_UNROLL
      for (int k = 0; k < kCount; ++k) stored[j][k].fill(convert<S>(neutral));
    }
    DIOPI_UNROLL
    for (int j = 0; j < kNumPacks; ++j) {
      if (at + j >= p.packs) continue;
      DIOPI_UNROLL
      for (int k = 0; k < kCount; ++k) read(k0 + k, at + j, stored[j][k]);
    }
    DIOPI_UNROLL
    for (int j = 0; j < kNumPacks; ++j) {
      DIOPI_UNROLL
      for (int k = 0; k < kCount; ++k) {
        const bool alone = k0 + k >= Op::kElements && p.along[k0 + k] == Along::kRow;
        S each[kItems];
        stored[j][k].take(each);
        DIOPI_UNROLL
        for (int i = 0; i < kItems; ++i) items[j][k][i] = alone ? number[k0 + k] : convert<T>(each[i]);
      }
    }
  }
  // Reads the inputs that the folds need.
  __device__ void load(const Op& op, int at) { load_inputs(0, at, op.neutral(), x); }
  // Replaces the elements by what the last fold and compute() read.
  __device__ void prepare(const Op& op, const typename Op::State& state, int at) {
    DIOPI_UNROLL
    for (int j = 0; j < kPacks; ++j) {
      if (at + j >= p.packs) continue;
      DIOPI_UNROLL
      for (int i = 0; i < kItems; ++i) {
        op.prepare(state, &x[j][0][i]);
        if (!Op::kStaysNeutral && first(at + j) + i * next() >= length) x[j][0][i] = 0;
      }
    }
  }
  __device__ typename Op::Part part(const Op& op, int fold, int at) const {
    auto all = op.identity(fold);
    DIOPI_UNROLL
    for (int j = 0; j < kPacks; ++j) {
      if (at + j >= p.packs) continue;
      typename Op::Part parts[kItems];
      DIOPI_UNROLL
      for (int i = 0; i < kItems; ++i) {
        T element[kIn];
        DIOPI_UNROLL
        for (int k = 0; k < kIn; ++k) element[k] = k < kFolded ? x[j][k < kFolded ? k : 0][i] : number[k];
        parts[i] = op.part(fold, element);
      }
      DIOPI_UNROLL
      for (int half = kItems / 2; half > 0; half /= 2) {
        DIOPI_UNROLL
        for (int i = 0; i < half; ++i) op.merge(fold, &parts[i], parts[i + half]);
      }
      op.merge(fold, &all, parts[0]);
    }
    return all;
  }
  // Computes the packs from `at` on, and writes them. The other inputs of a few packs are read together.
  __device__ void store(const Op& op, const typename Op::State& state, int at) const {
    constexpr int kGroup = kPacks > 1 ? 2 : 1;
    DIOPI_UNROLL
    for (int j = 0; j < kPacks; j += kGroup) {
      if (at + j >= p.packs) continue;
      T other[kGroup][kOthers > 0 ? kOthers : 1][kItems];
      if constexpr (kOthers > 0) load_inputs(kFolded, at + j, T(0), other);
      DIOPI_UNROLL
      for (int g = 0; g < kGroup; ++g) {
        if (at + j + g < p.packs) store_pack(op, state, at + j + g, x[j + g], other[g]);
      }
    }
  }

 private:
  template <int kCount>
  __device__ void store_pack(const Op& op, const typename Op::State& state, int at, const T (&folded)[kFolded][kItems],
                             const T (&other)[kCount][kItems]) const {
    T y[kItems];
    DIOPI_UNROLL
    for (int i = 0; i < kItems; ++i) {
      T element[kIn];
      DIOPI_UNROLL
      for (int k = 0; k < kIn; ++k) element[k] = k < kFolded ? folded[k < kFolded ? k : 0][i] : number[k];
      DIOPI_UNROLL
      for (int k = 0; k < kOthers; ++k) element[kFolded + k] = other[k][i];
      op.compute(state, element, &y[i]);
    }
    if constexpr (kWide) {
      const int32_t begin = first(at);
      if (begin < length) store_items(reinterpret_cast<S*>(to) + begin, y);
    } else {
      for_each(at, p.step[kIn], [&](int i, int64_t offset) { *reinterpret_cast<S*>(to + offset) = convert<S>(y[i]); });
    }
  }
};

}  // namespace impl::cuda

#endif  // IMPL_CUDA_KERNELS_ROWS_ROW_TILE_CUH_
