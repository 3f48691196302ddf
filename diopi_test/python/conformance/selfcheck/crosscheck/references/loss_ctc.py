# SPDX-License-Identifier: BSD-3-Clause
"""References for connectionist temporal classification, in double precision."""

from __future__ import annotations

from typing import Any

from ..reference import Reference, Table, torch
from .loss import REDUCTION


def _ctc_loss(log_probs, targets, input_lengths, target_lengths, blank, reduction, zero_infinity) -> Any:
    targets, inputs, labels = targets.long(), input_lengths.long(), target_lengths.long()
    nll, alpha = torch.ops.aten._ctc_loss(log_probs, targets, inputs, labels, blank, False)
    out = torch.nn.functional.ctc_loss(
        log_probs, targets, inputs, labels, blank, REDUCTION[reduction], zero_infinity=zero_infinity
    )
    states = torch.arange(alpha.shape[2])[None, None, :] < 2 * labels[:, None, None] + 1
    steps = torch.arange(alpha.shape[1])[None, :, None] < inputs[:, None, None]
    return out, nll, torch.where(states & steps, alpha, -torch.inf)


def _ctc_loss_backward(
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
) -> Any:
    targets, inputs, labels = targets.long(), input_lengths.long(), target_lengths.long()
    grad = grad_output.reshape(-1).expand(len(labels))
    if reduction == "ReductionMean":
        grad = grad / (len(labels) * labels.clamp(min=1))
    return torch.ops.aten._ctc_loss_backward(
        grad.contiguous(), log_probs, targets, inputs, labels, neg_log_likelihood, log_alpha, blank, zero_infinity
    )


TABLE: Table = {
    "diopiCTCLoss": Reference("torch.ops.aten._ctc_loss, ctc_loss", _ctc_loss, double=True),
    "diopiCTCLossBackward": Reference("torch.ops.aten._ctc_loss_backward", _ctc_loss_backward, double=True),
}
