# SPDX-License-Identifier: BSD-3-Clause
"""Activations and their gradients."""

import math

import numpy as np

from ..dtypes import promote
from . import Value, oracle

_SQRT_HALF = math.sqrt(0.5)
_SQRT_HALF_REST = -4.833646656726457e-17  # the true square root of 1/2 minus _SQRT_HALF
_SQRT_2_OVER_PI = math.sqrt(2 / math.pi)
_CUBIC = 0.044715


def _logistic(x):
    """The logistic function 1 / (1 + exp(-x)), computed so that exp never overflows."""
    small = np.exp(np.where(x.real >= 0, -x, x))
    return np.where(x.real >= 0, 1 / (1 + small), small / (1 + small))


def _wide(x, last):
    """Real x in extended precision, with finite values clipped to [-last, last]. Infinities stay infinite.

    Beyond `last` the functions that use this have reached their limits, and powers of x could overflow.
    """
    if np.iscomplexobj(x):
        return x
    x = x.astype(np.longdouble)
    return np.where(np.isinf(x), x, np.clip(x, -last, last))


def _gradient(grad_output, slope, terms):
    """grad_output * conj(slope) with its magnitude; `terms` is the sum of the absolute values of the slope's terms."""
    result = grad_output * np.conj(slope), np.abs(grad_output) * terms
    if np.iscomplexobj(result[0]):
        return Value(result[0], magnitude=result[1])
    return Value(result[0].astype(np.float64), magnitude=result[1].astype(np.float64))


def _without_trace(grad_output, slope, dtypes):
    """The slope, or 0 beside an infinite gradient if the product of every finite gradient and the slope rounds to 0.

    The result is then NaN, as in PyTorch.
    """
    both = promote(dtypes["grad_output"], dtypes["input"])
    info = np.finfo(np.float64 if both == "float64" else np.float32)
    nothing = np.abs(slope) * np.longdouble(info.max) < np.longdouble(info.smallest_subnormal) / 2
    return np.where(np.isinf(grad_output) & nothing, 0, slope)


@oracle("diopiRelu", "diopiReluInp")
def relu(input):
    return np.where(input < 0, 0, input).astype(input.dtype)


@oracle("diopiSigmoid", "diopiSigmoidInp", promote=("input",), dtype="float")
def sigmoid(input):
    s = _logistic(input)
    return Value(s, np.abs(s) * _cancellation(input)) if np.iscomplexobj(s) else s


def _cancellation(x):
    """The factor by which 1 + e^-x enlarges a relative error of e^-x, at least 1."""
    return np.maximum(1, np.abs(_logistic(-x)))


@oracle("diopiSigmoidBackward", promote=("grad_output", "output"))
def sigmoid_backward(grad_output, output):
    if np.iscomplexobj(output) or np.iscomplexobj(grad_output):
        return grad_output * np.conj((1 - output) * output)
    # If (1 - output) * output overflows, this order of the factors still keeps a zero gradient zero.
    return grad_output * (1 - output) * output


@oracle("diopiSilu", "diopiSiluInp")
def silu(input):
    result = input * _logistic(input)
    return Value(result, np.abs(result) * _cancellation(input)) if np.iscomplexobj(result) else result


@oracle("diopiSiluBackward", promote=("grad_output", "input"))
def silu_backward(grad_output, input, dtypes):
    x = _wide(input, 3000)
    s, rest = _logistic(x), _logistic(-x)
    slope = s * (1 + x * rest)
    if not np.iscomplexobj(slope):
        slope = _without_trace(grad_output, slope, dtypes)
    larger = np.maximum(1, np.maximum(np.abs(s), np.abs(rest))) if np.iscomplexobj(s) else 1
    return _gradient(grad_output, slope, larger * np.abs(s) * (1 + np.abs(x * rest)))


@oracle("diopiTanhBackward", promote=("grad_output", "output"))
def tanh_backward(grad_output, output):
    return Value(
        grad_output * np.conj(1 - output * output), magnitude=np.abs(grad_output) * (1 + np.abs(output * output))
    )


@oracle("diopiGelu")
def gelu(input, approximate):
    """x times the normal distribution function, computed with erfc or the logistic function.

    Both functions avoid cancellation for negative input. In the tanh form, the rounding error of the exponent 2u is
    proportional to |2u|, and it becomes a relative error of the logistic function; the magnitude counts it.
    """
    if approximate == "tanh":
        twice_u = _twice_u(_wide(input, 60).astype(np.float64))
        result = input * _logistic(twice_u)
        return Value(result, magnitude=np.abs(result) * (1 + _logistic(-twice_u) * np.abs(twice_u)))
    return input * _below(input)


@oracle("diopiGeluBackward", promote=("grad_output", "input"))
def gelu_backward(grad_output, input, approximate, dtypes):
    x = _wide(input, 60)
    if approximate == "tanh":
        twice_u = _twice_u(x)
        s, rest = _logistic(twice_u), _logistic(-twice_u)
        change = x * s * rest * 2 * _SQRT_2_OVER_PI * (1 + 3 * _CUBIC * x**2)
        error = np.abs(twice_u)  # bounds the relative error of `change`, and that of `s` when multiplied by `rest`
        slope = _without_trace(grad_output, s + change, dtypes)
        return _gradient(grad_output, slope, s * (1 + rest * error) + np.abs(change) * (1 + error))
    density = x * np.exp(-x * x / 2) / np.sqrt(2 * np.longdouble(np.pi))
    below = np.where(x < -12, _far_below(x), _below(x.astype(np.float64)))
    return _gradient(grad_output, _without_trace(grad_output, below + density, dtypes), below + np.abs(density))


def _product_error(a, b, product):
    """a * b - product without rounding (Dekker's product of split halves); 0 where the computation overflows."""

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

    For large |y| the relative rounding error of y grows by the factor y^2 in erfc, so the result is corrected for it to
    first order.
    """
    x = np.asarray(x, np.float64)
    y = -x * _SQRT_HALF
    error = -_product_error(x, _SQRT_HALF, -y) - np.where(np.isfinite(x), x, 0.0) * _SQRT_HALF_REST
    return np.vectorize(math.erfc, otypes=[np.float64])(y) / 2 - np.exp(-y * y) / math.sqrt(math.pi) * error


def _far_below(x):
    """The probability of a standard normal number below x, for x < -12, where erfc underflows.

    It is the density times the asymptotic series 1 / |x| - 1 / |x|^3 + 3 / |x|^5 - ...
    """
    size = np.maximum(-x, 12)
    series = np.ones_like(size)
    for odd in range(39, 0, -2):
        series = 1 - odd / size**2 * series
    return np.exp(-size * size / 2) / np.sqrt(2 * np.longdouble(np.pi)) / size * series


def _twice_u(x):
    """2u, where u is the argument of tanh in the tanh form of GELU; (1 + tanh(u)) / 2 = logistic(2u)."""
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
