# SPDX-License-Identifier: BSD-3-Clause
"""Permuted, expanded, repeated and flipped dimensions."""

import numpy as np

from . import oracle
from .tools import wrap_dim


@oracle("diopiPermute", signed_zero=True)
def permute(input, dims):
    return np.transpose(input, dims)


@oracle("diopiTranspose", signed_zero=True)
def transpose(input, dim0, dim1):
    return np.swapaxes(input, dim0, dim1) if input.ndim else input


@oracle("diopiExpand", dtype="input", signed_zero=True)
def expand(input, out):
    return np.broadcast_to(input, out)


@oracle("diopiRepeat", signed_zero=True)
def repeat(input, repeats_size):
    return np.tile(input, repeats_size)


@oracle("diopiFlip", signed_zero=True)
def flip(input, dims):
    return np.flip(input, tuple(wrap_dim(d, input.ndim) for d in dims if input.ndim))
