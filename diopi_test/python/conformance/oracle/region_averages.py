# SPDX-License-Identifier: BSD-3-Clause
"""The average of bilinear samples in the bins of upright regions, and its gradient. No operator is declared here."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from . import Value
from .sampling import Places, bilinear, places, positions, samples_of, scatter


@dataclass(frozen=True)
class Grid:
    """How regions are divided into samples."""

    scale: Any
    bins: tuple[int, int]
    ratio: int
    aligned: bool
    number: Any  # the type of the numbers in which sizes are rounded
    counts_in_float32: bool = True  # mmcv; torchvision counts in the type of the numbers

    def sides(self, row, number):
        """(start, size) in y and in x."""
        scale, shift = number(self.scale), number(0.5 if self.aligned else 0.0)
        with np.errstate(all="ignore"):
            x1, y1, x2, y2 = (number(row[k]) * scale - shift for k in range(1, 5))
            height, width = y2 - y1, x2 - x1
        if not self.aligned:
            height, width = np.maximum(height, number(1)), np.maximum(width, number(1))
        return (y1, height), (x1, width)

    def counts(self, row):
        """The number of samples of a bin in y and in x; NaN without finite sides."""
        rounded, exact = self.sides(row, self.number), self.sides(row, np.float64)
        counts = (samples_of(s[1], n, self.ratio, self.counts_in_float32) for s, n in zip(rounded, self.bins))
        return [c if np.isfinite(side).all() else np.nan for c, side in zip(counts, exact)]

    def samples(self, row) -> tuple[Places, float]:
        """The positions of all samples, [bins in y, bins in x, samples in y, samples in x], and the divisor."""
        counts = self.counts(row)

        def at(number):
            sides = zip(self.sides(row, number), self.bins, counts)
            y, x = (positions(start, size, n, c) for (start, size), n, c in sides)
            return y[:, None, :, None], x[None, :, None, :]

        return places(at, self.number), divisor_of(counts)


def divisor_of(counts):
    product = counts[0] * counts[1]
    return product if product >= 1 else 1.0


def align_average(input, rois, grid: Grid):
    out, size = (np.zeros((len(rois), input.shape[1], *grid.bins)) for _ in range(2))
    for r, row in enumerate(rois):
        at, divisor = grid.samples(row)
        values, terms = bilinear(input[int(row[0])], at)
        out[r], size[r] = (values / divisor).sum((-2, -1)), (terms / divisor).sum((-2, -1))
    return Value(out, magnitude=size)


def align_average_backward(grad, rois, shape, grid: Grid):
    out, size = np.zeros(shape), np.zeros(shape)
    for r, row in enumerate(rois):
        at, divisor = grid.samples(row)
        share = np.broadcast_to((grad[r] / divisor)[..., None, None], (*grad[r].shape, *at.y.shape[2:]))
        share, at = share.reshape(grad.shape[1], at.y.size), Places(*(a.ravel() for a in at))
        scatter(out[int(row[0])], at, share)
        scatter(size[int(row[0])], at, np.abs(share))
    return Value(out, magnitude=size)
