// SPDX-License-Identifier: BSD-3-Clause
#include "impl/cpu/matmul/reference.hpp"

#include "impl/common/kernel_table.hpp"
#include "impl/common/parallel.hpp"
#include "impl/common/step_memory.hpp"
#include "impl/cpu/matmul/matmul.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "impl/cpu/matmul/reference.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "impl/cpu/matmul/reference-inl.h"

HWY_BEFORE_NAMESPACE();
namespace impl::cpu {
namespace HWY_NAMESPACE {

// Signed integers use the kernels of unsigned ones, because two's complement products have the same bits.
ReferenceFn GetReference(diopiDtype_t dtype) {
  using Types = diopi::TypeList<int8_t, uint8_t, int16_t, uint16_t, int32_t, uint32_t, int64_t, uint64_t,
                                diopi::float16, diopi::bfloat16, float, double, diopi::complex64, diopi::complex128>;
  return diopi::kernel_for<Types>(dtype, [](auto tag) { return reference_tile<diopi::unsigned_of<decltype(tag)>>; });
}

}  // namespace HWY_NAMESPACE
}  // namespace impl::cpu
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace impl::cpu {
namespace {

HWY_EXPORT(GetReference);

ReferenceMatmul describe_item(const MatmulProblem& p, int64_t index) {
  const int row = p.out.ndim() - 2, col = p.out.ndim() - 1;
  const BatchItem item = batch_item(p.out, p.a, p.b, index);
  ReferenceMatmul g;
  g.a = item.a;
  g.b = item.b;
  g.out = item.out;
  g.bias = p.bias;
  g.n = p.out.shape[col];
  g.k = p.a.shape[col];
  g.run = p.run;
  g.a_row = p.a.stride[row];
  g.a_col = p.a.stride[col];
  g.b_row = p.b.stride[row];
  g.b_col = p.b.stride[col];
  g.out_row = p.out.stride[row];
  g.out_col = p.out.stride[col];
  g.dtype = p.a.dtype;
  g.out_dtype = p.out.dtype;
  g.accumulate = p.accumulate;
  g.conj_a = p.conj_a;
  g.conj_b = p.conj_b;
  return g;
}

}  // namespace

ReferenceFn reference_kernel(diopiDtype_t dtype) { return HWY_DYNAMIC_DISPATCH(GetReference)(dtype); }

SkipReason matmul_reference(const MatmulProblem& p, Status* status) {
  const ReferenceFn kernel = reference_kernel(p.a.dtype);
  if (kernel == nullptr) return "the dtype has no products";
  *status = diopiSuccess;
  if (diopi::in_dry_run()) return nullptr;
  const int row = p.out.ndim() - 2;
  const int64_t m = p.out.shape[row], n = p.out.shape[row + 1], k = p.a.shape[row + 1];
  const int64_t row_tiles = (m + kReferenceRows - 1) / kReferenceRows,
                col_tiles = (n + kReferenceCols - 1) / kReferenceCols;
  const int64_t tiles = row_tiles * col_tiles, batch = p.out.numel / (m * n);
  const int64_t cost = std::min(m, kReferenceRows) * std::min(n, kReferenceCols) * k;
  diopi::parallel_for(batch * tiles, 65536 / (cost + 1) + 1, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      const ReferenceMatmul g = describe_item(p, i / tiles);
      const int64_t r = i % tiles / col_tiles * kReferenceRows, c = i % col_tiles * kReferenceCols;
      kernel(g, r, std::min(kReferenceRows, m - r), c, std::min(kReferenceCols, n - c));
    }
  });
  return nullptr;
}

}  // namespace impl::cpu
#endif  // HWY_ONCE
