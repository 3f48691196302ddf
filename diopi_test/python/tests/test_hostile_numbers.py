# SPDX-License-Identifier: BSD-3-Clause
"""Tests numbers whose sums or products exceed 64 bits: sizes, which operators refuse, and integers, which wrap around.

A refused call must return the right error code and name the argument, and must not change any output.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from helpers import registry

from conformance.dtypes import NUMPY
from conformance.handles import NullSize, Scalar, Seed
from conformance.lists import as_list
from conformance.placement import Placement, row_major
from conformance.run.binding import Allocated, Runtime, default_library, default_runtime
from conformance.run.buffers import Buffer

pytestmark = pytest.mark.skipif(
    not default_runtime().exists() or not default_library().exists(), reason="nothing is built"
)

MOST, HALF, LONG = 2**63 - 1, 2**62, 2**36
ERROR, DTYPE = "diopiErrorOccurred", "diopiDtypeNotSupported"
STORED_AS = {"tfloat32": "float32", "complex32": "float32"}  # dtypes of four bytes, which the runtime can store


class Tensor(Buffer):
    """A tensor of ones with any shape, strides and dtype, including dtypes that no operator supports."""

    def __init__(self, shape: tuple[int, ...], dtype: str = "float32", strides: tuple[int, ...] | None = None) -> None:
        layout = row_major(shape) if strides is None else Placement(shape, strides)
        super().__init__(STORED_AS.get(dtype, dtype), layout)
        self.bytes.view(NUMPY[self.dtype])[:] = 1
        self.dtype = dtype
        self.before = self.bytes.copy()


def repeated(shape: tuple[int, ...], dtype: str = "float32") -> Tensor:
    """A tensor of this shape in which all strides are 0."""
    return Tensor(shape, dtype, (0,) * len(shape))


@dataclass
class Call:
    name: str
    blamed: str  # the message must contain this text
    arguments: dict[str, Any]
    slug: str = ""
    code: str = ERROR

    def __str__(self) -> str:
        return f"{self.name}-{self.slug or self.blamed}"


def convolution(n: int, backward: bool) -> dict[str, Any]:
    """The arguments of a valid convolution with `n` spatial dimensions."""
    image, kernel, result = (1, 1, *(4,) * n), (1, 1, *(3,) * n), Tensor((1, 1, *(2,) * n))
    call: dict[str, Any] = {"input": Tensor(image), "weight": Tensor(kernel)}
    call |= {"stride": [1], "padding": [0], "dilation": [1], "groups": 1}
    if not backward:
        return call | {"bias": None, "out": result}
    call |= {"grad_input": Tensor(image), "grad_weight": Tensor(kernel), "grad_bias": Tensor((1,))}
    return call | {"grad_output": result, "bias_sizes": [[1]]}


def convolutions() -> Iterator[Call]:
    for n, backward in itertools.product((2, 3), (False, True)):
        name = f"diopiConvolution{n}d" + ("Backward" if backward else "")
        result = "grad_output" if backward else "out"
        for blamed, changed in (
            (f"padding = [{MOST}]", {"padding": [MOST]}),
            (f"padding = [{HALF}]", {"padding": [HALF]}),
            (f"dilation = [{MOST}]", {"dilation": [MOST]}),
            ("weight", {"dilation": [HALF]}),
            ("padding", {"dilation": [HALF - 3], "padding": [HALF - 4]}),  # the size of a padded copy exceeds 64 bits
            (result, {"stride": [MOST], "padding": [HALF - 4]}),  # one window
        ):
            slug = ",".join(f"{k}={v[0]}" for k, v in changed.items())
            yield Call(name, blamed, convolution(n, backward) | changed, slug)
        window = {"stride": [MOST], "padding": [HALF - 4], result: Tensor((1, 1, *(1,) * n))}
        yield Call(name, "padding", convolution(n, backward) | window, "one_window")
        for length in (1, 2, -1) if backward else ():
            arguments = convolution(n, backward) | {"bias_sizes": NullSize(length)}
            yield Call(name, "bias_sizes", arguments, f"bias_sizes_without_data={length}")


def pooling(n: int, kind: str) -> dict[str, Any]:
    """The arguments of a valid pooling call with `n` spatial dimensions."""
    image, result = (1, 1, *(4,) * n), (1, 1, *(2,) * n)
    call = {"input": Tensor(image), "kernel_size": [2] * n, "stride": [2] * n, "padding": [0] * n, "ceil_mode": False}
    if kind.startswith("Max"):
        call |= {"dilation": [1] * n, "indices": Tensor(result, "int64")}
    else:
        call |= {"count_include_pad": True, "divisor_override": None}
    if kind.endswith("Backward"):
        return call | {"grad_input": Tensor(image), "grad_output": Tensor(result)}
    return call | {"out": Tensor(result)}


def pools() -> Iterator[Call]:
    kinds = ("MaxPool{}d", "MaxPool{}dWithIndices", "MaxPool{}dBackward", "AvgPool{}d", "AvgPool{}dBackward")
    for n, kind in itertools.product((1, 2, 3), kinds):
        for name in ("kernel_size", "stride", "padding", *(["dilation"] if kind.startswith("Max") else [])):
            for value in (MOST, HALF, 2**31):
                arguments = pooling(n, kind) | {name: [value] * n}
                yield Call(f"diopi{kind.format(n)}", name, arguments, f"{name}={value}")
    for n, value in itertools.product((1, 2, 3), (MOST, HALF)):
        arguments = {"input": Tensor((1, 1, *(4,) * n)), "out": Tensor((1, 1, *(2,) * n)), "output_size": [value] * n}
        yield Call(f"diopiAdaptiveAvgPool{n}d", "out has shape", arguments, f"output_size={value}")


def repeats() -> Iterator[Call]:
    for extent, times, result in ((4, HALF, 0), (6, 3074457345618258603, 2)):
        arguments = {"out": Tensor((result,)), "input": Tensor((extent,)), "repeats_size": [times]}
        yield Call("diopiRepeat", "repeats_size", arguments, f"{extent}x{times}")


def put(image: Tensor, *indices: Tensor | None) -> dict[str, Any]:
    lists = {"indices": list(indices), "indices_counts": len(indices)}
    return {"input": image, "values": Tensor((1,)), "accumulate": False, **lists}


def sums_and_products() -> Iterator[Call]:
    quarters = [repeated((HALF,), "int8") for _ in range(4)]
    yield Call("diopiCat", "tensors", {"out": Tensor((0,), "int8"), "tensors": quarters, "num_inputs": 4, "dim": 0})
    empty = {"outs": [Tensor((HALF, 0), "int8") for _ in range(4)], "num_outs": 4, "input": Tensor((0, 0), "int8")}
    yield Call("diopiSplitWithSizes", "splitSizes", {**empty, "splitSizes": [HALF] * 4, "dim": 0})
    column, row = repeated((2**33, 1)), repeated((1, 2**33))
    scaled = {"out": Tensor((0,)), "input": column, "other": row, "alpha": Scalar(1, "int64")}
    yield Call("diopiAdd", "other", scaled)
    drawn = {"out": Tensor((0,)), "mean": column, "std": row, "generator": Seed(1)}
    yield Call("diopiNormalTensor", "std", drawn)
    rows = repeated((2**33,), "int64")
    picked = {"out": Allocated(), "input": repeated((4, 2**33)), "indices": [rows], "nums": 1}
    yield Call("diopiIndex", "indices", picked, "product")
    yield Call("diopiIndexPutInp", "indices", put(Tensor((0, 4)), repeated((2**60,), "int32"), None), "product")
    many = put(Tensor((2,) * 15), Tensor((1,) * 16, "int64"))
    yield Call("diopiIndexPutInp", "indices", many, "too_many_dimensions")
    steps = {"start": Scalar(0.0, "float64"), "end": Scalar(1e300, "float64"), "step": Scalar(1e-300, "float64")}
    yield Call("diopiArange", "step", {"out": Tensor((4,)), **steps})
    counts = {"out": Tensor((4, 2), "int64"), "input": Tensor((4,), "int64"), "num_classes": MOST}
    yield Call("diopiOneHot", "out", counts)


def numbered() -> Iterator[Call]:
    """Calls whose int32 output cannot hold every position."""
    many, one, value = repeated((2**31 + 100,), "int8"), Tensor((), "int32"), Tensor((), "int8")
    for name in ("diopiArgmax", "diopiArgmin"):
        yield Call(name, "out", {"out": one, "input": many, "dim": 0, "keepdim": False})
        yield Call(name, "out", {"out": one, "input": many, "dim": None, "keepdim": False}, "all")
    for name, out in (("diopiMax", "max"), ("diopiMin", "min")):
        arguments = {out: value, f"{out}_indices": one, "input": many, "dim": 0}
        yield Call(name, f"{out}_indices", arguments)
    top = {"values": Tensor((1,), "float64"), "indices": Tensor((1,), "int32"), "k": 1, "dim": 0}
    top |= {"input": repeated((2**31 + 100,), "float64"), "largest": True, "sorted": True}
    yield Call("diopiTopk", "indices", top)
    drawn = {"out": Tensor((1,), "int32"), "input": repeated((2**31 + 100,)), "num_samples": 1, "replacement": True}
    yield Call("diopiMultinomial", "out", {**drawn, "generator": Seed(1)})


def scanned() -> Iterator[Call]:
    """Calls with a wrong shape and a tensor of 2^36 elements. The operator must check shapes before it reads values."""
    long, out = repeated((LONG,), "int32"), Tensor((2,), "int32")
    yield Call("diopiRemainderTensor", "out", {"out": out, "input": Tensor((1,), "int32"), "other": long})
    yield Call("diopiRemainder", "out", {"out": out, "input": Scalar(3, "int64"), "other": long})
    yield Call("diopiDivInp", "input", {"input": out, "other": long, "rounding_mode": "RoundModeFloor"})
    rounded = {"out": out, "input": Tensor((1,), "int32"), "other": long, "rounding_mode": "RoundModeTrunc"}
    yield Call("diopiDiv", "out", rounded)
    classes = repeated((LONG,), "int64")
    for count in (2, -1):
        arguments = {"out": Tensor((3, 2), "int64"), "input": classes, "num_classes": count}
        yield Call("diopiOneHot", "out", arguments, f"num_classes={count}")
    logits, mean = repeated((LONG, 2)), "ReductionMean"
    loss = {"input": logits, "target": classes, "weight": None, "reduction": mean, "ignore_index": -100}
    for name in ("diopiNLLLoss", "diopiCrossEntropyLoss"):
        smooth = {"label_smoothing": 0.0} if "Cross" in name else {}
        yield Call(name, "out", {"out": Tensor((3,)), **loss, **smooth})
        backward = {"grad_input": Tensor((3, 2)), "grad_output": Tensor(())}
        yield Call(f"{name}Backward", "grad_input", {**backward, **loss, **smooth})
    indices = [repeated((LONG,), "int64")]
    image = Tensor((4,))
    wrong = {"input": image, "values": Tensor((3,)), "indices": indices, "indices_counts": 1, "accumulate": True}
    yield Call("diopiIndexPutInp", "values", wrong)


def unused() -> Iterator[Call]:
    """Calls with a wrong tensor that the call does not use."""
    wrong = (("dtype", Tensor((4,), "int32"), DTYPE), ("rank", Tensor((1,) * 39), ERROR))
    state = {name: Tensor((4,)) for name in ("param", "exp_avg", "exp_avg_sq", "square_avg")} | {"grad": Tensor((4,))}
    rates = {"lr": 0.1, "eps": 1e-8, "weight_decay": 0.0}
    adam = {"beta1": 0.9, "beta2": 0.99, "step": 1, "amsgrad": False}
    rms = {"alpha": 0.9, "momentum": 0.0, "centered": False, "grad_avg": None, "momentum_buf": None}
    sgd = {"momentum": 0.0, "dampening": 0.0, "nesterov": False}
    calls: list[tuple[str, str, dict[str, Any]]] = [
        ("diopiAdam", "max_exp_avg_sq", adam),
        ("diopiAdamW", "max_exp_avg_sq", adam),
        ("diopiRmsprop", "grad_avg", rms),
        ("diopiRmsprop", "momentum_buf", rms),
        ("diopiSgd", "buf", sgd),
    ]
    row, channels = Tensor((2, 4)), {k: Tensor((4,)) for k in ("weight", "bias", "running_mean", "running_var")}
    norm = {"out": Tensor((2, 4)), "input": row, "save_mean": None, "save_invstd": None, **channels}
    norm |= {"training": False, "momentum": 0.1, "eps": 1e-5}
    back = {"grad_input": Tensor((2, 4)), "grad_weight": None, "grad_bias": None, "grad_output": row, "input": row}
    back |= {"weight": Tensor((4,)), "eps": 1e-5}
    saved = {"save_mean": Tensor((4,)), "save_invstd": Tensor((4,))}
    layer = {k: v for k, v in back.items() if k != "eps"} | {"bias": None, "normalized_shape": [4]}
    layer |= {"mean": Tensor((2, 1)), "rstd": Tensor((2, 1))}
    for slug, tensor, code in wrong:
        for name, parameter, values in calls:
            yield Call(name, parameter, state | rates | values | {parameter: tensor}, f"{parameter},{slug}", code)
        for parameter in ("save_mean", "save_invstd"):
            yield Call("diopiBatchNorm", parameter, norm | {parameter: tensor}, f"{parameter},{slug}", code)
            arguments = back | channels | {"training": False} | saved | {parameter: tensor}
            yield Call("diopiBatchNormBackward", parameter, arguments, f"{parameter},{slug}", code)
        for parameter in ("running_mean", "running_var"):
            arguments = back | channels | {"training": True} | saved | {parameter: tensor}
            yield Call("diopiBatchNormBackward", parameter, arguments, f"{parameter},{slug}", code)
        yield Call("diopiLayerNormBackward", "bias", layer | {"bias": tensor}, slug, code)


def blamed_dtypes() -> Iterator[Call]:
    """Calls whose message must name the output with a wrong dtype."""
    sort = {"grad_input": Tensor((4,), "float64"), "grad_output": Tensor((4,)), "indices": Tensor((4,), "int64")}
    yield Call("diopiSortBackward", "grad_input", {**sort, "dim": 0, "sizes": [4], "keepdim": True}, "", DTYPE)
    table = {"out": Tensor((4, 2), "float64"), "grad": Tensor((3, 2)), "indices": Tensor((3,), "int64")}
    table |= {"num_weights": 4, "padding_idx": -1, "scale_grad_byfreq": False, "sparse": False}
    yield Call("diopiEmbeddingBackward", "out has dtype", table, "", DTYPE)


CALLS = [
    call
    for group in (convolutions, pools, repeats, sums_and_products, numbered, scanned, unused, blamed_dtypes)
    for call in group()
]


@pytest.fixture(scope="module")
def runtime() -> Runtime:
    return Runtime(registry(), default_runtime(), default_library())


def tensors_of(arguments: dict[str, Any]) -> Iterator[Tensor]:
    for value in arguments.values():
        yield from (item for item in as_list(value) if isinstance(item, Tensor))


def refused(runtime: Runtime, call: Call) -> None:
    outcome = runtime.call(registry().functions[call.name], call.arguments)
    assert outcome.code == call.code, outcome.message or "the call succeeded"
    assert outcome.message.startswith(f"{call.name}: ")
    assert call.blamed in outcome.message
    for tensor in tensors_of(call.arguments):
        assert np.array_equal(tensor.bytes, tensor.before)


@pytest.mark.parametrize("call", CALLS, ids=str)
def test_is_refused_and_writes_nothing(runtime: Runtime, call: Call) -> None:
    refused(runtime, call)


def test_sums_of_integers_wrap(runtime: Runtime) -> None:
    """This includes the smallest integer divided by -1, for which the processor's division instruction traps."""
    least = np.iinfo(np.int64).min
    window = {"kernel_size": [1, 2], "stride": [1, 2], "padding": [0, 0], "ceil_mode": False, "count_include_pad": True}
    image, small = (1, 1, 2, 4), (1, 1, 2, 2)
    for value, divisor, expected in ((least, -1, 0), (least // 2, -1, least), (least + 1, 1, 2)):
        given, out = Tensor(image, "int64"), Tensor(small, "int64")
        given.array[...] = value
        call = window | {"input": given, "divisor_override": divisor}
        outcome = runtime.call(registry().functions["diopiAvgPool2d"], call | {"out": out})
        assert outcome.code == "diopiSuccess", outcome.message
        assert (out.array == expected).all()
    grad, result = Tensor(small, "int64"), Tensor(image, "int64")
    grad.array[...] = least
    call = window | {"input": Tensor(image, "int64"), "divisor_override": -1}
    outcome = runtime.call(
        registry().functions["diopiAvgPool2dBackward"], call | {"grad_output": grad, "grad_input": result}
    )
    assert outcome.code == "diopiSuccess", outcome.message
    assert (result.array == least).all()


@pytest.mark.parametrize("dtype", ["int16", "int32", "int64"])
def test_weighted_products_of_integers_wrap(runtime: Runtime, dtype: str) -> None:
    most = int(np.iinfo(dtype).max)
    out, ones, addend = Tensor((2, 2), dtype), Tensor((2, 3), dtype), Tensor((2, 2), dtype)
    addend.array[...] = most
    weights = {"alpha": Scalar(most, "int64"), "beta": Scalar(3, "int64")}
    operands = {"input": addend, "mat1": ones, "mat2": Tensor((3, 2), dtype)}
    outcome = runtime.call(registry().functions["diopiAddmm"], {"out": out, **operands, **weights})
    assert outcome.code == "diopiSuccess", outcome.message
    assert (out.array == np.array(6 * most & 2**64 - 1, "uint64").astype(dtype)).all()
