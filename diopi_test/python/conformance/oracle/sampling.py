# SPDX-License-Identifier: BSD-3-Clause
"""The clamped bilinear sampler of region operators, its adjoint, and the samples of bins. It declares no operator."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np


class Places(NamedTuple):
    """Positions in float64, and the same ones with each operation rounded as in torchvision and mmcv: these say which
    samples lie inside of the map."""

    y: np.ndarray
    x: np.ndarray
    rounded_y: np.ndarray
    rounded_x: np.ndarray


def places(positions_in, number) -> Places:
    """`positions_in` computes (y, x) in a type of numbers; `number` is the one that rounds."""
    with np.errstate(all="ignore"):
        found = *positions_in(np.float64), *positions_in(number)
    return Places(*np.broadcast_arrays(*found))


def number_type(dtype: str):
    """In which numbers the kernels of torchvision and mmcv compute positions; also for float16 and bfloat16."""
    return np.float64 if dtype == "float64" else np.float32


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


def _inside(exact, rounded, extent):
    """Rounding moves no sample by more than a pixel."""
    return (rounded >= -1) & (rounded <= extent) & (exact >= -2) & (exact <= extent + 1)


def taps(at: Places, height, width) -> Taps:
    y, x, rounded_y, rounded_x = at
    inside = _inside(y, rounded_y, height) & _inside(x, rounded_x, width)
    y0, y1, ly = _axis(np.where(inside, y, 0), height)
    x0, x1, lx = _axis(np.where(inside, x, 0), width)
    return Taps(inside, (y0, y1), (x0, x1), ly, lx)


def bilinear(planes, at: Places):
    """The samples of planes [..., H, W] at the positions, and the sums of the absolute values of their terms. Samples
    outside are 0."""
    found = taps(at, *planes.shape[-2:])
    value, size = 0.0, 0.0
    for weight, row, column in found.corners():
        term = weight * planes[..., row, column]
        value, size = value + term, size + np.abs(term)
    return np.where(found.inside, value, 0.0), np.where(found.inside, size, 0.0)


def scatter(planes, at: Places, grad):
    """Adds `grad` [..., samples] times the weights of the samples to planes [..., H, W]."""
    found = taps(at, *planes.shape[-2:])
    keep = found.inside
    for weight, row, column in found.corners():
        index = (..., row[keep], column[keep])
        flat = np.moveaxis(planes, (-2, -1), (0, 1))
        np.add.at(flat, index[1:], np.moveaxis((weight * grad)[..., keep], -1, 0))


def samples_of(size, bins, ratio, in_float32):
    """The number of samples of a bin in one direction: a float, because a size may be infinite or NaN. `in_float32`:
    mmcv rounds the quotient to float32, also that of float64."""
    if ratio > 0:
        return float(ratio)
    with np.errstate(all="ignore"):
        count = size / type(size)(bins) if bins else math.nan
        count = float(np.float32(count) if in_float32 else count)
    return float(math.ceil(count)) if abs(count) <= 2**52 else math.nan


def positions(start, size, bins, count):
    """The positions of the samples of all bins in one direction, [bins, count], in the type of `start`; none without a
    finite count."""
    number = type(start)
    if not math.isfinite(count) or count < 1:
        return np.zeros((bins, 0), number)
    width = size / number(bins) if bins else number(0)
    i = np.arange(int(count), dtype=number) + number(0.5)
    return start + np.arange(bins, dtype=number)[:, None] * width + i * width / number(count)
