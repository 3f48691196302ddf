# SPDX-License-Identifier: BSD-3-Clause
"""Focal loss of logits with an optional reduction."""

import numpy as np

from . import Value, oracle
from .tools import exact_sum


def sigmoid(x):
    small = np.exp(-np.abs(x))
    return np.where(x >= 0, 1 / (1 + small), small / (1 + small))


class _Terms:
    def __init__(self, x, t, alpha):
        alpha = np.float64(np.float32(alpha))
        self.s, self.c = sigmoid(x), sigmoid(-x)
        large, small = np.where(x > 0, (1 - t) * x, -t * x), np.log1p(np.exp(-np.abs(x)))
        self.e, self.size = large + small, np.abs(large) + small
        self.q = self.s * (1 - t) + self.c * t
        self.a = 1.0 if alpha < 0 else alpha * t + (1 - alpha) * (1 - t)


@oracle("diopiSigmoidFocalLoss", promote=("inputs", "targets"))
def sigmoid_focal_loss(inputs, targets, alpha, gamma, reduction, out=None):
    f = _Terms(inputs, targets, alpha)
    factor = f.a * f.q ** np.float64(np.float32(gamma))
    losses, sizes = np.asarray(factor * f.e), np.asarray(np.abs(factor) * f.size)
    if reduction == "ReductionNone":
        return Value(losses, magnitude=sizes)
    count = losses.size if reduction == "ReductionMean" else 1
    total, size = np.divide(exact_sum(losses), count), np.divide(exact_sum(sizes), count)
    return Value(total.reshape(out or ()), magnitude=size.reshape(out or ()))


@oracle("diopiSigmoidFocalLossBackward", promote=("grad_output", "input", "target"), dtype="input")
def sigmoid_focal_loss_backward(grad_output, input, target, gamma, alpha, reduction):
    f, gamma = _Terms(input, target, alpha), np.float64(np.float32(gamma))
    direct = f.q**gamma * (f.s * (1 - target) - f.c * target)
    change = f.s * f.c * f.e
    power = gamma * f.q ** (gamma - 1) if gamma else np.zeros_like(f.q)
    indirect = np.where(change == 0, 0.0, power * (2 * target - 1) * change)
    factor = f.a * grad_output / (input.size if reduction == "ReductionMean" else 1)
    terms = f.q**gamma * (f.s * np.abs(1 - target) + f.c * np.abs(target)) + np.abs(indirect) * f.size / np.maximum(
        np.abs(f.e), 1e-300
    )
    return Value(factor * (direct - indirect), magnitude=np.abs(factor) * terms)
