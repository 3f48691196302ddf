# SPDX-License-Identifier: BSD-3-Clause
"""Averages and maxima of bilinear samples in the bins of upright regions: RoiAlign, DeformRoiPool and BorderAlign."""

import numpy as np

from . import Unwritten, Value, oracle
from .region_averages import Grid, align_average, align_average_backward, divisor_of
from .sampling import Places, bilinear, number_type, places, positions, scatter, taps

LOWEST_FLOAT = -float(np.finfo(np.float32).max)


def _align_maximum(input, rois, grid, dtype):
    shape = (len(rois), input.shape[1], *grid.bins)
    lowest = -np.inf if dtype in ("float16", "bfloat16") else LOWEST_FLOAT
    out, at_y, at_x = np.full(shape, lowest), np.full(shape, -1.0), np.full(shape, -1.0)
    size = np.zeros(shape)
    for r, row in enumerate(rois):
        samples, _ = grid.samples(row)
        for i, j in np.ndindex(samples.y.shape[2:]):
            here = Places(*(a[:, :, i, j] for a in samples))
            value, terms = bilinear(input[int(row[0])], here)
            better = value > out[r]
            out[r], size[r] = np.where(better, value, out[r]), np.where(better, terms, size[r])
            at_y[r], at_x[r] = np.where(better, here.rounded_y, at_y[r]), np.where(better, here.rounded_x, at_x[r])
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
    scale, number = np.float32(spatial_scale), number_type(dtypes["rois"])
    grid = Grid(scale, (aligned_height, aligned_width), sampling_ratio, aligned, number)
    if pool_mode == 0:
        return _align_maximum(input, rois, grid, dtypes["input"])
    average = align_average(input, rois, grid)
    shapes = (average.array.shape if shape is None else shape for shape in (argmax_y, argmax_x))
    return {"output": average, **dict(zip(("argmax_y", "argmax_x"), map(Unwritten, shapes)))}


@oracle("diopiRoiAlignBackwardMmcv")
def roi_align_backward(
    grad_output, rois, argmax_y, argmax_x, sampling_ratio, pool_mode, spatial_scale, aligned, grad_input, dtypes
):
    if pool_mode == 1:
        scale, number = np.float32(spatial_scale), number_type(dtypes["rois"])
        grid = Grid(scale, grad_output.shape[2:], sampling_ratio, aligned, number)
        return align_average_backward(grad_output, rois, grad_input, grid)
    out, size = np.zeros(grad_input), np.zeros(grad_input)
    for r, row in enumerate(rois):
        for c in range(grad_output.shape[1]):
            wanted = argmax_y[r, c] != -1.0
            y, x, g = argmax_y[r, c][wanted], argmax_x[r, c][wanted], grad_output[r, c][wanted]
            scatter(out[int(row[0]), c], Places(y, x, y, x), g)
            scatter(size[int(row[0]), c], Places(y, x, y, x), np.abs(g))
    return Value(out, magnitude=size)


def _deformed(rois, offset, bins, ratio, scale, gamma, dtype):
    """For each bin of each region: region, image, bin, the positions of its samples, the divisor, and the factors of
    its offset."""
    gamma = np.float32(gamma)
    grid = Grid(np.float32(scale), bins, ratio, True, number_type(dtype))
    for r, row in enumerate(rois):
        counts = grid.counts(row)
        (_, height), (_, width) = grid.sides(row, np.float64)
        for ph, pw in np.ndindex(bins):
            shift_x, shift_y = offset[r, :, ph, pw] if offset.size else (0.0, 0.0)

            def at(number, row=row, ph=ph, pw=pw, counts=counts, shift_x=shift_x, shift_y=shift_y):
                (y1, height), (x1, width) = grid.sides(row, number)
                y1, x1 = y1 + number(gamma) * height * number(shift_y), x1 + number(gamma) * width * number(shift_x)
                ys, xs = positions(y1, height, bins[0], counts[0])[ph], positions(x1, width, bins[1], counts[1])[pw]
                return ys[:, None], xs[None, :]

            samples = Places(*(a.ravel() for a in places(at, grid.number)))
            factors = np.float64(gamma) * width, np.float64(gamma) * height
            yield r, int(row[0]), (ph, pw), samples, divisor_of(counts), factors


@oracle("diopiDeformRoiPoolMmcv")
def deform_roi_pool(input, rois, offset, pooled_height, pooled_width, sampling_ratio, spatial_scale, gamma, dtypes):
    bins = (pooled_height, pooled_width)
    out, size = (np.zeros((len(rois), input.shape[1], *bins)) for _ in range(2))
    given = rois, offset, bins, sampling_ratio, spatial_scale, gamma, dtypes["rois"]
    for r, image, at, samples, divisor, _ in _deformed(*given):
        values, terms = bilinear(input[image], samples)
        out[(r, slice(None), *at)], size[(r, slice(None), *at)] = (values / divisor).sum(-1), (terms / divisor).sum(-1)
    return Value(out, magnitude=size)


@oracle("diopiDeformRoiPoolBackwardMmcv")
def deform_roi_pool_backward(grad_output, input, rois, offset, sampling_ratio, spatial_scale, gamma, dtypes):
    bins = grad_output.shape[2:]
    out, size = np.zeros(input.shape), np.zeros(input.shape)
    moved, moved_size = np.zeros(offset.shape), np.zeros(offset.shape)
    given = rois, offset, bins, sampling_ratio, spatial_scale, gamma, dtypes["rois"]
    for r, image, at, samples, divisor, factors in _deformed(*given):
        of_bin = grad_output[(r, slice(None), *at)][:, None]
        share = np.broadcast_to(of_bin / divisor, (input.shape[1], samples.y.size))
        scatter(out[image], samples, share)
        scatter(size[image], samples, np.abs(share))
        if offset.size:
            for d, (value, terms) in enumerate(_offset_terms(input[image], samples, share)):
                moved[(r, d, *at)], moved_size[(r, d, *at)] = factors[d] * value, np.abs(factors[d]) * terms
    return {
        "grad_input": Value(out, magnitude=size),
        "grad_offset": Value(moved, magnitude=moved_size),
    }


def _offset_terms(planes, samples, share):
    """The sums for x and for y, each with the sum of the absolute values of its terms."""
    found, ys, xs = taps(samples, *planes.shape[-2:]), samples.y, samples.x
    (y0, y1), (x0, x1) = found.rows, found.columns
    f00, f10, f01, f11 = planes[:, y0, x0], planes[:, y0, x1], planes[:, y1, x0], planes[:, y1, x1]
    along_x = (f11 * (ys - y0), f10 * (y1 - ys), f01 * (y0 - ys), f00 * (ys - y1))
    along_y = (f11 * (xs - x0), f01 * (x1 - xs), f10 * (x0 - xs), f00 * (xs - x1))
    for terms in (along_x, along_y):
        parts = [np.where(found.inside, share * t, 0.0) for t in terms]
        yield sum(p.sum() for p in parts), sum(np.abs(p).sum() for p in parts)


def _border_starts(boxes, pool_size, number):
    """For each border: (y, x) of its first sample and of the step, [N, K] each."""
    x1, y1, x2, y2 = (boxes[..., k].astype(number) for k in range(4))
    width, height = (x2 - x1) / number(pool_size), (y2 - y1) / number(pool_size)
    zero = np.zeros_like(width)
    return [(y1, x1, zero, width), (y1, x1, height, zero), (y2, x2, zero, -width), (y2, x2, -height, zero)]


def _border_samples(boxes, border, pool_size, number):
    """The samples of a border in order, [N, K] each. mmcv adds the steps up one by one."""
    with np.errstate(all="ignore"):
        y, x, dy, dx = _border_starts(boxes, pool_size, np.float64)[border]
        at_y, at_x, step_y, step_x = _border_starts(boxes, pool_size, number)[border]
        for i in range(pool_size + 1):
            here_y, here_x = y + i * dy, x + i * dx
            yield Places(here_y, here_x, *((at_y, at_x) if number is np.float32 else (here_y, here_x)))
            at_y, at_x = at_y + step_y, at_x + step_x


@oracle("diopiBorderAlignMmcv", dtype={"output": "input", "argmax_idx": "int32"})
def border_align(input, boxes, pool_size, dtypes):
    images, channels, count = input.shape[0], input.shape[1] // 4, boxes.shape[1]
    number = number_type(dtypes["boxes"])
    out = np.zeros((images, channels, count, 4))
    at, size = np.zeros(out.shape, np.int64), np.zeros(out.shape)
    for border in range(4):
        planes = input[:, border * channels : (border + 1) * channels]
        for n in range(images):
            best, terms, first = (np.zeros((channels, count)) for _ in range(3))
            for i, samples in enumerate(_border_samples(boxes[n : n + 1], border, pool_size, number)):
                value, value_terms = bilinear(planes[n], Places(*(a[0] for a in samples)))
                better = (value > best) | (i == 0)
                best, terms = np.where(better, value, best), np.where(better, value_terms, terms)
                first = np.where(better, i, first)
            out[n, ..., border], at[n, ..., border], size[n, ..., border] = best, first, terms
    return {"output": Value(out, magnitude=size), "argmax_idx": at}


@oracle("diopiBorderAlignBackwardMmcv")
def border_align_backward(grad_output, boxes, argmax_idx, pool_size, grad_input, dtypes):
    out, size = np.zeros(grad_input), np.zeros(grad_input)
    channels, number = grad_output.shape[1], number_type(dtypes["boxes"])
    for border in range(4):
        for n, c in np.ndindex(grad_output.shape[:2]):
            i, g = argmax_idx[n, c, :, border], grad_output[n, c, :, border]

            def at(number, i=i, n=n, border=border):
                y, x, dy, dx = _border_starts(boxes[n], pool_size, number)[border]
                return y + i.astype(number) * dy, x + i.astype(number) * dx

            samples = places(at, number)
            scatter(out[n, border * channels + c], samples, g)
            scatter(size[n, border * channels + c], samples, np.abs(g))
    return Value(out, magnitude=size)
