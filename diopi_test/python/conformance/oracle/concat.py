# SPDX-License-Identifier: BSD-3-Clause
"""Concatenate tensors along a dimension, stack them, or split one."""

import numpy as np

from . import oracle
from .tools import wrap_dim


@oracle("diopiCat", promote=("tensors",), signed_zero=True)
def cat(tensors, dim):
    """A one-dimensional empty tensor may be concatenated with tensors of any shape."""
    parts = [t for t in tensors if t.shape != (0,)] or tensors[:1]
    return np.concatenate(parts, wrap_dim(dim, parts[0].ndim))


@oracle("diopiStack", promote=("tensors",), signed_zero=True)
def stack(tensors, dim):
    return np.stack(tensors, dim)


@oracle("diopiSplitWithSizes", signed_zero=True)
def split_with_sizes(input, splitSizes, dim):
    return {"outs": list(np.split(input, np.cumsum(splitSizes)[:-1], wrap_dim(dim, input.ndim)))}
