# SPDX-License-Identifier: BSD-3-Clause
"""Fused layers of TurboMind's decoder."""

import numpy as np

from . import Unspecified, Value, oracle
from .attention import magnitudes, seen_sums
from .matmul import product
from .tools import as_dtype, exact_sum


def _silu(x):
    return x / (1 + np.exp(-x))


def _workspaces(**spaces):
    """The workspaces that are given, which may hold anything after a call."""
    return {k: Unspecified(v.shape) for k, v in spaces.items() if v is not None}


@oracle("diopiFusedSiluFfnInp", dtype={"inoutput": "inoutput", "workspace": "workspace"})
def fused_silu_ffn(inoutput, weight1, weight2, weight3, workspace, workspace_size):
    unspecified = _workspaces(workspace=workspace)
    if workspace_size < 0:
        return {"inoutput": inoutput, "workspace_size": None, **unspecified}
    gate, up = product(inoutput, weight1), product(inoutput, weight3)
    opened = _silu(gate.array)
    out = product(opened * up.array, weight2)
    # The slope of silu is at most 1.1, so the errors of both products reach the terms of the last one.
    errors = 1.1 * gate.magnitude * np.abs(up.array) + np.abs(opened) * up.magnitude
    magnitude = out.magnitude + errors @ np.abs(weight2)
    return {"inoutput": Value(out.array, magnitude), "workspace_size": workspace_size, **unspecified}


def _normalised(x, scale, eps):
    squares = exact_sum(x * x, 1, keepdims=True) / np.float64(x.shape[1])
    out = x / np.sqrt(squares + np.float64(np.float32(eps))) * scale
    return Value(out, np.abs(out))


@oracle("diopiRootMeanSquareNormInp", dtype="inoutput")
def root_mean_square_norm(inoutput, scale, eps):
    return _normalised(inoutput, scale, eps)


@oracle("diopiFusedAddRootMeanSquareNormInp", dtype={"inoutput": "inoutput", "residual": "residual"})
def fused_add_root_mean_square_norm(inoutput, residual, bias, scale, eps, dtypes):
    b = 0.0 if bias is None else bias
    total = residual + inoutput + b
    stored = as_dtype(total, dtypes["residual"])
    return {
        "residual": Value(total, np.abs(residual) + np.abs(inoutput) + np.abs(b)),
        "inoutput": Value(
            _normalised(stored, scale, eps).array,
            # The sum of three numbers may cancel; its rounding error is that of the largest one.
            (np.abs(residual) + np.abs(inoutput) + np.abs(b))
            * np.abs(_normalised(stored, scale, eps).array / np.where(stored == 0, 1, stored)),
        ),
    }


# --- attention ---


def _rotated(x, positions, rotary, theta):
    """Heads [..., heads, size] whose neighbours turn by the angles of their positions [...]."""
    half = max(rotary, 0) // 2
    angles = positions[..., None, None] * np.float64(np.float32(theta)) ** (-np.arange(half) / max(half, 1))
    pairs = x[..., : 2 * half].reshape(*x.shape[:-1], half, 2)
    a, b, cos, sin = pairs[..., 0], pairs[..., 1], np.cos(angles), np.sin(angles)
    turned = np.stack([a * cos - b * sin, a * sin + b * cos], -1).reshape(*x.shape[:-1], 2 * half)
    return np.concatenate([turned, x[..., 2 * half :]], -1)


def _paired_sum(x, rotary):
    """Of each pair that turns the sum of both, which bounds the numbers after the rotation."""
    half = max(rotary, 0) // 2
    pairs = x[..., : 2 * half].reshape(*x.shape[:-1], half, 2).sum(-1, keepdims=True)
    sums = np.broadcast_to(pairs, (*pairs.shape[:-1], 2)).reshape(*x.shape[:-1], 2 * half)
    return np.concatenate([sums, x[..., 2 * half :]], -1)


def _projected(x, weight, bias, heads, key_heads, size, positions, rotary, theta):
    """Queries, keys and values [..., heads, size], each with its magnitude."""
    made = product(x, weight, 0.0 if bias is None else bias)
    parts = []
    for array, turn in ((made.array, False), (made.magnitude, True)):
        cut = array.reshape(*positions.shape, heads + 2 * key_heads, size)
        q, k, v = np.split(cut, [heads, heads + key_heads], axis=-2)
        if turn:
            parts.append([_paired_sum(q, rotary), _paired_sum(k, rotary), v])
        else:
            parts.append([_rotated(q, positions, rotary, theta), _rotated(k, positions, rotary, theta), v])
    return parts


def _attended(q, q_size, k, k_size, v, v_size, seen):
    """Softmax attention of a sequence, q [T, H, D] and k, v [Hk, S, D], with its magnitude."""
    group, scale = q.shape[1] // k.shape[0], 1 / np.sqrt(np.float64(q.shape[2]))
    k, k_size, v, v_size = (np.repeat(a, group, 0) for a in (k, k_size, v, v_size))
    scores = np.where(seen, np.einsum("thd,hsd->hts", q, k) * scale, -np.inf)
    errors = np.where(seen, np.einsum("thd,hsd->hts", q_size, k_size) * scale, 0).max(-1, keepdims=True)
    powers = np.where(seen, np.exp(scores - scores.max(-1, keepdims=True)), 0)
    weights = np.where(seen, powers / powers.sum(-1, keepdims=True), 0)
    out, size = seen_sums(weights, v, seen), magnitudes(weights * (1 + errors), v_size, seen)
    return out.transpose(1, 0, 2), size.transpose(1, 0, 2)


_LAYER_DTYPES = {k: k for k in ("inoutput", "key_cache", "value_cache", "workspace", "pre_work")}


@oracle("diopiFusedContextAttentionInp", dtype=_LAYER_DTYPES)
def fused_context_attention(
    inoutput, qkv_weight, qkv_bias, pre_work, pre_work_size, is_prepared, workspace, workspace_size, key_cache,
    value_cache, layer_id, local_head_num, local_kv_head_num, size_per_head, max_q_len, max_kv_len, rotary_embedding,
    rope_theta,
):  # fmt: skip
    spaces = _workspaces(workspace=workspace, pre_work=pre_work)
    asked = min(pre_work_size, workspace_size) < 0
    sizes = {"pre_work_size": None, "workspace_size": None}
    sizes = sizes if asked else {"pre_work_size": pre_work_size, "workspace_size": workspace_size}
    if asked or not is_prepared:
        return {"inoutput": inoutput, "key_cache": key_cache, "value_cache": value_cache, **sizes, **spaces}
    batch, history = key_cache.shape[1], max_kv_len - max_q_len
    positions = np.broadcast_to(history + np.arange(max_q_len), (batch, max_q_len))
    (q, k, v), (qs, ks, vs) = _projected(
        inoutput, qkv_weight, qkv_bias, local_head_num, local_kv_head_num, size_per_head, positions, rotary_embedding,
        rope_theta,
    )  # fmt: skip
    keys, values = key_cache.copy(), value_cache.copy()
    key_size, value_size = np.zeros(keys.shape), np.zeros(values.shape)
    part = (layer_id, slice(None), slice(None), slice(history, max_kv_len))
    for cache, made in ((keys, k), (key_size, ks), (values, v), (value_size, vs)):
        cache[part] = made.transpose(0, 2, 1, 3)
    seen = np.arange(max_kv_len)[None, :] <= history + np.arange(max_q_len)[:, None]
    used = (layer_id, slice(None), slice(None), slice(0, max_kv_len))
    key_part, value_part = keys[used], values[used]
    key_bound, value_bound = (
        np.maximum(n[used], np.abs(c)) for n, c in ((key_size, key_part), (value_size, value_part))
    )
    rows = [
        _attended(q[b], qs[b], key_part[b], key_bound[b], value_part[b], value_bound[b], seen) for b in range(batch)
    ]
    out, size = (np.array([r[i] for r in rows]).reshape(inoutput.shape) for i in (0, 1))
    return {
        "inoutput": Value(out, size),
        "key_cache": Value(keys, key_size),
        "value_cache": Value(values, value_size),
        **sizes,
        **spaces,
    }


@oracle("diopiFusedDecoderAttentionInp", dtype=_LAYER_DTYPES)
def fused_decoder_attention(
    inoutput, qkv_weight, qkv_bias, workspace, workspace_size, key_cache, value_cache, finished, total_padding_tokens,
    sequence_lengths, step, layer_id, local_head_num, local_kv_head_num, size_per_head, max_seq_len, rotary_embedding,
    rope_theta,
):  # fmt: skip
    spaces = _workspaces(workspace=workspace)
    if workspace_size < 0:
        return {
            "inoutput": inoutput,
            "key_cache": key_cache,
            "value_cache": value_cache,
            "workspace_size": None,
            **spaces,
        }
    batch = inoutput.shape[0]
    padding = 0 if total_padding_tokens is None else total_padding_tokens
    positions = np.broadcast_to(step - 1 - padding, (batch,))[:, None]
    (q, k, v), (qs, ks, vs) = _projected(
        inoutput, qkv_weight, qkv_bias, local_head_num, local_kv_head_num, size_per_head, positions, rotary_embedding,
        rope_theta,
    )  # fmt: skip
    keys, values, out = key_cache.copy(), value_cache.copy(), inoutput.copy()
    key_size, value_size, size = (np.zeros(a.shape) for a in (keys, values, out))
    for b in range(batch):
        if finished is not None and finished[b]:
            continue
        place, count = sequence_lengths[b] % max_seq_len, min(sequence_lengths[b] + 1, max_seq_len)
        for cache, made in ((keys, k), (key_size, ks), (values, v), (value_size, vs)):
            cache[layer_id, b, :, place] = made[b, 0]
        used = [a[layer_id, b, :, :count] for a in (keys, key_size, values, value_size)]
        used[1], used[3] = np.maximum(used[1], np.abs(used[0])), np.maximum(used[3], np.abs(used[2]))
        row, row_size = _attended(q[b], qs[b], used[0], used[1], used[2], used[3], np.ones((1, count), bool))
        out[b], size[b] = row.reshape(-1), row_size.reshape(-1)
    return {
        "inoutput": Value(out, size),
        "key_cache": Value(keys, key_size),
        "value_cache": Value(values, value_size),
        "workspace_size": workspace_size,
        **spaces,
    }
