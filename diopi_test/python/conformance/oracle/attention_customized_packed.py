# SPDX-License-Identifier: BSD-3-Clause
"""diopiCustomizedFlashAttentionVarLen and its gradients: packed sequences, whose ends are a list."""

from __future__ import annotations

import numpy as np

from . import Value, draws, oracle, philox
from .attention import Packed, Sequence, backward, forward, judged, positional_bias, slopes_of
from .attention_customized import OUTPUTS, copied, factors, packed_bits, softmax_statistics, visible_keys


def _ranges(ends) -> list[slice]:
    return [slice(a, b) for a, b in zip([0, *ends], ends)]


def _sizes(q, cum_q, cum_k) -> list[tuple[int, int, int]]:
    """The shape of the weights of each sequence."""
    return [(q.shape[1], x.stop - x.start, y.stop - y.start) for x, y in zip(_ranges(cum_q), _ranges(cum_k))]


def _weights(q, cum_q, cum_k) -> int:
    return sum(h * n * m for h, n, m in _sizes(q, cum_q, cum_k))


def _split(x, sizes) -> list[np.ndarray]:
    """The parts of a vector, one after the other, in the shapes of the weights."""
    limits = np.cumsum([int(np.prod(s)) for s in sizes])
    return [part.reshape(s) for part, s in zip(np.split(x, limits), sizes)]


def _sequences(q, k, v, cum_q, cum_k, most, slopes, mask, scale, causal, left, right, kept):
    for b, (rows, keys, (_, n, m)) in enumerate(zip(_ranges(cum_q), _ranges(cum_k), _sizes(q, cum_q, cum_k))):
        visible, corner = visible_keys(n, m, most, mask, causal, left, right)
        if corner is not None:
            visible = visible & (np.broadcast_to(corner, most)[:n, :m] == 0)
        bias = positional_bias(slopes_of(slopes, b), n, m)
        yield Packed(Sequence(q[rows], k[keys], v[keys], scale, visible, bias, kept[b]), rows, keys)


@oracle("diopiCustomizedFlashAttentionVarLen", dtype=OUTPUTS)
def customized_var_len(
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
    count, most = _weights(q, cum_seq_q, cum_seq_kv), (max_seqlen_q, max_seqlen_kv)
    kept = np.ones(count) if p <= 0 else philox.words(gen, count) * 2.0**-32 < 1 - p
    parts = _split(factors(kept, p) if p > 0 else kept, _sizes(q, cum_seq_q, cum_seq_kv))
    options = (alibi_slopes, attention_mask, scale, is_causal, window_size_left, window_size_right, parts)
    out = np.zeros((3, *q.shape))
    largest, total = np.full(q.shape[:2], -np.inf), np.zeros(q.shape[:2])
    largest_size, total_size = np.zeros(q.shape[:2]), np.zeros(q.shape[:2])
    for s in _sequences(q, k, v, cum_seq_q, cum_seq_kv, most, *options):
        found = forward(s.sequence)
        out[:, s.q] = found["out"]
        largest[s.q], largest_size[s.q] = found["max"].T, found["max_size"].T
        total[s.q], total_size[s.q] = found["sum"].T, found["sum_size"].T
    return {
        "attention_out": judged(out),
        "dropout_mask": packed_bits(kept) if p > 0 else None,
        "softmax_max": Value(copied(largest), copied(largest_size)),
        "softmax_sum": Value(copied(total), copied(total_size)),
        "softmax_out": np.zeros(0),
    }


@oracle("diopiCustomizedFlashAttentionVarLenBackward", dtype="q")
def customized_var_len_backward(
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
    kept = np.ones(_weights(q, cum_seq_q, cum_seq_kv))
    if p > 0:
        kept = factors(np.unpackbits(dropout_mask.astype(np.uint8), bitorder="little")[: kept.size], p)
    parts = _split(kept, _sizes(q, cum_seq_q, cum_seq_kv))
    options = (alibi_slopes, attention_mask, scale, is_causal, window_size_left, window_size_right, parts)
    shift, total = softmax_statistics(softmax_max, softmax_sum)
    grads = {n: np.zeros((3, *x.shape)) for n, x in (("grad_q", q), ("grad_k", k), ("grad_v", k))}
    for s in _sequences(q, k, v, cum_seq_q, cum_seq_kv, (max_seqlen_q, max_seqlen_kv), *options):
        found = backward(s.sequence, grad_output[s.q], attention_out[s.q], shift[s.q].T, total[s.q].T)
        for name, rows in (("grad_q", s.q), ("grad_k", s.k), ("grad_v", s.k)):
            grads[name][:, rows] = found[name]
    return {n: judged(grads[n]) for n in grads}


@draws("diopiCustomizedFlashAttentionVarLen")
def words(q, cum_seq_q, cum_seq_kv, p_dropout, **_):
    return None if p_dropout <= 0 else _weights(q, cum_seq_q, cum_seq_kv)
