# SPDX-License-Identifier: BSD-3-Clause
"""References for diopiCustomizedFlashAttention, which compose PyTorch's operators for one sequence after the other."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..reference import Table, composed, torch
from .attention import INF, attend, differentiate, kept_factors, score_matrix, score_numbers, slopes_of


def _view(x: Any, layout: str, heads: int, size: int) -> Any:
    """[batch, rows, heads, head size]."""
    if layout == "SBH":
        x = x.transpose(0, 1)
    if len(layout) == 3:
        return x.reshape(*x.shape[:2], heads, size)
    return x.transpose(1, 2) if layout == "BNSD" else x


def _back(x: Any, layout: str) -> Any:
    if layout == "BNSD":
        return x.transpose(1, 2)
    if len(layout) == 4:
        return x
    merged = x.reshape(*x.shape[:2], -1)
    return merged.transpose(0, 1) if layout == "SBH" else merged


def _size(q: Any, layout: str, head_num: int) -> int:
    return q.shape[-1] // head_num if len(layout) == 3 else q.shape[-1]


def _heads(x: Any, layout: str, size: int) -> Any:
    return _view(x, layout, x.shape[-1] // max(size, 1) if len(layout) == 3 else 0, size)


def _numbers(q: Any, k: Any, mask: Any, causal: bool, left: int, right: int, slopes: Any, b: int) -> Any:
    (batch, queries, heads, _), keys = q.shape, k.shape[1]
    if mask is not None and causal and tuple(mask.shape) == (2048, 2048) and queries > 2048 and keys > 2048:
        rows, columns = torch.arange(queries)[:, None], torch.arange(keys)[None, :]
        return torch.where(columns > rows, -INF, 0.0)[None].double()
    numbers = score_numbers(queries, keys, causal and mask is None, left, right, slopes_of(slopes, b))
    if mask is None:
        return numbers
    hidden = mask.bool().expand(batch, heads, queries, keys)[b]
    return numbers.expand(heads, queries, keys).masked_fill(hidden, -INF)


def _customized(
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
    size = _size(q, input_layout, head_num)
    q, k, v = (_heads(x, input_layout, size) for x in (q, k, v))
    shape = (q.shape[0], q.shape[2], q.shape[1])
    kept = kept_factors(p, gen, (*shape, k.shape[1]))
    out, most, total = torch.zeros_like(q), torch.full(shape, -INF).double(), torch.zeros(shape).double()
    options = (attention_mask, is_causal, window_size_left, window_size_right, alibi_slopes)
    for b in range(shape[0]):
        numbers = _numbers(q, k, *options, b)
        out[b] = attend(q[b], k[b], v[b], scale, numbers, kept[b] if p > 0 else None)[0]
        if k.shape[1]:
            scores = score_matrix(q[b], k[b], scale, numbers)
            most[b] = scores.amax(-1)
            total[b] = torch.exp(scores - most[b][..., None]).sum(-1).nan_to_num(0.0)
    return {
        "attention_out": _back(out, input_layout),
        "dropout_mask": None,
        "softmax_max": most[..., None].expand(*shape, 8),
        "softmax_sum": None if torch.isnan(q).any() or torch.isnan(k).any() else total[..., None].expand(*shape, 8),
        "softmax_out": None,
    }


def _customized_backward(
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
    size = _size(q, input_layout, head_num)
    q, k, v, go, out = (_heads(x, input_layout, size) for x in (q, k, v, grad_output, attention_out))
    shape = (q.shape[0], q.shape[2], q.shape[1], k.shape[1])
    kept = torch.ones(shape, dtype=torch.float64)
    if p > 0:
        bits = [int(byte) >> i & 1 for byte in dropout_mask.tolist() for i in range(8)][: kept.numel()]
        kept = torch.tensor(bits, dtype=torch.float64).reshape(shape) * (1 / (1 - p) if p < 1 else 0.0)
    grads = torch.zeros_like(q), torch.zeros_like(k), torch.zeros_like(v)
    options = (attention_mask, is_causal, window_size_left, window_size_right, alibi_slopes)
    for b in range(shape[0]):
        most, total = softmax_max[b, ..., 0].double(), softmax_sum[b, ..., 0].double()
        empty = total == 0
        shift, factor = torch.where(empty, INF, most), torch.where(empty, 1.0, 1 / total)
        numbers = _numbers(q, k, *options, b)
        found = differentiate(q[b], k[b], v[b], scale, numbers, kept[b], go[b], out[b], shift, factor)
        for grad, value in zip(grads, found):
            grad[b] = value
    return {n: _back(x, input_layout) for n, x in zip(("grad_q", "grad_k", "grad_v"), grads)}


TABLE: Table = {
    "diopiCustomizedFlashAttention": composed(
        "torch.nn.functional.scaled_dot_product_attention", _customized, double=True
    ),
    "diopiCustomizedFlashAttentionBackward": composed(
        "torch.autograd of a composition", _customized_backward, double=True
    ),
}
