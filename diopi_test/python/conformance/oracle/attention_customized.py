# SPDX-License-Identifier: BSD-3-Clause
"""diopiCustomizedFlashAttention and its gradients: layouts, masks and the dropout mask as bits."""

from __future__ import annotations

from typing import Any

import numpy as np

from . import Value, draws, oracle, philox
from .attention import Sequence, backward, forward, judged, positional_bias, slopes_of, window

COPIES = 8
COMPRESSED = 2048
# The order of the dimensions batch, rows, heads, head size; layouts of three letters merge the last two.
ORDERS = {"BSND": (0, 1, 2, 3), "BNSD": (0, 2, 1, 3), "BSH": (0, 1, 2, 3), "SBH": (1, 0, 2, 3)}


def by_head(x, layout: str, head_size: int):
    """The tensor as [batch, rows, heads, head size]."""
    split = x.reshape(*x.shape[:2], -1 if head_size else 0, head_size) if len(layout) == 3 else x
    return split.transpose(ORDERS[layout])


def as_layout(x, layout: str):
    """The inverse of by_head()."""
    back = x.transpose(np.argsort(ORDERS[layout]))
    return back.reshape(*back.shape[:2], -1) if len(layout) == 3 else back


def visible_keys(queries, keys, most, mask, causal, left, right):
    """[Sq, Sk]: what the window shows of sequences of at most `most` queries and keys, and the mask, which is None
    in its compressed form."""
    compressed = causal and mask is not None and mask.shape == (COMPRESSED, COMPRESSED)
    if compressed and min(most) > COMPRESSED:
        return window(queries, keys, True, shift=0), None
    return window(queries, keys, causal and mask is None, left, right), mask


def _sequences(q, k, v, slopes, mask, scale, causal, left, right, kept):
    """The sequences of tensors [batch, rows, heads, head size]."""
    (batch, queries, heads, _), keys = q.shape, k.shape[1]
    visible, mask = visible_keys(queries, keys, (queries, keys), mask, causal, left, right)
    hidden = np.zeros((1, 1, 1, 1), bool) if mask is None else (mask != 0).reshape((1,) * (4 - mask.ndim) + mask.shape)
    hidden = np.broadcast_to(hidden, (batch, heads, queries, keys))
    for b in range(batch):
        bias = positional_bias(slopes_of(slopes, b), queries, keys)
        yield Sequence(q[b], k[b], v[b], scale, visible & ~hidden[b], bias, kept[b])


def factors(kept, p: float):
    """The factors of the weights that dropout keeps, and of the others."""
    return kept * (1 / (1 - p) if p < 1 else 0.0)


def copied(x):
    """Statistics, eight times each."""
    return np.repeat(x[..., None], COPIES, axis=-1)


def packed_bits(kept):
    """The bits of the weights, in blocks of 128."""
    bits = np.zeros(-(-kept.size // 128) * 128, bool)
    bits[: kept.size] = kept != 0
    return np.packbits(bits, bitorder="little").astype(np.int64)


def _in_layout(facts, input_layout: str):
    """The value of an output; `facts` [batch, 3, rows, heads, D] are those of all sequences, see judged()."""
    return judged([as_layout(x, input_layout) for x in facts.swapaxes(0, 1)])


OUTPUTS = {
    "attention_out": "q",
    "dropout_mask": "uint8",
    "softmax_max": "float32",
    "softmax_sum": "float32",
    "softmax_out": "q",
}


@oracle("diopiCustomizedFlashAttention", dtype=OUTPUTS)
def customized(
    gen,
    q,
    k,
    v,
    alibi_slopes,
    attention_mask,
    p_dropout,
    softmax_scale,
    is_causal,
    window_size_left,
    window_size_right,
    head_num,
    input_layout,
):
    p, scale = float(np.float32(p_dropout)), float(np.float32(softmax_scale))
    size = q.shape[-1] // head_num if len(input_layout) == 3 else q.shape[-1]
    q, k, v = (by_head(x, input_layout, size) for x in (q, k, v))
    shape = (q.shape[0], q.shape[2], q.shape[1], k.shape[1])
    count = int(np.prod(shape))
    kept = np.ones(shape) if p <= 0 else (philox.words(gen, count) * 2.0**-32 < 1 - p).reshape(shape)
    found = [
        forward(s)
        for s in _sequences(
            q,
            k,
            v,
            alibi_slopes,
            attention_mask,
            scale,
            is_causal,
            window_size_left,
            window_size_right,
            factors(kept, p) if p > 0 else kept,
        )
    ]
    stacked: Any = {n: np.stack([f[n] for f in found]) for n in found[0]}
    return {
        "attention_out": _in_layout(stacked["out"], input_layout),
        "dropout_mask": packed_bits(kept.reshape(-1)) if p > 0 else None,
        "softmax_max": Value(copied(stacked["max"]), copied(stacked["max_size"])),
        "softmax_sum": Value(copied(stacked["sum"]), copied(stacked["sum_size"])),
        "softmax_out": np.zeros(0),
    }


def softmax_statistics(softmax_max, softmax_sum):
    """The first of the copies, so that a row that sees no key has the weights 0."""
    most, total = softmax_max[..., 0], softmax_sum[..., 0]
    return np.where(total == 0, np.inf, most), np.where(total == 0, 1, total)


@oracle("diopiCustomizedFlashAttentionBackward", dtype="q")
def customized_backward(
    grad_output,
    q,
    k,
    v,
    alibi_slopes,
    attention_out,
    attention_mask,
    dropout_mask,
    softmax_max,
    softmax_sum,
    p_dropout,
    softmax_scale,
    is_causal,
    window_size_left,
    window_size_right,
    head_num,
    input_layout,
):
    p, scale = float(np.float32(p_dropout)), float(np.float32(softmax_scale))
    size = q.shape[-1] // head_num if len(input_layout) == 3 else q.shape[-1]
    q, k, v, go, out = (by_head(x, input_layout, size) for x in (q, k, v, grad_output, attention_out))
    shape = (q.shape[0], q.shape[2], q.shape[1], k.shape[1])
    kept = np.ones(shape)
    if p > 0:
        bits = np.unpackbits(dropout_mask.astype(np.uint8), bitorder="little")
        kept = factors(bits[: int(np.prod(shape))].reshape(shape), p)
    options = (alibi_slopes, attention_mask, scale, is_causal, window_size_left, window_size_right, kept)
    shift, total = softmax_statistics(softmax_max, softmax_sum)
    found = [backward(s, go[b], out[b], shift[b], total[b]) for b, s in enumerate(_sequences(q, k, v, *options))]
    stacked: Any = {n: np.stack([f[n] for f in found]) for n in found[0]}
    return {n: _in_layout(stacked[n], input_layout) for n in ("grad_q", "grad_k", "grad_v")}


@draws("diopiCustomizedFlashAttention")
def words(q, k, p_dropout, head_num, input_layout, **_):
    if p_dropout <= 0:
        return None
    size = q.shape[-1] // head_num if len(input_layout) == 3 else q.shape[-1]
    q, k = (by_head(x, input_layout, size) for x in (q, k))
    return q.shape[0] * q.shape[2] * q.shape[1] * k.shape[1]
