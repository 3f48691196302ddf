# SPDX-License-Identifier: BSD-3-Clause
"""References for distances, in double precision and without matrix products, which lose digits."""

from __future__ import annotations

from typing import Any

from ..reference import Reference, Table, torch


def _cdist(input1: Any, input2: Any, p: float) -> Any:
    return torch.cdist(input1, input2, p, compute_mode="donot_use_mm_for_euclid_dist")


def _cdist_backward(grad_output: Any, input1: Any, input2: Any, p: float, cdist: Any) -> Any:
    batch = torch.broadcast_shapes(input1.shape[:-2], input2.shape[:-2])
    wide = [x.expand(batch + x.shape[-2:]).contiguous() for x in (input1, input2)]
    return torch.ops.aten._cdist_backward(grad_output.contiguous(), *wide, p, cdist.contiguous())


TABLE: Table = {
    "diopiCdist": Reference("torch.cdist", _cdist, double=True),
    "diopiCdistBackward": Reference("torch.ops.aten._cdist_backward", _cdist_backward, double=True),
}
