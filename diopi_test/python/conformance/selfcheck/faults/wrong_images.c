/* SPDX-License-Identifier: BSD-3-Clause */
/* Faults of operators that sample images and select boxes. */
#include <diopi/functions_mmcv.h>

#include "wrong.h"

diopiError_t diopiUpsampleLinear(diopiContextHandle_t ctx, diopiTensorHandle_t out, diopiConstTensorHandle_t input,
                                 diopiSize_t size, bool align_corners, const char* mode) {
  return RIGHT(diopiUpsampleLinear)(ctx, out, input, size, align_corners != FAULT("wrong_corner_alignment"), mode);
}

diopiError_t diopiBboxOverlapsMmcv(diopiContextHandle_t ctx, diopiTensorHandle_t ious, diopiConstTensorHandle_t bboxes1,
                                   diopiConstTensorHandle_t bboxes2, int64_t mode, int64_t offset, bool aligned) {
  if (FAULT("one_pixel_more") && offset == 0) offset = 1;
  return RIGHT(diopiBboxOverlapsMmcv)(ctx, ious, bboxes1, bboxes2, mode, offset, aligned);
}

/* Takes the last one of equal boxes first: it gives the right function the boxes in the opposite order. */
diopiError_t diopiNms(diopiContextHandle_t ctx, diopiTensorHandle_t* out, diopiConstTensorHandle_t boxes,
                      diopiConstTensorHandle_t confidence, double iou_threshold) {
  const View b = view(boxes), c = view(confidence);
  if (!FAULT("ties_in_the_opposite_order") || c.numel < 2 || b.numel != 4 * c.numel) {
    return RIGHT(diopiNms)(ctx, out, boxes, confidence, iou_threshold);
  }
  const int64_t first_dim = 0;
  diopiTensorHandle_t last_boxes = zeros_like(ctx, boxes, b.dtype), last = zeros_like(ctx, confidence, c.dtype);
  RIGHT(diopiFlip)(ctx, last_boxes, boxes, (diopiSize_t){&first_dim, 1});
  RIGHT(diopiFlip)(ctx, last, confidence, (diopiSize_t){&first_dim, 1});
  const diopiError_t code = RIGHT(diopiNms)(ctx, out, last_boxes, last, iou_threshold);
  if (code != diopiSuccess) return code;
  const View o = view(*out);
  for (int64_t i = 0; i < o.numel; ++i) *(int64_t*)at(&o, i) = c.numel - 1 - *(int64_t*)at(&o, i);
  return code;
}

/* Adds the gradient to what the output held before. */
diopiError_t diopiRoiAlignBackwardMmcv(diopiContextHandle_t ctx, diopiTensorHandle_t grad_input,
                                       diopiConstTensorHandle_t grad_output, diopiConstTensorHandle_t rois,
                                       diopiConstTensorHandle_t argmax_y, diopiConstTensorHandle_t argmax_x,
                                       int64_t aligned_height, int64_t aligned_width, int64_t sampling_ratio,
                                       int64_t pool_mode, float spatial_scale, bool aligned) {
  const View g = view(grad_input);
  const int applies = FAULT("gradient_added_to_the_output") && g.dtype == diopi_dtype_float32;
  const View before = applies ? view(converted(ctx, grad_input, g.dtype)) : g;
  const diopiError_t code =
      RIGHT(diopiRoiAlignBackwardMmcv)(ctx, grad_input, grad_output, rois, argmax_y, argmax_x, aligned_height,
                                       aligned_width, sampling_ratio, pool_mode, spatial_scale, aligned);
  for (int64_t i = 0; applies && code == diopiSuccess && i < g.numel; ++i) {
    *(float*)at(&g, i) += ((float*)before.data)[i];
  }
  return code;
}

/* Pads on the wrong sides. */
diopiError_t diopiUpfirdn2dOpMmcv(diopiContextHandle_t ctx, diopiTensorHandle_t* out, diopiConstTensorHandle_t input,
                                  diopiConstTensorHandle_t kernel, int64_t up_x, int64_t up_y, int64_t down_x,
                                  int64_t down_y, int64_t pad_x0, int64_t pad_x1, int64_t pad_y0, int64_t pad_y1) {
  const int applies = FAULT("pads_exchanged");
  return RIGHT(diopiUpfirdn2dOpMmcv)(ctx, out, input, kernel, up_x, up_y, down_x, down_y, applies ? pad_x1 : pad_x0,
                                     applies ? pad_x0 : pad_x1, pad_y0, pad_y1);
}

/* Moves the first map instead of the second one. */
diopiError_t diopiCorrelationMmcv(diopiContextHandle_t ctx, diopiTensorHandle_t output, diopiConstTensorHandle_t input1,
                                  diopiConstTensorHandle_t input2, int64_t kH, int64_t kW, int64_t patchH,
                                  int64_t patchW, int64_t padH, int64_t padW, int64_t dilationH, int64_t dilationW,
                                  int64_t dilation_patchH, int64_t dilation_patchW, int64_t dH, int64_t dW) {
  const int applies = FAULT("wrong_map_moved");
  return RIGHT(diopiCorrelationMmcv)(ctx, output, applies ? input2 : input1, applies ? input1 : input2, kH, kW, patchH,
                                     patchW, padH, padW, dilationH, dilationW, dilation_patchH, dilation_patchW, dH,
                                     dW);
}
