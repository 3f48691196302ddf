# SPDX-License-Identifier: BSD-3-Clause
"""References for the kernels of LightLLM-style inference: loops over tokens with PyTorch's softmax, and a product."""

from __future__ import annotations

import math

import numpy as np

from ..reference import SPECIFICATION, Reference, Table, composed, torch


def _apply_penalty(logits, presence_penalty, frequency_penalty, p_token_ids, p_token_counts, p_cumsum_seq_len):
    out = logits.copy()
    for b, (first, end) in enumerate(zip(p_cumsum_seq_len[:-1], p_cumsum_seq_len[1:])):
        for token, count in zip(p_token_ids[first:end], p_token_counts[first:end]):
            out[b, token] = logits[b, token] - (count * frequency_penalty[b] + presence_penalty[b])
    return out


def _apply_penalty_v2(logits, presence_penalty, frequency_penalty, repetition_penalty, p_token_ids, p_token_counts):
    out, columns = logits.copy(), logits.shape[1]
    for i, token in enumerate(p_token_ids):
        pres, freq, rep = (p[i if len(p) > 1 else 0] for p in (presence_penalty, frequency_penalty, repetition_penalty))
        at = (token // columns, token % columns)
        before = logits[at]
        out[at] = np.where(before > 0, np.divide(before, rep), before * rep) - (p_token_counts[i] * freq + pres)
    return out


def _dest_index_copy(out, k, dest_loc):
    result = list(out)
    for row, source in zip(dest_loc, k):
        result[row] = source
    return np.array(result).reshape(out.shape)


def _token_attention(token_attention_out, q, k, b_loc, b_start_loc, b_seq_len, max_input_len):
    out = token_attention_out.copy()
    group = q.shape[1] // k.shape[1]
    for b, (start, length) in enumerate(zip(b_start_loc, b_seq_len)):
        for t in range(length):
            row = b_loc[b, max_input_len - length + t]
            for h in range(q.shape[1]):
                out[h, start + t] = (q[b, h] * k[row, h // group]).sum() / math.sqrt(q.shape[2])
    return out


def _attend(scores: np.ndarray, values: np.ndarray) -> np.ndarray:
    """softmax(scores [T]) values [T, D], with PyTorch's softmax."""
    weights = torch.softmax(torch.from_numpy(np.ascontiguousarray(scores)), 0).numpy()
    return (weights[:, None] * values).sum(0)


def _token_softmax(logics, v, b_loc, b_start_loc, b_seq_len, max_input_len):
    heads, group = logics.shape[0], logics.shape[0] // v.shape[1]
    out = np.zeros((len(b_seq_len), heads, v.shape[2]))
    for b, (start, length) in enumerate(zip(b_start_loc, b_seq_len)):
        rows = b_loc[b, max_input_len - length : max_input_len]
        for h in range(heads if length else 0):
            out[b, h] = _attend(logics[h, start : start + length], v[rows, h // group])
    return out


def _paged(q, k, v, attenMask, actual_seq_lengths, num_heads, num_kv_heads, dim, block_table, block_size):
    keys, values = (x.reshape(-1, num_kv_heads, dim) for x in (k, v))
    lengths = actual_seq_lengths or []
    queries = q.reshape(len(lengths), num_heads, dim)
    out = np.zeros(queries.shape)
    for b, length in enumerate(lengths):
        hidden = None if attenMask is None else attenMask[b if len(attenMask) > 1 else 0].reshape(-1)
        seen = [t for t in range(length) if hidden is None or not hidden[t]]
        slots = [int(block_table[b, t // block_size]) * block_size + t % block_size for t in seen]
        for h in range(num_heads if slots else 0):
            kept = h * num_kv_heads // num_heads
            scores = (keys[slots, kept] * queries[b, h]).sum(1) / math.sqrt(dim)
            out[b, h] = _attend(scores, values[slots, kept])
    return out.reshape(q.shape)


def _context(context_attention_out, q, k, v, b_start_loc, b_seq_len):
    out, group = context_attention_out.copy(), q.shape[1] // k.shape[1]
    for start, length in zip(b_start_loc, b_seq_len):
        for i in range(start, start + length):
            for h in range(q.shape[1]):
                scores = (k[start : i + 1, h // group] * q[i, h]).sum(1) / math.sqrt(q.shape[2])
                out[i, h] = _attend(scores, v[start : i + 1, h // group])
    return out


def _matmul(x1, x2, bias, reduce_op):
    if reduce_op != "sum" or x1.ndim < 2 or x2.ndim != 2 or bias is not None and bias.shape != x2.shape[1:]:
        raise RuntimeError("the arguments are wrong")
    made = torch.matmul(x1, x2)
    return made if bias is None else made + bias


def _specified(call) -> Reference:
    return Reference("the contract's text", call, SPECIFICATION)


def _row_by_row(call) -> Reference:
    return Reference("torch.softmax, row by row", call, SPECIFICATION, with_torch=True)


TABLE: Table = {
    "diopiApplyPenalty": _specified(_apply_penalty),
    "diopiApplyPenaltyV2": _specified(_apply_penalty_v2),
    "diopiDestIndexCopyKV": _specified(_dest_index_copy),
    "diopiTokenAttentionInference": _specified(_token_attention),
    "diopiTokenSoftmaxReduceVInference": _row_by_row(_token_softmax),
    "diopiPagedAttention": _row_by_row(_paged),
    "diopiContextAttentionInference": _row_by_row(_context),
    "diopiMatmulAllReduce": composed("torch.matmul + bias", _matmul, double=True),
}
