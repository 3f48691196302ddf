// SPDX-License-Identifier: BSD-3-Clause
// Samples of images at given coordinates, with zeros outside.
#ifndef IMPL_CPU_SAMPLING_GRID_SAMPLE_HPP_
#define IMPL_CPU_SAMPLING_GRID_SAMPLE_HPP_

#include <diopi/diopirt.h>

#include <cstdint>

#include "impl/common/engine/resample.hpp"

namespace impl::cpu {

// Strides in elements. The positions of an image are D * H * W in the input and `points` in the grid and the output.
struct GridArgs {
  const void* in = nullptr;
  const void* grid = nullptr;  // [N, points, coordinates]
  void* out = nullptr;         // [N, C, points]
  diopi::Interpolation kind = diopi::Interpolation::kLinear;
  int spatial = 2;
  int64_t images = 0, channels = 0, points = 0;
  int64_t extent[3] = {1, 1, 1};  // D, H, W
  int64_t in_stride[5] = {};
  int64_t grid_stride[3] = {};
  int64_t out_stride[3] = {};
};

// The largest extent of an image, and the largest distance of two elements of one channel.
constexpr int64_t kLargestGridExtent = int64_t{1} << 30, kLargestGridSpan = INT32_MAX;

// The points that are handled together; a multiple of the lanes of all vectors.
constexpr int64_t kGridBlock = 128;

// Samples blocks of points [begin, end).
using SampleFn = void (*)(const GridArgs& args, int64_t begin, int64_t end);

// float32 and float64; false for other dtypes.
bool grid_sample(diopiDtype_t dtype, const GridArgs& args);

}  // namespace impl::cpu

#endif  // IMPL_CPU_SAMPLING_GRID_SAMPLE_HPP_
