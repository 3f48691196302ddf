# SPDX-License-Identifier: BSD-3-Clause
"""Bilinear samples and the samples of regions in PyTorch, for the references of region operators."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from .reference import torch

LOWEST = -3.4028234663852886e38  # the lowest float32


@dataclass(frozen=True)
class Place:
    """A coordinate in float64, and in the dtype in which torchvision and mmcv compute it. Numbers are converted."""

    exact: Any
    rounded: Any

    def __add__(self, other: Any) -> Place:
        return self._each(other, lambda a, b: a + b)

    def __sub__(self, other: Any) -> Place:
        return self._each(other, lambda a, b: a - b)

    def __mul__(self, other: Any) -> Place:
        return self._each(other, lambda a, b: a * b)

    def __truediv__(self, other: Any) -> Place:
        return self._each(other, lambda a, b: a / b)

    def __neg__(self) -> Place:
        return self.map(lambda a: -a)

    def map(self, f: Callable[[Any], Any]) -> Place:
        return Place(f(self.exact), f(self.rounded))

    def _each(self, other: Any, f: Callable[[Any, Any], Any]) -> Place:
        both = other if isinstance(other, Place) else place(other, self.rounded.dtype)
        return Place(f(self.exact, both.exact), f(self.rounded, both.rounded))

    def lies_in(self, extent: int) -> Any:
        """Whether samples lie between -1 and the extent. Rounding moves none by more than 1."""
        near = (self.exact >= -2) & (self.exact <= extent + 1)
        return near & (self.rounded >= -1) & (self.rounded <= extent)


def place(value: Any, dtype: Any) -> Place:
    exact = torch.as_tensor(value, dtype=torch.float64)
    return Place(exact, exact.to(dtype))


def rounding(dtype: Any) -> Any:
    return torch.float64 if dtype == torch.float64 else torch.float32


@dataclass(frozen=True)
class Samples:
    """The samples of one region: positions that broadcast to [PH, PW, samples in y, samples in x]."""

    image: int
    y: Place
    x: Place
    divisor: float


def sample(planes: Any, y: Place, x: Place) -> Any:
    """Bilinear samples of planes [C, H, W]: [C, *positions]. Positions are clamped to the pixels; the samples that
    are more than 1 outside are 0."""
    height, width = planes.shape[-2:]
    inside = y.lies_in(height) & x.lies_in(width)
    ys, xs = torch.broadcast_tensors(y.exact, x.exact)
    ys, xs = (torch.where(inside, p, 0.0).clamp(0, n - 1) for p, n in ((ys, height), (xs, width)))
    top, left = ys.floor().long(), xs.floor().long()
    bottom, right = (top + 1).clamp(max=height - 1), (left + 1).clamp(max=width - 1)
    down, along = ys - top, xs - left
    upper = planes[:, top, left] * (1 - along) + planes[:, top, right] * along
    lower = planes[:, bottom, left] * (1 - along) + planes[:, bottom, right] * along
    return torch.where(inside, upper * (1 - down) + lower * down, torch.zeros((), dtype=planes.dtype))


def _count(size: Place, bins: int, ratio: int, counts: Any) -> int:
    if ratio > 0:
        return ratio
    samples = (size / max(bins, 1)).rounded.to(counts)
    return max(math.ceil(samples), 0) if bins and math.isfinite(samples) else 0


def require_grid(scale: float, ratio: int) -> None:
    """What PyTorch's operators would not find out by themselves, or with more memory than there is."""
    if not math.isfinite(scale) or not -(2**31) <= ratio <= 2**15:
        raise ValueError(f"a scale of {scale} and {ratio} samples")


def line(start: Place, size: Place, bins: int, ratio: int, counts: Any = None) -> Place:
    """The positions of the samples in one direction, [bins, samples]. `counts`: the dtype of the quotient that is
    rounded up to their number; mmcv rounds it to float32."""
    dtype = size.rounded.dtype
    count = _count(size, bins, ratio, counts or torch.float32)
    if count == 0 or not (math.isfinite(start.exact) and math.isfinite(size.exact)):
        return place(torch.zeros(bins, 0), dtype)
    bin_ = size / max(bins, 1)
    within = place(torch.arange(count, dtype=torch.float64) + 0.5, dtype) * bin_ / count
    return start + place(torch.arange(bins, dtype=torch.float64)[:, None], dtype) * bin_ + within


def upright_samples(
    rois: Any, scale: float, bins: tuple[int, int], ratio: int, aligned: bool, dtype: Any, counts: Any = None
) -> Iterator[Samples]:
    require_grid(scale, ratio)
    for image, *corners in rois.double().tolist():
        x1, y1, x2, y2 = (place(c, rounding(dtype)) * scale - (0.5 if aligned else 0.0) for c in corners)
        width, height = x2 - x1, y2 - y1
        if not aligned:
            width, height = (size.map(lambda s: s.clamp(min=1)) for size in (width, height))
        y, x = line(y1, height, bins[0], ratio, counts), line(x1, width, bins[1], ratio, counts)
        divisor = max(y.exact.shape[1] * x.exact.shape[1], 1)
        yield Samples(int(image), y.map(lambda p: p[:, None, :, None]), x.map(lambda p: p[None, :, None, :]), divisor)


def average_of_samples(input: Any, samples: Iterator[Samples], bins: tuple[int, int]) -> Any:
    results = [(sample(input[s.image], s.y, s.x) / s.divisor).sum((-2, -1)) for s in samples]
    return torch.stack(results) if results else input[:0].sum() * input.new_zeros(0, input.shape[1], *bins)
