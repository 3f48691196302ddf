# SPDX-License-Identifier: BSD-3-Clause
"""Triangular parts of matrices."""

import numpy as np

from . import oracle


@oracle("diopiTril", signed_zero=True)
def tril(input, diagonal):
    return _kept(input, _lower(input, _near(input, diagonal)))


@oracle("diopiTriu", "diopiTriuInp", signed_zero=True)
def triu(input, diagonal):
    return _kept(input, ~_lower(input, _near(input, diagonal) - 1))


def _lower(input, diagonal):
    """A mask that is true on the diagonal and below it."""
    rows, columns = input.shape[-2:]
    return np.tri(rows, columns, diagonal, dtype=bool)


def _near(input, diagonal):
    """The diagonal's offset; an offset far outside the matrix is clipped to one just outside it."""
    return max(-input.shape[-2] - 1, min(diagonal, input.shape[-1] + 1))


def _kept(input, keep):
    return np.where(keep, input, np.zeros((), input.dtype))
