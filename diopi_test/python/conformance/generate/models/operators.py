# SPDX-License-Identifier: BSD-3-Clause
"""Translations that only one or a few operators use: creation, dimensions, indices, optimisers."""

from __future__ import annotations

import math
from collections.abc import Iterator

from ...cases.case import TensorSpec
from .calls import Call
from .draft import Draft, Row, Saved, number, spec, take
from .sizes import Budget, Resizing

# --- creation of tensors ---


def arange(call: Call) -> Iterator[Draft]:
    start, end, step = call.params.get("start", 0), call.params["end"], call.params.get("step", 1)
    whole = all(isinstance(v, int) for v in (start, end, step))
    yield Draft(
        "Arange", {"out": TensorSpec(dtype="int64" if whole else "float32"), "start": start, "end": end, "step": step}
    )


def linspace(call: Call) -> Iterator[Draft]:
    yield Draft("Linspace", {"out": TensorSpec(dtype="float32"), **take(call, "start", "end", "steps")})


def randperm(call: Call) -> Iterator[Draft]:
    yield Draft("Randperm", {"out": TensorSpec(dtype="int64"), **take(call, "n")})


def fill(call: Call) -> Iterator[Draft]:
    yield Draft("Fill", {"input": spec(call.tensor()), "value": number(call.params["value"])})


def normal(call: Call) -> Iterator[Draft]:
    yield Draft("NormalInp", {"inout": spec(call.tensor()), **{k: float(call.params[k]) for k in ("mean", "std")}})


def uniform(call: Call) -> Iterator[Draft]:
    yield Draft(
        "UniformInp",
        {"inout": spec(call.tensor()), "from": float(call.params["start"]), "to": float(call.params["end"])},
    )


def bernoulli(call: Call) -> Iterator[Draft]:
    yield Draft("BernoulliScalar", {"out": spec(call.tensor()), **take(call, "p")})


def multinomial(call: Call) -> Iterator[Draft]:
    yield Draft(
        "Multinomial", {"input": spec(call.tensor(), "positive"), **take(call, "num_samples"), "replacement": False}
    )


def dropout(call: Call) -> Iterator[Draft]:
    x = call.tensor()
    inp = "Inp" if call.inplace or call.params.get("inplace") else ""
    yield Draft(
        "Dropout" + inp,
        {
            "input": spec(x),
            "mask": TensorSpec(x.shape, "bool"),
            "p": call.params["p"],
            "train": call.params["training"],
        },
    )


# --- arithmetic of more than two operands ---


def three(name: str) -> Row:
    def translate(call: Call) -> Iterator[Draft]:
        nonzero = "nonzero" if name == "Addcdiv" else None
        yield Draft(
            name + ("Inp" if call.inplace else ""),
            {
                "input": spec(call.tensor()),
                "tensor1": spec(call.tensor("tensor1")),
                "tensor2": spec(call.tensor("tensor2"), nonzero),
                **take(call, "value"),
            },
        )

    return Row(translate)


def clamp(call: Call) -> Iterator[Draft]:
    bounds = {k: number(call.params.get(k)) for k in ("min", "max")}
    yield Draft("Clamp" + ("Inp" if call.inplace else "") + "Scalar", {"input": spec(call.tensor()), **bounds})


def clamp_min(call: Call) -> Iterator[Draft]:
    yield Draft(
        "ClampMin" + ("Inp" if call.inplace else "") + "Scalar", {"input": spec(call.tensor()), **take(call, "min")}
    )


def lerp(call: Call) -> Iterator[Draft]:
    yield Draft("LerpScalar", {"input": spec(call.tensor()), "end": spec(call.tensor("end")), **take(call, "weight")})


def pow(call: Call) -> Iterator[Draft]:
    x, exponent, inp = call.tensor(), call.tensor("exponent"), "Inp" if call.inplace else ""
    if exponent is not None:
        yield Draft(f"Pow{inp}Tensor", {"input": spec(x, "positive"), "exponent": spec(exponent)})
    else:
        yield Draft("Pow" + inp, {"input": spec(x), **take(call, "exponent")})


def where(call: Call) -> Iterator[Draft]:
    yield Draft("Where", {k: spec(call.tensor(k)) for k in ("condition", "input", "other")})


def masked_fill(call: Call) -> Iterator[Draft]:
    yield Draft(
        "MaskedFill" + ("Inp" if call.inplace else "") + "Scalar",
        {"input": spec(call.tensor()), "mask": spec(call.tensor("mask")), "value": number(call.params["value"])},
    )


def batched_sum(call: Call) -> Iterator[Draft]:
    yield Draft(
        "Baddbmm" + ("Inp" if call.inplace else ""),
        {
            **{k: spec(call.tensor(k)) for k in ("input", "batch1", "batch2")},
            **{k: float(call.params[k]) for k in ("beta", "alpha")},
        },
    )


# --- dimensions ---


def softmax(name: str) -> Row:
    def translate(call: Call) -> Iterator[Draft]:
        x, dim = call.tensor(), take(call, "dim")
        yield Draft(name, {"input": spec(x), **dim})
        if x.grad:
            yield Draft(
                name + "Backward",
                {"grad_output": spec(x), "output": spec(x), **dim},
                (Saved("output", "out", Draft(name, {"input": spec(x), **dim})),),
            )

    return Row(translate)


def along(name: str, *names: str, **fixed: object) -> Row:
    """An operator of one tensor and of parameters that have the same name in the contract and in the trace."""

    def translate(call: Call) -> Iterator[Draft]:
        yield Draft(name, {"input": spec(call.tensor()), **take(call, *names), **fixed})

    return Row(translate)


def over_everything(name: str, gen: str) -> Row:
    def translate(call: Call) -> Iterator[Draft]:
        yield Draft(name, {"input": spec(call.tensor(), gen), "dim": call.params.get("dim")})

    return Row(translate)


def topk(call: Call) -> Iterator[Draft]:
    yield Draft("Topk", {"input": spec(call.tensor()), **take(call, "k", "dim", "largest", "sorted")})


def repeat(call: Call) -> Iterator[Draft]:
    yield Draft("Repeat", {"input": spec(call.tensor()), "repeats_size": call.params["repeats"]})


def repeat_cost(call: Call) -> Budget:
    return Budget(call.tensor().numel * math.prod(call.params["repeats"]), 0)


def expanded(call: Call) -> tuple[int, ...]:
    size, shape = call.params["size"], call.tensor().shape
    own = (1,) * (len(size) - len(shape)) + shape
    return tuple(n if s == -1 else s for s, n in zip(size, own))


def expand_cost(call: Call) -> Budget:
    return Budget(math.prod(expanded(call)), 0)


def expand(call: Call) -> Iterator[Draft]:
    yield Draft("Expand", {"out": TensorSpec(expanded(call)), "input": spec(call.tensor())})


def joined(name: str) -> Row:
    def translate(call: Call) -> Iterator[Draft]:
        yield Draft(name, {"tensors": [spec(t) for t in call.tensors["tensors"]], "dim": call.params.get("dim", 0)})

    return Row(translate, Resizing(cost=lambda call: Budget(sum(t.numel for t in call.flat()), 0)))


# --- indices ---


def _positions(call: Call, name: str, size: int) -> TensorSpec:
    """An index tensor of positions in a dimension of this size, or a mask in which half of the elements are true."""
    index = call.tensor(name)
    return spec(index, f"mask({-(-index.numel // 2)})" if index.dtype in ("bool", "uint8") else f"indices({size})")


def index(call: Call) -> Iterator[Draft]:
    x, index = call.tensor(), call.tensor("indices")
    indices = [_positions(call, "indices", x.shape[0])]
    yield Draft("Index", {"input": spec(x), "indices": indices})
    if x.grad:
        mask = index.dtype in ("bool", "uint8")
        taken = (-(-index.numel // 2), *x.shape[len(index.shape) :]) if mask else (*index.shape, *x.shape[1:])
        yield Draft(
            "IndexBackward",
            {"zeros_like_input": spec(x, "zeros"), "indices": indices, "grad_output": TensorSpec(taken, x.dtype)},
        )


def index_cost(call: Call) -> Budget:
    x, index = call.tensor(), call.tensor("indices")
    return Budget(max(x.numel, index.numel * math.prod(x.shape[1:]) if index.dtype == "int64" else 0), 0)


def index_put(call: Call) -> Iterator[Draft]:
    x, inp = call.tensor(), "Inp" if call.inplace else ""
    yield Draft(
        "IndexPut" + inp,
        {
            "input": spec(x),
            "values": spec(call.tensor("values")),
            "indices": [_positions(call, "indices1", x.shape[0])],
            **take(call, "accumulate"),
        },
    )


def index_select(call: Call) -> Iterator[Draft]:
    x, dim = call.tensor(), call.params["dim"]
    yield Draft("IndexSelect", {"input": spec(x), "dim": dim, "index": _positions(call, "index", x.shape[dim])})


def gather(call: Call) -> Iterator[Draft]:
    x, dim = call.tensor(), call.params["dim"]
    yield Draft("Gather", {"input": spec(x), "dim": dim, "index": _positions(call, "index", x.shape[dim])})


def scatter(call: Call) -> Iterator[Draft]:
    x, dim, src, inp = call.tensor(), call.params["dim"], call.tensor("src"), "Inp" if call.inplace else ""
    own = {"src": spec(src)} if src else {"value": number(call.params["value"])}
    yield Draft(
        "Scatter" + inp + ("" if src else "Scalar"),
        {"input": spec(x), "dim": dim, **own, "index": _positions(call, "index", x.shape[dim]), "reduce": ""},
    )


def embedding(call: Call) -> Iterator[Draft]:
    weight, indices, padding = call.tensor("weight"), call.tensor(), call.params.get("padding_idx")
    if call.params.get("max_norm") is not None:
        raise ValueError("embedding with max_norm is not supported: it changes the weight before the lookup")
    rows = weight.shape[0]
    index = spec(indices, f"indices({rows})")
    own = {
        "padding_idx": -1 if padding is None else min(padding, rows - 1),
        "scale_grad_byfreq": call.params["scale_grad_by_freq"],
        "sparse": call.params["sparse"],
    }
    yield Draft("Embedding", {"weight": spec(weight), "indices": index, **own})
    if weight.grad:
        grad = TensorSpec(indices.shape + weight.shape[1:], weight.dtype)
        yield Draft("EmbeddingBackward", {"grad": grad, "indices": index, "num_weights": rows, **own})


def embedding_cost(call: Call) -> Budget:
    weight, indices = call.tensor("weight"), call.tensor()
    return Budget(max(weight.numel, indices.numel * weight.shape[1]), 0)


# --- losses, distances, optimisers ---


def classes(call: Call) -> TensorSpec:
    return spec(call.tensor("target"), f"indices({call.tensor().shape[1 if len(call.tensor().shape) > 1 else 0]})")


def ignored(call: Call) -> dict[str, object]:
    """The ignored class. If the number of classes was reduced, the index stays below it."""
    ignored = call.params.get("ignore_index", -100)
    return {"ignore_index": min(ignored, call.tensor().shape[1] - 1)}


def smoothed(call: Call) -> dict[str, object]:
    return {**ignored(call), "label_smoothing": call.params.get("label_smoothing", 0.0)}


def cdist(call: Call) -> Iterator[Draft]:
    x, y, p = call.tensor("x1"), call.tensor("x2"), float(call.params["p"])
    mode = {"use_mm_for_euclid_dist_if_necessary": 0, "use_mm_for_euclid_dist": 1, "donot_use_mm_for_euclid_dist": 2}[
        call.params["compute_mode"]
    ]
    forward = Draft("Cdist", {"input1": spec(x), "input2": spec(y), "p": p, "compute_mode": mode})
    yield forward
    if x.grad:
        between = TensorSpec((*x.shape[:-1], y.shape[-2]), x.dtype)
        yield Draft(
            "CdistBackward",
            {"grad_output": between, "input1": spec(x), "input2": spec(y), "p": p, "cdist": between},
            (Saved("cdist", "out", forward),),
        )


def adam(call: Call) -> Iterator[Draft]:
    state = {"param": None, "grad": None, "exp_avg": None, "exp_avg_sq": "uniform", "max_exp_avg_sq": "uniform"}
    yield Draft(
        "Adam",
        {
            **{k: spec(call.tensor("param_grad" if k == "grad" else k), g) for k, g in state.items()},
            **take(call, "lr", "beta1", "beta2", "eps", "weight_decay", "step", "amsgrad"),
        },
    )


def sgd(call: Call) -> Iterator[Draft]:
    yield Draft(
        "Sgd",
        {
            "param": spec(call.tensor("param")),
            "grad": spec(call.tensor("param_grad")),
            "buf": spec(call.tensor("buf")),
            **take(call, "lr", "momentum", "dampening", "weight_decay", "nesterov"),
        },
    )


def scalar_only(name: str) -> Row:
    def translate(call: Call) -> Iterator[Draft]:
        yield Draft(name, {"input": spec(call.tensor()), "other": number(call.params["other"])})

    return Row(translate)
