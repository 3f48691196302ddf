# SPDX-License-Identifier: BSD-3-Clause
"""References for attention, in double precision: PyTorch's scaled_dot_product_attention with a mask of numbers, and a
composition of PyTorch's operators with dropout. The backward functions take any lse and output, so their references
differentiate a function of these."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from ..reference import Table, composed, gradients, torch
from .random import words

INF = float("inf")


def score_numbers(queries: int, keys: int, causal: bool, left: int, right: int, slopes: Any) -> Any:
    """What is added to the scores: [H or 1, Sq, Sk], with -infinity for hidden keys."""
    offset = torch.arange(keys)[None, :] - torch.arange(queries)[:, None] - (keys - queries)
    hidden = torch.zeros((queries, keys), dtype=torch.bool)
    if left >= 0:
        hidden |= offset < -left
    if causal or right >= 0:
        hidden |= offset > (0 if causal else right)
    numbers = torch.zeros((1, queries, keys), dtype=torch.float64)
    if slopes is not None:
        numbers = -slopes.double()[:, None, None] * offset.abs()
    return numbers.masked_fill(hidden, -INF)


def kept_factors(p: float, generator: Any, shape: tuple[int, ...]) -> Any:
    """The factor of each weight, one word after the other."""
    if p <= 0:
        return torch.ones(shape, dtype=torch.float64)
    source = words(generator)
    count = int(np.prod(shape))
    factor = 1 / (1 - p) if p < 1 else 0.0
    factors = [factor if next(source) / 2**32 < 1 - p else 0.0 for _ in range(count)]
    return torch.tensor(factors, dtype=torch.float64).reshape(shape)


def by_head(x: Any, heads: int) -> Any:
    """[rows, heads of x, D] -> [heads, rows, D]."""
    return x.repeat_interleave(heads // x.shape[1], dim=1).transpose(0, 1)


def score_matrix(q: Any, k: Any, scale: float, numbers: Any) -> Any:
    scores = scale * (q.transpose(0, 1) @ by_head(k, q.shape[1]).transpose(1, 2)) + numbers
    return torch.where(numbers == -INF, -INF, scores)


def hides_odd_numbers(numbers: Any, *operands: Any) -> bool:
    """Whether a key is hidden from a query while some operand has NaN or an infinity, which a weight of 0 does not hide
    from PyTorch."""
    return bool((numbers == -INF).any()) and not all(bool(x.isfinite().all()) for x in operands)


def rows_with_keys(q: Any, k: Any, numbers: Any) -> Iterator[tuple[int, int, int, Any]]:
    """Each query head and row, with its key head and the keys that it sees."""
    group = q.shape[1] // k.shape[1]
    seen = (numbers != -INF).expand(q.shape[1], -1, -1)
    for h in range(q.shape[1]):
        for i in range(q.shape[0]):
            yield h, i, h // group, seen[h, i].nonzero()[:, 0]


def attend_by_row(q: Any, k: Any, v: Any, scale: float, numbers: Any, kept: Any) -> tuple[Any, Any]:
    """attend(), one query after the other, each with the keys that it sees."""
    out, lse = torch.zeros_like(q), torch.full((q.shape[1], q.shape[0]), INF, dtype=q.dtype)
    every = numbers.expand(q.shape[1], -1, -1)
    for h, i, g, j in rows_with_keys(q, k, numbers):
        factors = None if kept is None else kept[h, i, j][None, None]
        row = attend(
            q[i, h][None, None], k[j, g][:, None], v[j, g][:, None], scale, every[h, i, j][None, None], factors
        )
        out[i, h], lse[h, i] = row[0][0, 0], row[1][0, 0]
    return out, lse


def attend(q: Any, k: Any, v: Any, scale: float, numbers: Any, kept: Any) -> tuple[Any, Any]:
    """One sequence: out [Sq, H, D] and lse [H, Sq]."""
    heads = q.shape[1]
    if hides_odd_numbers(numbers, q, k, v):
        return attend_by_row(q, k, v, scale, numbers, kept)
    lse = (
        torch.logsumexp(score_matrix(q, k, scale, numbers), -1) if k.shape[0] else torch.full((heads, q.shape[0]), -INF)
    )
    if kept is None and k.shape[0]:
        out = torch.nn.functional.scaled_dot_product_attention(
            q.transpose(0, 1), by_head(k, heads), by_head(v, heads), attn_mask=numbers, scale=scale
        )
    else:
        weights = torch.exp(score_matrix(q, k, scale, numbers) - lse[..., None])
        out = (weights * (1 if kept is None else kept)) @ by_head(v, heads)
    empty = lse == -INF
    return torch.where(empty[..., None], 0.0, out).transpose(0, 1), torch.where(empty, INF, lse)


def differentiate_by_row(q, k, v, scale, numbers, kept, grad_out, out, shift, factor):
    """differentiate(), one query after the other, each with the keys that it sees."""
    grads = [torch.zeros_like(q), torch.zeros_like(k), torch.zeros_like(v)]
    every = numbers.expand(q.shape[1], -1, -1)
    for h, i, g, j in rows_with_keys(q, k, numbers):
        if shift[h, i] == INF:
            continue
        rows = q[i, h][None, None], k[j, g][:, None], v[j, g][:, None]
        given = grad_out[i, h][None, None], out[i, h][None, None], shift[h, i][None, None], factor[h, i][None, None]
        found = differentiate(*rows, scale, every[h, i, j][None, None], kept[h, i, j][None, None], *given)
        grads[0][i, h] += found[0][0, 0]
        grads[1][j, g] += found[1][:, 0]
        grads[2][j, g] += found[2][:, 0]
    return grads


def differentiate(q, k, v, scale, numbers, kept, grad_out, out, shift, factor):
    """The gradients of one sequence, whose weights are exp(score - shift) * factor."""
    heads = q.shape[1]
    if bool((shift == INF).any()) or hides_odd_numbers(numbers, q, k, v, grad_out, out, shift, factor):
        return differentiate_by_row(q, k, v, scale, numbers, kept, grad_out, out, shift, factor)
    delta = (grad_out * out).sum(-1).transpose(0, 1)

    def total(q, k, v):
        weights = torch.exp(score_matrix(q, k, scale, numbers) - shift[..., None]) * factor[..., None]
        weights = torch.where(numbers == -INF, 0.0, weights)
        result = ((weights * kept) @ by_head(v, heads) * grad_out.transpose(0, 1)).sum()
        return result - (delta[..., None] * weights).sum()

    return gradients(total, torch.ones((), dtype=torch.float64), q, k, v)


def slopes_of(slopes: Any, b: int) -> Any:
    return slopes if slopes is None or slopes.ndim == 1 else slopes[b]


def _flash(q, k, v, alibi_slopes, p_dropout, softmax_scale, is_causal, window_size_left, window_size_right, gen):
    p, scale = float(np.float32(p_dropout)), float(np.float32(softmax_scale))
    (batch, queries, heads, _), keys = q.shape, k.shape[1]
    kept = kept_factors(p, gen, (batch, heads, queries, keys))
    out, lse = torch.zeros_like(q), torch.zeros((batch, heads, queries))
    for b in range(batch):
        slopes = slopes_of(alibi_slopes, b)
        numbers = score_numbers(queries, keys, is_causal, window_size_left, window_size_right, slopes)
        out[b], lse[b] = attend(q[b], k[b], v[b], scale, numbers, kept[b] if p > 0 else None)
    return {"attention_out": out, "softmax_lse": lse}


def _flash_backward(
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
    (batch, queries, heads, _), keys = q.shape, k.shape[1]
    kept = kept_factors(p, gen, (batch, heads, queries, keys))
    grads = torch.zeros_like(q), torch.zeros_like(k), torch.zeros_like(v)
    for b in range(batch):
        slopes = slopes_of(alibi_slopes, b)
        numbers = score_numbers(queries, keys, is_causal, window_size_left, window_size_right, slopes)
        lse = softmax_lse[b].double()
        found = differentiate(
            q[b], k[b], v[b], scale, numbers, kept[b], grad_output[b], attention_out[b], lse, torch.ones_like(lse)
        )
        for grad, value in zip(grads, found):
            grad[b] = value
    return dict(zip(("grad_q", "grad_k", "grad_v"), grads))


def rows_of(cum_q, cum_k):
    """The queries and the keys of each sequence."""
    q, k = cum_q.tolist(), cum_k.tolist()
    return [(slice(*x), slice(*y)) for x, y in zip(zip(q, q[1:]), zip(k, k[1:]))]


def _flash_var_len(
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
    p, scale = float(np.float32(p_dropout)), float(np.float32(softmax_scale))
    heads, rows = q.shape[1], rows_of(cum_seq_q, cum_seq_kv)
    kept = kept_factors(p, gen, (len(rows), heads, max_seqlen_q, max_seqlen_kv))
    out, lse = torch.zeros_like(q), torch.full((len(rows), heads, max_seqlen_q), INF, dtype=q.dtype)
    for b, (x, y) in enumerate(rows):
        n, m = x.stop - x.start, y.stop - y.start
        numbers = score_numbers(n, m, is_causal, window_size_left, window_size_right, slopes_of(alibi_slopes, b))
        factors = kept[b, :, :n, :m] if p > 0 else None
        out[x], lse[b, :, :n] = attend(q[x], k[y], v[y], scale, numbers, factors)
    return {"attention_out": out, "softmax_lse": lse}


def _flash_var_len_backward(
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
    p, scale = float(np.float32(p_dropout)), float(np.float32(softmax_scale))
    rows = rows_of(cum_seq_q, cum_seq_kv)
    kept = kept_factors(p, gen, (len(rows), q.shape[1], max_seqlen_q, max_seqlen_kv))
    grads = torch.zeros_like(q), torch.zeros_like(k), torch.zeros_like(v)
    for b, (x, y) in enumerate(rows):
        n, m = x.stop - x.start, y.stop - y.start
        numbers = score_numbers(n, m, is_causal, window_size_left, window_size_right, slopes_of(alibi_slopes, b))
        lse, factors = softmax_lse[b, :, :n].double(), kept[b, :, :n, :m]
        given = (grad_output[x], attention_out[x], lse, torch.ones_like(lse))
        for grad, part, value in zip(
            grads, (x, y, y), differentiate(q[x], k[y], v[y], scale, numbers, factors, *given)
        ):
            grad[part] = value
    return dict(zip(("grad_q", "grad_k", "grad_v"), grads))


TABLE: Table = {
    "diopiFlashAttention": composed("torch.nn.functional.scaled_dot_product_attention", _flash, double=True),
    "diopiFlashAttentionBackward": composed("torch.autograd of a composition", _flash_backward, double=True),
    "diopiFlashAttentionVarLen": composed(
        "torch.nn.functional.scaled_dot_product_attention of each sequence", _flash_var_len, double=True
    ),
    "diopiFlashAttentionVarLenBackward": composed(
        "torch.autograd of a composition", _flash_var_len_backward, double=True
    ),
}
