# SPDX-License-Identifier: BSD-3-Clause
"""Deformable convolution and multi-scale deformable attention of mmcv."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from . import Unwritten, Value, oracle
from .bilinear import ZeroPadded, zero_padded


@dataclass(frozen=True)
class _Windows:
    """The positions of the kernel of a deformable convolution. Pairs are (vertical, horizontal)."""

    kernel: tuple[int, int]
    stride: tuple[int, int]
    padding: tuple[int, int]
    dilation: tuple[int, int]
    groups: int
    deform_groups: int

    def output(self, input: np.ndarray) -> tuple[int, ...]:
        return tuple(
            (n + 2 * p - d * (k - 1) - 1) // s + 1
            for n, p, d, k, s in zip(input.shape[2:], self.padding, self.dilation, self.kernel, self.stride)
        )

    def positions(self, input: np.ndarray, offset: np.ndarray) -> Iterator[tuple[int, int, slice, ZeroPadded]]:
        """For each deformable group and kernel position: their numbers, the channels, and the points of all images."""
        height, width = input.shape[2:]
        rows, columns = self.output(input)
        channels, area = input.shape[1] // self.deform_groups, self.kernel[0] * self.kernel[1]
        for d in range(self.deform_groups):
            for k in range(area):
                i, j = divmod(k, self.kernel[1])
                dy, dx = offset[:, 2 * (d * area + k)], offset[:, 2 * (d * area + k) + 1]
                y = (np.arange(rows) * self.stride[0] - self.padding[0] + i * self.dilation[0])[:, None] + dy
                x = (np.arange(columns) * self.stride[1] - self.padding[1] + j * self.dilation[1]) + dx
                shape = (len(input), rows * columns)
                part = slice(d * channels, (d + 1) * channels)
                yield d, k, part, zero_padded(y.reshape(shape), x.reshape(shape), height, width)

    def factor(self, mask, d: int, k: int):
        """The mask of a kernel position, [N, 1, positions]."""
        if mask is None:
            return 1.0
        chosen = mask[:, d * self.kernel[0] * self.kernel[1] + k]
        return chosen.reshape(len(mask), 1, chosen.shape[1] * chosen.shape[2])

    def columns(self, input, offset, mask, absolute: bool = False) -> np.ndarray:
        """The samples [N, C, kernel, positions], times the mask."""
        rows, columns = self.output(input)
        result = np.zeros((*input.shape[:2], self.kernel[0] * self.kernel[1], rows * columns))
        cells = _cells(input)
        for d, k, part, points in self.positions(input, offset):
            points = points.absolute() if absolute else points
            result[:, part, k] = points.sample(cells[:, part]) * self.factor(mask, d, k)
        return result

    def _grouped(self, channels: np.ndarray) -> np.ndarray:
        """[N, C, ...] as [N, groups, C / groups, ...]."""
        shape = channels.shape
        return channels.reshape(shape[0], self.groups, shape[1] // self.groups, *shape[2:])

    def _grouped_weight(self, weight: np.ndarray) -> np.ndarray:
        count, depth = weight.shape[:2]
        return weight.reshape(self.groups, count // self.groups, depth, self.kernel[0] * self.kernel[1])

    def forward(self, columns, weight) -> np.ndarray:
        w, c = self._grouped_weight(weight), self._grouped(columns)
        return np.einsum("gock,ngckp->ngop", w, c, optimize=True).reshape(
            columns.shape[0], weight.shape[0], columns.shape[3]
        )

    def column_gradient(self, grad, weight) -> np.ndarray:
        """The gradient of the samples, without the mask."""
        w, g = self._grouped_weight(weight), self._grouped(_cells(grad))
        found = np.einsum("gock,ngop->ngckp", w, g, optimize=True)
        return found.reshape(grad.shape[0], found.shape[1] * found.shape[2], *found.shape[3:])

    def weight_gradient(self, grad, columns, shape) -> np.ndarray:
        g, c = self._grouped(_cells(grad)), self._grouped(columns)
        return np.einsum("ngop,ngckp->gock", g, c, optimize=True).reshape(shape)

    def input_gradients(self, columns, input, offset, mask, absolute: bool = False) -> dict[str, np.ndarray]:
        """The gradients of input, offset and mask from those of the samples."""
        area, cells = self.kernel[0] * self.kernel[1], _cells(input)
        grad_input = np.zeros(cells.shape)
        grad_offset = np.zeros((*offset.shape[:2], offset.shape[2] * offset.shape[3]))
        grad_mask = np.zeros((len(input), offset.shape[1] // 2, grad_offset.shape[2]))
        for d, k, part, points in self.positions(input, offset):
            points = points.absolute() if absolute else points
            grad, factor, inside = columns[:, part, k], self.factor(mask, d, k), points.inside
            points.add(grad * factor, grad_input[:, part])
            sums = [np.where(inside, grad * v, 0.0) for v in points.derivatives(points.read(cells[:, part]))]
            sample, by_y, by_x = (terms.sum(axis=1) for terms in sums)
            masked = np.where(inside, factor, 0.0)[:, 0]
            grad_mask[:, d * area + k] = sample
            grad_offset[:, 2 * (d * area + k)], grad_offset[:, 2 * (d * area + k) + 1] = by_y * masked, by_x * masked
        shape = (len(input), offset.shape[1] // 2, *offset.shape[2:])
        return {
            "input": grad_input.reshape(input.shape),
            "offset": grad_offset.reshape(offset.shape),
            "mask": grad_mask.reshape(shape),
        }


def _cells(images: np.ndarray) -> np.ndarray:
    """The images with all positions in one dimension."""
    return images.reshape(*images.shape[:2], images.shape[2] * images.shape[3])


def _forward(windows: _Windows, input, weight, offset, mask=None, bias=None) -> Value:
    shape = (input.shape[0], weight.shape[0], *windows.output(input))
    out = windows.forward(windows.columns(input, offset, mask), weight).reshape(shape)
    size = windows.columns(np.abs(input), offset, None if mask is None else np.abs(mask), absolute=True)
    magnitude = windows.forward(size, np.abs(weight)).reshape(shape)
    if bias is not None:
        out, magnitude = out + bias[:, None, None], magnitude + np.abs(bias)[:, None, None]
    return Value(out, magnitude)


def _input_gradients(windows: _Windows, grad, input, weight, offset, mask=None) -> dict[str, Value]:
    found = windows.input_gradients(windows.column_gradient(grad, weight), input, offset, mask)
    columns = windows.column_gradient(np.abs(grad), np.abs(weight))
    sizes = windows.input_gradients(columns, np.abs(input), offset, None if mask is None else np.abs(mask), True)
    return {name: Value(value, sizes[name]) for name, value in found.items()}


def _weight_gradient(windows: _Windows, grad, input, offset, shape, mask=None) -> Value:
    value = windows.weight_gradient(grad, windows.columns(input, offset, mask), shape)
    size = windows.columns(np.abs(input), offset, None if mask is None else np.abs(mask), absolute=True)
    return Value(value, windows.weight_gradient(np.abs(grad), size, shape))


@oracle("diopiDeformConvMmcv", dtype="input")
def deform_conv(input, weight, offset, kW, kH, dW, dH, padW, padH, dilationW, dilationH, groups, deform_groups):
    windows = _Windows((kH, kW), (dH, dW), (padH, padW), (dilationH, dilationW), groups, deform_groups)
    return _forward(windows, input, weight, offset)


@oracle("diopiDeformConvBackwardInputMmcv", dtype="input")
def deform_conv_backward_input(
    input, offset, gradOutput, weight, kW, kH, dW, dH, padW, padH, dilationW, dilationH, groups, deform_groups
):
    windows = _Windows((kH, kW), (dH, dW), (padH, padW), (dilationH, dilationW), groups, deform_groups)
    found = _input_gradients(windows, gradOutput, input, weight, offset)
    return {"gradInput": found["input"], "gradOffset": found["offset"]}


@oracle("diopiDeformConvBackwardParametersMmcv", dtype="gradWeight")
def deform_conv_backward_parameters(
    gradOutput,
    gradWeight,
    input,
    offset,
    kW,
    kH,
    dW,
    dH,
    padW,
    padH,
    dilationW,
    dilationH,
    groups,
    deform_groups,
    scale,
):
    windows = _Windows((kH, kW), (dH, dW), (padH, padW), (dilationH, dilationW), groups, deform_groups)
    found = _weight_gradient(windows, gradOutput, input, offset, gradWeight.shape)
    factor = np.float64(np.float32(scale))
    return Value(gradWeight + factor * found.array, np.abs(gradWeight) + abs(factor) * found.magnitude)


@oracle("diopiModulatedDeformConvMmcv", dtype="input")
def modulated_deform_conv(
    input,
    weight,
    bias,
    offset,
    mask,
    kernel_h,
    kernel_w,
    stride_h,
    stride_w,
    pad_h,
    pad_w,
    dilation_h,
    dilation_w,
    group,
    deformable_group,
    with_bias,
):
    windows = _Windows(
        (kernel_h, kernel_w), (stride_h, stride_w), (pad_h, pad_w), (dilation_h, dilation_w), group, deformable_group
    )
    return _forward(windows, input, weight, offset, mask, bias if with_bias else None)


@oracle("diopiModulatedDeformConvBackwardMmcv", dtype="input")
def modulated_deform_conv_backward(
    input,
    weight,
    offset,
    mask,
    grad_output,
    kernel_h,
    kernel_w,
    stride_h,
    stride_w,
    pad_h,
    pad_w,
    dilation_h,
    dilation_w,
    group,
    deformable_group,
    with_bias,
    grad_bias=None,
):
    windows = _Windows(
        (kernel_h, kernel_w), (stride_h, stride_w), (pad_h, pad_w), (dilation_h, dilation_w), group, deformable_group
    )
    found = _input_gradients(windows, grad_output, input, weight, offset, mask)
    over = (0, 2, 3)
    bias: Value | Unwritten = Unwritten(weight.shape[:1] if grad_bias is None else grad_bias)
    if with_bias:
        bias = Value(grad_output.sum(over), np.abs(grad_output).sum(over))
    return {
        "grad_input": found["input"],
        "grad_weight": _weight_gradient(windows, grad_output, input, offset, weight.shape, mask),
        "grad_bias": bias,
        "grad_offset": found["offset"],
        "grad_mask": found["mask"],
    }


def _levels(value, spatial_shapes, level_start_index, sampling_loc) -> Iterator[tuple]:
    """For each level and point: their numbers, the cells, the extents, and the points sampled [N * heads, Q]."""
    rows = value.shape[0] * value.shape[2]
    for level, (height, width) in enumerate(spatial_shapes.tolist()):
        first = int(level_start_index[level])
        for p in range(sampling_loc.shape[4]):
            x, y = (_by_head(sampling_loc[:, :, :, level, p, i]).reshape(rows, sampling_loc.shape[1]) for i in (0, 1))
            points = zero_padded(y * height - 0.5, x * width - 0.5, height, width)
            yield level, p, slice(first, first + height * width), (height, width), points


def _by_head(tensor: np.ndarray) -> np.ndarray:
    """[N, Q or S, heads, ...] as [N * heads, ..., Q or S]."""
    moved = np.moveaxis(tensor, 1, -1)
    return moved.reshape(moved.shape[0] * moved.shape[1], *moved.shape[2:])


def _from_heads(rows: np.ndarray, heads: int) -> np.ndarray:
    """[N * heads, ..., Q] as [N, Q, heads, ...]."""
    return np.moveaxis(rows.reshape(rows.shape[0] // heads, heads, *rows.shape[1:]), -1, 1)


@oracle("diopiMsDeformAttnMmcv", dtype="value")
def ms_deform_attn(value, spatial_shapes, level_start_index, sampling_loc, attn_weight):
    (count, _, heads, size), queries = value.shape, sampling_loc.shape[1]
    cells_of, weights = _by_head(value), _by_head(attn_weight)
    out, magnitude = np.zeros((2, count * heads, size, queries))
    for level, p, cells, _, points in _levels(value, spatial_shapes, level_start_index, sampling_loc):
        weight, values = weights[:, level, p][:, None], cells_of[:, :, cells]
        out += weight * points.sample(values)
        magnitude += np.abs(weight) * points.absolute().sample(np.abs(values))
    shape = (count, queries, heads * size)
    return Value(_from_heads(out, heads).reshape(shape), _from_heads(magnitude, heads).reshape(shape))


@oracle("diopiMsDeformAttnBackwardMmcv", dtype="value")
def ms_deform_attn_backward(value, spatial_shapes, level_start_index, sampling_loc, attn_weight, grad_output):
    arguments = (spatial_shapes, level_start_index, sampling_loc)
    found = _attention_gradients(value, *arguments, attn_weight, grad_output, absolute=False)
    sizes = _attention_gradients(np.abs(value), *arguments, np.abs(attn_weight), np.abs(grad_output), absolute=True)
    return {name: Value(array, sizes[name]) for name, array in found.items()}


def _attention_gradients(
    value, spatial_shapes, level_start_index, sampling_loc, attn_weight, grad_output, absolute: bool
) -> dict[str, np.ndarray]:
    heads, size = value.shape[2:]
    grad = _by_head(grad_output.reshape(*grad_output.shape[:2], heads, size))
    cells_of, weights = _by_head(value), _by_head(attn_weight)
    grad_value, grad_weight = np.zeros(cells_of.shape), np.zeros(weights.shape)
    grad_loc = np.zeros((*weights.shape[:3], 2, weights.shape[3]))
    for level, p, cells, (height, width), points in _levels(value, spatial_shapes, level_start_index, sampling_loc):
        points = points.absolute() if absolute else points
        values, inside, weight = cells_of[:, :, cells], points.inside, weights[:, level, p]
        points.add(weight[:, None] * grad, grad_value[:, :, cells])
        sums = (np.where(inside, grad * v, 0.0).sum(axis=1) for v in points.derivatives(points.read(values)))
        grad_weight[:, level, p], by_y, by_x = sums
        weight = np.where(inside[:, 0], weight, 0.0)
        grad_loc[:, level, p, 0], grad_loc[:, level, p, 1] = width * weight * by_x, height * weight * by_y
    found = {"grad_value": grad_value, "grad_sampling_loc": grad_loc, "grad_attn_weight": grad_weight}
    return {name: _from_heads(rows, heads) for name, rows in found.items()}
