# SPDX-License-Identifier: BSD-3-Clause
"""References for point clouds of mmcv: compositions of PyTorch's operators."""

from __future__ import annotations

import math
from typing import Any

from ..reference import Table, composed, gradients, torch


def _computed(*tensors: Any) -> list[Any]:
    """The tensors in the dtype in which the operators compute."""
    return [t if t.dtype == torch.float64 else t.float() for t in tensors]


def _squares(centres: Any, points: Any) -> Any:
    parts = [(c[..., :, None] - p[..., None, :]).square() for c, p in zip(centres.unbind(-1), points.unbind(-1))]
    return sum(parts[1:], parts[0])


def _first_hits(hits: Any, count: int, if_none: int) -> Any:
    positions = torch.arange(hits.shape[-1]).expand(hits.shape)
    missing = hits.shape[-1]
    found = torch.where(hits, positions, missing).sort(-1)[0]
    found = torch.nn.functional.pad(found, (0, max(count - missing, 0)), value=missing)[..., :count]
    first = found[..., :1]
    row = torch.where(found < missing, found, torch.where(first < missing, first, 0))
    row[..., :1] = torch.where(first < missing, first, if_none)
    return row.int()


def _ball(center_xyz: Any, xyz: Any, sample_num: int, min_radius: float, max_radius: float) -> Any:
    square = _squares(*_computed(center_xyz, xyz))
    low, high = (torch.tensor(r, dtype=torch.float32).square() for r in (min_radius, max_radius))
    return _first_hits((square == 0) | ((square >= low) & (square < high)), sample_num, 0)


def _pieces(counts: Any, rows: Any) -> list[Any]:
    """The rows of each batch; the last batch has the rest, too."""
    ends = counts.cumsum(0).tolist()
    starts = [0, *ends[:-1]] if ends else []
    return [rows[a:b] for a, b in zip(starts, [*ends[:-1], len(rows)] if ends else [])]


def _stack_ball(
    center_xyz: Any, center_xyz_batch_cnt: Any, xyz: Any, xyz_batch_cnt: Any, max_radius: float, sample_num: int
) -> Any:
    centres, points = _computed(center_xyz, xyz)
    high = torch.tensor(max_radius, dtype=torch.float32).square()
    own = points[: int(xyz_batch_cnt.sum())].split(xyz_batch_cnt.tolist()) if len(xyz_batch_cnt) else []
    batches = _pieces(center_xyz_batch_cnt, centres)
    rows = [_first_hits(_squares(c, p) < high, sample_num, -1) for c, p in zip(batches, own)]
    empty = torch.zeros(len(centres), 0, dtype=torch.bool)
    return torch.cat(rows) if rows else _first_hits(empty, sample_num, -1)


def _pick(least: Any, picks: int, distance: Any) -> tuple[Any, Any]:
    picked = torch.zeros(len(least), picks, dtype=torch.int64)
    rows = torch.arange(len(least))
    for j in range(1, picks if least.shape[1] else 0):
        step = distance(rows, picked[:, j - 1])
        least = torch.where(step < least, step, least)
        best = torch.where(least > -1, least, -1.0)
        picked[:, j] = (best == best.max(1, keepdim=True)[0]).int().argmax(1)
    return least, picked.int()


def _furthest(temp_tensor: Any, points_xyz: Any, num_points: int) -> Any:
    return _pick(temp_tensor, num_points, lambda b, i: _squares(points_xyz[b, i][:, None], points_xyz)[:, 0])


def _nearest(centres: Any, points: Any, k: int, limit: float) -> tuple[Any, Any]:
    square = _squares(*_computed(centres, points))
    value, at = torch.where(square < limit, square, math.inf).sort(dim=-1, stable=True)
    more = (0, max(k - square.shape[-1], 0))
    value = torch.nn.functional.pad(value, more, value=math.inf)[..., :k]
    at = torch.nn.functional.pad(at, more)[..., :k]
    near = value < limit
    return torch.where(near, at, 0).int(), torch.where(near, value.double(), limit)


def _knn(xyz_tensor: Any, new_xyz_tensor: Any, nsample: int) -> Any:
    idx, distance = _nearest(new_xyz_tensor, xyz_tensor, nsample, 1e10)
    return {"idx_tensor": idx, "dist2_tensor": distance.to(xyz_tensor.dtype)}


def _three_nn(unknown: Any, known: Any) -> Any:
    idx, distance = _nearest(unknown, known, 3, 1e40)
    return {"dist2": distance.to(unknown.dtype), "idx": idx}


def _chamfer(xyz1: Any, xyz2: Any) -> Any:
    result = {}
    for side, centres, points in ((1, xyz1, xyz2), (2, xyz2, xyz1)):
        idx, distance = _nearest(centres, points, 1, math.inf)
        result[f"idx{side}"] = idx[..., 0]
        result[f"dist{side}"] = (distance[..., 0] if points.shape[1] else idx[..., 0]).to(xyz1.dtype)
    return result


def _chamfer_backward(xyz1: Any, xyz2: Any, idx1: Any, idx2: Any, grad_dist1: Any, grad_dist2: Any) -> Any:
    def distances(one: Any, two: Any) -> Any:
        sums = [one.sum() * 0 + two.sum() * 0 if one.numel() + two.numel() == 0 else torch.zeros((), dtype=one.dtype)]
        for own, other, idx, grad in ((one, two, idx1, grad_dist1), (two, one, idx2, grad_dist2)):
            if other.shape[1] and own.shape[1]:
                nearest = other.gather(1, idx.long()[..., None].expand(*idx.shape, 2))
                sums.append(((own - nearest).square().sum(-1) * grad).sum())
        return sum(sums)

    live = [x.detach().clone().requires_grad_() for x in (xyz1, xyz2)]
    total = distances(*live)
    if not total.requires_grad:
        return [torch.zeros_like(x) for x in (xyz1, xyz2)]
    found = torch.autograd.grad(total, live, allow_unused=True)
    return [torch.zeros_like(x) if g is None else g for x, g in zip((xyz1, xyz2), found)]


def _gather(points: Any, idx: Any) -> Any:
    flat = idx.long().flatten(1)[:, None].expand(-1, points.shape[1], -1)
    return points.gather(2, flat).reshape(*points.shape[:2], *idx.shape[1:])


def _gather_backward(grad_out: Any, idx: Any, b: int, c: int, n: int) -> Any:
    return gradients(lambda x: _gather(x, idx), grad_out, torch.zeros(b, c, n, dtype=grad_out.dtype))[0]


def _stack_group(
    features_tensor: Any, features_batch_cnt_tensor: Any, idx_tensor: Any, idx_batch_cnt_tensor: Any
) -> Any:
    counts = features_batch_cnt_tensor.tolist()
    batches = _pieces(idx_batch_cnt_tensor, idx_tensor)
    own = features_tensor[: sum(counts)].split(counts) if counts else []
    pieces = []
    for features, idx in zip(own, batches):
        padded = torch.nn.functional.pad(features, (0, 0, 0, 1))  # the last row is zero
        valid = (idx >= 0) & (idx < len(features))
        pieces.append(padded[torch.where(valid, idx, len(features)).long()].transpose(1, 2))
    if not pieces:
        return features_tensor.new_zeros(len(idx_tensor), features_tensor.shape[1], idx_tensor.shape[1])
    return torch.cat(pieces)


def _stack_group_backward(
    grad_out_tensor: Any,
    idx_tensor: Any,
    idx_batch_cnt_tensor: Any,
    features_batch_cnt_tensor: Any,
    c: int,
    n: int,
) -> Any:
    leaf = torch.zeros(n, c, dtype=grad_out_tensor.dtype)
    return gradients(
        lambda x: _stack_group(x, features_batch_cnt_tensor, idx_tensor, idx_batch_cnt_tensor), grad_out_tensor, leaf
    )[0]


def _interpolate(points: Any, idx: Any, weight: Any) -> Any:
    return (_gather(points, idx) * weight[:, None]).sum(-1)


def _interpolate_backward(grad_out: Any, idx: Any, weight: Any, b: int, c: int, m: int) -> Any:
    return gradients(lambda x: _interpolate(x, idx, weight), grad_out, torch.zeros(b, c, m, dtype=grad_out.dtype))[0]


def _assign(points: Any, centers: Any, scores: Any, knn_idx: Any) -> Any:
    count = points.shape[1]
    valid = ((knn_idx >= 0) & (knn_idx < count)) & ((knn_idx >= 0) & (knn_idx < count))[..., :1]
    if not count:
        return scores.new_zeros(len(points), points.shape[3], *knn_idx.shape[1:])
    batch = torch.arange(len(points))[:, None, None]
    i = torch.where(valid, knn_idx, 0)
    j = torch.where(valid, knn_idx[..., :1], 0)
    moved = torch.where(valid[..., None, None], points[batch, i] - centers[batch, j], 0.0)
    kept = torch.where(valid[..., None], scores, 0.0)
    return torch.einsum("bnkm,bnkmo->bonk", kept, moved)


def _assign_backward(grad_out: Any, points: Any, centers: Any, scores: Any, knn_idx: Any) -> Any:
    if not points.shape[1]:
        return [torch.zeros_like(x) for x in (points, centers, scores)]
    return gradients(lambda p, c, s: _assign(p, c, s, knn_idx), grad_out, points, centers, scores)


def _inside(boxes: Any, pts: Any) -> Any:
    boxes, pts = _computed(boxes, pts)
    box = boxes[:, None]
    angle = -box[..., 6].double()
    cosine, sine = angle.cos().to(box.dtype), angle.sin().to(box.dtype)
    x, y, z = (pts[..., None, :] - box[..., :3]).unbind(-1)
    z = pts[..., None, 2] - (box[..., 2] + box[..., 5] / 2)
    half = box[..., 3:6] / 2
    within = (x * cosine - y * sine).abs() < half[..., 0]
    return within & ((x * sine + y * cosine).abs() < half[..., 1]) & (z.abs() <= half[..., 2])


def _first_box(boxes: Any, pts: Any) -> Any:
    numbers = torch.arange(1, boxes.shape[1] + 1).flip(0)  # the first box has the greatest number
    greatest = torch.nn.functional.pad(_inside(boxes, pts) * numbers, (0, 1)).max(-1)[0]
    return torch.where(greatest > 0, boxes.shape[1] - greatest, -1).int()


def _polygons(points: Any, polygons: Any) -> Any:
    points, polygons = _computed(points, polygons)
    p = points[:, None]
    corners = polygons.reshape(-1, 4, 2)
    state = torch.zeros(len(points), len(corners), dtype=torch.int64)  # 2: the loop has ended; 1: an odd count
    for k in range(4):
        s, t = corners[None, :, k], corners[None, :, k - 1]
        sy, ty, py = s[..., 1], t[..., 1], p[..., 1]
        lowest, highest = torch.where(sy < ty, sy, ty), torch.where(sy < ty, ty, sy)
        here = (state < 2) & (py >= lowest) & (py <= highest)
        at_corner = here & ((p == s).all(-1) | (p == t).all(-1))
        cuts = here & ~at_corner & (((sy < py) & (py <= ty)) | ((ty < py) & (py <= sy)))
        x = s[..., 0] + (py - sy) * (t[..., 0] - s[..., 0]) / (ty - sy)
        state = torch.where(cuts & (x > p[..., 0]), state ^ 1, state)
        state = torch.where(at_corner | (cuts & (x == p[..., 0])), state | 2, state)
    return (state & 1).float()


TABLE: Table = {
    "diopiBallQueryMmcv": composed("torch.sort of the positions of hits", _ball),
    "diopiStackBallQueryMmcv": composed("torch.sort of the positions of hits", _stack_ball),
    "diopiFurthestPointSamplingMmcv": composed("torch.argmax of the running minimum", _furthest),
    "diopiFurthestPointSamplingWithDistMmcv": composed(
        "torch.argmax of the running minimum",
        lambda temp_tensor, points_dist, num_points: _pick(temp_tensor, num_points, lambda b, i: points_dist[b, i]),
    ),
    "diopiKnnMmcv": composed("torch.sort with stable", _knn),
    "diopiThreeNnMmcv": composed("torch.sort with stable", _three_nn),
    "diopiChamferDistanceMmcv": composed("torch.sort with stable", _chamfer),
    "diopiChamferDistanceBackwardMmcv": composed("torch.autograd of torch.gather", _chamfer_backward, double=True),
    "diopiGatherPointsMmcv": composed("torch.gather", _gather),
    "diopiGroupPointsMmcv": composed("torch.gather", _gather),
    "diopiGatherPointsBackwardMmcv": composed("torch.autograd of torch.gather", _gather_backward, double=True),
    "diopiGroupPointsBackwardMmcv": composed("torch.autograd of torch.gather", _gather_backward, double=True),
    "diopiStackGroupPointsMmcv": composed("indexing of each batch", _stack_group),
    "diopiStackGroupPointsBackwardMmcv": composed(
        "torch.autograd of the indexing of each batch", _stack_group_backward, double=True
    ),
    "diopiThreeInterpolateMmcv": composed("torch.gather, torch.sum", _interpolate, double=True),
    "diopiThreeInterpolateBackwardMmcv": composed("torch.autograd of torch.gather", _interpolate_backward, double=True),
    "diopiAssignScoreWithkMmcv": composed("torch.einsum", _assign, double=True),
    "diopiAssignScoreWithkBackwardMmcv": composed("torch.autograd of torch.einsum", _assign_backward, double=True),
    "diopiPointsInBoxesPartMmcv": composed("comparisons of rotated coordinates", _first_box),
    "diopiPointsInBoxesAllMmcv": composed(
        "comparisons of rotated coordinates", lambda boxes, pts: _inside(boxes, pts).int()
    ),
    "diopiPointsInPolygonsMmcv": composed("comparisons of each edge in turn", _polygons),
}
