// SPDX-License-Identifier: BSD-3-Clause
// The elements of a row that a thread keeps in registers: packs of kItems elements each. In a wide tile, the elements
// of a pack are adjacent, and one access reads them; otherwise adjacent threads read adjacent elements, or those of
// adjacent rows. Inputs have the type S in memory, or are one number for each channel or for the whole row.
#ifndef IMPL_CUDA_KERNELS_ROWS_ROW_TILE_CUH_
#define IMPL_CUDA_KERNELS_ROWS_ROW_TILE_CUH_

#include "impl/cuda/kernels/items.cuh"
#include "impl/cuda/kernels/rows/operands.cuh"
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

  __device__ void at(uint32_t row, int64_t (&offset)[kCount]) const {
    DIOPI_UNROLL
    for (int k = 0; k < kCount; ++k) offset[k] = 0;
    DIOPI_UNROLL
    for (int i = 0; i < kMostLoops; ++i) {
      if (i >= loops) continue;
      const uint32_t rest = i + 1 < loops ? extent[i].quotient(row) : 0, index = row - rest * extent[i].divisor;
      DIOPI_UNROLL
      for (int k = 0; k < kCount; ++k) offset[k] += static_cast<int64_t>(index) * stride[i][k];
      row = rest;
    }
  }
};

template <int kIn, int kNumResults>
struct PackedRows {
  static constexpr int kInputs = kIn, kResults = kNumResults, kPlaces = kIn + 1 + kNumResults;
  RowPlaces<kPlaces> places;  // of the inputs, the output and the results
  Sources<kIn> in;
  char* out;
  Targets<kNumResults> results;
  Along along[kIn];
  int32_t step[kIn + 1];  // from an element, or a channel, to the next one
  Divider inner;          // elements of a channel
  int32_t rows, length;
  int32_t packs;   // of the thread with the most of them
  int32_t lanes;   // threads of a row: a power of two
  int32_t across;  // 1: adjacent threads have adjacent rows
};

template <class Op, typename S, int kPacks, bool kWide>
struct RowTile {
  using T = typename Op::Value;
  using Rows = PackedRows<Op::kInputs, Op::kResults>;
  static constexpr int kItems = kWide ? 16 / sizeof(S) : 4;
  static constexpr int kIn = Op::kInputs, kFolded = Op::kFolded, kOthers = kIn - kFolded - Op::kNumbers;
  using Items = T[kItems];

  const Rows& p;
  int64_t base[Rows::kPlaces];
  int32_t lane, length;
  T number[kIn];  // of inputs with one element for the row
  T x[kPacks][kFolded][kItems];
  T other[kOthers > 0 ? kPacks : 1][kOthers > 0 ? kOthers : 1][kItems];

  __device__ RowTile(const Rows& rows, int64_t row, int lane_of_row)
      : p(rows), lane(lane_of_row), length(row < rows.rows ? rows.length : 0) {
    p.places.at(row < rows.rows ? static_cast<uint32_t>(row) : 0, base);
    DIOPI_UNROLL
    for (int k = Op::kElements; k < kIn; ++k) {
      number[k] = p.along[k] == Along::kRow ? p.in.template read<T>(k, base[k]) : T(0);
    }
  }

  // The first element of pack `at`, and the distance to the next one.
  __device__ int32_t first(int at) const {
    return kWide ? (at * p.lanes + lane) * kItems : at * kItems * p.lanes + lane;
  }
  __device__ int32_t next() const { return kWide ? 1 : p.lanes; }

  // Reads the elements of input k in pack `at` of the row; those behind the end of the row become `neutral`.
  __device__ void read(int k, int at, T neutral, Items& items) const {
    const S* const from = reinterpret_cast<const S*>(p.in.data[k]) + base[k];
    const int32_t begin = first(at);
    if (k >= Op::kElements && p.along[k] == Along::kRow) {
      repeat_item(number[k], items);
    } else if (k >= Op::kElements && p.along[k] == Along::kChannel) {
      read_channels(k, from, begin, items);
    } else if constexpr (kWide) {
      repeat_item(neutral, items);
      if (begin < length) load_items(from + begin, items);
    } else {
      S stored[kItems];
      repeat_item(convert<S>(neutral), stored);
      DIOPI_UNROLL
      for (int i = 0; i < kItems; ++i) {
        const int32_t index = begin + i * p.lanes;
        if (index < length) stored[i] = from[int64_t{index} * p.step[k]];
      }
      DIOPI_UNROLL
      for (int i = 0; i < kItems; ++i) items[i] = convert<T>(stored[i]);
    }
  }
  __device__ void read_channels(int k, const S* from, int32_t begin, Items& items) const {
    DIOPI_UNROLL
    for (int i = 0; i < kItems; ++i) {
      const int32_t index = begin + i * next();
      if (kWide && i > 0) {
        items[i] = items[0];
      } else {
        const uint32_t channel = p.inner.quotient(static_cast<uint32_t>(index < length ? index : 0));
        items[i] = convert<T>(from[int64_t{static_cast<int32_t>(channel)} * p.step[k]]);
      }
    }
  }

  // Reads the inputs that the folds need, from pack `from` on.
  __device__ void load(const Op& op, int from) {
    DIOPI_UNROLL
    for (int j = 0; j < kPacks; ++j) {
      if (from + j >= p.packs) continue;
      DIOPI_UNROLL
      for (int k = 0; k < kFolded; ++k) read(k, from + j, op.neutral(), x[j][k]);
    }
  }
  // Reads the other ones.
  __device__ void load_others(int from) {
    DIOPI_UNROLL
    for (int j = 0; j < kPacks; ++j) {
      if (from + j >= p.packs) continue;
      DIOPI_UNROLL
      for (int k = 0; k < kOthers; ++k) read(kFolded + k, from + j, T(0), other[j][k]);
    }
  }
  // Replaces the elements by what the last fold and compute() read.
  __device__ void prepare(const Op& op, const typename Op::State& state, int from) {
    DIOPI_UNROLL
    for (int j = 0; j < kPacks; ++j) {
      if (from + j >= p.packs) continue;
      DIOPI_UNROLL
      for (int i = 0; i < kItems; ++i) {
        op.prepare(state, &x[j][0][i]);
        if (!Op::kStaysNeutral && first(from + j) + i * next() >= length) x[j][0][i] = 0;
      }
    }
  }
  __device__ typename Op::Part part(const Op& op, int fold, int from) const {
    auto all = op.identity(fold);
    DIOPI_UNROLL
    for (int j = 0; j < kPacks; ++j) {
      if (from + j >= p.packs) continue;
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
  // Computes the packs from `from` on, and writes them.
  __device__ void store(const Op& op, const typename Op::State& state, int from) const {
    S* const out = reinterpret_cast<S*>(p.out) + base[kIn];
    DIOPI_UNROLL
    for (int j = 0; j < kPacks; ++j) {
      if (from + j >= p.packs) continue;
      T y[kItems];
      DIOPI_UNROLL
      for (int i = 0; i < kItems; ++i) {
        T element[kIn];
        DIOPI_UNROLL
        for (int k = 0; k < kIn; ++k) element[k] = k < kFolded ? x[j][k < kFolded ? k : 0][i] : number[k];
        DIOPI_UNROLL
        for (int k = 0; k < kOthers; ++k) element[kFolded + k] = other[j][k][i];
        op.compute(state, element, &y[i]);
      }
      const int32_t begin = first(from + j);
      if constexpr (kWide) {
        if (begin < length) store_items(out + begin, y);
      } else {
        DIOPI_UNROLL
        for (int i = 0; i < kItems; ++i) {
          const int32_t index = begin + i * p.lanes;
          if (index < length) out[int64_t{index} * p.step[kIn]] = convert<S>(y[i]);
        }
      }
    }
  }
};

}  // namespace impl::cuda

#endif  // IMPL_CUDA_KERNELS_ROWS_ROW_TILE_CUH_
