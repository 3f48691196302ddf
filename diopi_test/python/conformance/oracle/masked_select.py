# SPDX-License-Identifier: BSD-3-Clause
"""Elements selected by a mask, and the positions of nonzero elements."""

import numpy as np

from . import Value, oracle


@oracle("diopiNonzero", dtype="int64")
def nonzero(input):
    if input.ndim == 0:
        return np.zeros((int(input != 0), 0), np.int64)
    return np.stack(np.nonzero(input), 1)


@oracle("diopiMaskedSelect", dtype="input", signed_zero=True)
def masked_select(input, mask):
    values, chosen = np.broadcast_arrays(input, mask != 0)
    return values[chosen]


@oracle("diopiMaskedScatter", dtype="input", signed_zero=True)
def masked_scatter(input, mask, source):
    values, chosen = np.broadcast_arrays(input, mask)
    result = np.array(values)
    result[chosen] = source.reshape(-1)[: np.count_nonzero(chosen)]
    return result


@oracle("diopiMaskedSelectBackward", dtype="grad_output")
def masked_select_backward(grad_output, input, mask):
    """If the mask broadcasts over an element of `input`, the element receives the sum of its gradients."""
    places, chosen = np.broadcast_arrays(np.arange(input.size).reshape(input.shape), mask != 0)
    if grad_output.dtype == bool:
        total = np.zeros(input.size, bool)
        np.logical_or.at(total, places[chosen], grad_output)
        return total.reshape(input.shape)
    total, magnitude = np.zeros(input.size, grad_output.dtype), np.zeros(input.size)
    np.add.at(total, places[chosen], grad_output)
    np.add.at(magnitude, places[chosen], np.abs(grad_output).astype(np.float64))
    return Value(total.reshape(input.shape), magnitude.reshape(input.shape))


def _distinct_rows(rows):
    """The number of the first row of each group of equal rows, the group of each row, and the sizes of the groups.

    Python compares the rows one by one: -0 equals 0, and NaN, which is the greatest, equals nothing."""
    keys = [[(x != x, 0 if x != x else x) for x in row] for row in rows.tolist()]
    order = sorted(range(len(rows)), key=lambda i: (keys[i], i))
    firsts: list[int] = []
    sizes: list[int] = []
    group = np.zeros(len(rows), np.int64)
    for i in order:
        if not firsts or np.any(rows[i] != rows[firsts[-1]]):
            firsts.append(i)
            sizes.append(0)
        group[i] = len(firsts) - 1
        sizes[-1] += 1
    return np.array(firsts, np.int64), group, np.array(sizes, np.int64)


@oracle("diopiUnique", dtype={"out": "input", "indices": "int64", "counts": "int64"})
def unique(input, dim, sorted, return_counts):
    if dim is None or input.ndim == 0:
        firsts, group, sizes = _distinct_rows(input.reshape(-1, 1))
        counts = sizes if return_counts else None
        return {"out": input.reshape(-1)[firsts], "indices": group.reshape(input.shape), "counts": counts}
    slices = np.moveaxis(input, dim, 0)
    firsts, group, sizes = _distinct_rows(slices.reshape(len(slices), -1) if len(slices) else np.zeros((0, 1)))
    return {"out": np.take(input, firsts, dim), "indices": group, "counts": sizes if return_counts else None}
