# SPDX-License-Identifier: BSD-3-Clause
"""References for mmcv's region operators with samples, composed of PyTorch's operators."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

from ..reference import Table, composed, gradients, torch
from ..region_pools import POOLS
from ..regions import LOWEST, Samples, average_of_samples, line, require_grid, sample, upright_samples


def _average(input: Any, rois: Any, scale: float, bins: tuple[int, int], ratio: int, aligned: bool) -> Any:
    return average_of_samples(input, upright_samples(rois, scale, bins, ratio, aligned), bins)


def _maximum(values: Any, y: Any, x: Any, lowest: float) -> tuple[Any, Any, Any]:
    """The first maximum of the last two dimensions and its position."""
    shape = values.shape[1:]
    values = values.nan_to_num(-math.inf, math.inf, -math.inf).flatten(-2)
    y, x = (p.expand(shape).flatten(-2).expand(values.shape) for p in (y, x))
    nothing = torch.full(values.shape[:-1], -1.0, dtype=torch.float64)
    if values.shape[-1] == 0:
        return nothing + 1 + lowest, nothing, nothing
    at = values.argmax(-1, keepdim=True)
    best = values.gather(-1, at)[..., 0]
    found = best > lowest
    places = [torch.where(found, p.gather(-1, at)[..., 0], nothing) for p in (y, x)]
    return torch.where(found, best, lowest), places[0], places[1]


def _roi_align(
    input: Any,
    rois: Any,
    aligned_height: int,
    aligned_width: int,
    sampling_ratio: int,
    pool_mode: int,
    spatial_scale: float,
    aligned: bool,
    dtype: Any,
) -> Any:
    bins = (aligned_height, aligned_width)
    if pool_mode == 1:
        return [_average(input, rois, spatial_scale, bins, sampling_ratio, aligned), None, None]
    lowest = -math.inf if dtype in (torch.float16, torch.bfloat16) else LOWEST
    found = [
        _maximum(sample(input[s.image], s.y, s.x), s.y, s.x, lowest)
        for s in upright_samples(rois, spatial_scale, bins, sampling_ratio, aligned)
    ]
    empty = input.new_zeros(0, input.shape[1], *bins)
    return [torch.stack(list(part)) for part in zip(*found)] if found else [empty] * 3


def _roi_align_backward(
    grad_input: Any,
    grad_output: Any,
    rois: Any,
    argmax_y: Any,
    argmax_x: Any,
    sampling_ratio: int,
    pool_mode: int,
    spatial_scale: float,
    aligned: bool,
) -> Any:
    def forward(input: Any) -> Any:
        if pool_mode == 1:
            return _average(input, rois, spatial_scale, tuple(grad_output.shape[2:]), sampling_ratio, aligned)
        nowhere = torch.where(argmax_y == -1, -9.0, argmax_y)
        return _each_channel(input, rois[:, 0].long(), nowhere, argmax_x)

    return gradients(forward, grad_output, grad_output.new_zeros(grad_input))[0]


def _each_channel(input: Any, images: Any, y: Any, x: Any) -> Any:
    """One sample for each channel: positions [R, C, ...]."""
    results = [
        torch.stack([sample(input[image, c : c + 1], y[r, c], x[r, c])[0] for c in range(y.shape[1])])
        for r, image in enumerate(images)
    ]
    return torch.stack(results) if results else input[:0].sum() * torch.zeros_like(y)


def _deformed(
    input: Any, rois: Any, offset: Any, bins: tuple[int, int], sampling_ratio: int, scale: float, gamma: float
) -> Any:
    require_grid(scale, sampling_ratio)
    gamma = float(torch.tensor(gamma, dtype=torch.float32))  # as the operator gets it
    results = []
    for r, (image, *corners) in enumerate(rois.double().tolist()):
        x1, y1, x2, y2 = (c * scale - 0.5 for c in corners)
        shift_y, shift_x = torch.zeros(2, *bins, dtype=torch.float64)
        if offset.numel():
            shift_y = gamma * (y2 - y1) * offset[r, 1].double()
            shift_x = gamma * (x2 - x1) * offset[r, 0].double()
        y, x = line(0.0, y2 - y1, bins[0], sampling_ratio), line(0.0, x2 - x1, bins[1], sampling_ratio)
        step_y, step_x = (
            (s / max(n, 1)) * torch.arange(n, dtype=torch.float64) for s, n in ((y2 - y1, bins[0]), (x2 - x1, bins[1]))
        )
        grid_y = (y1 + shift_y + step_y[:, None])[:, :, None, None] + y[:1][:, None, :, None]
        grid_x = (x1 + shift_x + step_x)[:, :, None, None] + x[:1][:, None, None, :]
        count = max(y.shape[1] * x.shape[1], 1)
        results.append((sample(input[int(image)], grid_y, grid_x) / count).sum((-2, -1)))
    return torch.stack(results) if results else input[:0].sum() * input.new_zeros(0, input.shape[1], *bins)


def _deform_roi_pool(
    input: Any,
    rois: Any,
    offset: Any,
    pooled_height: int,
    pooled_width: int,
    sampling_ratio: int,
    spatial_scale: float,
    gamma: float,
) -> Any:
    return _deformed(input, rois, offset, (pooled_height, pooled_width), sampling_ratio, spatial_scale, gamma)


def _deform_roi_pool_backward(
    grad_output: Any,
    input: Any,
    rois: Any,
    offset: Any,
    sampling_ratio: int,
    spatial_scale: float,
    gamma: float,
) -> Any:
    """The gradient of the offsets follows mmcv's formulas, and is compared with differences where they agree."""
    bins = tuple(grad_output.shape[2:])

    def forward(x: Any) -> Any:
        return _deformed(x, rois, offset, bins, sampling_ratio, spatial_scale, gamma)

    return [gradients(forward, grad_output, input)[0], None]


def _rotated(
    rois: Any, scale: float, bins: tuple[int, int], ratio: int, aligned: bool, clockwise: bool
) -> Iterator[Samples]:
    require_grid(scale, ratio)
    for image, xc, yc, width, height, angle in rois.double().tolist():
        height, width = height * scale, width * scale
        if not aligned:
            height, width = max(height, 1.0), max(width, 1.0)
        v, u = line(-height / 2, height, bins[0], ratio), line(-width / 2, width, bins[1], ratio)
        v, u = v[:, None, :, None], u[None, :, None, :]
        turn = torch.tensor(-angle if clockwise else angle, dtype=torch.float64)
        shift = 0.5 if aligned else 0.0
        y = v * turn.cos() - u * turn.sin() + (yc * scale - shift)
        x = v * turn.sin() + u * turn.cos() + (xc * scale - shift)
        yield Samples(int(image), y, x, max(v.shape[2] * u.shape[3], 1))


def _roi_align_rotated(
    input: Any,
    rois: Any,
    aligned_height: int,
    aligned_width: int,
    sampling_ratio: int,
    spatial_scale: float,
    aligned: bool,
    clockwise: bool,
) -> Any:
    bins = (aligned_height, aligned_width)
    return average_of_samples(input, _rotated(rois, spatial_scale, bins, sampling_ratio, aligned, clockwise), bins)


def _roi_align_rotated_backward(
    bottom_grad: Any,
    top_grad: Any,
    rois: Any,
    sampling_ratio: int,
    spatial_scale: float,
    aligned: bool,
    clockwise: bool,
) -> Any:
    def forward(input: Any) -> Any:
        height, width = top_grad.shape[2:]
        return _roi_align_rotated(input, rois, height, width, sampling_ratio, spatial_scale, aligned, clockwise)

    return gradients(forward, top_grad, top_grad.new_zeros(bottom_grad))[0]


def _riroi_align_rotated(
    features: Any,
    rois: Any,
    pooled_height: int,
    pooled_width: int,
    num_samples: int,
    num_orientations: int,
    spatial_scale: float,
    clockwise: bool,
) -> Any:
    bins = (pooled_height, pooled_width)
    plain = average_of_samples(features, _rotated(rois, spatial_scale, bins, num_samples, False, clockwise), bins)
    results = []
    for values, angle in zip(plain.unflatten(1, (-1, num_orientations)) if len(rois) else [], rois[:, 5].tolist()):
        turns = angle * num_orientations / (2 * math.pi)
        whole = math.floor(turns) % num_orientations
        part = turns - math.floor(turns)
        results.append((1 - part) * values.roll(whole, 1) + part * values.roll(whole - 1, 1))
    return torch.stack(results).flatten(1, 2) if results else plain


def _riroi_align_rotated_backward(
    bottom_grad: Any,
    top_grad: Any,
    rois: Any,
    num_samples: int,
    num_orientations: int,
    spatial_scale: float,
    clockwise: bool,
) -> Any:
    def forward(x: Any) -> Any:
        height, width = top_grad.shape[2:]
        return _riroi_align_rotated(x, rois, height, width, num_samples, num_orientations, spatial_scale, clockwise)

    return gradients(forward, top_grad, top_grad.new_zeros(bottom_grad))[0]


def _border_positions(boxes: Any, pool_size: int) -> tuple[Any, Any]:
    """The positions of the samples, [N, K, borders, samples]."""
    x1, y1, x2, y2 = boxes.double().unbind(-1)
    i = torch.arange(pool_size + 1, dtype=torch.float64)
    width, height = ((x2 - x1) / pool_size)[..., None] * i, ((y2 - y1) / pool_size)[..., None] * i
    x1, y1, x2, y2 = (c[..., None] for c in (x1, y1, x2, y2))
    y = torch.stack([y1 + 0 * width, y1 + height, y2 + 0 * width, y2 - height], 2)
    x = torch.stack([x1 + width, x1 + 0 * height, x2 - width, x2 + 0 * height], 2)
    return y, x


def _border_align(input: Any, boxes: Any, pool_size: int) -> Any:
    y, x = _border_positions(boxes, pool_size)
    images = []
    for n in range(input.shape[0]):
        planes = input[n].unflatten(0, (4, input.shape[1] // 4))
        images.append(torch.stack([sample(planes[e], y[n, :, e], x[n, :, e]) for e in range(4)], 2))
    values = torch.stack(images)  # [N, C, K, borders, samples]
    first = values[..., :1].isnan()
    later = torch.cat([values[..., :1], values[..., 1:].nan_to_num(-math.inf, math.inf, -math.inf)], -1)
    at = torch.where(first[..., 0], 0, later.nan_to_num(-math.inf, math.inf, -math.inf).argmax(-1))
    return [values.gather(-1, at[..., None])[..., 0], at]


def _border_align_backward(grad_input: Any, grad_output: Any, boxes: Any, argmax_idx: Any, pool_size: int) -> Any:
    y, x = _border_positions(boxes, pool_size)
    chosen = []
    for p in (y, x):
        every = p[:, None].expand(*argmax_idx.shape, p.shape[-1])
        chosen.append(every.gather(-1, argmax_idx.long()[..., None])[..., 0])

    def forward(input: Any) -> Any:
        channels = argmax_idx.shape[1]
        images = torch.arange(len(boxes))
        parts = [
            _each_channel(input[:, e * channels : (e + 1) * channels], images, chosen[0][..., e], chosen[1][..., e])
            for e in range(4)
        ]
        return torch.stack(parts, -1)

    return gradients(forward, grad_output, grad_output.new_zeros(grad_input))[0]


def _box_samples(features: Any, best_bboxes: Any, spatial_scale: float, points: int) -> Any:
    y, x, width, height = (best_bboxes[..., k].double() * spatial_scale for k in range(4))
    angle = best_bboxes[..., 4].double()
    along_x, along_y = angle.cos() * width / 2, angle.sin() * width / 2
    across_x, across_y = -angle.sin() * height / 2, angle.cos() * height / 2
    result = []
    for n in range(len(features)):
        total = features[n] + sample(features[n], y[n], x[n])
        for a, b in ((1, 1), (-1, 1), (-1, -1), (1, -1)) if points == 5 else ():
            corner = y + a * along_y + b * across_y, x + a * along_x + b * across_x
            total = total + sample(features[n], corner[0][n], corner[1][n])
        result.append(total)
    return torch.stack(result) if result else features.clone()


def _box_samples_backward(top_grad: Any, best_bboxes: Any, spatial_scale: float, points: int) -> Any:
    return gradients(lambda x: _box_samples(x, best_bboxes, spatial_scale, points), top_grad, top_grad)[0]


_SAMPLES = "bilinear samples by indexing"
_GRADIENT = "autograd of bilinear samples"

TABLE: Table = {
    **POOLS,
    "diopiRoiAlignMmcv": composed(_SAMPLES, _roi_align, double=True),
    "diopiRoiAlignBackwardMmcv": composed(_GRADIENT, _roi_align_backward, double=True),
    "diopiDeformRoiPoolMmcv": composed(_SAMPLES, _deform_roi_pool, double=True),
    "diopiDeformRoiPoolBackwardMmcv": composed(_GRADIENT, _deform_roi_pool_backward, double=True),
    "diopiRoiAlignRotatedMmcv": composed(_SAMPLES, _roi_align_rotated, double=True),
    "diopiRoiAlignRotatedBackwardMmcv": composed(_GRADIENT, _roi_align_rotated_backward, double=True),
    "diopiRiroiAlignRotatedMmcv": composed(_SAMPLES, _riroi_align_rotated, double=True),
    "diopiRiroiAlignRotatedBackwardMmcv": composed(_GRADIENT, _riroi_align_rotated_backward, double=True),
    "diopiBorderAlignMmcv": composed(_SAMPLES, _border_align, double=True),
    "diopiBorderAlignBackwardMmcv": composed(_GRADIENT, _border_align_backward, double=True),
    "diopiRotatedFeatureAlignMmcv": composed(_SAMPLES, _box_samples, double=True),
    "diopiRotatedFeatureAlignBackwardMmcv": composed(_GRADIENT, _box_samples_backward, double=True),
}
