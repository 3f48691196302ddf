# SPDX-License-Identifier: BSD-3-Clause
"""Kernels of LightLLM-style inference."""

import numpy as np

from . import Value, oracle
from .attention import Sequence, forward, window
from .matmul import product


@oracle("diopiApplyPenalty", dtype="logits")
def apply_penalty(logits, presence_penalty, frequency_penalty, p_token_ids, p_token_counts, p_cumsum_seq_len):
    out, size = logits.copy(), np.abs(logits)
    for b in range(len(p_cumsum_seq_len) - 1):
        for i in range(p_cumsum_seq_len[b], p_cumsum_seq_len[b + 1]):
            at, term = (b, p_token_ids[i]), p_token_counts[i] * frequency_penalty[b]
            out[at] = logits[at] - (term + presence_penalty[b])
            size[at] = np.abs(logits[at]) + np.abs(term) + np.abs(presence_penalty[b])
    return Value(out, np.where(out == logits, 0, size))


@oracle("diopiApplyPenaltyV2", dtype="logits")
def apply_penalty_v2(logits, presence_penalty, frequency_penalty, repetition_penalty, p_token_ids, p_token_counts):
    n = len(p_token_ids)
    presence, frequency, repetition = (
        np.broadcast_to(p, n) for p in (presence_penalty, frequency_penalty, repetition_penalty)
    )
    out, size = logits.copy().reshape(-1), np.zeros(logits.size)
    for i, at in enumerate(p_token_ids):
        before, term = logits.flat[at], p_token_counts[i] * frequency[i]
        turned = before / repetition[i] if before > 0 else before * repetition[i]
        out[at] = turned - (term + presence[i])
        size[at] = np.abs(turned) + np.abs(term) + np.abs(presence[i])
    return Value(out.reshape(logits.shape), size.reshape(logits.shape))


@oracle("diopiDestIndexCopyKV", dtype="out")
def dest_index_copy(out, k, dest_loc):
    result = out.copy()
    for i, row in enumerate(dest_loc):
        result[row] = k[i]
    return result


def _rows(b_loc, b_seq_len, max_input_len, b):
    """The cache rows of a sequence."""
    return b_loc[b, max_input_len - b_seq_len[b] : max_input_len]


def _repeated(cache, heads):
    return np.repeat(cache, heads // cache.shape[1], axis=1)


@oracle("diopiTokenAttentionInference", dtype="token_attention_out")
def token_attention(token_attention_out, q, k, b_loc, b_start_loc, b_seq_len, max_input_len):
    out, size = token_attention_out.copy(), np.zeros(token_attention_out.shape)
    scale = 1 / np.sqrt(np.float64(q.shape[2]))
    for b, (start, length) in enumerate(zip(b_start_loc, b_seq_len)):
        keys = _repeated(k[_rows(b_loc, b_seq_len, max_input_len, b)], q.shape[1])
        part = slice(start, start + length)
        out[:, part] = np.einsum("hd,thd->ht", q[b], keys) * scale
        size[:, part] = np.einsum("hd,thd->ht", np.abs(q[b]), np.abs(keys)) * scale
    return Value(out, size)


@oracle("diopiTokenSoftmaxReduceVInference", dtype="logics")
def token_softmax_reduce(logics, v, b_loc, b_start_loc, b_seq_len, max_input_len):
    heads, size = logics.shape[0], v.shape[2]
    out, magnitude = (np.zeros((len(b_seq_len), heads, size)) for _ in range(2))
    for b, (start, length) in enumerate(zip(b_start_loc, b_seq_len)):
        scores = logics[:, start : start + length]
        if length == 0:
            continue
        powers = np.exp(scores - scores.max(1, keepdims=True))
        weights = powers / powers.sum(1, keepdims=True)
        values = _repeated(v[_rows(b_loc, b_seq_len, max_input_len, b)], heads)
        out[b] = np.einsum("ht,thd->hd", weights, values)
        magnitude[b] = 2 * np.einsum("ht,thd->hd", weights, np.abs(values))
    return Value(out, magnitude)


@oracle("diopiPagedAttention", dtype="q")
def paged_attention(q, k, v, attenMask, actual_seq_lengths, num_heads, num_kv_heads, dim, block_table, block_size):
    lengths = actual_seq_lengths or []
    keys, values = (x.reshape(-1, num_kv_heads, dim) for x in (k, v))
    queries = q.reshape(len(lengths), num_heads, dim)
    out, size = np.zeros(queries.shape), np.zeros(queries.shape)
    for b, length in enumerate(lengths):
        steps = np.arange(length)
        slots = block_table[b, steps // block_size] * block_size + steps % block_size
        seen = np.ones((1, length), bool)
        if attenMask is not None:
            seen &= ~attenMask[min(b, attenMask.shape[0] - 1)].reshape(1, -1)[:, :length]
        result = forward(Sequence(queries[b : b + 1], keys[slots], values[slots], 1 / np.sqrt(np.float64(dim)), seen))
        out[b], size[b], _ = result["out"][:, 0]
    return Value(out.reshape(q.shape), size.reshape(q.shape))


@oracle("diopiContextAttentionInference", dtype="context_attention_out")
def context_attention(context_attention_out, q, k, v, b_start_loc, b_seq_len):
    out, size, terms = context_attention_out.copy(), np.zeros(q.shape), np.zeros(q.shape)
    for start, length in zip(b_start_loc, b_seq_len):
        part = slice(start, start + length)
        scale = 1 / np.sqrt(np.float64(q.shape[2]))
        result = forward(Sequence(q[part], k[part], v[part], scale, window(length, length, True)))
        out[part], size[part], terms[part] = result["out"]
    return Value(out, size, terms=terms)


@oracle("diopiMatmulAllReduce", dtype="x1")
def matmul_all_reduce(x1, x2, bias):
    return product(x1, x2, bias)
