# SPDX-License-Identifier: BSD-3-Clause
"""References for filters, bias with leaky ReLU, and correlation: conv2d, where, slices of padded maps, autograd."""

from __future__ import annotations

from typing import Any

from ..reference import Table, composed, gradients, torch


def _upfirdn(input, kernel, up_x, up_y, down_x, down_y, pad_x0, pad_x1, pad_y0, pad_y1):
    major, height, width, minor = input.shape
    images = input.permute(0, 3, 1, 2).reshape(major * minor, 1, height, width)
    pads = (pad_x0, pad_x1, pad_y0, pad_y1)

    def enlarged(values: Any) -> Any:
        zeros = torch.zeros(*values.shape[:2], height * up_y, width * up_x, dtype=values.dtype)
        zeros[:, :, ::up_y, ::up_x] = values
        return (
            torch.nn.functional.pad(zeros, pads).unfold(2, kernel.shape[0], down_y).unfold(3, kernel.shape[1], down_x)
        )

    there = enlarged(torch.ones(1, 1, height, width)) > 0
    found = torch.where(there, enlarged(images) * kernel.flip(0, 1), 0).sum((-1, -2))
    return found.reshape(major, minor, *found.shape[2:]).permute(0, 2, 3, 1)


def _activate(input, bias, refer, act, grad, alpha, scale):
    alpha, scale = (torch.tensor(number, dtype=torch.float32).item() for number in (alpha, scale))  # as in C
    x = input
    if bias is not None and bias.numel():
        x = x + bias.reshape(1, -1, *(1,) * (x.ndim - 2))
    if grad == 2:
        return torch.zeros_like(x) * scale
    if act == 3 and grad == 0:
        x = torch.nn.functional.leaky_relu(x, alpha)
    elif act == 3:
        positive = torch.zeros(x.shape, dtype=torch.bool) if refer is None or not refer.numel() else refer > 0
        x = torch.where(positive, x, alpha * x)
    return x * scale


def _pair(values: Any, start: int, count: int, step: int) -> Any:
    """`count` positions of the first dimension from `start` on; positions outside are not numbers of the map: zeros."""
    at = start + torch.arange(count) * step
    there = (at >= 0) & (at < len(values))
    shape = (count, *(1,) * (values.ndim - 1))
    return torch.where(there.reshape(shape), values[at.clamp(0, len(values) - 1)], 0), there


def _correlate(
    input1, input2, kH, kW, patchH, patchW, padH, padW, dilationH, dilationW, dilation_patchH, dilation_patchW, dH, dW
):  # fmt: skip
    n, channels, height, width = input1.shape
    counts = (
        (height + 2 * padH - dilationH * (kH - 1) - 1) // dH + 1,
        (width + 2 * padW - dilationW * (kW - 1) - 1) // dW + 1,
    )
    if not input1.numel():
        return (input1.sum() + input2.sum()) * torch.ones(n, patchH, patchW, *counts, dtype=input1.dtype)

    def taken(values: Any, y: int, x: int) -> tuple[Any, Any]:
        rows, above = _pair(values.permute(2, 3, 0, 1), y, counts[0], dH)
        cells, beside = _pair(rows.transpose(0, 1), x, counts[1], dW)
        return cells.permute(2, 3, 1, 0), above[:, None] & beside[None]

    planes = []
    for p in range(patchH):
        for q in range(patchW):
            plane = input1.new_zeros(())
            for i in range(kH):
                for j in range(kW):
                    y, x = i * dilationH - padH, j * dilationW - padW
                    down, right = (
                        k * dilation - dilation * (patch - 1) // 2
                        for k, dilation, patch in ((p, dilation_patchH, patchH), (q, dilation_patchW, patchW))
                    )
                    (one, inside), (two, also) = taken(input1, y, x), taken(input2, y + down, x + right)
                    both = inside & also
                    plane = plane + (torch.where(both, one, 0) * torch.where(both, two, 0)).sum(1)
            planes.append(plane)
    return torch.stack(planes, 1).reshape(n, patchH, patchW, *counts)


def _correlate_backward(grad_output, input1, input2, **attributes):
    found = gradients(lambda a, b: _correlate(a, b, **attributes), grad_output, input1, input2)
    return dict(zip(("grad_input1", "grad_input2"), found))


def _backward(
    grad_output, input1, input2, kH, kW, patchH, patchW, padH, padW, dilationH, dilationW, dilation_patchH,
    dilation_patchW, dH, dW
):  # fmt: skip
    given = dict(locals())
    return _correlate_backward(**given)


TABLE: Table = {
    "diopiUpfirdn2dOpMmcv": composed("Tensor.unfold of enlarged images", _upfirdn, double=True),
    "diopiFusedBiasLeakyreluMmcv": composed("torch.nn.functional.leaky_relu", _activate, double=True),
    "diopiCorrelationMmcv": composed("sums of selected positions", _correlate, double=True),
    "diopiCorrelationBackwardMmcv": composed("torch.autograd of selected positions", _backward, double=True),
}
