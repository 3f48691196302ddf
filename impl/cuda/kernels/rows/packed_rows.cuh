// SPDX-License-Identifier: BSD-3-Clause
// The usual rows of fused.cuh, faster: each operand has the elements of a row one after another, or one element for
// each channel of it, or one for the whole row. A thread reads adjacent elements with accesses of up to 16 bytes, and
// keeps those that the folds read; elements of rows that are too long for this are read again.
#ifndef IMPL_CUDA_KERNELS_ROWS_PACKED_ROWS_CUH_
#define IMPL_CUDA_KERNELS_ROWS_PACKED_ROWS_CUH_

#include "impl/cuda/kernels/items.cuh"
#include "impl/cuda/kernels/rows/long_rows.cuh"
#include "impl/cuda/kernels/strided.cuh"

namespace impl::cuda {

constexpr int kWarp = 32;
constexpr int kMostPackedThreads = 512;

// Whether the elements of an operand along a row are one number, one for each channel, or all different.
enum class Along : int32_t { kRow, kChannel, kElement };

template <class Op>
struct PackedRows {
  static constexpr int kAll = FusedOperands<Op>::kOperands;
  FusedOperands<Op> operands;
  Along along[kAll];
  int64_t rows, length;
  Divider inner;       // elements of a channel
  int32_t packs;       // of a row
  int32_t lanes;       // threads of a row: a power of two
  int32_t step[kAll];  // from a channel to the next one
};

template <class P>
__device__ inline P shuffled_down(const P& part, int step, int width) {
  constexpr int kWords = sizeof(P) / sizeof(uint32_t);
  static_assert(sizeof(P) % sizeof(uint32_t) == 0, "shuffles move words of 32 bits");
  uint32_t words[kWords];
  memcpy(words, &part, sizeof(P));
  DIOPI_UNROLL
  for (int i = 0; i < kWords; ++i) words[i] = __shfl_down_sync(0xFFFFFFFFu, words[i], step, width);
  P result;
  memcpy(&result, words, sizeof(P));
  return result;
}

template <class P>
__device__ inline P of_first_lane(const P& part, int width) {
  constexpr int kWords = sizeof(P) / sizeof(uint32_t);
  uint32_t words[kWords];
  memcpy(words, &part, sizeof(P));
  DIOPI_UNROLL
  for (int i = 0; i < kWords; ++i) words[i] = __shfl_sync(0xFFFFFFFFu, words[i], 0, width);
  P result;
  memcpy(&result, words, sizeof(P));
  return result;
}

// Gives the result of all lanes of a row to each of them. `all` has room for a part of each warp of the block; the next
// call must use other memory.
template <class Op>
__device__ typename Op::Part fold_row(const Op& op, int fold, int lanes, typename Op::Part own,
                                      typename Op::Part* all) {
  const int width = lanes < kWarp ? lanes : kWarp, lane = static_cast<int>(threadIdx.x) % kWarp;
  for (int step = width / 2; step > 0; step /= 2) op.merge(fold, &own, shuffled_down(own, step, width));
  if (lanes > kWarp) {
    const int warp = static_cast<int>(threadIdx.x) / kWarp, warps = lanes / kWarp;
    if (lane == 0) all[warp] = own;
    __syncthreads();
    own = lane < warps ? all[warp / warps * warps + lane] : op.identity(fold);
    for (int step = kWarp / 2; step > 0; step /= 2) op.merge(fold, &own, shuffled_down(own, step, kWarp));
  }
  return of_first_lane(own, width);
}

// The elements of one row that a thread reads: packs of kItems, which are of type S in memory.
template <class Op, typename S, int kItems>
struct PackedRow {
  using T = typename Op::Value;
  static constexpr int kAll = PackedRows<Op>::kAll;
  const PackedRows<Op>& p;
  int64_t base[kAll];
  T number[Op::kInputs];  // of operands with one element

  __device__ PackedRow(const PackedRows<Op>& rows, int64_t row) : p(rows) {
    offsets_at(p.operands.rows, row, base);
    DIOPI_UNROLL
    for (int k = 0; k < Op::kInputs; ++k) {
      number[k] = p.along[k] == Along::kRow ? p.operands.in.template read<T>(k, base[k]) : T(0);
    }
  }
  __device__ Pack<S, kItems> pack(int k, int at) const {
    const S* const from = reinterpret_cast<const S*>(p.operands.in.data[k]) + base[k];
    return reinterpret_cast<const Pack<S, kItems>*>(from)[at];
  }
  // The elements of input k in pack `at` of the row.
  __device__ void read(int k, int at, T (&x)[kItems]) const {
    if (p.along[k] == Along::kElement) {
      widen_items(pack(k, at), x);
    } else {
      T value = number[k];
      if (p.along[k] == Along::kChannel) {
        const auto channel = static_cast<int32_t>(p.inner.quotient(static_cast<uint32_t>(at) * kItems));
        value = convert<T>(reinterpret_cast<const S*>(p.operands.in.data[k])[base[k] + int64_t{channel} * p.step[k]]);
      }
      repeat_item(value, x);
    }
  }
  __device__ static void widen_items(const Pack<S, kItems>& from, T (&x)[kItems]) {
    DIOPI_UNROLL
    for (int i = 0; i < kItems; ++i) x[i] = convert<T>(from.v[i]);
  }
};

// kHeld: the packs of a thread that stay in registers; 0: none.
template <class Op, typename S, int kItems, int kHeld>
__global__ void __launch_bounds__(kMostPackedThreads, kHeld > 0 || Op::kFolded > 2 || sizeof(S) > 4 ? 1 : 2)
    packed_rows(Op op, PackedRows<Op> p) {
  using T = typename Op::Value;
  using Items = Pack<S, kItems>;
  constexpr int kIn = Op::kInputs, kFolded = Op::kFolded;
  DIOPI_SHARED(typename Op::Part, all, [2][kMostPackedThreads / kWarp]);
  const int slots = static_cast<int>(blockDim.x) / p.lanes, thread = static_cast<int>(threadIdx.x);
  const int lane = thread % p.lanes, slot = thread / p.lanes;
  int turn = 0;
  for (int64_t first = static_cast<int64_t>(blockIdx.x) * slots; first < p.rows;
       first += static_cast<int64_t>(gridDim.x) * slots) {
    const int64_t row = first + slot;
    const int packs = row < p.rows ? p.packs : 0;
    const PackedRow<Op, S, kItems> in(p, row < p.rows ? row : 0);
    Items held[kHeld > 0 ? kHeld : 1][kFolded];
    DIOPI_UNROLL
    for (int j = 0; j < kHeld; ++j) {
      DIOPI_UNROLL
      for (int k = 0; k < kFolded; ++k) {
        const int at = lane + j * p.lanes;
        if (at < packs && p.along[k] == Along::kElement) held[j][k] = in.pack(k, at);
      }
    }
    // Calls f(pack, x) for the packs of the thread. x[k] has the elements of those inputs that the folds read.
    const auto visit = [&](int at, const Items* kept, const auto& f) {
      T x[kFolded][kItems];
      DIOPI_UNROLL
      for (int k = 0; k < kFolded; ++k) {
        if (kHeld > 0 && p.along[k] == Along::kElement) {
          in.widen_items(kept[k], x[k]);
        } else {
          in.read(k, at, x[k]);
        }
      }
      f(at, x);
    };
    const auto for_each = [&](const auto& f) {
      if constexpr (kHeld > 0) {
        DIOPI_UNROLL
        for (int j = 0; j < kHeld; ++j) {
          if (lane + j * p.lanes < packs) visit(lane + j * p.lanes, held[j], f);
        }
      } else {
        DIOPI_UNROLL_BY(4)
        for (int at = lane; at < packs; at += p.lanes) visit(at, nullptr, f);
      }
    };
    typename Op::State state{};
    DIOPI_UNROLL
    for (int fold = 0; fold < Op::kFolds; ++fold) {
      auto part = op.identity(fold);
      for_each([&](int, const T(&x)[kFolded][kItems]) {
        DIOPI_UNROLL
        for (int i = 0; i < kItems; ++i) {
          T element[kIn];
          DIOPI_UNROLL
          for (int k = 0; k < kIn; ++k) element[k] = k < kFolded ? x[k < kFolded ? k : 0][i] : in.number[k];
          op.add(fold, state, &part, element);
        }
      });
      op.advance(fold, &state, fold_row(op, fold, p.lanes, part, all[turn]), p.length);
      turn ^= 1;
    }
    if (p.operands.out.data[0] != nullptr) {
      S* const out = reinterpret_cast<S*>(p.operands.out.data[0]) + in.base[kIn];
      for_each([&](int at, const T(&x)[kFolded][kItems]) {
        T other[kIn][kItems];
        DIOPI_UNROLL
        for (int k = kFolded; k < kIn; ++k) in.read(k, at, other[k]);
        Items result;
        DIOPI_UNROLL
        for (int i = 0; i < kItems; ++i) {
          T element[kIn], y[1];
          DIOPI_UNROLL
          for (int k = 0; k < kIn; ++k) element[k] = k < kFolded ? x[k < kFolded ? k : 0][i] : other[k][i];
          op.compute(state, element, y);
          result.v[i] = convert<S>(y[0]);
        }
        reinterpret_cast<Items*>(out)[at] = result;
      });
    }
    if (lane == 0 && row < p.rows) {
      int64_t place[Op::kResults];
      offsets_at(p.operands.result_rows, row, place);
      op.finish(state, [&](int j, const auto& value) { p.operands.results.write(j, place[j], value); });
    }
  }
}

// Finds how the operands lie along the rows. Returns false if packed_rows() cannot compute them: an operand lies
// otherwise, or has another dtype than the output.
template <class Op>
bool find_packed_rows(const FusedOperands<Op>& operands, int64_t rows, int64_t length, PackedRows<Op>* p) {
  constexpr int kAll = PackedRows<Op>::kAll, kOut = Op::kInputs;
  const auto& row = operands.row;
  if (row.n < 1 || row.n > 2 || length < 1 || length >= INT32_MAX / 2 || operands.out.data[0] == nullptr) return false;
  const int64_t inner = row.n == 2 ? row.loop[0].extent : length;
  p->operands = operands;
  p->rows = rows;
  p->length = length;
  p->inner = Divider(static_cast<uint32_t>(inner));
  for (int k = 0; k < kAll; ++k) {
    const int64_t step = row.loop[0].stride[k], outer = row.n == 2 ? row.loop[1].stride[k] : 0;
    const bool has_memory = k == kOut || operands.in.data[k] != nullptr;
    p->step[k] = 0;
    if (!has_memory || (step == 0 && outer == 0)) {
      p->along[k] = Along::kRow;
      continue;
    }
    const bool contiguous = step == 1 && (row.n == 1 || outer == inner);
    if (!contiguous && !(step == 0 && std::abs(outer) < INT32_MAX)) return false;
    if ((k == kOut ? operands.out.dtype[0] : operands.in.dtype[k]) != operands.out.dtype[0]) return false;
    p->along[k] = contiguous ? Along::kElement : Along::kChannel;
    if (!contiguous) p->step[k] = static_cast<int32_t>(outer);
  }
  return p->along[kOut] == Along::kElement && p->along[0] == Along::kElement;
}

// Whether all packs of `items` elements are aligned and lie in one channel.
template <class Op>
bool packs_fit(const PackedRows<Op>& p, int items, int size) {
  const int64_t bytes = int64_t{items} * size;
  if (p.length % items != 0 || p.inner.divisor % static_cast<uint32_t>(items) != 0) return false;
  for (int k = 0; k < PackedRows<Op>::kAll; ++k) {
    if (p.along[k] != Along::kElement) continue;
    const char* const data = k < Op::kInputs ? p.operands.in.data[k] : p.operands.out.data[0];
    if (reinterpret_cast<uintptr_t>(data) % static_cast<uintptr_t>(bytes) != 0) return false;
    for (int i = 0; i < p.operands.rows.n; ++i) {
      if (p.operands.rows.loop[i].stride[k] * size % bytes != 0) return false;
    }
  }
  return true;
}

template <class Op, typename S, int kItems>
Status launch_packed_rows(diopiContextHandle_t ctx, const Op& op, PackedRows<Op> p) {
  constexpr int kHeldBytes = Op::kFolded > 1 ? 64 : 128, kFull = kHeldBytes / static_cast<int>(sizeof(S)) / kItems;
  constexpr int kMostHeld = Op::kFolded == 1 ? 32 : Op::kFolded == 2 ? 16 : 8;  // more need local memory
  constexpr int kHeld = kFull < kMostHeld ? kFull : kMostHeld;
  constexpr int64_t kManyThreads = int64_t{1} << 17;  // with fewer threads, a row gets more of them than it needs
  constexpr int kLeastThreads = 128;
  p.packs = static_cast<int32_t>(p.length / kItems);
  p.lanes = 1;
  const auto wants_more = [&] {
    return int64_t{p.lanes} * kHeld < p.packs || (p.rows * p.lanes < kManyThreads && 2 * p.lanes <= p.packs);
  };
  while (p.lanes < kMostPackedThreads && wants_more()) p.lanes *= 2;
  const int threads = std::max<int>(p.lanes, kLeastThreads);
  const int64_t slots = threads / p.lanes, blocks = (p.rows + slots - 1) / slots;
  const bool held = int64_t{p.lanes} * kHeld >= p.packs;
  const auto kernel = held ? packed_rows<Op, S, kItems, kHeld> : packed_rows<Op, S, kItems, 0>;
  return launch_blocks(ctx, kernel, blocks, threads, op, p);
}

template <class Op, typename S>
Status run_packed_rows_of(diopiContextHandle_t ctx, const Op& op, const PackedRows<Op>& p) {
  constexpr int kItems = 16 / sizeof(S);
  if (packs_fit(p, kItems, sizeof(S))) return launch_packed_rows<Op, S, kItems>(ctx, op, p);
  return launch_packed_rows<Op, S, 1>(ctx, op, p);
}

// Computes the rows if they are packed ones; sets *done.
template <class Op>
Status run_packed_rows(diopiContextHandle_t ctx, const Op& op, const FusedOperands<Op>& operands, int64_t rows,
                       int64_t length, bool* done) {
  PackedRows<Op> p{};
  *done = find_packed_rows(operands, rows, length, &p);
  if (!*done) return diopiSuccess;
  const diopiDtype_t dtype = operands.out.dtype[0];
  if constexpr (std::is_same_v<typename Op::Value, double>) {
    if (dtype == diopi_dtype_float64) return run_packed_rows_of<Op, double>(ctx, op, p);
  } else {
    if (dtype == diopi_dtype_float32) return run_packed_rows_of<Op, float>(ctx, op, p);
    if (dtype == diopi_dtype_float16) return run_packed_rows_of<Op, float16>(ctx, op, p);
    if (dtype == diopi_dtype_bfloat16) return run_packed_rows_of<Op, bfloat16>(ctx, op, p);
  }
  *done = false;
  return diopiSuccess;
}

}  // namespace impl::cuda

#endif  // IMPL_CUDA_KERNELS_ROWS_PACKED_ROWS_CUH_
