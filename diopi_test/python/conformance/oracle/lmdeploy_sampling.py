# SPDX-License-Identifier: BSD-3-Clause
"""Sampling, penalties and stop criteria of TurboMind."""

import math

import numpy as np

from . import Unspecified, Value, draws, oracle, philox
from .tools import as_dtype

MOST_K = 1024


def largest(dtype):
    """M of the contract."""
    return {"float16": 65504.0, "bfloat16": 3.3895313892515355e38}.get(dtype, 3.4028234663852886e38)


# --- runtime arguments ---


def _settled(top_ks, top_ps, top_k, top_ks_size, top_p, top_ps_size):
    ks = top_ks.copy() if top_ks_size > 1 else np.full(top_ks.shape, top_k)
    ps = top_ps.copy() if top_ps_size > 1 else np.full(top_ps.shape, np.float64(np.float32(top_p)))
    ks[(ks == 0) & (ps == 0)] = 1
    return ks, ps


@oracle("diopiSetupTopkRuntimeArgsInp", dtype={"top_ks": "top_ks", "top_ps": "top_ps", "skip_decode": "bool"})
def setup_topk(top_ks, top_ps, top_k, top_ks_size, top_p, top_ps_size):
    ks, ps = _settled(top_ks, top_ps, top_k, top_ks_size, top_p, top_ps_size)
    ps[(ks > 0) & (ps == 0)] = 1
    return {"top_ks": np.minimum(ks, MOST_K), "top_ps": np.clip(ps, 0, 1), "skip_decode": ks == 0}


@oracle(
    "diopiSetupToppRuntimeArgsInp",
    dtype={
        "top_ks": "top_ks",
        "top_ps": "top_ps",
        "skip_decode": "bool",
        "initial_top_p_buf": "case",
        "top_p_decay_buf": "case",
        "top_p_min_buf": "case",
        "top_p_reset_ids_buf": lambda names: names.get("top_p_reset_ids_buf", names["top_ks"]),
    },
)
def setup_topp(top_ks, top_ps, top_k, top_ks_size, top_p, top_ps_size, top_p_decay, top_p_min, top_p_reset_ids, dtypes):
    ks, ps = _settled(top_ks, top_ps, top_k, top_ks_size, top_p, top_ps_size)
    stored = as_dtype(np.clip(ps, 0, 1), dtypes["top_ps"])
    decay, least = (
        float(np.float32(v)) if 0 < v <= 1 else default for v, default in ((top_p_decay, 1.0), (top_p_min, 0.5))
    )
    return {
        "top_ks": ks,
        "top_ps": stored,
        "skip_decode": ks > 0,
        "initial_top_p_buf": stored,
        "top_p_decay_buf": np.full(top_ks.shape, decay),
        "top_p_min_buf": np.full(top_ks.shape, least),
        "top_p_reset_ids_buf": np.full(top_ks.shape, top_p_reset_ids),
    }


# --- sampling ---


def _uniform(generator):
    return philox.uniform(generator, 1, "float32", 0.0, 1.0)[0]


def _weights(row):
    """The ids in the order of their logits, and exp(logit - largest) of all logits."""
    logits = np.where(np.isnan(row), -np.inf, row)
    top = logits.max()
    return np.argsort(-logits, kind="stable"), np.where(logits == top, 1.0, np.exp(logits - top))


def _top_k(row, k, p, u):
    """The id that is drawn, and its logarithms of probabilities: among all and among the k largest."""
    order, weights = _weights(row)
    chosen = order[: max(1, min(k, row.size))]
    sums = np.cumsum(weights[chosen])
    i = min(int(np.searchsorted(sums, u * p * sums[-1])), chosen.size - 1)
    weight = weights[chosen[i]]
    return chosen[i], np.log(weight / math.fsum(weights)), np.log(weight / sums[-1])


def _top_p(row, p, u):
    order, weights = _weights(row)
    total = math.fsum(weights)
    if weights[order[0]] / total >= p:
        i = 0
    else:
        i = min(int(np.searchsorted(np.cumsum(weights[order]), u * p * total)), row.size - 1)
    log = np.log(weights[order[i]] / total)
    return order[i], log, log


def _state(call):
    """The tensors that a call writes, before the call."""
    return {k: None if call[k] is None else call[k].copy() for k in WRITTEN}


WRITTEN = ("output_ids", "logits", "finished", "sequence_lengths", "cum_log_probs", "output_log_probs")


def _sampled(batch, skip_decode, finished):
    skipped = np.zeros(batch, bool) if skip_decode is None else skip_decode
    ended = np.zeros(batch, bool) if finished is None else finished
    return [b for b in range(batch) if not skipped[b]], ended


def _sample(call, sizes, draw):
    """Draws an id for each sequence; draw(row, b, u) returns what _top_k returns."""
    out = _state(call)
    unchanged = {k: call[k] for k in sizes}
    if any(size < 0 for size in unchanged.values()):
        return {**out, **dict.fromkeys(sizes), **_free(call)}
    active, ended = _sampled(call["batch_size"], call["skip_decode"], call["finished"])
    top = largest(call["dtypes"]["logits"])
    for b in active:
        end, step = call["end_ids"][b], call["step"]
        if ended[b]:
            out["logits"][b] = -top
            out["logits"][b, end] = top
            out["output_ids"][step, b] = end
            continue
        token, log_all, log_chosen = draw(call["logits"][b], b, _uniform(call["generators"][b]))
        out["output_ids"][step, b] = token
        if out["cum_log_probs"] is not None:
            out["cum_log_probs"][b] += log_all
        if out["output_log_probs"] is not None:
            out["output_log_probs"][b] = log_chosen
        if out["finished"] is not None and out["sequence_lengths"] is not None:
            out["sequence_lengths"][b] += 1
            out["finished"][b] = token == end
    return {**out, **_logarithms(call, out), **unchanged, **_free(call)}


def _logarithms(call, out):
    """The logarithms with their magnitudes: the quotient of a weight and a sum is near 1 and has a relative error."""
    result = {}
    for name in ("cum_log_probs", "output_log_probs"):
        if out[name] is not None:
            written = out[name] != call[name]
            before = call[name] if name == "cum_log_probs" else np.zeros(out[name].shape)
            result[name] = Value(out[name], np.where(written, 1 + np.abs(before) + np.abs(out[name]), 0))
    return result


def _free(call):
    """The workspaces, which may hold anything after a call."""
    names = [k for k in ("workspace", "persistent_workspace") if call.get(k) is not None]
    return {k: Unspecified(call[k].shape) for k in names}


_SAMPLING_DTYPES = {
    **{k: k for k in WRITTEN},
    "workspace": "workspace",
    "persistent_workspace": "persistent_workspace",
}


@oracle("diopiTopKSampling", dtype=_SAMPLING_DTYPES)
def top_k_sampling(
    output_ids,
    logits,
    workspace,
    workspace_size,
    end_ids,
    finished,
    sequence_lengths,
    step,
    batch_size,
    runtime_top_k,
    runtime_top_p,
    skip_decode,
    cum_log_probs,
    output_log_probs,
    generators,
    dtypes,
):
    return _sample(locals(), ("workspace_size",), lambda row, b, u: _top_k(row, runtime_top_k[b], runtime_top_p[b], u))


@oracle("diopiTopPSampling", dtype=_SAMPLING_DTYPES)
def top_p_sampling(
    output_ids,
    logits,
    persistent_workspace,
    persistent_workspace_size,
    workspace,
    workspace_size,
    end_ids,
    finished,
    sequence_lengths,
    step,
    batch_size,
    runtime_top_p,
    skip_decode,
    cum_log_probs,
    output_log_probs,
    generators,
    dtypes,
):
    sizes = ("workspace_size", "persistent_workspace_size")
    return _sample(locals(), sizes, lambda row, b, u: _top_p(row, runtime_top_p[b], u))


@draws("diopiTopKSampling", "diopiTopPSampling")
def words_of_sampling(batch_size, skip_decode, finished, workspace_size, persistent_workspace_size=0, **_):
    if workspace_size < 0 or persistent_workspace_size < 0:
        return [None] * batch_size
    active, ended = _sampled(batch_size, skip_decode, finished)
    return [1 if b in active and not ended[b] else None for b in range(batch_size)]


# --- penalties and stop criteria ---


def _words(table):
    """The words of a table [2, W]: row 0 has the ids, row 1 the ends; a negative end is no word."""
    start = 0
    for end in table[1]:
        if end < 0:
            continue
        if end > start:
            yield [int(i) for i in table[0, start:end]]
        start = end


def _produced(output_ids, batch_size, id_offset, b, steps):
    """The ids that a sequence produced in these steps."""
    flat = output_ids.reshape(-1)
    return [int(flat[t * batch_size + id_offset + b]) for t in steps]


@oracle("diopiBanBadWordsInp", dtype="logits")
def ban_bad_words(logits, output_ids, bad_words, id_offset, share_words, batch_size, vocab_size, step):
    out = logits.copy()
    for b in range(batch_size):
        for word in _words(bad_words if share_words else bad_words[b]):
            *context, last = word
            m = len(context)
            if step >= m and _produced(output_ids, batch_size, id_offset, b, range(step - m, step)) == context:
                if 0 < last < vocab_size:
                    out[b, last] = -np.inf
    return out


@oracle("diopiStopWordsCriterion", dtype="bool")
def stop_words(output_ids, stop_words, finished, id_offset, batch_size, step):
    out = finished.copy()
    for b in range(batch_size):
        for word in _words(stop_words[b]):
            steps = range(step + 1 - len(word), step + 1)
            if step + 1 >= len(word) and _produced(output_ids, batch_size, id_offset, b, steps) == word:
                out[b] = True
    return out


@oracle("diopiLengthCriterion", dtype={"finished": "bool", "should_stop": "bool", "finished_sum": "case"})
def length_criterion(finished, sequence_limit_length, step, should_stop=(), finished_sum=()):
    ended = finished | (step >= sequence_limit_length)
    return {
        "finished": ended,
        "should_stop": np.full(should_stop, bool(ended.all())),
        "finished_sum": np.full(finished_sum, int(ended.sum())),
    }


@oracle("diopiBatchApplyRepetitionPenaltyInp", dtype="logits")
def repetition_penalty(
    logits, penalties, output_ids, batch_size, vocab_size, input_lengths, max_input_length, step, penalty_type
):
    out = logits.copy()
    for b in range(batch_size):
        rows = [t for t in range(step) if not input_lengths[b] <= t < max_input_length]
        ids = np.unique(output_ids[rows, b])
        ids = ids[(ids >= 0) & (ids < vocab_size)]
        before, penalty = logits[b, ids], penalties[b]
        if penalty_type == 1:
            out[b, ids] = before - penalty
        elif penalty_type == 2:
            out[b, ids] = np.where(before < 0, before * penalty, before / penalty)
    return out


@oracle("diopiBatchApplyTemperaturePenaltyInp", dtype="logits")
def temperature_penalty(logits, bias, temperatures, vocab_size, dtypes):
    out = np.full(logits.shape, -largest(dtypes["logits"]))
    shift = 0.0 if bias is None else bias[:vocab_size]
    before = logits[:, :vocab_size]
    factor = 1 / (temperatures[:, None] + 1e-6)
    out[:, :vocab_size] = (before + shift) * factor
    magnitude = np.abs(out)
    magnitude[:, :vocab_size] = (np.abs(before) + np.abs(shift)) * np.abs(factor)
    return Value(out, magnitude)
