# SPDX-License-Identifier: BSD-3-Clause
"""Losses over classes. The classes are dimension 1, or dimension 0 for a single sample without a batch dimension."""

import numpy as np

from . import Value, oracle
from .tools import exact_sum


def _class_last(x):
    """x of shape [C] or [N, C, d...], with the dimension of classes moved to the end."""
    return x if x.ndim == 1 else np.moveaxis(x, 1, -1)


def _class_back(x):
    return x if x.ndim == 1 else np.moveaxis(x, -1, 1)


def _weight(weight, x):
    return np.ones(x.shape[-1]) if weight is None else weight


def _target_weights(target, weight, ignore_index):
    """The weight of each sample's class, which is 0 if the sample is ignored, and each sample's class, which is 0 (a
    valid index) if the sample is ignored."""
    counts = target != ignore_index
    safe = np.where(counts, target, 0)
    return np.where(counts, weight[safe] if counts.any() else 0.0, 0.0), safe


def _picked(x, classes):
    if not x.shape[-1]:  # every sample is ignored
        return np.zeros(classes.shape)
    return np.take_along_axis(x, classes[..., None], -1)[..., 0]


def _reduced(losses, sizes, reduction, divisor):
    if reduction == "ReductionNone":
        return Value(losses, magnitude=sizes)
    divisor = divisor if reduction == "ReductionMean" else 1.0
    with np.errstate(invalid="ignore", divide="ignore"):
        return Value(np.divide(exact_sum(losses), divisor), magnitude=np.divide(exact_sum(sizes), divisor))


def _mean_gradient(grad, divisor):
    """The gradient of a sum, from that of its quotient by the divisor. It is not finite if the divisor is 0."""
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.divide(grad, divisor)


def _nll(input, target, weight, reduction, ignore_index):
    x = _class_last(input)
    target = target.reshape(()) if x.ndim == 1 else target  # a target of shape [1] stands for one without dimensions
    w, safe = _target_weights(target, _weight(weight, x), ignore_index)
    losses = -w * np.where(w != 0, _picked(x, safe), 0)
    return _reduced(losses, np.abs(losses), reduction, exact_sum(w)), exact_sum(w)


@oracle("diopiNLLLoss", dtype="input")
def nll_loss(input, target, weight, reduction, ignore_index):
    return _nll(input, target, weight, reduction, ignore_index)[0]


@oracle("diopiNLLLossV2", dtype="input")
def nll_loss_v2(input, target, weight, reduction, ignore_index):
    loss, total = _nll(input, target, weight, reduction, ignore_index)
    return {"out": loss, "totalWeight": np.zeros(()) if reduction == "ReductionNone" else total}


@oracle("diopiNLLLossBackward", "diopiNLLLossV2Backward", dtype="input")
def nll_loss_backward(grad_output, input, target, weight, reduction, ignore_index, totalWeight=None):
    x = _class_last(input)
    w, safe = _target_weights(target, _weight(weight, x), ignore_index)
    g = grad_output
    if reduction == "ReductionMean":
        g = _mean_gradient(g, exact_sum(w) if totalWeight is None else totalWeight)
    result = np.zeros(x.shape)
    with np.errstate(invalid="ignore"):
        slope = np.where(target != ignore_index, -w * g, 0.0)
    np.put_along_axis(result, safe[..., None], slope[..., None], -1)
    return _class_back(result)


def _log_softmax(x):
    if x.shape[-1] == 0:
        return x
    wide = x.astype(np.longdouble)
    shifted = wide - wide.max(-1, keepdims=True)
    return (shifted - np.log(np.exp(shifted).sum(-1, keepdims=True))).astype(np.float64)


def _shares(target, x, weight, ignore_index, smoothing):
    """For each sample: the factor of each class in the loss, the divisor of a mean, and a mask of the classes used."""
    w, count = _weight(weight, x), x.shape[-1]
    smoothing = smoothing if smoothing > 0 else 0.0
    if target.dtype == np.float64:
        divisor = float(np.prod(x.shape[:-1])) if count else 0.0  # without classes a mean is NaN, as in PyTorch
        return w * (_class_last(target) * (1 - smoothing) + smoothing / max(count, 1)), divisor, True
    counts = (target != ignore_index)[..., None]
    target_weights, safe = _target_weights(target, w, ignore_index)
    hot = np.arange(count) == safe[..., None]
    used = counts & (hot | (smoothing != 0))
    shares = np.where(used, w * (hot * (1 - smoothing) + smoothing / count), 0.0)
    return shares, exact_sum(target_weights), used


@oracle("diopiCrossEntropyLoss", dtype="input")
def cross_entropy(input, target, weight, reduction, ignore_index, label_smoothing):
    x = _class_last(input)
    shares, divisor, used = _shares(target, x, weight, ignore_index, label_smoothing)
    logs = _log_softmax(x)
    losses = exact_sum(np.where(used, -shares * logs, 0), -1)
    sizes = exact_sum(np.where(used, np.abs(shares) * (np.abs(logs) + np.abs(x) + 1), 0), -1)
    return _reduced(losses, sizes, reduction, divisor)


@oracle("diopiCrossEntropyLossBackward", dtype="input")
def cross_entropy_backward(grad_output, input, target, weight, reduction, ignore_index, label_smoothing):
    x = _class_last(input)
    shares, divisor, used = _shares(target, x, weight, ignore_index, label_smoothing)
    g = np.asarray(grad_output)
    if reduction == "ReductionMean":
        g = _mean_gradient(g, divisor)
    g = g[..., None] if reduction == "ReductionNone" else g
    logs = _log_softmax(x)
    flow = np.exp(logs) * shares.sum(-1, keepdims=True)
    terms = np.exp(logs) * np.abs(shares).sum(-1, keepdims=True)
    counts = np.any(used, axis=-1, keepdims=True) if np.ndim(used) else used  # an ignored sample has no gradient
    with np.errstate(invalid="ignore"):
        size = np.where(counts, (terms * (1 + np.abs(logs)) + np.abs(shares)) * np.abs(g), 0.0)
        slope = np.where(counts, (flow - shares) * g, 0.0)
    return Value(_class_back(slope), magnitude=_class_back(size))
