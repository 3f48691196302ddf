# SPDX-License-Identifier: BSD-3-Clause
"""References for embeddings."""

from __future__ import annotations

from typing import Any

from ..reference import Reference, Table, torch


def _embedding_backward(grad: Any, indices: Any, num_weights: int, padding_idx: int, scale_grad_byfreq: bool) -> Any:
    return torch.ops.aten.embedding_dense_backward(grad, indices.long(), num_weights, padding_idx, scale_grad_byfreq)


TABLE: Table = {
    "diopiEmbedding": Reference(
        "torch.nn.functional.embedding", lambda weight, indices: torch.nn.functional.embedding(indices.long(), weight)
    ),
    "diopiEmbeddingBackward": Reference("torch.ops.aten.embedding_dense_backward", _embedding_backward),
}
