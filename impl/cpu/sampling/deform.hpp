// SPDX-License-Identifier: BSD-3-Clause
// The samples of a deformable convolution as rows of a matrix, and their gradients.
#ifndef IMPL_CPU_SAMPLING_DEFORM_HPP_
#define IMPL_CPU_SAMPLING_DEFORM_HPP_

#include <cstdint>

#include "impl/common/dtype.hpp"

namespace impl::cpu {

// A block of output positions of one image. All arrays have one type, float or double, and are packed. Row p of
// `columns` has the samples of one position in the order [groups, kernel, C / groups].
struct DeformTile {
  const void* image = nullptr;   // [H * W, C]
  const void* offset = nullptr;  // [2 * deform_groups * kernel, Ho * Wo]
  const void* mask = nullptr;    // [deform_groups * kernel, Ho * Wo]; null: 1
  const void* zeros = nullptr;   // C zeros
  void* columns = nullptr;       // samples, or their gradients

  int64_t height = 0, width = 0, channels = 0;
  int64_t out_height = 0, out_width = 0;
  int64_t kernel[2] = {}, stride[2] = {}, padding[2] = {}, dilation[2] = {};
  int64_t groups = 1, deform_groups = 1;

  int64_t first_row = 0, first_col = 0;  // of the block
  int64_t rows = 0, cols = 0;            // of the block; some may lie behind the image
  int64_t kernel_area() const { return kernel[0] * kernel[1]; }
};

// Fills the rows of positions [begin, end) of the block.
using DeformColumnsFn = void (*)(const DeformTile& tile, int64_t begin, int64_t end);
DeformColumnsFn deform_columns_kernel(diopiDtype_t dtype);

// Computes the gradients of offsets and masks of positions [begin, end). The arrays have the layouts of `offset` and
// `mask`; grad_mask may be null.
using DeformOffsetGradientsFn = void (*)(const DeformTile& tile, void* grad_offset, void* grad_mask, int64_t begin,
                                         int64_t end);
DeformOffsetGradientsFn deform_offset_gradients_kernel(diopiDtype_t dtype);

// Some channels and rows of an image, from the first to below the end.
struct ImagePart {
  int64_t first_channel, channel_end, first_row, row_end;
};
// Adds the gradients of all positions to a part of grad_image [H * W, C].
using DeformImageGradientFn = void (*)(const DeformTile& tile, void* grad_image, const ImagePart& part);
DeformImageGradientFn deform_image_gradient_kernel(diopiDtype_t dtype);

// Adds to counts[r] the number of points of the block that have neighbours in row r of the image.
using DeformRowCountsFn = void (*)(const DeformTile& tile, int64_t* counts);
DeformRowCountsFn deform_row_counts_kernel(diopiDtype_t dtype);

}  // namespace impl::cpu

#endif  // IMPL_CPU_SAMPLING_DEFORM_HPP_
