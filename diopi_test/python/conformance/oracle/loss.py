# SPDX-License-Identifier: BSD-3-Clause
"""Element-wise losses with an optional reduction."""

import numpy as np

from ..dtypes import FLOATING, is_integral, promote, round_through
from . import Value, oracle
from .tools import exact_sum


def _log_bounded(x):
    return np.maximum(np.log(x), -100)


def _sigmoid(x):
    small = np.exp(-np.abs(x))
    return np.where(x >= 0, 1 / (1 + small), small / (1 + small))


def _reduced(terms, reduction, out=None):
    """The loss of each element, or the sum or mean of the losses. A sum or mean has shape [] or the shape `out`."""
    terms = np.asarray(terms)
    if reduction == "ReductionNone":
        return Value(terms, magnitude=np.abs(terms))
    count = terms.size if reduction == "ReductionMean" else 1
    total, size = np.divide(exact_sum(terms), count), np.divide(exact_sum(np.abs(terms)), count)
    return Value(total.reshape(out or ()), magnitude=size.reshape(out or ()))


def _grad(slope, grad_output, reduction):
    result = slope * grad_output / (slope.size if reduction == "ReductionMean" else 1)
    return Value(result, magnitude=np.abs(result))


@oracle("diopiMSELoss", promote=("input", "target"))
def mse_loss(input, target, reduction, out=None):
    return _reduced((input - target) ** 2, reduction, out)


def _of_input(dtypes):
    """The dtype of a gradient that the call makes: a floating point one, which grad_output may have to provide."""
    dtype = promote(dtypes["input"], dtypes["target"])
    return dtype if dtype in FLOATING else promote(dtype, dtypes["grad_output"])


@oracle("diopiMSELossBackward", promote=("grad_output", "input", "target"), dtype=_of_input)
def mse_loss_backward(grad_output, input, target, reduction):
    return _grad(2 * (input - target), grad_output, reduction)


@oracle("diopiSmoothL1Loss", promote=("input", "target"))
def smooth_l1_loss(input, target, reduction, beta, out=None):
    distance = np.abs(input - target)
    terms = np.where(distance < beta, 0.5 * distance**2 / (beta or 1), distance - 0.5 * beta)
    return _reduced(terms, reduction, out)


@oracle("diopiSmoothL1LossBackward", promote=("grad_output", "input", "target"), dtype=_of_input)
def smooth_l1_loss_backward(grad_output, input, target, reduction, beta):
    delta = input - target
    return _grad(np.where(np.abs(delta) < beta, delta / (beta or 1), np.sign(delta)), grad_output, reduction)


def _weight(weight, dtypes):
    """The weight; integers are rounded to the promoted dtype first."""
    if weight is None:
        return 1
    return round_through(weight, dtypes["promoted"]) if is_integral(dtypes["weight"]) else weight


@oracle("diopiBCELoss", promote=("input", "target"))
def bce_loss(input, target, weight, reduction, dtypes):
    terms = (target - 1) * np.maximum(np.log1p(-input), -100) - target * _log_bounded(input)
    return _reduced(terms * _weight(weight, dtypes), reduction)


@oracle("diopiBCELossBackward", promote=("input", "target"))
def bce_loss_backward(grad_output, input, target, weight, reduction, dtypes):
    slope = (input - target) / np.maximum((1 - input) * input, 1e-12)
    return _grad(slope * _weight(weight, dtypes), grad_output, reduction)


@oracle("diopiBCEWithLogits", promote=("input", "target"))
def bce_with_logits(input, target, weight, pos_weight, reduction, dtypes):
    softplus = np.log1p(np.exp(-np.abs(input))) + np.maximum(-input, 0)
    change = ((1.0 if pos_weight is None else np.asarray(pos_weight, np.float64)) - 1) * target
    weighted = (1 + change) * softplus
    w = _weight(weight, dtypes)
    loss = _reduced(((1 - target) * input + weighted) * w, reduction)
    size = _reduced((np.abs((1 - target) * input) + (1 + np.abs(change)) * softplus) * np.abs(w), reduction)
    return Value(loss.array, magnitude=size.array)


@oracle("diopiBCEWithLogitsBackward", promote=("input", "target"))
def bce_with_logits_backward(grad_output, input, target, weight, pos_weight, reduction, dtypes):
    weighted = (1 if pos_weight is None else pos_weight) * target
    w = _weight(weight, dtypes)
    mass = (weighted + 1 - target) * _sigmoid(input)
    grad = _grad((mass - weighted) * w, grad_output, reduction)
    terms = (np.abs(weighted) + 1 + np.abs(target)) * _sigmoid(input) + np.abs(weighted)
    size = _grad(terms * np.abs(w), np.abs(grad_output), reduction)
    return Value(grad.array, magnitude=size.array)
