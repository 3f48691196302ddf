# SPDX-License-Identifier: BSD-3-Clause
"""References for mmcv's region operators with samples, composed of PyTorch's operators."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

from ..reference import Table, composed, gradients, torch
from ..region_pools import POOLS
from ..regions import (
    LOWEST,
    Place,
    Samples,
    average_of_samples,
    line,
    place,
    require_grid,
    rounding,
    sample,
    upright_samples,
)


def _single(number: float) -> float:
    """A number as the operator gets it."""
    return float(torch.tensor(number, dtype=torch.float32))


def _average(input: Any, rois: Any, scale: float, bins: tuple[int, int], ratio: int, aligned: bool, dtype: Any) -> Any:
    return average_of_samples(input, upright_samples(rois, _single(scale), bins, ratio, aligned, dtype), bins)


def _maximum(values: Any, at_y: Place, at_x: Place, lowest: float) -> tuple[Any, Any, Any]:
    """The first maximum of the last two dimensions and its position."""
    shape = values.shape[1:]
    values = values.nan_to_num(-math.inf, math.inf, -math.inf).flatten(-2)
    y, x = (p.rounded.double().expand(shape).flatten(-2).expand(values.shape) for p in (at_y, at_x))
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
        return [_average(input, rois, spatial_scale, bins, sampling_ratio, aligned, dtype), None, None]
    lowest = -math.inf if dtype in (torch.float16, torch.bfloat16) else LOWEST
    found = [
        _maximum(sample(input[s.image], s.y, s.x), s.y, s.x, lowest)
        for s in upright_samples(rois, _single(spatial_scale), bins, sampling_ratio, aligned, dtype)
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
    dtype: Any,
) -> Any:
    def forward(input: Any) -> Any:
        if pool_mode == 1:
            return _average(input, rois, spatial_scale, tuple(grad_output.shape[2:]), sampling_ratio, aligned, dtype)
        nowhere = torch.where(argmax_y == -1, -9.0, argmax_y)
        return _each_channel(input, rois[:, 0].long(), *(place(p, torch.float64) for p in (nowhere, argmax_x)))

    return gradients(forward, grad_output, grad_output.new_zeros(grad_input))[0]


def _each_channel(input: Any, images: Any, y: Place, x: Place) -> Any:
    """One sample for each channel: positions [R, C, ...]."""

    def one(r: int, image: int, c: int) -> Any:
        return sample(input[image, c : c + 1], *(Place(p.exact[r, c], p.rounded[r, c]) for p in (y, x)))[0]

    channels = range(y.exact.shape[1])
    results = [torch.stack([one(r, image, c) for c in channels]) for r, image in enumerate(images.tolist())]
    return torch.stack(results) if results else input[:0].sum() * torch.zeros_like(y.exact)


def _deformed(
    input: Any, rois: Any, offset: Any, bins: tuple[int, int], ratio: int, scale: float, gamma: float, dtype: Any
) -> Any:
    require_grid(scale, ratio)
    scale, gamma = _single(scale), _single(gamma)
    number, results = rounding(dtype), []
    for r, (image, *corners) in enumerate(rois.double().tolist()):
        x1, y1, x2, y2 = (place(c, number) * scale - 0.5 for c in corners)
        shift = place(offset[r] if offset.numel() else torch.zeros(2, *bins), number)
        lines = []
        for d, (start, size) in enumerate(((x1, x2 - x1), (y1, y2 - y1))):
            first = start + size * gamma * Place(shift.exact[d], shift.rounded[d])  # moved with a bin
            within = line(place(0.0, number), size, bins[1 - d], ratio).map(lambda p: p[:1].flatten())
            step = torch.arange(bins[1 - d], dtype=torch.float64)
            begin = first + (size / max(bins[1 - d], 1)) * (step if d == 0 else step[:, None])
            lines.append((begin, within))
        (begin_x, in_x), (begin_y, in_y) = lines
        grid_y = begin_y.map(lambda b: b[:, :, None, None]) + in_y.map(lambda i: i[:, None])
        grid_x = begin_x.map(lambda b: b[:, :, None, None]) + in_x
        count = max(len(in_y.exact) * len(in_x.exact), 1)
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
    dtype: Any,
) -> Any:
    return _deformed(input, rois, offset, (pooled_height, pooled_width), sampling_ratio, spatial_scale, gamma, dtype)


def _deform_roi_pool_backward(
    grad_output: Any,
    input: Any,
    rois: Any,
    offset: Any,
    sampling_ratio: int,
    spatial_scale: float,
    gamma: float,
    dtype: Any,
) -> Any:
    """The gradient of the offsets follows mmcv's formulas, and is compared with differences where they agree."""
    bins = tuple(grad_output.shape[2:])

    def forward(x: Any) -> Any:
        return _deformed(x, rois, offset, bins, sampling_ratio, spatial_scale, gamma, dtype)

    return [gradients(forward, grad_output, input)[0], None]


def _rotated(
    rois: Any, scale: float, bins: tuple[int, int], ratio: int, aligned: bool, clockwise: bool, dtype: Any
) -> Iterator[Samples]:
    require_grid(scale, ratio)
    scale = _single(scale)
    for image, *numbers, angle in rois.double().tolist():
        xc, yc, width, height = (place(n, rounding(dtype)) * scale for n in numbers)
        if aligned:
            xc, yc = xc - 0.5, yc - 0.5
        else:
            width, height = (size.map(lambda s: s.clamp(min=1)) for size in (width, height))
        v, u = line(-height / 2, height, bins[0], ratio), line(-width / 2, width, bins[1], ratio)
        v, u = v.map(lambda p: p[:, None, :, None]), u.map(lambda p: p[None, :, None, :])
        turn = torch.tensor(-angle if clockwise else angle, dtype=torch.float64)
        cosine, sine = (place(f(turn), rounding(dtype)) for f in (torch.cos, torch.sin))
        divisor = max(v.exact.shape[2] * u.exact.shape[3], 1)
        yield Samples(int(image), v * cosine - u * sine + yc, v * sine + u * cosine + xc, divisor)


def _roi_align_rotated(
    input: Any,
    rois: Any,
    aligned_height: int,
    aligned_width: int,
    sampling_ratio: int,
    spatial_scale: float,
    aligned: bool,
    clockwise: bool,
    dtype: Any,
) -> Any:
    bins = (aligned_height, aligned_width)
    samples = _rotated(rois, spatial_scale, bins, sampling_ratio, aligned, clockwise, dtype)
    return average_of_samples(input, samples, bins)


def _roi_align_rotated_backward(
    bottom_grad: Any,
    top_grad: Any,
    rois: Any,
    sampling_ratio: int,
    spatial_scale: float,
    aligned: bool,
    clockwise: bool,
    dtype: Any,
) -> Any:
    def forward(input: Any) -> Any:
        height, width = top_grad.shape[2:]
        return _roi_align_rotated(input, rois, height, width, sampling_ratio, spatial_scale, aligned, clockwise, dtype)

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
    dtype: Any,
) -> Any:
    bins = (pooled_height, pooled_width)
    samples = _rotated(rois, spatial_scale, bins, num_samples, False, clockwise, dtype)
    plain = average_of_samples(features, samples, bins)
    results = []
    for values, angle in zip(plain.unflatten(1, (-1, num_orientations)) if len(rois) else [], rois[:, 5].tolist()):
        turns = angle * num_orientations / (2 * math.pi)
        full = place(angle, rounding(dtype)) * num_orientations
        below = math.floor((full.rounded.double() / (2 * math.pi)).to(rounding(dtype)).float())
        part, whole = turns - below, below % num_orientations
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
    dtype: Any,
) -> Any:
    def forward(x: Any) -> Any:
        height, width = top_grad.shape[2:]
        given = height, width, num_samples, num_orientations, spatial_scale, clockwise
        return _riroi_align_rotated(x, rois, *given, dtype)

    return gradients(forward, top_grad, top_grad.new_zeros(bottom_grad))[0]


def _border_positions(boxes: Any, pool_size: int, dtype: Any, summed: bool) -> tuple[Place, Place]:
    """The positions of the samples, [N, K, borders, samples]. `summed`: mmcv's forward kernel adds the steps up."""
    number = rounding(dtype)
    x1, y1, x2, y2 = (place(c[..., None], number) for c in boxes.double().unbind(-1))
    i = place(torch.arange(pool_size + 1, dtype=torch.float64), number)

    def along(start: Place, size: Place) -> Place:
        step = size / pool_size
        products = start + step * i
        if not summed or number == torch.float64:
            return products
        sums = [start.rounded]
        for _ in range(pool_size):
            sums.append(sums[-1] + step.rounded)
        return Place(products.exact, torch.cat(sums, -1))

    def borders(*parts: Place) -> Place:
        whole = [p + i * 0.0 for p in parts]
        return Place(torch.stack([p.exact for p in whole], 2), torch.stack([p.rounded for p in whole], 2))

    y = borders(y1, along(y1, y2 - y1), y2, along(y2, y1 - y2))
    return y, borders(along(x1, x2 - x1), x1, along(x2, x1 - x2), x2)


def _border_align(input: Any, boxes: Any, pool_size: int, dtype: Any) -> Any:
    y, x = _border_positions(boxes, pool_size, dtype, summed=True)
    images = []
    for n in range(input.shape[0]):
        planes = input[n].unflatten(0, (4, input.shape[1] // 4))
        here = [[Place(p.exact[n, :, e], p.rounded[n, :, e]) for p in (y, x)] for e in range(4)]
        images.append(torch.stack([sample(planes[e], *here[e]) for e in range(4)], 2))
    values = torch.stack(images)  # [N, C, K, borders, samples]
    first = values[..., :1].isnan()
    later = torch.cat([values[..., :1], values[..., 1:].nan_to_num(-math.inf, math.inf, -math.inf)], -1)
    at = torch.where(first[..., 0], 0, later.nan_to_num(-math.inf, math.inf, -math.inf).argmax(-1))
    return [values.gather(-1, at[..., None])[..., 0], at]


def _border_align_backward(
    grad_input: Any, grad_output: Any, boxes: Any, argmax_idx: Any, pool_size: int, dtype: Any
) -> Any:
    index = argmax_idx.long()[..., None]

    def chosen(p: Any) -> Any:
        return p[:, None].expand(*argmax_idx.shape, p.shape[-1]).gather(-1, index)[..., 0]

    y, x = (p.map(chosen) for p in _border_positions(boxes, pool_size, dtype, summed=False))

    def forward(input: Any) -> Any:
        channels, images, parts = argmax_idx.shape[1], torch.arange(len(boxes)), []
        for e in range(4):
            here = [Place(p.exact[..., e], p.rounded[..., e]) for p in (y, x)]
            parts.append(_each_channel(input[:, e * channels : (e + 1) * channels], images, *here))
        return torch.stack(parts, -1)

    return gradients(forward, grad_output, grad_output.new_zeros(grad_input))[0]


def _box_samples(features: Any, best_bboxes: Any, spatial_scale: float, points: int, dtype: Any) -> Any:
    number = rounding(dtype)
    y, x, width, height = (place(best_bboxes[..., k].double(), number) * _single(spatial_scale) for k in range(4))
    angle = best_bboxes[..., 4].double()
    cosine, sine = place(angle.cos(), number), place(angle.sin(), number)
    along_x, along_y = cosine * (width / 2), sine * (width / 2)
    across_x, across_y = -sine * (height / 2), cosine * (height / 2)
    result = []
    places = [(y, x)]
    for a, b in ((1, 1), (-1, 1), (-1, -1), (1, -1)) if points == 5 else ():
        places.append((y + along_y * a + across_y * b, x + along_x * a + across_x * b))
    for n in range(len(features)):
        total = features[n]
        for both in places:
            total = total + sample(features[n], *(Place(p.exact[n], p.rounded[n]) for p in both))
        result.append(total)
    return torch.stack(result) if result else features.clone()


def _box_samples_backward(top_grad: Any, best_bboxes: Any, spatial_scale: float, points: int, dtype: Any) -> Any:
    return gradients(lambda x: _box_samples(x, best_bboxes, spatial_scale, points, dtype), top_grad, top_grad)[0]


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
