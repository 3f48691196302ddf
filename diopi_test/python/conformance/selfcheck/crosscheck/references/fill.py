# SPDX-License-Identifier: BSD-3-Clause
"""References for creation of tensors."""

from __future__ import annotations

from ..reference import Reference, Table, torch

TABLE: Table = {
    "diopiArange": Reference(
        "torch.arange", lambda start, end, step, dtype: torch.arange(start, end, step, dtype=dtype)
    ),
    "diopiLinspace": Reference(
        "torch.linspace",
        lambda start, end, steps, dtype: torch.linspace(
            start, end, steps, dtype=torch.float64 if dtype.is_floating_point else dtype
        ).to(dtype),
    ),
    "diopiMeshGrid": Reference("torch.meshgrid", lambda inputs: list(torch.meshgrid(*inputs, indexing="ij"))),
    "diopiZeros": Reference("torch.zeros", lambda size, dtype: torch.zeros(size, dtype=dtype)),
    "diopiOnes": Reference("torch.ones", lambda size, dtype: torch.ones(size, dtype=dtype)),
    "diopiFill": Reference("torch.full", lambda input, value, dtype: torch.full(input, value, dtype=dtype)),
    "diopiZeroInp": Reference("torch.zeros", lambda self, dtype: torch.zeros(self, dtype=dtype)),
}
