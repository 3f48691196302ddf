# SPDX-License-Identifier: BSD-3-Clause
"""References for deformable convolution and attention: gathered neighbours, convolution of one position, autograd."""

from __future__ import annotations

from typing import Any

from ..reference import Table, composed, gradients, torch


def _sample(planes: Any, y: Any, x: Any) -> Any:
    """planes [B, C, H, W] at the points y, x [B, rows, columns]: [B, C, rows, columns].

    grid_sample takes normalised positions, which lose digits.
    """
    height, width = planes.shape[2:]
    inside = (y > -1) & (y < height) & (x > -1) & (x < width)
    y, x = (torch.where(inside, p, torch.zeros_like(p)) for p in (y, x))
    top, left = torch.floor(y).detach(), torch.floor(x).detach()
    cells = torch.nn.functional.pad(planes.flatten(2), (0, 1))  # a last cell of 0 for neighbours outside
    total = 0
    for row, by_row in ((top, 1 - (y - top)), (top + 1, y - top)):
        for column, by_column in ((left, 1 - (x - left)), (left + 1, x - left)):
            there = inside & (row >= 0) & (row < height) & (column >= 0) & (column < width)
            at = torch.where(there, row * width + column, torch.full_like(row, height * width)).long()
            found = cells.gather(2, at.flatten(1)[:, None].expand(-1, cells.shape[1], -1))
            total = total + by_row[:, None] * by_column[:, None] * found.unflatten(2, at.shape[1:])
    return total


def _deform(input, weight, offset, mask, kernel, stride, padding, dilation, groups, deform_groups):
    count, channels = input.shape[:2]
    area, (rows, columns) = kernel[0] * kernel[1], offset.shape[2:]
    planes = input.reshape(count * deform_groups, channels // deform_groups, *input.shape[2:])
    offsets = offset.reshape(count * deform_groups, area, 2, rows, columns)
    samples = []
    for k in range(area):
        i, j = divmod(k, kernel[1])
        y = (torch.arange(rows) * stride[0] - padding[0] + i * dilation[0]).double()[:, None] + offsets[:, k, 0]
        x = (torch.arange(columns) * stride[1] - padding[1] + j * dilation[1]).double() + offsets[:, k, 1]
        found = _sample(planes, y, x)
        if mask is not None:
            found = found * mask.reshape(count * deform_groups, area, 1, rows, columns)[:, k]
        samples.append(found.reshape(count, channels, rows, columns))
    stacked = torch.stack(samples, dim=2).reshape(count, channels * area, 1, rows * columns)
    matrix = weight.reshape(weight.shape[0], weight.shape[1] * area, 1, 1)
    return torch.nn.functional.conv2d(stacked, matrix, groups=groups).reshape(count, weight.shape[0], rows, columns)


def _plain(input, weight, offset, kW, kH, dW, dH, padW, padH, dilationW, dilationH, groups, deform_groups):
    window = ((kH, kW), (dH, dW), (padH, padW), (dilationH, dilationW))
    return _deform(input, weight, offset, None, *window, groups, deform_groups)


def _plain_input(
    input, offset, gradOutput, weight, kW, kH, dW, dH, padW, padH, dilationW, dilationH, groups, deform_groups
):
    rest = (kW, kH, dW, dH, padW, padH, dilationW, dilationH, groups, deform_groups)
    return gradients(lambda x, o: _plain(x, weight, o, *rest), gradOutput, input, offset)


def _plain_weight(
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
    rest = (kW, kH, dW, dH, padW, padH, dilationW, dilationH, groups, deform_groups)
    found = gradients(lambda w: _plain(input, w, offset, *rest), gradOutput, torch.zeros_like(gradWeight))[0]
    return gradWeight + torch.tensor(scale, dtype=torch.float32).double() * found


def _modulated(
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
    window = ((kernel_h, kernel_w), (stride_h, stride_w), (pad_h, pad_w), (dilation_h, dilation_w))
    out = _deform(input, weight, offset, mask, *window, group, deformable_group)
    return out + bias[:, None, None] if with_bias else out


def _modulated_backward(
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
):
    rest = (kernel_h, kernel_w, stride_h, stride_w, pad_h, pad_w, dilation_h, dilation_w, group, deformable_group)
    bias = weight.new_zeros(weight.shape[0])

    def forward(x, w, b, o, m):
        return _modulated(x, w, b, o, m, *rest, True)

    found = gradients(forward, grad_output, input, weight, bias, offset, mask)
    names = ("grad_input", "grad_weight", "grad_bias", "grad_offset", "grad_mask")
    return {**dict(zip(names, found)), **({} if with_bias else {"grad_bias": None})}


def _attention(value, spatial_shapes, level_start_index, sampling_loc, attn_weight):
    count, _, heads, depth = value.shape
    queries, points = sampling_loc.shape[1], sampling_loc.shape[4]
    total = value.new_zeros((count * heads, depth, queries))
    for level, (height, width) in enumerate(spatial_shapes.tolist()):
        first = int(level_start_index[level])
        planes = value[:, first : first + height * width].permute(0, 2, 3, 1)
        planes = planes.reshape(count * heads, depth, height, width)
        x, y = (
            sampling_loc[:, :, :, level, :, i].transpose(1, 2).reshape(count * heads, queries, points) for i in (0, 1)
        )
        found = _sample(planes, y * height - 0.5, x * width - 0.5)
        weight = attn_weight[:, :, :, level].transpose(1, 2).reshape(count * heads, 1, queries, points)
        total = total + (found * weight).sum(-1)
    return total.reshape(count, heads * depth, queries).transpose(1, 2)


def _attention_backward(value, spatial_shapes, level_start_index, sampling_loc, attn_weight, grad_output):
    def forward(v, loc, w):
        return _attention(v, spatial_shapes, level_start_index, loc, w)

    found = gradients(forward, grad_output, value, sampling_loc, attn_weight)
    return dict(zip(("grad_value", "grad_sampling_loc", "grad_attn_weight"), found))


_SAMPLED = "Tensor.gather of four neighbours, then conv2d of one position"
_PYRAMID = "Tensor.gather of four neighbours in each level"

TABLE: Table = {
    "diopiDeformConvMmcv": composed(_SAMPLED, _plain, double=True),
    "diopiDeformConvBackwardInputMmcv": composed(f"torch.autograd of {_SAMPLED}", _plain_input, double=True),
    "diopiDeformConvBackwardParametersMmcv": composed(f"torch.autograd of {_SAMPLED}", _plain_weight, double=True),
    "diopiModulatedDeformConvMmcv": composed(_SAMPLED, _modulated, double=True),
    "diopiModulatedDeformConvBackwardMmcv": composed(f"torch.autograd of {_SAMPLED}", _modulated_backward, double=True),
    "diopiMsDeformAttnMmcv": composed(_PYRAMID, _attention, double=True),
    "diopiMsDeformAttnBackwardMmcv": composed(f"torch.autograd of {_PYRAMID}", _attention_backward, double=True),
}
