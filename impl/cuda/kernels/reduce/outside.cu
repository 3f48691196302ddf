// SPDX-License-Identifier: BSD-3-Clause
// The search for an integer that is out of range.
#include "impl/cuda/kernels/reduce/reduce.hpp"
#include "impl/cuda/kernels/rows/fold.cuh"

namespace impl::cuda {

namespace {

struct Outside {
  static constexpr int kInputs = 1, kOutputs = 2;
  static constexpr bool kOrdered = true;
  using Value = int64_t;
  struct Part {
    int64_t position, value;
  };
  int64_t below, allowed;

  __device__ Part identity() const { return {-1, 0}; }
  __device__ Part start() const { return identity(); }
  __device__ void add(Part* first, const int64_t* x, int64_t position) const {
    if ((x[0] < 0 || x[0] >= below) && x[0] != allowed) merge(first, {position, x[0]});
  }
  __device__ Part close(const Part& first) const { return first; }
  __device__ void merge(Part* a, const Part& b) const {
    if (b.position >= 0 && (a->position < 0 || b.position < a->position)) *a = b;
  }
  template <class Write>
  __device__ void finish(const Part& a, int64_t, const Write& write) const {
    write(0, a.position);
    write(1, a.value);
  }
};

}  // namespace

Status fold_outside(diopiContextHandle_t ctx, int64_t below, int64_t allowed, const FoldCall& call) {
  return run_fold(ctx, Outside{below, allowed}, call);
}

}  // namespace impl::cuda
