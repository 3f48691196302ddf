// SPDX-License-Identifier: BSD-3-Clause
#include "impl/common/families/distance.hpp"

#include "impl/common/parallel.hpp"
#include "impl/common/plan/loop_nest.hpp"
#include "impl/common/temporary.hpp"
#include "impl/cpu/distance/cdist.hpp"
#include "impl/cpu/engine/copy/copy.hpp"

namespace impl::cpu {

namespace {

constexpr int64_t kRowsPerCall = kCdistRows;  // rows of a matrix that a thread takes at a time

// The view with extent 1 in batch dimensions of stride 0, whose matrices are equal.
TensorView without_equal_matrices(const TensorView& view) {
  TensorView result = view;
  for (int d = 0; d < view.ndim() - 2; ++d) {
    if (view.stride[d] == 0) result.shape[d] = 1;
  }
  result.numel = result.shape.product();
  return result;
}

// Copies a batch of matrices to a temporary whose rows are `stride` elements apart; what follows a row is 0. The result
// is expanded to the batch of `view` again.
Status pad_rows(diopiContextHandle_t ctx, const TensorView& view, int64_t stride, TensorView* padded) {
  const TensorView source = without_equal_matrices(view);
  const int last = view.ndim() - 1;
  Dims shape = source.shape, full = view.shape;
  const int64_t columns = shape[last];
  shape[last] = full[last] = stride;
  DIOPI_TRY(diopi::make_temporary(ctx, shape, view.dtype, view.name, padded));
  if (columns < stride) fill_zero(padded->narrow(last, columns, stride - columns));
  copy_view(padded->narrow(last, 0, columns), source);
  *padded = padded->expand(full);
  return diopiSuccess;
}

int64_t round_up(int64_t n, int64_t unit) { return (n + unit - 1) / unit * unit; }

// The elements of float32 or float64 in so many bytes.
int64_t elements_in(int64_t bytes, const TensorView& view) {
  return bytes / (view.dtype == diopi_dtype_float64 ? int64_t{8} : int64_t{4});
}

// Makes a copy if the elements of rows are not packed.
Status pack_rows(diopiContextHandle_t ctx, TensorView* view) {
  const int last = view->ndim() - 1;
  if (view->stride[last] == 1 || view->numel == 0) return diopiSuccess;
  return pad_rows(ctx, TensorView(*view), view->shape[last], view);
}

// An output with packed rows: a temporary if the rows of `out` are not packed.
Status packed_output(diopiContextHandle_t ctx, const TensorView& out, TensorView* packed) {
  *packed = out;
  if (out.stride[out.ndim() - 1] == 1) return diopiSuccess;
  return diopi::make_temporary(ctx, out.shape, out.dtype, out.name, packed);
}

// Calls f(matrix offsets, first row, rows) for parts of the matrices of `out`, in parallel. `others` are the operands
// whose offsets f gets after that of `out`. `cost`: picoseconds for a row.
template <int kOthers, typename F>
void for_row_blocks(const TensorView& out, const TensorView* const (&others)[kOthers], int64_t cost, const F& f) {
  diopi::LoopNest<kOthers + 1> nest;
  for (int d = out.ndim() - 3; d >= 0; --d) {
    diopi::Loop<kOthers + 1>& loop = nest.loop[nest.n++];
    loop.extent = out.shape[d];
    loop.stride[0] = out.stride[d];
    for (int k = 0; k < kOthers; ++k) loop.stride[k + 1] = others[k]->stride[d];
  }
  const int64_t rows = rows_of(out), blocks = (rows + kRowsPerCall - 1) / kRowsPerCall;
  diopi::parallel_for(nest.numel() * blocks, diopi::Picoseconds{cost * std::min(rows, kRowsPerCall)},
                      [&](int64_t begin, int64_t end) {
                        for (int64_t i = begin; i < end; ++i) {
                          const diopi::LoopCursor at(nest, i / blocks);
                          const int64_t first = i % blocks * kRowsPerCall;
                          f(at, first, std::min(kRowsPerCall, rows - first));
                        }
                      });
}

int64_t row_stride(const TensorView& view) { return view.stride[view.ndim() - 2]; }

char* element(const TensorView& view, int64_t offset, int64_t row) {
  return view.data + (offset + row * row_stride(view)) * view.itemsize();
}

}  // namespace

Status run_cdist(diopiContextHandle_t ctx, const TensorView& out, const TensorView& a, const TensorView& b, double p,
                 bool by_products) {
  constexpr int64_t kWorthProducts = 32;  // elements of a row, below which sums of squares take as long as they save
  const int64_t unit = elements_in(kCdistVector, a), columns = rows_of(b), length = columns_of(a);
  if (length == 0) {
    fill_zero(out);
    return diopiSuccess;
  }
  TensorView packed_a = a, packed_b, packed_out;
  DIOPI_TRY(pack_rows(ctx, &packed_a));
  DIOPI_TRY(pad_rows(ctx, b.transposed(b.ndim() - 1, b.ndim() - 2), round_up(columns, unit), &packed_b));
  DIOPI_TRY(packed_output(ctx, out, &packed_out));
  const CdistFn fn = cdist_kernel(a.dtype, p, by_products && length >= kWorthProducts);
  for_row_blocks(packed_out, {&packed_a, &packed_b}, columns * length * 60,
                 [&](const auto& at, int64_t first, int64_t rows) {
                   fn(CdistRows{element(packed_a, at.offset(1), first), element(packed_b, at.offset(2), 0),
                                element(packed_out, at.offset(0), first), rows, columns, length, row_stride(packed_a),
                                row_stride(packed_b), row_stride(packed_out), p});
                 });
  if (packed_out.data != out.data) copy_view(out, packed_out);
  return diopiSuccess;
}

Status run_cdist_backward(diopiContextHandle_t ctx, const TensorView& grad_input, const TensorView& grad_output,
                          const TensorView& a, const TensorView& b, const TensorView& distance, double p) {
  const int64_t unit = elements_in(kCdistTail, a), columns = rows_of(b), length = columns_of(a);
  if (p == 0 || columns == 0) {
    fill_zero(grad_input);
    return diopiSuccess;
  }
  TensorView packed_a, packed_b, packed_out, grad = grad_output, packed_distance = distance;
  DIOPI_TRY(pad_rows(ctx, a, round_up(length, unit), &packed_a));
  DIOPI_TRY(pad_rows(ctx, b, round_up(length, unit), &packed_b));
  DIOPI_TRY(pack_rows(ctx, &grad));
  DIOPI_TRY(pack_rows(ctx, &packed_distance));
  DIOPI_TRY(packed_output(ctx, grad_input, &packed_out));
  const CdistBackwardFn fn = cdist_backward_kernel(a.dtype, p);
  for_row_blocks(packed_out, {&packed_a, &packed_b, &grad, &packed_distance}, columns * length * 120,
                 [&](const auto& at, int64_t first, int64_t rows) {
                   fn(CdistGradients{element(packed_a, at.offset(1), first), element(packed_b, at.offset(2), 0),
                                     element(grad, at.offset(3), first), element(packed_distance, at.offset(4), first),
                                     element(packed_out, at.offset(0), first), rows, columns, length,
                                     row_stride(packed_a), row_stride(packed_b), row_stride(grad),
                                     row_stride(packed_distance), row_stride(packed_out), p});
                 });
  if (packed_out.data != grad_input.data) copy_view(grad_input, packed_out);
  return diopiSuccess;
}

}  // namespace impl::cpu
