# SPDX-License-Identifier: BSD-3-Clause
"""How the backward call of an operator relates to its forward call, and makers of forward arguments."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

Arguments = Mapping[str, Any]
Maker = Callable[[Arguments, np.random.Generator], Any]


@dataclass(frozen=True)
class Rule:
    """How the backward call of one operator relates to its forward call."""

    leaves: Mapping[str, str] = field(default_factory=lambda: {"grad_input": "input"})  # gradient -> forward's input
    grad: str | None = "grad_output"  # the input of the backward call that holds the gradient of `output`; None: ones
    output: str = "out"  # the output of the forward call
    further: Mapping[str, str] = field(default_factory=dict)  # other output -> the input that holds its gradient
    made: Mapping[str, Maker] = field(default_factory=dict)  # forward arguments that the backward call lacks
    saved: Mapping[str, str] = field(default_factory=dict)  # input of the backward call -> output of the forward call
    derived: Mapping[str, Callable[[Arguments], Any]] = field(default_factory=dict)  # inputs that others determine
    applies: Callable[[Arguments], bool] = lambda arguments: True  # whether the call computes a derivative
    constant: Callable[[Arguments], Any] = lambda arguments: False  # elements that have the gradient 0 by definition


def shaped_like(name: str) -> Maker:
    return lambda arguments, rng: rng.normal(size=np.shape(arguments[name]))


def of_shape(name: str) -> Maker:
    return lambda arguments, rng: rng.normal(size=arguments[name])


def always(value: Any) -> Maker:
    return lambda arguments, rng: value


def ones_for_channels(name: str, dim: int) -> Maker:
    return lambda arguments, rng: np.ones(sum(np.shape(arguments[name])[dim : dim + 1]))


def zeros_for_channels(name: str, dim: int) -> Maker:
    return lambda arguments, rng: np.zeros(sum(np.shape(arguments[name])[dim : dim + 1]))


def channel_sum(x: Any) -> Any:
    return x.sum(tuple(i for i in range(x.ndim) if i != 1))


def per_channel(values: Any, x: Any) -> Any:
    return np.reshape(values, (1, -1) + (1,) * (x.ndim - 2))


def centred(x: Any) -> Any:
    return x - per_channel(channel_sum(x) / (x.size / x.shape[1]), x)


WEIGHTS = {"grad_input": "input", "grad_weight": "weight", "grad_bias": "bias"}
