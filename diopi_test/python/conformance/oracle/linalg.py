# SPDX-License-Identifier: BSD-3-Clause
"""Cholesky factors and triangular systems."""

import numpy as np

from . import Unspecified, Value, check, oracle


def _adjoint(x):
    return np.conj(np.swapaxes(x, -1, -2))


def _matrices(x):
    return x.reshape((-1, *x.shape[-2:])) if x.size else x.reshape((0, *x.shape[-2:]))


def _hermitian(mat, upper):
    """The Hermitian matrices of which one triangle is given; the diagonal is real."""
    part = np.triu(mat, 1) if upper else np.tril(mat, -1)
    return part + _adjoint(part) + np.real(mat) * np.eye(mat.shape[-1])


def _failing_order(matrix):
    """The order of the first leading minor that is not positive definite; 0 if all are."""
    for order in range(1, len(matrix) + 1):
        try:
            factor = np.linalg.cholesky(matrix[:order, :order])
        except np.linalg.LinAlgError:
            return order
        if not np.isfinite(factor).all():
            return order
    return 0


@oracle("diopiCholesky", dtype={"out": "mat", "info": "int32"})
def cholesky(mat, upper, checkerror):
    """The factor of a matrix that is not positive definite is unspecified, and so is the result of a call with one."""
    wanted = _hermitian(mat, upper)
    orders = [_failing_order(m) for m in _matrices(wanted)]
    batch = mat.shape[:-2]
    info = np.array(orders or [0] * int(np.prod(batch)), np.int64).reshape(batch)
    if info.any():
        return {"out": Unspecified(mat.shape), "info": info}
    factor = np.linalg.cholesky(wanted) if mat.size else wanted
    # The condition numbers of the matrices of the cases are at most about 5.
    size = np.sqrt(np.real(np.diagonal(wanted, 0, -2, -1)))[..., None] * np.full(mat.shape, 5.0)
    return {
        "out": Value(_adjoint(factor) if upper else factor, np.swapaxes(size, -1, -2) if upper else size),
        "info": info,
    }


@check("diopiCholesky")
def check_cholesky(mat, upper, checkerror, got):
    """The products of the factors that exist."""
    orders = np.atleast_1d(got["info"]).reshape(-1)
    for i, wanted in enumerate(_matrices(_hermitian(mat, upper))):
        factor = _matrices(got["out"])[i]
        lower = _adjoint(factor) if upper else factor
        if orders[i] == 0 and not np.allclose(np.tril(lower) @ _adjoint(np.tril(lower)), wanted, 1e-4, 1e-4):
            return f"the product of factor {i} with its adjoint is not the matrix"
    return None


def _inverse(x):
    return np.linalg.inv(x) if x.size else x


@oracle("diopiCholeskyBackward", dtype="L")
def cholesky_backward(grad_output, L, upper):
    factor, grad = (_adjoint(x) if upper else x for x in (L, grad_output))
    factor, grad = np.tril(factor), np.tril(grad)
    inverse, sizes = _inverse(factor), np.abs(factor)
    lower = np.tril(_adjoint(factor) @ grad)
    projected = (lower + _adjoint(lower) - _adjoint(lower * np.eye(L.shape[-1]))) / 2
    size = np.tril(_adjoint(sizes) @ np.abs(grad))
    size = _adjoint(np.abs(inverse)) @ (size + _adjoint(size)) @ np.abs(inverse)
    spread = np.abs(inverse) @ sizes  # what an error of a triangular solve is multiplied by
    return Value(_adjoint(inverse) @ projected @ inverse, magnitude=_adjoint(spread) @ size @ spread)


@oracle("diopiTriangularSolve", dtype="b")
def triangular_solve(b, mat, upper, transpose, unitriangular):
    batch = np.broadcast_shapes(b.shape[:-2], mat.shape[:-2])
    triangle = np.triu(mat) if upper else np.tril(mat)
    if unitriangular:
        strict = np.triu(mat, 1) if upper else np.tril(mat, -1)
        triangle = strict + np.eye(mat.shape[-1])
    triangle = np.swapaxes(triangle, -1, -2) if transpose else triangle
    triangle = np.broadcast_to(triangle, batch + mat.shape[-2:])
    right = np.broadcast_to(b, batch + b.shape[-2:])
    inverse = _inverse(triangle)
    solution = np.linalg.solve(triangle, right) if right.size else right
    size = np.abs(inverse) @ (np.abs(triangle) @ np.abs(solution))
    return {"out": Value(solution, magnitude=size), "cloned_mat": np.broadcast_to(mat, batch + mat.shape[-2:])}


def _broadcast_sum(x, shape):
    """Sums the dimensions in which x is larger than the shape."""
    x = x.sum(tuple(range(x.ndim - len(shape))))
    return x.sum(tuple(i for i, n in enumerate(shape) if n != x.shape[i]), keepdims=True)


@oracle("diopiTriangularSolveBackward", dtype="mat")
def triangular_solve_backward(grad_x, grad_cloned_mat, x, b, mat, upper, transpose, unitriangular):
    def part(a, diagonal=0):
        return np.triu(a, diagonal) if upper else np.tril(a, -diagonal)

    triangle = part(mat, 1) + np.eye(mat.shape[-1]) if unitriangular else part(mat)
    system = np.conj(triangle) if transpose else _adjoint(triangle)
    grad = np.zeros_like(x) if grad_x is None else grad_x
    inverse = np.broadcast_to(_inverse(system), x.shape[:-2] + mat.shape[-2:])
    g = np.linalg.solve(system + np.zeros_like(inverse), grad) if grad.size else grad
    size = np.abs(inverse) @ (np.abs(system) @ np.abs(g))
    left, right = (np.conj(x), np.swapaxes(g, -1, -2)) if transpose else (g, _adjoint(x))
    sizes = (np.abs(x), np.swapaxes(size, -1, -2)) if transpose else (size, np.abs(_adjoint(x)))
    of_mat, magnitude = (part(m, int(unitriangular)) for m in (-left @ right, sizes[0] @ sizes[1]))
    if grad_cloned_mat is not None:
        of_mat, magnitude = of_mat + grad_cloned_mat, magnitude + np.abs(grad_cloned_mat)
    return {
        "grad_b": Value(_broadcast_sum(g, b.shape), _broadcast_sum(size, b.shape)),
        "grad_mat": Value(_broadcast_sum(of_mat, mat.shape), _broadcast_sum(magnitude, mat.shape)),
    }
