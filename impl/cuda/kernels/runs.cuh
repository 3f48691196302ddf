// SPDX-License-Identifier: BSD-3-Clause
// Runs: the innermost loop of a nest along which each operand is contiguous or repeats one element. A thread computes
// a group of adjacent elements of a run. Sources of the host include this header, too.
#ifndef IMPL_CUDA_KERNELS_RUNS_CUH_
#define IMPL_CUDA_KERNELS_RUNS_CUH_

#include "impl/cuda/kernels/strided.cuh"

namespace impl::cuda {

// Operand 0 is the output.
template <int kOperands>
struct Runs {
  Strided<kOperands> outer;      // the loops outside of the runs
  uint32_t length = 1;           // elements of a run
  Divider groups;                // groups of a run, of which the last may be shorter
  int32_t step[kOperands] = {};  // 1: the operand is contiguous; 0: it has one element for the whole run

  __host__ __device__ uint32_t threads() const { return groups.divisor * outer.numel; }

  // The offset of each operand at the first element of a thread. Returns how many elements the thread computes.
  template <int kItems>
  __host__ __device__ int locate(uint32_t thread, int32_t (&offset)[kOperands]) const {
    const uint32_t run = groups.quotient(thread), first = (thread - run * groups.divisor) * kItems;
    outer.offsets(run, offset);
    for (int k = 0; k < kOperands; ++k) offset[k] += static_cast<int32_t>(first) * step[k];
    return length - first < kItems ? static_cast<int>(length - first) : kItems;
  }
};

// Whether threads can compute groups of `items` elements of a nest with accesses of up to 16 bytes: the runs are not
// shorter than a group, and all groups of the contiguous operands are aligned. Elements of operand k have size[k]
// bytes.
template <int kOperands>
bool find_runs(const Strided<kOperands>& nest, int items, const void* const (&data)[kOperands],
               const int (&size)[kOperands], Runs<kOperands>* runs) {
  if (nest.loops == 0 || nest.stride[0][0] != 1 || nest.extent[0].divisor < static_cast<uint32_t>(items)) return false;
  Runs<kOperands> r;
  r.length = nest.extent[0].divisor;
  r.groups = Divider((r.length + items - 1) / items);
  r.outer.loops = nest.loops - 1;
  for (int i = 1; i < nest.loops; ++i) {
    r.outer.extent[i - 1] = nest.extent[i];
    r.outer.numel *= nest.extent[i].divisor;
    for (int k = 0; k < kOperands; ++k) r.outer.stride[i - 1][k] = nest.stride[i][k];
  }
  for (int k = 0; k < kOperands; ++k) {
    r.step[k] = nest.stride[0][k];
    if (r.step[k] == 0) continue;
    const int bytes = items * size[k] < 16 ? items * size[k] : 16;
    if (r.step[k] != 1 || reinterpret_cast<uintptr_t>(data[k]) % bytes != 0) return false;
    for (int i = 1; i < nest.loops; ++i) {
      if (int64_t{nest.stride[i][k]} * size[k] % bytes != 0) return false;
    }
  }
  *runs = r;
  return true;
}

}  // namespace impl::cuda

#endif  // IMPL_CUDA_KERNELS_RUNS_CUH_
