# SPDX-License-Identifier: BSD-3-Clause
"""References for TurboMind's sampling, penalties and stop criteria: a second implementation of the contract's text
with Python's lists and numbers, one sequence after the other."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ..reference import SPECIFICATION, Reference, Table
from .random import words

LIMITS = {"float16": 65504.0, "bfloat16": 255 * 2.0**120, "float32": (2 - 2**-23) * 2.0**127}


def _settle(top_ks, top_ps, top_k, top_ks_size, top_p, top_ps_size):
    for b in range(len(top_ks)):
        k = int(top_ks[b]) if top_ks_size > 1 else top_k
        p = float(top_ps[b]) if top_ps_size > 1 else float(np.float32(top_p))
        yield (1 if k == 0 and p == 0 else k), p


def _setup_topk(top_ks, top_ps, top_k, top_ks_size, top_p, top_ps_size):
    rows = list(_settle(top_ks, top_ps, top_k, top_ks_size, top_p, top_ps_size))
    ps = [1.0 if k > 0 and p == 0 else min(max(p, 0.0), 1.0) for k, p in rows]
    return {
        "top_ks": np.array([min(k, 1024) for k, _ in rows], np.int64),
        "top_ps": np.array(ps, np.float64),
        "skip_decode": np.array([k == 0 for k, _ in rows], bool),
    }


def _share(value, default):
    number = float(np.float32(value))
    return number if 0 < number <= 1 else default


def _setup_topp(top_ks, top_ps, top_k, top_ks_size, top_p, top_ps_size, top_p_decay, top_p_min, top_p_reset_ids):
    rows = list(_settle(top_ks, top_ps, top_k, top_ks_size, top_p, top_ps_size))
    n, ps = len(rows), np.array([min(max(p, 0.0), 1.0) for _, p in rows], np.float64)
    return {
        "top_ks": np.array([k for k, _ in rows], np.int64),
        "top_ps": ps,
        "skip_decode": np.array([k > 0 for k, _ in rows], bool),
        "initial_top_p_buf": ps,
        "top_p_decay_buf": np.array([_share(top_p_decay, 1.0)] * n, np.float64),
        "top_p_min_buf": np.array([_share(top_p_min, 0.5)] * n, np.float64),
        "top_p_reset_ids_buf": np.array([top_p_reset_ids] * n, np.int64),
    }


def _ranked(logits: list[float]) -> list[tuple[float, int]]:
    """The weights and ids of a row, the largest weight first."""
    clean = [-math.inf if math.isnan(x) else x for x in logits]
    top = max(clean)
    order = sorted(range(len(clean)), key=lambda i: (-clean[i], i))
    return [(1.0 if clean[i] == top else math.exp(clean[i] - top), i) for i in order]


def _pick(ranked: list[tuple[float, int]], target: float) -> tuple[float, int]:
    total = 0.0
    for weight, i in ranked:
        total += weight
        if total >= target:
            return weight, i
    return ranked[-1]


def _log(x: float) -> float:
    return math.log(x) if x > 0 else -math.inf


def _sample(call: dict[str, Any], choose: Any) -> dict[str, Any]:
    names = ("output_ids", "logits", "finished", "sequence_lengths", "cum_log_probs", "output_log_probs")
    out: dict[str, Any] = {k: None if call[k] is None else call[k].copy() for k in names}
    sizes = {k: call[k] for k in ("persistent_workspace_size", "workspace_size") if k in call}
    spaces: dict[str, Any] = {k: None for k in ("persistent_workspace", "workspace") if k in call}
    if min(sizes.values()) < 0:
        return {**out, **spaces}
    top = LIMITS.get(call["dtypes"]["logits"], LIMITS["float32"])
    for b in range(call["batch_size"]):
        if call["skip_decode"] is not None and call["skip_decode"][b]:
            continue
        end = int(call["end_ids"][b])
        if call["finished"] is not None and call["finished"][b]:
            out["logits"][b] = [top if i == end else -top for i in range(call["vocab_size_padded"])]
            out["output_ids"][call["step"], b] = end
            continue
        u = (next(words(call["generators"][b])) >> 8) / 2**24
        token, log_all, log_chosen = choose(_ranked([float(x) for x in call["logits"][b]]), b, u)
        out["output_ids"][call["step"], b] = token
        if out["cum_log_probs"] is not None:
            out["cum_log_probs"][b] += log_all
        if out["output_log_probs"] is not None:
            out["output_log_probs"][b] = log_chosen
        if out["finished"] is not None and out["sequence_lengths"] is not None:
            out["finished"][b] = token == end
            out["sequence_lengths"][b] += 1
    return {**out, **spaces}


def _top_k(
    output_ids, logits, workspace, workspace_size, end_ids, finished, sequence_lengths, step, batch_size,
    vocab_size_padded, runtime_top_k, runtime_top_p, skip_decode, cum_log_probs, output_log_probs, generators, dtypes,
):  # fmt: skip
    def choose(ranked, b, u):
        chosen = ranked[: min(max(int(runtime_top_k[b]), 1), len(ranked))]
        total = sum(w for w, _ in chosen)
        weight, token = _pick(chosen, u * float(runtime_top_p[b]) * total)
        return token, _log(weight / math.fsum(w for w, _ in ranked)), _log(weight / total)

    return _sample(locals(), choose)


def _top_p(
    output_ids, logits, persistent_workspace, persistent_workspace_size, workspace, workspace_size, end_ids, finished,
    sequence_lengths, step, batch_size, vocab_size_padded, runtime_top_p, skip_decode, cum_log_probs, output_log_probs,
    generators, dtypes,
):  # fmt: skip
    def choose(ranked, b, u):
        total, p = math.fsum(w for w, _ in ranked), float(runtime_top_p[b])
        weight, token = ranked[0] if ranked[0][0] / total >= p else _pick(ranked, u * p * total)
        return token, _log(weight / total), _log(weight / total)

    return _sample(locals(), choose)


def _spelled(ids: Any, ends: Any) -> list[list[int]]:
    found, start = [], 0
    for end in (int(e) for e in ends if e >= 0):
        found.append([int(i) for i in ids[start:end]])
        start = end
    return [word for word in found if word]


def _history(output_ids: Any, batch_size: int, id_offset: int, b: int, length: int) -> list[int]:
    flat = [int(i) for i in np.ravel(output_ids)]
    return [flat[t * batch_size + id_offset + b] for t in range(length)]


def _ends_with(history: list[int], part: list[int]) -> bool:
    return len(part) <= len(history) and history[len(history) - len(part) :] == part


def _ban(logits, output_ids, bad_words, id_offset, share_words, batch_size, vocab_size, step):
    out = logits.copy()
    for b in range(batch_size):
        history = _history(output_ids, batch_size, id_offset, b, step)
        for word in _spelled(*(bad_words if share_words else bad_words[b])):
            if _ends_with(history, word[:-1]) and 0 < word[-1] < vocab_size:
                out[b, word[-1]] = -math.inf
    return out


def _stop(output_ids, stop_words, finished, id_offset, batch_size, step):
    ends = [
        any(_ends_with(_history(output_ids, batch_size, id_offset, b, step + 1), w) for w in _spelled(*stop_words[b]))
        for b in range(batch_size)
    ]
    return np.array([bool(f) or e for f, e in zip(finished, ends)], bool)


def _length(finished, sequence_limit_length, batch_size, step, should_stop, finished_sum):
    ended = [bool(f) or step >= int(n) for f, n in zip(finished, sequence_limit_length)]
    return {
        "finished": np.array(ended, bool),
        "should_stop": np.full(should_stop, sum(ended) == batch_size),
        "finished_sum": np.full(finished_sum, sum(ended)),
    }


def _repetition(
    logits, penalties, output_ids, batch_size, vocab_size, input_lengths, max_input_length, step, penalty_type
):
    out = logits.copy()
    for b in range(batch_size):
        seen = {int(output_ids[t, b]) for t in range(step) if t < input_lengths[b] or t >= max_input_length}
        for i in (i for i in seen if 0 <= i < vocab_size):
            x, by = logits[b, i], penalties[b]
            out[b, i] = (x, x - by, x * by if x < 0 else np.divide(x, by))[penalty_type]
    return out


def _temperature(logits, bias, temperatures, vocab_size, dtypes):
    top = LIMITS.get(dtypes["logits"], LIMITS["float32"])
    rows = []
    for row, t in zip(logits, temperatures):
        head = [(x + (0.0 if bias is None else bias[i])) * (1 / (t + 1e-6)) for i, x in enumerate(row[:vocab_size])]
        rows.append(head + [-top] * (len(row) - vocab_size))
    return np.array(rows, np.float64).reshape(logits.shape)


def _specified(call: Any) -> Reference:
    return Reference("the contract's text", call, SPECIFICATION)


TABLE: Table = {
    "diopiSetupTopkRuntimeArgsInp": _specified(_setup_topk),
    "diopiSetupToppRuntimeArgsInp": _specified(_setup_topp),
    "diopiTopKSampling": _specified(_top_k),
    "diopiTopPSampling": _specified(_top_p),
    "diopiBanBadWordsInp": _specified(_ban),
    "diopiStopWordsCriterion": _specified(_stop),
    "diopiLengthCriterion": _specified(_length),
    "diopiBatchApplyRepetitionPenaltyInp": _specified(_repetition),
    "diopiBatchApplyTemperaturePenaltyInp": _specified(_temperature),
}
