// SPDX-License-Identifier: BSD-3-Clause
// Sparse maximum pooling. The pairs are sorted by the row that is written, so that a thread owns its rows.
#include <algorithm>

#include "impl/common/parallel.hpp"
#include "impl/common/workspace.hpp"
#include "impl/cpu/engine/copy/copy.hpp"
#include "impl/cpu/engine/norm/layout.hpp"
#include "impl/cpu/engine/sparse/pairs.hpp"
#include "impl/cpu/sparse/rows.hpp"

namespace impl::cpu {
namespace {

// The pairs of all kernel positions by a row. The positions are divided into parts, which are sorted in parallel and
// have arrays of their own, so that threads do not write to the same cache lines.
class PairsByRow {
 public:
  // `to_output`: the pairs are sorted by the row of the output, otherwise by that of the input.
  PairsByRow(const PackedPairs& pairs, bool to_output) : pairs_(pairs), to_output_(to_output) {
    int64_t total = 0, passed = 0, k = 0;
    for (int64_t i = 0; i < pairs.positions; ++i) total += pairs.count[i];
    parts_ = omp_in_parallel() != 0 ? 1 : std::clamp<int64_t>(omp_get_max_threads(), 1, kMostParts);
    for (int64_t p = 0; p < parts_; ++p) {
      part_[p].first = k;
      part_[p].pairs = passed;
      for (; k < pairs.positions && (p + 1 == parts_ || passed * parts_ < total * (p + 1)); ++k) {
        passed += pairs.count[k];
      }
      part_[p].end = k;
    }
    total_ = total;
  }

  Status sort(diopiContextHandle_t ctx, int64_t rows) {
    diopi::Workspace workspace(ctx);
    int64_t* starts = nullptr;
    int32_t* others = nullptr;
    rows_ = rows;
    DIOPI_TRY(workspace.take(parts_ * (rows + 2), &starts));
    DIOPI_TRY(workspace.take(total_, &others));
    for (int64_t p = 0; p < parts_; ++p) {
      part_[p].start = starts + p * (rows + 2);
      part_[p].other = others + part_[p].pairs;
    }
    const diopi::Picoseconds each{(total_ / parts_ + 1) * 6000 + rows * 500};
    diopi::parallel_for(parts_, each, [this](int64_t begin, int64_t end) {
      for (int64_t p = begin; p < end; ++p) sort_part(part_[p]);
    });
    return diopiSuccess;
  }

  int64_t rows() const { return rows_; }
  // The time of a row of n elements with its share of the pairs.
  diopi::Picoseconds row_cost(int64_t n) const {
    const int64_t each = rows_ == 0 ? 0 : total_ / rows_ + 1;
    return diopi::Picoseconds{each * (n * 200 + 5000)};
  }
  // Calls f(other) for the rows that occur with a row, in the order of the kernel positions.
  template <typename F>
  void for_others(int64_t row, const F& f) const {
    for (int64_t p = 0; p < parts_; ++p) {
      const Part& part = part_[p];
      for (int64_t i = part.start[row]; i < part.start[row + 1]; ++i) f(int64_t{part.other[i]});
    }
  }

 private:
  static constexpr int64_t kMostParts = 16;
  // Kernel positions [first, end). `pairs` are in the parts before. The rows that occur with row r are other[start[r]],
  // ..., other[start[r + 1] - 1].
  struct Part {
    int64_t first, end, pairs;
    int64_t* start;
    int32_t* other;
  };

  // Calls f(row, other row) for the pairs of a part.
  template <typename F>
  void for_pairs(const Part& part, const F& f) const {
    for (int64_t k = part.first; k < part.end; ++k) {
      const int32_t* key = to_output_ ? pairs_.output(k) : pairs_.input(k);
      const int32_t* value = to_output_ ? pairs_.input(k) : pairs_.output(k);
      for (int64_t j = 0; j < pairs_.count[k]; ++j) f(key[j], value[j]);
    }
  }

  void sort_part(const Part& part) const {
    int64_t* const next = part.start + 1;  // next[r] becomes the place of the next pair of row r, and then its end
    int32_t* const other = part.other;
    std::fill_n(part.start, rows_ + 2, int64_t{0});
    for_pairs(part, [next](int32_t row, int32_t) { ++next[row + 1]; });
    for (int64_t r = 0; r < rows_; ++r) next[r + 1] += next[r];
    for_pairs(part, [next, other](int32_t row, int32_t value) { other[next[row]++] = value; });
  }

  const PackedPairs& pairs_;
  bool to_output_;
  int64_t total_ = 0, parts_ = 1, rows_ = 0;
  Part part_[kMostParts];
};

}  // namespace

Status run_sparse_maxpool(diopiContextHandle_t ctx, const SparsePairs& pairs, const TensorView& features,
                          const TensorView& out) {
  const diopiDtype_t dtype = diopi::compute_dtype(features.dtype);
  PackedPairs packed;
  TensorView x, y;
  DIOPI_TRY(pack_pairs(ctx, pairs, &packed));
  PairsByRow by_row(packed, true);
  DIOPI_TRY(by_row.sort(ctx, out.shape[0]));
  DIOPI_TRY(arrange_input(ctx, features, nullptr, false, dtype, &x));
  DIOPI_TRY(arrange(ctx, out, false, dtype, false, &y));
  if (y.numel == 0) return diopiSuccess;
  fill_zero(y);
  const SparseRowKernels kernels = sparse_row_kernels(dtype);
  const int64_t n = out.shape[1], pitch = n * diopi::dtype_size(dtype);
  char* to = y.data;
  const char* from = x.data;
  diopi::parallel_for(by_row.rows(), by_row.row_cost(n), [=, &by_row](int64_t begin, int64_t end) {
    for (int64_t r = begin; r < end; ++r) {
      by_row.for_others(r, [&](int64_t other) { kernels.maximum(to + r * pitch, from + other * pitch, n); });
    }
  });
  put_back(out, y);
  return diopiSuccess;
}

Status run_sparse_maxpool_backward(diopiContextHandle_t ctx, const SparsePairs& pairs, const TensorView& features,
                                   const TensorView& out, const TensorView& grad_out, const TensorView& grad) {
  const diopiDtype_t dtype = diopi::compute_dtype(features.dtype);
  PackedPairs packed;
  TensorView x, y, dy, dx;
  DIOPI_TRY(pack_pairs(ctx, pairs, &packed));
  PairsByRow by_row(packed, false);
  DIOPI_TRY(by_row.sort(ctx, features.shape[0]));
  DIOPI_TRY(arrange_input(ctx, features, nullptr, false, dtype, &x));
  DIOPI_TRY(arrange_input(ctx, out, nullptr, false, dtype, &y));
  DIOPI_TRY(arrange_input(ctx, grad_out, nullptr, false, dtype, &dy));
  DIOPI_TRY(arrange(ctx, grad, false, dtype, false, &dx));
  if (dx.numel == 0) return diopiSuccess;
  fill_zero(dx);
  const SparseRowKernels kernels = sparse_row_kernels(dtype);
  const int64_t n = features.shape[1], pitch = n * diopi::dtype_size(dtype);
  char* to = dx.data;
  const char *from = dy.data, *input = x.data, *maximum = y.data;
  diopi::parallel_for(by_row.rows(), by_row.row_cost(2 * n), [=, &by_row](int64_t begin, int64_t end) {
    for (int64_t r = begin; r < end; ++r) {
      by_row.for_others(r, [&](int64_t other) {
        const int64_t o = other * pitch;
        kernels.add_where_equal(to + r * pitch, from + o, input + r * pitch, maximum + o, n);
      });
    }
  });
  put_back(grad, dx);
  return diopiSuccess;
}

}  // namespace impl::cpu
