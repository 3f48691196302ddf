// SPDX-License-Identifier: BSD-3-Clause
#include "impl/cpu/matmul/reference.hpp"

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
SimpleBlockFn GetReferenceBlock(diopiDtype_t dtype) {
  switch (dtype) {
    case diopi_dtype_int8:
    case diopi_dtype_uint8:
      return simple_gemm_block<uint8_t>;
    case diopi_dtype_int16:
    case diopi_dtype_uint16:
      return simple_gemm_block<uint16_t>;
    case diopi_dtype_int32:
    case diopi_dtype_uint32:
      return simple_gemm_block<uint32_t>;
    case diopi_dtype_int64:
    case diopi_dtype_uint64:
      return simple_gemm_block<uint64_t>;
    case diopi_dtype_float16:
      return simple_gemm_block<diopi::float16>;
    case diopi_dtype_bfloat16:
      return simple_gemm_block<diopi::bfloat16>;
    case diopi_dtype_float32:
      return simple_gemm_block<float>;
    case diopi_dtype_float64:
      return simple_gemm_block<double>;
    case diopi_dtype_complex64:
      return simple_gemm_block<diopi::complex64>;
    case diopi_dtype_complex128:
      return simple_gemm_block<diopi::complex128>;
    default:
      return nullptr;
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace impl::cpu
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace impl::cpu {
namespace {

HWY_EXPORT(GetReferenceBlock);

SimpleGemm describe_item(const Product& p, int64_t index) {
  const int row = p.out.ndim() - 2, col = p.out.ndim() - 1;
  const BatchItem item = batch_item(p.out, p.a, p.b, index);
  SimpleGemm g;
  g.a = item.a;
  g.b = item.b;
  g.out = item.out;
  g.bias = p.bias;
  g.n = p.out.shape[col];
  g.k = p.a.shape[col];
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

SimpleBlockFn simple_block(diopiDtype_t dtype) { return HWY_DYNAMIC_DISPATCH(GetReferenceBlock)(dtype); }

SkipReason product_simple(const Product& p, Status* status) {
  const SimpleBlockFn block = simple_block(p.a.dtype);
  if (block == nullptr) return "the dtype has no products";
  *status = diopiSuccess;
  if (diopi::in_dry_run()) return nullptr;
  const int row = p.out.ndim() - 2;
  const int64_t m = p.out.shape[row], n = p.out.shape[row + 1], k = p.a.shape[row + 1];
  const int64_t row_blocks = (m + kSimpleRows - 1) / kSimpleRows, col_blocks = (n + kSimpleCols - 1) / kSimpleCols;
  const int64_t blocks = row_blocks * col_blocks, batch = p.out.numel / (m * n);
  const int64_t cost = std::min(m, kSimpleRows) * std::min(n, kSimpleCols) * k;
  diopi::parallel_for(batch * blocks, 65536 / (cost + 1) + 1, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      const SimpleGemm g = describe_item(p, i / blocks);
      const int64_t r = i % blocks / col_blocks * kSimpleRows, c = i % col_blocks * kSimpleCols;
      block(g, r, std::min(kSimpleRows, m - r), c, std::min(kSimpleCols, n - c));
    }
  });
  return nullptr;
}

}  // namespace impl::cpu
#endif  // HWY_ONCE
