// SPDX-License-Identifier: BSD-3-Clause
// The row engine: drives one kernel over the rows of a set of operands, for operators that look at whole rows:
// softmax, normalisation, cumulative sums.
//
// A row is what some dimensions of a tensor span (any of them, not only the last). The kernel sees each operand's
// row packed, in the dtype that it asks for. The engine converts, gathers and scatters; where the rows lie across
// memory it calls the kernel's column form, or transposes a tile of neighbouring rows at a time. Operands that already
// are packed are used where they are.
#pragma once

#include <diopi/diopirt.h>

#include <cstdint>

#include "impl/common/tensor_view.hpp"

namespace impl::cpu {

using diopi::Dims;
using diopi::Status;
using diopi::TensorView;

inline constexpr int kMaxRowOperands = 10;

// `n` elements per row. An operand with extent 1 in all row dimensions has one element per row instead. An output
// may be the same array as an input. Rows are handed out in no particular order.
using RowFn = void (*)(void* const* out, const void* const* in, int64_t n, const void* params);

// RowFn for `width` rows at once that lie side by side: element i of row j is `i * pitch` bytes from element 0 of
// the first row, and j elements further. There is a pitch for each operand, outputs first.
using ColumnFn = void (*)(void* const* out, const void* const* in, const int64_t* pitch, int64_t n, int64_t width);
inline constexpr int64_t kMaxColumns = 1024;

struct RowKernel {
  RowFn fn = nullptr;
  ColumnFn columns = nullptr;  // optional: for rows that lie across memory, whose operands all vary along the row
  const void* params = nullptr;
  int64_t cost = 300;  // of an element of a packed row, about: picoseconds
  int num_inputs = 0;
  int num_outputs = 1;
  diopiDtype_t in[kMaxRowOperands] = {};   // dtype in which the kernel reads each input
  diopiDtype_t out[kMaxRowOperands] = {};  // dtype in which it writes each output
  // Outputs from this one on are added to, one row of them for every `chunk` rows of the others: packed, of a dtype of
  // the kernel's and of shape [chunks, elements per row]. Chunks depend on the shape alone, so sums over them do too.
  int first_accumulated = kMaxRowOperands;
  int64_t chunk = 1;
};

// Every operand broadcasts to `shape`; outputs have that shape, or it with the row dimensions as 1.
// Bit i of `row_mask` makes dimension i part of the row. The caller has checked shapes and dtypes.
Status run_rows(diopiContextHandle_t ctx, const RowKernel& kernel, const Dims& shape, uint32_t row_mask,
                const TensorView* outputs, const TensorView* inputs);

}  // namespace impl::cpu
