// SPDX-License-Identifier: BSD-3-Clause
// Interpolations along up to three dimensions, and their adjoints, as tables of taps.
#ifndef IMPL_CPU_SAMPLING_RESAMPLE_HPP_
#define IMPL_CPU_SAMPLING_RESAMPLE_HPP_

#include <diopi/diopirt.h>

#include <cstdint>

#include "impl/cpu/sampling/taps.hpp"

namespace impl::cpu {

// Images [N, C, D, H, W] and their strides in elements.
struct ResampleArgs {
  const void* in = nullptr;
  void* out = nullptr;
  int64_t images = 0, channels = 0;
  int64_t in_stride[5] = {}, out_stride[5] = {};
  const void* taps[3] = {};  // Taps<float>, or Taps<double> for float64, of D, H and W
};

// The work of an implementation: rows of the output, and the memory that it needs for a part of them.
struct ResampleWork {
  int64_t rows = 0;
  int64_t scratch = 0;      // bytes
  int64_t picoseconds = 0;  // for a row
};
// Computes rows [begin, end) of the output.
using ResampleFn = void (*)(const ResampleArgs& args, int64_t begin, int64_t end, void* scratch);

// Along the columns of each channel. A row of the output is one of one channel. Any strides.
ResampleWork plan_resample_planes(diopiDtype_t dtype, const ResampleArgs& args);
ResampleFn resample_planes(diopiDtype_t dtype);
// Along the channels, which are adjacent in both tensors. A row of the output has all channels.
ResampleWork plan_resample_channels(diopiDtype_t dtype, const ResampleArgs& args);
ResampleFn resample_channels(diopiDtype_t dtype);
// Groups of small planes are transposed, so that the positions of several planes are vectors, and computed as along the
// channels. A row is a group. The planes of both tensors must be packed, one after another, and a group must be small.
bool has_small_planes(diopiDtype_t dtype, const ResampleArgs& args);
ResampleWork plan_resample_small_planes(diopiDtype_t dtype, const ResampleArgs& args);
ResampleFn resample_small_planes(diopiDtype_t dtype);

// Copies the nearest elements: `index` has the input positions of D, H and W of the output. Any dtype.
struct NearestArgs {
  const char* in = nullptr;
  char* out = nullptr;
  int64_t itemsize = 0, images = 0, channels = 0;
  int64_t extent[3] = {}, from[3] = {};  // of the output and of the input
  int64_t in_stride[5] = {}, out_stride[5] = {};
  const int32_t* index[3] = {};
};
void copy_nearest(const NearestArgs& args);

}  // namespace impl::cpu

#endif  // IMPL_CPU_SAMPLING_RESAMPLE_HPP_
