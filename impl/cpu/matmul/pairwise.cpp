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
MatmulProblem chunk_of(const MatmulProblem& p, int64_t begin, int64_t count, const TensorView& out) {
  MatmulProblem chunk = p;
  chunk.out = out;
  chunk.a = p.a.narrow(p.a.ndim() - 1, begin, count);
  chunk.b = p.b.narrow(p.b.ndim() - 2, begin, count);
  chunk.bias = nullptr;
  chunk.accumulate = false;
  return chunk;
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

// Computes the chunks one after another, each on all threads. All chunks use the temporaries of the first one.
Status run_each(const MatmulProblem& p, const SumChunks& chunks, RunMatmul run) {
  const int64_t depth = depth_of(p);
  PairwiseSum sum(p.ctx, p.out.shape, diopi::compute_dtype(p.a.dtype));
  diopi::StepMemory memory;
  TensorView partial;
  DIOPI_TRY(sum.next(&partial));
  DIOPI_TRY(memory.reserve([&] { return run(chunk_of(p, 0, chunks.size, partial)); }));
  if (p.accumulate) {
    copy_view(partial, p.out);
    sum.add();
  }
  if (p.bias != nullptr) {
    DIOPI_TRY(sum.next(&partial));
    copy_view(partial, broadcast_bias(p, partial));
    sum.add();
  }
  for (int64_t begin = 0; begin < depth; begin += chunks.size) {
    DIOPI_TRY(sum.next(&partial));
    const MatmulProblem chunk = chunk_of(p, begin, std::min(chunks.size, depth - begin), partial);
    DIOPI_TRY(memory.run([&] { return run(chunk); }));
    sum.add();
  }
  sum.finish(p.out);
  return diopiSuccess;
}

// Views `count` chunks of `size` terms along dimension `dim` as a batch.
TensorView as_batch(const TensorView& view, int dim, int64_t count, int64_t size) {
  TensorView batch = view.narrow(dim, 0, count * size).unsqueeze(0);
  batch.shape[0] = count;
  batch.stride[0] = view.stride[dim] * size;
  batch.shape[dim + 1] = size;
  return batch;
}

// Computes all chunks as one batch of products, whose work is divided among the threads.
Status run_together(const MatmulProblem& p, const SumChunks& chunks, RunMatmul run) {
  const int last = p.a.ndim() - 1;
  const int64_t depth = depth_of(p), whole = depth / chunks.size, rest = depth - whole * chunks.size;
  const int64_t others = (p.bias != nullptr ? 1 : 0) + (p.accumulate ? 1 : 0);
  TensorView partials;
  Dims shape = p.out.unsqueeze(0).shape;
  shape[0] = others + chunks.count;
  DIOPI_TRY(make_temporary(p.ctx, shape, diopi::compute_dtype(p.a.dtype), &partials));
  MatmulProblem batch = chunk_of(p, 0, depth, partials.narrow(0, others, whole));
  batch.a = as_batch(p.a, last, whole, chunks.size);
  batch.b = as_batch(p.b, last - 1, whole, chunks.size);
  DIOPI_TRY(run(batch));
  if (rest > 0) DIOPI_TRY(run(chunk_of(p, whole * chunks.size, rest, partials.select(0, others + whole))));
  if (p.accumulate) copy_view(partials.select(0, 0), p.out);
  if (p.bias != nullptr) {
    const TensorView bias = partials.select(0, others - 1);
    copy_view(bias, broadcast_bias(p, bias));
  }
  return run_reduce(p.ctx, *reduce_kernel(ReduceOp::kSum, partials.dtype), &p.out, partials, 1);
}

}  // namespace

Status run_in_chunks(const MatmulProblem& p, RunMatmul run) {
  constexpr int64_t kFewSums = 1024;
  const int64_t depth = depth_of(p);
  if (depth <= kLongestSum || diopi::is_integral(p.a.dtype)) return run(p);
  const SumChunks chunks(depth);
  const bool together = p.out.numel <= kFewSums && p.out.ndim() < diopi::kMaxDims;
  return together ? run_together(p, chunks, run) : run_each(p, chunks, run);
}

}  // namespace impl::cpu
