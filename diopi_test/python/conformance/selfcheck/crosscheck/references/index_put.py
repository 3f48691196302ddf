# SPDX-License-Identifier: BSD-3-Clause
"""References for writing through indices."""

from __future__ import annotations

from ..reference import Reference, Table, torch
from .index import torch_indices

_INDEX_PUT = Reference(
    "torch.index_put",
    lambda input, values, indices, accumulate: torch.ops.aten.index_put(
        input, torch_indices(indices, input), values, accumulate
    ),
)

TABLE: Table = {
    "diopiIndexPut": _INDEX_PUT,
    "diopiIndexPutInp": _INDEX_PUT,
}
