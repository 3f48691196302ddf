# SPDX-License-Identifier: BSD-3-Clause
"""Non-maximum suppression, and the average of samples in regions of interest."""

import numpy as np

from . import oracle
from .region_averages import Grid, align_average, align_average_backward
from .sampling import number_type


def greedy_suppression(boxes, scores, threshold, margin=0.0, quotient=np.float64):
    """The numbers of the kept boxes, the best one first. NaN is the best score, and equal scores keep their order.

    `quotient` is the dtype in which overlaps are compared with the threshold.
    """
    best = np.argsort(np.where(np.isnan(scores), -np.inf, -scores), kind="stable")
    best = np.concatenate([best[np.isnan(scores[best])], best[~np.isnan(scores[best])]])
    x1, y1, x2, y2 = (boxes[best, k] for k in range(4))
    area = (x2 - x1 + margin) * (y2 - y1 + margin)
    dropped, kept = np.zeros(len(best), bool), []
    for i in range(len(best)):
        if dropped[i]:
            continue
        kept.append(best[i])
        left, top = np.where(x1[i] < x1, x1, x1[i]), np.where(y1[i] < y1, y1, y1[i])
        right, bottom = np.where(x2 < x2[i], x2, x2[i]), np.where(y2 < y2[i], y2, y2[i])
        width, height = right - left + margin, bottom - top + margin
        shared = np.where(width > 0, width, 0) * np.where(height > 0, height, 0)
        with np.errstate(all="ignore"):
            over = quotient(shared / (area[i] + area - shared)) > threshold
            dropped |= over & (np.arange(len(best)) > i)
    return np.array(kept, np.int64)


@oracle("diopiNms", dtype="int64")
def nms(boxes, confidence, iou_threshold):
    return greedy_suppression(boxes, confidence, iou_threshold)


def _grid(spatial_scale, pooled_height, pooled_width, sampling_ratio, aligned, dtype):
    bins, number = (pooled_height, pooled_width), number_type(dtype)
    return Grid(spatial_scale, bins, sampling_ratio, aligned, number, counts_in_float32=False)


@oracle("diopiRoiAlign")
def roi_align(input, rois, spatial_scale, pooled_height, pooled_width, sampling_ratio, aligned, dtypes):
    grid = _grid(spatial_scale, pooled_height, pooled_width, sampling_ratio, aligned, dtypes["rois"])
    return align_average(input, rois, grid)


@oracle("diopiRoiAlignBackward")
def roi_align_backward(
    grad,
    rois,
    spatial_scale,
    pooled_height,
    pooled_width,
    batch_size,
    channels,
    height,
    width,
    sampling_ratio,
    aligned,
    dtypes,
):
    grid = _grid(spatial_scale, pooled_height, pooled_width, sampling_ratio, aligned, dtypes["rois"])
    return align_average_backward(grad, rois, (batch_size, channels, height, width), grid)
