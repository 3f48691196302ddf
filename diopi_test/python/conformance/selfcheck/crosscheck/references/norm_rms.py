# SPDX-License-Identifier: BSD-3-Clause
"""References for root mean square normalisation, in double precision."""

from __future__ import annotations

from ..reference import Table, composed, torch


def _rms_norm(input, weight, bias, normalized_shape, eps):
    out = torch.nn.functional.rms_norm(input, normalized_shape, weight, eps)
    if bias is not None and tuple(bias.shape) != tuple(normalized_shape):
        raise RuntimeError("bias has another shape")
    squares = input.square().mean(tuple(range(-len(normalized_shape), 0)))
    return {"out": out if bias is None else out + bias, "inv_rms": torch.rsqrt(squares + eps)}


def _rms_norm_backward(grad_output, input, weight, bias, inv_rms, normalized_shape):
    """The chain rule with out = input * r * weight + bias, where r depends on input."""
    lead = input.shape[: input.ndim - len(normalized_shape)]
    if tuple(input.shape[len(lead) :]) != tuple(normalized_shape) or grad_output.shape != input.shape:
        raise RuntimeError("the shapes do not fit")
    if bias is not None and bias.ndim != len(normalized_shape):
        raise RuntimeError("bias has another rank")
    rows, n = lead.numel(), torch.Size(normalized_shape).numel()
    g, x, r = grad_output.reshape(rows, n), input.reshape(rows, n), inv_rms.reshape(rows, 1)
    w = torch.ones(n, dtype=x.dtype) if weight is None else weight.expand(normalized_shape).reshape(n)
    through_r = -(r**3) * x / max(n, 1)  # the derivative of r
    return {
        "grad_input": (g * w * r + (g * w * x).sum(1, keepdim=True) * through_r).reshape(input.shape),
        "grad_weight": (g * x * r).sum(0).reshape(normalized_shape),
        "grad_bias": g.sum(0).reshape(normalized_shape),
    }


TABLE: Table = {
    "diopiRMSNorm": composed("torch.nn.functional.rms_norm + bias", _rms_norm, double=True),
    "diopiRMSNormBackward": composed("the chain rule", _rms_norm_backward, double=True),
}
