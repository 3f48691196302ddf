# SPDX-License-Identifier: BSD-3-Clause
"""References for rotary position embedding: rotations of complex numbers, and Hugging Face's rotate_half."""

from __future__ import annotations

from ..reference import Table, composed, torch


def _rotary(x, cos, sin, conj, interleaved):
    if 2 * cos.shape[-1] != x.shape[-1] or 2 * sin.shape[-1] != x.shape[-1]:
        raise RuntimeError("cos and sin must have half of the last extent of x")
    if torch.broadcast_shapes(cos.shape[:-1], sin.shape[:-1], x.shape[:-1]) != x.shape[:-1]:
        raise RuntimeError("cos and sin must broadcast to x")
    if x.numel() == 0:
        return x
    half = x.shape[-1] // 2
    pairs = x.unflatten(-1, (half, 2)) if interleaved else x.unflatten(-1, (2, half)).transpose(-1, -2)
    angle = torch.complex(cos.double(), (-sin if conj else sin).double()).expand(pairs.shape[:-1])
    turned = torch.view_as_real(torch.view_as_complex(pairs.double().contiguous()) * angle)
    return (turned if interleaved else turned.transpose(-1, -2)).reshape(x.shape).to(x.dtype)


def _rotate_half(x):
    first, second = x.chunk(2, -1)
    return torch.cat((-second, first), -1)


def _in_heads(x, cos, sin, dim):
    if x.ndim not in (2, 4) or dim < 2 or x.shape[-1] % dim or x.ndim == 4 and (x.shape[0] != 1 or x.shape[-1] != dim):
        raise RuntimeError("the shape is neither [T, heads * dim] nor [1, T, heads, dim]")
    rows = x.shape[0] if x.ndim == 2 else x.shape[1]
    if tuple(cos.shape) != (rows, 1, dim) or tuple(sin.shape) != (rows, 1, dim):
        raise RuntimeError("cos and sin must be [T, 1, dim]")
    heads = x.reshape(rows, x.numel() // max(rows * dim, 1), dim).double()
    return (heads * cos.double() + _rotate_half(heads) * sin.double()).reshape(x.shape).to(x.dtype)


def _rotary_v2(query, key, cos, sin, dim):
    if dim % 2:
        raise RuntimeError("dim must be even")
    return {"query": _in_heads(query, cos, sin, dim), "key": _in_heads(key, cos, sin, dim)}


TABLE: Table = {
    "diopiRotaryEmbedding": composed("torch.view_as_complex, product with cos + i sin", _rotary),
    "diopiRotaryEmbeddingV2": composed("x cos + rotate_half(x) sin", _rotary_v2),
}
