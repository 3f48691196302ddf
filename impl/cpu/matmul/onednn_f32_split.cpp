// SPDX-License-Identifier: BSD-3-Clause
// float32 products in chunks of one thread each, through oneDNN kernels that need operands without gaps. The chunks are
// blocks of columns if the columns of b are packed, or chunks of long sums if there are few of them. The division
// depends only on the shape, so the bits of the result do too.

#include <algorithm>
#include <atomic>
#include <initializer_list>

#include "impl/common/alignment.hpp"
#include "impl/common/shape.hpp"
#include "impl/common/step_memory.hpp"
#include "impl/common/workspace.hpp"
#include "impl/cpu/engine/copy/copy.hpp"
#include "impl/cpu/engine/copy/copy_simd.hpp"
#include "impl/cpu/matmul/onednn.hpp"
#include "impl/cpu/matmul/tiling.hpp"

namespace impl::cpu {
namespace {

// The size of equal chunks of at most `most`, a multiple of `step`.
int64_t chunk_size(int64_t extent, int64_t most, int64_t step) {
  const int64_t count = (extent + most - 1) / most;
  return (extent + count * step - 1) / (count * step) * step;
}

struct Chunks {
  int64_t count = 1, room = 0;  // number of chunks; bytes of memory for each thread
};

// Calls `f(chunk, memory)`, which returns a Status, for all chunks, on several threads.
template <typename F>
Status for_each_chunk(diopiContextHandle_t ctx, const Chunks& chunks, F&& f) {
  char* memory = nullptr;
  const bool nested = omp_in_parallel() != 0;  // if so, parallel_for uses only this thread
  DIOPI_TRY(diopi::Workspace(ctx).take(chunks.room * (nested ? 1 : omp_get_max_threads()), &memory));
  if (diopi::in_dry_run()) return diopiSuccess;
  std::atomic<int> code{diopiSuccess};
  diopi::parallel_for(chunks.count, 1, [&](int64_t begin, int64_t end) {
    const SingleThread single;
    char* mine = memory + (nested ? 0 : omp_get_thread_num()) * chunks.room;
    for (int64_t i = begin; i < end; ++i) {
      const Status status = f(i, mine);
      if (!status.ok()) code.store(status);
    }
  });
  const auto result = static_cast<diopiError_t>(code.load());
  DIOPI_REQUIRE(result == diopiSuccess, result, "a part of the matrix product failed");
  return diopiSuccess;
}

TensorView without_gaps(TensorView view, char* data) {
  view.data = data;
  view.stride = diopi::contiguous_strides(view.shape);
  return view;
}

Status run_in(const MatmulProblem& chunk, char* workspace) {
  Status status;
  const char* reason = MatmulRequest(chunk).run_in(workspace, &status);
  DIOPI_REQUIRE(reason == nullptr, diopiErrorOccurred, "%s", reason);
  return status;
}

// Prepares the chunks with these indices. `bytes` becomes the largest workspace of them. `chunk` gets null as its
// memory.
template <typename F>
SkipReason prepare_chunks(std::initializer_list<int64_t> indices, F&& chunk, int64_t* bytes) {
  const SingleThread single;
  for (const int64_t i : indices) {
    int64_t needed = 0;
    const SkipReason reason = MatmulRequest(chunk(i, nullptr)).prepare(&needed);
    if (reason != nullptr) return reason;
    *bytes = std::max(*bytes, diopi::aligned(needed));
  }
  return nullptr;
}

// The rows and columns of the blocks of a product m x k x n. A product with little more than one block is divided
// further, so that several threads have work.
void choose_blocks(int64_t m, int64_t n, int64_t k, int64_t* rows, int64_t* cols) {
  constexpr int64_t kRows = 512, kCols = 128, kStep = 16, kFewBlocks = 4;
  constexpr int64_t kLeast =
      int64_t{1} << 24;  // multiply-adds of a block; with fewer, copying it takes too large a share
  *rows = chunk_size(m, kRows, kStep);
  *cols = chunk_size(n, kCols, kStep);
  while ((m + *rows - 1) / *rows * ((n + *cols - 1) / *cols) < kFewBlocks && *rows * *cols * k >= 2 * kLeast) {
    int64_t* const larger = *rows >= *cols ? rows : cols;
    *larger = chunk_size(*larger, (*larger + 1) / 2, kStep);
  }
}

}  // namespace

bool onednn_has_columns(const MatmulProblem& p) {
  BlasLayout a, b;
  if (p.out.ndim() != 2 || p.accumulate || !blas_layout(p.a, &a) || !blas_layout(p.b, &b)) return false;
  const int64_t k = p.a.shape[1];
  return !a.transposed && a.ld == k && b.transposed && b.ld == k && p.out.stride[1] == 1;
}

SkipReason run_float32_columns(const MatmulProblem& p, Status* status) {
  const int64_t m = p.out.shape[0], n = p.out.shape[1];
  int64_t rows = 0, cols = 0;
  choose_blocks(m, n, p.a.shape[1], &rows, &cols);
  const int64_t row_chunks = (m + rows - 1) / rows, col_chunks = (n + cols - 1) / cols, count = row_chunks * col_chunks;
  const auto target = [&](int64_t i) {
    const int64_t row = i % row_chunks * rows, col = i / row_chunks * cols;
    return p.out.narrow(0, row, std::min(rows, m - row)).narrow(1, col, std::min(cols, n - col));
  };
  const auto chunk = [&](int64_t i, char* memory) {
    const int64_t row = i % row_chunks * rows, col = i / row_chunks * cols;
    MatmulProblem result = p;
    result.out = without_gaps(target(i), memory);
    result.a = p.a.narrow(0, row, result.out.shape[0]);
    result.b = p.b.narrow(1, col, result.out.shape[1]);
    if (p.bias != nullptr) result.bias = p.bias + col * p.a.itemsize();
    return result;
  };
  int64_t bytes = 0;
  const SkipReason reason = prepare_chunks({0, row_chunks - 1, count - row_chunks, count - 1}, chunk, &bytes);
  if (reason != nullptr) return reason;
  const int64_t size = p.out.itemsize(), sums = diopi::aligned(rows * cols * size);
  const bool streams = p.out.numel * size >= stream_bytes();
  *status = for_each_chunk(p.ctx, {count, sums + bytes}, [&](int64_t i, char* memory) -> Status {
    DIOPI_TRY(run_in(chunk(i, memory), memory + sums));
    const TensorView to = target(i);
    const int64_t width = to.shape[1] * size;
    if (streams) {
      stream_rows(to.data, to.stride[0] * size, memory, width, width, to.shape[0]);
      finish_stores();
    } else {
      copy_view(to, without_gaps(to, memory));
    }
    return diopiSuccess;
  });
  return nullptr;
}

bool onednn_has_depth_chunks(const MatmulProblem& p) {
  constexpr int64_t kFewSums = 128 * 128, kFewColumns = 256, kLongSum = 2048;
  if (p.out.ndim() != 2 || p.accumulate || p.out.numel > kFewSums || p.a.shape[1] < kLongSum) return false;
  return p.out.shape[1] <= kFewColumns || !onednn_has_columns(p);
}

SkipReason run_float32_depth_chunks(const MatmulProblem& p, Status* status) {
  constexpr int64_t kChunks = 16, kShortest = 1024;
  const int64_t k = p.a.shape[1], n = p.out.shape[1];
  const int64_t depth = chunk_size(k, std::max(kShortest, (k + kChunks - 1) / kChunks), 16);
  const int64_t count = (k + depth - 1) / depth, sums = diopi::aligned(p.out.numel * p.out.itemsize());
  char* partial = nullptr;
  const auto chunk = [&](int64_t i, char*) {
    MatmulProblem result = p;
    result.a = p.a.narrow(1, i * depth, std::min(depth, k - i * depth));
    result.b = p.b.narrow(0, i * depth, std::min(depth, k - i * depth));
    result.out = without_gaps(p.out, partial + i * sums);
    if (i > 0) result.bias = nullptr;
    return result;
  };
  int64_t bytes = 0;
  const SkipReason reason = prepare_chunks({0, std::min<int64_t>(1, count - 1), count - 1}, chunk, &bytes);
  if (reason != nullptr) return reason;
  *status = diopi::Workspace(p.ctx).take(count * sums, &partial);
  if (!status->ok()) return nullptr;
  *status = for_each_chunk(p.ctx, {count, std::max<int64_t>(bytes, 64)},
                           [&](int64_t i, char* memory) { return run_in(chunk(i, nullptr), memory); });
  if (!status->ok() || diopi::in_dry_run()) return nullptr;
  for (int64_t row = 0; row < p.out.shape[0]; ++row) {
    float* out = p.out.ptr<float>() + row * p.out.stride[0];
    for (int64_t j = 0; j < n; ++j) {
      const char* term = partial + (row * n + j) * p.out.itemsize();
      float sum = *reinterpret_cast<const float*>(term);
      for (int64_t i = 1; i < count; ++i) sum += *reinterpret_cast<const float*>(term + i * sums);
      out[j * p.out.stride[1]] = sum;
    }
  }
  return nullptr;
}

}  // namespace impl::cpu
