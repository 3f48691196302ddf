# SPDX-License-Identifier: BSD-3-Clause
"""The clamped bilinear sampler of region operators, its adjoint, and the samples of bins. It declares no operator."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class Taps:
    """For each sample, the four elements that it reads, their weights, and whether it lies inside of the map."""

    inside: np.ndarray
    rows: tuple[np.ndarray, np.ndarray]  # y0, y1
    columns: tuple[np.ndarray, np.ndarray]  # x0, x1
    ly: np.ndarray
    lx: np.ndarray

    def corners(self):
        """(weight, row, column) of the four elements."""
        hy, hx = 1 - self.ly, 1 - self.lx
        (y0, y1), (x0, x1) = self.rows, self.columns
        yield hy * hx, y0, x0
        yield hy * self.lx, y0, x1
        yield self.ly * hx, y1, x0
        yield self.ly * self.lx, y1, x1


def _axis(position, extent):
    clamped = np.maximum(position, 0)
    low = np.where(np.isfinite(clamped), clamped, 0).clip(0, extent - 1).astype(np.int64)
    last = low >= extent - 1
    low = np.where(last, extent - 1, low)
    return low, np.where(last, low, low + 1), np.where(last, 0.0, clamped - low)


def taps(y, x, height, width) -> Taps:
    y, x = np.broadcast_arrays(np.asarray(y, np.float64), np.asarray(x, np.float64))
    inside = (y >= -1) & (y <= height) & (x >= -1) & (x <= width)
    y0, y1, ly = _axis(np.where(inside, y, 0), height)
    x0, x1, lx = _axis(np.where(inside, x, 0), width)
    return Taps(inside, (y0, y1), (x0, x1), ly, lx)


def bilinear(planes, y, x):
    """The samples of planes [..., H, W] at the positions, and the sums of the absolute values of their terms. Samples
    outside are 0."""
    found = taps(y, x, *planes.shape[-2:])
    value, size = 0.0, 0.0
    for weight, row, column in found.corners():
        term = weight * planes[..., row, column]
        value, size = value + term, size + np.abs(term)
    return np.where(found.inside, value, 0.0), np.where(found.inside, size, 0.0)


def scatter(planes, y, x, grad):
    """Adds `grad` [..., samples] times the weights of the samples to planes [..., H, W]."""
    found = taps(y, x, *planes.shape[-2:])
    keep = found.inside
    for weight, row, column in found.corners():
        index = (..., row[keep], column[keep])
        flat = np.moveaxis(planes, (-2, -1), (0, 1))
        np.add.at(flat, index[1:], np.moveaxis((weight * grad)[..., keep], -1, 0))


def samples_of(size, bins, ratio):
    """The number of samples of a bin in one direction: a float, because a size may be infinite or NaN."""
    if ratio > 0:
        return float(ratio)
    count = size / bins if bins else math.nan
    return float(math.ceil(count)) if abs(count) <= 2**52 else math.nan


def positions(start, size, bins, count):
    """The positions of the samples of all bins in one direction, [bins, count]; none without a finite count."""
    if not (math.isfinite(start) and math.isfinite(size) and math.isfinite(count)) or count < 1:
        return np.zeros((bins, 0))
    width = size / bins if bins else 0.0
    i = np.arange(int(count))
    return start + np.arange(bins)[:, None] * width + (i + 0.5) * width / count
