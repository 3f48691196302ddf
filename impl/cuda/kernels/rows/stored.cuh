// SPDX-License-Identifier: BSD-3-Clause
// Rows of one input whose stored type the compiler knows, for folds that memory limits: each thread loads several
// elements before it folds the first of them. Which elements a thread folds, and in which order, depends on the shape,
// the strides and the stored type only; the width of the loads depends on the alignment, too.
#ifndef IMPL_CUDA_KERNELS_ROWS_STORED_CUH_
#define IMPL_CUDA_KERNELS_ROWS_STORED_CUH_

#include "impl/cuda/engine/pieces.hpp"
#include "impl/cuda/kernels/items.cuh"
#include "impl/cuda/kernels/rows/operands.cuh"
#include "impl/cuda/kernels/rows/plan.hpp"

namespace impl::cuda {

template <class Op, class = void>
inline constexpr int passes_of = 1;
template <class Op>
inline constexpr int passes_of<Op, std::void_t<decltype(Op::kPasses)>> = Op::kPasses;

// The stored types that have kernels of their own, by the type in which an operation reads elements; Op::Stored
// replaces them.
template <typename Value>
struct StoredTypes {
  using type = diopi::TypeList<float, float16, bfloat16, double>;
};
template <>
struct StoredTypes<bool> {
  using type = diopi::TypeList<StoredBool, int32_t, int64_t, float, float16, bfloat16>;
};
template <>
struct StoredTypes<uint64_t> {
  using type = diopi::TypeList<StoredBool, uint8_t, int8_t, int16_t, int32_t, int64_t>;
};
template <>
struct StoredTypes<Complex128> {
  using type = diopi::TypeList<Complex64, Complex128>;
};

template <class Op, class = void>
struct StoredOf : StoredTypes<typename Op::Value> {};
template <class Op>
struct StoredOf<Op, std::void_t<typename Op::Stored>> {
  using type = typename Op::Stored;
};

template <typename S>
bool is_stored_in(diopiDtype_t dtype) {
  if constexpr (std::is_same_v<S, StoredBool>) {
    return dtype == diopi_dtype_bool;
  } else {
    return dtype == diopi::dtype_of<S>;
  }
}

// Calls f with a value of the listed type in which elements of `dtype` are stored, if there is one.
template <typename... S, class F>
void visit_listed(diopi::TypeList<S...>, diopiDtype_t dtype, const F& f) {
  [[maybe_unused]] const auto visit = [&](auto tag) {
    if (is_stored_in<decltype(tag)>(dtype)) f(tag);
  };
  (visit(S()), ...);
}

// Whether an operation can fold chunks of float numbers quickly. Then it has
//   Quick                        what a thread keeps of them
//   add_chunk(&quick, x)         folds the numbers of an array; zeros stand for missing ones
//   part_of(quick, &part)        returns false if the numbers must be folded by add()
template <class Op, class = void>
inline constexpr bool is_quick = false;
template <class Op>
inline constexpr bool is_quick<Op, std::void_t<typename Op::Quick>> = true;

// What a thread keeps while it folds chunks of elements, which are in registers. With several passes, each chunk is
// folded on its own, so that no element is loaded twice.
template <class Op>
class ChunkFold {
  static constexpr bool kOnePass = passes_of<Op> == 1;
  using Running = decltype(std::declval<const Op&>().start());

 public:
  __device__ explicit ChunkFold(const Op& op) {
    if constexpr (kOnePass) {
      kept_ = op.start();
    } else {
      kept_ = op.identity();
    }
  }
  // each(add) calls add(x, i) for all elements of a chunk.
  template <class Each>
  __device__ void take(const Op& op, const Each& each) {
    if constexpr (kOnePass) {
      add_all(op, &kept_, each);
    } else {
      Running running = op.start();
      add_all(op, &running, each);
      for (int pass = 1; pass < passes_of<Op>; ++pass) {
        op.begin_pass(&running);
        add_all(op, &running, each);
      }
      op.merge(&kept_, op.close(running));
    }
  }
  __device__ typename Op::Part close(const Op& op) const {
    if constexpr (kOnePass) {
      return op.close(kept_);
    } else {
      return kept_;
    }
  }

 private:
  template <class Each>
  __device__ static void add_all(const Op& op, Running* running, const Each& each) {
    each([&](const typename Op::Value& x, int64_t i) { op.add(running, &x, i); });
  }

  std::conditional_t<kOnePass, Running, typename Op::Part> kept_;
};

// Whether all strides are multiples of `items`.
inline bool has_strides_of(const diopi::LoopNest<1>& nest, int items) {
  bool all = true;
  for (int i = 0; i < nest.n; ++i) all = all && nest[i].stride[0] % items == 0;
  return all;
}

// Rows that consist of contiguous runs, in packs of 16 bytes. Only the last pack of a row may be shorter, if the row is
// one run.
template <class Op, typename S>
struct RowPacks {
  static constexpr int kItems = 16 / sizeof(S);
  static constexpr int kLoads = passes_of<Op> > 1 && kItems > 4 ? 2
                                : is_quick<Op>&& kItems <= 4    ? 8
                                                                : 4;  // packs of a chunk
  diopi::LoopNest<1> rows;
  Strided<1> packs;  // the whole ones of a row, unless it is one run
  const S* data;
  int64_t length, whole;  // elements and whole packs of a row
  int64_t wide;           // 1: all packs are aligned

  int64_t count() const { return (length + kItems - 1) / kItems; }

  // Whether the rows have this form.
  bool find(const diopi::LoopNest<1>& row_loops, const diopi::LoopNest<1>& row, const char* memory) {
    if (row.n == 0 || row.numel() == 0 || row.inner_stride() != 1 || row.inner_extent() < kItems) return false;
    if (row.n > 1 && row.inner_extent() % kItems != 0) return false;
    diopi::LoopNest<1> loops = row;
    loops[0] = diopi::Loop<1>(row.inner_extent() / kItems, kItems);
    packs.loops = 0;
    if (row.n > 1) {
      if (!fits_32_bits(loops)) return false;
      packs = strided_of(loops);
    }
    rows = row_loops;
    data = reinterpret_cast<const S*>(memory);
    length = row.numel();
    whole = length / kItems;
    wide =
        reinterpret_cast<uintptr_t>(memory) % 16 == 0 && has_strides_of(rows, kItems) && has_strides_of(loops, kItems)
            ? 1
            : 0;
    return true;
  }

  __device__ int64_t offset_of(int64_t pack) const {
    if (packs.loops == 0) return pack * kItems;
    int32_t offset[1];
    packs.offsets(static_cast<uint32_t>(pack), offset);
    return offset[0];
  }

  // Loads the packs begin + first, begin + first + step, ... of which `count` are in the piece.
  template <int kCount>
  __device__ void load(const S* row, int64_t begin, int first, int count, int step,
                       Pack<S, kItems> (&pack)[kCount]) const {
    if (wide != 0) {
      DIOPI_UNROLL
      for (int j = 0; j < kCount; ++j) {
        const int i = first + j * step;
        if (i < count) pack[j] = *reinterpret_cast<const Pack<S, kItems>*>(row + offset_of(begin + i));
      }
    } else {
      DIOPI_UNROLL
      for (int j = 0; j < kCount; ++j) {
        const int i = first + j * step;
        if (i >= count) continue;
        const S* const from = row + offset_of(begin + i);
        DIOPI_UNROLL
        for (int k = 0; k < kItems; ++k) pack[j].v[k] = from[k];
      }
    }
  }

  // Folds the packs begin, begin + step, ... that are before `end`.
  __device__ typename Op::Part fold(const Op& op, const FoldSplit&, int64_t row_index, int64_t begin, int64_t end,
                                    int step) const {
    int64_t base;
    offsets_at(rows, row_index, &base);
    const S* const row = data + base;
    const int count = static_cast<int>((end < whole ? end : whole) - begin);   // a piece has less than 2^31 packs
    const bool last = whole < end && count >= 0 && (count & (step - 1)) == 0;  // the thread has the shorter pack
    if constexpr (is_quick<Op>) {
      typename Op::Part part;
      if (fold_quickly(op, row, begin, count, step, last, &part)) return part;
    }
    ChunkFold<Op> kept(op);
    for (int first = 0; first < count; first += kChunk * step) {
      Pack<S, kItems> pack[kChunk];
      load(row, begin, first, count, step, pack);
      kept.take(op, [&](const auto& add) {
        DIOPI_UNROLL
        for (int j = 0; j < kChunk; ++j) {
          const int i = first + j * step;
          if (i >= count) continue;
          DIOPI_UNROLL
          for (int k = 0; k < kItems; ++k) add(convert<typename Op::Value>(pack[j].v[k]), (begin + i) * kItems + k);
        }
      });
    }
    if (last) {
      kept.take(op, [&](const auto& add) {
        for (int64_t i = whole * kItems; i < length; ++i) add(convert<typename Op::Value>(row[i]), i);
      });
    }
    return kept.close(op);
  }

 private:
  static constexpr int kChunk = is_quick<Op> ? 1 : kLoads;  // quick folds are seldom folded again

  __device__ bool fold_quickly(const Op& op, const S* row, int64_t begin, int count, int step, bool last,
                               typename Op::Part* part) const {
    typename Op::Quick quick{};
    for (int first = 0; first < count; first += kLoads * step) {
      Pack<S, kItems> pack[kLoads];
      load(row, begin, first, count, step, pack);
      float x[kLoads * kItems];
      DIOPI_UNROLL
      for (int j = 0; j < kLoads; ++j) {
        DIOPI_UNROLL
        for (int k = 0; k < kItems; ++k) {
          x[j * kItems + k] = first + j * step < count ? convert<float>(pack[j].v[k]) : 0;
        }
      }
      op.add_chunk(&quick, x);
    }
    if (last) {
      float x[kItems];
      DIOPI_UNROLL
      for (int k = 0; k < kItems; ++k) {
        const int64_t i = whole * kItems + k;
        x[k] = i < length ? convert<float>(row[i]) : 0;
      }
      op.add_chunk(&quick, x);
    }
    return op.part_of(quick, part);
  }
};

// Rows of one loop of any stride. A warp reads adjacent elements if adjacent threads have adjacent rows.
template <class Op, typename S>
struct RowLines {
  static constexpr int kLoads = passes_of<Op> > 1 || sizeof(S) <= 2 ? 16 : 8;
  diopi::LoopNest<1> rows;
  const S* data;
  int64_t stride;

  __device__ typename Op::Part fold(const Op& op, const FoldSplit&, int64_t row_index, int64_t begin, int64_t end,
                                    int step) const {
    int64_t base;
    offsets_at(rows, row_index, &base);
    const S* from = data + base + begin * stride;
    const int64_t jump = step * stride;
    const int count = static_cast<int>(end - begin);  // a piece has less than 2^31 elements
    if constexpr (is_quick<Op>) {
      typename Op::Part part;
      if (fold_quickly(op, from, jump, count, step, &part)) return part;
    }
    ChunkFold<Op> kept(op);
    for (int first = 0; first < count; first += kChunk * step, from += kChunk * jump) {
      S x[kChunk];
      DIOPI_UNROLL
      for (int j = 0; j < kChunk; ++j) {
        if (first + j * step < count) x[j] = from[j * jump];
      }
      kept.take(op, [&](const auto& add) {
        DIOPI_UNROLL
        for (int j = 0; j < kChunk; ++j) {
          const int i = first + j * step;
          if (i < count) add(convert<typename Op::Value>(x[j]), begin + i);
        }
      });
    }
    return kept.close(op);
  }

 private:
  static constexpr int kChunk = is_quick<Op> ? 1 : kLoads;  // quick folds are seldom folded again

  __device__ bool fold_quickly(const Op& op, const S* from, int64_t jump, int count, int step,
                               typename Op::Part* part) const {
    typename Op::Quick quick{};
    for (int first = 0; first < count; first += kLoads * step, from += kLoads * jump) {
      S stored[kLoads];
      DIOPI_UNROLL
      for (int j = 0; j < kLoads; ++j) {
        if (first + j * step < count) stored[j] = from[j * jump];
      }
      float x[kLoads];
      DIOPI_UNROLL
      for (int j = 0; j < kLoads; ++j) x[j] = first + j * step < count ? convert<float>(stored[j]) : 0;
      op.add_chunk(&quick, x);
    }
    return op.part_of(quick, part);
  }
};

}  // namespace impl::cuda

#endif  // IMPL_CUDA_KERNELS_ROWS_STORED_CUH_
