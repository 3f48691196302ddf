# SPDX-License-Identifier: BSD-3-Clause
"""The other forms of attention: diopiMultiHeadAttention and diopiPromptFlashAttention."""

from __future__ import annotations

from typing import Any

import numpy as np

from . import Unwritten, Value, draws, oracle
from .attention import (
    Sequence,
    forward,
    judged,
    packed,
    packed_backward,
    packed_forward,
    padded,
    padded_backward,
    padded_forward,
    window,
)


def _weights_dtype(dtypes) -> str:
    """Weights are computed in float32 or float64."""
    computed = "float64" if dtypes["q"] == "float64" else "float32"
    return "bool" if dtypes.get("debug_attn_mask") == "bool" else computed


_DTYPES: Any = {"out": "q", "softmax_lse": "float32", "debug_attn_mask": _weights_dtype}


def _weights(wanted: bool, sequences, shape, dtype: str, given) -> Any:
    """P with the sign of dropped weights, or whether weights are kept, in the left upper corner of each matrix."""
    if not wanted:
        return Unwritten(given or (0,))
    weights, size = np.zeros(shape), np.zeros(shape)
    for b, s in enumerate(sequences):
        found = forward(s)
        n, m = s.visible.shape
        kept = np.broadcast_to(s.kept, found["weights"].shape) != 0
        signed = np.where(kept, found["weights"], -found["weights"])
        weights[b, :, :n, :m] = kept if dtype == "bool" else signed
        size[b, :, :n, :m] = found["weights_size"]
    return weights != 0 if dtype == "bool" else Value(weights, size)


@oracle("diopiMultiHeadAttention", dtype=_DTYPES)
def multi_head(q, k, v, dropout_p, is_causal, return_debug_mask, scale, gen, dtypes, debug_attn_mask=None):
    found = padded_forward(padded(q, k, v, scale, is_causal, dropout_p, gen), q, k)
    shape = (q.shape[0], q.shape[2], q.shape[1], k.shape[1])
    sequences = padded(q, k, v, scale, is_causal, dropout_p, gen)
    weights = _weights(return_debug_mask, sequences, shape, _weights_dtype(dtypes), debug_attn_mask)
    return {"out": found["out"], "softmax_lse": found["lse"], "debug_attn_mask": weights}


@oracle("diopiMultiHeadAttentionBackward", dtype="q")
def multi_head_backward(grad_out, q, k, v, out, softmax_lse, dropout_p, is_causal, scale, gen):
    return padded_backward(padded(q, k, v, scale, is_causal, dropout_p, gen), grad_out, out, softmax_lse, q, k)


@oracle("diopiMultiHeadAttentionVarLen", dtype=_DTYPES)
def multi_head_var_len(
    q,
    k,
    v,
    cum_seq_q,
    cum_seq_k,
    max_q,
    max_k,
    dropout_p,
    is_causal,
    return_debug_mask,
    scale,
    gen,
    dtypes,
    debug_attn_mask=None,
):
    arguments = (q, k, v, cum_seq_q, cum_seq_k, max_q, max_k, scale, is_causal, dropout_p, gen)
    found = packed_forward(packed(*arguments), q, max_q)
    shape = (len(cum_seq_q) - 1, q.shape[1], max_q, max_k)
    sequences = (s.sequence for s in packed(*arguments))
    weights = _weights(return_debug_mask, sequences, shape, _weights_dtype(dtypes), debug_attn_mask)
    return {"out": found["out"], "softmax_lse": found["lse"], "debug_attn_mask": weights}


@oracle("diopiMultiHeadAttentionVarLenBackward", dtype="q")
def multi_head_var_len_backward(
    grad_out, q, k, v, out, softmax_lse, cum_seq_q, cum_seq_k, max_q, max_k, dropout_p, is_causal, scale, gen
):
    sequences = packed(q, k, v, cum_seq_q, cum_seq_k, max_q, max_k, scale, is_causal, dropout_p, gen)
    return packed_backward(sequences, grad_out, out, softmax_lse, q, k)


@draws(
    "diopiMultiHeadAttention",
    "diopiMultiHeadAttentionBackward",
    "diopiMultiHeadAttentionVarLen",
    "diopiMultiHeadAttentionVarLenBackward",
)
def no_words(**_):
    """The generator stays as it is."""
    return None


def _mask(mask, shape):
    """The hidden weights of all sequences, [B, N, S, S]."""
    if mask is None:
        return np.zeros(shape, bool)
    hidden = mask != 0
    return np.broadcast_to(hidden[:, None] if hidden.ndim == 3 else hidden, shape)


@oracle("diopiPromptFlashAttention", dtype={"out": "query"})
def prompt(query, key, value, atten_mask, actual_seq_lengths, max_input_len, num_heads, num_kv_heads, dim):
    batch, length = len(actual_seq_lengths), max_input_len
    q = query.reshape(batch, length, num_heads, dim)
    k, v = (x.reshape(batch, length, num_kv_heads, dim) for x in (key, value))
    hidden = _mask(atten_mask, (batch, num_heads, length, length))
    out = np.zeros((3, *q.shape))
    for b, n in enumerate(actual_seq_lengths):
        visible = window(n, n, True) & ~hidden[b, :, :n, :n]
        found = forward(Sequence(q[b, :n], k[b, :n], v[b, :n], dim**-0.5, visible))
        out[:, b, :n] = found["out"]
    return judged(out.reshape(3, *query.shape))
