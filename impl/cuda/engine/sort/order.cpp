// SPDX-License-Identifier: BSD-3-Clause
#include "impl/cuda/engine/sort/order.hpp"

#include "impl/common/workspace.hpp"
#include "impl/cuda/engine/stream.hpp"
#include "impl/cuda/kernels/scan/scan.hpp"

namespace impl::cuda {

Status KeyRows::reserve(diopiContextHandle_t ctx) {
  DIOPI_REQUIRE(n <= UINT32_MAX, diopiErrorOccurred, "%lld elements are too many to be sorted, expected less than 2^32",
                static_cast<long long>(n));
  diopi::Workspace workspace(ctx);
  const int64_t total = rows * n;
  const int buffers = passes() > 1 ? 2 : 1;
  for (int i = 0; i < 2; ++i) {
    // A pass in radix order never writes over its own keys, so a single one needs both buffers of keys.
    if (i == 0 || !in_blocks()) DIOPI_TRY(workspace.take_items(total, wide() ? 8 : 4, &keys[i]));
    if (i < buffers) DIOPI_TRY(workspace.take(total, &orders[i]));
  }
  if (in_blocks()) return diopiSuccess;
  const int64_t entries = radix_counts(rows, n);
  DIOPI_TRY(workspace.take(entries, &counts));
  return workspace.take(scan_scratch(entries), &scratch);
}

Status KeyRows::sort(diopiContextHandle_t ctx) {
  cudaStream_t stream = nullptr;
  DIOPI_TRY(stream_of(ctx, &stream));
  if (in_blocks()) return checked(sort_in_blocks(stream, keys[0], wide(), rows, n, orders[0]), "a sort");
  const RadixSort call{wide(), passes(), rows, n, {keys[0], keys[1]}, {orders[0], orders[1]}, counts, scratch};
  return checked(sort_by_radix(stream, call), "a sort");
}

}  // namespace impl::cuda
