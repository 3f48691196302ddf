# SPDX-License-Identifier: BSD-3-Clause
"""Rows of a table selected by indices, and the gradient of the table."""

import numpy as np

from . import oracle
from .index import accumulated


@oracle("diopiEmbedding", dtype="weight", signed_zero=True)
def embedding(weight, indices):
    return weight[indices]


@oracle("diopiEmbeddingBackward", dtype="grad")
def embedding_backward(grad, indices, num_weights, padding_idx, scale_grad_byfreq):
    """Shares of integers are cut off; bool is added with `or` and has no shares."""
    counted = indices != padding_idx
    rows, values = indices[counted], grad[counted]
    if scale_grad_byfreq and grad.dtype != bool:
        times = np.bincount(rows, minlength=num_weights)[rows][:, None]
        values = np.where(times > 1, 0, values) if grad.dtype.kind in "iu" else values / times
    return accumulated(np.zeros((num_weights, grad.shape[-1]), values.dtype), rows, values)


@oracle("diopiEmbeddingRenorm_")
def embedding_renorm(inout, indices, max_norm, norm_type):
    """Each row that occurs in `indices` and whose norm exceeds max_norm is scaled to max_norm, once."""
    result = inout.copy()
    for row in np.unique(indices):
        norm = np.linalg.norm(inout[row], norm_type)
        if norm > max_norm:
            result[row] *= max_norm / (norm + 1e-7)
    return result
