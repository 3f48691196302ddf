// SPDX-License-Identifier: BSD-3-Clause
// The softmax with a mask: rows for the kernels.
#include <cstdint>

#include "impl/common/engine/softmax.hpp"
#include "impl/common/parallel.hpp"
#include "impl/common/step_memory.hpp"
#include "impl/common/temporary.hpp"
#include "impl/common/workspace.hpp"
#include "impl/cpu/engine/copy/copy.hpp"
#include "impl/cpu/softmax/masked.hpp"

namespace impl::cpu {

namespace {

constexpr int kRow = 2, kLast = 3;

Status with_packed_rows(diopiContextHandle_t ctx, const TensorView& view, TensorView* packed) {
  *packed = view;
  return view.stride[kLast] == 1 || view.shape[kLast] <= 1 ? Status(diopiSuccess) : packed_copy(ctx, view, packed);
}

// The mask as bytes, whose last stride is 0 or 1.
Status read_mask(diopiContextHandle_t ctx, const TensorView* given, TensorView* mask) {
  if (given == nullptr) return diopiSuccess;
  *mask = *given;
  const bool is_byte = given->dtype == diopi_dtype_bool || given->dtype == diopi_dtype_uint8;
  if (is_byte && (given->stride[kLast] == 0 || given->stride[kLast] == 1)) return diopiSuccess;
  DIOPI_TRY(diopi::make_temporary(ctx, given->shape, diopi_dtype_bool, given->name, mask));
  copy_view(*mask, *given);
  return diopiSuccess;
}

// The address of a row, which is counted over the first three dimensions.
char* row_at(const TensorView& view, int64_t index) {
  int64_t offset = 0;
  for (int dim = kRow; dim >= 0; --dim) {
    offset += index % view.shape[dim] * view.stride[dim];
    index /= view.shape[dim];
  }
  return view.data + offset * view.itemsize();
}

// Calls f(row, index, memory) for each row of tensors like `like`.
template <typename F>
Status for_rows(diopiContextHandle_t ctx, const MaskedSoftmaxProblem& p, const TensorView& like, const TensorView& mask,
                const F& f) {
  const int64_t n = like.shape[kLast], rows = n == 0 ? 0 : like.numel / n, bytes = masked_row_bytes(n);
  const int64_t threads = omp_in_parallel() != 0 ? 1 : omp_get_max_threads();
  char* memory = nullptr;
  DIOPI_TRY(diopi::Workspace(ctx).take(bytes * threads, &memory));
  if (rows == 0 || diopi::in_dry_run()) return diopiSuccess;
  diopi::parallel_for(rows, diopi::Picoseconds{n * 400 + 30000}, [=, &p, &like, &mask](int64_t begin, int64_t end) {
    char* mine = memory + (threads > 1 ? omp_get_thread_num() : 0) * bytes;
    for (int64_t i = begin; i < end; ++i) {
      MaskedRow row{n, n, nullptr, 0, p.scale};
      if (p.mask == nullptr) {
        row.visible = i % like.shape[kRow] + 1;
      } else {
        row.mask = reinterpret_cast<const uint8_t*>(row_at(mask, i));
        row.mask_step = mask.stride[kLast];
      }
      f(row, i, mine);
    }
  });
  return diopiSuccess;
}

}  // namespace

Status run_masked_softmax(diopiContextHandle_t ctx, const MaskedSoftmaxProblem& p, const TensorView& out,
                          const TensorView& in) {
  TensorView mask, x, y;
  DIOPI_TRY(read_mask(ctx, p.mask, &mask));
  DIOPI_TRY(with_packed_rows(ctx, in, &x));
  DIOPI_TRY(with_packed_rows(ctx, out, &y));
  const MaskedSoftmaxFn kernel = masked_softmax_kernel(in.dtype);
  DIOPI_TRY(for_rows(ctx, p, x, mask, [=](const MaskedRow& row, int64_t i, char* memory) {
    kernel(row, row_at(x, i), row_at(y, i), memory);
  }));
  if (y.data != out.data) copy_view(out, y);
  return diopiSuccess;
}

Status run_masked_softmax_backward(diopiContextHandle_t ctx, const MaskedSoftmaxProblem& p, const TensorView& grad_in,
                                   const TensorView& grad_out, const TensorView& out) {
  TensorView mask, g, y, result;
  DIOPI_TRY(read_mask(ctx, p.mask, &mask));
  DIOPI_TRY(with_packed_rows(ctx, grad_out, &g));
  DIOPI_TRY(with_packed_rows(ctx, out, &y));
  DIOPI_TRY(with_packed_rows(ctx, grad_in, &result));
  const MaskedSoftmaxBackwardFn kernel = masked_softmax_backward_kernel(out.dtype);
  DIOPI_TRY(for_rows(ctx, p, y, mask, [=](const MaskedRow& row, int64_t i, char* memory) {
    kernel(row, row_at(g, i), row_at(y, i), row_at(result, i), memory);
  }));
  if (result.data != grad_in.data) copy_view(grad_in, result);
  return diopiSuccess;
}

}  // namespace impl::cpu
