// SPDX-License-Identifier: BSD-3-Clause
// Upright regions as kernels read them.
#ifndef IMPL_CUDA_KERNELS_ROI_REGION_CUH_
#define IMPL_CUDA_KERNELS_ROI_REGION_CUH_

#include "impl/common/engine/roi.hpp"
#include "impl/cuda/kernels/roi/axis.cuh"
#include "impl/cuda/kernels/rows/operands.cuh"

namespace impl::cuda {

// The extents and strides of a tensor of four dimensions.
struct Layout {
  int64_t extent[4], stride[4];
};

struct Regions {
  RegionFrame frame;
  Layout images, bins;
  const void* rois;
  int64_t count, row_stride, column_stride;
};

// The samples of a region of tensors of the type T.
template <typename T>
struct Region {
  RegionAxis<!std::is_same_v<T, double>> y, x;
  double share;  // 1 / the number of samples of a bin
  double image;  // a whole number; there may be no such image
  int64_t number;
};

template <typename T>
__device__ void read_region(const Regions& p, int64_t number, Region<T>* region) {
  double roi[5];
  const T* row = static_cast<const T*>(p.rois) + number * p.row_stride;
  for (int k = 0; k < 5; ++k) roi[k] = convert<double>(row[k * p.column_stride]);
  region->number = number;
  region->image = trunc(roi[0]);
  region->x.set(p.frame, roi[1], roi[3], p.bins.extent[3], p.images.extent[3]);
  region->y.set(p.frame, roi[2], roi[4], p.bins.extent[2], p.images.extent[2]);
  const double samples = region->y.count * region->x.count;
  region->share = samples >= 1 ? 1 / samples : 1;
}

inline Layout layout_of(const TensorView& view) {
  Layout layout{};
  for (int d = 0; d < 4; ++d) {
    layout.extent[d] = view.shape[d];
    layout.stride[d] = view.stride[d];
  }
  return layout;
}

inline Regions regions_of(const RoiGrid& grid, const TensorView& images, const TensorView& bins,
                          const TensorView& rois) {
  Regions p{};
  p.frame = {grid.scale, grid.shift, grid.at_least_one ? 1 : 0, grid.ratio, grid.counts_in_float32 ? 1 : 0};
  p.images = layout_of(images);
  p.bins = layout_of(bins);
  p.rois = rois.data;
  p.count = rois.shape[0];
  p.row_stride = rois.stride[0];
  p.column_stride = rois.stride[1];
  return p;
}

}  // namespace impl::cuda

#endif  // IMPL_CUDA_KERNELS_ROI_REGION_CUH_
