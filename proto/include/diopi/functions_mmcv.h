/* SPDX-License-Identifier: BSD-3-Clause */
/* Generated from proto/registry by adaptor/codegen/headers.py. Do not edit. */
/**
 * @file
 * Operators of DIOPI. All are weak: where a vendor's library has no such operator, its address is null. Rules that
 * hold for every operator are in proto/registry/README.md. A parameter's comment names the dtypes that it may have:
 * - integral: int8, uint8, int16, uint16, int32, uint32, int64, uint64
 * - floating: float16, bfloat16, float32, float64
 * - complex: complex64, complex128
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
 * @param[out] ious     tensor
 * @param[in]  bboxes1  tensor
 * @param[in]  bboxes2  tensor
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
 * @param[out] ious     tensor
 * @param[in]  bboxes1  tensor
 * @param[in]  bboxes2  tensor
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
 * @param[out] ious     tensor
 * @param[in]  bboxes1  tensor
 * @param[in]  bboxes2  tensor
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
 * @param[out] ans_overlap  tensor
 * @param[in]  boxes_a      tensor
 * @param[in]  boxes_b      tensor
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
 * @param[in]  nms_overlap_thresh  number
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
 * @param[in]  nms_overlap_thresh  number
 */
DIOPI_API diopiError_t diopiIou3dNms3dNormalMmcv(diopiContextHandle_t ctx, diopiTensorHandle_t keep,
                                                 diopiTensorHandle_t keep_num, diopiConstTensorHandle_t boxes,
                                                 float nms_overlap_thresh);

/**
 * Indices of the boxes kept by non-maximum suppression, mmcv's `nms`.
 *
 * @param[in]  ctx            context of the call
 * @param[out] out            created by the callee
 * @param[in]  dets           tensor
 * @param[in]  scores         tensor
 * @param[in]  iou_threshold  number
 * @param[in]  offset         added to widths and heights, 0 or 1
 */
DIOPI_API diopiError_t diopiNmsMmcv(diopiContextHandle_t ctx, diopiTensorHandle_t* out, diopiConstTensorHandle_t dets,
                                    diopiConstTensorHandle_t scores, double iou_threshold, int64_t offset);

/**
 * Indices of the rotated boxes kept by non-maximum suppression, mmcv's `nms_rotated`.
 *
 * @param[in]  ctx            context of the call
 * @param[out] out            created by the callee
 * @param[in]  dets           tensor
 * @param[in]  scores         tensor
 * @param[in]  order          indices of the boxes, best score first
 * @param[in]  dets_sorted    `dets` in that order
 * @param[in]  labels         tensor
 * @param[in]  iou_threshold  number
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
 * @param[out] polygons   tensor
 * @param[in]  pointsets  tensor
 */
DIOPI_API diopiError_t diopiMinAreaPolygonsMmcv(diopiContextHandle_t ctx, diopiTensorHandle_t polygons,
                                                diopiConstTensorHandle_t pointsets);

/**
 * Overlap of the convex hulls of point sets with polygons, mmcv's `convex_iou`.
 *
 * @param[in]  ctx        context of the call
 * @param[out] ious       tensor
 * @param[in]  pointsets  tensor
 * @param[in]  polygons   tensor
 */
DIOPI_API diopiError_t diopiConvexIouMmcv(diopiContextHandle_t ctx, diopiTensorHandle_t ious,
                                          diopiConstTensorHandle_t pointsets, diopiConstTensorHandle_t polygons);

/**
 * Generalised overlap of convex hulls with polygons and its gradient, [N, 19], mmcv's `convex_giou`.
 *
 * @param[in]  ctx        context of the call
 * @param[out] output     18 gradients of the points, then the overlap, per row
 * @param[in]  pointsets  tensor
 * @param[in]  polygons   tensor
 */
DIOPI_API diopiError_t diopiConvexGiouMmcv(diopiContextHandle_t ctx, diopiTensorHandle_t output,
                                           diopiConstTensorHandle_t pointsets, diopiConstTensorHandle_t polygons);

/**
 * Order of the vertices of box intersections around their centre, mmcv's `diff_iou_rotated_sort_vertices`.
 *
 * @param[in]  ctx        context of the call
 * @param[out] out        created by the callee
 * @param[in]  vertices   tensor
 * @param[in]  mask       tensor
 * @param[in]  num_valid  tensor
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
 * @param[out] output        tensor
 * @param[in]  features      tensor
 * @param[in]  masks         tensor
 * @param[in]  kernel_size   integer
 * @param[in]  group_size    integer
 * @param[in]  scale_factor  integer
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
 * @param[out] bottom_grad      tensor
 * @param[out] mask_grad        tensor
 * @param[in]  top_grad         tensor
 * @param[in]  rfeatures        tensor
 * @param[in]  masks            tensor
 * @param[in]  kernel_size      integer
 * @param[in]  group_size       integer
 * @param[in]  scale_factor     integer
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
 * @param[out] output        tensor
 * @param[in]  features      tensor
 * @param[in]  masks         tensor
 * @param[in]  kernel_size   integer
 * @param[in]  group_size    integer
 * @param[in]  scale_factor  integer
 */
DIOPI_API diopiError_t diopiCarafeNaiveMmcv(diopiContextHandle_t ctx, diopiTensorHandle_t output,
                                            diopiConstTensorHandle_t features, diopiConstTensorHandle_t masks,
                                            int64_t kernel_size, int64_t group_size, int64_t scale_factor);

/**
 * Gradients of diopiCarafeNaiveMmcv with respect to features and masks.
 *
 * @param[in]  ctx           context of the call
 * @param[out] bottom_grad   tensor
 * @param[out] mask_grad     tensor
 * @param[in]  top_grad      tensor
 * @param[in]  features      tensor
 * @param[in]  masks         tensor
 * @param[in]  kernel_size   integer
 * @param[in]  group_size    integer
 * @param[in]  scale_factor  integer
 */
DIOPI_API diopiError_t diopiCarafeNaiveBackwardMmcv(diopiContextHandle_t ctx, diopiTensorHandle_t bottom_grad,
                                                    diopiTensorHandle_t mask_grad, diopiConstTensorHandle_t top_grad,
                                                    diopiConstTensorHandle_t features, diopiConstTensorHandle_t masks,
                                                    int64_t kernel_size, int64_t group_size, int64_t scale_factor);

/**
 * Correlation of patches of two feature maps for optical flow, mmcv's `Correlation`.
 *
 * @param[in]  ctx              context of the call
 * @param[out] output           tensor
 * @param[in]  input1           tensor
 * @param[in]  input2           tensor
 * @param[in]  kH               integer
 * @param[in]  kW               integer
 * @param[in]  patchH           integer
 * @param[in]  patchW           integer
 * @param[in]  padH             integer
 * @param[in]  padW             integer
 * @param[in]  dilationH        integer
 * @param[in]  dilationW        integer
 * @param[in]  dilation_patchH  integer
 * @param[in]  dilation_patchW  integer
 * @param[in]  dH               integer
 * @param[in]  dW               integer
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
 * @param[out] grad_input1      tensor
 * @param[out] grad_input2      tensor
 * @param[in]  grad_output      tensor
 * @param[in]  input1           tensor
 * @param[in]  input2           tensor
 * @param[in]  kH               integer
 * @param[in]  kW               integer
 * @param[in]  patchH           integer
 * @param[in]  patchW           integer
 * @param[in]  padH             integer
 * @param[in]  padW             integer
 * @param[in]  dilationH        integer
 * @param[in]  dilationW        integer
 * @param[in]  dilation_patchH  integer
 * @param[in]  dilation_patchW  integer
 * @param[in]  dH               integer
 * @param[in]  dW               integer
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
 * @param[in]  input  tensor
 * @param[in]  bias   empty: none
 * @param[in]  refer  output of the forward call where grad > 0; empty otherwise
 * @param[in]  act    3: leaky ReLU; 1: linear
 * @param[in]  grad   0: the value; 1, 2: first and second derivative
 * @param[in]  alpha  number
 * @param[in]  scale  number
 */
DIOPI_API diopiError_t diopiFusedBiasLeakyreluMmcv(diopiContextHandle_t ctx, diopiTensorHandle_t* out,
                                                   diopiConstTensorHandle_t input, diopiConstTensorHandle_t bias,
                                                   diopiConstTensorHandle_t refer, int64_t act, int64_t grad,
                                                   float alpha, float scale);

/**
 * Columns of the image blocks around masked positions, mmcv's `masked_im2col_forward`.
 *
 * @param[in]  ctx         context of the call
 * @param[out] col         tensor
 * @param[in]  im          tensor
 * @param[in]  mask_h_idx  tensor
 * @param[in]  mask_w_idx  tensor
 * @param[in]  kernel_h    integer
 * @param[in]  kernel_w    integer
 * @param[in]  pad_h       integer
 * @param[in]  pad_w       integer
 */
DIOPI_API diopiError_t diopiMaskedIm2colMmcv(diopiContextHandle_t ctx, diopiTensorHandle_t col,
                                             diopiConstTensorHandle_t im, diopiConstTensorHandle_t mask_h_idx,
                                             diopiConstTensorHandle_t mask_w_idx, int64_t kernel_h, int64_t kernel_w,
                                             int64_t pad_h, int64_t pad_w);

/**
 * Writes columns back to the masked positions of an image, mmcv's `masked_col2im_forward`.
 *
 * @param[in]  ctx         context of the call
 * @param[out] im          tensor
 * @param[in]  col         tensor
 * @param[in]  mask_h_idx  tensor
 * @param[in]  mask_w_idx  tensor
 * @param[in]  height      integer
 * @param[in]  width       integer
 * @param[in]  channels    integer
 */
DIOPI_API diopiError_t diopiMaskedCol2imMmcv(diopiContextHandle_t ctx, diopiTensorHandle_t im,
                                             diopiConstTensorHandle_t col, diopiConstTensorHandle_t mask_h_idx,
                                             diopiConstTensorHandle_t mask_w_idx, int64_t height, int64_t width,
                                             int64_t channels);

/**
 * Attention mask of point-wise spatial attention, mmcv's `PSAMask`.
 *
 * @param[in]  ctx          context of the call
 * @param[out] output       tensor
 * @param[in]  input        tensor
 * @param[in]  psa_type     0: collect; 1: distribute
 * @param[in]  num_         integer
 * @param[in]  h_feature    integer
 * @param[in]  w_feature    integer
 * @param[in]  h_mask       integer
 * @param[in]  w_mask       integer
 * @param[in]  half_h_mask  integer
 * @param[in]  half_w_mask  integer
 */
DIOPI_API diopiError_t diopiPsamaskMmcv(diopiContextHandle_t ctx, diopiTensorHandle_t output,
                                        diopiConstTensorHandle_t input, int64_t psa_type, int64_t num_,
                                        int64_t h_feature, int64_t w_feature, int64_t h_mask, int64_t w_mask,
                                        int64_t half_h_mask, int64_t half_w_mask);

/**
 * Gradient of diopiPsamaskMmcv with respect to its input.
 *
 * @param[in]  ctx          context of the call
 * @param[out] grad_input   tensor
 * @param[in]  grad_output  tensor
 * @param[in]  psa_type     0: collect; 1: distribute
 * @param[in]  num_         integer
 * @param[in]  h_feature    integer
 * @param[in]  w_feature    integer
 * @param[in]  h_mask       integer
 * @param[in]  w_mask       integer
 * @param[in]  half_h_mask  integer
 * @param[in]  half_w_mask  integer
 */
DIOPI_API diopiError_t diopiPsamaskBackwardMmcv(diopiContextHandle_t ctx, diopiTensorHandle_t grad_input,
                                                diopiConstTensorHandle_t grad_output, int64_t psa_type, int64_t num_,
                                                int64_t h_feature, int64_t w_feature, int64_t h_mask, int64_t w_mask,
                                                int64_t half_h_mask, int64_t half_w_mask);

/**
 * Shifts groups of channels along time, mmcv's `tin_shift`.
 *
 * @param[in]  ctx     context of the call
 * @param[out] output  tensor
 * @param[in]  input   tensor
 * @param[in]  shift   tensor
 */
DIOPI_API diopiError_t diopiTinShiftMmcv(diopiContextHandle_t ctx, diopiTensorHandle_t output,
                                         diopiConstTensorHandle_t input, diopiConstTensorHandle_t shift);

/**
 * Gradient of diopiTinShiftMmcv with respect to its input.
 *
 * @param[in]  ctx          context of the call
 * @param[out] grad_input   tensor
 * @param[in]  grad_output  tensor
 * @param[in]  shift        tensor
 */
DIOPI_API diopiError_t diopiTinShiftBackwardMmcv(diopiContextHandle_t ctx, diopiTensorHandle_t grad_input,
                                                 diopiConstTensorHandle_t grad_output, diopiConstTensorHandle_t shift);

/**
 * Upsamples with zeros, filters and downsamples images, mmcv's `upfirdn2d`.
 *
 * @param[in]  ctx     context of the call
 * @param[out] out     created by the callee
 * @param[in]  input   tensor
 * @param[in]  kernel  tensor
 * @param[in]  up_x    integer
 * @param[in]  up_y    integer
 * @param[in]  down_x  integer
 * @param[in]  down_y  integer
 * @param[in]  pad_x0  integer
 * @param[in]  pad_x1  integer
 * @param[in]  pad_y0  integer
 * @param[in]  pad_y1  integer
 */
DIOPI_API diopiError_t diopiUpfirdn2dOpMmcv(diopiContextHandle_t ctx, diopiTensorHandle_t* out,
                                            diopiConstTensorHandle_t input, diopiConstTensorHandle_t kernel,
                                            int64_t up_x, int64_t up_y, int64_t down_x, int64_t down_y,
                                            int64_t pad_x0, int64_t pad_x1, int64_t pad_y0, int64_t pad_y1);

/**
 * Rotated copies of oriented filters, mmcv's `active_rotated_filter`.
 *
 * @param[in]  ctx      context of the call
 * @param[out] output   tensor
 * @param[in]  input    tensor
 * @param[in]  indices  tensor
 */
DIOPI_API diopiError_t diopiActiveRotatedFilterMmcv(diopiContextHandle_t ctx, diopiTensorHandle_t output,
                                                    diopiConstTensorHandle_t input, diopiConstTensorHandle_t indices);

/**
 * Gradient of diopiActiveRotatedFilterMmcv with respect to its input.
 *
 * @param[in]  ctx       context of the call
 * @param[out] grad_in   tensor
 * @param[in]  grad_out  tensor
 * @param[in]  indices   tensor
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
 * @param[out] output         tensor
 * @param[out] columns        scratch
 * @param[out] ones           scratch
 * @param[in]  input          tensor
 * @param[in]  weight         tensor
 * @param[in]  offset         tensor
 * @param[in]  kW             integer
 * @param[in]  kH             integer
 * @param[in]  dW             integer
 * @param[in]  dH             integer
 * @param[in]  padW           integer
 * @param[in]  padH           integer
 * @param[in]  dilationW      integer
 * @param[in]  dilationH      integer
 * @param[in]  groups         integer
 * @param[in]  deform_groups  integer
 * @param[in]  im2col_step    integer
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
 * @param[out] gradInput      tensor
 * @param[out] gradOffset     tensor
 * @param[in]  input          tensor
 * @param[in]  offset         tensor
 * @param[in]  gradOutput     tensor
 * @param[in]  weight         tensor
 * @param[in]  columns        scratch of the caller; its contents have no meaning
 * @param[in]  kW             integer
 * @param[in]  kH             integer
 * @param[in]  dW             integer
 * @param[in]  dH             integer
 * @param[in]  padW           integer
 * @param[in]  padH           integer
 * @param[in]  dilationW      integer
 * @param[in]  dilationH      integer
 * @param[in]  groups         integer
 * @param[in]  deform_groups  integer
 * @param[in]  im2col_step    integer
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
 * @param[in,out] gradWeight     tensor
 * @param[in]     input          tensor
 * @param[in]     offset         tensor
 * @param[in]     columns        scratch of the caller; its contents have no meaning
 * @param[in]     ones           scratch of the caller; its contents have no meaning
 * @param[in]     kW             integer
 * @param[in]     kH             integer
 * @param[in]     dW             integer
 * @param[in]     dH             integer
 * @param[in]     padW           integer
 * @param[in]     padH           integer
 * @param[in]     dilationW      integer
 * @param[in]     dilationH      integer
 * @param[in]     groups         integer
 * @param[in]     deform_groups  integer
 * @param[in]     im2col_step    integer
 * @param[in]     scale          number
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
 * @param[out] output            tensor
 * @param[out] columns           scratch
 * @param[out] ones              scratch
 * @param[in]  input             tensor
 * @param[in]  weight            tensor
 * @param[in]  bias              read where with_bias is true; may be null otherwise
 * @param[in]  offset            tensor
 * @param[in]  mask              tensor
 * @param[in]  kernel_h          integer
 * @param[in]  kernel_w          integer
 * @param[in]  stride_h          integer
 * @param[in]  stride_w          integer
 * @param[in]  pad_h             integer
 * @param[in]  pad_w             integer
 * @param[in]  dilation_h        integer
 * @param[in]  dilation_w        integer
 * @param[in]  group             integer
 * @param[in]  deformable_group  integer
 * @param[in]  with_bias         flag
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
 * @param[out] grad_input        tensor
 * @param[out] grad_weight       tensor
 * @param[out] grad_bias         written where with_bias is true; may be null otherwise
 * @param[out] grad_offset       tensor
 * @param[out] grad_mask         tensor
 * @param[in]  input             tensor
 * @param[in]  weight            tensor
 * @param[in]  bias              read where with_bias is true; may be null otherwise
 * @param[in]  ones              scratch of the caller; its contents have no meaning
 * @param[in]  offset            tensor
 * @param[in]  mask              tensor
 * @param[in]  columns           scratch of the caller; its contents have no meaning
 * @param[in]  grad_output       tensor
 * @param[in]  kernel_h          integer
 * @param[in]  kernel_w          integer
 * @param[in]  stride_h          integer
 * @param[in]  stride_w          integer
 * @param[in]  pad_h             integer
 * @param[in]  pad_w             integer
 * @param[in]  dilation_h        integer
 * @param[in]  dilation_w        integer
 * @param[in]  group             integer
 * @param[in]  deformable_group  integer
 * @param[in]  with_bias         flag
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
 * @param[in]  value              tensor
 * @param[in]  spatial_shapes     tensor
 * @param[in]  level_start_index  tensor
 * @param[in]  sampling_loc       tensor
 * @param[in]  attn_weight        tensor
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
 * @param[out] grad_value         tensor
 * @param[out] grad_sampling_loc  tensor
 * @param[out] grad_attn_weight   tensor
 * @param[in]  value              tensor
 * @param[in]  spatial_shapes     tensor
 * @param[in]  level_start_index  tensor
 * @param[in]  sampling_loc       tensor
 * @param[in]  attn_weight        tensor
 * @param[in]  grad_output        tensor
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
 * @param[out] output  tensor
 * @param[in]  input   tensor
 * @param[in]  target  tensor
 * @param[in]  weight  weight of each class; empty: one
 * @param[in]  gamma   number
 * @param[in]  alpha   number
 */
DIOPI_API diopiError_t diopiSigmoidFocalLossMmcv(diopiContextHandle_t ctx, diopiTensorHandle_t output,
                                                 diopiConstTensorHandle_t input, diopiConstTensorHandle_t target,
                                                 diopiConstTensorHandle_t weight, float gamma, float alpha);

/**
 * Gradient of diopiSigmoidFocalLossMmcv with respect to its input, for an upstream gradient of one.
 *
 * @param[in]  ctx         context of the call
 * @param[out] grad_input  tensor
 * @param[in]  input       tensor
 * @param[in]  target      tensor
 * @param[in]  weight      weight of each class; empty: one
 * @param[in]  gamma       number
 * @param[in]  alpha       number
 */
DIOPI_API diopiError_t diopiSigmoidFocalLossBackwardMmcv(diopiContextHandle_t ctx, diopiTensorHandle_t grad_input,
                                                         diopiConstTensorHandle_t input,
                                                         diopiConstTensorHandle_t target,
                                                         diopiConstTensorHandle_t weight, float gamma, float alpha);

/**
 * Focal loss of softmax probabilities without reduction, mmcv's `softmax_focal_loss`.
 *
 * @param[in]  ctx      context of the call
 * @param[out] output   tensor
 * @param[in]  softmax  tensor
 * @param[in]  target   tensor
 * @param[in]  weight   weight of each class; empty: one
 * @param[in]  gamma    number
 * @param[in]  alpha    number
 */
DIOPI_API diopiError_t diopiSoftmaxFocalLossMmcv(diopiContextHandle_t ctx, diopiTensorHandle_t output,
                                                 diopiConstTensorHandle_t softmax, diopiConstTensorHandle_t target,
                                                 diopiConstTensorHandle_t weight, float gamma, float alpha);

/**
 * Gradient of diopiSoftmaxFocalLossMmcv with respect to the logits, for an upstream gradient of one.
 *
 * @param[in]  ctx         context of the call
 * @param[out] grad_input  tensor
 * @param[out] buff        scratch, one number per sample
 * @param[in]  softmax     tensor
 * @param[in]  target      tensor
 * @param[in]  weight      weight of each class; empty: one
 * @param[in]  gamma       number
 * @param[in]  alpha       number
 */
DIOPI_API diopiError_t diopiSoftmaxFocalLossBackwardMmcv(diopiContextHandle_t ctx, diopiTensorHandle_t grad_input,
                                                         diopiTensorHandle_t buff, diopiConstTensorHandle_t softmax,
                                                         diopiConstTensorHandle_t target,
                                                         diopiConstTensorHandle_t weight, float gamma, float alpha);

/**
 * Mean of each channel over batch and positions, first step of mmcv's `SyncBatchNorm`.
 *
 * @param[in]  ctx    context of the call
 * @param[out] mean   tensor
 * @param[in]  input  tensor
 */
DIOPI_API diopiError_t diopiSyncBnMeanMmcv(diopiContextHandle_t ctx, diopiTensorHandle_t mean,
                                           diopiConstTensorHandle_t input);

/**
 * Biased variance of each channel around mean, second step of mmcv's `SyncBatchNorm`.
 *
 * @param[in]  ctx    context of the call
 * @param[out] var    tensor
 * @param[in]  input  tensor
 * @param[in]  mean   tensor
 */
DIOPI_API diopiError_t diopiSyncBnVarMmcv(diopiContextHandle_t ctx, diopiTensorHandle_t var,
                                          diopiConstTensorHandle_t input, diopiConstTensorHandle_t mean);

/**
 * Normalises, scales and updates the running statistics, third step of mmcv's `SyncBatchNorm`.
 *
 * @param[in]     ctx           context of the call
 * @param[in,out] running_mean  tensor
 * @param[in,out] running_var   tensor
 * @param[out]    norm          normalised input, for the backward call
 * @param[out]    std           standard deviation of each channel, for the backward call
 * @param[out]    output        tensor
 * @param[in]     input         tensor
 * @param[in]     mean          tensor
 * @param[in]     var           tensor
 * @param[in]     weight        tensor
 * @param[in]     bias          tensor
 * @param[in]     eps           number
 * @param[in]     momentum      number
 * @param[in]     group_size    integer
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
 * @param[out] grad_weight  tensor
 * @param[out] grad_bias    tensor
 * @param[in]  grad_output  tensor
 * @param[in]  norm         tensor
 */
DIOPI_API diopiError_t diopiSyncBnBackwardParamMmcv(diopiContextHandle_t ctx, diopiTensorHandle_t grad_weight,
                                                    diopiTensorHandle_t grad_bias,
                                                    diopiConstTensorHandle_t grad_output,
                                                    diopiConstTensorHandle_t norm);

/**
 * Gradient of the input of mmcv's `SyncBatchNorm`.
 *
 * @param[in]  ctx          context of the call
 * @param[out] grad_input   tensor
 * @param[in]  grad_output  tensor
 * @param[in]  weight       tensor
 * @param[in]  grad_weight  tensor
 * @param[in]  grad_bias    tensor
 * @param[in]  norm         tensor
 * @param[in]  std          tensor
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
 * @param[out] output     tensor
 * @param[in]  points     tensor
 * @param[in]  centers    tensor
 * @param[in]  scores     tensor
 * @param[in]  knn_idx    tensor
 * @param[in]  B          integer
 * @param[in]  N          integer
 * @param[in]  npoint     integer
 * @param[in]  M          integer
 * @param[in]  K          integer
 * @param[in]  out_dim    integer
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
 * @param[out] grad_points   tensor
 * @param[out] grad_centers  tensor
 * @param[out] grad_scores   tensor
 * @param[in]  grad_out      tensor
 * @param[in]  points        tensor
 * @param[in]  centers       tensor
 * @param[in]  scores        tensor
 * @param[in]  knn_idx       tensor
 * @param[in]  B             integer
 * @param[in]  N             integer
 * @param[in]  npoint        integer
 * @param[in]  M             integer
 * @param[in]  K             integer
 * @param[in]  out_dim       integer
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
 * @param[out] idx         tensor
 * @param[in]  center_xyz  tensor
 * @param[in]  xyz         tensor
 * @param[in]  B           integer
 * @param[in]  N           integer
 * @param[in]  npoint      integer
 * @param[in]  sample_num  integer
 * @param[in]  min_radius  number
 * @param[in]  max_radius  number
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
 * @param[out] idx                   tensor
 * @param[in]  center_xyz            tensor
 * @param[in]  center_xyz_batch_cnt  tensor
 * @param[in]  xyz                   tensor
 * @param[in]  xyz_batch_cnt         tensor
 * @param[in]  max_radius            number
 * @param[in]  sample_num            integer
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
 * @param[out]    idx_tensor   tensor
 * @param[in]     points_xyz   tensor
 * @param[in]     B            integer
 * @param[in]     N            integer
 * @param[in]     num_points   integer
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
 * @param[out]    idx_tensor   tensor
 * @param[in]     points_dist  tensor
 * @param[in]     B            integer
 * @param[in]     N            integer
 * @param[in]     num_points   integer
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
 * @param[out] out      tensor
 * @param[in]  points   tensor
 * @param[in]  idx      tensor
 * @param[in]  b        integer
 * @param[in]  c        integer
 * @param[in]  n        integer
 * @param[in]  npoints  integer
 */
DIOPI_API diopiError_t diopiGatherPointsMmcv(diopiContextHandle_t ctx, diopiTensorHandle_t out,
                                             diopiConstTensorHandle_t points, diopiConstTensorHandle_t idx, int64_t b,
                                             int64_t c, int64_t n, int64_t npoints);

/**
 * Gradient of diopiGatherPointsMmcv with respect to points.
 *
 * @param[in]  ctx          context of the call
 * @param[out] grad_points  tensor
 * @param[in]  grad_out     tensor
 * @param[in]  idx          tensor
 * @param[in]  b            integer
 * @param[in]  c            integer
 * @param[in]  n            integer
 * @param[in]  npoints      integer
 */
DIOPI_API diopiError_t diopiGatherPointsBackwardMmcv(diopiContextHandle_t ctx, diopiTensorHandle_t grad_points,
                                                     diopiConstTensorHandle_t grad_out, diopiConstTensorHandle_t idx,
                                                     int64_t b, int64_t c, int64_t n, int64_t npoints);

/**
 * Features of groups of points named by idx, mmcv's `grouping_operation`.
 *
 * @param[in]  ctx      context of the call
 * @param[out] out      tensor
 * @param[in]  points   tensor
 * @param[in]  idx      tensor
 * @param[in]  b        integer
 * @param[in]  c        integer
 * @param[in]  n        integer
 * @param[in]  npoints  integer
 * @param[in]  nsample  integer
 */
DIOPI_API diopiError_t diopiGroupPointsMmcv(diopiContextHandle_t ctx, diopiTensorHandle_t out,
                                            diopiConstTensorHandle_t points, diopiConstTensorHandle_t idx, int64_t b,
                                            int64_t c, int64_t n, int64_t npoints, int64_t nsample);

/**
 * Gradient of diopiGroupPointsMmcv with respect to points.
 *
 * @param[in]  ctx          context of the call
 * @param[out] grad_points  tensor
 * @param[in]  grad_out     tensor
 * @param[in]  idx          tensor
 * @param[in]  b            integer
 * @param[in]  c            integer
 * @param[in]  n            integer
 * @param[in]  npoints      integer
 * @param[in]  nsample      integer
 */
DIOPI_API diopiError_t diopiGroupPointsBackwardMmcv(diopiContextHandle_t ctx, diopiTensorHandle_t grad_points,
                                                    diopiConstTensorHandle_t grad_out, diopiConstTensorHandle_t idx,
                                                    int64_t b, int64_t c, int64_t n, int64_t npoints, int64_t nsample);

/**
 * diopiGroupPointsMmcv for batches of different sizes stacked into one tensor.
 *
 * @param[in]  ctx                        context of the call
 * @param[out] out_tensor                 tensor
 * @param[in]  features_tensor            tensor
 * @param[in]  features_batch_cnt_tensor  tensor
 * @param[in]  idx_tensor                 tensor
 * @param[in]  idx_batch_cnt_tensor       tensor
 * @param[in]  b                          integer
 * @param[in]  c                          integer
 * @param[in]  m                          integer
 * @param[in]  nsample                    integer
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
 * @param[out] grad_features_tensor       tensor
 * @param[in]  grad_out_tensor            tensor
 * @param[in]  idx_tensor                 tensor
 * @param[in]  idx_batch_cnt_tensor       tensor
 * @param[in]  features_batch_cnt_tensor  tensor
 * @param[in]  b                          integer
 * @param[in]  c                          integer
 * @param[in]  m                          integer
 * @param[in]  n                          integer
 * @param[in]  nsample                    integer
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
 * @param[out] idx_tensor      tensor
 * @param[out] dist2_tensor    tensor
 * @param[in]  xyz_tensor      tensor
 * @param[in]  new_xyz_tensor  tensor
 * @param[in]  b               integer
 * @param[in]  n               integer
 * @param[in]  m               integer
 * @param[in]  nsample         integer
 */
DIOPI_API diopiError_t diopiKnnMmcv(diopiContextHandle_t ctx, diopiTensorHandle_t idx_tensor,
                                    diopiTensorHandle_t dist2_tensor, diopiConstTensorHandle_t xyz_tensor,
                                    diopiConstTensorHandle_t new_xyz_tensor, int64_t b, int64_t n, int64_t m,
                                    int64_t nsample);

/**
 * First box that contains each point, or -1, mmcv's `points_in_boxes_part`.
 *
 * @param[in]  ctx                context of the call
 * @param[out] box_idx_of_points  tensor
 * @param[in]  boxes              tensor
 * @param[in]  pts                tensor
 *
 * - notes: Every element of the output is written, -1 for a point in no box, so that the caller need not fill it.
 */
DIOPI_API diopiError_t diopiPointsInBoxesPartMmcv(diopiContextHandle_t ctx, diopiTensorHandle_t box_idx_of_points,
                                                  diopiConstTensorHandle_t boxes, diopiConstTensorHandle_t pts);

/**
 * Whether each point lies in each box, mmcv's `points_in_boxes_all`.
 *
 * @param[in]  ctx                context of the call
 * @param[out] box_idx_of_points  tensor
 * @param[in]  boxes              tensor
 * @param[in]  pts                tensor
 */
DIOPI_API diopiError_t diopiPointsInBoxesAllMmcv(diopiContextHandle_t ctx, diopiTensorHandle_t box_idx_of_points,
                                                 diopiConstTensorHandle_t boxes, diopiConstTensorHandle_t pts);

/**
 * Weighted sum of the features of three neighbours, mmcv's `three_interpolate`.
 *
 * @param[in]  ctx     context of the call
 * @param[out] out     tensor
 * @param[in]  points  tensor
 * @param[in]  idx     tensor
 * @param[in]  weight  tensor
 * @param[in]  b       integer
 * @param[in]  c       integer
 * @param[in]  m       integer
 * @param[in]  n       integer
 */
DIOPI_API diopiError_t diopiThreeInterpolateMmcv(diopiContextHandle_t ctx, diopiTensorHandle_t out,
                                                 diopiConstTensorHandle_t points, diopiConstTensorHandle_t idx,
                                                 diopiConstTensorHandle_t weight, int64_t b, int64_t c, int64_t m,
                                                 int64_t n);

/**
 * Gradient of diopiThreeInterpolateMmcv with respect to points.
 *
 * @param[in]  ctx          context of the call
 * @param[out] grad_points  tensor
 * @param[in]  grad_out     tensor
 * @param[in]  idx          tensor
 * @param[in]  weight       tensor
 * @param[in]  b            integer
 * @param[in]  c            integer
 * @param[in]  n            integer
 * @param[in]  m            integer
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
 * @param[out] dist2    tensor
 * @param[out] idx      tensor
 * @param[in]  unknown  tensor
 * @param[in]  known    tensor
 * @param[in]  b        integer
 * @param[in]  n        integer
 * @param[in]  m        integer
 */
DIOPI_API diopiError_t diopiThreeNnMmcv(diopiContextHandle_t ctx, diopiTensorHandle_t dist2, diopiTensorHandle_t idx,
                                        diopiConstTensorHandle_t unknown, diopiConstTensorHandle_t known, int64_t b,
                                        int64_t n, int64_t m);

/**
 * Whether each point lies in each quadrilateral, mmcv's `points_in_polygons`.
 *
 * @param[in]  ctx       context of the call
 * @param[out] output    tensor
 * @param[in]  points    tensor
 * @param[in]  polygons  tensor
 */
DIOPI_API diopiError_t diopiPointsInPolygonsMmcv(diopiContextHandle_t ctx, diopiTensorHandle_t output,
                                                 diopiConstTensorHandle_t points, diopiConstTensorHandle_t polygons);

/**
 * Squared distance from each 2D point to the nearest of the other set, both ways, mmcv's `chamfer_distance`.
 *
 * @param[in]  ctx    context of the call
 * @param[out] dist1  tensor
 * @param[out] dist2  tensor
 * @param[out] idx1   tensor
 * @param[out] idx2   tensor
 * @param[in]  xyz1   tensor
 * @param[in]  xyz2   tensor
 */
DIOPI_API diopiError_t diopiChamferDistanceMmcv(diopiContextHandle_t ctx, diopiTensorHandle_t dist1,
                                                diopiTensorHandle_t dist2, diopiTensorHandle_t idx1,
                                                diopiTensorHandle_t idx2, diopiConstTensorHandle_t xyz1,
                                                diopiConstTensorHandle_t xyz2);

/**
 * Gradients of diopiChamferDistanceMmcv with respect to both point sets.
 *
 * @param[in]  ctx         context of the call
 * @param[out] grad_xyz1   tensor
 * @param[out] grad_xyz2   tensor
 * @param[in]  xyz1        tensor
 * @param[in]  xyz2        tensor
 * @param[in]  idx1        tensor
 * @param[in]  idx2        tensor
 * @param[in]  grad_dist1  tensor
 * @param[in]  grad_dist2  tensor
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
 * @param[out] output      tensor
 * @param[out] argmax_idx  which sample won, for the backward call
 * @param[in]  input       tensor
 * @param[in]  boxes       tensor
 * @param[in]  pool_size   integer
 */
DIOPI_API diopiError_t diopiBorderAlignMmcv(diopiContextHandle_t ctx, diopiTensorHandle_t output,
                                            diopiTensorHandle_t argmax_idx, diopiConstTensorHandle_t input,
                                            diopiConstTensorHandle_t boxes, int64_t pool_size);

/**
 * Gradient of diopiBorderAlignMmcv with respect to its input.
 *
 * @param[in]  ctx          context of the call
 * @param[out] grad_input   tensor
 * @param[in]  grad_output  tensor
 * @param[in]  boxes        tensor
 * @param[in]  argmax_idx   tensor
 * @param[in]  pool_size    integer
 */
DIOPI_API diopiError_t diopiBorderAlignBackwardMmcv(diopiContextHandle_t ctx, diopiTensorHandle_t grad_input,
                                                    diopiConstTensorHandle_t grad_output,
                                                    diopiConstTensorHandle_t boxes,
                                                    diopiConstTensorHandle_t argmax_idx, int64_t pool_size);

/**
 * Region pooling with a learned shift per bin, mmcv's `deform_roi_pool`.
 *
 * @param[in]  ctx             context of the call
 * @param[out] output          tensor
 * @param[in]  input           tensor
 * @param[in]  rois            tensor
 * @param[in]  offset          shift of each bin; empty: none
 * @param[in]  pooled_height   integer
 * @param[in]  pooled_width    integer
 * @param[in]  sampling_ratio  integer
 * @param[in]  spatial_scale   number
 * @param[in]  gamma           number
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
 * @param[out] grad_input      tensor
 * @param[out] grad_offset     tensor
 * @param[in]  grad_output     tensor
 * @param[in]  input           tensor
 * @param[in]  rois            tensor
 * @param[in]  offset          shift of each bin; empty: none
 * @param[in]  pooled_height   integer
 * @param[in]  pooled_width    integer
 * @param[in]  sampling_ratio  integer
 * @param[in]  spatial_scale   number
 * @param[in]  gamma           number
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
 * @param[out] output          tensor
 * @param[out] argmax_y        where the maximum lies; not written for the average
 * @param[out] argmax_x        where the maximum lies; not written for the average
 * @param[in]  input           tensor
 * @param[in]  rois            tensor
 * @param[in]  aligned_height  integer
 * @param[in]  aligned_width   integer
 * @param[in]  sampling_ratio  integer
 * @param[in]  pool_mode       0: maximum; 1: average
 * @param[in]  spatial_scale   number
 * @param[in]  aligned         flag
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
 * @param[out] grad_input      tensor
 * @param[in]  grad_output     tensor
 * @param[in]  rois            tensor
 * @param[in]  argmax_y        tensor
 * @param[in]  argmax_x        tensor
 * @param[in]  aligned_height  integer
 * @param[in]  aligned_width   integer
 * @param[in]  sampling_ratio  integer
 * @param[in]  pool_mode       0: maximum; 1: average
 * @param[in]  spatial_scale   number
 * @param[in]  aligned         flag
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
 * @param[out] output          tensor
 * @param[in]  input           tensor
 * @param[in]  rois            tensor
 * @param[in]  aligned_height  integer
 * @param[in]  aligned_width   integer
 * @param[in]  sampling_ratio  integer
 * @param[in]  spatial_scale   number
 * @param[in]  aligned         flag
 * @param[in]  clockwise       flag
 */
DIOPI_API diopiError_t diopiRoiAlignRotatedMmcv(diopiContextHandle_t ctx, diopiTensorHandle_t output,
                                                diopiConstTensorHandle_t input, diopiConstTensorHandle_t rois,
                                                int64_t aligned_height, int64_t aligned_width, int64_t sampling_ratio,
                                                float spatial_scale, bool aligned, bool clockwise);

/**
 * Gradient of diopiRoiAlignRotatedMmcv with respect to its input.
 *
 * @param[in]  ctx             context of the call
 * @param[out] bottom_grad     tensor
 * @param[in]  top_grad        tensor
 * @param[in]  rois            tensor
 * @param[in]  aligned_height  integer
 * @param[in]  aligned_width   integer
 * @param[in]  sampling_ratio  integer
 * @param[in]  spatial_scale   number
 * @param[in]  aligned         flag
 * @param[in]  clockwise       flag
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
 * @param[out] output            tensor
 * @param[in]  features          tensor
 * @param[in]  rois              tensor
 * @param[in]  pooled_height     integer
 * @param[in]  pooled_width      integer
 * @param[in]  num_samples       integer
 * @param[in]  num_orientations  integer
 * @param[in]  spatial_scale     number
 * @param[in]  clockwise         flag
 */
DIOPI_API diopiError_t diopiRiroiAlignRotatedMmcv(diopiContextHandle_t ctx, diopiTensorHandle_t output,
                                                  diopiConstTensorHandle_t features, diopiConstTensorHandle_t rois,
                                                  int64_t pooled_height, int64_t pooled_width, int64_t num_samples,
                                                  int64_t num_orientations, float spatial_scale, bool clockwise);

/**
 * Gradient of diopiRiroiAlignRotatedMmcv with respect to features.
 *
 * @param[in]  ctx               context of the call
 * @param[out] bottom_grad       tensor
 * @param[in]  top_grad          tensor
 * @param[in]  rois              tensor
 * @param[in]  pooled_height     integer
 * @param[in]  pooled_width      integer
 * @param[in]  num_samples       integer
 * @param[in]  num_orientations  integer
 * @param[in]  spatial_scale     number
 * @param[in]  clockwise         flag
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
 * @param[out] argmax             tensor
 * @param[out] pts_idx_of_voxels  tensor
 * @param[out] pooled_features    tensor
 * @param[in]  rois               tensor
 * @param[in]  pts                tensor
 * @param[in]  pts_feature        tensor
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
 * @param[out] grad_in            tensor
 * @param[in]  pts_idx_of_voxels  tensor
 * @param[in]  argmax             tensor
 * @param[in]  grad_out           tensor
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
 * @param[out] pooled_features    tensor
 * @param[out] pooled_empty_flag  1 where a box holds no point
 * @param[in]  xyz                tensor
 * @param[in]  boxes3d            tensor
 * @param[in]  pts_feature        tensor
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
 * @param[out] output         tensor
 * @param[out] argmax         position of the maximum, for the backward call
 * @param[in]  input          tensor
 * @param[in]  rois           tensor
 * @param[in]  pooled_height  integer
 * @param[in]  pooled_width   integer
 * @param[in]  spatial_scale  number
 */
DIOPI_API diopiError_t diopiRoiPoolMmcv(diopiContextHandle_t ctx, diopiTensorHandle_t output,
                                        diopiTensorHandle_t argmax, diopiConstTensorHandle_t input,
                                        diopiConstTensorHandle_t rois, int64_t pooled_height, int64_t pooled_width,
                                        float spatial_scale);

/**
 * Gradient of diopiRoiPoolMmcv with respect to its input.
 *
 * @param[in]  ctx            context of the call
 * @param[out] grad_input     tensor
 * @param[in]  grad_output    tensor
 * @param[in]  rois           tensor
 * @param[in]  argmax         tensor
 * @param[in]  pooled_height  integer
 * @param[in]  pooled_width   integer
 * @param[in]  spatial_scale  number
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
 * @param[out] output         tensor
 * @param[in]  features       tensor
 * @param[in]  best_bboxes    tensor
 * @param[in]  spatial_scale  number
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
 * @param[out] bottom_grad    tensor
 * @param[in]  top_grad       tensor
 * @param[in]  best_bboxes    tensor
 * @param[in]  spatial_scale  number
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
 * @param[out] output         tensor
 * @param[in]  input          tensor
 * @param[in]  rois           tensor
 * @param[in]  pooled_height  integer
 * @param[in]  pooled_width   integer
 * @param[in]  spatial_scale  number
 */
DIOPI_API diopiError_t diopiPrroiPoolMmcv(diopiContextHandle_t ctx, diopiTensorHandle_t output,
                                          diopiConstTensorHandle_t input, diopiConstTensorHandle_t rois,
                                          int64_t pooled_height, int64_t pooled_width, float spatial_scale);

/**
 * Gradient of diopiPrroiPoolMmcv with respect to its input.
 *
 * @param[in]  ctx            context of the call
 * @param[out] grad_input     tensor
 * @param[in]  grad_output    tensor
 * @param[in]  rois           tensor
 * @param[in]  pooled_height  integer
 * @param[in]  pooled_width   integer
 * @param[in]  spatial_scale  number
 */
DIOPI_API diopiError_t diopiPrroiPoolbackwardMmcv(diopiContextHandle_t ctx, diopiTensorHandle_t grad_input,
                                                  diopiConstTensorHandle_t grad_output, diopiConstTensorHandle_t rois,
                                                  int64_t pooled_height, int64_t pooled_width, float spatial_scale);

/**
 * Gradient of diopiPrroiPoolMmcv with respect to the coordinates of the regions.
 *
 * @param[in]  ctx            context of the call
 * @param[out] grad_rois      tensor
 * @param[in]  output         tensor
 * @param[in]  grad_output    tensor
 * @param[in]  input          tensor
 * @param[in]  rois           tensor
 * @param[in]  pooled_height  integer
 * @param[in]  pooled_width   integer
 * @param[in]  spatial_scale  number
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
 * @param[in]  feats        tensor
 * @param[in]  coors        tensor
 * @param[in]  reduce_type  0: sum; 1: mean; 2: maximum
 */
DIOPI_API diopiError_t diopiDynamicPointToVoxelMmcv(diopiContextHandle_t ctx, diopiTensorHandle_t* outlist,
                                                    diopiConstTensorHandle_t feats, diopiConstTensorHandle_t coors,
                                                    int64_t reduce_type);

/**
 * Gradient of diopiDynamicPointToVoxelMmcv with respect to the point features.
 *
 * @param[in]  ctx                 context of the call
 * @param[out] grad_feats          tensor
 * @param[in]  grad_reduced_feats  tensor
 * @param[in]  feats               tensor
 * @param[in]  reduced_feats       tensor
 * @param[in]  coors_idx           tensor
 * @param[in]  reduce_count        tensor
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
 * @param[out] voxels                tensor
 * @param[out] coors                 tensor
 * @param[out] num_points_per_voxel  tensor
 * @param[out] voxel_num             number of voxels used
 * @param[in]  points                tensor
 * @param[in]  voxel_size            tensor
 * @param[in]  coors_range           tensor
 * @param[in]  max_points            integer
 * @param[in]  max_voxels            integer
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
 * @param[out] coors        tensor
 * @param[in]  points       tensor
 * @param[in]  voxel_size   tensor
 * @param[in]  coors_range  tensor
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
 * @param[in]  features     tensor
 * @param[in]  indicePairs  tensor
 * @param[in]  indiceNum    tensor
 * @param[in]  numAct       integer
 */
DIOPI_API diopiError_t diopiIndiceMaxpoolMmcv(diopiContextHandle_t ctx, diopiTensorHandle_t* out,
                                              diopiConstTensorHandle_t features, diopiConstTensorHandle_t indicePairs,
                                              diopiConstTensorHandle_t indiceNum, int64_t numAct);

/**
 * Gradient of diopiIndiceMaxpoolMmcv with respect to features.
 *
 * @param[in]  ctx          context of the call
 * @param[out] out          created by the callee; gradient of `features`
 * @param[in]  features     tensor
 * @param[in]  outFeatures  tensor
 * @param[in]  outGrad      tensor
 * @param[in]  indicePairs  tensor
 * @param[in]  indiceNum    tensor
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
 * @param[in]  features     tensor
 * @param[in]  filters      tensor
 * @param[in]  indicePairs  tensor
 * @param[in]  indiceNum    tensor
 * @param[in]  numActOut    integer
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
 * @param[in]  features     tensor
 * @param[in]  filters      tensor
 * @param[in]  outGrad      tensor
 * @param[in]  indicePairs  tensor
 * @param[in]  indiceNum    tensor
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
 * @param[in]  features     tensor
 * @param[in]  filters      tensor
 * @param[in]  bias         tensor
 * @param[in]  indicePairs  tensor
 * @param[in]  indiceNum    tensor
 * @param[in]  numActOut    integer
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
