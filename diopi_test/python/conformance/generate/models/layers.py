# SPDX-License-Identifier: BSD-3-Clause
"""Translations of the layers of networks: matrix products, convolution, pooling, interpolation, patches."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace

from ...cases.case import TensorSpec
from .calls import Call
from .draft import Draft, Row, Saved, each, null_unless, spec, take
from .sizes import Budget, Resizing, broadcast

# --- products of matrices ---


def product_cost(first: str, second: str):
    """The cost of a matrix product whose inner size is the last dimension of the first tensor."""

    def cost(call: Call) -> Budget:
        a, b = call.tensor(first), call.tensor(second)
        rows = broadcast([a.shape[:-2], b.shape[:-2]]) + a.shape[-2:-1]
        result = math.prod(rows) * (b.shape[-1] if len(b.shape) > 1 else 1)
        return Budget(max(a.numel, b.numel, result), result * a.shape[-1])

    return cost


def _linear_cost(call: Call) -> Budget:
    x, weight = call.tensor(), call.tensor("weight")
    result = x.numel // max(x.shape[-1], 1) * weight.shape[0]
    return Budget(max(x.numel, weight.numel, result), result * x.shape[-1])


def _linear(call: Call) -> Iterator[Draft]:
    x, weight, bias = call.tensor(), call.tensor("weight"), call.tensor("bias")
    yield Draft("Linear", {"input": spec(x), "weight": spec(weight), "bias": spec(bias)})
    if x.grad or weight.grad:
        grad = TensorSpec(x.shape[:-1] + weight.shape[:1], x.dtype)
        yield Draft(
            "LinearBackward",
            {
                "grad_output": grad,
                "input": spec(x),
                "weight": spec(weight),
                **null_unless(x.grad, "grad_input"),
                **null_unless(weight.grad, "grad_weight"),
                **null_unless(bias is not None and bias.grad, "grad_bias"),
            },
        )


LINEAR = Row(_linear, Resizing(cost=_linear_cost))


# --- convolution ---


def window_output(size: int, kernel: int, stride: int, padding: int, dilation: int, ceil: bool = False) -> int:
    """The number of positions of a window along one dimension."""
    room = size + 2 * padding - dilation * (kernel - 1) - 1
    if not ceil:
        return room // stride + 1
    count = -(-room // stride) + 1
    return count - 1 if (count - 1) * stride >= size + padding else count


def _conv_output(call: Call) -> tuple[int, ...]:
    x, weight = call.tensor(), call.tensor("weight")
    spatial = len(weight.shape) - 2
    stride, padding, dilation = (each(call.params[k], spatial) for k in ("stride", "padding", "dilation"))
    if not call.op.startswith("conv_transpose"):
        sizes = [window_output(*numbers) for numbers in zip(x.shape[2:], weight.shape[2:], stride, padding, dilation)]
        return (x.shape[0], weight.shape[0], *sizes)
    more = each(call.params["output_padding"], spatial)
    sizes = [
        (n - 1) * s - 2 * p + d * (k - 1) + o + 1
        for n, k, s, p, d, o in zip(x.shape[2:], weight.shape[2:], stride, padding, dilation, more)
    ]
    return (x.shape[0], weight.shape[1] * call.params["groups"], *sizes)


def _conv_cost(call: Call) -> Budget:
    x, weight = call.tensor(), call.tensor("weight")
    result = math.prod(_conv_output(call))
    moved = x.numel if call.op.startswith("conv_transpose") else result
    return Budget(max(x.numel, weight.numel, result), moved * math.prod(weight.shape[1:]))


def _conv_least(call: Call) -> dict[int, int]:
    """The smallest sizes of a convolution. Kernel sizes do not change. The input is at least twice as large as the
    dilated kernel, so that strides have an effect."""
    weight = call.tensor("weight").shape
    reach = [(k - 1) * d + 1 for k, d in zip(weight[2:], each(call.params["dilation"], len(weight) - 2))]
    least = {k: k for k in weight[2:]}
    for n, r in zip(call.tensor().shape[2:], reach):
        least[n] = max(least.get(n, 0), 2 * r)
    return least


def convolution(name: str) -> Row:
    attributes = ["stride", "padding", "dilation", "groups"]

    def translate(call: Call) -> Iterator[Draft]:
        x, weight, bias = call.tensor(), call.tensor("weight"), call.tensor("bias")
        out = _conv_output(call)
        if bias is not None and bias.shape is None:  # the trace has the bias without its shape
            bias = replace(bias, shape=out[1:2])
        own = take(call, *attributes, *(["output_padding"] if call.op.startswith("conv_transpose") else []))
        yield Draft(name, {"input": spec(x), "weight": spec(weight), "bias": spec(bias), **own})
        if not x.grad and not weight.grad:
            return
        with_bias = bias is not None and bias.grad
        yield Draft(
            name + "Backward",
            {
                "grad_output": TensorSpec(out, x.dtype),
                "input": spec(x),
                "weight": spec(weight),
                "bias_sizes": [[out[1]]] if with_bias else None,
                **own,
                **null_unless(x.grad, "grad_input"),
                **null_unless(weight.grad, "grad_weight"),
                **null_unless(with_bias, "grad_bias"),
            },
        )

    return Row(_with_groups(translate), Resizing(sizes=("groups",), cost=_conv_cost, least=_conv_least))


def _with_groups(translate):
    """Refuses calls unless `groups` is 1 or the number of channels. Other numbers of groups cannot be resized."""

    def checked(call: Call) -> Iterator[Draft]:
        if call.params["groups"] not in (1, call.tensor().shape[1]):
            raise ValueError(
                f"groups = {call.params['groups']}, expected 1 or the number of channels, {call.tensor().shape[1]}"
            )
        yield from translate(call)

    return checked


# --- pooling ---


def max_pool(name: str) -> Row:
    def translate(call: Call) -> Iterator[Draft]:
        x, spatial = call.tensor(), 3 if name.endswith("3d") else 2
        kernel = each(call.params["kernel_size"], spatial)
        stride = each(call.params.get("stride") or kernel, spatial)
        padding = each(call.params.get("padding", 0), spatial)
        dilation = each(call.params.get("dilation", 1), spatial)
        ceil = call.params.get("ceil_mode", False)
        arguments = {
            "input": spec(x),
            "kernel_size": kernel,
            "stride": stride,
            "padding": padding,
            "dilation": dilation,
            "ceil_mode": ceil,
        }
        yield Draft(name + ("WithIndices" if call.params.get("return_indices") else ""), arguments)
        if x.grad:
            sizes = [
                window_output(*numbers, ceil) for numbers in zip(x.shape[-spatial:], kernel, stride, padding, dilation)
            ]
            out = (*x.shape[:-spatial], *sizes)
            yield Draft(
                name + "Backward",
                {"grad_output": TensorSpec(out, x.dtype), **arguments, "indices": TensorSpec(out, "int64", "zeros")},
                (Saved("indices", "indices", Draft(name + "WithIndices", arguments)),),
            )

    return Row(translate, Resizing(least=lambda call: {n: 8 for n in call.tensor().shape[2:]}))


def adaptive_pool(name: str) -> Row:
    def translate(call: Call) -> Iterator[Draft]:
        x, size = call.tensor(), call.params["output_size"]
        yield Draft(name, {"input": spec(x), "output_size": size})
        if x.grad:
            grad = TensorSpec((*x.shape[: -len(size)], *size), x.dtype)
            yield Draft(name + "Backward", {"grad_output": grad, "input": spec(x)})

    return Row(translate)


# --- interpolation, patches ---


def _interpolated(call: Call) -> list[int]:
    x, size = call.tensor(), call.params.get("size")
    return list(size) if size else [int(n * s) for n, s in zip(x.shape[2:], call.params["scale_factor"])]


def _interpolate_cost(call: Call) -> Budget:
    x = call.tensor()
    return Budget(max(x.numel, math.prod(x.shape[:2]) * math.prod(_interpolated(call))), 0)


def _interpolate(call: Call) -> Iterator[Draft]:
    x, size, mode = call.tensor(), _interpolated(call), call.params["mode"]
    linear = {} if mode == "nearest" else {"align_corners": bool(call.params.get("align_corners")), "mode": mode}
    name = "UpsampleNearest" if mode == "nearest" else "UpsampleLinear"
    yield Draft(name, {"input": spec(x), "size": size, **linear})
    if x.grad:
        yield Draft(
            name + "Backward",
            {
                "grad_output": TensorSpec((*x.shape[:2], *size), x.dtype),
                "out_size": size,
                "in_size": list(x.shape),
                **linear,
            },
        )


INTERPOLATE = Row(_interpolate, Resizing(sizes=("size",), cost=_interpolate_cost))

_PATCHES = ("kernel_size", "dilation", "padding", "stride")


def _patch_least(call: Call) -> dict[int, int]:
    """The smallest sizes for patches: two patches without overlap in each direction."""
    over = call.params.get("output_size") or call.tensor().shape[2:]
    return {n: 2 * max(call.params["kernel_size"]) for n in over}


def _im2col_cost(call: Call) -> Budget:
    x = call.tensor()
    return Budget(x.numel * math.prod(call.params["kernel_size"]) // math.prod(call.params["stride"]), 0)


def _im2col(call: Call) -> Iterator[Draft]:
    yield Draft("Im2Col", {"input": spec(call.tensor()), **take(call, *_PATCHES)})


IM2COL = Row(_im2col, Resizing(cost=_im2col_cost, least=_patch_least))


def _channels_of_patches(call: Call) -> Call:
    """The call with an input of shape [batch, channels]. `output_size` gives the number of patches."""
    x = call.tensor()
    channels = x.shape[1] // math.prod(call.params["kernel_size"])
    return replace(call, tensors={"input": replace(x, shape=(x.shape[0], channels))})


def _patches(call: Call) -> tuple[int, ...]:
    p = call.params
    count = math.prod(
        window_output(*numbers)
        for numbers in zip(p["output_size"], p["kernel_size"], p["stride"], p["padding"], p["dilation"])
    )
    batch, channels = call.tensor().shape
    return batch, channels * math.prod(p["kernel_size"]), count


def _col2im(call: Call) -> Iterator[Draft]:
    yield Draft(
        "Col2Im", {"input": TensorSpec(_patches(call), call.tensor().dtype), **take(call, "output_size", *_PATCHES)}
    )


COL2IM = Row(
    _col2im,
    Resizing(sizes=("output_size",), cost=lambda call: Budget(math.prod(_patches(call)), 0), least=_patch_least),
    _channels_of_patches,
)
