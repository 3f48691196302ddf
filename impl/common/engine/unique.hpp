// SPDX-License-Identifier: BSD-3-Clause
// What a vendor implements to find the distinct rows of a tensor.
#ifndef IMPL_COMMON_ENGINE_UNIQUE_HPP_
#define IMPL_COMMON_ENGINE_UNIQUE_HPP_

#include "impl/common/tensor_view.hpp"

namespace diopi {

// Rows in increasing order. Equal rows form a group and keep their order.
struct DistinctRows {
  int64_t count = 0;              // of groups
  TensorView firsts;              // int64 [count]: the number of the first row of each group
  const void* details = nullptr;  // for the vendor: what the other functions need
};

}  // namespace diopi

namespace impl::DIOPI_VENDOR {

using diopi::DistinctRows;
using diopi::Status;
using diopi::TensorView;

// Finds the distinct rows of a tensor of real numbers or bools, which is not empty. Row i is its slice i in dimension
// 0. Rows are ordered by their first elements that differ; NaN is greater than all numbers. Rows with NaN are distinct.
Status find_distinct(diopiContextHandle_t ctx, const TensorView& rows, DistinctRows* found);
// group[i] = the number of the group of row i. `group` has int32 or int64 elements, one for each row.
Status write_groups(diopiContextHandle_t ctx, const TensorView& group, const DistinctRows& found);
// size[k] = the number of rows of group k. `size` is packed int64.
Status write_group_sizes(diopiContextHandle_t ctx, const TensorView& size, const DistinctRows& found);

}  // namespace impl::DIOPI_VENDOR

#endif  // IMPL_COMMON_ENGINE_UNIQUE_HPP_
