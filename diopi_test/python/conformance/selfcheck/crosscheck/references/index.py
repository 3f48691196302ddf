# SPDX-License-Identifier: BSD-3-Clause
"""References for indexing with tensors."""

from __future__ import annotations

from typing import Any

from ..reference import Reference, Table, composed, torch


def torch_indices(indices: list[Any], indexed: Any) -> list[Any]:
    """The indices for PyTorch: masks as bool (PyTorch warns of uint8), indices as int64. If all are null, the first is
    replaced by all indices of dimension 0."""
    if all(i is None for i in indices):
        return [torch.arange(indexed.shape[0]), *indices[1:]]
    return [None if i is None else i.bool() if i.dtype in (torch.bool, torch.uint8) else i.long() for i in indices]


def _index_backward(zeros_like_input: Any, indices: list[Any], grad_output: Any) -> dict[str, Any]:
    return {
        "grad_input": torch.ops.aten.index_put(
            zeros_like_input, torch_indices(indices, zeros_like_input), grad_output, True
        )
    }


def _index_select_backward(grad: Any, input_sizes: list[int], dim: int, index: Any) -> Any:
    return torch.zeros(input_sizes, dtype=grad.dtype).index_add_(dim, index.reshape(-1), grad)


TABLE: Table = {
    "diopiIndex": Reference(
        "torch.ops.aten.index", lambda input, indices: torch.ops.aten.index(input, torch_indices(indices, input))
    ),
    "diopiIndexBackward": Reference("torch.index_put with accumulate", _index_backward),
    "diopiIndexSelectBackward": composed("torch.zeros, torch.Tensor.index_add_", _index_select_backward),
}
