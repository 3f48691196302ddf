# SPDX-License-Identifier: BSD-3-Clause
"""Trains a small convolutional network on handwritten digits. Each step of the computation is a call of an operator.

python -m diopi.demo [--epochs N] [--seed N] [--library PATH] [--data PATH]

Exit status: 0 if more than 95 % of the held-out digits are recognised after the last epoch, 1 if not or if a call
failed, 2 for wrong usage.
"""

from __future__ import annotations

import argparse
import math
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

import diopi

from .contract import PACKAGE, SOURCE_TREE

Array = Any  # a NumPy array or a diopi.Tensor
GOAL = 0.95
BATCH = 64
LEARNING_RATE = 2e-3
IGNORE_NONE = -100
WINDOW = {"kernel_size": 2, "stride": 2, "padding": 0, "dilation": 1, "ceil_mode": False}


class Parameter:
    """Weights with their gradient and their moments for Adam."""

    def __init__(self, value: np.ndarray[Any, Any]) -> None:
        self.value = value
        self.gradient = np.zeros_like(value)
        self.moments = np.zeros_like(value), np.zeros_like(value)


class Layer:
    """A layer. `backward` takes the gradient of the output and returns the gradient of the input."""

    def __init__(self, lib: Any) -> None:
        self.lib = lib
        self.parameters: list[Parameter] = []

    def add(self, value: np.ndarray[Any, Any]) -> Parameter:
        self.parameters.append(Parameter(value))
        return self.parameters[-1]

    def forward(self, x: Array, training: bool) -> Array:
        raise NotImplementedError

    def backward(self, gradient: Array) -> Array:
        raise NotImplementedError


def he_uniform(lib: Any, shape: tuple[int, ...], generator: diopi.Generator) -> np.ndarray[Any, Any]:
    """Random weights that keep the variance of activations through a ReLU."""
    weights = np.empty(shape, np.float32)
    bound = math.sqrt(6.0 / math.prod(shape[1:]))
    lib.uniform_inp(weights, -bound, bound, generator)
    return weights


class Convolution(Layer):
    """A 3 x 3 convolution without bias."""

    def __init__(self, lib: Any, inputs: int, outputs: int, generator: diopi.Generator, first: bool = False) -> None:
        super().__init__(lib)
        self.weight = self.add(he_uniform(lib, (outputs, inputs, 3, 3), generator))
        self.first = first

    def forward(self, x: Array, training: bool) -> Array:
        self.x = x
        n, _, height, width = x.shape
        out = np.empty((n, self.weight.value.shape[0], height, width), np.float32)
        return self.lib.convolution2d(x, self.weight.value, stride=1, padding=1, dilation=1, groups=1, out=out)

    def backward(self, gradient: Array) -> Array:
        made = {"grad_input": None} if self.first else {}
        result = self.lib.convolution2d_backward(
            gradient, self.x, self.weight.value, stride=1, padding=1, dilation=1, groups=1, **made
        )
        self.lib.copy_inp(result.grad_weight, dest=self.weight.gradient)
        return result.grad_input


class BatchNorm(Layer):
    def __init__(self, lib: Any, channels: int) -> None:
        super().__init__(lib)
        self.weight, self.bias = self.add(np.ones(channels, np.float32)), self.add(np.zeros(channels, np.float32))
        self.running = {"running_mean": np.zeros(channels, np.float32), "running_var": np.ones(channels, np.float32)}
        self.saved = {"save_mean": np.empty(channels, np.float32), "save_invstd": np.empty(channels, np.float32)}

    def forward(self, x: Array, training: bool) -> Array:
        self.x = x
        return self.lib.batch_norm(
            x,
            self.weight.value,
            self.bias.value,
            **self.running,
            training=training,
            momentum=0.1,
            eps=1e-5,
            **self.saved,
        ).out

    def backward(self, gradient: Array) -> Array:
        gradients = {"grad_weight": self.weight.gradient, "grad_bias": self.bias.gradient}
        return self.lib.batch_norm_backward(
            gradient, self.x, self.weight.value, **self.running, **self.saved, training=True, eps=1e-5, **gradients
        ).grad_input


class Relu(Layer):
    def forward(self, x: Array, training: bool) -> Array:
        self.out = self.lib.relu(x)
        return self.out

    def backward(self, gradient: Array) -> Array:
        return self.lib.threshold_backward(gradient, self.out, 0.0)


class MaxPool(Layer):
    """Halves height and width."""

    def forward(self, x: Array, training: bool) -> Array:
        self.x = x
        n, channels, height, width = x.shape
        self.indices = np.empty((n, channels, height // 2, width // 2), np.int64)
        out = np.empty(self.indices.shape, np.float32)
        return self.lib.max_pool2d_with_indices(x, **WINDOW, out=out, indices=self.indices).out

    def backward(self, gradient: Array) -> Array:
        return self.lib.max_pool2d_backward(gradient, self.x, **WINDOW, indices=self.indices)


class Flatten(Layer):
    def forward(self, x: Array, training: bool) -> Array:
        self.shape = x.shape
        return np.asarray(x).reshape(x.shape[0], -1)

    def backward(self, gradient: Array) -> Array:
        return np.asarray(gradient).reshape(self.shape)


class Linear(Layer):
    def __init__(self, lib: Any, inputs: int, outputs: int, generator: diopi.Generator) -> None:
        super().__init__(lib)
        self.weight = self.add(he_uniform(lib, (outputs, inputs), generator))
        self.bias = self.add(np.zeros(outputs, np.float32))

    def forward(self, x: Array, training: bool) -> Array:
        self.x = x
        out = np.empty((x.shape[0], self.bias.value.size), np.float32)
        return self.lib.linear(x, self.weight.value, self.bias.value, out=out)

    def backward(self, gradient: Array) -> Array:
        gradients = {"grad_weight": self.weight.gradient, "grad_bias": self.bias.gradient}
        return self.lib.linear_backward(gradient, self.x, self.weight.value, **gradients).grad_input


class Dropout(Layer):
    def __init__(self, lib: Any, probability: float, generator: diopi.Generator) -> None:
        super().__init__(lib)
        self.probability, self.generator = probability, generator

    def forward(self, x: Array, training: bool) -> Array:
        self.mask = np.empty(x.shape, bool)
        return self.lib.dropout(x, self.probability, training, self.generator, mask=self.mask).out

    def backward(self, gradient: Array) -> Array:
        return self.lib.mul_scalar(self.lib.mul(gradient, self.mask), 1.0 / (1.0 - self.probability))


class Network:
    def __init__(self, lib: Any, generator: diopi.Generator) -> None:
        self.lib = lib

        def block(inputs: int, outputs: int) -> list[Layer]:
            first = Convolution(lib, inputs, outputs, generator, first=inputs == 1)
            return [first, BatchNorm(lib, outputs), Relu(lib)]

        self.layers: list[Layer] = [*block(1, 16), *block(16, 32), MaxPool(lib), *block(32, 64), MaxPool(lib)]
        self.layers += [Flatten(lib), Linear(lib, 256, 128, generator), Relu(lib)]
        self.layers += [Dropout(lib, 0.3, generator), Linear(lib, 128, 10, generator)]
        self.parameters = [p for layer in self.layers for p in layer.parameters]

    def forward(self, images: Array, training: bool) -> Array:
        x = images
        for layer in self.layers:
            x = layer.forward(x, training)
        return x

    def learn(self, images: Array, labels: Array, rate: float, step: int) -> tuple[float, Array]:
        """Makes one step of Adam, and returns the loss and the scores."""
        scores = self.forward(images, True)
        how = {"reduction": "mean", "ignore_index": IGNORE_NONE, "label_smoothing": 0.0}
        loss = self.lib.cross_entropy_loss(scores, labels, **how, out=np.empty((), np.float32))
        gradient = self.lib.cross_entropy_loss_backward(np.ones((), np.float32), scores, labels, **how)
        for layer in reversed(self.layers):
            gradient = layer.backward(gradient)
        for p in self.parameters:
            self.lib.adam(
                *(p.value, p.gradient, *p.moments),
                **{"lr": rate, "beta1": 0.9, "beta2": 0.999, "eps": 1e-8, "weight_decay": 0.0},
                **{"step": step, "amsgrad": False},
            )
        return float(loss), scores


def correct(lib: Any, scores: Array, labels: Array) -> int:
    guesses = lib.argmax(scores, 1, keepdim=False, out=np.empty(labels.shape, np.int64))
    return int(lib.sum(lib.eq(guesses, labels), 0, out=np.empty((), np.int64)))


def data_file() -> Path:
    """The file of digits: beside this file in a wheel, in the folder `examples` in a source tree."""
    packed = PACKAGE / "digits.csv"
    return packed if packed.is_file() else SOURCE_TREE / "examples" / "data" / "digits.csv"


def load_digits(path: Path) -> tuple[tuple[Array, Array], tuple[Array, Array]]:
    """The images and labels for training, and the fifth of them that is held out."""
    digits = np.loadtxt(path, delimiter=",", dtype=np.int64, ndmin=2)
    if digits.shape[1:] != (65,) or len(digits) < 5:
        raise ValueError(f"{path} has shape {digits.shape}, expected 5 lines or more of 64 pixels and a label")
    digits = digits[np.random.default_rng(7).permutation(len(digits))]
    images = (digits[:, :64].reshape(-1, 1, 8, 8) / np.float32(16)).astype(np.float32)
    labels = np.ascontiguousarray(digits[:, 64])
    cut = len(digits) - (len(digits) + 4) // 5
    return (images[:cut], labels[:cut]), (images[cut:], labels[cut:])


def batches(lib: Any, data: tuple[Array, Array], generator: diopi.Generator) -> Iterator[tuple[Array, Array]]:
    """Yields all data once, in batches of random order."""
    images, labels = data
    order = lib.randperm(len(labels), generator, out=np.empty(len(labels), np.int64))
    for start in range(0, len(labels), BATCH):
        rows = order[start : start + BATCH]
        picked = np.empty((len(rows), 1, 8, 8), np.float32), np.empty(len(rows), np.int64)
        yield lib.index_select(images, 0, rows, out=picked[0]), lib.index_select(labels, 0, rows, out=picked[1])


def train(lib: Any, path: Path, epochs: int, seed: int) -> float:
    """Trains the network, and returns the share of the held-out digits that it recognises after the last epoch."""
    generator = diopi.Generator(seed)
    learn, held_out = load_digits(path)
    print(f"{lib.vendor} {lib.version}: {len(learn[1])} digits to learn from, {len(held_out[1])} held out")
    network, step, accuracy = Network(lib, generator), 0, 0.0
    for epoch in range(epochs):
        start, loss_sum = time.perf_counter(), 0.0
        rate = LEARNING_RATE * 0.5 * (1.0 + math.cos(math.pi * epoch / epochs))  # half a cosine period, down to zero
        for images, labels in batches(lib, learn, generator):
            step += 1
            loss, _ = network.learn(images, labels, rate, step)
            loss_sum += loss * len(labels)
        accuracy = correct(lib, network.forward(held_out[0], False), held_out[1]) / len(held_out[1])
        seconds = time.perf_counter() - start
        mean = loss_sum / len(learn[1])
        print(
            f"epoch {epoch + 1}/{epochs}  loss {mean:.4f}  held-out accuracy {accuracy:.4f}  {seconds:.2f} s",
            flush=True,
        )
    return accuracy


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        prog="python -m diopi.demo",
        description="Trains a small convolutional network on handwritten digits. Each step is a call of an operator.",
        epilog="exit status: 0 if more than 95 % of the held-out digits are recognised, 1 if not",
    )
    parser.add_argument("--epochs", type=int, default=10, help="number of passes over the data (10)")
    parser.add_argument("--seed", type=int, default=0, help="seed of weights, order of digits, and dropout (0)")
    parser.add_argument("--library", help="the vendor's library (default: the one that diopi.load() finds)")
    parser.add_argument(
        "--data", type=Path, help="file of digits: 64 pixels and a label per line (default: the package's)"
    )
    options = parser.parse_args(arguments)
    if options.epochs < 1:
        parser.error("--epochs must be at least 1")
    if not 0 <= options.seed < 2**64:
        parser.error("--seed must be from 0 to 2**64 - 1")
    try:
        accuracy = train(diopi.load(options.library), options.data or data_file(), options.epochs, options.seed)
    except (diopi.Error, OSError, ValueError) as error:
        print(f"diopi.demo: {error}", file=sys.stderr)
        return 1
    reached = accuracy > GOAL
    print(f"held-out accuracy {100 * accuracy:.2f} %, goal {100 * GOAL:.0f} %: {'reached' if reached else 'missed'}")
    return 0 if reached else 1


if __name__ == "__main__":
    sys.exit(main())
