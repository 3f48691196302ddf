# SPDX-License-Identifier: BSD-3-Clause
"""Maxima of the elements in the bins of regions, and exact integrals of the interpolated input over bins."""

import math

import numpy as np

from . import Value, oracle
from .mmcv_roi_align import LOWEST_FLOAT


def _bin(start, size, bins, p, extent):
    """The elements of a bin in one direction: from, to below."""
    one = type(start)
    step = size / one(bins)
    low, high = one(p) * step + start, one(p + 1) * step + start
    # mmcv calls floorf and ceilf, also for float64.
    low, high = math.floor(np.float32(low)), math.ceil(np.float32(high))
    return min(max(low, 0), extent), min(max(high, 0), extent)


@oracle("diopiRoiPoolMmcv", dtype={"output": "input", "argmax": "int32"})
def roi_pool(input, rois, pooled_height, pooled_width, spatial_scale, dtypes):
    lowest = -np.inf if dtypes["input"] in ("float16", "bfloat16") else LOWEST_FLOAT
    _, channels, height, width = input.shape
    out = np.zeros((len(rois), channels, pooled_height, pooled_width))
    at = np.full(out.shape, -1, np.int64)
    one = np.float64 if dtypes["rois"] == "float64" else np.float32
    scale = one(np.float32(spatial_scale))
    for r, row in enumerate(rois):
        corners = row[1:].astype(one)
        x1, y1, x2, y2 = corners[0] * scale, corners[1] * scale, (corners[2] + 1) * scale, (corners[3] + 1) * scale
        w, h = x2 - x1, y2 - y1
        if not (0 < w < math.inf and 0 < h < math.inf):
            continue
        for ph in range(pooled_height):
            top, bottom = _bin(y1, h, pooled_height, ph, height)
            for pw in range(pooled_width):
                left, right = _bin(x1, w, pooled_width, pw, width)
                if top >= bottom or left >= right:
                    continue
                window = input[int(row[0]), :, top:bottom, left:right].reshape(
                    channels, (bottom - top) * (right - left)
                )
                clean = np.where(window > lowest, window, -np.inf)
                best = clean.argmax(1)
                found = (window > lowest).any(1)
                out[r, :, ph, pw] = np.where(found, clean.max(1), lowest)
                place = (top + best // (right - left)) * width + left + best % (right - left)
                at[r, :, ph, pw] = np.where(found, place, -1)
    return {"output": out, "argmax": at}


@oracle("diopiRoiPoolBackwardMmcv")
def roi_pool_backward(grad_output, rois, argmax, grad_input):
    out, size = np.zeros(grad_input), np.zeros(grad_input)
    flat, flat_size = (a.reshape(*grad_input[:2], grad_input[2] * grad_input[3]) for a in (out, size))
    for r, row in enumerate(rois):
        for c in range(grad_output.shape[1]):
            wanted = argmax[r, c] != -1
            np.add.at(flat[int(row[0]), c], argmax[r, c][wanted], grad_output[r, c][wanted])
            np.add.at(flat_size[int(row[0]), c], argmax[r, c][wanted], np.abs(grad_output[r, c][wanted]))
    return Value(out, magnitude=size)


def _integral(t):
    """The integral of max(0, 1 - |t|) from 0 to t."""
    t = np.clip(t, -1, 1)
    return np.where(t < 0, t + t * t / 2, t - t * t / 2)


def _range(low, high, extent):
    """The elements that are less than 1 away from [low, high]."""
    first = min(max(math.floor(low - 1) + 1, 0), extent)
    return np.arange(first, min(max(math.ceil(high + 1), first), extent))


def _bins(rois, scale, bins, extents):
    """For each bin with an area: region, image, place, (y1, y2), (x1, x2), and its rows and columns with their
    integrals."""
    scale = np.float64(np.float32(scale))
    for r, row in enumerate(rois):
        x1, y1, x2, y2 = (row[k] * scale for k in range(1, 5))
        size = np.maximum(y2 - y1, 0.0) / max(bins[0], 1), np.maximum(x2 - x1, 0.0) / max(bins[1], 1)
        if not np.isfinite([x1, y1, *size]).all() or size[0] * size[1] == 0:
            continue
        for ph in range(bins[0]):
            for pw in range(bins[1]):
                ends = (y1 + ph * size[0], y1 + (ph + 1) * size[0]), (x1 + pw * size[1], x1 + (pw + 1) * size[1])
                cells = [_range(*end, extent) for end, extent in zip(ends, extents)]
                weights = [_integral(end[1] - i) - _integral(end[0] - i) for end, i in zip(ends, cells)]
                yield r, int(row[0]), (ph, pw), ends, cells, weights, size


@oracle("diopiPrroiPoolMmcv")
def prroi_pool(input, rois, pooled_height, pooled_width, spatial_scale):
    bins = (pooled_height, pooled_width)
    out, size = (np.zeros((len(rois), input.shape[1], *bins)) for _ in range(2))
    for r, image, at, _, cells, weights, sides in _bins(rois, spatial_scale, bins, input.shape[2:]):
        terms = input[image][:, cells[0][:, None], cells[1]] * np.multiply.outer(*weights) / (sides[0] * sides[1])
        out[(r, slice(None), *at)], size[(r, slice(None), *at)] = terms.sum((1, 2)), np.abs(terms).sum((1, 2))
    return Value(out, magnitude=size)


@oracle("diopiPrroiPoolbackwardMmcv")
def prroi_pool_backward(grad_output, rois, spatial_scale, grad_input):
    out, size = np.zeros(grad_input), np.zeros(grad_input)
    for r, image, at, _, cells, weights, sides in _bins(rois, spatial_scale, grad_output.shape[2:], grad_input[2:]):
        share = grad_output[(r, slice(None), *at)][:, None, None] / (sides[0] * sides[1]) * np.multiply.outer(*weights)
        index = (slice(None), cells[0][:, None], cells[1])
        out[image][index] += share
        size[image][index] += np.abs(share)
    return Value(out, magnitude=size)


def _line(planes, at, cells_across, weights, along_rows):
    """The integral of the interpolated planes along a line: at the row or column `at`, over the cells across it."""
    extent = planes.shape[1] if along_rows else planes.shape[2]
    i = _range(at, at, extent)
    hat = 1 - np.abs(at - i)
    if along_rows:
        terms = planes[:, i[:, None], cells_across] * np.multiply.outer(hat, weights)
    else:
        terms = planes[:, cells_across[:, None], i] * np.multiply.outer(weights, hat)
    return terms.sum((1, 2)), np.abs(terms).sum((1, 2))


@oracle("diopiPrroiPoolCoorBackwardMmcv", dtype="input")
def prroi_pool_coor_backward(output, grad_output, input, rois, spatial_scale):
    grad, size = np.zeros(rois.shape), np.zeros(rois.shape)
    bins, scale = grad_output.shape[2:], np.float64(np.float32(spatial_scale))
    for r, image, at, ends, cells, weights, sides in _bins(rois, spatial_scale, bins, input.shape[2:]):
        g, v = grad_output[(r, slice(None), *at)], output[(r, slice(None), *at)]
        area = sides[0] * sides[1]
        for direction in (0, 1):  # y, x
            other, p, count = 1 - direction, at[direction], bins[direction]
            for end, sign in ((0, -1), (1, 1)):
                line, terms = _line(input[image], ends[direction][end], cells[other], weights[other], direction == 0)
                slope = (g * sign * (line - sides[other] * v)).sum() / area * scale
                bound = (np.abs(g) * (terms + sides[other] * np.abs(v))).sum() / area * scale
                share = (p + end) / count
                for column, part in ((2 - direction, 1 - share), (4 - direction, share)):
                    grad[r, column] += slope * part
                    size[r, column] += np.abs(bound) * part
    return Value(grad, magnitude=size)
