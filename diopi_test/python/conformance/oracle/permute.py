# SPDX-License-Identifier: BSD-3-Clause
"""Permuted, expanded, repeated and flipped dimensions."""

import numpy as np

from . import oracle
from .tools import as_dtype, wrap_dim


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


def _positions(mode, n, before, after):
    """The position in the input of each position of the result; -1 where the result has the constant."""
    if mode == "circular":
        left = np.arange(max(0, -before), max(0, -before, n + min(after, 0)))
        i = np.arange(-max(before, 0), len(left) + max(after, 0))
        return left[i % max(len(left), 1)] if len(left) else i[:0]
    i = np.arange(-before, n + after)
    if mode == "replicate":
        return i.clip(0, n - 1)
    if mode == "reflect":
        return np.where(i < 0, -i, np.where(i >= n, 2 * (n - 1) - i, i))
    return np.where((i < 0) | (i >= n), -1, i)


@oracle("diopiPad", dtype="input", signed_zero=True)
def pad(input, pad, mode, value, dtypes):
    filler = as_dtype(np.asarray(0.0 if value is None else value), dtypes["input"])
    result = input
    for k in range(len(pad) // 2):
        axis = input.ndim - 1 - k
        positions = _positions(mode, input.shape[axis], *pad[2 * k : 2 * k + 2])
        outside = (positions < 0).reshape((-1,) + (1,) * k)
        if input.shape[axis]:
            result = np.take(result, positions.clip(0), axis)
        else:
            result = np.zeros((*result.shape[:axis], len(positions), *result.shape[axis + 1 :]), result.dtype)
        result = np.where(outside, filler.astype(result.dtype), result)
    return result


@oracle("diopiRoll", signed_zero=True)
def roll(input, shifts, dims):
    if not dims:
        return np.roll(input, shifts[0] % max(input.size, 1))
    for shift, dim in zip(shifts, dims):
        if input.ndim:
            axis = wrap_dim(dim, input.ndim)
            input = np.roll(input, shift % max(input.shape[axis], 1), axis)
    return input
