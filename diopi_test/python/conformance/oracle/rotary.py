# SPDX-License-Identifier: BSD-3-Clause
"""Rotary position embedding."""

import numpy as np

from . import Value, oracle


def _rotated(a, b, cos, sin):
    """The first and the second number of each pair after the rotation, each with its magnitude."""
    first = Value(a * cos[0] - b * sin[0], np.abs(a * cos[0]) + np.abs(b * sin[0]))
    second = Value(b * cos[1] + a * sin[1], np.abs(b * cos[1]) + np.abs(a * sin[1]))
    return first, second


def _joined(parts, shape, interleaved):
    first, second = parts
    made = [
        np.stack(p, axis=-1).reshape(shape) if interleaved else np.concatenate(p, axis=-1)
        for p in zip(_both(first), _both(second))
    ]
    return Value(made[0], made[1])


def _both(value):
    return value.array, value.magnitude


@oracle("diopiRotaryEmbedding", dtype="x")
def rotary_embedding(x, cos, sin, conj, interleaved):
    half = x.shape[-1] // 2
    a, b = (x[..., 0::2], x[..., 1::2]) if interleaved else (x[..., :half], x[..., half:])
    s = -sin if conj else sin
    return _joined(_rotated(a, b, (cos, cos), (s, s)), x.shape, interleaved)


def _rotated_heads(x, cos, sin, dim):
    heads = x.reshape(cos.shape[0], -1, dim) if cos.size else x.reshape(0, 0, dim)
    half = dim // 2
    halves = [(t[..., :half], t[..., half:]) for t in (cos, sin)]
    value = _joined(_rotated(heads[..., :half], heads[..., half:], *halves), heads.shape, False)
    return Value(value.array.reshape(x.shape), value.magnitude.reshape(x.shape))


@oracle("diopiRotaryEmbeddingV2", dtype={"query": "query", "key": "key"})
def rotary_embedding_v2(query, key, cos, sin, dim):
    return {"query": _rotated_heads(query, cos, sin, dim), "key": _rotated_heads(key, cos, sin, dim)}
