# SPDX-License-Identifier: BSD-3-Clause
"""Connectionist temporal classification: the recursions over states, which are labels with blanks around them."""

import numpy as np

from . import Value, oracle


def _log_sum(rows):
    return np.logaddexp.reduce(np.stack(rows), 0)


def _shifted(row, by):
    """row[s - by], and -infinity outside of the row."""
    result = np.full(row.shape, -np.inf)
    if by > 0:
        result[by:] = row[:-by]
    elif by < 0:
        result[:by] = row[-by:]
    return result


def _sequences(targets, target_lengths, blank):
    """The states of each sequence."""
    begins = np.cumsum(target_lengths) - target_lengths
    for n, length in enumerate(target_lengths):
        labels = targets[begins[n] : begins[n] + length] if targets.ndim == 1 else targets[n, :length]
        states = np.full(2 * length + 1, blank)
        states[1::2] = labels
        yield n, states


def _recursion(probs, states, side):
    """The rows of the recursion from the first time step on; `side` is 1 for alpha."""
    jump = np.where(states == np.roll(states, 2 * side), -np.inf, 0.0)
    row, rows = np.full(len(states), -np.inf), list[np.ndarray]()
    for t, p in enumerate(probs[:, states]):
        if t == 0:
            ends = slice(0, 2) if side > 0 else slice(max(0, len(states) - 2), None)
            row[ends] = p[ends]
        else:
            row = _log_sum([row, _shifted(row, side), _shifted(row, 2 * side) + jump]) + p
        rows.append(row.copy())
    return np.array(rows).reshape(len(rows), len(states))


def _per_sequence(values, target_lengths, reduction):
    """The factor of each sequence in the loss."""
    if reduction == "ReductionMean":
        return values / (len(target_lengths) * np.maximum(target_lengths, 1))
    return values * np.ones(len(target_lengths))


@oracle("diopiCTCLoss", dtype="log_probs")
def ctc_loss(log_probs, targets, input_lengths, target_lengths, blank, reduction, zero_infinity):
    steps, count, _ = log_probs.shape
    longest = int(target_lengths.max(initial=0))
    alpha = np.full((count, steps, 2 * longest + 1), -np.inf)
    loss = np.full(count, np.inf)
    for n, states in _sequences(targets, target_lengths, blank):
        length = input_lengths[n]
        rows = _recursion(log_probs[:length, n], states, 1)
        alpha[n, :length, : len(states)] = rows
        if length:
            loss[n] = -_log_sum(list(rows[-1][-2:]))
        elif len(states) == 1:
            loss[n] = 0.0
    counted = np.where(np.isposinf(loss), 0.0, loss) if zero_infinity else loss
    weighted = counted * _per_sequence(1.0, target_lengths, reduction)
    out = weighted if reduction == "ReductionNone" else weighted.sum()
    if reduction == "ReductionMean" and not count:
        out = np.float64(np.nan)
    size = np.abs(weighted) if reduction == "ReductionNone" else np.abs(weighted).sum()
    # Logarithms of sums near 1 are near 0, with the error of the sums.
    return {
        "out": Value(out, magnitude=size),
        "neg_log_likelihood": Value(loss, magnitude=np.abs(loss) + 1),
        "log_alpha": Value(alpha, magnitude=np.abs(alpha) + 1),
    }


@oracle("diopiCTCLossBackward", dtype="log_probs")
def ctc_loss_backward(
    grad_output,
    log_probs,
    targets,
    input_lengths,
    target_lengths,
    neg_log_likelihood,
    log_alpha,
    blank,
    reduction,
    zero_infinity,
):
    factors = _per_sequence(grad_output.reshape(-1), target_lengths, reduction)
    grad, size = np.zeros(log_probs.shape), np.zeros(log_probs.shape)
    for n, states in _sequences(targets, target_lengths, blank):
        loss, length = neg_log_likelihood[n], input_lengths[n]
        if zero_infinity and np.isposinf(loss):
            continue
        probs = log_probs[:length, n]
        beta = _recursion(probs[::-1], states, -1)[::-1]
        alpha = log_alpha[n, :length, : len(states)]
        terms = np.full(probs.shape, np.exp(-np.inf + loss))
        spread = terms.copy()
        each = np.exp(alpha + beta + loss - probs[:, states])
        weight = np.ones(()) + sum(
            np.abs(np.where(np.isfinite(x), x, 0)) for x in (alpha, beta, loss, probs[:, states])
        )
        for s, label in enumerate(states):
            terms[:, label] += each[:, s]
            spread[:, label] += each[:, s] * weight[:, s]
        grad[:length, n] = (np.exp(probs) - terms) * factors[n]
        size[:length, n] = (np.exp(probs) + spread) * np.abs(factors[n])
    return Value(grad, magnitude=size)
