# SPDX-License-Identifier: BSD-3-Clause
"""References for diopiCustomizedFlashAttentionVarLen, which compose PyTorch's operators for each sequence."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..reference import Table, composed, torch
from .attention import INF, attend, differentiate, kept_factors, score_matrix, score_numbers, slopes_of


def _rows_of(ends_q: Any, ends_k: Any) -> list[tuple[slice, slice]]:
    q, k = [0, *ends_q], [0, *ends_k]
    return [(slice(*x), slice(*y)) for x, y in zip(zip(q, q[1:]), zip(k, k[1:]))]


def _parts(x: Any, heads: int, rows: list[tuple[slice, slice]]) -> list[Any]:
    """The parts of a vector with one number for each weight, sequence by sequence."""
    result, at = [], 0
    for queries, keys in rows:
        n, m = queries.stop - queries.start, keys.stop - keys.start
        result.append(x[at : at + heads * n * m].reshape(heads, n, m))
        at += heads * n * m
    return result


def _count(heads: int, rows: list[tuple[slice, slice]]) -> int:
    return sum(heads * (x.stop - x.start) * (y.stop - y.start) for x, y in rows)


def _numbers(queries: int, keys: int, most: Any, mask: Any, causal: bool, left: int, right: int, slopes: Any) -> Any:
    if mask is not None and causal and tuple(mask.shape) == (2048, 2048) and most[0] > 2048 and most[1] > 2048:
        later = torch.arange(keys)[None, :] > torch.arange(queries)[:, None]
        return score_numbers(queries, keys, False, -1, -1, slopes).masked_fill(later, -INF)
    numbers = score_numbers(queries, keys, causal and mask is None, left, right, slopes)
    return numbers if mask is None else numbers.masked_fill(mask.bool().expand(*most)[:queries, :keys], -INF)


def _var_len(
    gen,
    q,
    k,
    v,
    cum_seq_q,
    cum_seq_kv,
    alibi_slopes,
    attention_mask,
    max_seqlen_q,
    max_seqlen_kv,
    p_dropout,
    softmax_scale,
    is_causal,
    window_size_left,
    window_size_right,
):
    p, scale = float(np.float32(p_dropout)), float(np.float32(softmax_scale))
    rows, most = _rows_of(cum_seq_q, cum_seq_kv), (max_seqlen_q, max_seqlen_kv)
    kept = _parts(kept_factors(p, gen, (_count(q.shape[1], rows),)), q.shape[1], rows)
    out, largest = torch.zeros_like(q), torch.full(q.shape[:2], -INF).double()
    total = torch.zeros(q.shape[:2]).double()
    for b, (x, y) in enumerate(rows):
        options = (attention_mask, is_causal, window_size_left, window_size_right, slopes_of(alibi_slopes, b))
        numbers = _numbers(x.stop - x.start, y.stop - y.start, most, *options)
        out[x] = attend(q[x], k[y], v[y], scale, numbers, kept[b] if p > 0 else None)[0]
        if y.stop > y.start:
            scores = score_matrix(q[x], k[y], scale, numbers)
            largest[x] = scores.amax(-1).T
            total[x] = torch.exp(scores - scores.amax(-1, keepdim=True)).sum(-1).nan_to_num(0.0).T
    has_nan = torch.isnan(q).any() or torch.isnan(k).any()
    return {
        "attention_out": out,
        "dropout_mask": None,
        "softmax_max": largest[..., None].expand(*largest.shape, 8),
        "softmax_sum": None if has_nan else total[..., None].expand(*total.shape, 8),
        "softmax_out": None,
    }


def _var_len_backward(
    grad_output,
    q,
    k,
    v,
    cum_seq_q,
    cum_seq_kv,
    alibi_slopes,
    attention_out,
    attention_mask,
    dropout_mask,
    softmax_max,
    softmax_sum,
    max_seqlen_q,
    max_seqlen_kv,
    p_dropout,
    softmax_scale,
    is_causal,
    window_size_left,
    window_size_right,
):
    p, scale = float(np.float32(p_dropout)), float(np.float32(softmax_scale))
    rows, most = _rows_of(cum_seq_q, cum_seq_kv), (max_seqlen_q, max_seqlen_kv)
    kept = torch.ones(_count(q.shape[1], rows), dtype=torch.float64)
    if p > 0:
        bits = [int(byte) >> i & 1 for byte in dropout_mask.tolist() for i in range(8)][: kept.numel()]
        kept = torch.tensor(bits, dtype=torch.float64) * (1 / (1 - p) if p < 1 else 0.0)
    factors = _parts(kept, q.shape[1], rows)
    grads = torch.zeros_like(q), torch.zeros_like(k), torch.zeros_like(v)
    for b, (x, y) in enumerate(rows):
        options = (attention_mask, is_causal, window_size_left, window_size_right, slopes_of(alibi_slopes, b))
        numbers = _numbers(x.stop - x.start, y.stop - y.start, most, *options)
        largest, total = softmax_max[x, :, 0].double().T, softmax_sum[x, :, 0].double().T
        shift, factor = torch.where(total == 0, INF, largest), torch.where(total == 0, 1.0, 1 / total)
        given = (factors[b], grad_output[x], attention_out[x], shift, factor)
        for grad, part, value in zip(grads, (x, y, y), differentiate(q[x], k[y], v[y], scale, numbers, *given)):
            grad[part] = value
    return dict(zip(("grad_q", "grad_k", "grad_v"), grads))


TABLE: Table = {
    "diopiCustomizedFlashAttentionVarLen": composed(
        "torch.nn.functional.scaled_dot_product_attention of each sequence", _var_len, double=True
    ),
    "diopiCustomizedFlashAttentionVarLenBackward": composed(
        "torch.autograd of a composition", _var_len_backward, double=True
    ),
}
