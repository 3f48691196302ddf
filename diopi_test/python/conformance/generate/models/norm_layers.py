# SPDX-License-Identifier: BSD-3-Clause
"""Translations of batch, layer and group normalisation."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from ...cases.case import TensorSpec
from .calls import Call, Tensor
from .draft import Draft, Row, Saved, null_unless, spec
from .sizes import Resizing


def _batch_norm(call: Call) -> Iterator[Draft]:
    x, weight, bias = call.tensor(), call.tensor("weight"), call.tensor("bias")
    training, eps = call.params["training"], call.params["eps"]
    running = {
        "running_mean": spec(call.tensor("running_mean")),
        "running_var": spec(call.tensor("running_var"), "positive"),
    }
    forward = Draft(
        "BatchNorm",
        {
            "input": spec(x),
            "weight": spec(weight),
            "bias": spec(bias),
            **running,
            "training": training,
            "momentum": call.params["momentum"],
            "eps": eps,
            **({} if training else {"save_mean": None, "save_invstd": None}),
        },
    )
    yield forward
    if not (x.grad or weight is not None and weight.grad):
        return
    channels = TensorSpec(x.shape[1:2], x.dtype)
    saved = {"save_mean": channels, "save_invstd": channels} if training else {"save_mean": None, "save_invstd": None}
    yield Draft(
        "BatchNormBackward",
        {
            "grad_output": spec(x),
            "input": spec(x),
            "weight": spec(weight),
            **running,
            **saved,
            "training": training,
            "eps": eps,
            **null_unless(x.grad, "grad_input"),
            **null_unless(weight is not None and weight.grad, "grad_weight"),
            **null_unless(bias is not None and bias.grad, "grad_bias"),
        },
        tuple(Saved(k, k, forward) for k in saved) if training else (),
    )


BATCH_NORM = Row(_batch_norm)


def _statistics_norm(
    name: str,
    x: Tensor,
    weight: Tensor | None,
    bias: Tensor | None,
    statistics: tuple[int, ...],
    own: dict[str, Any],
    eps: float,
    takes_bias: bool,
) -> Iterator[Draft]:
    """A normalisation whose gradient takes the mean and the inverse standard deviation of each group."""
    forward = Draft(name, {"input": spec(x), "weight": spec(weight), "bias": spec(bias), **own, "eps": eps})
    yield forward
    if not (x.grad or weight is not None and weight.grad):
        return
    group = TensorSpec(statistics, x.dtype)
    yield Draft(
        name + "Backward",
        {
            "grad_output": spec(x),
            "input": spec(x),
            "weight": spec(weight),
            **({"bias": spec(bias)} if takes_bias else {}),
            "mean": group,
            "rstd": group,
            **own,
            **null_unless(x.grad, "grad_input"),
            **null_unless(weight is not None and weight.grad, "grad_weight"),
            **null_unless(bias is not None and bias.grad, "grad_bias"),
        },
        (Saved("mean", "save_mean", forward), Saved("rstd", "save_invstd", forward)),
    )


def _layer_norm(call: Call) -> Iterator[Draft]:
    x, shape = call.tensor(), call.params["normalized_shape"]
    statistics = x.shape[: -len(shape)] + (1,) * len(shape)
    yield from _statistics_norm(
        "LayerNorm",
        x,
        call.tensor("weight"),
        call.tensor("bias"),
        statistics,
        {"normalized_shape": shape},
        call.params["eps"],
        True,
    )


LAYER_NORM = Row(_layer_norm, Resizing(sizes=("normalized_shape",)))


def _groups_and_channels(call: Call) -> Call:
    """The call with the dimension of channels split into [groups, channels of a group], so that both may be resized."""
    x, groups = call.tensor(), call.params["num_groups"]
    per_group = x.shape[1] // groups
    apart = {
        k: replace(t, shape=(groups, per_group) if len(t.shape) == 1 else (t.shape[0], groups, per_group, *t.shape[2:]))
        for k, t in call.tensors.items()
    }
    return replace(call, tensors=apart)


def _group_norm(call: Call) -> Iterator[Draft]:
    together = {
        k: replace(
            t, shape=(math.prod(t.shape),) if len(t.shape) == 2 else (t.shape[0], t.shape[1] * t.shape[2], *t.shape[3:])
        )
        for k, t in call.tensors.items()
    }
    groups = call.tensor().shape[1]
    yield from _statistics_norm(
        "GroupNorm",
        together["input"],
        together.get("weight"),
        together.get("bias"),
        (call.tensor().shape[0], groups),
        {"num_groups": groups},
        call.params["eps"],
        False,
    )


GROUP_NORM = Row(_group_norm, prepare=_groups_and_channels)
