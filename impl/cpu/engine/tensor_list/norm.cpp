// SPDX-License-Identifier: BSD-3-Clause
// The norm of each tensor of a list: partial sums of chunks of all tensors, which are merged pairwise.
#include "impl/common/engine/reduce.hpp"
#include "impl/common/engine/tensor_list.hpp"
#include "impl/common/workspace.hpp"
#include "impl/cpu/engine/element_range.hpp"
#include "impl/cpu/engine/tensor_list/chunks.hpp"
#include "impl/cpu/engine/tensor_list/norms.hpp"

namespace impl::cpu {

namespace {

// Folds elements [first, first + count) of a tensor into one number.
double fold_chunk(const ReduceKernel& kernel, const TensorView& view, int64_t first, int64_t count, const double* p) {
  const bool packed = view.is_contiguous();
  const int64_t run = packed ? kernel.run : std::min(kernel.run, kElementRange);
  alignas(8) char elements[kElementRange * sizeof(double)];
  double total = 0, part = 0;
  kernel.init(&total, 1);
  for (int64_t done = 0; done < count; done += run) {
    const int64_t n = std::min(run, count - done);
    const void* x = view.data + (first + done) * view.itemsize();
    if (!packed) {
      gather_range(view, first + done, n, view.dtype, elements);
      x = elements;
    }
    kernel.init(&part, 1);
    kernel.fold_row(&part, x, n, 0, p);
    kernel.merge(&total, &part, 1);
  }
  return total;
}

// Merges neighbours at distance 1, 2, 4, ...
double merge_parts(const ReduceKernel& kernel, double* parts, int64_t count) {
  double nothing = 0;
  kernel.init(&nothing, 1);
  for (int64_t step = 1; step < count; step *= 2) {
    for (int64_t i = 0; i + step < count; i += 2 * step) kernel.merge(parts + i, parts + i + step, 1);
  }
  return count > 0 ? parts[0] : nothing;
}

}  // namespace

Status list_norms(diopiContextHandle_t ctx, const ViewList& tensors, double p, bool precise, double* norms) {
  double* parts = nullptr;
  DIOPI_TRY(diopi::Workspace(ctx).take(list_chunks(tensors), &parts));
  const int64_t each = p == 0 || p == 1 || p == 2 || std::isinf(p) ? 80 : 2000;
  for_list_chunks(tensors, each, [&tensors, parts, p, precise](int64_t k, int64_t chunk, int64_t first, int64_t n) {
    const double order = diopi::norm_order(p, tensors[k].numel);
    parts[chunk] = fold_chunk(*vector_norm_kernel(tensors[k].dtype, order, precise), tensors[k], first, n, &order);
  });
  for (int64_t k = 0; k < tensors.size(); ++k) {
    const int64_t chunks = list_chunks(tensors[k]);
    const double order = diopi::norm_order(p, tensors[k].numel);
    norms[k] = finish_norm(merge_parts(*vector_norm_kernel(tensors[k].dtype, order, precise), parts, chunks), order);
    parts += chunks;
  }
  return diopiSuccess;
}

Status run_list_norm(diopiContextHandle_t ctx, const ViewList& outs, const ViewList& inputs, double p) {
  double* norms = nullptr;
  DIOPI_TRY(diopi::Workspace(ctx).take(inputs.size(), &norms));
  const bool precise = std::any_of(outs.begin(), outs.end(), [](const TensorView& out) { return out.itemsize() > 2; });
  DIOPI_TRY(list_norms(ctx, inputs, p, precise, norms));
  for (int64_t k = 0; k < inputs.size(); ++k) {
    cast_function(diopi_dtype_float64, outs[k].dtype)(outs[k].data, norms + k, 1);
  }
  return diopiSuccess;
}

}  // namespace impl::cpu
