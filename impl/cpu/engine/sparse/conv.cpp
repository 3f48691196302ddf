// SPDX-License-Identifier: BSD-3-Clause
// Sparse convolution: for each kernel position, rows are gathered, multiplied with the matrix of the position by the
// product engine, and added to rows of the result, one block of pairs at a time.
#include <algorithm>
#include <cstring>

#include "impl/common/engine/matmul.hpp"
#include "impl/common/parallel.hpp"
#include "impl/common/step_memory.hpp"
#include "impl/common/workspace.hpp"
#include "impl/cpu/engine/copy/copy.hpp"
#include "impl/cpu/engine/norm/layout.hpp"
#include "impl/cpu/engine/sparse/pairs.hpp"
#include "impl/cpu/engine/temporary.hpp"
#include "impl/cpu/sparse/rows.hpp"

namespace impl::cpu {
namespace {

using diopi::Dims;

Dims matrix_shape(int64_t rows, int64_t cols) {
  Dims shape;
  shape.push_back(rows);
  shape.push_back(cols);
  return shape;
}

// The pairs [first, first + count) of a kernel position; null rows mean that row j is row first + j.
struct Block {
  int64_t k, first, count;
  const int32_t *input, *output;
};

// The operands in the dtype of the computation.
struct Conv {
  PackedPairs pairs;
  TensorView features, filters;  // [n, Cin], [K, Cin, Cout]
  diopiDtype_t dtype = diopi_dtype_unsupported;
  int64_t rows_in = 0, rows_out = 0, depth = 0, width = 0, block = 0;
  int32_t* seen = nullptr;  // for each row the last list in which it was found

  int64_t size() const { return diopi::dtype_size(dtype); }
  TensorView filter(const TensorView& all, int64_t k) const {
    TensorView view = all;
    view.data += k * depth * width * size();
    view.shape = matrix_shape(depth, width);
    view.stride = diopi::contiguous_strides(view.shape);
    view.numel = depth * width;
    return view;
  }
  // Calls f(block) for the blocks of all positions, in order.
  template <typename F>
  Status for_blocks(const F& f) const {
    for (int64_t k = 0; k < pairs.positions; ++k) {
      const bool centre = k == pairs.centre;
      const int64_t count = centre ? rows_in : pairs.count[k];
      for (int64_t first = 0; first < count; first += block) {
        DIOPI_TRY(f(Block{k, first, std::min(block, count - first), centre ? nullptr : pairs.input(k) + first,
                          centre ? nullptr : pairs.output(k) + first}));
      }
    }
    return diopiSuccess;
  }
};

Status prepare(diopiContextHandle_t ctx, const SparsePairs& pairs, const TensorView& features,
               const TensorView& filters, int64_t rows_out, Conv* c) {
  // The order of sums for filters depends on the block, so it is the same on all processors.
  constexpr int64_t kBytes = int64_t{1} << 20, kLeast = 64;
  DIOPI_TRY(pack_pairs(ctx, pairs, &c->pairs));
  c->dtype = diopi::compute_dtype(features.dtype);
  DIOPI_TRY(arrange_input(ctx, features, nullptr, false, c->dtype, &c->features));
  DIOPI_TRY(arrange_input(ctx, filters, nullptr, false, c->dtype, &c->filters));
  c->rows_in = features.shape[0];
  c->rows_out = rows_out;
  c->depth = features.shape[1];
  c->width = filters.shape[filters.ndim() - 1];
  const int64_t most = std::max<int64_t>({1, c->pairs.centre >= 0 ? c->rows_in : 0, c->pairs.most});
  const int64_t row_bytes = std::max<int64_t>(1, std::max(c->depth, c->width) * c->size());
  c->block = std::min(most, std::max(kLeast, kBytes / row_bytes));
  DIOPI_TRY(diopi::Workspace(ctx).take(std::max<int64_t>({1, c->rows_in, rows_out}), &c->seen));
  std::fill_n(c->seen, std::max<int64_t>({1, c->rows_in, rows_out}), -1);
  return diopiSuccess;
}

constexpr int64_t kPartRows = 1024;  // of a sum for the gradient of a small filter

TensorView first_rows(const TensorView& matrix, int64_t count) { return matrix.narrow(0, 0, count); }

// Copies rows of `from` to the first rows of `to`.
void gather(const TensorView& to, const TensorView& from, const int32_t* rows, const Block& block) {
  const int64_t pitch = to.shape[1] * to.itemsize();
  const char* source = from.data + (rows == nullptr ? block.first * pitch : 0);
  char* target = to.data;
  diopi::parallel_for(block.count, diopi::Picoseconds{pitch * 50 + 5000}, [=](int64_t begin, int64_t end) {
    for (int64_t j = begin; j < end; ++j) {
      std::memcpy(target + j * pitch, source + (rows == nullptr ? j : rows[j]) * pitch, static_cast<size_t>(pitch));
    }
  });
}

// Adds the first rows of `from` to rows of `to`. If a row occurs twice in the block, each thread adds some columns of
// all rows, so that the order of the sums is fixed.
void scatter_add(const Conv& c, const TensorView& to, const TensorView& from, const int32_t* rows, const Block& block,
                 int32_t stamp) {
  constexpr int64_t kColumns = 16;  // a whole cache line, which threads should not share
  const int64_t n = to.shape[1], size = to.itemsize();
  char* target = to.data + (rows == nullptr ? block.first * n * size : 0);
  const char* source = from.data;
  const auto add = sparse_row_kernels(c.dtype).add;
  const auto add_part = [=](int64_t begin, int64_t end, int64_t first, int64_t count) {
    for (int64_t j = begin; j < end; ++j) {
      const int64_t row = rows == nullptr ? j : rows[j];
      add(target + (row * n + first) * size, source + (j * n + first) * size, count);
    }
  };
  bool repeated = false;
  for (int64_t j = 0; rows != nullptr && j < block.count; ++j) {
    repeated |= c.seen[rows[j]] == stamp;
    c.seen[rows[j]] = stamp;
  }
  if (repeated) {
    const diopi::Picoseconds each{block.count * (kColumns * 200 + 5000)};
    return diopi::parallel_for((n + kColumns - 1) / kColumns, each, [=](int64_t begin, int64_t end) {
      add_part(0, block.count, begin * kColumns, std::min(end * kColumns, n) - begin * kColumns);
    });
  }
  diopi::parallel_for(block.count, diopi::Picoseconds{n * 200 + 5000},
                      [=](int64_t begin, int64_t end) { add_part(begin, end, 0, n); });
}

// Adds inputs^T @ grads to the gradient of a filter. The sums of a small filter are divided, so that each thread reads
// mostly rows that it gathered itself: `partials` has a product for each part.
Status add_filter_gradient(diopiContextHandle_t ctx, const Conv& c, const TensorView& inputs, const TensorView& grads,
                           const TensorView& partials, const TensorView& sum) {
  if (partials.data == nullptr) {
    MatmulOptions options;
    options.c = &sum;
    return run_matmul(ctx, sum, inputs.transposed(0, 1), grads, options);
  }
  const int64_t count = inputs.shape[0], whole = count / kPartRows;
  // The memory for a part with fewer rows is reserved in each dry run.
  const int64_t rest = diopi::in_dry_run() ? std::min(count, kPartRows) : count % kPartRows;
  const auto parts = [&](const TensorView& rows) {
    TensorView view = first_rows(rows, whole * kPartRows).unsqueeze(0);
    view.shape[0] = whole;
    view.shape[1] = kPartRows;
    view.stride[0] = kPartRows * rows.stride[0];
    return view;
  };
  DIOPI_TRY(run_matmul(ctx, partials.narrow(0, 0, whole), parts(inputs).transposed(1, 2), parts(grads)));
  if (rest > 0) {
    const auto last = [=](const TensorView& rows) { return rows.narrow(0, count - rest, rest); };
    DIOPI_TRY(run_matmul(ctx, partials.select(0, whole), last(inputs).transposed(0, 1), last(grads)));
  }
  if (diopi::in_dry_run()) return diopiSuccess;
  const auto add = sparse_row_kernels(c.dtype).add;
  for (int64_t i = 0; i < whole + (rest > 0 ? 1 : 0); ++i) add(sum.data, partials.select(0, i).data, sum.numel);
  return diopiSuccess;
}

// Memory for the products of the parts of a block and of one more part; none if the filters are not small.
Status make_partials(diopiContextHandle_t ctx, const Conv& c, TensorView* partials) {
  constexpr int64_t kSmallFilter = 4096;  // elements
  if (c.depth * c.width > kSmallFilter) return diopiSuccess;
  Dims shape = matrix_shape(c.block / kPartRows + 1, c.depth);
  shape.push_back(c.width);
  return make_temporary(ctx, shape, c.dtype, partials);
}

}  // namespace

Status run_sparse_conv(diopiContextHandle_t ctx, const SparsePairs& pairs, const TensorView& features,
                       const TensorView& filters, const TensorView* bias, const TensorView& out) {
  Conv c;
  TensorView rows, products, sums;
  DIOPI_TRY(prepare(ctx, pairs, features, filters, out.shape[0], &c));
  DIOPI_TRY(arrange(ctx, out, false, c.dtype, false, &sums));
  if (out.numel == 0) return diopiSuccess;
  if (bias == nullptr) {
    fill_zero(sums);
  } else {
    copy_view(sums, *bias);
  }
  DIOPI_TRY(make_temporary(ctx, matrix_shape(c.block, c.depth), c.dtype, &rows));
  DIOPI_TRY(make_temporary(ctx, matrix_shape(c.block, c.width), c.dtype, &products));
  diopi::StepMemory memory;
  const auto product = [&](const Block& block) {
    return run_matmul(ctx, first_rows(products, block.count), first_rows(rows, block.count),
                      c.filter(c.filters, block.k));
  };
  if (c.pairs.positions > 0) DIOPI_TRY(memory.reserve([&] { return product({0, 0, c.block, nullptr, nullptr}); }));
  int32_t stamp = 0;
  DIOPI_TRY(c.for_blocks([&](const Block& block) -> Status {
    gather(rows, c.features, block.input, block);
    DIOPI_TRY(memory.run([&] { return product(block); }));
    scatter_add(c, sums, products, block.output, block, stamp++);
    return diopiSuccess;
  }));
  put_back(out, sums);
  return diopiSuccess;
}

Status run_sparse_conv_backward(diopiContextHandle_t ctx, const SparsePairs& pairs, const TensorView& features,
                                const TensorView& filters, const TensorView& grad_out, const TensorView& grad_features,
                                const TensorView& grad_filters) {
  Conv c;
  TensorView grads, inputs, outputs, terms, partials, to_features, to_filters;
  DIOPI_TRY(prepare(ctx, pairs, features, filters, grad_out.shape[0], &c));
  DIOPI_TRY(arrange_input(ctx, grad_out, nullptr, false, c.dtype, &grads));
  DIOPI_TRY(arrange(ctx, grad_features, false, c.dtype, false, &to_features));
  DIOPI_TRY(arrange(ctx, grad_filters, false, c.dtype, false, &to_filters));
  if (to_features.numel > 0) fill_zero(to_features);
  if (to_filters.numel > 0) fill_zero(to_filters);
  DIOPI_TRY(make_temporary(ctx, matrix_shape(c.block, c.depth), c.dtype, &inputs));
  DIOPI_TRY(make_temporary(ctx, matrix_shape(c.block, c.width), c.dtype, &outputs));
  DIOPI_TRY(make_temporary(ctx, matrix_shape(c.block, c.depth), c.dtype, &terms));
  DIOPI_TRY(make_partials(ctx, c, &partials));
  diopi::StepMemory memory;
  const auto products = [&](const Block& block) -> Status {
    const TensorView grad = first_rows(outputs, block.count);
    DIOPI_TRY(run_matmul(ctx, first_rows(terms, block.count), grad, c.filter(c.filters, block.k).transposed(0, 1)));
    return add_filter_gradient(ctx, c, first_rows(inputs, block.count), grad, partials, c.filter(to_filters, block.k));
  };
  if (c.pairs.positions > 0) DIOPI_TRY(memory.reserve([&] { return products({0, 0, c.block, nullptr, nullptr}); }));
  int32_t stamp = 0;
  DIOPI_TRY(c.for_blocks([&](const Block& block) -> Status {
    gather(inputs, c.features, block.input, block);
    gather(outputs, grads, block.output, block);
    DIOPI_TRY(memory.run([&] { return products(block); }));
    scatter_add(c, to_features, terms, block.input, block, stamp++);
    return diopiSuccess;
  }));
  put_back(grad_features, to_features);
  put_back(grad_filters, to_filters);
  return diopiSuccess;
}

}  // namespace impl::cpu
