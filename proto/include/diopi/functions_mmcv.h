/* Generated from proto/registry by adaptor/codegen/headers.py. Do not edit. */
#ifndef DIOPI_FUNCTIONS_MMCV_H_
#define DIOPI_FUNCTIONS_MMCV_H_

#include "diopirt.h"

#ifdef __cplusplus
extern "C" {
#endif

/**
 * BboxOverlapsMmcv.
 */
DIOPI_API diopiError_t diopiBboxOverlapsMmcv(diopiContextHandle_t ctx, diopiTensorHandle_t ious, diopiConstTensorHandle_t bboxes1, diopiConstTensorHandle_t bboxes2, int64_t mode, int64_t offset, bool aligned);

/**
 * BoxIouRotatedMmcv.
 */
DIOPI_API diopiError_t diopiBoxIouRotatedMmcv(diopiContextHandle_t ctx, diopiTensorHandle_t ious, diopiConstTensorHandle_t bboxes1, diopiConstTensorHandle_t bboxes2, int64_t mode, bool aligned);

/**
 * BoxIouQuadriMmcv.
 */
DIOPI_API diopiError_t diopiBoxIouQuadriMmcv(diopiContextHandle_t ctx, diopiTensorHandle_t ious, diopiConstTensorHandle_t bboxes1, diopiConstTensorHandle_t bboxes2, int64_t mode, bool aligned);

/**
 * Iou3dBoxesOverlapBevMmcv.
 */
DIOPI_API diopiError_t diopiIou3dBoxesOverlapBevMmcv(diopiContextHandle_t ctx, diopiTensorHandle_t ans_overlap, diopiConstTensorHandle_t boxes_a, diopiConstTensorHandle_t boxes_b);

/**
 * Iou3dNms3dMmcv.
 */
DIOPI_API diopiError_t diopiIou3dNms3dMmcv(diopiContextHandle_t ctx, diopiTensorHandle_t keep, diopiTensorHandle_t keep_num, diopiConstTensorHandle_t boxes, float nms_overlap_thresh);

/**
 * Iou3dNms3dNormalMmcv.
 */
DIOPI_API diopiError_t diopiIou3dNms3dNormalMmcv(diopiContextHandle_t ctx, diopiTensorHandle_t keep, diopiTensorHandle_t keep_num, diopiConstTensorHandle_t boxes, float nms_overlap_thresh);

/**
 * NmsMmcv.
 */
DIOPI_API diopiError_t diopiNmsMmcv(diopiContextHandle_t ctx, diopiTensorHandle_t* out, diopiConstTensorHandle_t dets, diopiConstTensorHandle_t scores, double iou_threshold, int64_t offset);

/**
 * NmsRotatedMmcv.
 */
DIOPI_API diopiError_t diopiNmsRotatedMmcv(diopiContextHandle_t ctx, diopiTensorHandle_t* out, diopiConstTensorHandle_t dets, diopiConstTensorHandle_t scores, diopiConstTensorHandle_t order, diopiConstTensorHandle_t dets_sorted, diopiConstTensorHandle_t labels, float iou_threshold, bool multi_label);

/**
 * MinAreaPolygonsMmcv.
 */
DIOPI_API diopiError_t diopiMinAreaPolygonsMmcv(diopiContextHandle_t ctx, diopiTensorHandle_t polygons, diopiConstTensorHandle_t pointsets);

/**
 * ConvexIouMmcv.
 */
DIOPI_API diopiError_t diopiConvexIouMmcv(diopiContextHandle_t ctx, diopiTensorHandle_t ious, diopiConstTensorHandle_t pointsets, diopiConstTensorHandle_t polygons);

/**
 * ConvexGiouMmcv.
 */
DIOPI_API diopiError_t diopiConvexGiouMmcv(diopiContextHandle_t ctx, diopiTensorHandle_t output, diopiConstTensorHandle_t pointsets, diopiConstTensorHandle_t polygons);

/**
 * DiffIouRotatedSortVerticesMmcv.
 */
DIOPI_API diopiError_t diopiDiffIouRotatedSortVerticesMmcv(diopiContextHandle_t ctx, diopiTensorHandle_t* out, diopiConstTensorHandle_t vertices, diopiConstTensorHandle_t mask, diopiConstTensorHandle_t num_valid);

/**
 * CarafeMmcv.
 */
DIOPI_API diopiError_t diopiCarafeMmcv(diopiContextHandle_t ctx, diopiTensorHandle_t rfeatures, diopiTensorHandle_t routput, diopiTensorHandle_t rmasks, diopiTensorHandle_t output, diopiConstTensorHandle_t features, diopiConstTensorHandle_t masks, int64_t kernel_size, int64_t group_size, int64_t scale_factor);

/**
 * CarafeBackwardMmcv.
 */
DIOPI_API diopiError_t diopiCarafeBackwardMmcv(diopiContextHandle_t ctx, diopiTensorHandle_t rtop_grad, diopiTensorHandle_t rbottom_grad_hs, diopiTensorHandle_t rbottom_grad, diopiTensorHandle_t rmask_grad, diopiTensorHandle_t bottom_grad, diopiTensorHandle_t mask_grad, diopiConstTensorHandle_t top_grad, diopiConstTensorHandle_t rfeatures, diopiConstTensorHandle_t masks, int64_t kernel_size, int64_t group_size, int64_t scale_factor);

/**
 * CarafeNaiveMmcv.
 */
DIOPI_API diopiError_t diopiCarafeNaiveMmcv(diopiContextHandle_t ctx, diopiTensorHandle_t output, diopiConstTensorHandle_t features, diopiConstTensorHandle_t masks, int64_t kernel_size, int64_t group_size, int64_t scale_factor);

/**
 * CarafeNaiveBackwardMmcv.
 */
DIOPI_API diopiError_t diopiCarafeNaiveBackwardMmcv(diopiContextHandle_t ctx, diopiTensorHandle_t bottom_grad, diopiTensorHandle_t mask_grad, diopiConstTensorHandle_t top_grad, diopiConstTensorHandle_t features, diopiConstTensorHandle_t masks, int64_t kernel_size, int64_t group_size, int64_t scale_factor);

/**
 * CorrelationMmcv.
 */
DIOPI_API diopiError_t diopiCorrelationMmcv(diopiContextHandle_t ctx, diopiTensorHandle_t output, diopiConstTensorHandle_t input1, diopiConstTensorHandle_t input2, int64_t kH, int64_t kW, int64_t patchH, int64_t patchW, int64_t padH, int64_t padW, int64_t dilationH, int64_t dilationW, int64_t dilation_patchH, int64_t dilation_patchW, int64_t dH, int64_t dW);

/**
 * CorrelationBackwardMmcv.
 */
DIOPI_API diopiError_t diopiCorrelationBackwardMmcv(diopiContextHandle_t ctx, diopiTensorHandle_t grad_input1, diopiTensorHandle_t grad_input2, diopiConstTensorHandle_t grad_output, diopiConstTensorHandle_t input1, diopiConstTensorHandle_t input2, int64_t kH, int64_t kW, int64_t patchH, int64_t patchW, int64_t padH, int64_t padW, int64_t dilationH, int64_t dilationW, int64_t dilation_patchH, int64_t dilation_patchW, int64_t dH, int64_t dW);

/**
 * FusedBiasLeakyreluMmcv.
 */
DIOPI_API diopiError_t diopiFusedBiasLeakyreluMmcv(diopiContextHandle_t ctx, diopiTensorHandle_t* out, diopiConstTensorHandle_t input, diopiConstTensorHandle_t bias, diopiConstTensorHandle_t refer, int64_t act, int64_t grad, float alpha, float scale);

/**
 * MaskedIm2colMmcv.
 */
DIOPI_API diopiError_t diopiMaskedIm2colMmcv(diopiContextHandle_t ctx, diopiTensorHandle_t col, diopiConstTensorHandle_t im, diopiConstTensorHandle_t mask_h_idx, diopiConstTensorHandle_t mask_w_idx, int64_t kernel_h, int64_t kernel_w, int64_t pad_h, int64_t pad_w);

/**
 * MaskedCol2imMmcv.
 */
DIOPI_API diopiError_t diopiMaskedCol2imMmcv(diopiContextHandle_t ctx, diopiTensorHandle_t im, diopiConstTensorHandle_t col, diopiConstTensorHandle_t mask_h_idx, diopiConstTensorHandle_t mask_w_idx, int64_t height, int64_t width, int64_t channels);

/**
 * PsamaskMmcv.
 */
DIOPI_API diopiError_t diopiPsamaskMmcv(diopiContextHandle_t ctx, diopiTensorHandle_t output, diopiConstTensorHandle_t input, int64_t psa_type, int64_t num_, int64_t h_feature, int64_t w_feature, int64_t h_mask, int64_t w_mask, int64_t half_h_mask, int64_t half_w_mask);

/**
 * PsamaskBackwardMmcv.
 */
DIOPI_API diopiError_t diopiPsamaskBackwardMmcv(diopiContextHandle_t ctx, diopiTensorHandle_t grad_input, diopiConstTensorHandle_t grad_output, int64_t psa_type, int64_t num_, int64_t h_feature, int64_t w_feature, int64_t h_mask, int64_t w_mask, int64_t half_h_mask, int64_t half_w_mask);

/**
 * TinShiftMmcv.
 */
DIOPI_API diopiError_t diopiTinShiftMmcv(diopiContextHandle_t ctx, diopiTensorHandle_t output, diopiConstTensorHandle_t input, diopiConstTensorHandle_t shift);

/**
 * TinShiftBackwardMmcv.
 */
DIOPI_API diopiError_t diopiTinShiftBackwardMmcv(diopiContextHandle_t ctx, diopiTensorHandle_t grad_input, diopiConstTensorHandle_t grad_output, diopiConstTensorHandle_t shift);

/**
 * Upfirdn2dOpMmcv.
 */
DIOPI_API diopiError_t diopiUpfirdn2dOpMmcv(diopiContextHandle_t ctx, diopiTensorHandle_t* out, diopiConstTensorHandle_t input, diopiConstTensorHandle_t kernel, int64_t up_x, int64_t up_y, int64_t down_x, int64_t down_y, int64_t pad_x0, int64_t pad_x1, int64_t pad_y0, int64_t pad_y1);

/**
 * ActiveRotatedFilterMmcv.
 */
DIOPI_API diopiError_t diopiActiveRotatedFilterMmcv(diopiContextHandle_t ctx, diopiTensorHandle_t output, diopiConstTensorHandle_t input, diopiConstTensorHandle_t indices);

/**
 * ActiveRotatedFilterBackwardMmcv.
 */
DIOPI_API diopiError_t diopiActiveRotatedFilterBackwardMmcv(diopiContextHandle_t ctx, diopiTensorHandle_t grad_in, diopiConstTensorHandle_t grad_out, diopiConstTensorHandle_t indices);

/**
 * DeformConvMmcv.
 */
DIOPI_API diopiError_t diopiDeformConvMmcv(diopiContextHandle_t ctx, diopiTensorHandle_t output, diopiTensorHandle_t columns, diopiTensorHandle_t ones, diopiConstTensorHandle_t input, diopiConstTensorHandle_t weight, diopiConstTensorHandle_t offset, int64_t kW, int64_t kH, int64_t dW, int64_t dH, int64_t padW, int64_t padH, int64_t dilationW, int64_t dilationH, int64_t groups, int64_t deform_groups, int64_t im2col_step);

/**
 * DeformConvBackwardInputMmcv.
 */
DIOPI_API diopiError_t diopiDeformConvBackwardInputMmcv(diopiContextHandle_t ctx, diopiTensorHandle_t gradInput, diopiTensorHandle_t gradOffset, diopiConstTensorHandle_t input, diopiConstTensorHandle_t offset, diopiConstTensorHandle_t gradOutput, diopiConstTensorHandle_t weight, diopiConstTensorHandle_t columns, int64_t kW, int64_t kH, int64_t dW, int64_t dH, int64_t padW, int64_t padH, int64_t dilationW, int64_t dilationH, int64_t groups, int64_t deform_groups, int64_t im2col_step);

/**
 * DeformConvBackwardParametersMmcv.
 */
DIOPI_API diopiError_t diopiDeformConvBackwardParametersMmcv(diopiContextHandle_t ctx, diopiTensorHandle_t gradOutput, diopiTensorHandle_t gradWeight, diopiConstTensorHandle_t input, diopiConstTensorHandle_t offset, diopiConstTensorHandle_t columns, diopiConstTensorHandle_t ones, int64_t kW, int64_t kH, int64_t dW, int64_t dH, int64_t padW, int64_t padH, int64_t dilationW, int64_t dilationH, int64_t groups, int64_t deform_groups, int64_t im2col_step, float scale);

/**
 * ModulatedDeformConvMmcv.
 */
DIOPI_API diopiError_t diopiModulatedDeformConvMmcv(diopiContextHandle_t ctx, diopiTensorHandle_t output, diopiTensorHandle_t columns, diopiTensorHandle_t ones, diopiConstTensorHandle_t input, diopiConstTensorHandle_t weight, diopiConstTensorHandle_t bias, diopiConstTensorHandle_t offset, diopiConstTensorHandle_t mask, int64_t kernel_h, int64_t kernel_w, const int64_t stride_h, const int64_t stride_w, const int64_t pad_h, const int64_t pad_w, const int64_t dilation_h, const int64_t dilation_w, const int64_t group, const int64_t deformable_group, const bool with_bias);

/**
 * ModulatedDeformConvBackwardMmcv.
 */
DIOPI_API diopiError_t diopiModulatedDeformConvBackwardMmcv(diopiContextHandle_t ctx, diopiTensorHandle_t grad_input, diopiTensorHandle_t grad_weight, diopiTensorHandle_t grad_bias, diopiTensorHandle_t grad_offset, diopiTensorHandle_t grad_mask, diopiConstTensorHandle_t input, diopiConstTensorHandle_t weight, diopiConstTensorHandle_t bias, diopiConstTensorHandle_t ones, diopiConstTensorHandle_t offset, diopiConstTensorHandle_t mask, diopiConstTensorHandle_t columns, diopiConstTensorHandle_t grad_output, int64_t kernel_h, int64_t kernel_w, int64_t stride_h, int64_t stride_w, int64_t pad_h, int64_t pad_w, int64_t dilation_h, int64_t dilation_w, int64_t group, int64_t deformable_group, const bool with_bias);

/**
 * MsDeformAttnMmcv.
 */
DIOPI_API diopiError_t diopiMsDeformAttnMmcv(diopiContextHandle_t ctx, diopiTensorHandle_t* out, diopiConstTensorHandle_t value, diopiConstTensorHandle_t spatial_shapes, diopiConstTensorHandle_t level_start_index, diopiConstTensorHandle_t sampling_loc, diopiConstTensorHandle_t attn_weight, int64_t im2col_step);

/**
 * MsDeformAttnBackwardMmcv.
 */
DIOPI_API diopiError_t diopiMsDeformAttnBackwardMmcv(diopiContextHandle_t ctx, diopiTensorHandle_t grad_value, diopiTensorHandle_t grad_sampling_loc, diopiTensorHandle_t grad_attn_weight, diopiConstTensorHandle_t value, diopiConstTensorHandle_t spatial_shapes, diopiConstTensorHandle_t level_start_index, diopiConstTensorHandle_t sampling_loc, diopiConstTensorHandle_t attn_weight, diopiConstTensorHandle_t grad_output, int64_t im2col_step);

/**
 * SigmoidFocalLossMmcv.
 */
DIOPI_API diopiError_t diopiSigmoidFocalLossMmcv(diopiContextHandle_t ctx, diopiTensorHandle_t output, diopiConstTensorHandle_t input, diopiConstTensorHandle_t target, diopiConstTensorHandle_t weight, float gamma, float alpha);

/**
 * SigmoidFocalLossBackwardMmcv.
 */
DIOPI_API diopiError_t diopiSigmoidFocalLossBackwardMmcv(diopiContextHandle_t ctx, diopiTensorHandle_t grad_input, diopiConstTensorHandle_t input, diopiConstTensorHandle_t target, diopiConstTensorHandle_t weight, float gamma, float alpha);

/**
 * SoftmaxFocalLossMmcv.
 */
DIOPI_API diopiError_t diopiSoftmaxFocalLossMmcv(diopiContextHandle_t ctx, diopiTensorHandle_t output, diopiConstTensorHandle_t softmax, diopiConstTensorHandle_t target, diopiConstTensorHandle_t weight, float gamma, float alpha);

/**
 * SoftmaxFocalLossBackwardMmcv.
 */
DIOPI_API diopiError_t diopiSoftmaxFocalLossBackwardMmcv(diopiContextHandle_t ctx, diopiTensorHandle_t grad_input, diopiTensorHandle_t buff, diopiConstTensorHandle_t softmax, diopiConstTensorHandle_t target, diopiConstTensorHandle_t weight, float gamma, float alpha);

/**
 * SyncBnMeanMmcv.
 */
DIOPI_API diopiError_t diopiSyncBnMeanMmcv(diopiContextHandle_t ctx, diopiTensorHandle_t mean, diopiConstTensorHandle_t input);

/**
 * SyncBnVarMmcv.
 */
DIOPI_API diopiError_t diopiSyncBnVarMmcv(diopiContextHandle_t ctx, diopiTensorHandle_t var, diopiConstTensorHandle_t input, diopiConstTensorHandle_t mean);

/**
 * SyncBnOutputMmcv.
 */
DIOPI_API diopiError_t diopiSyncBnOutputMmcv(diopiContextHandle_t ctx, diopiTensorHandle_t running_mean, diopiTensorHandle_t running_var, diopiTensorHandle_t norm, diopiTensorHandle_t std, diopiTensorHandle_t output, diopiConstTensorHandle_t input, diopiConstTensorHandle_t mean, diopiConstTensorHandle_t var, diopiConstTensorHandle_t weight, diopiConstTensorHandle_t bias, float eps, float momentum, int64_t group_size);

/**
 * SyncBnBackwardParamMmcv.
 */
DIOPI_API diopiError_t diopiSyncBnBackwardParamMmcv(diopiContextHandle_t ctx, diopiTensorHandle_t grad_weight, diopiTensorHandle_t grad_bias, diopiConstTensorHandle_t grad_output, diopiConstTensorHandle_t norm);

/**
 * SyncBnBackwardDataMmcv.
 */
DIOPI_API diopiError_t diopiSyncBnBackwardDataMmcv(diopiContextHandle_t ctx, diopiTensorHandle_t grad_input, diopiConstTensorHandle_t grad_output, diopiConstTensorHandle_t weight, diopiConstTensorHandle_t grad_weight, diopiConstTensorHandle_t grad_bias, diopiConstTensorHandle_t norm, diopiConstTensorHandle_t std);

/**
 * AssignScoreWithkMmcv.
 */
DIOPI_API diopiError_t diopiAssignScoreWithkMmcv(diopiContextHandle_t ctx, diopiTensorHandle_t output, diopiConstTensorHandle_t points, diopiConstTensorHandle_t centers, diopiConstTensorHandle_t scores, diopiConstTensorHandle_t knn_idx, int64_t B, int64_t N, int64_t npoint, int64_t M, int64_t K, int64_t out_dim, int64_t aggregate);

/**
 * AssignScoreWithkBackwardMmcv.
 */
DIOPI_API diopiError_t diopiAssignScoreWithkBackwardMmcv(diopiContextHandle_t ctx, diopiTensorHandle_t grad_points, diopiTensorHandle_t grad_centers, diopiTensorHandle_t grad_scores, diopiConstTensorHandle_t grad_out, diopiConstTensorHandle_t points, diopiConstTensorHandle_t centers, diopiConstTensorHandle_t scores, diopiConstTensorHandle_t knn_idx, int64_t B, int64_t N, int64_t npoint, int64_t M, int64_t K, int64_t out_dim, int64_t aggregate);

/**
 * BallQueryMmcv.
 */
DIOPI_API diopiError_t diopiBallQueryMmcv(diopiContextHandle_t ctx, diopiTensorHandle_t idx, diopiConstTensorHandle_t center_xyz, diopiConstTensorHandle_t xyz, int64_t B, int64_t N, int64_t npoint, int64_t sample_num, float min_radius, float max_radius);

/**
 * StackBallQueryMmcv.
 */
DIOPI_API diopiError_t diopiStackBallQueryMmcv(diopiContextHandle_t ctx, diopiTensorHandle_t idx, diopiConstTensorHandle_t center_xyz, diopiConstTensorHandle_t center_xyz_batch_cnt, diopiConstTensorHandle_t xyz, diopiConstTensorHandle_t xyz_batch_cnt, float max_radius, int64_t sample_num);

/**
 * FurthestPointSamplingMmcv.
 */
DIOPI_API diopiError_t diopiFurthestPointSamplingMmcv(diopiContextHandle_t ctx, diopiTensorHandle_t temp_tensor, diopiTensorHandle_t idx_tensor, diopiConstTensorHandle_t points_xyz, int64_t B, int64_t N, int64_t num_points);

/**
 * FurthestPointSamplingWithDistMmcv.
 */
DIOPI_API diopiError_t diopiFurthestPointSamplingWithDistMmcv(diopiContextHandle_t ctx, diopiTensorHandle_t temp_tensor, diopiTensorHandle_t idx_tensor, diopiConstTensorHandle_t points_dist, int64_t B, int64_t N, int64_t num_points);

/**
 * GatherPointsMmcv.
 */
DIOPI_API diopiError_t diopiGatherPointsMmcv(diopiContextHandle_t ctx, diopiTensorHandle_t out, diopiConstTensorHandle_t points, diopiConstTensorHandle_t idx, int64_t b, int64_t c, int64_t n, int64_t npoints);

/**
 * GatherPointsBackwardMmcv.
 */
DIOPI_API diopiError_t diopiGatherPointsBackwardMmcv(diopiContextHandle_t ctx, diopiTensorHandle_t grad_points, diopiConstTensorHandle_t grad_out, diopiConstTensorHandle_t idx, int64_t b, int64_t c, int64_t n, int64_t npoints);

/**
 * GroupPointsMmcv.
 */
DIOPI_API diopiError_t diopiGroupPointsMmcv(diopiContextHandle_t ctx, diopiTensorHandle_t out, diopiConstTensorHandle_t points, diopiConstTensorHandle_t idx, int64_t b, int64_t c, int64_t n, int64_t npoints, int64_t nsample);

/**
 * GroupPointsBackwardMmcv.
 */
DIOPI_API diopiError_t diopiGroupPointsBackwardMmcv(diopiContextHandle_t ctx, diopiTensorHandle_t grad_points, diopiConstTensorHandle_t grad_out, diopiConstTensorHandle_t idx, int64_t b, int64_t c, int64_t n, int64_t npoints, int64_t nsample);

/**
 * StackGroupPointsMmcv.
 */
DIOPI_API diopiError_t diopiStackGroupPointsMmcv(diopiContextHandle_t ctx, diopiTensorHandle_t out_tensor, diopiConstTensorHandle_t features_tensor, diopiConstTensorHandle_t features_batch_cnt_tensor, diopiConstTensorHandle_t idx_tensor, diopiConstTensorHandle_t idx_batch_cnt_tensor, int64_t b, int64_t c, int64_t m, int64_t nsample);

/**
 * StackGroupPointsBackwardMmcv.
 */
DIOPI_API diopiError_t diopiStackGroupPointsBackwardMmcv(diopiContextHandle_t ctx, diopiTensorHandle_t grad_features_tensor, diopiConstTensorHandle_t grad_out_tensor, diopiConstTensorHandle_t idx_tensor, diopiConstTensorHandle_t idx_batch_cnt_tensor, diopiConstTensorHandle_t features_batch_cnt_tensor, int64_t b, int64_t c, int64_t m, int64_t n, int64_t nsample);

/**
 * KnnMmcv.
 */
DIOPI_API diopiError_t diopiKnnMmcv(diopiContextHandle_t ctx, diopiTensorHandle_t idx_tensor, diopiTensorHandle_t dist2_tensor, diopiConstTensorHandle_t xyz_tensor, diopiConstTensorHandle_t new_xyz_tensor, int64_t b, int64_t n, int64_t m, int64_t nsample);

/**
 * PointsInBoxesPartMmcv.
 */
DIOPI_API diopiError_t diopiPointsInBoxesPartMmcv(diopiContextHandle_t ctx, diopiTensorHandle_t box_idx_of_points, diopiConstTensorHandle_t boxes, diopiConstTensorHandle_t pts);

/**
 * PointsInBoxesAllMmcv.
 */
DIOPI_API diopiError_t diopiPointsInBoxesAllMmcv(diopiContextHandle_t ctx, diopiTensorHandle_t box_idx_of_points, diopiConstTensorHandle_t boxes, diopiConstTensorHandle_t pts);

/**
 * ThreeInterpolateMmcv.
 */
DIOPI_API diopiError_t diopiThreeInterpolateMmcv(diopiContextHandle_t ctx, diopiTensorHandle_t out, diopiConstTensorHandle_t points, diopiConstTensorHandle_t idx, diopiConstTensorHandle_t weight, int64_t b, int64_t c, int64_t m, int64_t n);

/**
 * ThreeInterpolateBackwardMmcv.
 */
DIOPI_API diopiError_t diopiThreeInterpolateBackwardMmcv(diopiContextHandle_t ctx, diopiTensorHandle_t grad_points, diopiConstTensorHandle_t grad_out, diopiConstTensorHandle_t idx, diopiConstTensorHandle_t weight, int64_t b, int64_t c, int64_t n, int64_t m);

/**
 * ThreeNnMmcv.
 */
DIOPI_API diopiError_t diopiThreeNnMmcv(diopiContextHandle_t ctx, diopiTensorHandle_t dist2, diopiTensorHandle_t idx, diopiConstTensorHandle_t unknown, diopiConstTensorHandle_t known, int64_t b, int64_t n, int64_t m);

/**
 * PointsInPolygonsMmcv.
 */
DIOPI_API diopiError_t diopiPointsInPolygonsMmcv(diopiContextHandle_t ctx, diopiTensorHandle_t output, diopiConstTensorHandle_t points, diopiConstTensorHandle_t polygons);

/**
 * ChamferDistanceMmcv.
 */
DIOPI_API diopiError_t diopiChamferDistanceMmcv(diopiContextHandle_t ctx, diopiTensorHandle_t dist1, diopiTensorHandle_t dist2, diopiTensorHandle_t idx1, diopiTensorHandle_t idx2, diopiConstTensorHandle_t xyz1, diopiConstTensorHandle_t xyz2);

/**
 * ChamferDistanceBackwardMmcv.
 */
DIOPI_API diopiError_t diopiChamferDistanceBackwardMmcv(diopiContextHandle_t ctx, diopiTensorHandle_t grad_xyz1, diopiTensorHandle_t grad_xyz2, diopiConstTensorHandle_t xyz1, diopiConstTensorHandle_t xyz2, diopiConstTensorHandle_t idx1, diopiConstTensorHandle_t idx2, diopiConstTensorHandle_t grad_dist1, diopiConstTensorHandle_t grad_dist2);

/**
 * BorderAlignMmcv.
 */
DIOPI_API diopiError_t diopiBorderAlignMmcv(diopiContextHandle_t ctx, diopiTensorHandle_t output, diopiTensorHandle_t argmax_idx, diopiConstTensorHandle_t input, diopiConstTensorHandle_t boxes, int64_t pool_size);

/**
 * BorderAlignBackwardMmcv.
 */
DIOPI_API diopiError_t diopiBorderAlignBackwardMmcv(diopiContextHandle_t ctx, diopiTensorHandle_t grad_input, diopiConstTensorHandle_t grad_output, diopiConstTensorHandle_t boxes, diopiConstTensorHandle_t argmax_idx, int64_t pool_size);

/**
 * DeformRoiPoolMmcv.
 */
DIOPI_API diopiError_t diopiDeformRoiPoolMmcv(diopiContextHandle_t ctx, diopiTensorHandle_t output, diopiConstTensorHandle_t input, diopiConstTensorHandle_t rois, diopiConstTensorHandle_t offset, int64_t pooled_height, int64_t pooled_width, int64_t sampling_ratio, float spatial_scale, float gamma);

/**
 * DeformRoiPoolBackwardMmcv.
 */
DIOPI_API diopiError_t diopiDeformRoiPoolBackwardMmcv(diopiContextHandle_t ctx, diopiTensorHandle_t grad_input, diopiTensorHandle_t grad_offset, diopiConstTensorHandle_t grad_output, diopiConstTensorHandle_t input, diopiConstTensorHandle_t rois, diopiConstTensorHandle_t offset, int64_t pooled_height, int64_t pooled_width, int64_t sampling_ratio, float spatial_scale, float gamma);

/**
 * RoiAlignMmcv.
 */
DIOPI_API diopiError_t diopiRoiAlignMmcv(diopiContextHandle_t ctx, diopiTensorHandle_t output, diopiTensorHandle_t argmax_y, diopiTensorHandle_t argmax_x, diopiConstTensorHandle_t input, diopiConstTensorHandle_t rois, int64_t aligned_height, int64_t aligned_width, int64_t sampling_ratio, int64_t pool_mode, float spatial_scale, bool aligned);

/**
 * RoiAlignBackwardMmcv.
 */
DIOPI_API diopiError_t diopiRoiAlignBackwardMmcv(diopiContextHandle_t ctx, diopiTensorHandle_t grad_input, diopiConstTensorHandle_t grad_output, diopiConstTensorHandle_t rois, diopiConstTensorHandle_t argmax_y, diopiConstTensorHandle_t argmax_x, int64_t aligned_height, int64_t aligned_width, int64_t sampling_ratio, int64_t pool_mode, float spatial_scale, bool aligned);

/**
 * RoiAlignRotatedMmcv.
 */
DIOPI_API diopiError_t diopiRoiAlignRotatedMmcv(diopiContextHandle_t ctx, diopiTensorHandle_t output, diopiConstTensorHandle_t input, diopiConstTensorHandle_t rois, int64_t aligned_height, int64_t aligned_width, int64_t sampling_ratio, float spatial_scale, bool aligned, bool clockwise);

/**
 * RoiAlignRotatedBackwardMmcv.
 */
DIOPI_API diopiError_t diopiRoiAlignRotatedBackwardMmcv(diopiContextHandle_t ctx, diopiTensorHandle_t bottom_grad, diopiConstTensorHandle_t top_grad, diopiConstTensorHandle_t rois, int64_t aligned_height, int64_t aligned_width, int64_t sampling_ratio, float spatial_scale, bool aligned, bool clockwise);

/**
 * RiroiAlignRotatedMmcv.
 */
DIOPI_API diopiError_t diopiRiroiAlignRotatedMmcv(diopiContextHandle_t ctx, diopiTensorHandle_t output, diopiConstTensorHandle_t features, diopiConstTensorHandle_t rois, int64_t pooled_height, int64_t pooled_width, int64_t num_samples, int64_t num_orientations, float spatial_scale, bool clockwise);

/**
 * RiroiAlignRotatedBackwardMmcv.
 */
DIOPI_API diopiError_t diopiRiroiAlignRotatedBackwardMmcv(diopiContextHandle_t ctx, diopiTensorHandle_t bottom_grad, diopiConstTensorHandle_t top_grad, diopiConstTensorHandle_t rois, int64_t pooled_height, int64_t pooled_width, int64_t num_samples, int64_t num_orientations, float spatial_scale, bool clockwise);

/**
 * RoiawarePool3dMmcv.
 */
DIOPI_API diopiError_t diopiRoiawarePool3dMmcv(diopiContextHandle_t ctx, diopiTensorHandle_t argmax, diopiTensorHandle_t pts_idx_of_voxels, diopiTensorHandle_t pooled_features, diopiConstTensorHandle_t rois, diopiConstTensorHandle_t pts, diopiConstTensorHandle_t pts_feature, int64_t pool_method);

/**
 * RoiawarePool3dBackwardMmcv.
 */
DIOPI_API diopiError_t diopiRoiawarePool3dBackwardMmcv(diopiContextHandle_t ctx, diopiTensorHandle_t grad_in, diopiConstTensorHandle_t pts_idx_of_voxels, diopiConstTensorHandle_t argmax, diopiConstTensorHandle_t grad_out, int64_t pool_method);

/**
 * RoipointPool3dMmcv.
 */
DIOPI_API diopiError_t diopiRoipointPool3dMmcv(diopiContextHandle_t ctx, diopiTensorHandle_t pooled_features, diopiTensorHandle_t pooled_empty_flag, diopiConstTensorHandle_t xyz, diopiConstTensorHandle_t boxes3d, diopiConstTensorHandle_t pts_feature);

/**
 * RoiPoolMmcv.
 */
DIOPI_API diopiError_t diopiRoiPoolMmcv(diopiContextHandle_t ctx, diopiTensorHandle_t output, diopiTensorHandle_t argmax, diopiConstTensorHandle_t input, diopiConstTensorHandle_t rois, int64_t pooled_height, int64_t pooled_width, float spatial_scale);

/**
 * RoiPoolBackwardMmcv.
 */
DIOPI_API diopiError_t diopiRoiPoolBackwardMmcv(diopiContextHandle_t ctx, diopiTensorHandle_t grad_input, diopiConstTensorHandle_t grad_output, diopiConstTensorHandle_t rois, diopiConstTensorHandle_t argmax, int64_t pooled_height, int64_t pooled_width, float spatial_scale);

/**
 * RotatedFeatureAlignMmcv.
 */
DIOPI_API diopiError_t diopiRotatedFeatureAlignMmcv(diopiContextHandle_t ctx, diopiTensorHandle_t output, diopiConstTensorHandle_t features, diopiConstTensorHandle_t best_bboxes, float spatial_scale, int64_t points);

/**
 * RotatedFeatureAlignBackwardMmcv.
 */
DIOPI_API diopiError_t diopiRotatedFeatureAlignBackwardMmcv(diopiContextHandle_t ctx, diopiTensorHandle_t bottom_grad, diopiConstTensorHandle_t top_grad, diopiConstTensorHandle_t best_bboxes, float spatial_scale, int64_t points);

/**
 * PrroiPoolMmcv.
 */
DIOPI_API diopiError_t diopiPrroiPoolMmcv(diopiContextHandle_t ctx, diopiTensorHandle_t output, diopiConstTensorHandle_t input, diopiConstTensorHandle_t rois, int64_t pooled_height, int64_t pooled_width, float spatial_scale);

/**
 * PrroiPoolbackwardMmcv.
 */
DIOPI_API diopiError_t diopiPrroiPoolbackwardMmcv(diopiContextHandle_t ctx, diopiTensorHandle_t grad_input, diopiConstTensorHandle_t grad_output, diopiConstTensorHandle_t rois, int64_t pooled_height, int64_t pooled_width, float spatial_scale);

/**
 * PrroiPoolCoorBackwardMmcv.
 */
DIOPI_API diopiError_t diopiPrroiPoolCoorBackwardMmcv(diopiContextHandle_t ctx, diopiTensorHandle_t grad_rois, diopiConstTensorHandle_t output, diopiConstTensorHandle_t grad_output, diopiConstTensorHandle_t input, diopiConstTensorHandle_t rois, int64_t pooled_height, int64_t pooled_width, float spatial_scale);

/**
 * DynamicPointToVoxelMmcv.
 */
DIOPI_API diopiError_t diopiDynamicPointToVoxelMmcv(diopiContextHandle_t ctx, diopiTensorHandle_t* outlist, diopiConstTensorHandle_t feats, diopiConstTensorHandle_t coors, int64_t reduce_type);

/**
 * DynamicPointToVoxelBackwardMmcv.
 */
DIOPI_API diopiError_t diopiDynamicPointToVoxelBackwardMmcv(diopiContextHandle_t ctx, diopiTensorHandle_t grad_feats, diopiConstTensorHandle_t grad_reduced_feats, diopiConstTensorHandle_t feats, diopiConstTensorHandle_t reduced_feats, diopiConstTensorHandle_t coors_idx, diopiConstTensorHandle_t reduce_count, int64_t reduce_type);

/**
 * HardVoxelizeMmcv.
 */
DIOPI_API diopiError_t diopiHardVoxelizeMmcv(diopiContextHandle_t ctx, diopiTensorHandle_t voxels, diopiTensorHandle_t coors, diopiTensorHandle_t num_points_per_voxel, diopiTensorHandle_t voxel_num, diopiConstTensorHandle_t points, diopiConstTensorHandle_t voxel_size, diopiConstTensorHandle_t coors_range, const int64_t max_points, const int64_t max_voxels, const int64_t NDim, const bool deterministic);

/**
 * DynamicVoxelizeMmcv.
 */
DIOPI_API diopiError_t diopiDynamicVoxelizeMmcv(diopiContextHandle_t ctx, diopiTensorHandle_t coors, diopiConstTensorHandle_t points, diopiConstTensorHandle_t voxel_size, diopiConstTensorHandle_t coors_range, const int64_t NDim);

/**
 * IndiceMaxpoolMmcv.
 */
DIOPI_API diopiError_t diopiIndiceMaxpoolMmcv(diopiContextHandle_t ctx, diopiTensorHandle_t* out, diopiConstTensorHandle_t features, diopiConstTensorHandle_t indicePairs, diopiConstTensorHandle_t indiceNum, int64_t numAct);

/**
 * IndiceMaxpoolBackwardMmcv.
 */
DIOPI_API diopiError_t diopiIndiceMaxpoolBackwardMmcv(diopiContextHandle_t ctx, diopiTensorHandle_t* out, diopiConstTensorHandle_t features, diopiConstTensorHandle_t outFeatures, diopiConstTensorHandle_t outGrad, diopiConstTensorHandle_t indicePairs, diopiConstTensorHandle_t indiceNum);

/**
 * IndiceConvMmcv.
 */
DIOPI_API diopiError_t diopiIndiceConvMmcv(diopiContextHandle_t ctx, diopiTensorHandle_t* out, diopiConstTensorHandle_t features, diopiConstTensorHandle_t filters, diopiConstTensorHandle_t indicePairs, diopiConstTensorHandle_t indiceNum, int64_t numActOut, int64_t _inverse, int64_t _subM);

/**
 * IndiceConvBackwardMmcv.
 */
DIOPI_API diopiError_t diopiIndiceConvBackwardMmcv(diopiContextHandle_t ctx, diopiTensorHandle_t* outlist, diopiConstTensorHandle_t features, diopiConstTensorHandle_t filters, diopiConstTensorHandle_t outGrad, diopiConstTensorHandle_t indicePairs, diopiConstTensorHandle_t indiceNum, int64_t _inverse, int64_t _subM);

/**
 * FusedIndiceConvBatchnormMmcv.
 */
DIOPI_API diopiError_t diopiFusedIndiceConvBatchnormMmcv(diopiContextHandle_t ctx, diopiTensorHandle_t* out, diopiConstTensorHandle_t features, diopiConstTensorHandle_t filters, diopiConstTensorHandle_t bias, diopiConstTensorHandle_t indicePairs, diopiConstTensorHandle_t indiceNum, int64_t numActOut, int64_t _inverse, int64_t _subM);

#ifdef __cplusplus
}
#endif

#endif /* DIOPI_FUNCTIONS_MMCV_H_ */
