# SPDX-License-Identifier: BSD-3-Clause
"""Attention: forward pass, gradients and dropout, for padded and for packed sequences."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from . import Value, draws, oracle, philox
from .matmul import MOST_TERMS, sums

INF = np.inf


@dataclass(frozen=True)
class Sequence:
    """The sequence b: its queries and keys [rows, heads, head size], and what hides, biases and drops its weights.

    `visible` [H, Sq, Sk], `bias` and `kept` broadcast to this shape; `kept` has 0 and 1 / (1 - p).
    """

    q: Any
    k: Any
    v: Any
    scale: float
    visible: Any
    bias: Any = 0.0
    kept: Any = 1.0

    def heads(self, x):
        """The heads of keys or values, one for each query head: [H, Sk, D]."""
        group, rest = divmod(self.q.shape[1], x.shape[1])
        if rest:
            raise ValueError(f"{self.q.shape[1]} query heads are no multiple of {x.shape[1]} key heads")
        return np.repeat(x, group, axis=1).transpose(1, 0, 2)

    def grouped(self, x):
        """The sum over the query heads of each key head, for x [H, Sk, D]: [Sk, Hk, D]."""
        key_heads = self.k.shape[1]
        return x.reshape(key_heads, x.shape[0] // key_heads, *x.shape[1:]).sum(1).transpose(1, 0, 2)

    @property
    def scores(self):
        """The scores [H, Sq, Sk]; -infinity for what is hidden."""
        s = self.scale * (self.q.transpose(1, 0, 2) @ self.heads(self.k).transpose(0, 2, 1)) + self.bias
        return np.where(self.visible, s, -INF)

    def seen(self, scores):
        """[H, Sq, Sk]: the pairs of a query and a key that count; `scores` are those of the sequence."""
        return ~(scores == -INF)

    @property
    def score_errors(self):
        """The sum of the absolute values of the terms of each score: the scale of its rounding error."""
        terms = np.abs(self.q).transpose(1, 0, 2) @ np.abs(self.heads(self.k)).transpose(0, 2, 1)
        size = np.abs(self.scale) * terms + np.abs(self.bias)
        return np.where(self.visible & np.isfinite(size), size, 0.0)


def window(queries: int, keys: int, causal: bool, left: int = -1, right: int = -1, shift: int | None = None):
    """[Sq, Sk]: whether a query sees a key."""
    i, j = np.arange(queries)[:, None] + (keys - queries if shift is None else shift), np.arange(keys)[None, :]
    right = 0 if causal else right
    return (np.ones((queries, keys), bool) if left < 0 else j >= i - left) & (right < 0 or j <= i + right)


def positional_bias(slopes, queries: int, keys: int):
    """ALiBi: slopes [H] -> [H, Sq, Sk]."""
    if slopes is None:
        return 0.0
    distance = np.abs(np.arange(queries)[:, None] + (keys - queries) - np.arange(keys)[None, :])
    return -slopes[:, None, None] * distance


def kept_weights(p: float, words) -> Any:
    """0 and 1 / (1 - p) by the words, each a number from 0 to below 2^32."""
    return (words * 2.0**-32 < 1 - p) * (1 / (1 - p) if p < 1 else 0.0)


# The relative error of a weight that is rounded to float16 is at most 2^-11. Below 2^-14 its error is up to 2^-25,
# which is 2^-11 of a weight that is larger by this number.
ROUNDED = 2.0**-13


def judged(facts) -> Value:
    """The output whose elements, magnitudes and terms these are."""
    array, magnitude, terms = facts
    return Value(array, magnitude, terms=terms)


# Terms that are added in float64. Equal ones are all rounded in one direction: 16 of them give an error of about 1 ULP.
TOGETHER = 16


def long_sums(a, b):
    """a @ b, also for sums of many equal terms."""
    if a.size * b.shape[-1] <= MOST_TERMS:
        return sums(a, b)
    found = np.zeros((*a.shape[:-1], b.shape[-1]), np.longdouble)
    for k in range(0, a.shape[-1], TOGETHER):
        found += a[..., k : k + TOGETHER] @ b[..., k : k + TOGETHER, :]
    return found.astype(np.float64)


def seen_sums(weights, x, seen, multiply=long_sums):
    """The sum over j of weights[h, i, j] x[h, j, d], for the pairs (i, j) that are seen: a row that is hidden from i
    changes nothing, also if it has NaN."""
    weights, odd = np.where(seen, weights, 0.0), ~np.isfinite(x).all(-1)
    if not odd.any():
        return multiply(weights, x)
    found = multiply(np.where(odd[:, None, :], 0.0, weights), np.where(odd[..., None], 0.0, x))
    for j in np.flatnonzero(odd.any(0)):
        counts = (seen[..., j] & odd[:, None, j])[..., None]
        found = found + np.where(counts, weights[..., j, None] * x[:, None, j], 0.0)
    return found


def magnitudes(weights, x, seen):
    """seen_sums() of the absolute values of x, which need not be exact."""
    return seen_sums(weights, np.abs(x), seen, np.matmul)


def forward(s: Sequence) -> dict[str, Any]:
    """`out` [3, Sq, H, D], of which judged() makes a value; `lse`, `max`, `sum` and `weights` [H, Sq(, Sk)], with the
    magnitudes of their errors."""
    scores, errors = s.scores, s.score_errors
    seen, most = s.seen(scores), scores.max(-1, initial=-INF, keepdims=True)
    sees = ~(most == -INF)
    shift = np.where(sees, most, 0.0)
    powers = np.where(seen, np.exp(scores - shift), 0.0)
    total = powers.sum(-1, keepdims=True)
    weights = np.where(seen, powers / np.where(sees, total, 1.0), 0.0)
    spread = 1 + errors.max(-1, initial=0.0, keepdims=True)
    values = s.heads(s.v)
    out = seen_sums(weights * s.kept, values, seen)
    size = spread * magnitudes(weights * s.kept, values, seen)
    terms = magnitudes((weights + ROUNDED) * s.kept, values, seen)
    lse = np.where(sees, shift + np.log(np.where(sees, total, 1.0)), INF)[..., 0]
    return {
        "out": np.stack([x.transpose(1, 0, 2) for x in (out, size, terms)]),
        "lse": lse,
        "lse_size": np.where(np.isfinite(lse), np.abs(lse), 0) + spread[..., 0],
        "max": most[..., 0],
        "max_size": spread[..., 0],
        "sum": total[..., 0],
        "sum_size": (total * spread)[..., 0],
        "weights": weights,
        "weights_size": weights * spread,
    }


def backward(s: Sequence, grad_out, out, shift, total) -> dict[str, Any]:
    """The gradients of a sequence, [3, rows, heads, D], of which judged() makes values.

    The weights are exp(score - shift) / total; `shift` and `total` are [H, Sq]. A row whose shift is +infinity sees no
    key.
    """
    scores = s.scores
    seen = s.seen(scores) & (shift != INF)[..., None]
    with np.errstate(all="ignore"):
        weights = np.where(seen, np.exp(scores - shift[..., None]) / total[..., None], 0.0)
    go, o = grad_out.transpose(1, 0, 2), out.transpose(1, 0, 2)
    keys, values, queries = s.heads(s.k), s.heads(s.v), s.q.transpose(1, 0, 2)
    spread = 1 + s.score_errors + np.where(np.isfinite(shift), np.abs(shift), 0)[..., None]
    grad_weights = (go @ values.transpose(0, 2, 1)) * s.kept
    delta = (go * o).sum(-1, keepdims=True)
    grad_scores = weights * (grad_weights - delta)
    terms = (np.abs(go) @ np.abs(values).transpose(0, 2, 1)) * s.kept + np.abs(go * o).sum(-1, keepdims=True)
    size = weights * spread * terms
    used, used_size = weights * s.kept, weights * s.kept * spread
    used_terms, terms = used + ROUNDED * s.kept, np.abs(grad_scores) + ROUNDED
    scale, turn = s.scale, (0, 2, 1)
    to_keys = seen.transpose(turn)
    grad_q = (
        scale * seen_sums(grad_scores, keys, seen),
        *(abs(scale) * magnitudes(x, keys, seen) for x in (size, terms)),
    )
    grad_k = (
        scale * seen_sums(grad_scores.transpose(turn), queries, to_keys),
        *(abs(scale) * magnitudes(x.transpose(turn), queries, to_keys) for x in (size, terms)),
    )
    grad_v = (
        seen_sums(used.transpose(turn), go, to_keys),
        *(magnitudes(x.transpose(turn), go, to_keys) for x in (used_size, used_terms)),
    )
    return {
        "grad_q": np.stack([x.transpose(1, 0, 2) for x in grad_q]),
        "grad_k": np.stack([s.grouped(x) for x in grad_k]),
        "grad_v": np.stack([s.grouped(x) for x in grad_v]),
    }


def slopes_of(slopes, b: int):
    return slopes if slopes is None or slopes.ndim == 1 else slopes[b]


def _words(p: float, gen, shape: tuple[int, ...]):
    """The factors of dropout for all weights [B, H, rows, columns]."""
    if p <= 0:
        return np.broadcast_to(1.0, shape)
    return kept_weights(p, philox.words(gen, int(np.prod(shape)))).reshape(shape)


def padded(q, k, v, scale, causal, p, gen, left=-1, right=-1, slopes=None) -> Iterator[Sequence]:
    batch, queries, heads, _ = q.shape
    keys = k.shape[1]
    kept = _words(p, gen, (batch, heads, queries, keys))
    for b in range(batch):
        bias = positional_bias(slopes_of(slopes, b), queries, keys)
        yield Sequence(q[b], k[b], v[b], scale, window(queries, keys, causal, left, right), bias, kept[b])


def _stacked(found: list[dict[str, Any]], name: str, shape: tuple[int, ...]) -> np.ndarray:
    return np.stack([f[name] for f in found]) if found else np.zeros(shape)


def _judged(found: list[dict[str, Any]], name: str, shape: tuple[int, ...]) -> Value:
    return judged(np.stack([f[name] for f in found], axis=1) if found else np.zeros((3, *shape)))


def padded_forward(sequences, q, k) -> dict[str, Any]:
    found = [forward(s) for s in sequences]
    lse = (q.shape[0], q.shape[2], q.shape[1])
    return {
        "out": _judged(found, "out", q.shape),
        "lse": Value(_stacked(found, "lse", lse), _stacked(found, "lse_size", lse)),
        "weights": Value(_stacked(found, "weights", (*lse, 0)), _stacked(found, "weights_size", (*lse, 0))),
    }


def padded_backward(sequences, grad_out, out, lse, q, k) -> dict[str, Any]:
    found = [backward(s, grad_out[b], out[b], lse[b], np.ones_like(lse[b])) for b, s in enumerate(sequences)]
    shapes = {"grad_q": q.shape, "grad_k": k.shape, "grad_v": k.shape}
    return {n: _judged(found, n, x) for n, x in shapes.items()}


_FORWARD_DTYPES = {"attention_out": "q", "softmax_lse": "float32"}


@oracle("diopiFlashAttention", dtype=_FORWARD_DTYPES)
def flash(q, k, v, alibi_slopes, p_dropout, softmax_scale, is_causal, window_size_left, window_size_right, gen):
    p, scale = float(np.float32(p_dropout)), float(np.float32(softmax_scale))
    sequences = padded(q, k, v, scale, is_causal, p, gen, window_size_left, window_size_right, alibi_slopes)
    found = padded_forward(sequences, q, k)
    return {"attention_out": found["out"], "softmax_lse": found["lse"]}


@oracle("diopiFlashAttentionBackward", dtype="q")
def flash_backward(
    grad_output,
    q,
    k,
    v,
    alibi_slopes,
    attention_out,
    softmax_lse,
    p_dropout,
    softmax_scale,
    is_causal,
    window_size_left,
    window_size_right,
    gen,
):
    p, scale = float(np.float32(p_dropout)), float(np.float32(softmax_scale))
    sequences = padded(q, k, v, scale, is_causal, p, gen, window_size_left, window_size_right, alibi_slopes)
    return padded_backward(sequences, grad_output, attention_out, softmax_lse, q, k)


@dataclass(frozen=True)
class Packed:
    """A sequence of packed rows, with the rows of q and of k that it has."""

    sequence: Sequence
    q: slice
    k: slice


def packed(q, k, v, cum_q, cum_k, most_q, most_k, scale, causal, p, gen, left=-1, right=-1, slopes=None):
    """The sequences whose rows lie from cum[b] to below cum[b + 1]."""
    kept = _words(p, gen, (len(cum_q) - 1, q.shape[1], most_q, most_k))
    for b in range(len(cum_q) - 1):
        rows, keys = slice(int(cum_q[b]), int(cum_q[b + 1])), slice(int(cum_k[b]), int(cum_k[b + 1]))
        n, m = rows.stop - rows.start, keys.stop - keys.start
        bias = positional_bias(slopes_of(slopes, b), n, m)
        visible = window(n, m, causal, left, right)
        yield Packed(Sequence(q[rows], k[keys], v[keys], scale, visible, bias, kept[b, :, :n, :m]), rows, keys)


def packed_forward(sequences, q, most_q: int) -> dict[str, Any]:
    """Rows of no sequence are 0, and lse past a sequence is +infinity."""
    out = np.zeros((3, *q.shape))
    lse, lse_size = [], []
    for s in sequences:
        found = forward(s.sequence)
        out[:, s.q] = found["out"]
        rest = ((0, 0), (0, most_q - found["lse"].shape[1]))
        lse.append(np.pad(found["lse"], rest, constant_values=INF))
        lse_size.append(np.pad(found["lse_size"], rest))
    shape = (0, q.shape[1], most_q)
    return {
        "out": judged(out),
        "lse": Value(np.stack(lse) if lse else np.zeros(shape), np.stack(lse_size) if lse else np.zeros(shape)),
    }


def packed_backward(sequences, grad_out, out, lse, q, k) -> dict[str, Any]:
    grads = {n: np.zeros((3, *x.shape)) for n, x in (("grad_q", q), ("grad_k", k), ("grad_v", k))}
    for b, s in enumerate(sequences):
        shift = lse[b, :, : s.q.stop - s.q.start]
        found = backward(s.sequence, grad_out[s.q], out[s.q], shift, np.ones_like(shift))
        for name, rows in (("grad_q", s.q), ("grad_k", s.k), ("grad_v", s.k)):
            grads[name][:, rows] = found[name]
    return {n: judged(grads[n]) for n in grads}


@oracle("diopiFlashAttentionVarLen", dtype=_FORWARD_DTYPES)
def flash_var_len(
    q,
    k,
    v,
    cum_seq_q,
    cum_seq_kv,
    alibi_slopes,
    max_seqlen_q,
    max_seqlen_kv,
    p_dropout,
    softmax_scale,
    is_causal,
    window_size_left,
    window_size_right,
    gen,
):
    limits = (cum_seq_q, cum_seq_kv, max_seqlen_q, max_seqlen_kv)
    p, scale = float(np.float32(p_dropout)), float(np.float32(softmax_scale))
    sequences = packed(q, k, v, *limits, scale, is_causal, p, gen, window_size_left, window_size_right, alibi_slopes)
    found = packed_forward(sequences, q, max_seqlen_q)
    return {"attention_out": found["out"], "softmax_lse": found["lse"]}


@oracle("diopiFlashAttentionVarLenBackward", dtype="q")
def flash_var_len_backward(
    grad_output,
    q,
    k,
    v,
    cum_seq_q,
    cum_seq_kv,
    alibi_slopes,
    attention_out,
    softmax_lse,
    max_seqlen_q,
    max_seqlen_kv,
    p_dropout,
    softmax_scale,
    is_causal,
    window_size_left,
    window_size_right,
    gen,
):
    limits = (cum_seq_q, cum_seq_kv, max_seqlen_q, max_seqlen_kv)
    p, scale = float(np.float32(p_dropout)), float(np.float32(softmax_scale))
    sequences = packed(q, k, v, *limits, scale, is_causal, p, gen, window_size_left, window_size_right, alibi_slopes)
    return packed_backward(sequences, grad_output, attention_out, softmax_lse, q, k)


@draws(
    "diopiFlashAttention",
    "diopiFlashAttentionBackward",
    "diopiFlashAttentionVarLen",
    "diopiFlashAttentionVarLenBackward",
)
def no_words(**_):
    """The generator stays as it is."""
    return None
