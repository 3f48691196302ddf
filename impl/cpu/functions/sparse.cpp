// SPDX-License-Identifier: BSD-3-Clause
#include "impl/common/families/sparse.hpp"

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <limits>

#include "impl/common/engine/index_range.hpp"
#include "impl/common/parallel.hpp"
#include "impl/common/rules/shapes.hpp"
#include "impl/common/temporary.hpp"
#include "impl/cpu/engine/packed.hpp"
#include "impl/cpu/sparse/spmm.hpp"

namespace impl::cpu {

namespace {

// Requires that the row pointers of `count` entries start with 0, do not decrease and end with `count`.
template <typename Index>
Status require_row_pointers(const TensorView& pointers, int64_t count) {
  const Index* const at = pointers.ptr<Index>();
  const int64_t rows = pointers.numel - 1;
  DIOPI_REQUIRE(at[0] == 0, diopiErrorOccurred, "%s has the first row pointer %lld, expected 0", pointers.name,
                static_cast<long long>(at[0]));
  DIOPI_REQUIRE(at[rows] == count, diopiErrorOccurred,
                "%s has the last row pointer %lld, expected %lld, the number of values", pointers.name,
                static_cast<long long>(at[rows]), static_cast<long long>(count));
  const Index* const wrong = std::is_sorted_until(at, at + rows + 1);
  DIOPI_REQUIRE(wrong == at + rows + 1, diopiErrorOccurred,
                "%s has row pointers that decrease from %lld to %lld at row %lld", pointers.name,
                static_cast<long long>(wrong[-1]), static_cast<long long>(*wrong),
                static_cast<long long>(wrong - at - 1));
  return diopiSuccess;
}

// Whether a column index is not in [0, columns).
template <typename Index>
bool has_wrong_column(const TensorView& packed, int64_t columns) {
  const Index* const at = packed.ptr<Index>();
  const auto most = static_cast<uint64_t>(columns - 1);
  std::atomic<uint64_t> bits{0};
  diopi::parallel_for(packed.numel, diopi::Picoseconds{150}, [at, most, &bits](int64_t begin, int64_t end) {
    uint64_t negative = 0;  // the sign is set if an index or its distance to the last column is negative
    for (int64_t i = begin; i < end; ++i) {
      const auto column = static_cast<uint64_t>(int64_t{at[i]});
      negative |= column | (most - column);
    }
    bits.fetch_or(negative, std::memory_order_relaxed);
  });
  return static_cast<int64_t>(bits.load()) < 0;
}

// `packed` has the column indices of `sparse`.
Status require_columns(diopiContextHandle_t ctx, const CsrView& sparse, const TensorView& packed) {
  const int64_t columns = sparse.shape[1];
  if (packed.numel == 0) return diopiSuccess;
  const bool is_wrong = packed.dtype == diopi_dtype_int64 ? has_wrong_column<int64_t>(packed, columns)
                                                          : has_wrong_column<int32_t>(packed, columns);
  if (!is_wrong) return diopiSuccess;
  int64_t least = 0, most = 0;
  DIOPI_TRY(index_range(ctx, sparse.columns, &least, &most));
  DIOPI_REQUIRE(false, diopiErrorOccurred, "%s has the column index %lld, expected 0 to below %lld", sparse.name,
                static_cast<long long>(least < 0 ? least : most), static_cast<long long>(columns));
  return diopiSuccess;
}

// Divides the result into blocks of columns, and these into rows of about equally many entries.
template <typename Index>
class Division {
 public:
  Division(const TensorView& pointers, int64_t columns)
      : pointers_(pointers.ptr<Index>()), rows_(pointers.numel - 1), columns_(columns) {}

  static constexpr int64_t kBlock = 2048;  // columns
  // An entry costs as much as a row does besides its entries.
  int64_t cost_of_block() const { return pointers_[rows_] + rows_; }
  int64_t cost() const { return (columns_ + kBlock - 1) / kBlock * cost_of_block(); }

  // Calls f(part) for the parts whose cost starts from `begin` to below `end`.
  template <typename F>
  void for_parts(int64_t begin, int64_t end, const F& f) const {
    const int64_t whole = cost_of_block();
    for (int64_t block = begin / whole; block * whole < end; ++block) {
      const int64_t column = block * kBlock, start = block * whole;
      const int64_t first = row_at(std::max(begin - start, int64_t{0})), last = row_at(std::min(end - start, whole));
      if (first < last) f(SpmmPart{first, last, column, std::min(kBlock, columns_ - column)});
    }
  }

 private:
  // The first row before which there is at least this cost.
  int64_t row_at(int64_t cost) const {
    int64_t low = 0, high = rows_;
    while (low < high) {
      const int64_t middle = (low + high) / 2;
      if (pointers_[middle] + middle < cost) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low;
  }

  const Index* pointers_;
  int64_t rows_, columns_;
};

template <typename Index>
void multiply(SpmmFn kernel, const SpmmProblem& problem, const TensorView& pointers, const TensorView& out) {
  const Division<Index> division(pointers, out.shape[1]);
  const diopi::Picoseconds each{500 + 50 * std::min(out.shape[1], Division<Index>::kBlock)};
  diopi::parallel_for(division.cost(), each, [&](int64_t begin, int64_t end) {
    division.for_parts(begin, end, [&](const SpmmPart& part) { kernel(problem, part); });
  });
}

// Whether int32 can count the elements from the first to the last row of `dense`; float64 has int64.
bool has_short_places(const TensorView& dense) {
  return dense.dtype == diopi_dtype_float64 ||
         diopi::product_of(dense.shape[0], std::abs(dense.stride[0])) <= std::numeric_limits<int32_t>::max();
}

}  // namespace

Status run_spmm(diopiContextHandle_t ctx, const TensorView& out, const CsrView& sparse, const TensorView& dense) {
  TensorView pointers, columns, values, rows, result;
  const bool wide = sparse.row_pointers.dtype == diopi_dtype_int64;
  DIOPI_TRY(pack_input(ctx, sparse.row_pointers, sparse.row_pointers.dtype, &pointers));
  DIOPI_TRY(wide ? require_row_pointers<int64_t>(pointers, sparse.values.numel)
                 : require_row_pointers<int32_t>(pointers, sparse.values.numel));
  DIOPI_TRY(pack_input(ctx, sparse.columns, sparse.columns.dtype, &columns));
  DIOPI_TRY(require_columns(ctx, sparse, columns));
  if (out.numel == 0) return diopiSuccess;
  const diopiDtype_t dtype = diopi::compute_dtype(out.dtype);
  const bool is_vector = out.shape[1] == 1 && has_short_places(dense);
  DIOPI_TRY(pack_input(ctx, sparse.values, dtype, &values));
  DIOPI_TRY(pack_rows(ctx, dense, is_vector ? dtype : out.dtype, &rows));
  DIOPI_TRY(is_vector && dtype != out.dtype ? diopi::make_temporary(ctx, out.shape, dtype, out.name, &result)
                                            : pack_output_rows(ctx, out, false, &result));
  const SpmmProblem problem{pointers.data, columns.data,   values.data,      rows.data,
                            result.data,   rows.stride[0], result.stride[0], wide};
  const SpmmFn kernel = is_vector ? spmv_kernel(dtype) : spmm_kernel(out.dtype);
  wide ? multiply<int64_t>(kernel, problem, pointers, result) : multiply<int32_t>(kernel, problem, pointers, result);
  unpack(out, result);
  return diopiSuccess;
}

}  // namespace impl::cpu
