# SPDX-License-Identifier: BSD-3-Clause
"""References for the focal loss of logits, after torchvision's; the gradient uses torch.autograd."""

from __future__ import annotations

import numpy as np

from ..reference import Table, composed, gradients, torch
from .loss import REDUCTION


def _single(value):
    return float(np.float32(value))


def _focal_loss(inputs, targets, alpha, gamma, reduction):
    positive, negative = torch.nn.functional.logsigmoid(inputs), torch.nn.functional.logsigmoid(-inputs)
    entropy = -targets * positive - (1 - targets) * negative
    rest = torch.exp(negative) * targets + torch.exp(positive) * (1 - targets)
    loss = entropy * rest ** _single(gamma)
    if alpha >= 0:
        loss = loss * (_single(alpha) * targets + (1 - _single(alpha)) * (1 - targets))
    return {"none": loss, "mean": loss.mean(), "sum": loss.sum()}[REDUCTION[reduction]]


def _focal_loss_backward(grad_output, input, target, gamma, alpha, reduction):
    return gradients(lambda x: _focal_loss(x, target, alpha, gamma, reduction), grad_output, input)[0]


TABLE: Table = {
    "diopiSigmoidFocalLoss": composed("torchvision's formula", _focal_loss, double=True),
    "diopiSigmoidFocalLossBackward": composed(
        "torch.autograd of torchvision's formula", _focal_loss_backward, double=True
    ),
}
