# SPDX-License-Identifier: BSD-3-Clause
"""The bilinear sampler of deformable convolution and attention, which continues a plane with zeros."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class ZeroPadded:
    """The four neighbours of sampling points [B, P] in B planes of height x width cells.

    `cell[i]` is the row-major position of neighbour i (0 if it lies outside of the plane), `there[i]` whether it lies
    inside. The order of the neighbours is top left, top right, bottom left, bottom right. A point outside has none.
    """

    cell: tuple[np.ndarray, ...]
    there: tuple[np.ndarray, ...]
    weight: tuple[np.ndarray, ...]
    slope_y: tuple[np.ndarray, ...]  # the derivatives of the weights
    slope_x: tuple[np.ndarray, ...]

    @property
    def inside(self) -> np.ndarray:
        """Whether the sample of a point is not 0 by definition, [B, 1, P]."""
        return np.any(self.there, axis=0)[:, None]

    def read(self, values: np.ndarray) -> list[np.ndarray]:
        """The four neighbours of each point in `values` [B, C, cells]: [B, C, P]."""
        if not values.shape[2]:
            return [np.zeros((*values.shape[:2], self.cell[0].shape[1]))] * 4
        taken = (np.take_along_axis(values, c[:, None], axis=2) for c in self.cell)
        return [np.where(t[:, None], v, 0.0) for t, v in zip(self.there, taken)]

    def sample(self, values: np.ndarray) -> np.ndarray:
        return _combine(self.weight, self.read(values))

    def derivatives(self, values: list[np.ndarray]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """The sample, and its derivatives with respect to y and x, from the four neighbours of each point."""
        return _combine(self.weight, values), _combine(self.slope_y, values), _combine(self.slope_x, values)

    def absolute(self) -> ZeroPadded:
        """The same points with the absolute values of all factors, for magnitudes."""
        parts = (tuple(map(np.abs, p)) for p in (self.weight, self.slope_y, self.slope_x))
        return ZeroPadded(self.cell, self.there, *parts)

    def add(self, grad: np.ndarray, total: np.ndarray) -> None:
        """Adds `grad` [B, C, P] times the weights to the neighbours in `total` [B, C, cells]: the adjoint of
        sample()."""
        planes, channels, cells = total.shape
        rows = np.zeros((planes * cells, channels))
        first = np.arange(planes)[:, None] * cells
        for cell, there, weight in zip(self.cell, self.there, self.weight):
            terms = (grad * weight[:, None]).transpose(0, 2, 1)
            np.add.at(rows, (first + cell)[there], terms[there])
        total += rows.reshape(planes, cells, channels).transpose(0, 2, 1)


def _combine(factors: tuple[np.ndarray, ...], values: list[np.ndarray]) -> np.ndarray:
    terms = [f[:, None] * v for f, v in zip(factors, values)]
    return terms[0] + terms[1] + terms[2] + terms[3]


def zero_padded(y: np.ndarray, x: np.ndarray, height: int, width: int) -> ZeroPadded:
    """The neighbours of the points (y, x), both [B, P]."""
    inside = (y > -1) & (y < height) & (x > -1) & (x < width)
    y, x = np.where(inside, y, 0.0), np.where(inside, x, 0.0)
    top, left = np.floor(y).astype(np.int64), np.floor(x).astype(np.int64)
    down, right = y - top, x - left
    cell, there = [], []
    for row in (top, top + 1):
        for column in (left, left + 1):
            exists = inside & (row >= 0) & (row < height) & (column >= 0) & (column < width)
            cell.append(np.where(exists, row * width + column, 0))
            there.append(exists)
    up, one = 1 - down, np.ones_like(down)
    weight = (up * (1 - right), up * right, down * (1 - right), down * right)
    slope_y = (-(1 - right), -right, 1 - right, right)
    slope_x = (-up, up, -down, down)
    on = inside.astype(np.float64)
    parts = (tuple(p * on * one for p in group) for group in (weight, slope_y, slope_x))
    return ZeroPadded(tuple(cell), tuple(there), *parts)
