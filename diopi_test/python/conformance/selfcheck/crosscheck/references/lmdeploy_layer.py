# SPDX-License-Identifier: BSD-3-Clause
"""References for the fused layers of TurboMind's decoder."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ..reference import SPECIFICATION, Reference, Table, composed, torch


def _feed_forward(inoutput, weight1, weight2, weight3, workspace, workspace_size, fusion_level):
    if fusion_level < 0 or inoutput.ndim != 2 or weight1.ndim != 2:
        raise RuntimeError("the arguments are wrong")
    if workspace_size < 0:
        return {"inoutput": inoutput, "workspace": None}
    silu = torch.nn.functional.silu
    return {"inoutput": (silu(inoutput @ weight1) * (inoutput @ weight3)) @ weight2, "workspace": None}


def _rms(inoutput, scale, eps):
    if inoutput.ndim != 2 or scale.ndim != 1:
        raise RuntimeError("inoutput must be a matrix, scale a vector")
    small = float(torch.tensor(eps, dtype=torch.float32))
    return torch.nn.functional.rms_norm(inoutput, list(scale.shape), scale, small)


def _add_rms(inoutput, residual, bias, scale, eps, dtypes):
    if residual.shape != inoutput.shape or bias is not None and bias.shape != scale.shape:
        raise RuntimeError("the shapes do not fit")
    total = residual + inoutput + (0 if bias is None else bias)
    stored = total.to(getattr(torch, dtypes["residual"])).double()
    return {"inoutput": _rms(stored, scale.double(), eps), "residual": total}


class _Layer:
    """The attention of one layer, token by token, with rotations as complex numbers and PyTorch's softmax."""

    def __init__(self, call: dict[str, Any]) -> None:
        self.heads, self.key_heads, self.size = (
            call[k] for k in ("local_head_num", "local_kv_head_num", "size_per_head")
        )
        self.rotary, self.theta = call["rotary_embedding"], float(np.float32(call["rope_theta"]))
        self.made = call["inoutput"] @ call["qkv_weight"] + (0 if call["qkv_bias"] is None else call["qkv_bias"])
        self.keys, self.values = (call[k].copy() for k in ("key_cache", "value_cache"))
        self.layer = call["layer_id"]

    def turned(self, head: np.ndarray, position: int) -> np.ndarray:
        out = head.copy()
        for i in range(max(self.rotary, 0) // 2):
            turn = complex(math.cos(a := position * self.theta ** (-2 * i / self.rotary)), math.sin(a))
            z = complex(head[2 * i], head[2 * i + 1]) * turn
            out[2 * i], out[2 * i + 1] = z.real, z.imag
        return out

    def store(self, row: int, b: int, place: int, position: int) -> None:
        heads = self.made[row].reshape(-1, self.size)
        for h in range(self.key_heads):
            self.keys[self.layer, b, h, place] = self.turned(heads[self.heads + h], position)
            self.values[self.layer, b, h, place] = heads[self.heads + self.key_heads + h]

    def attend(self, row: int, b: int, seen: int, position: int) -> np.ndarray:
        heads, out = self.made[row].reshape(-1, self.size), []
        for h in range(self.heads):
            at = (self.layer, b, h * self.key_heads // self.heads, slice(0, seen))
            scores = (self.keys[at] * self.turned(heads[h], position)).sum(1) / math.sqrt(self.size)
            weights = torch.softmax(torch.from_numpy(scores), 0).numpy()
            out.append((weights[:, None] * self.values[at]).sum(0))
        return np.concatenate(out)


_UNTOUCHED = ("inoutput", "key_cache", "value_cache")


def _context(
    inoutput, qkv_weight, qkv_bias, pre_work, pre_work_size, is_prepared, workspace, workspace_size, key_cache,
    value_cache, layer_id, local_head_num, local_kv_head_num, size_per_head, max_q_len, max_kv_len, rotary_embedding,
    rope_theta,
):  # fmt: skip
    call = dict(locals())
    spaces = {"pre_work": None, "workspace": None}
    if min(pre_work_size, workspace_size) < 0 or not is_prepared:
        return {**{k: call[k] for k in _UNTOUCHED}, **spaces}
    layer, out = _Layer(call), inoutput.copy()
    tokens = [
        (b * max_q_len + t, b, max_kv_len - max_q_len + t) for b in range(key_cache.shape[1]) for t in range(max_q_len)
    ]
    for row, b, position in tokens:
        layer.store(row, b, position, position)
    for row, b, position in tokens:
        out[row] = layer.attend(row, b, position + 1, position)
    return {"inoutput": out, "key_cache": layer.keys, "value_cache": layer.values, **spaces}


def _decoder(
    inoutput, qkv_weight, qkv_bias, workspace, workspace_size, key_cache, value_cache, finished, total_padding_tokens,
    sequence_lengths, step, layer_id, local_head_num, local_kv_head_num, size_per_head, max_seq_len, rotary_embedding,
    rope_theta,
):  # fmt: skip
    call = dict(locals())
    if workspace_size < 0:
        return {**{k: call[k] for k in _UNTOUCHED}, "workspace": None}
    layer, out = _Layer(call), inoutput.copy()
    for b, length in enumerate(int(n) for n in sequence_lengths):
        if finished is not None and finished[b]:
            continue
        position = step - 1 - (0 if total_padding_tokens is None else int(total_padding_tokens[b]))
        layer.store(b, b, length % max_seq_len, position)
        out[b] = layer.attend(b, b, min(length + 1, max_seq_len), position)
    return {"inoutput": out, "key_cache": layer.keys, "value_cache": layer.values, "workspace": None}


_BY_TOKEN = "the contract's text, token by token"
TABLE: Table = {
    "diopiFusedContextAttentionInp": Reference(_BY_TOKEN, _context, SPECIFICATION, with_torch=True),
    "diopiFusedDecoderAttentionInp": Reference(_BY_TOKEN, _decoder, SPECIFICATION, with_torch=True),
    "diopiFusedSiluFfnInp": composed("torch.nn.functional.silu and products", _feed_forward, double=True),
    "diopiRootMeanSquareNormInp": composed("torch.nn.functional.rms_norm", _rms, double=True),
    "diopiFusedAddRootMeanSquareNormInp": composed("sums, torch.nn.functional.rms_norm", _add_rms, double=True),
}
