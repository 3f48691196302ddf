# SPDX-License-Identifier: BSD-3-Clause
"""References for torchvision's operators. torchvision is not required: they are composed of PyTorch's operators."""

from __future__ import annotations

from typing import Any

from ..reference import Table, composed, gradients, torch
from ..regions import average_of_samples, rounding, upright_samples


def nms(boxes: Any, confidence: Any, iou_threshold: float) -> Any:
    """All pairs at once; then the best remaining box again and again."""
    boxes = boxes.double()
    order = torch.sort(confidence.double(), descending=True, stable=True).indices
    low = torch.maximum(boxes[:, None, :2], boxes[None, :, :2])
    high = torch.minimum(boxes[:, None, 2:], boxes[None, :, 2:])
    shared = (high - low).clamp(min=0).nan_to_num(0.0).prod(-1)
    area = (boxes[:, 2:] - boxes[:, :2]).prod(-1)
    over = shared / (area[:, None] + area[None, :] - shared) > iou_threshold
    kept: list[int] = []
    for i in order.tolist():
        if not any(bool(over[k, i]) for k in kept):
            kept.append(i)
    return torch.tensor(kept, dtype=torch.int64)


def roi_align(
    input: Any,
    rois: Any,
    spatial_scale: float,
    pooled_height: int,
    pooled_width: int,
    sampling_ratio: int,
    aligned: bool,
    dtype: Any,
) -> Any:
    bins, number = (pooled_height, pooled_width), rounding(dtype)
    samples = upright_samples(rois, spatial_scale, bins, sampling_ratio, aligned, dtype, counts=number)
    return average_of_samples(input, samples, bins)


def _roi_align_backward(
    grad: Any,
    rois: Any,
    spatial_scale: float,
    pooled_height: int,
    pooled_width: int,
    batch_size: int,
    channels: int,
    height: int,
    width: int,
    sampling_ratio: int,
    aligned: bool,
    dtype: Any,
) -> Any:
    def forward(input: Any) -> Any:
        return roi_align(input, rois, spatial_scale, pooled_height, pooled_width, sampling_ratio, aligned, dtype)

    return gradients(forward, grad, grad.new_zeros(batch_size, channels, height, width))[0]


TABLE: Table = {
    "diopiNms": composed("all pairs of boxes", nms, double=True),
    "diopiRoiAlign": composed("grid_sample at the samples", roi_align, double=True),
    "diopiRoiAlignBackward": composed("autograd of grid_sample", _roi_align_backward, double=True),
}
