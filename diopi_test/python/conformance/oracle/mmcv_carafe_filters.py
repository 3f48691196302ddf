# SPDX-License-Identifier: BSD-3-Clause
"""Filters of upsampled images, bias with leaky ReLU, and correlation of patches, of mmcv."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from . import Value, oracle


def _reached(outputs, down, offset, up, size):
    """The outputs that read an element at y * down + offset, a multiple of `up`, and the numbers of these elements."""
    at = np.arange(outputs) * down + offset
    there = (at % up == 0) & (at >= 0) & (at // up < size)
    return np.flatnonzero(there), at[there] // up


@oracle("diopiUpfirdn2dOpMmcv", dtype="input")
def upfirdn2d(input, kernel, up_x, up_y, down_x, down_y, pad_x0, pad_x1, pad_y0, pad_y1):
    (major, height, width, minor), (rows, columns) = input.shape, kernel.shape
    out_height = (height * up_y + pad_y0 + pad_y1 - rows) // down_y + 1
    out_width = (width * up_x + pad_x0 + pad_x1 - columns) // down_x + 1
    found, size = np.zeros((2, major, out_height, out_width, minor))
    for a in range(rows):
        y, i = _reached(out_height, down_y, a - pad_y0, up_y, height)
        for b in range(columns):
            x, j = _reached(out_width, down_x, b - pad_x0, up_x, width)
            term = kernel[rows - 1 - a, columns - 1 - b] * input[:, i[:, None], j[None]]
            found[:, y[:, None], x[None]] += term
            size[:, y[:, None], x[None]] += np.abs(term)
    return Value(found, size)


@oracle("diopiFusedBiasLeakyreluMmcv", dtype="input")
def fused_bias_leakyrelu(input, bias, refer, act, grad, alpha, scale):
    alpha, scale = float(np.float32(alpha)), float(np.float32(scale))
    x = input
    if bias is not None and bias.size:
        x = x + bias.reshape(1, -1, *(1,) * (x.ndim - 2))
    if grad == 2:
        return np.zeros(x.shape) * scale
    if act == 3:
        absent = refer is None or refer.size == 0
        decides = x if grad == 0 else np.zeros(x.shape) if absent else refer
        x = np.where(decides > 0, x, alpha * x)
    return x * scale


def _inside(count, first, step, shift, size):
    """The outputs whose element first + w * step and its neighbour at a distance of `shift` are inside."""
    at = np.arange(count) * step + first
    there = (at >= 0) & (at < size) & (at + shift >= 0) & (at + shift < size)
    return np.flatnonzero(there), at[there], at[there] + shift


def _correlation_terms(extents, counts, kernel, patch, pad, dilation, dilation_patch, stride) -> Iterator[tuple]:
    """For each place of patch and kernel: the place of the patch, the outputs, and their elements in both maps."""
    ranges = []
    for d in range(2):
        radius = dilation_patch[d] * (patch[d] - 1) // 2
        ranges.append(
            [
                (
                    p,
                    *_inside(
                        counts[d], i * dilation[d] - pad[d], stride[d], p * dilation_patch[d] - radius, extents[d]
                    ),
                )
                for p in range(patch[d])
                for i in range(kernel[d])
            ]
        )
    for p, h, y1, y2 in ranges[0]:
        for q, w, x1, x2 in ranges[1]:
            if len(h) and len(w):
                yield p, q, (h[:, None], w[None]), (y1[:, None], x1[None]), (y2[:, None], x2[None])


def _extent(size, kernel, pad, dilation, stride):
    return (size + 2 * pad - dilation * (kernel - 1) - 1) // stride + 1


@oracle("diopiCorrelationMmcv", dtype="input1")
def correlation(
    input1, input2, kH, kW, patchH, patchW, padH, padW, dilationH, dilationW, dilation_patchH, dilation_patchW, dH, dW
):  # fmt: skip
    extents = input1.shape[2:]
    counts = (_extent(extents[0], kH, padH, dilationH, dH), _extent(extents[1], kW, padW, dilationW, dW))
    found, size = np.zeros((2, len(input1), patchH, patchW, *counts))
    pairs = ((kH, kW), (patchH, patchW), (padH, padW), (dilationH, dilationW), (dilation_patchH, dilation_patchW))
    for p, q, out, one, two in _correlation_terms(extents, counts, *pairs, (dH, dW)):
        terms = input1[:, :, one[0], one[1]] * input2[:, :, two[0], two[1]]
        found[:, p, q, out[0], out[1]] += terms.sum(1)
        size[:, p, q, out[0], out[1]] += np.abs(terms).sum(1)
    return Value(found, size)


@oracle("diopiCorrelationBackwardMmcv", dtype="input1")
def correlation_backward(
    grad_output, input1, input2, kH, kW, patchH, patchW, padH, padW, dilationH, dilationW, dilation_patchH,
    dilation_patchW, dH, dW
):  # fmt: skip
    gradients, sizes = np.zeros((2, 2, *input1.shape))
    pairs = ((kH, kW), (patchH, patchW), (padH, padW), (dilationH, dilationW), (dilation_patchH, dilation_patchW))
    terms = _correlation_terms(input1.shape[2:], grad_output.shape[3:], *pairs, (dH, dW))
    for p, q, out, *at in terms:
        grad = grad_output[:, p, q, out[0], out[1]][:, None]
        for k, other in ((0, input2), (1, input1)):
            term = grad * other[:, :, at[1 - k][0], at[1 - k][1]]
            gradients[k][:, :, at[k][0], at[k][1]] += term
            sizes[k][:, :, at[k][0], at[k][1]] += np.abs(term)
    return {f"grad_input{k + 1}": Value(gradients[k], sizes[k]) for k in range(2)}
