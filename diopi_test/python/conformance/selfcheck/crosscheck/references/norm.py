# SPDX-License-Identifier: BSD-3-Clause
"""References for vector norms and their gradient."""

from __future__ import annotations

from ..reference import Reference, Table, composed, torch


def _dims(dim, x):
    return list(dim) if dim else list(range(x.ndim))


def _as_asked(input, dtype):
    """The elements in the dtype of `out`; complex ones stay complex."""
    if dtype is None:
        return input
    return input.to(torch.promote_types(input.dtype, dtype) if input.is_complex() else dtype)


def _norm(input, p, dim, dtype):
    return torch.norm(_as_asked(input, dtype), 2 if p is None else p, _dims(dim, input))


def _vector_norm(input, ord, dim, keepdim, dtype):
    return torch.linalg.vector_norm(_as_asked(input, dtype), ord, list(dim) or None, keepdim)


def _slope(x, p, norm):
    """The derivative of a norm of order p; `norm` need not be the norm of `x`. It follows torch.norm's derivative."""
    zero = torch.zeros((), dtype=x.dtype)
    if p == 0:
        return x * 0
    if p == 1:
        return torch.sgn(x)
    if p == 2:
        return torch.where(norm == 0, zero, x / norm)
    if p < 1:
        return torch.where(x == 0, zero, torch.sgn(x) * x.abs().pow(p - 1) * norm.pow(1 - p))
    power = torch.sgn(x) * x.abs().pow(p - 1) if p < 2 else x * x.abs().pow(p - 2)
    return torch.where(norm == 0, zero, power / norm.pow(p - 1))


def _backward(grad_output, self, norm, dim, p):
    dims = [range(max(self.ndim, 1))[d] for d in _dims(dim, self)]
    kept = [1 if i in dims else n for i, n in enumerate(self.shape)]
    grad, size, order = grad_output.reshape(kept), norm.reshape(kept), 2 if p is None else p
    if self.numel() == 0:
        return torch.zeros_like(self)
    if abs(order) == float("inf"):
        hit = (self.abs() == size).logical_or(self.isnan())
        return torch.sgn(self) * (grad / hit.sum(dims, True) * hit)
    return grad * _slope(self, order, size)


TABLE: Table = {
    "diopiNorm": Reference("torch.norm", _norm, double=True),
    "diopiLinalgVecNorm": Reference("torch.linalg.vector_norm", _vector_norm, double=True),
    "diopiNormBackward": composed("torch.sgn, torch.pow", _backward, double=True),
}
