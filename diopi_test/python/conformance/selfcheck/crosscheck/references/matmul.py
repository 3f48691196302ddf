# SPDX-License-Identifier: BSD-3-Clause
"""References for products, in double precision."""

from __future__ import annotations

from typing import Any

from ..reference import Reference, Table, gradients, torch


def _linear_backward(grad_output: Any, input: Any, weight: Any, grad_bias: Any) -> dict[str, Any]:
    """The bias is broadcast to the result, so its gradient is a sum over the broadcast dimensions."""
    result = grad_output if weight.ndim > 1 else grad_output.unsqueeze(-1)
    grads = gradients(torch.nn.functional.linear, grad_output, input, weight)
    return {
        "grad_input": grads[0],
        "grad_weight": grads[1],
        "grad_bias": result.sum_to_size(result.shape[-1:] if grad_bias is None else grad_bias),
    }


def _matmul_backward(grad_out: Any, input: Any, other: Any) -> dict[str, Any]:
    return dict(zip(("grad_input", "grad_other"), gradients(torch.matmul, grad_out, input, other)))


def _added(path: str, *names: str) -> Reference:
    """A product with an addend. For integers PyTorch needs integral factors, so the factors are truncated."""
    function = path.split(".")[-1]

    def call(input, a, b, beta, alpha):
        if not (a.is_floating_point() or a.is_complex()):
            beta, alpha = int(beta), int(alpha)
        return getattr(torch, function)(input, a, b, beta=beta, alpha=alpha)

    return Reference(path, call, double=True, names=("input", *names, "beta", "alpha"))


TABLE: Table = {
    "diopiMatmulBackward": Reference("torch.autograd of torch.matmul", _matmul_backward, double=True),
    "diopiAddmm": _added("torch.addmm", "mat1", "mat2"),
    "diopiBaddbmm": _added("torch.baddbmm", "batch1", "batch2"),
    "diopiBaddbmmInp": _added("torch.baddbmm", "batch1", "batch2"),
    "diopiLinearBackward": Reference("torch.autograd of torch.nn.functional.linear", _linear_backward, double=True),
}
