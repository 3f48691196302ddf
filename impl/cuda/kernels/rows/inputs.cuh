// SPDX-License-Identifier: BSD-3-Clause
// Rows of several inputs whose stored type the compiler knows, for folds that memory limits: each thread loads the
// inputs of several elements before it folds the first of them. Which elements a thread folds, and in which order,
// depends on the shape and the strides only.
#ifndef IMPL_CUDA_KERNELS_ROWS_INPUTS_CUH_
#define IMPL_CUDA_KERNELS_ROWS_INPUTS_CUH_

#include "impl/cuda/kernels/rows/stored.cuh"
#include "impl/cuda/kernels/strided.cuh"

namespace impl::cuda {

// How an input lies along a row: one number for the whole row, or elements that are stored as S or as float.
enum class RowStorage : int32_t { kNumber, kStored, kFloat };

template <class Op, typename S>
struct RowInputs {
  static constexpr int kIn = Op::kInputs, kLoads = 4;
  using Value = typename Op::Value;
  diopi::LoopNest<kIn> rows;
  Sources<kIn> in;
  RowStorage storage[kIn];
  Divider inner;  // elements of the inner one of the two loops of a row
  int64_t inner_step[kIn], outer_step[kIn];

  // Whether the rows have this form.
  bool find(const diopi::LoopNest<kIn>& row_loops, const diopi::LoopNest<kIn>& row, const Sources<kIn>& sources) {
    if (row.n < 1 || row.n > 2 || row.numel() < 1 || row.numel() >= INT32_MAX) return false;
    rows = row_loops;
    in = sources;
    inner = Divider(static_cast<uint32_t>(row.inner_extent()));
    for (int k = 0; k < kIn; ++k) {
      inner_step[k] = row[0].stride[k];
      outer_step[k] = row.n > 1 ? row[1].stride[k] : 0;
      if (in.data[k] == nullptr || (inner_step[k] == 0 && outer_step[k] == 0)) {
        storage[k] = RowStorage::kNumber;
      } else if (is_stored_in<S>(in.dtype[k])) {
        storage[k] = RowStorage::kStored;
      } else if (in.dtype[k] == diopi_dtype_float32) {
        storage[k] = RowStorage::kFloat;
      } else {
        return false;
      }
    }
    return true;
  }

  // Folds the elements begin, begin + step, ... that are before `end`.
  __device__ typename Op::Part fold(const Op& op, const FoldSplit&, int64_t row_index, int64_t begin, int64_t end,
                                    int step) const {
    int64_t base[kIn];
    offsets_at(rows, row_index, base);
    Value number[kIn];
    DIOPI_UNROLL
    for (int k = 0; k < kIn; ++k) {
      if (storage[k] == RowStorage::kNumber) number[k] = in.template read<Value>(k, base[k]);
    }
    auto running = op.start();
    for (int64_t first = begin; first < end; first += int64_t{kLoads} * step) {
      Value x[kLoads][kIn];
      DIOPI_UNROLL
      for (int j = 0; j < kLoads; ++j) {
        const int64_t i = first + int64_t{j} * step;
        if (i < end) load(static_cast<uint32_t>(i), base, number, x[j]);
      }
      DIOPI_UNROLL
      for (int j = 0; j < kLoads; ++j) {
        const int64_t i = first + int64_t{j} * step;
        if (i < end) op.add(&running, x[j], i);
      }
    }
    return op.close(running);
  }

 private:
  __device__ void load(uint32_t i, const int64_t (&base)[kIn], const Value (&number)[kIn], Value (&x)[kIn]) const {
    const uint32_t outer = inner.quotient(i), at = i - outer * inner.divisor;
    DIOPI_UNROLL
    for (int k = 0; k < kIn; ++k) {
      const int64_t offset = base[k] + at * inner_step[k] + outer * outer_step[k];
      if (storage[k] == RowStorage::kStored) {
        x[k] = convert<Value>(reinterpret_cast<const S*>(in.data[k])[offset]);
      } else if (storage[k] == RowStorage::kFloat) {
        x[k] = convert<Value>(reinterpret_cast<const float*>(in.data[k])[offset]);
      } else {
        x[k] = number[k];
      }
    }
  }
};

}  // namespace impl::cuda

#endif  // IMPL_CUDA_KERNELS_ROWS_INPUTS_CUH_
