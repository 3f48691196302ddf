# SPDX-License-Identifier: BSD-3-Clause
"""References for mmcv's maxima and exact averages in regions, and for points in boxes."""

from __future__ import annotations

import math
from typing import Any

from .reference import Table, composed, gradients, torch
from .regions import LOWEST, require_grid


def _roi_pool(
    input: Any, rois: Any, pooled_height: int, pooled_width: int, spatial_scale: float, dtype: Any
) -> tuple[Any, Any]:
    require_grid(spatial_scale, 1)
    lowest = -math.inf if dtype in (torch.float16, torch.bfloat16) else LOWEST
    out = input.new_zeros(len(rois), input.shape[1], pooled_height, pooled_width)
    at = torch.full(out.shape, -1, dtype=torch.int64)
    scale = torch.tensor(spatial_scale, dtype=torch.float32).item()
    for r, roi in enumerate(rois):
        left, top, right, bottom = roi[1:].to(torch.float64 if dtype == torch.float64 else torch.float32)
        top, left = top * scale, left * scale
        height, width = (bottom + 1) * scale - top, (right + 1) * scale - left
        if not (0 < height < math.inf and 0 < width < math.inf):
            continue
        for ph in range(pooled_height):
            for pw in range(pooled_width):
                rows = _cells(top, height, ph, pooled_height, input.shape[2])
                columns = _cells(left, width, pw, pooled_width, input.shape[3])
                if not len(rows) or not len(columns):
                    continue
                window = input[int(roi[0])][:, rows][:, :, columns].flatten(1)
                clean = torch.where(window > lowest, window, -math.inf)
                place = (rows[:, None] * input.shape[3] + columns).flatten()
                found = (window > lowest).any(1)
                out[r, :, ph, pw] = torch.where(found, clean.amax(1), lowest)
                at[r, :, ph, pw] = torch.where(found, place[clean.argmax(1)], -1)
    return out, at


def _cells(start: Any, size: Any, p: int, bins: int, extent: int) -> Any:
    inside = torch.arange(extent)
    low, high = (start + k * (size / bins) for k in (p, p + 1))
    low, high = low.float(), high.float()  # mmcv calls floorf and ceilf, also for float64
    return inside[(inside >= torch.floor(low)) & (inside < torch.ceil(high))]


def _roi_pool_backward(grad_input: Any, grad_output: Any, rois: Any, argmax: Any) -> Any:
    if argmax.numel() and not -1 <= argmax.min() <= argmax.max() < grad_input[2] * grad_input[3]:
        raise ValueError("argmax")
    out = grad_output.new_zeros(grad_input).flatten(2)
    for r, image in enumerate(rois[:, 0].long().tolist()):
        kept = torch.where(argmax[r] >= 0, grad_output[r], 0.0).flatten(1)
        out[image] = out[image].scatter_add(1, argmax[r].long().clamp(min=0).flatten(1), kept)
    return out.unflatten(2, grad_input[2:])


def _overlap(low: Any, high: Any, extent: int) -> tuple[Any, Any]:
    """The elements near [low, high], and the integral of the hat of each: of its two straight parts."""
    first = max(math.floor(float(low) - 1) + 1, 0)
    i = torch.arange(first, max(min(math.ceil(float(high) + 1), extent), first), dtype=torch.float64)
    rise = [torch.minimum(torch.maximum(end, i - 1), i) - (i - 1) for end in (low, high)]
    fall = [(i + 1) - torch.minimum(torch.maximum(end, i), i + 1) for end in (low, high)]
    return i.long(), (rise[1] ** 2 - rise[0] ** 2 + fall[0] ** 2 - fall[1] ** 2) / 2


def _integrals(input: Any, roi: Any, bins: tuple[int, int], scale: float) -> tuple[Any, Any] | None:
    """The integrals over the bins of a region, [C, PH, PW], and the area of a bin; None without an area."""
    x1, y1, x2, y2 = (roi[k].double() * scale for k in range(1, 5))
    height, width = ((b - a) / n for a, b, n in ((y1, y2, bins[0]), (x1, x2, bins[1])))
    if not (0 < height < math.inf and 0 < width < math.inf) or not math.isfinite(y1) or not math.isfinite(x1):
        return None
    planes = input[int(roi[0])]
    rows = []
    for ph in range(bins[0]):
        i, in_y = _overlap(y1 + ph * height, y1 + (ph + 1) * height, planes.shape[1])
        parts = []
        for pw in range(bins[1]):
            j, in_x = _overlap(x1 + pw * width, x1 + (pw + 1) * width, planes.shape[2])
            parts.append((planes[:, i][:, :, j] * in_y[:, None] * in_x).sum((1, 2)))
        rows.append(torch.stack(parts, -1))
    return torch.stack(rows, 1), height * width


def _prroi_pool(input: Any, rois: Any, pooled_height: int, pooled_width: int, spatial_scale: float) -> Any:
    require_grid(spatial_scale, 1)
    bins, results = (pooled_height, pooled_width), []
    for roi in rois:
        found = _integrals(input, roi, bins, spatial_scale)
        results.append(
            input[:0].sum() * input.new_zeros(input.shape[1], *bins) if found is None else found[0] / found[1]
        )
    return torch.stack(results) if results else input[:0].sum() * input.new_zeros(0, input.shape[1], *bins)


def _prroi_pool_backward(grad_input: Any, grad_output: Any, rois: Any, spatial_scale: float) -> Any:
    def forward(input: Any) -> Any:
        return _prroi_pool(input, rois, grad_output.shape[2], grad_output.shape[3], spatial_scale)

    return gradients(forward, grad_output, grad_output.new_zeros(grad_input))[0]


def _prroi_pool_corners(output: Any, grad_output: Any, input: Any, rois: Any, spatial_scale: float) -> Any:
    """The derivative of integral / area, where the quotient is the given output."""
    require_grid(spatial_scale, 1)
    result = torch.zeros_like(rois)
    for r, roi in enumerate(rois):
        leaf = roi.detach().clone().requires_grad_()
        found = _integrals(input, leaf, tuple(output.shape[2:]), spatial_scale)
        if found is None or not grad_output.numel():
            continue
        integral, area = found
        change = (integral - area * output[r]) / area.detach()
        (slope,) = torch.autograd.grad((change * grad_output[r]).sum(), leaf)
        result[r, 1:] = slope[1:]
    return result


def _in_box(points: Any, box: Any) -> tuple[Any, Any]:
    """Which points lie in a box, and their places along its sides from its lower corner."""
    turn = torch.stack([torch.stack([box[6].cos(), box[6].sin()]), torch.stack([-box[6].sin(), box[6].cos()])])
    flat = (points[:, :2] - box[:2]) @ turn.T
    above = points[:, 2] - box[2]
    inside = ((above - box[5] / 2).abs() <= box[5] / 2) & (flat.abs() < box[3:5] / 2).all(1)
    return inside, torch.cat([flat + box[3:5] / 2, above[:, None]], 1)


def _roiaware_pool3d(pts_idx_of_voxels: Any, rois: Any, pts: Any, pts_feature: Any, pool_method: int) -> Any:
    grid, room = pts_idx_of_voxels[1:4], pts_idx_of_voxels[4]
    shape = (*pts_idx_of_voxels[:4], pts_feature.shape[1])
    stored = torch.zeros(pts_idx_of_voxels, dtype=torch.int64)
    pooled, argmax = pts_feature.new_zeros(shape), torch.full(shape, -1 if pool_method == 0 else 0)
    for r, box in enumerate(rois):
        inside, places = _in_box(pts, box)
        sides = box[3:6] / torch.tensor(grid)
        voxels = (places / sides).nan_to_num(0.0, 1e9, -1e9).clamp(-1e9, 1e9).long()
        voxels = torch.minimum(voxels.clamp(min=0), torch.tensor(grid) - 1)
        for voxel in voxels[inside].unique(dim=0).tolist():
            members = torch.nonzero(inside & (voxels == torch.tensor(voxel)).all(1))[: room - 1, 0]
            if not len(members):
                continue
            stored[(r, *voxel)][0] = len(members)
            stored[(r, *voxel)][1 : 1 + len(members)] = members
            features = pts_feature[members]
            if pool_method == 1:
                pooled[(r, *voxel)] = features.mean(0)
                continue
            clean = features.nan_to_num(-math.inf, math.inf, -math.inf)
            found = clean.amax(0) > -math.inf
            pooled[(r, *voxel)] = torch.where(found, clean.amax(0), 0.0)
            argmax[(r, *voxel)] = torch.where(found, members[clean.argmax(0)], -1)
    return [argmax, stored, pooled]


def _roiaware_pool3d_backward(
    grad_in: Any, pts_idx_of_voxels: Any, argmax: Any, grad_out: Any, pool_method: int
) -> Any:
    out = grad_out.new_zeros(grad_in)
    if pool_method == 0:
        where = argmax.flatten(0, 3).long()
        if where.numel() and not -1 <= where.min() <= where.max() < grad_in[0]:
            raise ValueError("argmax")
        kept = torch.where(where >= 0, grad_out.flatten(0, 3), 0.0)
        return out.scatter_add(0, where.clamp(min=0), kept)
    for list_, g in zip(pts_idx_of_voxels.flatten(0, 3).long(), grad_out.flatten(0, 3)):
        if not 0 <= list_[0] < len(list_):
            raise ValueError("count")
        members = list_[1 : 1 + int(list_[0])]
        if len(members):
            out = out.index_add(0, members, (g / len(members)).expand(len(members), -1))
    return out


def _roipoint_pool3d(pooled_features: Any, xyz: Any, boxes3d: Any, pts_feature: Any) -> Any:
    pooled = xyz.new_zeros(pooled_features)
    flags = torch.zeros(boxes3d.shape[:2], dtype=torch.int64)
    for b in range(boxes3d.shape[0]):
        for m in range(boxes3d.shape[1]):
            members = torch.nonzero(_in_box(xyz[b], boxes3d[b, m])[0])[:, 0]
            flags[b, m] = int(not len(members))
            if len(members):
                chosen = members.repeat(-(-pooled.shape[2] // len(members)))[: pooled.shape[2]]
                pooled[b, m] = torch.cat([xyz[b], pts_feature[b]], 1)[chosen]
    return [pooled, flags]


POOLS: Table = {
    "diopiRoiPoolMmcv": composed("maxima of slices", _roi_pool, double=True),
    "diopiRoiPoolBackwardMmcv": composed("Tensor.scatter_add", _roi_pool_backward, double=True),
    "diopiPrroiPoolMmcv": composed("integrals of hats", _prroi_pool, double=True),
    "diopiPrroiPoolbackwardMmcv": composed("autograd of integrals", _prroi_pool_backward, double=True),
    "diopiPrroiPoolCoorBackwardMmcv": composed("autograd of integrals", _prroi_pool_corners, double=True),
    "diopiRoiawarePool3dMmcv": composed("points of each voxel", _roiaware_pool3d, double=True),
    "diopiRoiawarePool3dBackwardMmcv": composed("Tensor.scatter_add", _roiaware_pool3d_backward, double=True),
    "diopiRoipointPool3dMmcv": composed("points of each box", _roipoint_pool3d, double=True),
}
