# SPDX-License-Identifier: BSD-3-Clause
"""QR decompositions."""

import numpy as np

from . import Unspecified, Value, check, oracle

# Rounding errors of float32 decide about a sign if a number is below this share of the largest column, multiplied by
# the condition number.
DECIDED = 2e-6
LARGEST_CONDITION = 1e4


def _adjoint(x):
    return np.conj(np.swapaxes(x, -1, -2))


def _column_norms(x):
    return np.sqrt((np.abs(x) ** 2).sum(-2))


def _condition(a):
    """The condition number of the columns that decide about Q; infinite if they are not independent."""
    values = np.linalg.svd(a[..., : min(a.shape[-2:])], compute_uv=False)
    return values[..., 0] / np.maximum(values[..., -1], 1e-300)


def _is_decided(a, condition):
    """Whether rounding cannot change the sign of a column: neither the number whose sign counts nor the rest of the
    column, without which there is no reflection, is small. What the first column has is not rounded."""
    h, tau = np.linalg.qr(a, mode="raw")
    diagonal = np.diagonal(h, 0, -2, -1)
    first = diagonal * (1 - np.real(tau))  # tau = (r - first) / r, with the real number r on the diagonal
    rest = np.sqrt(np.maximum(np.abs(diagonal) ** 2 - np.abs(np.real(first)) ** 2, 0))
    small = DECIDED * condition[..., None] * _column_norms(a).max(-1, keepdims=True)
    decided = (np.abs(np.real(first)) > small) & ((rest > small) | (tau == 0))
    return decided[..., 1:].all() and condition.max() < LARGEST_CONDITION


def _shapes(a, mode):
    m, n = a.shape[-2:]
    rank = m if mode == "complete" else min(m, n)
    q = (0,) if mode == "r" else (*a.shape[:-1], rank)
    return q, (*a.shape[:-2], rank, n)


@oracle("diopiLinalgQR", dtype="A")
def linalg_qr(A, mode, dtypes):
    """The values if the columns are independent and rounding decides about no sign; else `check_qr` judges alone."""
    q_shape, r_shape = _shapes(A, mode)
    if A.size == 0:
        identity = np.eye(A.shape[-2], q_shape[-1]) if mode != "r" else np.zeros(0)
        return {"Q": np.broadcast_to(identity, q_shape), "R": np.zeros(r_shape)}
    condition = _condition(A)
    if not _is_decided(A, condition):
        return {"Q": Unspecified(q_shape) if mode != "r" else np.zeros(0), "R": Unspecified(r_shape)}
    norms = np.broadcast_to(_column_norms(A)[..., None, :], r_shape)
    size = condition[..., None, None] * np.triu(norms)
    if mode == "r":
        return {"Q": np.zeros(0), "R": Value(np.asarray(np.linalg.qr(A, mode="r")), size)}
    q, r = np.linalg.qr(A, mode="complete" if mode == "complete" else "reduced")
    return {"Q": Value(q, condition[..., None, None]), "R": Value(r, size)}


@check("diopiLinalgQR")
def check_qr(A, mode, dtypes, got):
    """Residuals, whose bounds do not depend on the condition of the matrices."""
    if A.size == 0 or not np.isfinite(A).all():
        return None
    r, epsilon = got["R"], np.finfo(dtypes["A"]).eps
    bound = 10 * np.sqrt(max(A.shape[-2:])) * epsilon
    if np.tril(r, -1).any():
        return "R is not zero below the diagonal"
    if (np.abs(np.imag(np.diagonal(r, 0, -2, -1))) > bound * _column_norms(A).max()).any():
        return "the diagonal of R is not real"
    norms = _column_norms(A)
    if mode == "r":
        error = np.abs(_adjoint(r) @ r - _adjoint(A) @ A)
        limit = 2 * bound * norms[..., :, None] * norms[..., None, :]
        return "the products of the columns of R are not those of A" if (error > limit).any() else None
    q = got["Q"]
    if (_column_norms(A - q @ r) > bound * norms).any():
        return f"Q R is not A: the largest difference is {np.abs(A - q @ r).max()}"
    error = np.abs(_adjoint(q) @ q - np.eye(q.shape[-1])).max()
    return f"the columns of Q are not orthonormal: the largest difference is {error}" if error > bound else None
