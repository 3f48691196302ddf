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


def _triangular_solve_backward(
    grad_x: Any, grad_cloned_mat: Any, x: Any, b: Any, mat: Any, upper: bool, transpose: bool, unitriangular: bool
) -> Any:
    """The gradients of a system whose solution is x."""
    triangle = torch.triu(mat) if upper else torch.tril(mat)
    if unitriangular:
        triangle = triangle - torch.diag_embed(triangle.diagonal(dim1=-2, dim2=-1)) + torch.eye(mat.shape[-1])
    right = ((triangle.mT if transpose else triangle) @ x).detach().requires_grad_()
    leaf = mat.detach().requires_grad_()
    results = torch.triangular_solve(right, leaf, upper, transpose, unitriangular)
    given = [(r, g) for r, g in zip(results, (grad_x, grad_cloned_mat)) if g is not None]
    if not given:
        return {"grad_b": torch.zeros_like(b), "grad_mat": torch.zeros_like(mat)}
    outputs, grads = zip(*given)
    of_right, of_mat = torch.autograd.grad(outputs, (right, leaf), grads, allow_unused=True)
    of_b = torch.zeros_like(b) if of_right is None else of_right.sum_to_size(b.shape)
    return {"grad_b": of_b, "grad_mat": torch.zeros_like(mat) if of_mat is None else of_mat}


def _linalg_qr(A: Any, mode: str) -> Any:
    return tuple(torch.linalg.qr(A, mode))


TABLE: Table = {
    "diopiCholesky": Reference("torch.linalg.cholesky_ex", _cholesky, double=True),
    "diopiCholeskyBackward": Reference("torch.autograd of torch.linalg.cholesky", _cholesky_backward, double=True),
    "diopiTriangularSolve": Reference("torch.triangular_solve", _triangular_solve, double=True),
    "diopiTriangularSolveBackward": Reference(
        "torch.autograd of torch.triangular_solve", _triangular_solve_backward, double=True
    ),
    "diopiLinalgQR": Reference("torch.linalg.qr", _linalg_qr, double=True),
}
