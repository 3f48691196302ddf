// SPDX-License-Identifier: BSD-3-Clause
// What a vendor implements for operators of mmcv that move elements of feature maps and filters, and for CARAFE.
// Families have checked shapes, dtypes and attributes; the tensors of a call have one dtype, and outputs overlap
// nothing. The formulas are those of the registry.
#ifndef IMPL_COMMON_ENGINE_FEATURE_MAPS_HPP_
#define IMPL_COMMON_ENGINE_FEATURE_MAPS_HPP_

#include "impl/common/plan/windows.hpp"
#include "impl/common/tensor_view.hpp"

namespace diopi {

// The positions of a mask, int64 [M].
struct MaskPositions {
  const TensorView &row, &column;
};

// The windows around the positions; pairs are vertical, horizontal.
struct MaskWindow {
  int64_t kernel[2], padding[2];
};

// A mask of cells around each position of a feature map.
struct PositionMask {
  bool distribute;  // the second kind of diopiPsamaskMmcv
  int64_t height, width;
  int64_t mask_height, mask_width, half_height, half_width;
};

// The attributes of diopiCarafeMmcv. If `packed_last`, the features are any tensor whose elements in row-major order
// are those of [N, H, W, C].
struct CarafeSetup {
  int64_t kernel, groups, scale;
  bool packed_last;
};

// The attributes of diopiUpfirdn2dOpMmcv; pairs are vertical, horizontal. `pad` is that before the first element.
struct UpfirdnSetup {
  int64_t up[2], down[2], pad[2];
};

// The attributes of diopiCorrelationMmcv; pairs are vertical, horizontal.
struct CorrelationSetup {
  Windows windows;  // of the kernel, in both maps
  int64_t patch[2], patch_dilation[2];
};

// Bias, leaky ReLU and a factor. The slope holds where the sum, or `refer` if it is given, is not positive; with
// `slope_everywhere`, for all elements.
struct BiasActivation {
  const TensorView *bias, *refer;  // may be null
  bool slope_everywhere;
  double slope, scale;
};

}  // namespace diopi

namespace impl::DIOPI_VENDOR {

using diopi::BiasActivation;
using diopi::CarafeSetup;
using diopi::CorrelationSetup;
using diopi::MaskPositions;
using diopi::MaskWindow;
using diopi::PositionMask;
using diopi::Status;
using diopi::TensorView;
using diopi::UpfirdnSetup;

// col [C * kernel, M] = the windows of im [1, C, H, W] around the positions; 0 outside.
Status masked_columns(diopiContextHandle_t ctx, const TensorView& col, const TensorView& im,
                      const MaskPositions& positions, const MaskWindow& window);
// im [1, C, H, W] = the columns of col [C, M] at the positions; 0 elsewhere. An error names a position outside.
Status masked_image(diopiContextHandle_t ctx, const TensorView& im, const TensorView& col,
                    const MaskPositions& positions);

// maps [N, height * width, height, width] from cells [N, mask cells, height, width], or the reverse.
Status spread_mask(diopiContextHandle_t ctx, const PositionMask& mask, const TensorView& maps, const TensorView& cells);
Status collect_mask(diopiContextHandle_t ctx, const PositionMask& mask, const TensorView& cells,
                    const TensorView& maps);

// Shifts the frames of groups of channels; shift is int32 [N, G].
Status shift_frames(diopiContextHandle_t ctx, const TensorView& out, const TensorView& in, const TensorView& shift);

// Checks that the numbers of `indices` are 1 to `entries`. An error names a number outside.
Status check_rotations(diopiContextHandle_t ctx, const TensorView& indices, int64_t entries);
// filters [O, I, no, kH, kW], rotated [O * R, I * no, kH, kW], indices int32 [no, kH, kW, R].
Status rotate_filters(diopiContextHandle_t ctx, const TensorView& rotated, const TensorView& filters,
                      const TensorView& indices);
Status rotate_filters_backward(diopiContextHandle_t ctx, const TensorView& grad, const TensorView& grad_rotated,
                               const TensorView& indices);

// Writes `output`, and the elements of `features` in the order N, H, W, C to `packed`, unless that is null.
Status reassemble(diopiContextHandle_t ctx, const CarafeSetup& setup, const TensorView& output,
                  const TensorView& features, const TensorView& masks, const TensorView* packed);
Status reassemble_backward(diopiContextHandle_t ctx, const CarafeSetup& setup, const TensorView& grad_features,
                           const TensorView& grad_masks, const TensorView& grad_output, const TensorView& features,
                           const TensorView& masks);

// `out` is contiguous and has the dtype of `in`, for the following two.
Status activate_with_bias(diopiContextHandle_t ctx, const TensorView& out, const TensorView& in,
                          const BiasActivation& call);
// in [major, H, W, minor].
Status filter_upsampled(diopiContextHandle_t ctx, const UpfirdnSetup& setup, const TensorView& out,
                        const TensorView& in, const TensorView& kernel);

// output [N, patch, patch, Ho, Wo].
Status correlate(diopiContextHandle_t ctx, const CorrelationSetup& setup, const TensorView& output,
                 const TensorView& first, const TensorView& second);
Status correlate_backward(diopiContextHandle_t ctx, const CorrelationSetup& setup, const TensorView& grad_first,
                          const TensorView& grad_second, const TensorView& grad_output, const TensorView& first,
                          const TensorView& second);

}  // namespace impl::DIOPI_VENDOR

#endif  // IMPL_COMMON_ENGINE_FEATURE_MAPS_HPP_
