# SPDX-License-Identifier: BSD-3-Clause
"""The average of bilinear samples in the bins of upright regions, and its gradient. No operator is declared here."""

import numpy as np

from . import Value
from .sampling import bilinear, positions, samples_of, scatter


def regions(rois, scale, aligned):
    """For each region: image, (start, size) in y, (start, size) in x."""
    scale, shift = np.float64(scale), 0.5 if aligned else 0.0
    for row in rois:
        x1, y1, x2, y2 = (row[k] * scale - shift for k in range(1, 5))
        height, width = y2 - y1, x2 - x1
        if not aligned:
            height, width = np.maximum(height, 1.0), np.maximum(width, 1.0)
        yield int(row[0]), (y1, height), (x1, width)


def grid(y, x, bins, ratio):
    """The positions of the samples of all bins, [bins in y, samples] and [bins in x, samples], and the divisor."""
    counts = samples_of(y[1], bins[0], ratio), samples_of(x[1], bins[1], ratio)
    found = positions(y[0], y[1], bins[0], counts[0]), positions(x[0], x[1], bins[1], counts[1])
    product = counts[0] * counts[1]
    return *found, product if product >= 1 else 1.0


def align_average(input, rois, scale, bins, ratio, aligned):
    out, size = (np.zeros((len(rois), input.shape[1], *bins)) for _ in range(2))
    for r, (image, y, x) in enumerate(regions(rois, scale, aligned)):
        ys, xs, divisor = grid(y, x, bins, ratio)
        values, terms = bilinear(input[image], ys[:, None, :, None], xs[None, :, None, :])
        out[r], size[r] = (values / divisor).sum((-2, -1)), (terms / divisor).sum((-2, -1))
    return Value(out, magnitude=size)


def align_average_backward(grad, rois, scale, shape, ratio, aligned):
    out, size = np.zeros(shape), np.zeros(shape)
    bins = grad.shape[2:]
    for r, (image, y, x) in enumerate(regions(rois, scale, aligned)):
        ys, xs, divisor = grid(y, x, bins, ratio)
        y_all, x_all = (a.ravel() for a in np.broadcast_arrays(ys[:, None, :, None], xs[None, :, None, :]))
        share = np.broadcast_to((grad[r] / divisor)[..., None, None], (*grad[r].shape, ys.shape[1], xs.shape[1]))
        share = share.reshape(grad.shape[1], len(y_all))
        scatter(out[image], y_all, x_all, share)
        scatter(size[image], y_all, x_all, np.abs(share))
    return Value(out, magnitude=size)
