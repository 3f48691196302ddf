// SPDX-License-Identifier: BSD-3-Clause
// Gradients of pooling where a block computes whole planes: it reads what each window has once, keeps it in shared
// memory, and adds up for each input element the windows that hold it.
#ifndef IMPL_CUDA_KERNELS_POOL_PLANE_BLOCKS_CUH_
#define IMPL_CUDA_KERNELS_POOL_PLANE_BLOCKS_CUH_

#include "impl/common/step_memory.hpp"
#include "impl/cuda/engine/stream.hpp"
#include "impl/cuda/kernels/pool/windows.cuh"

namespace impl::cuda {

inline constexpr int kMostPlaneThreads = 1024;

// Up to kItems adjacent input elements of a row. `outputs`: the number of outputs of the block before those of the
// plane.
struct PlaneItems {
  int32_t at[5], count, outputs;
};

// The planes of a call: planes * outputs windows, and planes * groups groups of input elements.
struct PlaneBlocks {
  Pooling<int32_t> pooling;
  DividerOf<int32_t> row_groups;
  int32_t planes, of_block, outputs, groups;

  __device__ int32_t first_plane() const { return static_cast<int32_t>(blockIdx.x) * of_block; }
  __device__ int32_t planes_here() const { return min(of_block, planes - first_plane()); }
  // The number of an output in its tensor; `slot` is that in the block.
  __device__ int32_t output_of(int32_t slot) const { return first_plane() * outputs + slot; }

  // The items of group `number` of the block.
  template <int kItems>
  __device__ PlaneItems items_of(int32_t number) const {
    const auto& dim = pooling.dim;
    PlaneItems items;
    int32_t rest = number;
    items.at[4] = row_groups.split(&rest) * kItems;
    items.at[3] = dim[1].in.split(&rest);
    items.at[2] = dim[0].in.split(&rest);
    items.outputs = rest * outputs;
    items.at[0] = first_plane() + rest;
    items.at[1] = pooling.channels.split(&items.at[0]);
    items.count = min(dim[2].in.divisor() - items.at[4], kItems);
    return items;
  }
};

// The windows that may hold one of `count` adjacent input elements: output positions begin <= o < end.
template <typename Index>
__device__ void windows_of(const PoolWindow<Index>* dim, const Index* at, int count, Index* begin, Index* end) {
  for (int d = 0; d < 3; ++d) dim[d].outputs(at[d], &begin[d], &end[d]);
  Index unused;
  if (count > 1) dim[2].outputs(at[2] + count - 1, &unused, &end[2]);
}

// How a call with `items` elements in a group is divided into blocks.
struct PlaneLaunch {
  PlaneBlocks blocks;
  int threads;
  int64_t grid;
  int64_t slots;  // windows of a block
};

// Returns whether the windows of a plane, with `bytes` bytes each, fit the shared memory, and whether there are enough
// planes for all multiprocessors.
inline bool find_plane_launch(const diopi::Windows& windows, const diopi::Averaging& averaging,
                              const diopi::TensorView& grad_input, int bytes, int items, PlaneLaunch* launch) {
  constexpr int64_t kMostBytes = 48 << 10, kFewPlanes = 96, kSmallPlane = 4096;
  constexpr int64_t kWantedGroups = 1024, kWantedBlocks = 528;
  const int64_t planes = grad_input.shape[0] * grad_input.shape[1], inputs = grad_input.numel / planes;
  const int64_t outputs = windows.dim[0].out * windows.dim[1].out * windows.dim[2].out;
  if (outputs * bytes > kMostBytes || (planes < kFewPlanes && inputs > kSmallPlane)) return false;
  if (has_channels_last(grad_input)) return false;
  const int64_t width = grad_input.shape[4], row_groups = (width + items - 1) / items;
  const int64_t groups = inputs / width * row_groups;
  const int64_t fitting = std::min({kMostBytes / (outputs * bytes), kWantedGroups / groups, planes / kWantedBlocks});
  const int64_t of_block = std::max<int64_t>(1, fitting);
  launch->blocks = {Pooling<int32_t>(windows, grad_input.shape[1], averaging),
                    DividerOf<int32_t>(row_groups),
                    static_cast<int32_t>(planes),
                    static_cast<int32_t>(of_block),
                    static_cast<int32_t>(outputs),
                    static_cast<int32_t>(groups)};
  const int64_t wanted = groups * of_block;
  launch->threads = wanted > 4096 ? kMostPlaneThreads : wanted > 1024 ? 512 : 256;
  launch->grid = (planes + of_block - 1) / of_block;
  launch->slots = of_block * outputs;
  return launch->grid <= INT32_MAX && planes * std::max(outputs, groups) <= INT32_MAX / 2;
}

template <typename... P, class Call>
Status launch_planes(diopiContextHandle_t ctx, void (*kernel)(P...), const PlaneLaunch& planes, int bytes,
                     const Call& call) {
  if (diopi::in_dry_run()) return diopiSuccess;
  cudaStream_t stream = nullptr;
  DIOPI_TRY(stream_of(ctx, &stream));
  const dim3 grid(static_cast<unsigned>(planes.grid)), block(static_cast<unsigned>(planes.threads));
  return checked(launch(kernel, grid, block, static_cast<size_t>(planes.slots * bytes), stream, call), "a launch");
}

// The items of a group that one access can write.
inline int plane_items(const diopi::TensorView& grad_input) {
  for (const int items : {4, 2}) {
    if (grad_input.shape[4] % items == 0 && has_aligned_rows(grad_input, items)) return items;
  }
  return 1;
}

}  // namespace impl::cuda

#endif  // IMPL_CUDA_KERNELS_POOL_PLANE_BLOCKS_CUH_
