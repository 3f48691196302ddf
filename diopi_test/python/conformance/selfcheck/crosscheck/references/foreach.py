# SPDX-License-Identifier: BSD-3-Clause
"""References for lists of tensors and gradient scaling: PyTorch's functions on the whole list."""

from __future__ import annotations

from ..reference import Reference, Table, torch


def _add(inputs, other):
    return [torch.add(x, other) for x in inputs]


def _mul(inputs, other):
    return [torch.mul(x, other) for x in inputs]


def _mul_tensor(inputs, other):
    return [torch.mul(x, other.reshape(())) for x in inputs]


def _norm(inputs, ord):
    return torch._foreach_norm(inputs, ord) if inputs else []


def _unscale(scaled_grads, found_inf, inv_scale):
    grads, found = [g.clone() for g in scaled_grads], found_inf.clone().float()
    if grads:
        torch._amp_foreach_non_finite_check_and_unscale_(grads, found, inv_scale.float())
    return {"scaled_grads": grads, "found_inf": found}


def _update(current_scale, growth_tracker, found_inf, scale_growth_factor, scale_backoff_factor, growth_interval):
    scale, tracker = current_scale.clone(), growth_tracker.clone()
    torch._amp_update_scale_(scale, tracker, found_inf, scale_growth_factor, scale_backoff_factor, growth_interval)
    return {"current_scale": scale, "growth_tracker": tracker}


TABLE: Table = {
    "diopiForeachaddScalar": Reference("torch.add", _add),
    "diopiForeachaddInpScalar": Reference("torch.add", _add),
    "diopiForeachmulScalar": Reference("torch.mul", _mul),
    "diopiForeachmulInpScalar": Reference("torch.mul", _mul),
    "diopiForeachmulTensor": Reference("torch.mul", _mul_tensor),
    "diopiForeachmulInpTensor": Reference("torch.mul", _mul_tensor),
    "diopiForeachnormScalar": Reference("torch._foreach_norm", _norm, double=True),
    "diopiAmpForeachNonFiniteCheckAndUnscaleInp": Reference(
        "torch._amp_foreach_non_finite_check_and_unscale_", _unscale
    ),
    "diopiAmpUpdateScaleInp": Reference("torch._amp_update_scale_", _update),
}
