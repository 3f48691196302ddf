// SPDX-License-Identifier: BSD-3-Clause
#include "impl/cuda/engine/sort/order.hpp"

#include "impl/common/workspace.hpp"
#include "impl/cuda/engine/stream.hpp"

namespace impl::cuda {

Status KeyRows::reserve(diopiContextHandle_t ctx) {
  DIOPI_REQUIRE(n <= UINT32_MAX, diopiErrorOccurred, "%lld elements are too many to be sorted, expected less than 2^32",
                static_cast<long long>(n));
  diopi::Workspace workspace(ctx);
  const int64_t total = rows * n;
  const int buffers = passes() > 1 ? 2 : 1;
  for (int i = 0; i < buffers; ++i) {
    DIOPI_TRY(workspace.take_items(total, wide() ? 8 : 4, &keys[i]));
    DIOPI_TRY(workspace.take(total, &orders[i]));
  }
  if (in_blocks()) return diopiSuccess;
  return workspace.take(radix_counts(wide(), rows, n), &counts);
}

Status KeyRows::sort(diopiContextHandle_t ctx) {
  cudaStream_t stream = nullptr;
  DIOPI_TRY(stream_of(ctx, &stream));
  if (in_blocks()) return checked(sort_in_blocks(stream, keys[0], wide(), rows, n, orders[0]), "a sort");
  const RadixSort call{wide(), passes(), rows, n, {keys[0], keys[1]}, {orders[0], orders[1]}, counts};
  return checked(sort_by_radix(stream, call), "a sort");
}

}  // namespace impl::cuda
