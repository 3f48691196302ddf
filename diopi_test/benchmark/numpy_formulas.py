# SPDX-License-Identifier: BSD-3-Clause
"""Formulas of operators that NumPy has no function for, in vectorised NumPy. The files of operators call them."""

from __future__ import annotations

import numpy as np

Array = np.ndarray


def _sigmoid(x: Array) -> Array:
    return 1 / (1 + np.exp(-x))


def focal_loss(x: Array, target: Array, out: Array) -> None:
    """The focal loss with alpha 0.25 and gamma 2."""
    p = _sigmoid(x)
    cross_entropy = np.maximum(x, 0) - x * target + np.log1p(np.exp(-np.abs(x)))
    p_t = p * target + (1 - p) * (1 - target)
    alpha_t = 0.25 * target + 0.75 * (1 - target)
    np.multiply(alpha_t * np.square(1 - p_t), cross_entropy, out=out)


def sigmoid_focal_loss(x: Array, target: Array, out: Array) -> None:
    p = _sigmoid(x)
    np.multiply(-0.75 * p * p, np.log(np.maximum(1 - p, np.finfo(np.float32).tiny)), out=out)
    row = np.flatnonzero(target < x.shape[1])
    own = p[row, target[row]]
    out[row, target[row]] = -0.25 * np.square(1 - own) * np.log(np.maximum(own, np.finfo(np.float32).tiny))


def sigmoid_focal_gradient(x: Array, target: Array, out: Array) -> None:
    p = _sigmoid(x)
    tiny = np.finfo(np.float32).tiny
    np.multiply(-0.75 * p * p, 2 * (1 - p) * np.log(np.maximum(1 - p, tiny)) - p, out=out)
    row = np.flatnonzero(target < x.shape[1])
    own = p[row, target[row]]
    out[row, target[row]] = -0.25 * np.square(1 - own) * (1 - own - 2 * own * np.log(np.maximum(own, tiny)))


def softmax_focal_loss(p: Array, target: Array, out: Array) -> None:
    own = p[np.arange(len(p)), target]
    np.multiply(-0.25 * np.square(1 - own), np.log(np.maximum(own, np.finfo(np.float32).tiny)), out=out)


def softmax_focal_gradient(p: Array, target: Array, out: Array) -> None:
    rows = np.arange(len(p))
    own = p[rows, target]
    slope = 0.25 * (2 * (1 - own) * own * np.log(np.maximum(own, np.finfo(np.float32).tiny)) - np.square(1 - own))
    np.multiply(-slope[:, None], p, out=out)
    out[rows, target] += slope


def upright_overlaps(a: Array, b: Array) -> Array:
    low = np.maximum(a[:, None, :2], b[None, :, :2])
    high = np.minimum(a[:, None, 2:], b[None, :, 2:])
    sides = np.maximum(high - low, 0)
    shared = sides[..., 0] * sides[..., 1]
    area_a, area_b = np.prod(a[:, 2:] - a[:, :2], 1), np.prod(b[:, 2:] - b[:, :2], 1)
    return shared / np.maximum(area_a[:, None] + area_b[None] - shared, 1e-9)


def suppress(boxes: Array, scores: Array, threshold: float) -> list[int]:
    order, kept = np.argsort(-scores), []
    area = np.prod(boxes[:, 2:] - boxes[:, :2], 1)
    while len(order):
        first, order = order[0], order[1:]
        kept.append(first)
        sides = np.minimum(boxes[first, 2:], boxes[order, 2:]) - np.maximum(boxes[first, :2], boxes[order, :2])
        shared = np.prod(np.maximum(sides, 0), 1)
        order = order[shared / (area[first] + area[order] - shared) <= threshold]
    return kept


def _squared_distances(centers: Array, points: Array) -> Array:
    return sum(np.square(centers[:, None, i] - points[None, :, i]) for i in range(points.shape[1]))


def _blocks(centers: Array, points: Array) -> list[Array]:
    """Distances of blocks of centres, which are small enough for a cache."""
    block = max(1, (1 << 18) // len(points))
    return [_squared_distances(centers[i : i + block], points) for i in range(0, len(centers), block)]


def ball_query(centers: Array, points: Array, radius: float, samples: int) -> list[Array]:
    found = []
    for batch in range(len(centers)):
        for distance in _blocks(centers[batch], points[batch]):
            key = np.where(distance < radius * radius, np.arange(distance.shape[1]), distance.shape[1])
            index = np.sort(np.partition(key, samples, 1)[:, :samples], 1)
            found.append(np.where(index < distance.shape[1], index, index[:, :1]))
    return found


def nearest(centers: Array, points: Array, count: int) -> list[Array]:
    found = []
    for batch in range(len(centers)):
        for distance in _blocks(centers[batch], points[batch]):
            index = np.argpartition(distance, count, 1)[:, :count]
            own = np.take_along_axis(distance, index, 1)
            found.append(np.take_along_axis(index, np.argsort(own, 1, kind="stable"), 1))
    return found


def chamfer_distance(first: Array, second: Array) -> list[tuple[Array, Array]]:
    found = []
    for a, b in ((first, second), (second, first)):
        for batch in range(len(a)):
            found += [(distance.min(1), distance.argmin(1)) for distance in _blocks(a[batch], b[batch])]
    return found


def furthest_points(points: Array, picks: int) -> Array:
    batches = np.arange(len(points))
    index = np.zeros((len(points), picks), np.int64)
    planes = np.ascontiguousarray(points.transpose(2, 0, 1))
    least = np.full(points.shape[:2], 1e10, points.dtype)
    for j in range(1, picks):
        last = planes[:, batches, index[:, j - 1], None]
        difference = planes - last
        np.minimum(least, np.square(difference).sum(0), out=least)
        index[:, j] = least.argmax(1)
    return index


def add_rows(grad: Array, index: Array, points: int) -> Array:
    """The sums of the gradients of the places with the same index."""
    batches, channels = grad.shape[:2]
    flat = index.reshape(batches, -1)
    return np.stack(
        [
            [np.bincount(flat[b], grad[b, c].reshape(-1), points) for c in range(channels)]  #
            for b in range(batches)
        ]
    )


def assign_scores(points: Array, centers: Array, scores: Array, index: Array) -> Array:
    batch = np.arange(len(points))[:, None, None]
    difference = points[batch, index] - centers[batch, index[:, :, :1]]
    return np.einsum("bnkm,bnkmo->bonk", scores, difference)


def first_box(boxes: Array, points: Array) -> Array:
    shift = points[:, :, None, :] - boxes[:, None, :, :3]
    cosine, sine = np.cos(-boxes[..., 6])[:, None], np.sin(-boxes[..., 6])[:, None]
    x, y = shift[..., 0] * cosine - shift[..., 1] * sine, shift[..., 0] * sine + shift[..., 1] * cosine
    half = boxes[:, None, :, 3:6] / 2
    inside = (
        (np.abs(x) < half[..., 0]) & (np.abs(y) < half[..., 1]) & (np.abs(shift[..., 2] - half[..., 2]) <= half[..., 2])
    )
    return np.where(inside.any(2), inside.argmax(2), -1)


def points_in_polygons(points: Array, polygons: Array) -> Array:
    corners = polygons.reshape(-1, 4, 2)
    before = np.roll(corners, 1, 1)
    y = points[:, None, 1:2]
    crosses = (corners[None, ..., 1] < y) != (before[None, ..., 1] < y)
    slope = (before[..., 0] - corners[..., 0]) / (before[..., 1] - corners[..., 1])
    x = corners[None, ..., 0] + (y - corners[None, ..., 1]) * slope[None]
    return (np.sum(crosses & (x > points[:, None, 0:1]), 2) % 2).astype(np.float32)


def masked_columns(image: Array, rows: Array, columns: Array, kernel: int, padding: int) -> Array:
    padded = np.pad(image[0], ((0, 0), (padding, padding), (padding, padding)))
    i = np.arange(kernel)
    return padded[:, rows + i[:, None, None], columns + i[None, :, None]].reshape(-1, len(rows))


def _bilinear(image: Array, y: Array, x: Array) -> Array:
    """Samples of an image [C, H, W]; elements outside count as 0."""
    padded = np.pad(image, ((0, 0), (1, 1), (1, 1)))
    y, x = np.clip(y, -1, image.shape[1]) + 1, np.clip(x, -1, image.shape[2]) + 1
    top, left = np.minimum(y.astype(np.int64), image.shape[1]), np.minimum(x.astype(np.int64), image.shape[2])
    down, right = (y - top).astype(image.dtype), (x - left).astype(image.dtype)
    return (1 - down) * ((1 - right) * padded[:, top, left] + right * padded[:, top, left + 1]) + down * (
        (1 - right) * padded[:, top + 1, left] + right * padded[:, top + 1, left + 1]
    )


def deform_conv(images: Array, weight: Array, offset: Array) -> list[Array]:
    height, width = images.shape[2:]
    row, column = np.arange(height)[:, None], np.arange(width)
    result = []
    for image, shift in zip(images, offset.reshape(len(images), 9, 2, height, width)):
        k = np.arange(9)[:, None, None]
        samples = _bilinear(image, row + k // 3 - 1 + shift[:, 0], column + k % 3 - 1 + shift[:, 1])
        result.append(weight.reshape(len(weight), -1) @ samples.reshape(-1, height * width))
    return result


def deform_attention(value: Array, shapes: Array, location: Array, weight: Array) -> Array:
    heads, depth = value.shape[2:]
    result, start = np.zeros(1), 0
    for level, (height, width) in enumerate(shapes):
        cells = value[0, start : start + height * width].reshape(height, width, heads, depth)
        start += height * width
        for head in range(heads):
            at = location[0, :, head, level]
            samples = _bilinear(
                cells[:, :, head].transpose(2, 0, 1), at[..., 1] * height - 0.5, at[..., 0] * width - 0.5
            )
            result = result + (samples * weight[0, :, head, level]).sum(2)
    return result


def roi_align(images: Array, rois: Array, bins: int, ratio: int, scale: float) -> list[Array]:
    step = (np.arange(bins * ratio) + 0.5) / (bins * ratio)
    result = []
    for roi in rois:
        x1, y1, x2, y2 = roi[1:] * scale - 0.5
        y, x = y1 + step * (y2 - y1), x1 + step * (x2 - x1)
        samples = _bilinear(images[int(roi[0])], y[:, None], x[None])
        result.append(samples.reshape(-1, bins, ratio, bins, ratio).mean((2, 4)))
    return result


def roi_pool(images: Array, rois: Array, bins: int, scale: float) -> list[Array]:
    result = []
    for roi in rois:
        x1, y1, x2, y2 = roi[1:3].tolist() + (roi[3:] + 1).tolist()
        edges = np.arange(bins + 1) / bins
        rows, columns = (y1 + edges * (y2 - y1)) * scale, (x1 + edges * (x2 - x1)) * scale
        image = images[int(roi[0])]
        for top, bottom in zip(np.floor(rows).astype(int), np.ceil(rows[1:]).astype(int)):
            band = image[:, max(top, 0) : bottom].max(1)
            for left, right in zip(np.floor(columns).astype(int), np.ceil(columns[1:]).astype(int)):
                result.append(band[:, max(left, 0) : right].max(1))
    return result


def roi_pool_gradient(grad: Array, rois: Array, argmax: Array, out: Array) -> None:
    count, channels = grad.shape[:2]
    plane = out.shape[2] * out.shape[3]
    first = (rois[:, 0].astype(np.int64)[:, None] * channels + np.arange(channels)) * plane
    place = first[..., None] + argmax.reshape(count, channels, -1)
    out.reshape(-1)[:] = np.bincount(place.reshape(-1), grad.reshape(-1), out.size)


def sample_points(points: Array, boxes: Array, features: Array, count: int) -> list[Array]:
    result = []
    for batch in range(len(points)):
        rows = np.concatenate([points[batch], features[batch]], 1)
        for box in boxes[batch]:
            inside = np.flatnonzero(first_box(box[None, None], points[batch][None])[0] == 0)
            result.append(
                rows[np.resize(inside, count)] if len(inside) else np.zeros((count, rows.shape[1]), rows.dtype)
            )
    return result


def voxelize(points: Array, size: Array, limits: Array) -> Array:
    cells = np.floor((points[:, :3] - limits[:3]) / size)
    inside = np.all((cells >= 0) & (cells < np.round((limits[3:] - limits[:3]) / size)), 1)
    return np.where(inside[:, None], cells[:, ::-1], -1).astype(np.int32)


def hard_voxelize(points: Array, size: Array, limits: Array, voxels: Array, coors: Array, counts: Array) -> None:
    cells = voxelize(points, size, limits)
    inside = np.flatnonzero(cells[:, 0] >= 0)
    key = np.ravel_multi_index(
        tuple(cells[inside].T), tuple(np.round((limits[3:] - limits[:3]) / size)[::-1].astype(int))
    )
    _, first, inverse = np.unique(key, return_index=True, return_inverse=True)
    number = np.empty(len(first), np.int64)
    number[np.argsort(first)] = np.arange(len(first))  # voxels are numbered in the order of their first points
    voxel = number[inverse]
    order = np.argsort(voxel, kind="stable")
    start = np.searchsorted(voxel[order], np.arange(len(first)))
    place = np.arange(len(order)) - start[voxel[order]]
    kept = (place < voxels.shape[1]) & (voxel[order] < len(voxels))
    voxels[:], coors[:] = 0, 0
    voxels[voxel[order][kept], place[kept]] = points[inside[order][kept]]
    most = min(len(voxels), len(first))
    coors[:most] = cells[inside[np.sort(first)]][:most]
    counts[:most] = np.minimum(np.bincount(voxel), voxels.shape[1])[:most]


def points_to_voxels(features: Array, coors: Array, reduce_type: int) -> Array:
    key = np.ravel_multi_index(tuple(coors.T), tuple(coors.max(0) + 1))
    _, start, counts = np.unique(np.sort(key), return_index=True, return_counts=True)
    rows = features[np.argsort(key, kind="stable")]
    if reduce_type == 2:
        return np.maximum.reduceat(rows, start, 0)
    return np.add.reduceat(rows, start, 0) / counts[:, None]


def sparse_maximum(features: Array, pairs: Array, counts: Array) -> Array:
    out = np.zeros_like(features)
    for (source, target), count in zip(pairs, counts):
        out[target[:count]] = np.maximum(out[target[:count]], features[source[:count]])
    return out


def sparse_conv(features: Array, filters: Array, pairs: Array, counts: Array) -> Array:
    out = np.zeros((len(features), filters.shape[2]), features.dtype)
    for (source, target), matrix, count in zip(pairs, filters, counts):
        out[target[:count]] += features[source[:count]] @ matrix
    return out
