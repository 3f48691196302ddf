# SPDX-License-Identifier: BSD-3-Clause
"""References for interpolation and sampling on a grid."""

from __future__ import annotations

from ..reference import Reference, Table, gradients, torch

RANKS = {"linear": 3, "bilinear": 4, "bicubic": 4, "trilinear": 5}


def _interpolate(input, size, mode, align_corners=None):
    if mode not in (*RANKS, "nearest") or mode != "nearest" and input.ndim != RANKS[mode]:
        raise ValueError(f"mode = {mode}")
    return torch.nn.functional.interpolate(input, size=list(size), mode=mode, align_corners=align_corners)


def _nearest(input, size):
    return _interpolate(input, size, "nearest")


def _gradient(grad_output, out_size, in_size, mode, align_corners=None):
    if grad_output.shape != (*in_size[:2], *out_size):
        raise ValueError("the gradient has another shape than the output")
    leaf = torch.zeros(in_size, dtype=grad_output.dtype)
    return gradients(lambda x: _interpolate(x, out_size, mode, align_corners), grad_output, leaf)[0]


def _nearest_backward(grad_output, out_size, in_size):
    return _gradient(grad_output, out_size, in_size, "nearest")


def _linear(input, size, align_corners, mode):
    return _interpolate(input, size, mode, align_corners)


def _linear_backward(grad_output, out_size, in_size, align_corners, mode):
    return _gradient(grad_output, out_size, in_size, mode, align_corners)


def _grid_sample(input, grid, mode):
    return torch.nn.functional.grid_sample(input, grid, mode=mode, padding_mode="zeros", align_corners=False)


_PATH = "torch.nn.functional.interpolate"
TABLE: Table = {
    "diopiGridSample": Reference("torch.nn.functional.grid_sample", _grid_sample),
    "diopiUpsampleNearest": Reference(_PATH, _nearest),
    "diopiUpsampleNearestBackward": Reference(f"torch.autograd of {_PATH}", _nearest_backward, double=True),
    "diopiUpsampleLinear": Reference(_PATH, _linear, double=True),
    "diopiUpsampleLinearBackward": Reference(f"torch.autograd of {_PATH}", _linear_backward, double=True),
}
