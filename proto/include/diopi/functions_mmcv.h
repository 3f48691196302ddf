/* Generated from proto/registry by adaptor/codegen/headers.py. Do not edit. */
/**
 * @file
 * Operators of DIOPI. All are weak: where a vendor's library has no such operator, its address is null. Rules that
 * hold for every operator are in proto/registry/README.md.
 */
#ifndef DIOPI_FUNCTIONS_MMCV_H_
#define DIOPI_FUNCTIONS_MMCV_H_

#include "diopirt.h"

#ifdef __cplusplus
extern "C" {
#endif

/** @name mmcv_box
 * Overlaps and suppression of axis-aligned, rotated and polygonal boxes, as in mmcv.
 */
/** @{ */

/**
 * Overlap of axis-aligned boxes, mmcv's `bbox_overlaps`.
 *
 * @param[in]  ctx      context of the call
 * @param[out] ious
 * @param[in]  bboxes1
 * @param[in]  bboxes2
 * @param[in]  mode     0: intersection over union; 1: over the first box
 * @param[in]  offset   added to widths and heights, 0 or 1
 * @param[in]  aligned  pair by pair instead of all against all
 */
DIOPI_API diopiError_t diopiBboxOverlapsMmcv(diopiContextHandle_t ctx, diopiTensorHandle_t ious,
                                             diopiConstTensorHandle_t bboxes1, diopiConstTensorHandle_t bboxes2,
                                             int64_t mode, int64_t offset, bool aligned);

/**
 * Overlap of rotated boxes (x, y, w, h, angle), mmcv's `box_iou_rotated`.
 *
 * @param[in]  ctx      context of the call
 * @param[out] ious
 * @param[in]  bboxes1
 * @param[in]  bboxes2
 * @param[in]  mode     0: intersection over union; 1: over the first box
 * @param[in]  aligned  pair by pair instead of all against all
 */
DIOPI_API diopiError_t diopiBoxIouRotatedMmcv(diopiContextHandle_t ctx, diopiTensorHandle_t ious,
                                              diopiConstTensorHandle_t bboxes1, diopiConstTensorHandle_t bboxes2,
                                              int64_t mode, bool aligned);

/**
 * Overlap of quadrilaterals of four corners, mmcv's `box_iou_quadri`.
 *
 * @param[in]  ctx      context of the call
 * @param[out] ious
 * @param[in]  bboxes1
 * @param[in]  bboxes2
 * @param[in]  mode     0: intersection over union; 1: over the first box
 * @param[in]  aligned  pair by pair instead of all against all
 */
DIOPI_API diopiError_t diopiBoxIouQuadriMmcv(diopiContextHandle_t ctx, diopiTensorHandle_t ious,
                                             diopiConstTensorHandle_t bboxes1, diopiConstTensorHandle_t bboxes2,
                                             int64_t mode, bool aligned);

/**
 * Area of overlap of 3D boxes seen from above, mmcv's `boxes_overlap_bev`.
 *
 * @param[in]  ctx          context of the call
 * @param[out] ans_overlap
 * @param[in]  boxes_a
 * @param[in]  boxes_b
 */
DIOPI_API diopiError_t diopiIou3dBoxesOverlapBevMmcv(diopiContextHandle_t ctx, diopiTensorHandle_t ans_overlap,
                                                     diopiConstTensorHandle_t boxes_a,
                                                     diopiConstTensorHandle_t boxes_b);

/**
 * Suppression of rotated 3D boxes by their overlap seen from above, mmcv's `nms3d`.
 *
 * @param[in]  ctx                 context of the call
 * @param[out] keep                indices of the boxes kept; the first keep_num are valid
 * @param[out] keep_num            number of boxes kept
 * @param[in]  boxes               (x, y, z, dx, dy, dz, heading), best score first
 * @param[in]  nms_overlap_thresh
 */
DIOPI_API diopiError_t diopiIou3dNms3dMmcv(diopiContextHandle_t ctx, diopiTensorHandle_t keep,
                                           diopiTensorHandle_t keep_num, diopiConstTensorHandle_t boxes,
                                           float nms_overlap_thresh);

/**
 * Suppression of 3D boxes by their overlap seen from above with heading ignored, mmcv's `nms3d_normal`.
 *
 * @param[in]  ctx                 context of the call
 * @param[out] keep                indices of the boxes kept; the first keep_num are valid
 * @param[out] keep_num            number of boxes kept
 * @param[in]  boxes               (x, y, z, dx, dy, dz, heading), best score first
 * @param[in]  nms_overlap_thresh
 */
DIOPI_API diopiError_t diopiIou3dNms3dNormalMmcv(diopiContextHandle_t ctx, diopiTensorHandle_t keep,
                                                 diopiTensorHandle_t keep_num, diopiConstTensorHandle_t boxes,
                                                 float nms_overlap_thresh);

/**
 * Indices of the boxes kept by non-maximum suppression, mmcv's `nms`.
 *
 * @param[in]  ctx            context of the call
 * @param[out] out            created by the callee
 * @param[in]  dets
 * @param[in]  scores
 * @param[in]  iou_threshold
 * @param[in]  offset         added to widths and heights, 0 or 1
 */
DIOPI_API diopiError_t diopiNmsMmcv(diopiContextHandle_t ctx, diopiTensorHandle_t* out, diopiConstTensorHandle_t dets,
                                    diopiConstTensorHandle_t scores, double iou_threshold, int64_t offset);

/**
 * Indices of the rotated boxes kept by non-maximum suppression, mmcv's `nms_rotated`.
 *
 * @param[in]  ctx            context of the call
 * @param[out] out            created by the callee
 * @param[in]  dets
 * @param[in]  scores
 * @param[in]  order          indices of the boxes, best score first
 * @param[in]  dets_sorted    `dets` in that order
 * @param[in]  labels
 * @param[in]  iou_threshold
 * @param[in]  multi_label    suppress only among boxes of one label
 */
DIOPI_API diopiError_t diopiNmsRotatedMmcv(diopiContextHandle_t ctx, diopiTensorHandle_t* out,
                                           diopiConstTensorHandle_t dets, diopiConstTensorHandle_t scores,
                                           diopiConstTensorHandle_t order, diopiConstTensorHandle_t dets_sorted,
                                           diopiConstTensorHandle_t labels, float iou_threshold, bool multi_label);

/**
 * Corners of the smallest rectangle around each set of nine points, mmcv's `min_area_polygons`.
 *
 * @param[in]  ctx        context of the call
 * @param[out] polygons
 * @param[in]  pointsets
 */
DIOPI_API diopiError_t diopiMinAreaPolygonsMmcv(diopiContextHandle_t ctx, diopiTensorHandle_t polygons,
                                                diopiConstTensorHandle_t pointsets);

/**
 * Overlap of the convex hulls of point sets with polygons, mmcv's `convex_iou`.
 *
 * @param[in]  ctx        context of the call
 * @param[out] ious
 * @param[in]  pointsets
 * @param[in]  polygons
 */
DIOPI_API diopiError_t diopiConvexIouMmcv(diopiContextHandle_t ctx, diopiTensorHandle_t ious,
                                          diopiConstTensorHandle_t pointsets, diopiConstTensorHandle_t polygons);

/**
 * Generalised overlap of convex hulls with polygons and its gradient, [N, 19], mmcv's `convex_giou`.
 *
 * @param[in]  ctx        context of the call
 * @param[out] output     18 gradients of the points, then the overlap, per row
 * @param[in]  pointsets
 * @param[in]  polygons
 */
DIOPI_API diopiError_t diopiConvexGiouMmcv(diopiContextHandle_t ctx, diopiTensorHandle_t output,
                                           diopiConstTensorHandle_t pointsets, diopiConstTensorHandle_t polygons);

/**
 * Order of the vertices of box intersections around their centre, mmcv's `diff_iou_rotated_sort_vertices`.
 *
 * @param[in]  ctx        context of the call
 * @param[out] out        created by the callee
 * @param[in]  vertices
 * @param[in]  mask
 * @param[in]  num_valid
 */
DIOPI_API diopiError_t diopiDiffIouRotatedSortVerticesMmcv(diopiContextHandle_t ctx, diopiTensorHandle_t* out,
                                                           diopiConstTensorHandle_t vertices,
                                                           diopiConstTensorHandle_t mask,
                                                           diopiConstTensorHandle_t num_valid);

/** @} */

/** @name mmcv_carafe
 * Upsampling, correlation, masked and filtering operators of mmcv.
 */
/** @{ */

/**
 * Content-aware reassembly of features, mmcv's `carafe`.
 *
 * @param[in]  ctx           context of the call
 * @param[out] rfeatures     scratch: `features` with channels last, read by the backward call
 * @param[out] routput       scratch: `output` with channels last
 * @param[out] rmasks        scratch: `masks` with channels last
 * @param[out] output
 * @param[in]  features
 * @param[in]  masks
 * @param[in]  kernel_size
 * @param[in]  group_size
 * @param[in]  scale_factor
 */
DIOPI_API diopiError_t diopiCarafeMmcv(diopiContextHandle_t ctx, diopiTensorHandle_t rfeatures,
                                       diopiTensorHandle_t routput, diopiTensorHandle_t rmasks,
                                       diopiTensorHandle_t output, diopiConstTensorHandle_t features,
                                       diopiConstTensorHandle_t masks, int64_t kernel_size, int64_t group_size,
                                       int64_t scale_factor);

/**
 * Gradients of diopiCarafeMmcv with respect to features and masks.
 *
 * @param[in]  ctx              context of the call
 * @param[out] rtop_grad        scratch
 * @param[out] rbottom_grad_hs  scratch
 * @param[out] rbottom_grad     scratch
 * @param[out] rmask_grad       scratch
 * @param[out] bottom_grad
 * @param[out] mask_grad
 * @param[in]  top_grad
 * @param[in]  rfeatures
 * @param[in]  masks
 * @param[in]  kernel_size
 * @param[in]  group_size
 * @param[in]  scale_factor
 */
DIOPI_API diopiError_t diopiCarafeBackwardMmcv(diopiContextHandle_t ctx, diopiTensorHandle_t rtop_grad,
                                               diopiTensorHandle_t rbottom_grad_hs, diopiTensorHandle_t rbottom_grad,
                                               diopiTensorHandle_t rmask_grad, diopiTensorHandle_t bottom_grad,
                                               diopiTensorHandle_t mask_grad, diopiConstTensorHandle_t top_grad,
                                               diopiConstTensorHandle_t rfeatures, diopiConstTensorHandle_t masks,
                                               int64_t kernel_size, int64_t group_size, int64_t scale_factor);

/**
 * diopiCarafeMmcv without scratch tensors, mmcv's `carafe_naive`.
 *
 * @param[in]  ctx           context of the call
 * @param[out] output
 * @param[in]  features
 * @param[in]  masks
 * @param[in]  kernel_size
 * @param[in]  group_size
 * @param[in]  scale_factor
 */
DIOPI_API diopiError_t diopiCarafeNaiveMmcv(diopiContextHandle_t ctx, diopiTensorHandle_t output,
                                            diopiConstTensorHandle_t features, diopiConstTensorHandle_t masks,
                                            int64_t kernel_size, int64_t group_size, int64_t scale_factor);

/**
 * Gradients of diopiCarafeNaiveMmcv with respect to features and masks.
 *
 * @param[in]  ctx           context of the call
 * @param[out] bottom_grad
 * @param[out] mask_grad
 * @param[in]  top_grad
 * @param[in]  features
 * @param[in]  masks
 * @param[in]  kernel_size
 * @param[in]  group_size
 * @param[in]  scale_factor
 */
DIOPI_API diopiError_t diopiCarafeNaiveBackwardMmcv(diopiContextHandle_t ctx, diopiTensorHandle_t bottom_grad,
                                                    diopiTensorHandle_t mask_grad, diopiConstTensorHandle_t top_grad,
                                                    diopiConstTensorHandle_t features, diopiConstTensorHandle_t masks,
                                                    int64_t kernel_size, int64_t group_size, int64_t scale_factor);

/**
 * Correlation of patches of two feature maps for optical flow, mmcv's `Correlation`.
 *
 * @param[in]  ctx              context of the call
 * @param[out] output
 * @param[in]  input1
 * @param[in]  input2
 * @param[in]  kH
 * @param[in]  kW
 * @param[in]  patchH
 * @param[in]  patchW
 * @param[in]  padH
 * @param[in]  padW
 * @param[in]  dilationH
 * @param[in]  dilationW
 * @param[in]  dilation_patchH
 * @param[in]  dilation_patchW
 * @param[in]  dH
 * @param[in]  dW
 */
DIOPI_API diopiError_t diopiCorrelationMmcv(diopiContextHandle_t ctx, diopiTensorHandle_t output,
                                            diopiConstTensorHandle_t input1, diopiConstTensorHandle_t input2,
                                            int64_t kH, int64_t kW, int64_t patchH, int64_t patchW, int64_t padH,
                                            int64_t padW, int64_t dilationH, int64_t dilationW,
                                            int64_t dilation_patchH, int64_t dilation_patchW, int64_t dH, int64_t dW);

/**
 * Gradients of diopiCorrelationMmcv with respect to both inputs.
 *
 * @param[in]  ctx              context of the call
 * @param[out] grad_input1
 * @param[out] grad_input2
 * @param[in]  grad_output
 * @param[in]  input1
 * @param[in]  input2
 * @param[in]  kH
 * @param[in]  kW
 * @param[in]  patchH
 * @param[in]  patchW
 * @param[in]  padH
 * @param[in]  padW
 * @param[in]  dilationH
 * @param[in]  dilationW
 * @param[in]  dilation_patchH
 * @param[in]  dilation_patchW
 * @param[in]  dH
 * @param[in]  dW
 */
DIOPI_API diopiError_t diopiCorrelationBackwardMmcv(diopiContextHandle_t ctx, diopiTensorHandle_t grad_input1,
                                                    diopiTensorHandle_t grad_input2,
                                                    diopiConstTensorHandle_t grad_output,
                                                    diopiConstTensorHandle_t input1, diopiConstTensorHandle_t input2,
                                                    int64_t kH, int64_t kW, int64_t patchH, int64_t patchW,
                                                    int64_t padH, int64_t padW, int64_t dilationH, int64_t dilationW,
                                                    int64_t dilation_patchH, int64_t dilation_patchW, int64_t dH,
                                                    int64_t dW);

/**
 * Adds bias, applies leaky ReLU and scales, or gives a derivative of that, mmcv's `fused_bias_leakyrelu`.
 *
 * @param[in]  ctx    context of the call
 * @param[out] out    created by the callee
 * @param[in]  input
 * @param[in]  bias   empty: none
 * @param[in]  refer  output of the forward call where grad > 0; empty otherwise
 * @param[in]  act    3: leaky ReLU; 1: linear
 * @param[in]  grad   0: the value; 1, 2: first and second derivative
 * @param[in]  alpha
 * @param[in]  scale
 */
DIOPI_API diopiError_t diopiFusedBiasLeakyreluMmcv(diopiContextHandle_t ctx, diopiTensorHandle_t* out,
                                                   diopiConstTensorHandle_t input, diopiConstTensorHandle_t bias,
                                                   diopiConstTensorHandle_t refer, int64_t act, int64_t grad,
                                                   float alpha, float scale);

/**
 * Columns of the image blocks around masked positions, mmcv's `masked_im2col_forward`.
 *
 * @param[in]  ctx         context of the call
 * @param[out] col
 * @param[in]  im
 * @param[in]  mask_h_idx
 * @param[in]  mask_w_idx
 * @param[in]  kernel_h
 * @param[in]  kernel_w
 * @param[in]  pad_h
 * @param[in]  pad_w
 */
DIOPI_API diopiError_t diopiMaskedIm2colMmcv(diopiContextHandle_t ctx, diopiTensorHandle_t col,
                                             diopiConstTensorHandle_t im, diopiConstTensorHandle_t mask_h_idx,
                                             diopiConstTensorHandle_t mask_w_idx, int64_t kernel_h, int64_t kernel_w,
                                             int64_t pad_h, int64_t pad_w);

/**
 * Writes columns back to the masked positions of an image, mmcv's `masked_col2im_forward`.
 *
 * @param[in]  ctx         context of the call
 * @param[out] im
 * @param[in]  col
 * @param[in]  mask_h_idx
 * @param[in]  mask_w_idx
 * @param[in]  height
 * @param[in]  width
 * @param[in]  channels
 */
DIOPI_API diopiError_t diopiMaskedCol2imMmcv(diopiContextHandle_t ctx, diopiTensorHandle_t im,
                                             diopiConstTensorHandle_t col, diopiConstTensorHandle_t mask_h_idx,
                                             diopiConstTensorHandle_t mask_w_idx, int64_t height, int64_t width,
                                             int64_t channels);

/**
 * Attention mask of point-wise spatial attention, mmcv's `PSAMask`.
 *
 * @param[in]  ctx          context of the call
 * @param[out] output
 * @param[in]  input
 * @param[in]  psa_type     0: collect; 1: distribute
 * @param[in]  num_
 * @param[in]  h_feature
 * @param[in]  w_feature
 * @param[in]  h_mask
 * @param[in]  w_mask
 * @param[in]  half_h_mask
 * @param[in]  half_w_mask
 */
DIOPI_API diopiError_t diopiPsamaskMmcv(diopiContextHandle_t ctx, diopiTensorHandle_t output,
                                        diopiConstTensorHandle_t input, int64_t psa_type, int64_t num_,
                                        int64_t h_feature, int64_t w_feature, int64_t h_mask, int64_t w_mask,
                                        int64_t half_h_mask, int64_t half_w_mask);

/**
 * Gradient of diopiPsamaskMmcv with respect to its input.
 *
 * @param[in]  ctx          context of the call
 * @param[out] grad_input
 * @param[in]  grad_output
 * @param[in]  psa_type     0: collect; 1: distribute
 * @param[in]  num_
 * @param[in]  h_feature
 * @param[in]  w_feature
 * @param[in]  h_mask
 * @param[in]  w_mask
 * @param[in]  half_h_mask
 * @param[in]  half_w_mask
 */
DIOPI_API diopiError_t diopiPsamaskBackwardMmcv(diopiContextHandle_t ctx, diopiTensorHandle_t grad_input,
                                                diopiConstTensorHandle_t grad_output, int64_t psa_type, int64_t num_,
                                                int64_t h_feature, int64_t w_feature, int64_t h_mask, int64_t w_mask,
                                                int64_t half_h_mask, int64_t half_w_mask);

/**
 * Shifts groups of channels along time, mmcv's `tin_shift`.
 *
 * @param[in]  ctx     context of the call
 * @param[out] output
 * @param[in]  input
 * @param[in]  shift
 */
DIOPI_API diopiError_t diopiTinShiftMmcv(diopiContextHandle_t ctx, diopiTensorHandle_t output,
                                         diopiConstTensorHandle_t input, diopiConstTensorHandle_t shift);

/**
 * Gradient of diopiTinShiftMmcv with respect to its input.
 *
 * @param[in]  ctx          context of the call
 * @param[out] grad_input
 * @param[in]  grad_output
 * @param[in]  shift
 */
DIOPI_API diopiError_t diopiTinShiftBackwardMmcv(diopiContextHandle_t ctx, diopiTensorHandle_t grad_input,
                                                 diopiConstTensorHandle_t grad_output, diopiConstTensorHandle_t shift);

/**
 * Upsamples with zeros, filters and downsamples images, mmcv's `upfirdn2d`.
 *
 * @param[in]  ctx     context of the call
 * @param[out] out     created by the callee
 * @param[in]  input
 * @param[in]  kernel
 * @param[in]  up_x
 * @param[in]  up_y
 * @param[in]  down_x
 * @param[in]  down_y
 * @param[in]  pad_x0
 * @param[in]  pad_x1
 * @param[in]  pad_y0
 * @param[in]  pad_y1
 */
DIOPI_API diopiError_t diopiUpfirdn2dOpMmcv(diopiContextHandle_t ctx, diopiTensorHandle_t* out,
                                            diopiConstTensorHandle_t input, diopiConstTensorHandle_t kernel,
                                            int64_t up_x, int64_t up_y, int64_t down_x, int64_t down_y,
                                            int64_t pad_x0, int64_t pad_x1, int64_t pad_y0, int64_t pad_y1);

/**
 * Rotated copies of oriented filters, mmcv's `active_rotated_filter`.
 *
 * @param[in]  ctx      context of the call
 * @param[out] output
 * @param[in]  input
 * @param[in]  indices
 */
DIOPI_API diopiError_t diopiActiveRotatedFilterMmcv(diopiContextHandle_t ctx, diopiTensorHandle_t output,
                                                    diopiConstTensorHandle_t input, diopiConstTensorHandle_t indices);

/**
 * Gradient of diopiActiveRotatedFilterMmcv with respect to its input.
 *
 * @param[in]  ctx       context of the call
 * @param[out] grad_in
 * @param[in]  grad_out
 * @param[in]  indices
 */
DIOPI_API diopiError_t diopiActiveRotatedFilterBackwardMmcv(diopiContextHandle_t ctx, diopiTensorHandle_t grad_in,
                                                            diopiConstTensorHandle_t grad_out,
                                                            diopiConstTensorHandle_t indices);

/** @} */

/** @name mmcv_deform
 * Deformable convolution and deformable attention, as in mmcv.
 */
/** @{ */

/**
 * Deformable convolution, version 1, mmcv's `deform_conv2d`.
 *
 * @param[in]  ctx            context of the call
 * @param[out] output
 * @param[out] columns        scratch
 * @param[out] ones           scratch
 * @param[in]  input
 * @param[in]  weight
 * @param[in]  offset
 * @param[in]  kW
 * @param[in]  kH
 * @param[in]  dW
 * @param[in]  dH
 * @param[in]  padW
 * @param[in]  padH
 * @param[in]  dilationW
 * @param[in]  dilationH
 * @param[in]  groups
 * @param[in]  deform_groups
 * @param[in]  im2col_step
 */
DIOPI_API diopiError_t diopiDeformConvMmcv(diopiContextHandle_t ctx, diopiTensorHandle_t output,
                                           diopiTensorHandle_t columns, diopiTensorHandle_t ones,
                                           diopiConstTensorHandle_t input, diopiConstTensorHandle_t weight,
                                           diopiConstTensorHandle_t offset, int64_t kW, int64_t kH, int64_t dW,
                                           int64_t dH, int64_t padW, int64_t padH, int64_t dilationW,
                                           int64_t dilationH, int64_t groups, int64_t deform_groups,
                                           int64_t im2col_step);

/**
 * Gradients of diopiDeformConvMmcv with respect to input and offset.
 *
 * @param[in]  ctx            context of the call
 * @param[out] gradInput
 * @param[out] gradOffset
 * @param[in]  input
 * @param[in]  offset
 * @param[in]  gradOutput
 * @param[in]  weight
 * @param[in]  columns        scratch of the caller; its contents have no meaning
 * @param[in]  kW
 * @param[in]  kH
 * @param[in]  dW
 * @param[in]  dH
 * @param[in]  padW
 * @param[in]  padH
 * @param[in]  dilationW
 * @param[in]  dilationH
 * @param[in]  groups
 * @param[in]  deform_groups
 * @param[in]  im2col_step
 *
 * - notes: Every element of the outputs is written; places without a result are zero, so that the caller need not clear
 *   them.
 */
DIOPI_API diopiError_t diopiDeformConvBackwardInputMmcv(diopiContextHandle_t ctx, diopiTensorHandle_t gradInput,
                                                        diopiTensorHandle_t gradOffset,
                                                        diopiConstTensorHandle_t input,
                                                        diopiConstTensorHandle_t offset,
                                                        diopiConstTensorHandle_t gradOutput,
                                                        diopiConstTensorHandle_t weight,
                                                        diopiConstTensorHandle_t columns, int64_t kW, int64_t kH,
                                                        int64_t dW, int64_t dH, int64_t padW, int64_t padH,
                                                        int64_t dilationW, int64_t dilationH, int64_t groups,
                                                        int64_t deform_groups, int64_t im2col_step);

/**
 * Adds scale times the weight gradient of diopiDeformConvMmcv to gradWeight.
 *
 * @param[in]     ctx            context of the call
 * @param[in]     gradOutput     read only, although the handle is not const
 * @param[in,out] gradWeight
 * @param[in]     input
 * @param[in]     offset
 * @param[in]     columns        scratch of the caller; its contents have no meaning
 * @param[in]     ones           scratch of the caller; its contents have no meaning
 * @param[in]     kW
 * @param[in]     kH
 * @param[in]     dW
 * @param[in]     dH
 * @param[in]     padW
 * @param[in]     padH
 * @param[in]     dilationW
 * @param[in]     dilationH
 * @param[in]     groups
 * @param[in]     deform_groups
 * @param[in]     im2col_step
 * @param[in]     scale
 *
 * - notes: As in mmcv, scale times the gradient is added to what gradWeight holds; the caller clears it where it wants
 *   the gradient alone.
 */
DIOPI_API diopiError_t diopiDeformConvBackwardParametersMmcv(diopiContextHandle_t ctx, diopiTensorHandle_t gradOutput,
                                                             diopiTensorHandle_t gradWeight,
                                                             diopiConstTensorHandle_t input,
                                                             diopiConstTensorHandle_t offset,
                                                             diopiConstTensorHandle_t columns,
                                                             diopiConstTensorHandle_t ones, int64_t kW, int64_t kH,
                                                             int64_t dW, int64_t dH, int64_t padW, int64_t padH,
                                                             int64_t dilationW, int64_t dilationH, int64_t groups,
                                                             int64_t deform_groups, int64_t im2col_step, float scale);

/**
 * Deformable convolution, version 2 with a modulation mask, mmcv's `modulated_deform_conv2d`.
 *
 * @param[in]  ctx               context of the call
 * @param[out] output
 * @param[out] columns           scratch
 * @param[out] ones              scratch
 * @param[in]  input
 * @param[in]  weight
 * @param[in]  bias              read where with_bias is true; may be null otherwise
 * @param[in]  offset
 * @param[in]  mask
 * @param[in]  kernel_h
 * @param[in]  kernel_w
 * @param[in]  stride_h
 * @param[in]  stride_w
 * @param[in]  pad_h
 * @param[in]  pad_w
 * @param[in]  dilation_h
 * @param[in]  dilation_w
 * @param[in]  group
 * @param[in]  deformable_group
 * @param[in]  with_bias
 */
DIOPI_API diopiError_t diopiModulatedDeformConvMmcv(diopiContextHandle_t ctx, diopiTensorHandle_t output,
                                                    diopiTensorHandle_t columns, diopiTensorHandle_t ones,
                                                    diopiConstTensorHandle_t input, diopiConstTensorHandle_t weight,
                                                    diopiConstTensorHandle_t bias, diopiConstTensorHandle_t offset,
                                                    diopiConstTensorHandle_t mask, int64_t kernel_h, int64_t kernel_w,
                                                    const int64_t stride_h, const int64_t stride_w,
                                                    const int64_t pad_h, const int64_t pad_w,
                                                    const int64_t dilation_h, const int64_t dilation_w,
                                                    const int64_t group, const int64_t deformable_group,
                                                    const bool with_bias);

/**
 * Gradients of diopiModulatedDeformConvMmcv with respect to input, weight, bias, offset and mask.
 *
 * @param[in]  ctx               context of the call
 * @param[out] grad_input
 * @param[out] grad_weight
 * @param[out] grad_bias         written where with_bias is true; may be null otherwise
 * @param[out] grad_offset
 * @param[out] grad_mask
 * @param[in]  input
 * @param[in]  weight
 * @param[in]  bias              read where with_bias is true; may be null otherwise
 * @param[in]  ones              scratch of the caller; its contents have no meaning
 * @param[in]  offset
 * @param[in]  mask
 * @param[in]  columns           scratch of the caller; its contents have no meaning
 * @param[in]  grad_output
 * @param[in]  kernel_h
 * @param[in]  kernel_w
 * @param[in]  stride_h
 * @param[in]  stride_w
 * @param[in]  pad_h
 * @param[in]  pad_w
 * @param[in]  dilation_h
 * @param[in]  dilation_w
 * @param[in]  group
 * @param[in]  deformable_group
 * @param[in]  with_bias
 */
DIOPI_API diopiError_t diopiModulatedDeformConvBackwardMmcv(diopiContextHandle_t ctx, diopiTensorHandle_t grad_input,
                                                            diopiTensorHandle_t grad_weight,
                                                            diopiTensorHandle_t grad_bias,
                                                            diopiTensorHandle_t grad_offset,
                                                            diopiTensorHandle_t grad_mask,
                                                            diopiConstTensorHandle_t input,
                                                            diopiConstTensorHandle_t weight,
                                                            diopiConstTensorHandle_t bias,
                                                            diopiConstTensorHandle_t ones,
                                                            diopiConstTensorHandle_t offset,
                                                            diopiConstTensorHandle_t mask,
                                                            diopiConstTensorHandle_t columns,
                                                            diopiConstTensorHandle_t grad_output, int64_t kernel_h,
                                                            int64_t kernel_w, int64_t stride_h, int64_t stride_w,
                                                            int64_t pad_h, int64_t pad_w, int64_t dilation_h,
                                                            int64_t dilation_w, int64_t group,
                                                            int64_t deformable_group, const bool with_bias);

/**
 * Multi-scale deformable attention, mmcv's `MultiScaleDeformableAttnFunction`.
 *
 * @param[in]  ctx                context of the call
 * @param[out] out                created by the callee
 * @param[in]  value
 * @param[in]  spatial_shapes
 * @param[in]  level_start_index
 * @param[in]  sampling_loc
 * @param[in]  attn_weight
 * @param[in]  im2col_step        images processed together
 */
DIOPI_API diopiError_t diopiMsDeformAttnMmcv(diopiContextHandle_t ctx, diopiTensorHandle_t* out,
                                             diopiConstTensorHandle_t value, diopiConstTensorHandle_t spatial_shapes,
                                             diopiConstTensorHandle_t level_start_index,
                                             diopiConstTensorHandle_t sampling_loc,
                                             diopiConstTensorHandle_t attn_weight, int64_t im2col_step);

/**
 * Gradients of diopiMsDeformAttnMmcv with respect to value, locations and weights.
 *
 * @param[in]  ctx                context of the call
 * @param[out] grad_value
 * @param[out] grad_sampling_loc
 * @param[out] grad_attn_weight
 * @param[in]  value
 * @param[in]  spatial_shapes
 * @param[in]  level_start_index
 * @param[in]  sampling_loc
 * @param[in]  attn_weight
 * @param[in]  grad_output
 * @param[in]  im2col_step        images processed together
 *
 * - notes: Every element of the outputs is written; places without a result are zero, so that the caller need not clear
 *   them.
 */
DIOPI_API diopiError_t diopiMsDeformAttnBackwardMmcv(diopiContextHandle_t ctx, diopiTensorHandle_t grad_value,
                                                     diopiTensorHandle_t grad_sampling_loc,
                                                     diopiTensorHandle_t grad_attn_weight,
                                                     diopiConstTensorHandle_t value,
                                                     diopiConstTensorHandle_t spatial_shapes,
                                                     diopiConstTensorHandle_t level_start_index,
                                                     diopiConstTensorHandle_t sampling_loc,
                                                     diopiConstTensorHandle_t attn_weight,
                                                     diopiConstTensorHandle_t grad_output, int64_t im2col_step);

/** @} */

/** @name mmcv_norm
 * Focal losses and synchronised batch normalisation, as in mmcv.
 */
/** @{ */

/**
 * Focal loss of logits and class indices without reduction, mmcv's `sigmoid_focal_loss`.
 *
 * @param[in]  ctx     context of the call
 * @param[out] output
 * @param[in]  input
 * @param[in]  target
 * @param[in]  weight  weight of each class; empty: one
 * @param[in]  gamma
 * @param[in]  alpha
 */
DIOPI_API diopiError_t diopiSigmoidFocalLossMmcv(diopiContextHandle_t ctx, diopiTensorHandle_t output,
                                                 diopiConstTensorHandle_t input, diopiConstTensorHandle_t target,
                                                 diopiConstTensorHandle_t weight, float gamma, float alpha);

/**
 * Gradient of diopiSigmoidFocalLossMmcv with respect to its input, for an upstream gradient of one.
 *
 * @param[in]  ctx         context of the call
 * @param[out] grad_input
 * @param[in]  input
 * @param[in]  target
 * @param[in]  weight      weight of each class; empty: one
 * @param[in]  gamma
 * @param[in]  alpha
 */
DIOPI_API diopiError_t diopiSigmoidFocalLossBackwardMmcv(diopiContextHandle_t ctx, diopiTensorHandle_t grad_input,
                                                         diopiConstTensorHandle_t input,
                                                         diopiConstTensorHandle_t target,
                                                         diopiConstTensorHandle_t weight, float gamma, float alpha);

/**
 * Focal loss of softmax probabilities without reduction, mmcv's `softmax_focal_loss`.
 *
 * @param[in]  ctx      context of the call
 * @param[out] output
 * @param[in]  softmax
 * @param[in]  target
 * @param[in]  weight   weight of each class; empty: one
 * @param[in]  gamma
 * @param[in]  alpha
 */
DIOPI_API diopiError_t diopiSoftmaxFocalLossMmcv(diopiContextHandle_t ctx, diopiTensorHandle_t output,
                                                 diopiConstTensorHandle_t softmax, diopiConstTensorHandle_t target,
                                                 diopiConstTensorHandle_t weight, float gamma, float alpha);

/**
 * Gradient of diopiSoftmaxFocalLossMmcv with respect to the logits, for an upstream gradient of one.
 *
 * @param[in]  ctx         context of the call
 * @param[out] grad_input
 * @param[out] buff        scratch, one number per sample
 * @param[in]  softmax
 * @param[in]  target
 * @param[in]  weight      weight of each class; empty: one
 * @param[in]  gamma
 * @param[in]  alpha
 */
DIOPI_API diopiError_t diopiSoftmaxFocalLossBackwardMmcv(diopiContextHandle_t ctx, diopiTensorHandle_t grad_input,
                                                         diopiTensorHandle_t buff, diopiConstTensorHandle_t softmax,
                                                         diopiConstTensorHandle_t target,
                                                         diopiConstTensorHandle_t weight, float gamma, float alpha);

/**
 * Mean of each channel over batch and positions, first step of mmcv's `SyncBatchNorm`.
 *
 * @param[in]  ctx    context of the call
 * @param[out] mean
 * @param[in]  input
 */
DIOPI_API diopiError_t diopiSyncBnMeanMmcv(diopiContextHandle_t ctx, diopiTensorHandle_t mean,
                                           diopiConstTensorHandle_t input);

/**
 * Biased variance of each channel around mean, second step of mmcv's `SyncBatchNorm`.
 *
 * @param[in]  ctx    context of the call
 * @param[out] var
 * @param[in]  input
 * @param[in]  mean
 */
DIOPI_API diopiError_t diopiSyncBnVarMmcv(diopiContextHandle_t ctx, diopiTensorHandle_t var,
                                          diopiConstTensorHandle_t input, diopiConstTensorHandle_t mean);

/**
 * Normalises, scales and updates the running statistics, third step of mmcv's `SyncBatchNorm`.
 *
 * @param[in]     ctx           context of the call
 * @param[in,out] running_mean
 * @param[in,out] running_var
 * @param[out]    norm          normalised input, for the backward call
 * @param[out]    std           standard deviation of each channel, for the backward call
 * @param[out]    output
 * @param[in]     input
 * @param[in]     mean
 * @param[in]     var
 * @param[in]     weight
 * @param[in]     bias
 * @param[in]     eps
 * @param[in]     momentum
 * @param[in]     group_size
 */
DIOPI_API diopiError_t diopiSyncBnOutputMmcv(diopiContextHandle_t ctx, diopiTensorHandle_t running_mean,
                                             diopiTensorHandle_t running_var, diopiTensorHandle_t norm,
                                             diopiTensorHandle_t std, diopiTensorHandle_t output,
                                             diopiConstTensorHandle_t input, diopiConstTensorHandle_t mean,
                                             diopiConstTensorHandle_t var, diopiConstTensorHandle_t weight,
                                             diopiConstTensorHandle_t bias, float eps, float momentum,
                                             int64_t group_size);

/**
 * Gradients of weight and bias of mmcv's `SyncBatchNorm`.
 *
 * @param[in]  ctx          context of the call
 * @param[out] grad_weight
 * @param[out] grad_bias
 * @param[in]  grad_output
 * @param[in]  norm
 */
DIOPI_API diopiError_t diopiSyncBnBackwardParamMmcv(diopiContextHandle_t ctx, diopiTensorHandle_t grad_weight,
                                                    diopiTensorHandle_t grad_bias,
                                                    diopiConstTensorHandle_t grad_output,
                                                    diopiConstTensorHandle_t norm);

/**
 * Gradient of the input of mmcv's `SyncBatchNorm`.
 *
 * @param[in]  ctx          context of the call
 * @param[out] grad_input
 * @param[in]  grad_output
 * @param[in]  weight
 * @param[in]  grad_weight
 * @param[in]  grad_bias
 * @param[in]  norm
 * @param[in]  std
 */
DIOPI_API diopiError_t diopiSyncBnBackwardDataMmcv(diopiContextHandle_t ctx, diopiTensorHandle_t grad_input,
                                                   diopiConstTensorHandle_t grad_output,
                                                   diopiConstTensorHandle_t weight,
                                                   diopiConstTensorHandle_t grad_weight,
                                                   diopiConstTensorHandle_t grad_bias, diopiConstTensorHandle_t norm,
                                                   diopiConstTensorHandle_t std);

/** @} */

/** @name mmcv_points
 * Point cloud operators of mmcv: sampling, grouping, neighbours and membership.
 */
/** @{ */

/**
 * Aggregates point features by predicted scores, mmcv's `assign_score_withk`.
 *
 * @param[in]  ctx        context of the call
 * @param[out] output
 * @param[in]  points
 * @param[in]  centers
 * @param[in]  scores
 * @param[in]  knn_idx
 * @param[in]  B
 * @param[in]  N
 * @param[in]  npoint
 * @param[in]  M
 * @param[in]  K
 * @param[in]  out_dim
 * @param[in]  aggregate  0: sum; 1: average; 2: maximum
 */
DIOPI_API diopiError_t diopiAssignScoreWithkMmcv(diopiContextHandle_t ctx, diopiTensorHandle_t output,
                                                 diopiConstTensorHandle_t points, diopiConstTensorHandle_t centers,
                                                 diopiConstTensorHandle_t scores, diopiConstTensorHandle_t knn_idx,
                                                 int64_t B, int64_t N, int64_t npoint, int64_t M, int64_t K,
                                                 int64_t out_dim, int64_t aggregate);

/**
 * Gradients of diopiAssignScoreWithkMmcv with respect to points, centers and scores.
 *
 * @param[in]  ctx           context of the call
 * @param[out] grad_points
 * @param[out] grad_centers
 * @param[out] grad_scores
 * @param[in]  grad_out
 * @param[in]  points
 * @param[in]  centers
 * @param[in]  scores
 * @param[in]  knn_idx
 * @param[in]  B
 * @param[in]  N
 * @param[in]  npoint
 * @param[in]  M
 * @param[in]  K
 * @param[in]  out_dim
 * @param[in]  aggregate     0: sum; 1: average; 2: maximum
 */
DIOPI_API diopiError_t diopiAssignScoreWithkBackwardMmcv(diopiContextHandle_t ctx, diopiTensorHandle_t grad_points,
                                                         diopiTensorHandle_t grad_centers,
                                                         diopiTensorHandle_t grad_scores,
                                                         diopiConstTensorHandle_t grad_out,
                                                         diopiConstTensorHandle_t points,
                                                         diopiConstTensorHandle_t centers,
                                                         diopiConstTensorHandle_t scores,
                                                         diopiConstTensorHandle_t knn_idx, int64_t B, int64_t N,
                                                         int64_t npoint, int64_t M, int64_t K, int64_t out_dim,
                                                         int64_t aggregate);

/**
 * Indices of up to sample_num points in a shell around each centre, mmcv's `ball_query`.
 *
 * @param[in]  ctx         context of the call
 * @param[out] idx
 * @param[in]  center_xyz
 * @param[in]  xyz
 * @param[in]  B
 * @param[in]  N
 * @param[in]  npoint
 * @param[in]  sample_num
 * @param[in]  min_radius
 * @param[in]  max_radius
 *
 * - notes: Every element of the outputs is written; places without a result are zero, so that the caller need not clear
 *   them.
 */
DIOPI_API diopiError_t diopiBallQueryMmcv(diopiContextHandle_t ctx, diopiTensorHandle_t idx,
                                          diopiConstTensorHandle_t center_xyz, diopiConstTensorHandle_t xyz,
                                          int64_t B, int64_t N, int64_t npoint, int64_t sample_num, float min_radius,
                                          float max_radius);

/**
 * diopiBallQueryMmcv for batches of different sizes stacked into one tensor.
 *
 * @param[in]  ctx                   context of the call
 * @param[out] idx
 * @param[in]  center_xyz
 * @param[in]  center_xyz_batch_cnt
 * @param[in]  xyz
 * @param[in]  xyz_batch_cnt
 * @param[in]  max_radius
 * @param[in]  sample_num
 *
 * - notes: Every element of the outputs is written; places without a result are zero, so that the caller need not clear
 *   them.
 */
DIOPI_API diopiError_t diopiStackBallQueryMmcv(diopiContextHandle_t ctx, diopiTensorHandle_t idx,
                                               diopiConstTensorHandle_t center_xyz,
                                               diopiConstTensorHandle_t center_xyz_batch_cnt,
                                               diopiConstTensorHandle_t xyz, diopiConstTensorHandle_t xyz_batch_cnt,
                                               float max_radius, int64_t sample_num);

/**
 * Picks points that are furthest from those picked before, mmcv's `furthest_point_sample`.
 *
 * @param[in]     ctx          context of the call
 * @param[in,out] temp_tensor  squared distance of each point to the set so far; filled with a large number by the
 *         caller
 * @param[out]    idx_tensor
 * @param[in]     points_xyz
 * @param[in]     B
 * @param[in]     N
 * @param[in]     num_points
 *
 * - notes: temp_tensor is the caller's, filled with 1e10 as mmcv does; its contents afterwards are unspecified.
 */
DIOPI_API diopiError_t diopiFurthestPointSamplingMmcv(diopiContextHandle_t ctx, diopiTensorHandle_t temp_tensor,
                                                      diopiTensorHandle_t idx_tensor,
                                                      diopiConstTensorHandle_t points_xyz, int64_t B, int64_t N,
                                                      int64_t num_points);

/**
 * diopiFurthestPointSamplingMmcv from a given matrix of distances, mmcv's `furthest_point_sample_with_dist`.
 *
 * @param[in]     ctx          context of the call
 * @param[in,out] temp_tensor  distance of each point to the set so far; filled with a large number by the caller
 * @param[out]    idx_tensor
 * @param[in]     points_dist
 * @param[in]     B
 * @param[in]     N
 * @param[in]     num_points
 *
 * - notes: temp_tensor is the caller's, filled with 1e10 as mmcv does; its contents afterwards are unspecified.
 */
DIOPI_API diopiError_t diopiFurthestPointSamplingWithDistMmcv(diopiContextHandle_t ctx,
                                                              diopiTensorHandle_t temp_tensor,
                                                              diopiTensorHandle_t idx_tensor,
                                                              diopiConstTensorHandle_t points_dist, int64_t B,
                                                              int64_t N, int64_t num_points);

/**
 * Features of the points named by idx, mmcv's `gather_points`.
 *
 * @param[in]  ctx      context of the call
 * @param[out] out
 * @param[in]  points
 * @param[in]  idx
 * @param[in]  b
 * @param[in]  c
 * @param[in]  n
 * @param[in]  npoints
 */
DIOPI_API diopiError_t diopiGatherPointsMmcv(diopiContextHandle_t ctx, diopiTensorHandle_t out,
                                             diopiConstTensorHandle_t points, diopiConstTensorHandle_t idx, int64_t b,
                                             int64_t c, int64_t n, int64_t npoints);

/**
 * Gradient of diopiGatherPointsMmcv with respect to points.
 *
 * @param[in]  ctx          context of the call
 * @param[out] grad_points
 * @param[in]  grad_out
 * @param[in]  idx
 * @param[in]  b
 * @param[in]  c
 * @param[in]  n
 * @param[in]  npoints
 */
DIOPI_API diopiError_t diopiGatherPointsBackwardMmcv(diopiContextHandle_t ctx, diopiTensorHandle_t grad_points,
                                                     diopiConstTensorHandle_t grad_out, diopiConstTensorHandle_t idx,
                                                     int64_t b, int64_t c, int64_t n, int64_t npoints);

/**
 * Features of groups of points named by idx, mmcv's `grouping_operation`.
 *
 * @param[in]  ctx      context of the call
 * @param[out] out
 * @param[in]  points
 * @param[in]  idx
 * @param[in]  b
 * @param[in]  c
 * @param[in]  n
 * @param[in]  npoints
 * @param[in]  nsample
 */
DIOPI_API diopiError_t diopiGroupPointsMmcv(diopiContextHandle_t ctx, diopiTensorHandle_t out,
                                            diopiConstTensorHandle_t points, diopiConstTensorHandle_t idx, int64_t b,
                                            int64_t c, int64_t n, int64_t npoints, int64_t nsample);

/**
 * Gradient of diopiGroupPointsMmcv with respect to points.
 *
 * @param[in]  ctx          context of the call
 * @param[out] grad_points
 * @param[in]  grad_out
 * @param[in]  idx
 * @param[in]  b
 * @param[in]  c
 * @param[in]  n
 * @param[in]  npoints
 * @param[in]  nsample
 */
DIOPI_API diopiError_t diopiGroupPointsBackwardMmcv(diopiContextHandle_t ctx, diopiTensorHandle_t grad_points,
                                                    diopiConstTensorHandle_t grad_out, diopiConstTensorHandle_t idx,
                                                    int64_t b, int64_t c, int64_t n, int64_t npoints, int64_t nsample);

/**
 * diopiGroupPointsMmcv for batches of different sizes stacked into one tensor.
 *
 * @param[in]  ctx                        context of the call
 * @param[out] out_tensor
 * @param[in]  features_tensor
 * @param[in]  features_batch_cnt_tensor
 * @param[in]  idx_tensor
 * @param[in]  idx_batch_cnt_tensor
 * @param[in]  b
 * @param[in]  c
 * @param[in]  m
 * @param[in]  nsample
 */
DIOPI_API diopiError_t diopiStackGroupPointsMmcv(diopiContextHandle_t ctx, diopiTensorHandle_t out_tensor,
                                                 diopiConstTensorHandle_t features_tensor,
                                                 diopiConstTensorHandle_t features_batch_cnt_tensor,
                                                 diopiConstTensorHandle_t idx_tensor,
                                                 diopiConstTensorHandle_t idx_batch_cnt_tensor, int64_t b, int64_t c,
                                                 int64_t m, int64_t nsample);

/**
 * Gradient of diopiStackGroupPointsMmcv with respect to the features.
 *
 * @param[in]  ctx                        context of the call
 * @param[out] grad_features_tensor
 * @param[in]  grad_out_tensor
 * @param[in]  idx_tensor
 * @param[in]  idx_batch_cnt_tensor
 * @param[in]  features_batch_cnt_tensor
 * @param[in]  b
 * @param[in]  c
 * @param[in]  m
 * @param[in]  n
 * @param[in]  nsample
 */
DIOPI_API diopiError_t diopiStackGroupPointsBackwardMmcv(diopiContextHandle_t ctx,
                                                         diopiTensorHandle_t grad_features_tensor,
                                                         diopiConstTensorHandle_t grad_out_tensor,
                                                         diopiConstTensorHandle_t idx_tensor,
                                                         diopiConstTensorHandle_t idx_batch_cnt_tensor,
                                                         diopiConstTensorHandle_t features_batch_cnt_tensor,
                                                         int64_t b, int64_t c, int64_t m, int64_t n, int64_t nsample);

/**
 * Indices and squared distances of the nearest neighbours of each point, mmcv's `knn`.
 *
 * @param[in]  ctx             context of the call
 * @param[out] idx_tensor
 * @param[out] dist2_tensor
 * @param[in]  xyz_tensor
 * @param[in]  new_xyz_tensor
 * @param[in]  b
 * @param[in]  n
 * @param[in]  m
 * @param[in]  nsample
 */
DIOPI_API diopiError_t diopiKnnMmcv(diopiContextHandle_t ctx, diopiTensorHandle_t idx_tensor,
                                    diopiTensorHandle_t dist2_tensor, diopiConstTensorHandle_t xyz_tensor,
                                    diopiConstTensorHandle_t new_xyz_tensor, int64_t b, int64_t n, int64_t m,
                                    int64_t nsample);

/**
 * First box that contains each point, or -1, mmcv's `points_in_boxes_part`.
 *
 * @param[in]  ctx                context of the call
 * @param[out] box_idx_of_points
 * @param[in]  boxes
 * @param[in]  pts
 *
 * - notes: Every element of the output is written, -1 for a point in no box, so that the caller need not fill it.
 */
DIOPI_API diopiError_t diopiPointsInBoxesPartMmcv(diopiContextHandle_t ctx, diopiTensorHandle_t box_idx_of_points,
                                                  diopiConstTensorHandle_t boxes, diopiConstTensorHandle_t pts);

/**
 * Whether each point lies in each box, mmcv's `points_in_boxes_all`.
 *
 * @param[in]  ctx                context of the call
 * @param[out] box_idx_of_points
 * @param[in]  boxes
 * @param[in]  pts
 */
DIOPI_API diopiError_t diopiPointsInBoxesAllMmcv(diopiContextHandle_t ctx, diopiTensorHandle_t box_idx_of_points,
                                                 diopiConstTensorHandle_t boxes, diopiConstTensorHandle_t pts);

/**
 * Weighted sum of the features of three neighbours, mmcv's `three_interpolate`.
 *
 * @param[in]  ctx     context of the call
 * @param[out] out
 * @param[in]  points
 * @param[in]  idx
 * @param[in]  weight
 * @param[in]  b
 * @param[in]  c
 * @param[in]  m
 * @param[in]  n
 */
DIOPI_API diopiError_t diopiThreeInterpolateMmcv(diopiContextHandle_t ctx, diopiTensorHandle_t out,
                                                 diopiConstTensorHandle_t points, diopiConstTensorHandle_t idx,
                                                 diopiConstTensorHandle_t weight, int64_t b, int64_t c, int64_t m,
                                                 int64_t n);

/**
 * Gradient of diopiThreeInterpolateMmcv with respect to points.
 *
 * @param[in]  ctx          context of the call
 * @param[out] grad_points
 * @param[in]  grad_out
 * @param[in]  idx
 * @param[in]  weight
 * @param[in]  b
 * @param[in]  c
 * @param[in]  n
 * @param[in]  m
 */
DIOPI_API diopiError_t diopiThreeInterpolateBackwardMmcv(diopiContextHandle_t ctx, diopiTensorHandle_t grad_points,
                                                         diopiConstTensorHandle_t grad_out,
                                                         diopiConstTensorHandle_t idx,
                                                         diopiConstTensorHandle_t weight, int64_t b, int64_t c,
                                                         int64_t n, int64_t m);

/**
 * Squared distances and indices of the three nearest known points, mmcv's `three_nn`.
 *
 * @param[in]  ctx      context of the call
 * @param[out] dist2
 * @param[out] idx
 * @param[in]  unknown
 * @param[in]  known
 * @param[in]  b
 * @param[in]  n
 * @param[in]  m
 */
DIOPI_API diopiError_t diopiThreeNnMmcv(diopiContextHandle_t ctx, diopiTensorHandle_t dist2, diopiTensorHandle_t idx,
                                        diopiConstTensorHandle_t unknown, diopiConstTensorHandle_t known, int64_t b,
                                        int64_t n, int64_t m);

/**
 * Whether each point lies in each quadrilateral, mmcv's `points_in_polygons`.
 *
 * @param[in]  ctx       context of the call
 * @param[out] output
 * @param[in]  points
 * @param[in]  polygons
 */
DIOPI_API diopiError_t diopiPointsInPolygonsMmcv(diopiContextHandle_t ctx, diopiTensorHandle_t output,
                                                 diopiConstTensorHandle_t points, diopiConstTensorHandle_t polygons);

/**
 * Squared distance from each 2D point to the nearest of the other set, both ways, mmcv's `chamfer_distance`.
 *
 * @param[in]  ctx    context of the call
 * @param[out] dist1
 * @param[out] dist2
 * @param[out] idx1
 * @param[out] idx2
 * @param[in]  xyz1
 * @param[in]  xyz2
 */
DIOPI_API diopiError_t diopiChamferDistanceMmcv(diopiContextHandle_t ctx, diopiTensorHandle_t dist1,
                                                diopiTensorHandle_t dist2, diopiTensorHandle_t idx1,
                                                diopiTensorHandle_t idx2, diopiConstTensorHandle_t xyz1,
                                                diopiConstTensorHandle_t xyz2);

/**
 * Gradients of diopiChamferDistanceMmcv with respect to both point sets.
 *
 * @param[in]  ctx         context of the call
 * @param[out] grad_xyz1
 * @param[out] grad_xyz2
 * @param[in]  xyz1
 * @param[in]  xyz2
 * @param[in]  idx1
 * @param[in]  idx2
 * @param[in]  grad_dist1
 * @param[in]  grad_dist2
 */
DIOPI_API diopiError_t diopiChamferDistanceBackwardMmcv(diopiContextHandle_t ctx, diopiTensorHandle_t grad_xyz1,
                                                        diopiTensorHandle_t grad_xyz2, diopiConstTensorHandle_t xyz1,
                                                        diopiConstTensorHandle_t xyz2, diopiConstTensorHandle_t idx1,
                                                        diopiConstTensorHandle_t idx2,
                                                        diopiConstTensorHandle_t grad_dist1,
                                                        diopiConstTensorHandle_t grad_dist2);

/** @} */

/** @name mmcv_roi
 * Region pooling operators of mmcv.
 */
/** @{ */

/**
 * Maximum of samples along each border of each box, mmcv's `border_align`.
 *
 * @param[in]  ctx         context of the call
 * @param[out] output
 * @param[out] argmax_idx  which sample won, for the backward call
 * @param[in]  input
 * @param[in]  boxes
 * @param[in]  pool_size
 */
DIOPI_API diopiError_t diopiBorderAlignMmcv(diopiContextHandle_t ctx, diopiTensorHandle_t output,
                                            diopiTensorHandle_t argmax_idx, diopiConstTensorHandle_t input,
                                            diopiConstTensorHandle_t boxes, int64_t pool_size);

/**
 * Gradient of diopiBorderAlignMmcv with respect to its input.
 *
 * @param[in]  ctx          context of the call
 * @param[out] grad_input
 * @param[in]  grad_output
 * @param[in]  boxes
 * @param[in]  argmax_idx
 * @param[in]  pool_size
 */
DIOPI_API diopiError_t diopiBorderAlignBackwardMmcv(diopiContextHandle_t ctx, diopiTensorHandle_t grad_input,
                                                    diopiConstTensorHandle_t grad_output,
                                                    diopiConstTensorHandle_t boxes,
                                                    diopiConstTensorHandle_t argmax_idx, int64_t pool_size);

/**
 * Region pooling with a learned shift per bin, mmcv's `deform_roi_pool`.
 *
 * @param[in]  ctx             context of the call
 * @param[out] output
 * @param[in]  input
 * @param[in]  rois
 * @param[in]  offset          shift of each bin; empty: none
 * @param[in]  pooled_height
 * @param[in]  pooled_width
 * @param[in]  sampling_ratio
 * @param[in]  spatial_scale
 * @param[in]  gamma
 */
DIOPI_API diopiError_t diopiDeformRoiPoolMmcv(diopiContextHandle_t ctx, diopiTensorHandle_t output,
                                              diopiConstTensorHandle_t input, diopiConstTensorHandle_t rois,
                                              diopiConstTensorHandle_t offset, int64_t pooled_height,
                                              int64_t pooled_width, int64_t sampling_ratio, float spatial_scale,
                                              float gamma);

/**
 * Gradients of diopiDeformRoiPoolMmcv with respect to input and offset.
 *
 * @param[in]  ctx             context of the call
 * @param[out] grad_input
 * @param[out] grad_offset
 * @param[in]  grad_output
 * @param[in]  input
 * @param[in]  rois
 * @param[in]  offset          shift of each bin; empty: none
 * @param[in]  pooled_height
 * @param[in]  pooled_width
 * @param[in]  sampling_ratio
 * @param[in]  spatial_scale
 * @param[in]  gamma
 */
DIOPI_API diopiError_t diopiDeformRoiPoolBackwardMmcv(diopiContextHandle_t ctx, diopiTensorHandle_t grad_input,
                                                      diopiTensorHandle_t grad_offset,
                                                      diopiConstTensorHandle_t grad_output,
                                                      diopiConstTensorHandle_t input, diopiConstTensorHandle_t rois,
                                                      diopiConstTensorHandle_t offset, int64_t pooled_height,
                                                      int64_t pooled_width, int64_t sampling_ratio,
                                                      float spatial_scale, float gamma);

/**
 * Average or maximum of bilinear samples in each bin of regions, mmcv's `roi_align`.
 *
 * @param[in]  ctx             context of the call
 * @param[out] output
 * @param[out] argmax_y        where the maximum lies; not written for the average
 * @param[out] argmax_x        where the maximum lies; not written for the average
 * @param[in]  input
 * @param[in]  rois
 * @param[in]  aligned_height
 * @param[in]  aligned_width
 * @param[in]  sampling_ratio
 * @param[in]  pool_mode       0: maximum; 1: average
 * @param[in]  spatial_scale
 * @param[in]  aligned
 */
DIOPI_API diopiError_t diopiRoiAlignMmcv(diopiContextHandle_t ctx, diopiTensorHandle_t output,
                                         diopiTensorHandle_t argmax_y, diopiTensorHandle_t argmax_x,
                                         diopiConstTensorHandle_t input, diopiConstTensorHandle_t rois,
                                         int64_t aligned_height, int64_t aligned_width, int64_t sampling_ratio,
                                         int64_t pool_mode, float spatial_scale, bool aligned);

/**
 * Gradient of diopiRoiAlignMmcv with respect to its input.
 *
 * @param[in]  ctx             context of the call
 * @param[out] grad_input
 * @param[in]  grad_output
 * @param[in]  rois
 * @param[in]  argmax_y
 * @param[in]  argmax_x
 * @param[in]  aligned_height
 * @param[in]  aligned_width
 * @param[in]  sampling_ratio
 * @param[in]  pool_mode       0: maximum; 1: average
 * @param[in]  spatial_scale
 * @param[in]  aligned
 *
 * - notes: Every element of the outputs is written; places without a result are zero, so that the caller need not clear
 *   them.
 */
DIOPI_API diopiError_t diopiRoiAlignBackwardMmcv(diopiContextHandle_t ctx, diopiTensorHandle_t grad_input,
                                                 diopiConstTensorHandle_t grad_output, diopiConstTensorHandle_t rois,
                                                 diopiConstTensorHandle_t argmax_y, diopiConstTensorHandle_t argmax_x,
                                                 int64_t aligned_height, int64_t aligned_width,
                                                 int64_t sampling_ratio, int64_t pool_mode, float spatial_scale,
                                                 bool aligned);

/**
 * diopiRoiAlignMmcv with the average for rotated regions, mmcv's `roi_align_rotated`.
 *
 * @param[in]  ctx             context of the call
 * @param[out] output
 * @param[in]  input
 * @param[in]  rois
 * @param[in]  aligned_height
 * @param[in]  aligned_width
 * @param[in]  sampling_ratio
 * @param[in]  spatial_scale
 * @param[in]  aligned
 * @param[in]  clockwise
 */
DIOPI_API diopiError_t diopiRoiAlignRotatedMmcv(diopiContextHandle_t ctx, diopiTensorHandle_t output,
                                                diopiConstTensorHandle_t input, diopiConstTensorHandle_t rois,
                                                int64_t aligned_height, int64_t aligned_width, int64_t sampling_ratio,
                                                float spatial_scale, bool aligned, bool clockwise);

/**
 * Gradient of diopiRoiAlignRotatedMmcv with respect to its input.
 *
 * @param[in]  ctx             context of the call
 * @param[out] bottom_grad
 * @param[in]  top_grad
 * @param[in]  rois
 * @param[in]  aligned_height
 * @param[in]  aligned_width
 * @param[in]  sampling_ratio
 * @param[in]  spatial_scale
 * @param[in]  aligned
 * @param[in]  clockwise
 */
DIOPI_API diopiError_t diopiRoiAlignRotatedBackwardMmcv(diopiContextHandle_t ctx, diopiTensorHandle_t bottom_grad,
                                                        diopiConstTensorHandle_t top_grad,
                                                        diopiConstTensorHandle_t rois, int64_t aligned_height,
                                                        int64_t aligned_width, int64_t sampling_ratio,
                                                        float spatial_scale, bool aligned, bool clockwise);

/**
 * Rotation-invariant pooling of rotated regions with oriented channels, mmcv's `riroi_align_rotated`.
 *
 * @param[in]  ctx               context of the call
 * @param[out] output
 * @param[in]  features
 * @param[in]  rois
 * @param[in]  pooled_height
 * @param[in]  pooled_width
 * @param[in]  num_samples
 * @param[in]  num_orientations
 * @param[in]  spatial_scale
 * @param[in]  clockwise
 */
DIOPI_API diopiError_t diopiRiroiAlignRotatedMmcv(diopiContextHandle_t ctx, diopiTensorHandle_t output,
                                                  diopiConstTensorHandle_t features, diopiConstTensorHandle_t rois,
                                                  int64_t pooled_height, int64_t pooled_width, int64_t num_samples,
                                                  int64_t num_orientations, float spatial_scale, bool clockwise);

/**
 * Gradient of diopiRiroiAlignRotatedMmcv with respect to features.
 *
 * @param[in]  ctx               context of the call
 * @param[out] bottom_grad
 * @param[in]  top_grad
 * @param[in]  rois
 * @param[in]  pooled_height
 * @param[in]  pooled_width
 * @param[in]  num_samples
 * @param[in]  num_orientations
 * @param[in]  spatial_scale
 * @param[in]  clockwise
 */
DIOPI_API diopiError_t diopiRiroiAlignRotatedBackwardMmcv(diopiContextHandle_t ctx, diopiTensorHandle_t bottom_grad,
                                                          diopiConstTensorHandle_t top_grad,
                                                          diopiConstTensorHandle_t rois, int64_t pooled_height,
                                                          int64_t pooled_width, int64_t num_samples,
                                                          int64_t num_orientations, float spatial_scale,
                                                          bool clockwise);

/**
 * Pools point features into the voxels of each 3D box, mmcv's `RoIAwarePool3d`.
 *
 * @param[in]  ctx                context of the call
 * @param[out] argmax
 * @param[out] pts_idx_of_voxels
 * @param[out] pooled_features
 * @param[in]  rois
 * @param[in]  pts
 * @param[in]  pts_feature
 * @param[in]  pool_method        0: maximum; 1: average
 *
 * - notes: Every element of the outputs is written; places without a result are zero, so that the caller need not clear
 *   them.
 */
DIOPI_API diopiError_t diopiRoiawarePool3dMmcv(diopiContextHandle_t ctx, diopiTensorHandle_t argmax,
                                               diopiTensorHandle_t pts_idx_of_voxels,
                                               diopiTensorHandle_t pooled_features, diopiConstTensorHandle_t rois,
                                               diopiConstTensorHandle_t pts, diopiConstTensorHandle_t pts_feature,
                                               int64_t pool_method);

/**
 * Gradient of diopiRoiawarePool3dMmcv with respect to the point features.
 *
 * @param[in]  ctx                context of the call
 * @param[out] grad_in
 * @param[in]  pts_idx_of_voxels
 * @param[in]  argmax
 * @param[in]  grad_out
 * @param[in]  pool_method        0: maximum; 1: average
 */
DIOPI_API diopiError_t diopiRoiawarePool3dBackwardMmcv(diopiContextHandle_t ctx, diopiTensorHandle_t grad_in,
                                                       diopiConstTensorHandle_t pts_idx_of_voxels,
                                                       diopiConstTensorHandle_t argmax,
                                                       diopiConstTensorHandle_t grad_out, int64_t pool_method);

/**
 * Samples the points in each 3D box with their features, mmcv's `RoIPointPool3d`.
 *
 * @param[in]  ctx                context of the call
 * @param[out] pooled_features
 * @param[out] pooled_empty_flag  1 where a box holds no point
 * @param[in]  xyz
 * @param[in]  boxes3d
 * @param[in]  pts_feature
 *
 * - notes: Every element of the outputs is written; places without a result are zero, so that the caller need not clear
 *   them.
 */
DIOPI_API diopiError_t diopiRoipointPool3dMmcv(diopiContextHandle_t ctx, diopiTensorHandle_t pooled_features,
                                               diopiTensorHandle_t pooled_empty_flag, diopiConstTensorHandle_t xyz,
                                               diopiConstTensorHandle_t boxes3d, diopiConstTensorHandle_t pts_feature);

/**
 * Maximum in each bin of regions, mmcv's `roi_pool`.
 *
 * @param[in]  ctx            context of the call
 * @param[out] output
 * @param[out] argmax         position of the maximum, for the backward call
 * @param[in]  input
 * @param[in]  rois
 * @param[in]  pooled_height
 * @param[in]  pooled_width
 * @param[in]  spatial_scale
 */
DIOPI_API diopiError_t diopiRoiPoolMmcv(diopiContextHandle_t ctx, diopiTensorHandle_t output,
                                        diopiTensorHandle_t argmax, diopiConstTensorHandle_t input,
                                        diopiConstTensorHandle_t rois, int64_t pooled_height, int64_t pooled_width,
                                        float spatial_scale);

/**
 * Gradient of diopiRoiPoolMmcv with respect to its input.
 *
 * @param[in]  ctx            context of the call
 * @param[out] grad_input
 * @param[in]  grad_output
 * @param[in]  rois
 * @param[in]  argmax
 * @param[in]  pooled_height
 * @param[in]  pooled_width
 * @param[in]  spatial_scale
 *
 * - notes: Every element of the outputs is written; places without a result are zero, so that the caller need not clear
 *   them.
 */
DIOPI_API diopiError_t diopiRoiPoolBackwardMmcv(diopiContextHandle_t ctx, diopiTensorHandle_t grad_input,
                                                diopiConstTensorHandle_t grad_output, diopiConstTensorHandle_t rois,
                                                diopiConstTensorHandle_t argmax, int64_t pooled_height,
                                                int64_t pooled_width, float spatial_scale);

/**
 * Adds features sampled at refined rotated anchors, mmcv's `rotated_feature_align`.
 *
 * @param[in]  ctx            context of the call
 * @param[out] output
 * @param[in]  features
 * @param[in]  best_bboxes
 * @param[in]  spatial_scale
 * @param[in]  points         samples per anchor, 1 or 5
 */
DIOPI_API diopiError_t diopiRotatedFeatureAlignMmcv(diopiContextHandle_t ctx, diopiTensorHandle_t output,
                                                    diopiConstTensorHandle_t features,
                                                    diopiConstTensorHandle_t best_bboxes, float spatial_scale,
                                                    int64_t points);

/**
 * Gradient of diopiRotatedFeatureAlignMmcv with respect to features.
 *
 * @param[in]  ctx            context of the call
 * @param[out] bottom_grad
 * @param[in]  top_grad
 * @param[in]  best_bboxes
 * @param[in]  spatial_scale
 * @param[in]  points         samples per anchor, 1 or 5
 */
DIOPI_API diopiError_t diopiRotatedFeatureAlignBackwardMmcv(diopiContextHandle_t ctx, diopiTensorHandle_t bottom_grad,
                                                            diopiConstTensorHandle_t top_grad,
                                                            diopiConstTensorHandle_t best_bboxes, float spatial_scale,
                                                            int64_t points);

/**
 * Exact integral average of each bin of regions, mmcv's `prroi_pool`.
 *
 * @param[in]  ctx            context of the call
 * @param[out] output
 * @param[in]  input
 * @param[in]  rois
 * @param[in]  pooled_height
 * @param[in]  pooled_width
 * @param[in]  spatial_scale
 */
DIOPI_API diopiError_t diopiPrroiPoolMmcv(diopiContextHandle_t ctx, diopiTensorHandle_t output,
                                          diopiConstTensorHandle_t input, diopiConstTensorHandle_t rois,
                                          int64_t pooled_height, int64_t pooled_width, float spatial_scale);

/**
 * Gradient of diopiPrroiPoolMmcv with respect to its input.
 *
 * @param[in]  ctx            context of the call
 * @param[out] grad_input
 * @param[in]  grad_output
 * @param[in]  rois
 * @param[in]  pooled_height
 * @param[in]  pooled_width
 * @param[in]  spatial_scale
 */
DIOPI_API diopiError_t diopiPrroiPoolbackwardMmcv(diopiContextHandle_t ctx, diopiTensorHandle_t grad_input,
                                                  diopiConstTensorHandle_t grad_output, diopiConstTensorHandle_t rois,
                                                  int64_t pooled_height, int64_t pooled_width, float spatial_scale);

/**
 * Gradient of diopiPrroiPoolMmcv with respect to the coordinates of the regions.
 *
 * @param[in]  ctx            context of the call
 * @param[out] grad_rois
 * @param[in]  output
 * @param[in]  grad_output
 * @param[in]  input
 * @param[in]  rois
 * @param[in]  pooled_height
 * @param[in]  pooled_width
 * @param[in]  spatial_scale
 */
DIOPI_API diopiError_t diopiPrroiPoolCoorBackwardMmcv(diopiContextHandle_t ctx, diopiTensorHandle_t grad_rois,
                                                      diopiConstTensorHandle_t output,
                                                      diopiConstTensorHandle_t grad_output,
                                                      diopiConstTensorHandle_t input, diopiConstTensorHandle_t rois,
                                                      int64_t pooled_height, int64_t pooled_width, float spatial_scale);

/** @} */

/** @name mmcv_sparse
 * Voxelisation and sparse convolution of mmcv.
 */
/** @{ */

/**
 * Reduces point features per voxel, mmcv's `dynamic_scatter`.
 *
 * @param[in]  ctx          context of the call
 * @param[out] outlist      list of 4 tensors; created by the callee; features, coordinates, voxel of each point, points
 *         per voxel
 * @param[in]  feats
 * @param[in]  coors
 * @param[in]  reduce_type  0: sum; 1: mean; 2: maximum
 */
DIOPI_API diopiError_t diopiDynamicPointToVoxelMmcv(diopiContextHandle_t ctx, diopiTensorHandle_t* outlist,
                                                    diopiConstTensorHandle_t feats, diopiConstTensorHandle_t coors,
                                                    int64_t reduce_type);

/**
 * Gradient of diopiDynamicPointToVoxelMmcv with respect to the point features.
 *
 * @param[in]  ctx                 context of the call
 * @param[out] grad_feats
 * @param[in]  grad_reduced_feats
 * @param[in]  feats
 * @param[in]  reduced_feats
 * @param[in]  coors_idx
 * @param[in]  reduce_count
 * @param[in]  reduce_type         0: sum; 1: mean; 2: maximum
 */
DIOPI_API diopiError_t diopiDynamicPointToVoxelBackwardMmcv(diopiContextHandle_t ctx, diopiTensorHandle_t grad_feats,
                                                            diopiConstTensorHandle_t grad_reduced_feats,
                                                            diopiConstTensorHandle_t feats,
                                                            diopiConstTensorHandle_t reduced_feats,
                                                            diopiConstTensorHandle_t coors_idx,
                                                            diopiConstTensorHandle_t reduce_count, int64_t reduce_type);

/**
 * Gathers points into at most max_voxels voxels of at most max_points points, mmcv's `voxelization`.
 *
 * @param[in]  ctx                   context of the call
 * @param[out] voxels
 * @param[out] coors
 * @param[out] num_points_per_voxel
 * @param[out] voxel_num             number of voxels used
 * @param[in]  points
 * @param[in]  voxel_size
 * @param[in]  coors_range
 * @param[in]  max_points
 * @param[in]  max_voxels
 * @param[in]  NDim                  number of spatial dimensions, 3
 * @param[in]  deterministic         whether the points of a voxel keep their order
 *
 * - notes: Every element of the outputs is written; places without a result are zero, so that the caller need not clear
 *   them.
 */
DIOPI_API diopiError_t diopiHardVoxelizeMmcv(diopiContextHandle_t ctx, diopiTensorHandle_t voxels,
                                             diopiTensorHandle_t coors, diopiTensorHandle_t num_points_per_voxel,
                                             diopiTensorHandle_t voxel_num, diopiConstTensorHandle_t points,
                                             diopiConstTensorHandle_t voxel_size,
                                             diopiConstTensorHandle_t coors_range, const int64_t max_points,
                                             const int64_t max_voxels, const int64_t NDim, const bool deterministic);

/**
 * Voxel coordinates of each point, -1 outside the range, mmcv's `voxelization` without limits.
 *
 * @param[in]  ctx          context of the call
 * @param[out] coors
 * @param[in]  points
 * @param[in]  voxel_size
 * @param[in]  coors_range
 * @param[in]  NDim         number of spatial dimensions, 3
 */
DIOPI_API diopiError_t diopiDynamicVoxelizeMmcv(diopiContextHandle_t ctx, diopiTensorHandle_t coors,
                                                diopiConstTensorHandle_t points, diopiConstTensorHandle_t voxel_size,
                                                diopiConstTensorHandle_t coors_range, const int64_t NDim);

/**
 * Maximum pooling of sparse features by index pairs, mmcv's `indice_maxpool`.
 *
 * @param[in]  ctx          context of the call
 * @param[out] out          created by the callee
 * @param[in]  features
 * @param[in]  indicePairs
 * @param[in]  indiceNum
 * @param[in]  numAct
 */
DIOPI_API diopiError_t diopiIndiceMaxpoolMmcv(diopiContextHandle_t ctx, diopiTensorHandle_t* out,
                                              diopiConstTensorHandle_t features, diopiConstTensorHandle_t indicePairs,
                                              diopiConstTensorHandle_t indiceNum, int64_t numAct);

/**
 * Gradient of diopiIndiceMaxpoolMmcv with respect to features.
 *
 * @param[in]  ctx          context of the call
 * @param[out] out          created by the callee; gradient of `features`
 * @param[in]  features
 * @param[in]  outFeatures
 * @param[in]  outGrad
 * @param[in]  indicePairs
 * @param[in]  indiceNum
 */
DIOPI_API diopiError_t diopiIndiceMaxpoolBackwardMmcv(diopiContextHandle_t ctx, diopiTensorHandle_t* out,
                                                      diopiConstTensorHandle_t features,
                                                      diopiConstTensorHandle_t outFeatures,
                                                      diopiConstTensorHandle_t outGrad,
                                                      diopiConstTensorHandle_t indicePairs,
                                                      diopiConstTensorHandle_t indiceNum);

/**
 * Sparse convolution by index pairs, mmcv's `indice_conv`.
 *
 * @param[in]  ctx          context of the call
 * @param[out] out          created by the callee
 * @param[in]  features
 * @param[in]  filters
 * @param[in]  indicePairs
 * @param[in]  indiceNum
 * @param[in]  numActOut
 * @param[in]  _inverse     non-zero: inverse convolution
 * @param[in]  _subM        non-zero: submanifold convolution
 */
DIOPI_API diopiError_t diopiIndiceConvMmcv(diopiContextHandle_t ctx, diopiTensorHandle_t* out,
                                           diopiConstTensorHandle_t features, diopiConstTensorHandle_t filters,
                                           diopiConstTensorHandle_t indicePairs, diopiConstTensorHandle_t indiceNum,
                                           int64_t numActOut, int64_t _inverse, int64_t _subM);

/**
 * Gradients of diopiIndiceConvMmcv.
 *
 * @param[in]  ctx          context of the call
 * @param[out] outlist      list of 2 tensors; created by the callee; gradient of `features`, gradient of `filters`
 * @param[in]  features
 * @param[in]  filters
 * @param[in]  outGrad
 * @param[in]  indicePairs
 * @param[in]  indiceNum
 * @param[in]  _inverse     non-zero: inverse convolution
 * @param[in]  _subM        non-zero: submanifold convolution
 */
DIOPI_API diopiError_t diopiIndiceConvBackwardMmcv(diopiContextHandle_t ctx, diopiTensorHandle_t* outlist,
                                                   diopiConstTensorHandle_t features,
                                                   diopiConstTensorHandle_t filters, diopiConstTensorHandle_t outGrad,
                                                   diopiConstTensorHandle_t indicePairs,
                                                   diopiConstTensorHandle_t indiceNum, int64_t _inverse, int64_t _subM);

/**
 * Sparse convolution by index pairs plus bias, mmcv's `fused_indice_conv`.
 *
 * @param[in]  ctx          context of the call
 * @param[out] out          created by the callee
 * @param[in]  features
 * @param[in]  filters
 * @param[in]  bias
 * @param[in]  indicePairs
 * @param[in]  indiceNum
 * @param[in]  numActOut
 * @param[in]  _inverse     non-zero: inverse convolution
 * @param[in]  _subM        non-zero: submanifold convolution
 */
DIOPI_API diopiError_t diopiFusedIndiceConvBatchnormMmcv(diopiContextHandle_t ctx, diopiTensorHandle_t* out,
                                                         diopiConstTensorHandle_t features,
                                                         diopiConstTensorHandle_t filters,
                                                         diopiConstTensorHandle_t bias,
                                                         diopiConstTensorHandle_t indicePairs,
                                                         diopiConstTensorHandle_t indiceNum, int64_t numActOut,
                                                         int64_t _inverse, int64_t _subM);

/** @} */

#ifdef __cplusplus
}
#endif

#endif /* DIOPI_FUNCTIONS_MMCV_H_ */
