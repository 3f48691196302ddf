// SPDX-License-Identifier: BSD-3-Clause
// Sorts along one dimension of a strided tensor, or selects the first k elements in sorted order.
#ifndef IMPL_CPU_SORT_SORT_HPP_
#define IMPL_CPU_SORT_SORT_HPP_

#include <cstdint>

#include "impl/common/tensor_view.hpp"

namespace impl::cpu {

// A sort of rows. `outer` is the shape without the sorted dimension. Strides in elements.
struct SortPlan {
  diopiDtype_t dtype;
  const char* input;
  char* values = nullptr;  // may be null, and may be the input itself
  char* indices = nullptr;
  diopiDtype_t index_dtype = diopi_dtype_int64;  // or int32
  int64_t n = 0, k = 0;                          // elements of a row, and how many of them are written
  bool descending = false;
  bool in_place = false;  // the values overwrite the input
  int64_t input_stride = 0, values_stride = 0, indices_stride = 0;
  diopi::Dims outer, input_outer, values_outer, indices_outer;
};

// The largest number of elements of a row of dtypes of up to 32 bits.
inline constexpr int64_t kMaxSortedRow = 0xFFFFFFFF;

// The size of the temporary that sort_rows needs. It must be 64-byte aligned.
int64_t sort_scratch_bytes(const SortPlan& plan);

// Writes the first k values of every row in sorted order, and their positions. Equal elements keep their order.
void sort_rows(const SortPlan& plan, void* scratch);

}  // namespace impl::cpu

#endif  // IMPL_CPU_SORT_SORT_HPP_
