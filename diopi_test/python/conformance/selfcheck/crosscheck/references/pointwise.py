# SPDX-License-Identifier: BSD-3-Clause
"""References for element-wise functions whose parameters differ from PyTorch's."""

from __future__ import annotations

import math
from typing import Any

from ..reference import Reference, Table, composed, gradients, torch

BOTH, ALL_FORMS = ("", "Inp"), ("", "Inp", "Scalar", "InpScalar")
ROUNDING = {"RoundModeNone": None, "RoundModeTrunc": "trunc", "RoundModeFloor": "floor"}


def _forms(name: str, forms: tuple[str, ...], reference: Reference) -> Table:
    return {f"diopi{name}{form}": reference for form in forms}


def _sub(input: Any, other: Any, alpha: Any) -> Any:
    """torch.sub with bool operands converted to the promoted dtype, because torch.sub refuses bool."""
    promoted = torch.result_type(input, other)
    if input.dtype == torch.bool:
        input = input.to(promoted)
    if isinstance(other, bool) or isinstance(other, torch.Tensor) and other.dtype == torch.bool:
        other = other.to(promoted) if isinstance(other, torch.Tensor) else int(other)
    return torch.sub(input, other, alpha=1 if alpha is None else alpha)


def _masked_fill(input: Any, mask: Any, value: Any) -> Any:
    shape = torch.broadcast_shapes(input.shape, mask.shape)
    return input.expand(shape).masked_fill(mask.bool(), value)


def _silu_backward(grad_output: Any, input: Any) -> Any:
    """PyTorch's function. For complex numbers it lacks the conjugate, so torch.autograd computes x * sigmoid(x)
    there."""
    if input.is_complex():
        return gradients(lambda x: x * torch.sigmoid(x), grad_output, input)[0]
    return torch.ops.aten.silu_backward(grad_output, input)


def _gelu(input: Any, approximate: str) -> Any:
    """PyTorch's function, except for x < -0.5, where its 1 + erf(x) and 1 + tanh(x) lose precision."""
    x = input.double()
    whole = torch.nn.functional.gelu(x, approximate=approximate)
    return torch.where(x < -0.5, _tail(x, approximate), whole).to(input.dtype)


def _tail(x: Any, approximate: str) -> Any:
    if approximate == "tanh":
        return x * torch.sigmoid(2 * math.sqrt(2 / math.pi) * (x + 0.044715 * x**3))
    return x * torch.erfc(-x * math.sqrt(0.5)) / 2


def _gelu_backward(grad_output: Any, input: Any, approximate: str) -> Any:
    g, x = grad_output.double(), input.double()
    slope = gradients(lambda y: _tail(y, approximate), torch.ones_like(x), x.clamp(max=-0.5))[0]
    whole = torch.ops.aten.gelu_backward(g, x, approximate=approximate)
    return torch.where(x < -0.5, g * slope, whole).to(torch.result_type(grad_output, input))


_BELOW = "torch.erfc and torch.sigmoid below -0.5"

TABLE: Table = {
    **_forms(
        "Add",
        ALL_FORMS,
        Reference(
            "torch.add", lambda input, other, alpha: torch.add(input, other, alpha=1 if alpha is None else alpha)
        ),
    ),
    **_forms("Sub", ALL_FORMS, Reference("torch.sub, bool operands in the promoted dtype", _sub)),
    **_forms(
        "Div",
        ALL_FORMS,
        Reference(
            "torch.div",
            lambda input, other, rounding_mode: torch.div(input, other, rounding_mode=ROUNDING[rounding_mode]),
        ),
    ),
    **_forms(
        "Addcmul",
        BOTH,
        Reference(
            "torch.addcmul", lambda input, tensor1, tensor2, value: torch.addcmul(input, tensor1, tensor2, value=value)
        ),
    ),
    **_forms(
        "Addcdiv",
        BOTH,
        Reference(
            "torch.addcdiv", lambda input, tensor1, tensor2, value: torch.addcdiv(input, tensor1, tensor2, value=value)
        ),
    ),
    **_forms("MaskedFill", ALL_FORMS, Reference("torch.masked_fill", _masked_fill)),
    "diopiSiluBackward": Reference(
        "torch.ops.aten.silu_backward; torch.autograd of x * sigmoid(x) for complex", _silu_backward
    ),
    "diopiGelu": composed(f"torch.nn.functional.gelu, {_BELOW}", _gelu),
    "diopiGeluBackward": composed(f"torch.ops.aten.gelu_backward, {_BELOW} and torch.autograd", _gelu_backward),
}
