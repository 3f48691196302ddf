// SPDX-License-Identifier: BSD-3-Clause
// Norms of the tensors of a list: two launches for up to 64 of them. The first one folds 1024 elements to one number,
// the second one folds the numbers of each tensor. Both divide a tensor by its number of elements only.
#include "impl/common/step_memory.hpp"
#include "impl/cuda/kernels/items.cuh"
#include "impl/cuda/kernels/list/blocks.cuh"
#include "impl/cuda/kernels/list/list.hpp"
#include "impl/cuda/kernels/reduce/norm.cuh"
#include "impl/cuda/kernels/rows/fold.cuh"

namespace impl::cuda {

using diopi::ViewList;

namespace {

constexpr int kItems = ListBlocks::kItems;
constexpr int kLanes = 32;                      // threads that fold the elements of one block of the list
constexpr int64_t kLongest = int64_t{1} << 24;  // the second launch folds the numbers of a tensor in one block

// The tensors of one launch, without unused bytes. Each block of the list is a row of the fold, counted in units of
// kItems elements.
struct NormTensors {
  ListBlocks list;
  const char* data[ListBlocks::kMost] = {};
  uint8_t dtype[ListBlocks::kMost] = {};
  uint8_t aligned[ListBlocks::kMost] = {};

  template <class Op>
  __device__ double fold(const Op& op, const FoldSplit&, int64_t row, int64_t begin, int64_t end, int step) const {
    const BlockElements block = block_elements(list, row);
    const auto type = static_cast<diopiDtype_t>(dtype[block.k]);
    double all = op.start();
    for (int64_t unit = begin; unit < end; unit += step) {
      const int64_t first = block.begin + unit * kItems;
      if (first >= block.end) break;
      if (aligned[block.k] != 0 && first + kItems <= block.end) {
        double x[kItems];
        load_items(data[block.k], first, type, x);
        for (int j = 0; j < kItems; ++j) op.add(&all, &x[j], 0);
      } else {
        for (int64_t i = first; i < first + kItems && i < block.end; ++i) {
          const auto x = load_as<double>(data[block.k], i, type);
          op.add(&all, &x, 0);
        }
      }
    }
    return op.close(all);
  }
};

// The numbers of the first launch, and where the norms go.
struct NormResults {
  const double* parts;
  int64_t first[ListBlocks::kMost + 1];
  char* out[ListBlocks::kMost];
  uint8_t dtype[ListBlocks::kMost];
};

// A block for each tensor.
template <class Op>
__global__ void finish_norms(Op op, NormResults results) {
  DIOPI_SHARED(double, all, [kFoldThreads]);
  const int k = static_cast<int>(blockIdx.x), thread = static_cast<int>(threadIdx.x);
  double sum = op.identity();
  for (int64_t i = results.first[k] + thread; i < results.first[k + 1]; i += kFoldThreads) {
    op.merge(&sum, results.parts[i]);
  }
  all[thread] = sum;
  merge_lanes(op, all, 1, kFoldThreads);
  if (thread != 0) return;
  op.finish(all[0], 0,
            [&](int, double norm) { store_as(results.out[k], 0, static_cast<diopiDtype_t>(results.dtype[k]), norm); });
}

// Divides the listed tensors among launches. For each launch, calls f(tensors, results); `parts` goes to the first one.
template <class F>
Status for_each_chunk(const ViewList& outs, const ViewList& inputs, double* parts, const F& f) {
  NormTensors tensors{};
  NormResults results{};
  const auto finish = [&]() -> Status {
    if (tensors.list.count == 0) return diopiSuccess;
    for (int64_t k = 0; k <= tensors.list.count; ++k) results.first[k] = tensors.list.first[k];
    results.parts = parts;
    DIOPI_TRY(f(tensors, results));
    parts += tensors.list.first[tensors.list.count];
    tensors = NormTensors{};
    return diopiSuccess;
  };
  for (int64_t n = 0; n < inputs.size(); ++n) {
    const TensorView& input = inputs[n];
    if (!has_listed_norm(input)) continue;
    const int64_t k = tensors.list.add(input.numel);
    tensors.data[k] = input.data;
    tensors.dtype[k] = static_cast<uint8_t>(input.dtype);
    tensors.aligned[k] = has_aligned_items(input) ? 1 : 0;
    results.out[k] = outs[n].data;
    results.dtype[k] = static_cast<uint8_t>(outs[n].dtype);
    if (tensors.list.is_full()) DIOPI_TRY(finish());
  }
  return finish();
}

template <class Op>
Status launch_norms(diopiContextHandle_t ctx, const Op& op, const ViewList& outs, const ViewList& inputs,
                    double* parts) {
  DIOPI_TRY(for_each_chunk(outs, inputs, parts, [&](const NormTensors& tensors, const NormResults& results) -> Status {
    const int64_t blocks = tensors.list.first[tensors.list.count];
    if (blocks == 0) return diopiSuccess;
    FoldSplit split(blocks, ListBlocks::kEach / kItems, false);
    split.lanes = kLanes;
    split.set_block(kFoldThreads);
    FoldResults<Op> to{};
    to.parts = const_cast<double*>(results.parts);
    return launch_fold(ctx, op, split, tensors, to);
  }));
  // Inputs are read before the first norm is written.
  return for_each_chunk(outs, inputs, parts, [&](const NormTensors& tensors, const NormResults& results) -> Status {
    return launch_blocks(ctx, finish_norms<Op>, tensors.list.count, kFoldThreads, op, results);
  });
}

}  // namespace

bool has_listed_norm(const TensorView& input) {
  return diopi::is_floating(input.dtype) && input.is_dense() && input.numel <= kLongest && input.numel != 1;
}

int64_t listed_norm_parts(const ViewList& inputs) {
  int64_t parts = 0;
  for (const TensorView& input : inputs) {
    if (has_listed_norm(input)) parts += (input.numel + ListBlocks::kEach - 1) / ListBlocks::kEach;
  }
  return parts;
}

Status launch_list_norms(diopiContextHandle_t ctx, double p, const ViewList& outs, const ViewList& inputs,
                         double* parts) {
  return with_norm(p, [&](const auto& op) { return launch_norms(ctx, op, outs, inputs, parts); });
}

}  // namespace impl::cuda
