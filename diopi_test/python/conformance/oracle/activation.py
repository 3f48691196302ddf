# SPDX-License-Identifier: BSD-3-Clause
"""Activations and their gradients."""

import math

import numpy as np

from ..oracles import Value, oracle

_SQRT_HALF = math.sqrt(0.5)
_SQRT_HALF_REST = -4.833646656726457e-17  # of the true root, which _SQRT_HALF exceeds
_SQRT_2_OVER_PI = math.sqrt(2 / math.pi)
_CUBIC = 0.044715


def _logistic(x):
    """Without overflow on either side."""
    small = np.exp(-np.abs(x.real)) if not np.iscomplexobj(x) else None
    if small is None:
        return 1 / (1 + np.exp(-x))
    return np.where(x >= 0, 1 / (1 + small), small / (1 + small))


@oracle("diopiRelu", "diopiReluInp")
def relu(input):
    return np.where(input < 0, 0, input).astype(input.dtype)


@oracle("diopiSigmoid", "diopiSigmoidInp", promote=("input",), dtype="float")
def sigmoid(input):
    return _logistic(input)


@oracle("diopiSigmoidBackward", promote=("grad_output", "output"))
def sigmoid_backward(grad_output, output):
    return grad_output * np.conj((1 - output) * output)


@oracle("diopiSilu", "diopiSiluInp")
def silu(input):
    return input * _logistic(input)


@oracle("diopiSiluBackward", promote=("grad_output", "input"))
def silu_backward(grad_output, input):
    s, rest = _logistic(input), _logistic(-input)
    return Value(
        grad_output * np.conj(s * (1 + input * rest)), magnitude=np.abs(grad_output * s) * (1 + np.abs(input * rest))
    )


@oracle("diopiTanhBackward", promote=("grad_output", "output"))
def tanh_backward(grad_output, output):
    return Value(
        grad_output * np.conj(1 - output * output), magnitude=np.abs(grad_output) * (1 + np.abs(output * output))
    )


@oracle("diopiGelu")
def gelu(input, approximate):
    """The distribution function through erfc and the logistic function, which do not cancel for negative input.

    An error of the exponent 2u, which is in proportion to it, is a relative error of the logistic function.
    """
    if approximate == "tanh":
        result = input * _logistic(_twice_u(input))
        return Value(result, magnitude=np.abs(result) * (1 + np.abs(_twice_u(input))))
    return input * _below(input)


@oracle("diopiGeluBackward", promote=("grad_output", "input"))
def gelu_backward(grad_output, input, approximate):
    if approximate == "tanh":
        s, rest = _logistic(_twice_u(input)), _logistic(-_twice_u(input))
        change = input * s * rest * 2 * _SQRT_2_OVER_PI * (1 + 3 * _CUBIC * input**2)
        return Value(
            grad_output * (s + change),
            magnitude=np.abs(grad_output) * (s + np.abs(change)) * (1 + np.abs(_twice_u(input))),
        )
    below, density = _below(input), _bell(input) / math.sqrt(2 * math.pi)
    return Value(
        grad_output * (below + input * density), magnitude=np.abs(grad_output) * (below + np.abs(input * density))
    )


def _product_error(a, b, product):
    """a * b - product without rounding, from halves whose products are exact; 0 where that overflows."""

    def halves(x):
        scaled = x * 134217729.0
        high = scaled - (scaled - x)
        return high, x - high

    (a1, a2), (b1, b2) = halves(a), halves(b)
    with np.errstate(all="ignore"):
        error = ((a1 * b1 - product) + a1 * b2 + a2 * b1) + a2 * b2
    return np.where(np.isfinite(error), error, 0.0)


def _below(x):
    """The probability of a standard normal number below x: erfc(y) / 2 with y = -x / sqrt(2).

    Far out erfc multiplies the relative rounding error of y by y^2, so it is corrected to first order.
    """
    x = np.asarray(x, np.float64)
    y = -x * _SQRT_HALF
    error = -_product_error(x, _SQRT_HALF, -y) - np.where(np.isfinite(x), x, 0.0) * _SQRT_HALF_REST
    return np.vectorize(math.erfc, otypes=[np.float64])(y) / 2 - np.exp(-y * y) / math.sqrt(math.pi) * error


def _bell(x):
    """e^(-x^2 / 2), the rounding error of the square likewise."""
    square = np.square(x)
    return np.exp(-square / 2) * (1 - _product_error(x, x, square) / 2)


def _twice_u(x):
    """(1 + tanh(u)) / 2 is the logistic function of 2u."""
    return 2 * _SQRT_2_OVER_PI * (x + _CUBIC * x**3)


@oracle("diopiHardtanh", "diopiHardtanhInp")
def hardtanh(input, min_val, max_val):
    return np.minimum(np.maximum(input, min_val), max_val).astype(input.dtype)


@oracle("diopiHardtanhBackward", promote=("grad_output", "input"))
def hardtanh_backward(grad_output, input, min_val, max_val):
    return np.where((input <= min_val) | (input >= max_val), 0, grad_output)


@oracle("diopiHardswish", "diopiHardswishInp")
def hardswish(input):
    return input * (np.minimum(np.maximum(input + 3, 0), 6) / 6)


@oracle("diopiHardswishBackward", promote=("grad_output", "input"))
def hardswish_backward(grad_output, input):
    return Value(
        np.where(input <= -3, 0, np.where(input < 3, grad_output * (input / 3 + 0.5), grad_output)),
        magnitude=np.abs(grad_output) * (np.minimum(np.abs(input), 3) / 3 + 0.5),
    )


@oracle("diopiThreshold", "diopiThresholdInp")
def threshold_(input, threshold, value):
    return np.where(input <= threshold, value, input).astype(input.dtype)


@oracle("diopiThresholdBackward", promote=("grad_output", "input"))
def threshold_backward(grad_output, input, threshold):
    return np.where(input <= threshold, 0, grad_output).astype(grad_output.dtype)


@oracle("diopiLeakyRelu", "diopiLeakyReluInp")
def leaky_relu(input, negative_slope):
    return np.where(input > 0, input, input * negative_slope)


@oracle("diopiLeakyReluBackward", promote=("grad_output", "input"))
def leaky_relu_backward(grad_output, input, negative_slope):
    return np.where(input > 0, grad_output, grad_output * negative_slope)
