# SPDX-License-Identifier: BSD-3-Clause
"""Averages and maxima of bilinear samples in the bins of upright regions: RoiAlign, DeformRoiPool and BorderAlign."""

import numpy as np

from . import Unwritten, Value, oracle
from .region_averages import align_average, align_average_backward, grid, regions
from .sampling import bilinear, positions, samples_of, scatter, taps

LOWEST_FLOAT = -float(np.finfo(np.float32).max)


def _align_maximum(input, rois, scale, bins, ratio, aligned, dtype):
    shape = (len(rois), input.shape[1], *bins)
    lowest = -np.inf if dtype in ("float16", "bfloat16") else LOWEST_FLOAT
    out, at_y, at_x = np.full(shape, lowest), np.full(shape, -1.0), np.full(shape, -1.0)
    size = np.zeros(shape)
    for r, (image, y, x) in enumerate(regions(rois, scale, aligned)):
        ys, xs, _ = grid(y, x, bins, ratio)
        for i in range(ys.shape[1]):
            for j in range(xs.shape[1]):
                y_here, x_here = np.broadcast_arrays(ys[:, None, i], xs[None, :, j])
                value, terms = bilinear(input[image], y_here, x_here)
                better = value > out[r]
                out[r], size[r] = np.where(better, value, out[r]), np.where(better, terms, size[r])
                at_y[r], at_x[r] = np.where(better, y_here, at_y[r]), np.where(better, x_here, at_x[r])
    return {"output": Value(out, magnitude=size), "argmax_y": at_y, "argmax_x": at_x}


@oracle("diopiRoiAlignMmcv")
def roi_align(
    input,
    rois,
    aligned_height,
    aligned_width,
    sampling_ratio,
    pool_mode,
    spatial_scale,
    aligned,
    dtypes,
    argmax_y=None,
    argmax_x=None,
):
    bins, scale = (aligned_height, aligned_width), np.float32(spatial_scale)
    if pool_mode == 0:
        return _align_maximum(input, rois, scale, bins, sampling_ratio, aligned, dtypes["input"])
    average = align_average(input, rois, scale, bins, sampling_ratio, aligned)
    shapes = (average.array.shape if shape is None else shape for shape in (argmax_y, argmax_x))
    return {"output": average, **dict(zip(("argmax_y", "argmax_x"), map(Unwritten, shapes)))}


@oracle("diopiRoiAlignBackwardMmcv")
def roi_align_backward(
    grad_output, rois, argmax_y, argmax_x, sampling_ratio, pool_mode, spatial_scale, aligned, grad_input
):
    if pool_mode == 1:
        scale = np.float32(spatial_scale)
        return align_average_backward(grad_output, rois, scale, grad_input, sampling_ratio, aligned)
    out, size = np.zeros(grad_input), np.zeros(grad_input)
    for r, row in enumerate(rois):
        for c in range(grad_output.shape[1]):
            wanted = argmax_y[r, c] != -1.0
            y, x, g = argmax_y[r, c][wanted], argmax_x[r, c][wanted], grad_output[r, c][wanted]
            scatter(out[int(row[0]), c], y, x, g)
            scatter(size[int(row[0]), c], y, x, np.abs(g))
    return Value(out, magnitude=size)


def _deformed(rois, offset, bins, ratio, scale, gamma):
    """For each bin of each region: region, image, bin, the positions of its samples, the divisor, and the factors of
    its offset."""
    scale, gamma = np.float32(scale), np.float64(np.float32(gamma))
    for r, (image, y, x) in enumerate(regions(rois, scale, True)):
        counts = samples_of(y[1], bins[0], ratio), samples_of(x[1], bins[1], ratio)
        product = counts[0] * counts[1]
        for ph in range(bins[0]):
            for pw in range(bins[1]):
                shift_x, shift_y = offset[r, :, ph, pw] if offset.size else (0.0, 0.0)
                ys = positions(y[0] + gamma * y[1] * shift_y, y[1], bins[0], counts[0])[ph]
                xs = positions(x[0] + gamma * x[1] * shift_x, x[1], bins[1], counts[1])[pw]
                grid = (a.ravel() for a in np.broadcast_arrays(ys[:, None], xs[None, :]))
                yield r, image, (ph, pw), *grid, product if product >= 1 else 1.0, (gamma * x[1], gamma * y[1])


@oracle("diopiDeformRoiPoolMmcv")
def deform_roi_pool(input, rois, offset, pooled_height, pooled_width, sampling_ratio, spatial_scale, gamma):
    bins = (pooled_height, pooled_width)
    out, size = (np.zeros((len(rois), input.shape[1], *bins)) for _ in range(2))
    for r, image, at, ys, xs, divisor, _ in _deformed(rois, offset, bins, sampling_ratio, spatial_scale, gamma):
        values, terms = bilinear(input[image], ys, xs)
        out[(r, slice(None), *at)], size[(r, slice(None), *at)] = (values / divisor).sum(-1), (terms / divisor).sum(-1)
    return Value(out, magnitude=size)


@oracle("diopiDeformRoiPoolBackwardMmcv")
def deform_roi_pool_backward(grad_output, input, rois, offset, sampling_ratio, spatial_scale, gamma):
    bins = grad_output.shape[2:]
    out, size = np.zeros(input.shape), np.zeros(input.shape)
    moved, moved_size = np.zeros(offset.shape), np.zeros(offset.shape)
    for r, image, at, ys, xs, divisor, factors in _deformed(rois, offset, bins, sampling_ratio, spatial_scale, gamma):
        share = np.broadcast_to(grad_output[(r, slice(None), *at)][:, None] / divisor, (input.shape[1], len(ys)))
        scatter(out[image], ys, xs, share)
        scatter(size[image], ys, xs, np.abs(share))
        if offset.size:
            for d, (value, terms) in enumerate(_offset_terms(input[image], ys, xs, share)):
                moved[(r, d, *at)], moved_size[(r, d, *at)] = factors[d] * value, np.abs(factors[d]) * terms
    return {
        "grad_input": Value(out, magnitude=size),
        "grad_offset": Value(moved, magnitude=moved_size),
    }


def _offset_terms(planes, ys, xs, share):
    """The sums for x and for y, each with the sum of the absolute values of its terms."""
    found = taps(ys, xs, *planes.shape[-2:])
    (y0, y1), (x0, x1) = found.rows, found.columns
    f00, f10, f01, f11 = planes[:, y0, x0], planes[:, y0, x1], planes[:, y1, x0], planes[:, y1, x1]
    along_x = (f11 * (ys - y0), f10 * (y1 - ys), f01 * (y0 - ys), f00 * (ys - y1))
    along_y = (f11 * (xs - x0), f01 * (x1 - xs), f10 * (x0 - xs), f00 * (xs - x1))
    for terms in (along_x, along_y):
        parts = [np.where(found.inside, share * t, 0.0) for t in terms]
        yield sum(p.sum() for p in parts), sum(np.abs(p).sum() for p in parts)


def _border_starts(boxes, pool_size):
    """For each border: (y, x) of its first sample and of the step, [N, K] each."""
    x1, y1, x2, y2 = (boxes[..., k] for k in range(4))
    width, height = (x2 - x1) / pool_size, (y2 - y1) / pool_size
    zero = np.zeros_like(width)
    return [(y1, x1, zero, width), (y1, x1, height, zero), (y2, x2, zero, -width), (y2, x2, -height, zero)]


@oracle("diopiBorderAlignMmcv", dtype={"output": "input", "argmax_idx": "int32"})
def border_align(input, boxes, pool_size):
    images, channels, count = input.shape[0], input.shape[1] // 4, boxes.shape[1]
    out = np.zeros((images, channels, count, 4))
    at, size = np.zeros(out.shape, np.int64), np.zeros(out.shape)
    for border, (y, x, dy, dx) in enumerate(_border_starts(boxes, pool_size)):
        planes = input[:, border * channels : (border + 1) * channels]
        for n in range(images):
            best, terms = bilinear(planes[n], y[n] + 0 * dy[n], x[n] + 0 * dx[n])
            first = np.zeros((channels, count), np.int64)
            for i in range(1, pool_size + 1):
                value, value_terms = bilinear(planes[n], y[n] + i * dy[n], x[n] + i * dx[n])
                better = value > best
                best, terms = np.where(better, value, best), np.where(better, value_terms, terms)
                first = np.where(better, i, first)
            out[n, ..., border], at[n, ..., border], size[n, ..., border] = best, first, terms
    return {"output": Value(out, magnitude=size), "argmax_idx": at}


@oracle("diopiBorderAlignBackwardMmcv")
def border_align_backward(grad_output, boxes, argmax_idx, pool_size, grad_input):
    out, size = np.zeros(grad_input), np.zeros(grad_input)
    channels = grad_output.shape[1]
    for border, (y, x, dy, dx) in enumerate(_border_starts(boxes, pool_size)):
        for n in range(grad_output.shape[0]):
            for c in range(channels):
                i, g = argmax_idx[n, c, :, border], grad_output[n, c, :, border]
                ys, xs = y[n] + i * dy[n], x[n] + i * dx[n]
                scatter(out[n, border * channels + c], ys, xs, g)
                scatter(size[n, border * channels + c], ys, xs, np.abs(g))
    return Value(out, magnitude=size)
