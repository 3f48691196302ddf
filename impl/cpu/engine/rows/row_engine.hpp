// SPDX-License-Identifier: BSD-3-Clause
// The row engine: runs a kernel on the rows of a set of operands. It is for operators on whole rows, such as softmax,
// normalisation and cumulative sums.
//
// Some dimensions of a tensor form the rows; they may be any dimensions, not only the last. The kernel gets each
// operand's row packed, in the dtype that it requests. The engine converts, gathers and scatters. If rows are not
// packed but adjacent to each other, it calls the kernel's column form, or transposes a tile of adjacent rows at a
// time. Operands that are already packed are used in place. An output whose elements share an address is refused.
#ifndef IMPL_CPU_ENGINE_ROWS_ROW_ENGINE_HPP_
#define IMPL_CPU_ENGINE_ROWS_ROW_ENGINE_HPP_

#include <diopi/diopirt.h>

#include <cstdint>

#include "impl/common/tensor_view.hpp"

namespace impl::cpu {

using diopi::Dims;
using diopi::Status;
using diopi::TensorView;

inline constexpr int kMaxRowOperands = 10;

// Computes one row of `n` elements. An operand with extent 1 in all row dimensions has one element per row instead. An
// output may be the same array as an input. The order of the rows is not specified; `n` may be 0.
using RowFn = void (*)(void* const* out, const void* const* in, int64_t n, const void* params);

// RowFn for `rows` rows; those of an operand begin `step` bytes apart. There is one step for each operand, outputs
// first. The result of a row must not depend on the rows that are computed with it, but for sums over rows.
using RowsFn = void (*)(void* const* out, const void* const* in, const int64_t* step, int64_t n, int64_t rows,
                        const void* params);

// RowFn for `width` adjacent rows at once: element i of row j is `i * pitch` bytes and j elements behind element 0 of
// the first row. There is one pitch for each operand, outputs first.
using ColumnFn = void (*)(void* const* out, const void* const* in, const int64_t* pitch, int64_t n, int64_t width);
inline constexpr int64_t kMaxColumns = 1024;

struct RowKernel {
  RowFn fn = nullptr;
  ColumnFn columns = nullptr;  // optional: for adjacent rows that are not packed; every operand varies along the row
  int64_t fewest_columns = 8;  // for fewer adjacent rows, the column form is slower than packing
  RowsFn rows = nullptr;       // optional: for rows of 1 to `most_of_rows` elements
  int64_t most_of_rows = 0;
  const void* params = nullptr;
  int64_t cost = 300;  // picoseconds for an element of a packed row, roughly
  int num_inputs = 0;
  int num_outputs = 1;
  diopiDtype_t in[kMaxRowOperands] = {};   // dtype in which the kernel reads each input
  diopiDtype_t out[kMaxRowOperands] = {};  // dtype in which the kernel writes each output
  bool takes_rows(int64_t n) const { return rows != nullptr && n > 0 && n <= most_of_rows; }

  // The kernel adds to the outputs from this number on. They are packed, of a dtype of the kernel's and of shape
  // [chunks, elements per row]: one row of them for every `chunk` rows of the other operands. Chunks depend only on the
  // shape, and so do the sums over them.
  int first_accumulated = kMaxRowOperands;
  int64_t chunk = 1;
};

// Every operand broadcasts to `shape`. Outputs have that shape, possibly with 1 for the row dimensions. Bit i of
// `row_mask` makes dimension i a part of the row. The caller has checked shapes and dtypes. Outputs may overlap inputs.
Status run_rows(diopiContextHandle_t ctx, const RowKernel& kernel, const Dims& shape, uint32_t row_mask,
                const TensorView* const* outputs, const TensorView* const* inputs);
// The same for operands in arrays.
Status run_rows(diopiContextHandle_t ctx, const RowKernel& kernel, const Dims& shape, uint32_t row_mask,
                const TensorView* outputs, const TensorView* inputs);

}  // namespace impl::cpu

#endif  // IMPL_CPU_ENGINE_ROWS_ROW_ENGINE_HPP_
