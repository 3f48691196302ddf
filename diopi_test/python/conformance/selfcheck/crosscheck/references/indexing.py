# SPDX-License-Identifier: BSD-3-Clause
"""References for indexing, masks, scatter and gather, embeddings, and sorting."""

from __future__ import annotations

from typing import Any

from ..reference import Reference, Table, composed, torch


def _indices(indices: list[Any], indexed: Any) -> list[Any]:
    """The indices for PyTorch: masks as bool (PyTorch warns of uint8), indices as int64. If all are null, the first is
    replaced by all indices of dimension 0."""
    if all(i is None for i in indices):
        return [torch.arange(indexed.shape[0]), *indices[1:]]
    return [None if i is None else i.bool() if i.dtype in (torch.bool, torch.uint8) else i.long() for i in indices]


def _index_backward(zeros_like_input: Any, indices: list[Any], grad_output: Any) -> dict[str, Any]:
    return {
        "grad_input": torch.ops.aten.index_put(zeros_like_input, _indices(indices, zeros_like_input), grad_output, True)
    }


def _index_select_backward(grad: Any, input_sizes: list[int], dim: int, index: Any) -> Any:
    return torch.zeros(input_sizes, dtype=grad.dtype).index_add_(dim, index.reshape(-1), grad)


def _masked_select_backward(grad_output: Any, input: Any, mask: Any) -> Any:
    shape = torch.broadcast_shapes(input.shape, mask.shape)
    put = torch.zeros(shape, dtype=grad_output.dtype).masked_scatter(mask.bool().expand(shape), grad_output)
    added = len(shape) - input.ndim
    summed = [i for i, n in enumerate(shape) if i < added or input.shape[i - added] != n]
    total = (
        put.sum(summed, dtype=put.dtype)
        if summed and put.dtype != torch.bool
        else put.any(summed[0])
        if (summed)
        else put
    )
    return total.reshape(input.shape)


def _scatter(input: Any, dim: int, src: Any, index: Any, reduce: str | None) -> Any:
    if not reduce:
        return torch.scatter(input, dim, index.long(), src)
    if isinstance(src, torch.Tensor):  # scatter_reduce follows the order of the index; scatter with reduce does not
        src = src[tuple(slice(n) for n in index.shape)]
        return torch.scatter_reduce(input, dim, index.long(), src, {"add": "sum", "multiply": "prod"}[reduce])
    return torch.scatter(input, dim, index.long(), src, reduce=reduce)


def _embedding_backward(grad: Any, indices: Any, num_weights: int, padding_idx: int, scale_grad_byfreq: bool) -> Any:
    return torch.ops.aten.embedding_dense_backward(grad, indices.long(), num_weights, padding_idx, scale_grad_byfreq)


def _clip(grads: list[Any], max_norm: float, norm_type: float) -> dict[str, Any]:
    leaves = [torch.zeros_like(g).requires_grad_() for g in grads]
    for leaf, grad in zip(leaves, grads):
        leaf.grad = grad.clone()
    total = torch.nn.utils.clip_grad_norm_(leaves, max_norm, norm_type, foreach=False)
    return {"out": total, "grads": [leaf.grad for leaf in leaves]}


def _topk(input: Any, k: int, dim: int, largest: bool) -> tuple[Any, Any]:
    order = torch.argsort(input, dim=dim, descending=largest, stable=True)
    numbers = input.to(torch.uint8) if input.dtype == torch.bool else input
    values = torch.topk(numbers, k, dim, largest, True)[0].to(input.dtype)
    return values, order.narrow(dim, 0, k) if input.ndim else order


_SCATTER = Reference("torch.scatter, with reduce torch.scatter_reduce", _scatter)
_SCATTER_SCALAR = Reference(
    "torch.scatter", lambda input, dim, value, index, reduce: _scatter(input, dim, value, index, reduce)
)
_INDEX_PUT = Reference(
    "torch.index_put",
    lambda input, values, indices, accumulate: torch.ops.aten.index_put(
        input, _indices(indices, input), values, accumulate
    ),
)

TABLE: Table = {
    "diopiIndex": Reference(
        "torch.ops.aten.index", lambda input, indices: torch.ops.aten.index(input, _indices(indices, input))
    ),
    "diopiIndexBackward": Reference("torch.index_put with accumulate", _index_backward),
    "diopiIndexPut": _INDEX_PUT,
    "diopiIndexPutInp": _INDEX_PUT,
    "diopiIndexSelectBackward": composed("torch.zeros, torch.Tensor.index_add_", _index_select_backward),
    "diopiGatherBackward": composed(
        "torch.zeros, torch.scatter_add",
        lambda grad_output, input, dim, index: torch.zeros_like(input).scatter_add(
            dim, index.long(), grad_output.to(input.dtype)
        ),
    ),
    "diopiScatter": _SCATTER,
    "diopiScatterInp": _SCATTER,
    "diopiScatterScalar": _SCATTER_SCALAR,
    "diopiScatterInpScalar": _SCATTER_SCALAR,
    "diopiMaskedSelect": Reference("torch.masked_select", lambda input, mask: torch.masked_select(input, mask.bool())),
    "diopiMaskedSelectBackward": composed("torch.zeros, torch.masked_scatter, torch.sum", _masked_select_backward),
    "diopiEmbedding": Reference(
        "torch.nn.functional.embedding", lambda weight, indices: torch.nn.functional.embedding(indices.long(), weight)
    ),
    "diopiEmbeddingBackward": Reference("torch.ops.aten.embedding_dense_backward", _embedding_backward),
    "diopiClipGradNorm": Reference("torch.nn.utils.clip_grad_norm_", _clip, double=True),
    "diopiSort": Reference(
        "torch.sort with stable",
        lambda input, dim, descending: tuple(torch.sort(input, dim=dim, descending=descending, stable=True)),
    ),
    "diopiArgsort": Reference(
        "torch.argsort with stable",
        lambda input, dim, descending: torch.argsort(
            input, dim=-1 if dim is None else dim, descending=descending, stable=True
        ),
    ),
    "diopiSortBackward": composed(
        "torch.zeros, torch.Tensor.scatter_",
        lambda grad_output, dim, indices, sizes: torch.zeros(sizes, dtype=grad_output.dtype).scatter_(
            dim, indices.long(), grad_output
        ),
    ),
    "diopiTopk": Reference("torch.topk; torch.argsort with stable for ties", _topk),
}
