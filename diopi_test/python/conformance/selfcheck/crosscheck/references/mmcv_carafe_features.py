# SPDX-License-Identifier: BSD-3-Clause
"""References for CARAFE: torch.nn.functional.unfold, and autograd."""

from __future__ import annotations

from typing import Any

from ..reference import Table, composed, gradients, torch


def _reassemble(features, masks, kernel_size, group_size, scale_factor):
    (n, channels, height, width), kernel, scale = features.shape, kernel_size, scale_factor
    shape = (n, channels, scale * height, scale * width)
    if masks.numel() * channels == 0:
        return (features.sum() + masks.sum()) * torch.zeros(shape, dtype=features.dtype)
    unfold = torch.nn.functional.unfold
    padding = (kernel - 1) // 2
    taps = unfold(features, kernel, padding=padding).reshape(n, channels, kernel * kernel, height, width)
    inside = unfold(torch.ones(1, 1, height, width), kernel, padding=padding).reshape(1, 1, 1, -1, height, width) > 0
    taps, inside = (t.repeat_interleave(scale, -2).repeat_interleave(scale, -1) for t in (taps, inside))
    by_group = taps.reshape(n, group_size, channels // group_size, kernel * kernel, *shape[2:])
    weights = masks.reshape(n, group_size, 1, kernel * kernel, *shape[2:])
    return torch.where(inside, by_group * weights, 0).sum(3).reshape(shape)


def _carafe(features, masks, kernel_size, group_size, scale_factor, rfeatures=None):
    shape = features.shape if rfeatures is None else rfeatures
    output = _reassemble(features, masks, kernel_size, group_size, scale_factor)
    return {"rfeatures": features.permute(0, 2, 3, 1).reshape(shape), "output": output}


def _naive_backward(top_grad, features, masks, kernel_size, group_size, scale_factor):
    def forward(features: Any, masks: Any) -> Any:
        return _reassemble(features, masks, kernel_size, group_size, scale_factor)

    found = gradients(forward, top_grad, features, masks)
    return dict(zip(("bottom_grad", "mask_grad"), found))


def _backward(top_grad, rfeatures, masks, kernel_size, group_size, scale_factor):
    n, channels, height, width = top_grad.shape
    last = rfeatures.reshape(n, height // scale_factor, width // scale_factor, channels)
    return _naive_backward(top_grad, last.permute(0, 3, 1, 2), masks, kernel_size, group_size, scale_factor)


UNFOLD, AUTOGRAD = "torch.nn.functional.unfold", "torch.autograd of torch.nn.functional.unfold"

TABLE: Table = {
    "diopiCarafeMmcv": composed(UNFOLD, _carafe, double=True),
    "diopiCarafeNaiveMmcv": composed(UNFOLD, _reassemble, double=True),
    "diopiCarafeBackwardMmcv": composed(AUTOGRAD, _backward, double=True),
    "diopiCarafeNaiveBackwardMmcv": composed(AUTOGRAD, _naive_backward, double=True),
}
