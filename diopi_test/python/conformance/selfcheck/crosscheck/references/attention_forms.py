# SPDX-License-Identifier: BSD-3-Clause
"""References for the other forms of attention, which compose PyTorch's operators for one sequence after the other."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ..reference import Table, composed, torch
from .attention import INF, attend, differentiate, kept_factors, rows_of, score_numbers


@dataclass(frozen=True)
class _Sequence:
    """The arguments of attend() and differentiate() for one sequence."""

    q: Any
    k: Any
    v: Any
    scale: float
    numbers: Any
    kept: Any

    def attend(self, p: float) -> tuple[Any, Any]:
        return attend(self.q, self.k, self.v, self.scale, self.numbers, self.kept if p > 0 else None)

    def differentiate(self, grad_out: Any, out: Any, lse: Any) -> list[Any]:
        shift, factor = lse.double(), torch.ones_like(lse.double())
        return differentiate(self.q, self.k, self.v, self.scale, self.numbers, self.kept, grad_out, out, shift, factor)


def _padded(q, k, v, scale, is_causal, p, gen) -> list[_Sequence]:
    (batch, queries, heads, _), keys = q.shape, k.shape[1]
    kept = kept_factors(p, gen, (batch, heads, queries, keys))
    numbers = score_numbers(queries, keys, is_causal, -1, -1, None)
    return [_Sequence(q[b], k[b], v[b], scale, numbers, kept[b]) for b in range(batch)]


def _packed(q, k, v, rows, most_q, most_k, scale, is_causal, p, gen) -> list[_Sequence]:
    kept = kept_factors(p, gen, (len(rows), q.shape[1], most_q, most_k))
    result = []
    for b, (x, y) in enumerate(rows):
        n, m = x.stop - x.start, y.stop - y.start
        numbers = score_numbers(n, m, is_causal, -1, -1, None)
        result.append(_Sequence(q[x], k[y], v[y], scale, numbers, kept[b, :, :n, :m]))
    return result


def _multi_head(q, k, v, dropout_p, is_causal, scale, gen):
    out, lse = torch.zeros_like(q), torch.zeros((q.shape[0], q.shape[2], q.shape[1]))
    for b, s in enumerate(_padded(q, k, v, scale, is_causal, dropout_p, gen)):
        out[b], lse[b] = s.attend(dropout_p)
    return {"out": out, "softmax_lse": lse, "debug_attn_mask": None}


def _multi_head_backward(grad_out, q, k, v, out, softmax_lse, dropout_p, is_causal, scale, gen):
    grads = torch.zeros_like(q), torch.zeros_like(k), torch.zeros_like(v)
    for b, s in enumerate(_padded(q, k, v, scale, is_causal, dropout_p, gen)):
        for grad, value in zip(grads, s.differentiate(grad_out[b], out[b], softmax_lse[b])):
            grad[b] = value
    return dict(zip(("grad_q", "grad_k", "grad_v"), grads))


def _multi_head_var_len(q, k, v, cum_seq_q, cum_seq_k, max_q, max_k, dropout_p, is_causal, scale, gen):
    rows = rows_of(cum_seq_q, cum_seq_k)
    out, lse = torch.zeros_like(q), torch.full((len(rows), q.shape[1], max_q), INF, dtype=q.dtype)
    for b, s in enumerate(_packed(q, k, v, rows, max_q, max_k, scale, is_causal, dropout_p, gen)):
        x = rows[b][0]
        out[x], lse[b, :, : x.stop - x.start] = s.attend(dropout_p)
    return {"out": out, "softmax_lse": lse, "debug_attn_mask": None}


def _multi_head_var_len_backward(
    grad_out, q, k, v, out, softmax_lse, cum_seq_q, cum_seq_k, max_q, max_k, dropout_p, is_causal, scale, gen
):
    rows = rows_of(cum_seq_q, cum_seq_k)
    grads = torch.zeros_like(q), torch.zeros_like(k), torch.zeros_like(v)
    for b, s in enumerate(_packed(q, k, v, rows, max_q, max_k, scale, is_causal, dropout_p, gen)):
        x, y = rows[b]
        found = s.differentiate(grad_out[x], out[x], softmax_lse[b, :, : x.stop - x.start])
        for grad, part, value in zip(grads, (x, y, y), found):
            grad[part] = value
    return dict(zip(("grad_q", "grad_k", "grad_v"), grads))


def _prompt(query, key, value, atten_mask, actual_seq_lengths, max_input_len, num_heads, num_kv_heads, dim):
    batch, length = len(actual_seq_lengths), max_input_len
    q = query.reshape(batch, length, num_heads, dim)
    k, v = (x.reshape(batch, length, num_kv_heads, dim) for x in (key, value))
    out = torch.zeros_like(q)
    for b, n in enumerate(actual_seq_lengths):
        numbers = score_numbers(n, n, True, -1, -1, None)
        if atten_mask is not None:
            mask = atten_mask if atten_mask.ndim == 2 else atten_mask[b if atten_mask.shape[0] > 1 else 0]
            numbers = numbers.masked_fill(mask[..., :n, :n] != 0, -INF)
        out[b, :n] = attend(q[b, :n], k[b, :n], v[b, :n], dim**-0.5, numbers, None)[0]
    return out.reshape(query.shape)


_SDPA, _AUTOGRAD = "torch.nn.functional.scaled_dot_product_attention", "torch.autograd of a composition"

TABLE: Table = {
    "diopiMultiHeadAttention": composed(_SDPA, _multi_head, double=True),
    "diopiMultiHeadAttentionBackward": composed(_AUTOGRAD, _multi_head_backward, double=True),
    "diopiMultiHeadAttentionVarLen": composed(_SDPA, _multi_head_var_len, double=True),
    "diopiMultiHeadAttentionVarLenBackward": composed(_AUTOGRAD, _multi_head_var_len_backward, double=True),
    "diopiPromptFlashAttention": composed(_SDPA, _prompt, double=True),
}
