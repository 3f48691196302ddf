"""Activations and their gradients."""

import math

import numpy as np

from ..oracles import oracle

_erf = np.vectorize(math.erf, otypes=[np.float64])
_SQRT_HALF = math.sqrt(0.5)
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


@oracle("diopiSigmoidBackward")
def sigmoid_backward(grad_output, output):
    return grad_output * (1 - output) * output


@oracle("diopiSilu", "diopiSiluInp")
def silu(input):
    return input * _logistic(input)


@oracle("diopiSiluBackward")
def silu_backward(grad_output, input):
    s = _logistic(input)
    return grad_output * s * (1 + input * (1 - s))


@oracle("diopiTanhBackward")
def tanh_backward(grad_output, output):
    return grad_output * (1 - output * output)


@oracle("diopiGelu")
def gelu(input, approximate):
    if approximate == "tanh":
        return 0.5 * input * (1 + np.tanh(_SQRT_2_OVER_PI * (input + _CUBIC * input**3)))
    return 0.5 * input * (1 + _erf(input * _SQRT_HALF))


@oracle("diopiGeluBackward")
def gelu_backward(grad_output, input, approximate):
    if approximate == "tanh":
        t = np.tanh(_SQRT_2_OVER_PI * (input + _CUBIC * input**3))
        inner = _SQRT_2_OVER_PI * (1 + 3 * _CUBIC * input**2)
        return grad_output * (0.5 * (1 + t) + 0.5 * input * (1 - t * t) * inner)
    density = np.exp(-0.5 * input**2) / math.sqrt(2 * math.pi)
    return grad_output * (0.5 * (1 + _erf(input * _SQRT_HALF)) + input * density)


@oracle("diopiHardtanh", "diopiHardtanhInp")
def hardtanh(input, min_val, max_val):
    return np.minimum(np.maximum(input, min_val), max_val)


@oracle("diopiHardtanhBackward")
def hardtanh_backward(grad_output, input, min_val, max_val):
    return np.where((input <= min_val) | (input >= max_val), 0, grad_output)


@oracle("diopiHardswish", "diopiHardswishInp")
def hardswish(input):
    return input * np.minimum(np.maximum(input + 3, 0), 6) / 6


@oracle("diopiHardswishBackward")
def hardswish_backward(grad_output, input):
    return grad_output * np.where(input <= -3, 0, np.where(input < 3, input / 3 + 0.5, 1))


@oracle("diopiThreshold", "diopiThresholdInp")
def threshold_(input, threshold, value):
    return np.where(input <= threshold, value, input)


@oracle("diopiThresholdBackward", promote=("grad_output", "input"))
def threshold_backward(grad_output, input, threshold):
    return np.where(input <= threshold, 0, grad_output)


@oracle("diopiLeakyRelu", "diopiLeakyReluInp")
def leaky_relu(input, negative_slope):
    return np.where(input > 0, input, negative_slope * input)


@oracle("diopiLeakyReluBackward")
def leaky_relu_backward(grad_output, input, negative_slope):
    """`input` may as well be the result: a positive slope keeps the sign."""
    return np.where(input > 0, grad_output, negative_slope * grad_output)
