// SPDX-License-Identifier: BSD-3-Clause
#include "impl/cpu/matmul/small.hpp"

#include <algorithm>

#include "impl/common/parallel.hpp"
#include "impl/common/step_memory.hpp"
#include "impl/cpu/cache_sizes.hpp"
#include "impl/cpu/matmul/matmul.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "impl/cpu/matmul/small.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "impl/cpu/matmul/small-inl.h"

HWY_BEFORE_NAMESPACE();
namespace impl::cpu {
namespace HWY_NAMESPACE {

SmallFn GetSmall(diopiDtype_t dtype) {
  if (dtype == diopi_dtype_float32) return small_rows<float>;
  if (dtype == diopi_dtype_float64) return small_rows<double>;
  return nullptr;
}

bool SmallHasVectors() { return HWY_TARGET != HWY_SCALAR; }

}  // namespace HWY_NAMESPACE
}  // namespace impl::cpu
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace impl::cpu {
namespace {

HWY_EXPORT(GetSmall);
HWY_EXPORT(SmallHasVectors);

bool has_packed_rows(const TensorView& view) {
  const int col = view.ndim() - 1;
  return view.stride[col] == 1 || view.shape[col] == 1;
}

// The time of one of `chunks` parts of each product of a batch: its terms, in whole lines, and the bytes of its
// operands. These lie in memory if those of the batch are too many for the second-level cache.
diopi::Picoseconds chunk_cost(const MatmulProblem& p, int64_t batch, int64_t chunks) {
  constexpr int64_t kLine = 64, kEachTerm = 2, kFromCache = 20, kFromMemory = 80;  // bytes; picoseconds per byte
  const int row = p.out.ndim() - 2, col = row + 1;
  const int64_t m = p.out.shape[row], n = p.out.shape[col], k = p.a.shape[col], size = p.out.itemsize();
  const int64_t line_bytes = (n * size + kLine - 1) / kLine * kLine;
  const int64_t bytes = (m * k + k * n + m * n) * size;
  const int64_t each = batch * bytes > second_level_cache() / 2 ? kFromMemory : kFromCache;
  return {std::min(m, kSmallRows) * k * line_bytes * kEachTerm + bytes / chunks * each};
}

}  // namespace

SmallFn small_kernel(diopiDtype_t dtype) { return HWY_DYNAMIC_DISPATCH(GetSmall)(dtype); }
bool small_has_vectors() { return HWY_DYNAMIC_DISPATCH(SmallHasVectors)(); }

SkipReason matmul_small(const MatmulProblem& p, Status* status) {
  const SmallFn kernel = small_kernel(p.a.dtype);
  if (kernel == nullptr) return "there is no kernel for small products of this dtype";
  if (!has_packed_rows(p.b) || !has_packed_rows(p.out)) return "rows of b or out are not packed";
  *status = diopiSuccess;
  if (diopi::in_dry_run()) return nullptr;
  const int row = p.out.ndim() - 2, col = row + 1;
  const int64_t m = p.out.shape[row], n = p.out.shape[col], batch = p.out.numel / (m * n);
  SmallMatmul common;
  common.bias = p.bias;
  common.cols = n;
  common.depth = p.a.shape[col];
  common.run = p.run;
  common.a_row = p.a.stride[row];
  common.a_col = p.a.stride[col];
  common.b_row = p.b.stride[row];
  common.out_row = p.out.stride[row];
  common.accumulate = p.accumulate;
  const int64_t chunks = (m + kSmallRows - 1) / kSmallRows;
  const BatchNest nest = batch_nest(p.out, p.a, p.b);
  diopi::parallel_for(batch * chunks, chunk_cost(p, batch, chunks), [&](int64_t begin, int64_t end) {
    diopi::LoopCursor at(nest, begin / chunks);
    for (int64_t chunk = begin; chunk < end;) {
      const int64_t item = chunk / chunks, stop = std::min(end, (item + 1) * chunks);
      SmallMatmul g = common;
      g.out = p.out.data + at.offset(0);
      g.a = p.a.data + at.offset(1);
      g.b = p.b.data + at.offset(2);
      if (stop < end) {
        at.next();
        g.next_out = p.out.data + at.offset(0);
        g.next_a = p.a.data + at.offset(1);
        g.next_b = p.b.data + at.offset(2);
        g.next_rows = std::min(m, (end - stop) * kSmallRows);
      }
      const int64_t first = (chunk - item * chunks) * kSmallRows;
      kernel(g, first, std::min(m, (stop - item * chunks) * kSmallRows) - first);
      chunk = stop;
    }
  });
  return nullptr;
}

}  // namespace impl::cpu
#endif  // HWY_ONCE
