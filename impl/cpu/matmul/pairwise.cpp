// SPDX-License-Identifier: BSD-3-Clause
#include "impl/cpu/matmul/pairwise.hpp"

#include <algorithm>

#include "impl/common/step_memory.hpp"
#include "impl/cpu/engine/copy/copy.hpp"
#include "impl/cpu/engine/pairwise_sum.hpp"
#include "impl/cpu/engine/reduce/kernels.hpp"

namespace impl::cpu {
namespace {

using diopi::Dims;

int64_t depth_of(const MatmulProblem& p) { return p.a.shape[p.a.ndim() - 1]; }

// The product of terms [begin, begin + count) of the sums. It has no bias and does not accumulate.
MatmulProblem piece_of(const MatmulProblem& p, int64_t begin, int64_t count, const TensorView& out) {
  MatmulProblem piece = p;
  piece.out = out;
  piece.a = p.a.narrow(p.a.ndim() - 1, begin, count);
  piece.b = p.b.narrow(p.b.ndim() - 2, begin, count);
  piece.bias = nullptr;
  piece.accumulate = false;
  return piece;
}

// Returns the bias as a view with the shape of `out`: every row is the bias.
TensorView broadcast_bias(const MatmulProblem& p, const TensorView& out) {
  TensorView bias = out;
  bias.data = const_cast<char*>(p.bias);
  bias.dtype = p.a.dtype;
  std::fill_n(bias.stride.v, bias.ndim(), 0);
  bias.stride[bias.ndim() - 1] = 1;
  return bias;
}

// Computes the pieces one after another, each on all threads. All pieces use the temporaries of the first one.
Status run_each(const MatmulProblem& p, const SumPieces& pieces, RunMatmul run) {
  const int64_t depth = depth_of(p);
  PairwiseSum sum(p.ctx, p.out.shape, diopi::compute_dtype(p.a.dtype));
  diopi::StepMemory memory;
  TensorView part;
  DIOPI_TRY(sum.next(&part));
  DIOPI_TRY(memory.reserve([&] { return run(piece_of(p, 0, pieces.size, part)); }));
  if (p.accumulate) {
    copy_view(part, p.out);
    sum.add();
  }
  if (p.bias != nullptr) {
    DIOPI_TRY(sum.next(&part));
    copy_view(part, broadcast_bias(p, part));
    sum.add();
  }
  for (int64_t begin = 0; begin < depth; begin += pieces.size) {
    DIOPI_TRY(sum.next(&part));
    const MatmulProblem piece = piece_of(p, begin, std::min(pieces.size, depth - begin), part);
    DIOPI_TRY(memory.run([&] { return run(piece); }));
    sum.add();
  }
  sum.finish(p.out);
  return diopiSuccess;
}

// Views `count` pieces of `size` terms along dimension `dim` as a batch.
TensorView as_batch(const TensorView& view, int dim, int64_t count, int64_t size) {
  TensorView batch = view.narrow(dim, 0, count * size).unsqueeze(0);
  batch.shape[0] = count;
  batch.stride[0] = view.stride[dim] * size;
  batch.shape[dim + 1] = size;
  return batch;
}

// Computes all pieces as one batch of products, whose work is divided among the threads.
Status run_together(const MatmulProblem& p, const SumPieces& pieces, RunMatmul run) {
  const int last = p.a.ndim() - 1;
  const int64_t depth = depth_of(p), whole = depth / pieces.size, rest = depth - whole * pieces.size;
  const int64_t others = (p.bias != nullptr ? 1 : 0) + (p.accumulate ? 1 : 0);
  TensorView parts;
  Dims shape = p.out.unsqueeze(0).shape;
  shape[0] = others + pieces.count;
  DIOPI_TRY(make_temporary(p.ctx, shape, diopi::compute_dtype(p.a.dtype), &parts));
  MatmulProblem batch = piece_of(p, 0, depth, parts.narrow(0, others, whole));
  batch.a = as_batch(p.a, last, whole, pieces.size);
  batch.b = as_batch(p.b, last - 1, whole, pieces.size);
  DIOPI_TRY(run(batch));
  if (rest > 0) DIOPI_TRY(run(piece_of(p, whole * pieces.size, rest, parts.select(0, others + whole))));
  if (p.accumulate) copy_view(parts.select(0, 0), p.out);
  if (p.bias != nullptr) {
    const TensorView bias = parts.select(0, others - 1);
    copy_view(bias, broadcast_bias(p, bias));
  }
  return run_reduce(p.ctx, *reduce_kernel(ReduceOp::kSum, parts.dtype), &p.out, parts, 1);
}

}  // namespace

Status run_in_pieces(const MatmulProblem& p, RunMatmul run) {
  constexpr int64_t kFewSums = 1024;
  const int64_t depth = depth_of(p);
  if (depth <= kLongestSum || diopi::is_integral(p.a.dtype)) return run(p);
  const SumPieces pieces(depth);
  const bool together = p.out.numel <= kFewSums && p.out.ndim() < diopi::kMaxDims;
  return together ? run_together(p, pieces, run) : run_each(p, pieces, run);
}

}  // namespace impl::cpu
