# SPDX-License-Identifier: BSD-3-Clause
"""Focal losses of mmcv, whose targets are classes, and the steps of mmcv's SyncBatchNorm."""

import numpy as np

from . import Value, oracle
from .loss_focal import sigmoid
from .tools import exact_sum

LEAST = 2.0**-126  # the least probability of which the logarithm is taken
AXES = (0, 2)


def _single(value):
    return np.float64(np.float32(value))


def _exists(target, classes):
    return (target >= 0) & (target < classes)


def _class_weights(target, weight, classes):
    """The weight of each sample's class; 1 for the background and without weights."""
    if weight.size == 0:
        return np.ones(target.shape)
    known = _exists(target, classes)
    return np.where(known, weight[np.where(known, target, 0)], 1.0)


def _log_complement(x):
    """log(1 - sigmoid(x)), at least log(LEAST)."""
    exact = -(np.maximum(x, 0) + np.log1p(np.exp(-np.abs(x))))
    return np.where(exact < np.log(LEAST), np.log(LEAST), exact)


def _own_class(input, target):
    """A mask of the class of each sample, and the logits with which every other class is like the background."""
    own = target[:, None] == np.arange(input.shape[1])
    return own, np.where(own, -input, input)


@oracle("diopiSigmoidFocalLossMmcv", dtype="input")
def sigmoid_focal_loss(input, target, weight, gamma, alpha):
    own, y = _own_class(input, target)
    share = np.where(own, _single(alpha), 1 - _single(alpha))
    w = _class_weights(target, weight, input.shape[1])[:, None]
    result = -share * sigmoid(y) ** _single(gamma) * _log_complement(y) * w
    return Value(result, magnitude=np.abs(result))


@oracle("diopiSigmoidFocalLossBackwardMmcv", dtype="input")
def sigmoid_focal_loss_backward(input, target, weight, gamma, alpha):
    own, y = _own_class(input, target)
    share = np.where(own, _single(alpha), -(1 - _single(alpha)))
    w = _class_weights(target, weight, input.shape[1])[:, None]
    p, gain = sigmoid(y), _single(gamma) * sigmoid(-y) * _log_complement(y)
    factor = share * p ** _single(gamma) * w
    return Value(factor * (gain - p), magnitude=np.abs(factor) * (np.abs(gain) + p))


def _own_probability(softmax, target):
    """The probability of each sample's class, 1 minus it, and its logarithm; and whether the class exists."""
    known = _exists(target, softmax.shape[1])
    rows = np.arange(len(softmax))[known]
    p = np.full(len(softmax), 0.5)
    p[known] = softmax[rows, target[known]]
    return p, 1 - p, np.log(np.where(p < LEAST, LEAST, p)), known


@oracle("diopiSoftmaxFocalLossMmcv", dtype="softmax")
def softmax_focal_loss(softmax, target, weight, gamma, alpha):
    p, rest, log, known = _own_probability(softmax, target)
    w = _class_weights(target, weight, softmax.shape[1])
    return np.where(known, -_single(alpha) * rest ** _single(gamma) * log * w, 0.0)


@oracle("diopiSoftmaxFocalLossBackwardMmcv", dtype="softmax")
def softmax_focal_loss_backward(softmax, target, weight, gamma, alpha):
    p, rest, log, known = _own_probability(softmax, target)
    w, gamma = _class_weights(target, weight, softmax.shape[1]), _single(gamma)
    slope = np.where(known, w * _single(alpha) * (gamma * rest ** (gamma - 1) * p * log - rest**gamma), 0.0)
    own = (target[:, None] == np.arange(softmax.shape[1])).astype(np.float64)
    gradient = np.where(known[:, None], slope[:, None] * (own - softmax), 0.0)
    return {"grad_input": gradient, "buff": slope}


def _statistics(dtypes):
    dtype = dtypes.get("input") or dtypes["grad_output"]
    return "float32" if dtype in ("float16", "bfloat16") else dtype


def _count(x):
    return x.shape[0] * x.shape[2]


def _channels(values):
    return values.reshape(1, -1, 1)


@oracle("diopiSyncBnMeanMmcv", dtype=_statistics)
def sync_bn_mean(input):
    n = max(_count(input), 1)
    return Value(exact_sum(input, AXES) / n, magnitude=exact_sum(np.abs(input), AXES) / n)


@oracle("diopiSyncBnVarMmcv", dtype=_statistics)
def sync_bn_var(input, mean):
    n = max(_count(input), 1)
    variance = exact_sum((input - _channels(mean)) ** 2, AXES) / n
    # The local mean, whose error grows with the elements, is compared with the given one.
    off = np.abs(exact_sum(input, AXES) / n - mean) if _count(input) else np.zeros_like(mean)
    return Value(variance, magnitude=variance + 2 * off * exact_sum(np.abs(input), AXES) / n)


@oracle(
    "diopiSyncBnOutputMmcv",
    dtype={
        "output": "input",
        "norm": _statistics,
        "std": _statistics,
        "running_mean": "running_mean",
        "running_var": "running_var",
    },
)
def sync_bn_output(running_mean, running_var, input, mean, var, weight, bias, eps, momentum, group_size):
    eps, momentum, n = _single(eps), _single(momentum), np.float64(_count(input)) * group_size
    std = np.sqrt(var + eps)
    norm = (input - _channels(mean)) / _channels(std)
    size = (np.abs(input) + np.abs(_channels(mean))) / _channels(std)
    w, b = _channels(weight), _channels(bias)
    sample = var * (n / (n - 1)) if n > 1 else var
    return {
        "output": Value(norm * w + b, magnitude=size * np.abs(w) + np.abs(b)),
        "norm": Value(norm, magnitude=size),
        "std": std,
        "running_mean": Value(
            momentum * mean + (1 - momentum) * running_mean, magnitude=np.abs(mean) + np.abs(running_mean)
        ),
        "running_var": Value(
            momentum * sample + (1 - momentum) * running_var, magnitude=np.abs(sample) + np.abs(running_var)
        ),
    }


@oracle("diopiSyncBnBackwardParamMmcv", dtype=_statistics)
def sync_bn_backward_param(grad_output, norm):
    return {
        "grad_weight": Value(
            exact_sum(grad_output * norm, AXES), magnitude=exact_sum(np.abs(grad_output * norm), AXES)
        ),
        "grad_bias": Value(exact_sum(grad_output, AXES), magnitude=exact_sum(np.abs(grad_output), AXES)),
    }


@oracle("diopiSyncBnBackwardDataMmcv", dtype="grad_output")
def sync_bn_backward_data(grad_output, weight, grad_weight, grad_bias, norm, std):
    w, a, b, s = (_channels(v) for v in (weight, grad_weight, grad_bias, std))
    n = np.float64(_count(norm))
    size = (np.abs(grad_output) + (np.abs(a * norm) + np.abs(b)) / n) * np.abs(w / s)
    return Value(w * (grad_output - (a * norm + b) / n) / s, magnitude=size)
