# SPDX-License-Identifier: BSD-3-Clause
"""Bilinear samples and the samples of regions in PyTorch, for the references of region operators."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from .reference import torch

LOWEST = -3.4028234663852886e38  # the lowest float32


@dataclass(frozen=True)
class Samples:
    """The samples of one region: positions that broadcast to [PH, PW, samples in y, samples in x]."""

    image: int
    y: Any
    x: Any
    divisor: float


def sample(planes: Any, y: Any, x: Any) -> Any:
    """Bilinear samples of planes [C, H, W]: [C, *positions]. Positions are clamped to the pixels; the samples that
    are more than 1 outside are 0."""
    height, width = planes.shape[-2:]
    y, x = torch.broadcast_tensors(y.double(), x.double())
    inside = (y >= -1) & (y <= height) & (x >= -1) & (x <= width)
    y, x = (torch.where(inside, p, 0.0).clamp(0, n - 1) for p, n in ((y, height), (x, width)))
    top, left = y.floor().long(), x.floor().long()
    bottom, right = (top + 1).clamp(max=height - 1), (left + 1).clamp(max=width - 1)
    down, along = y - top, x - left
    upper = planes[:, top, left] * (1 - along) + planes[:, top, right] * along
    lower = planes[:, bottom, left] * (1 - along) + planes[:, bottom, right] * along
    return torch.where(inside, upper * (1 - down) + lower * down, torch.zeros((), dtype=planes.dtype))


def _count(size: float, bins: int, ratio: int) -> int:
    if ratio > 0:
        return ratio
    return max(math.ceil(size / max(bins, 1)), 0) if bins and math.isfinite(size) else 0


def require_grid(scale: float, ratio: int) -> None:
    """What PyTorch's operators would not find out by themselves, or with more memory than there is."""
    if not math.isfinite(scale) or not -(2**31) <= ratio <= 2**15:
        raise ValueError(f"a scale of {scale} and {ratio} samples")


def line(start: float, size: float, bins: int, ratio: int) -> Any:
    """The positions of the samples in one direction, [bins, samples]."""
    count = _count(size, bins, ratio)
    if count == 0 or not math.isfinite(start) or not math.isfinite(size):
        return torch.zeros(bins, 0, dtype=torch.float64)
    within = (torch.arange(count, dtype=torch.float64) + 0.5) * (size / max(bins, 1)) / count
    return start + torch.arange(bins, dtype=torch.float64)[:, None] * (size / max(bins, 1)) + within


def upright_samples(rois: Any, scale: float, bins: tuple[int, int], ratio: int, aligned: bool) -> Iterator[Samples]:
    require_grid(scale, ratio)
    for image, *corners in rois.double().tolist():
        x1, y1, x2, y2 = (c * scale - (0.5 if aligned else 0.0) for c in corners)
        width, height = (x2 - x1, y2 - y1) if aligned else (max(x2 - x1, 1.0), max(y2 - y1, 1.0))
        y, x = line(y1, height, bins[0], ratio), line(x1, width, bins[1], ratio)
        yield Samples(int(image), y[:, None, :, None], x[None, :, None, :], max(y.shape[1] * x.shape[1], 1))


def average_of_samples(input: Any, samples: Iterator[Samples], bins: tuple[int, int]) -> Any:
    results = [(sample(input[s.image], s.y, s.x) / s.divisor).sum((-2, -1)) for s in samples]
    return torch.stack(results) if results else input[:0].sum() * input.new_zeros(0, input.shape[1], *bins)
