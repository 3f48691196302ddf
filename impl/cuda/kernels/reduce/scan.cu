// SPDX-License-Identifier: BSD-3-Clause
// Running sums. Blocks add up tiles of long rows whose elements are adjacent (scan_tiles.cuh). Of other rows, each
// thread adds up a piece; a second kernel adds up the sums of the pieces, and a third one writes the running sums of
// each piece, beginning with the sum before it. The pieces depend on the shape only.
#include "impl/cuda/kernels/reduce/scan.hpp"

#include "impl/common/workspace.hpp"
#include "impl/cuda/kernels/reduce/scan_tiles.cuh"

namespace impl::cuda {

namespace {

using diopi::TensorView;

// The sum of each piece.
template <typename Wide>
__global__ void sum_pieces(Scan scan, Wide* sums) {
  const int64_t step = static_cast<int64_t>(gridDim.x) * kScanThreads;
  for (int64_t item = thread_item(); item < scan.num_rows * scan.pieces; item += step) {
    int64_t row, begin, end, offset[2];
    scan.locate(item, &row, &begin, &end);
    offsets_at(scan.rows, row, offset);
    Wide sum(0);
    for (int64_t i = begin; i < end; ++i) add_to(&sum, scan.in.read<Wide>(0, offset[0] + i * scan.in_step));
    sums[item] = sum;
  }
}

// Replaces the sums of pieces by the sums of what is before them.
template <typename Wide>
__global__ void sum_before(Scan scan, Wide* sums) {
  const int64_t step = static_cast<int64_t>(gridDim.x) * kScanThreads;
  for (int64_t row = thread_item(); row < scan.num_rows; row += step) {
    Wide sum(0);
    for (int64_t i = 0; i < scan.pieces; ++i) {
      Wide* const at = sums + (scan.across != 0 ? i * scan.num_rows + row : row * scan.pieces + i);
      const Wide own = *at;
      *at = sum;
      add_to(&sum, own);
    }
  }
}

template <typename Wide>
__global__ void write_sums(Scan scan, const Wide* before) {
  const int64_t step = static_cast<int64_t>(gridDim.x) * kScanThreads;
  for (int64_t item = thread_item(); item < scan.num_rows * scan.pieces; item += step) {
    int64_t row, begin, end, offset[2];
    scan.locate(item, &row, &begin, &end);
    offsets_at(scan.rows, row, offset);
    Wide sum = before != nullptr ? before[item] : Wide(0);
    for (int64_t i = begin; i < end; ++i) {
      add_to(&sum, scan.in.read<Wide>(0, offset[0] + i * scan.in_step));
      scan.out.write(0, offset[1] + i * scan.out_step, sum);
    }
  }
}

template <typename Wide>
Status run_scan(diopiContextHandle_t ctx, const Scan& scan, bool by_tiles) {
  if (by_tiles) return scan_by_tiles<Wide>(ctx, scan);
  const auto blocks = [](int64_t items) { return (items + kScanThreads - 1) / kScanThreads; };
  const int64_t items = scan.num_rows * scan.pieces;
  Wide* sums = nullptr;
  if (scan.pieces > 1) {
    DIOPI_TRY(diopi::Workspace(ctx).take(items, &sums));
    DIOPI_TRY(launch_blocks(ctx, sum_pieces<Wide>, blocks(items), kScanThreads, scan, sums));
    DIOPI_TRY(launch_blocks(ctx, sum_before<Wide>, blocks(scan.num_rows), kScanThreads, scan, sums));
  }
  return launch_blocks(ctx, write_sums<Wide>, blocks(items), kScanThreads, scan, sums);
}

}  // namespace

Status scan_sums(diopiContextHandle_t ctx, const TensorView& out, const TensorView& in, int dim, bool from_end,
                 diopiDtype_t dtype) {
  constexpr int64_t kShort = 32, kLeast = 16, kManyRows = 8192;
  if (in.numel == 0) return diopiSuccess;
  Scan scan{};
  for (int i = in.ndim() - 1; i >= 0; --i) {
    if (i != dim) scan.rows.push_back(in.shape[i], in.stride[i], out.stride[i]);
  }
  scan.rows.drop_ones();
  scan.rows.merge();
  scan.length = in.shape[dim];
  scan.num_rows = in.numel / scan.length;
  scan.in_step = in.stride[dim];
  scan.out_step = out.stride[dim];
  const int64_t last = from_end ? scan.length - 1 : 0;
  scan.in.data[0] = in.data + last * scan.in_step * in.itemsize();
  scan.out.data[0] = out.data + last * scan.out_step * out.itemsize();
  scan.in.dtype[0] = in.dtype;
  scan.out.dtype[0] = out.dtype;
  if (from_end) scan.in_step = -scan.in_step, scan.out_step = -scan.out_step;
  scan.across = scan.num_rows > 1 && scan.rows.n > 0 && std::abs(scan.rows.inner_stride()) < std::abs(scan.in_step);
  const bool by_tiles = plan_tiles(&scan);
  if (!by_tiles) {
    scan.piece = scan.length;
    if (scan.length > kShort && scan.num_rows < kManyRows) {
      // About as many elements in a piece as there are pieces.
      for (scan.piece = kLeast; scan.piece * scan.piece < scan.length;) scan.piece *= 2;
    }
    scan.pieces = (scan.length + scan.piece - 1) / scan.piece;
  }
  if (diopi::is_complex(dtype)) return run_scan<Complex128>(ctx, scan, by_tiles);
  return diopi::is_floating(dtype) ? run_scan<double>(ctx, scan, by_tiles) : run_scan<uint64_t>(ctx, scan, by_tiles);
}

}  // namespace impl::cuda
