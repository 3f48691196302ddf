# SPDX-License-Identifier: BSD-3-Clause
"""References for linear algebra, in double precision."""

from __future__ import annotations

from typing import Any

from ..reference import Reference, Table, torch


def _cholesky(mat: Any, upper: bool) -> Any:
    part = torch.triu(mat) if upper else torch.tril(mat)
    return tuple(torch.linalg.cholesky_ex(part, upper=upper))


def _cholesky_backward(grad_output: Any, L: Any, upper: bool) -> Any:
    factor = torch.triu(L).mH if upper else torch.tril(L)
    mat = (factor @ factor.mH).detach().requires_grad_()
    result = torch.linalg.cholesky(mat, upper=upper)
    return torch.autograd.grad(result, mat, torch.triu(grad_output) if upper else torch.tril(grad_output))[0]


def _triangular_solve(b: Any, mat: Any, upper: bool, transpose: bool, unitriangular: bool) -> Any:
    return tuple(torch.triangular_solve(b, mat, upper, transpose, unitriangular))


TABLE: Table = {
    "diopiCholesky": Reference("torch.linalg.cholesky_ex", _cholesky, double=True),
    "diopiCholeskyBackward": Reference("torch.autograd of torch.linalg.cholesky", _cholesky_backward, double=True),
    "diopiTriangularSolve": Reference("torch.triangular_solve", _triangular_solve, double=True),
}
