# SPDX-License-Identifier: BSD-3-Clause
"""Masked columns, point-wise spatial attention, shifts in time and rotated filters of mmcv."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from . import Value, oracle


@oracle("diopiMaskedIm2colMmcv", dtype="im")
def masked_im2col(im, mask_h_idx, mask_w_idx, kernel_h, kernel_w, pad_h, pad_w):
    channels, height, width = im.shape[1:]
    col = np.zeros((channels, kernel_h, kernel_w, len(mask_h_idx)))
    for i in range(kernel_h):
        for j in range(kernel_w):
            y, x = mask_h_idx - pad_h + i, mask_w_idx - pad_w + j
            there = np.flatnonzero((y >= 0) & (y < height) & (x >= 0) & (x < width))
            col[:, i, j, there] = im[0][:, y[there], x[there]]
    return col.reshape(channels * kernel_h * kernel_w, len(mask_h_idx))


@oracle("diopiMaskedCol2imMmcv", dtype="col")
def masked_col2im(col, mask_h_idx, mask_w_idx, height, width, channels):
    im = np.zeros((1, channels, height, width))
    for m, (y, x) in enumerate(zip(mask_h_idx, mask_w_idx)):
        im[0, :, y, x] = col[:, m]
    return im


def _mask_cells(h_feature, w_feature, h_mask, w_mask, half_h_mask, half_w_mask) -> Iterator[tuple]:
    """For each cell of the mask: its number, and the positions h, w and y, x that it connects."""
    h, w = np.meshgrid(np.arange(h_feature), np.arange(w_feature), indexing="ij")
    for i in range(h_mask):
        for j in range(w_mask):
            y, x = h + i - half_h_mask, w + j - half_w_mask
            there = (y >= 0) & (y < h_feature) & (x >= 0) & (x < w_feature)
            yield i * w_mask + j, h[there], w[there], y[there], x[there]


@oracle("diopiPsamaskMmcv", dtype="input")
def psamask(input, psa_type, num_, h_feature, w_feature, h_mask, w_mask, half_h_mask, half_w_mask):
    output = np.zeros((num_, h_feature * w_feature, h_feature, w_feature))
    for cell, h, w, y, x in _mask_cells(h_feature, w_feature, h_mask, w_mask, half_h_mask, half_w_mask):
        if psa_type == 0:
            output[:, y * w_feature + x, h, w] = input[:, cell, h, w]
        else:
            output[:, h * w_feature + w, y, x] = input[:, cell, h, w]
    return output


@oracle("diopiPsamaskBackwardMmcv", dtype="grad_output")
def psamask_backward(grad_output, psa_type, num_, h_feature, w_feature, h_mask, w_mask, half_h_mask, half_w_mask):
    grad = np.zeros((num_, h_mask * w_mask, h_feature, w_feature))
    for cell, h, w, y, x in _mask_cells(h_feature, w_feature, h_mask, w_mask, half_h_mask, half_w_mask):
        if psa_type == 0:
            grad[:, cell, h, w] = grad_output[:, y * w_feature + x, h, w]
        else:
            grad[:, cell, h, w] = grad_output[:, h * w_feature + w, y, x]
    return grad


@oracle(
    "diopiTinShiftMmcv",
    "diopiTinShiftBackwardMmcv",
    dtype={"output": "input", "grad_input": "grad_output"},
    rename={"diopiTinShiftBackwardMmcv": {"grad_output": "input"}},
)
def tin_shift(input, shift):
    frames, channels = input.shape[1:3]
    output = np.zeros(input.shape)
    for n in range(input.shape[0]):
        for c in range(channels):
            s = int(shift[n, c // (channels // shift.shape[1])])
            for t in range(max(0, -s), min(frames, frames - s)):
                output[n, t + s, c] = input[n, t, c]
    return output


@oracle("diopiActiveRotatedFilterMmcv", dtype="input")
def active_rotated_filter(input, indices):
    (out, depth), entries = input.shape[:2], int(np.prod(input.shape[2:]))
    rotations = indices.shape[3]
    planes, target = input.reshape(out, depth, entries), indices.reshape(entries, rotations) - 1
    output = np.zeros((out, rotations, depth, entries))
    for entry in range(entries):
        for r in range(rotations):
            output[:, r, :, target[entry, r]] = planes[:, :, entry]
    return output.reshape(out * rotations, depth * input.shape[2], *input.shape[3:])


@oracle("diopiActiveRotatedFilterBackwardMmcv", dtype="grad_out")
def active_rotated_filter_backward(grad_out, indices):
    (orientations, height, width, rotations), entries = indices.shape, int(np.prod(indices.shape[:3]))
    out, depth = grad_out.shape[0] // max(rotations, 1), grad_out.shape[1] // max(orientations, 1)
    grads = grad_out.reshape(out, rotations, depth, entries)
    target = indices.reshape(entries, rotations) - 1
    found, size = np.zeros((2, out, depth, entries))
    for r in range(rotations):
        taken = grads[:, r][:, :, target[:, r]]
        found, size = found + taken, size + np.abs(taken)
    shape = (out, depth, orientations, height, width)
    return Value(found.reshape(shape), size.reshape(shape))
