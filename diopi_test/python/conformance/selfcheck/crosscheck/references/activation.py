# SPDX-License-Identifier: BSD-3-Clause
"""References for activation functions."""

from __future__ import annotations

import math
from typing import Any

from ..reference import Reference, Table, composed, gradients, torch


def _silu_backward(grad_output: Any, input: Any) -> Any:
    """PyTorch's function. For complex numbers it lacks the conjugate, so torch.autograd computes x * sigmoid(x)
    there."""
    if input.is_complex():
        return gradients(lambda x: x * torch.sigmoid(x), grad_output, input)[0]
    return torch.ops.aten.silu_backward(grad_output, input)


def _gelu(input: Any, approximate: str | None) -> Any:
    """PyTorch's function, except for x < -0.5, where its 1 + erf(x) and 1 + tanh(x) lose precision."""
    x = input.double()
    whole = torch.nn.functional.gelu(x, approximate=approximate or "none")
    return torch.where(x < -0.5, _tail(x, approximate), whole).to(input.dtype)


def _tail(x: Any, approximate: str | None) -> Any:
    if approximate == "tanh":
        return x * torch.sigmoid(2 * math.sqrt(2 / math.pi) * (x + 0.044715 * x**3))
    return x * torch.erfc(-x * math.sqrt(0.5)) / 2


def _gelu_backward(grad_output: Any, input: Any, approximate: str | None) -> Any:
    g, x = grad_output.double(), input.double()
    slope = gradients(lambda y: _tail(y, approximate), torch.ones_like(x), x.clamp(max=-0.5))[0]
    whole = torch.ops.aten.gelu_backward(g, x, approximate=approximate or "none")
    return torch.where(x < -0.5, g * slope, whole).to(torch.result_type(grad_output, input))


_BELOW = "torch.erfc and torch.sigmoid below -0.5"

TABLE: Table = {
    "diopiSiluBackward": Reference(
        "torch.ops.aten.silu_backward; torch.autograd of x * sigmoid(x) for complex", _silu_backward
    ),
    "diopiGelu": composed(f"torch.nn.functional.gelu, {_BELOW}", _gelu),
    "diopiGeluBackward": composed(f"torch.ops.aten.gelu_backward, {_BELOW} and torch.autograd", _gelu_backward),
}
