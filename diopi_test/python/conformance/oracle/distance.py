# SPDX-License-Identifier: BSD-3-Clause
"""Distances between the rows of two batches of matrices, and the gradient for the first of them."""

import numpy as np

from . import Value, oracle


def _differences(input1, input2):
    return (input1[..., :, None, :] - input2[..., None, :, :]).astype(np.longdouble)


def _distances(input1, input2, p):
    d = np.abs(_differences(input1, input2))
    if p == 0:
        return np.where(np.isnan(d), d, d != 0).sum(-1)
    if np.isinf(p):
        return d.max(-1, initial=0)
    return (d**p).sum(-1) ** (1 / np.longdouble(p))


@oracle("diopiCdist", dtype="input1")
def cdist(input1, input2, p):
    result = _distances(input1, input2, p).astype(np.float64)
    # A relative error of a sum, or of a power, is divided by p. That of 1 / p is multiplied by a logarithm.
    rounded_root = (
        np.abs(np.log(np.where((result > 0) & np.isfinite(result), result, 1.0))) / 16 if p not in (1, 2) else 1.0
    )
    return Value(result, magnitude=result * np.maximum(rounded_root, max(1.0, 1 / p if p else 1.0)))


@oracle("diopiCdistBackward", dtype="input1")
def cdist_backward(grad_output, input1, input2, p, cdist):
    d = _differences(input1, input2)
    g, distance = grad_output[..., None].astype(np.longdouble), cdist[..., None].astype(np.longdouble)
    size, sign = np.abs(d), np.sign(d)
    if p == 0:
        terms = np.zeros_like(d)
    elif p == 1:
        terms = sign * g
    elif np.isinf(p):
        terms = np.where((size == distance) | np.isnan(d), sign, 0) * g
    else:
        power = size ** (p - 1) if p > 1 else np.where(size == 0, 0, np.where(size == 0, 1, size) ** (p - 1))
        factor = np.where(distance == 0, 0, g / distance ** (p - 1))
        terms = np.where((distance == 0) | (size == 0) & (p < 1), 0, sign * power * factor)
    return Value(terms.sum(-2).astype(np.float64), magnitude=np.abs(terms).sum(-2).astype(np.float64))
