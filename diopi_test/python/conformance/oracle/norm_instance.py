# SPDX-License-Identifier: BSD-3-Clause
"""Instance normalisation from an axis on, and scaling to unit norm along an axis."""

import numpy as np

from . import Value, oracle
from .norm import norm_gradient, vector_norm
from .tools import exact_sum, wrap_dim


def _slices(x, axis):
    """The elements as [samples, channels, elements]."""
    a = wrap_dim(axis, x.ndim)
    samples, channels = (x.shape[0] if a else 1), int(np.prod(x.shape[1:a]))
    return x.reshape(samples, channels, int(np.prod(x.shape[a:])))


def _per_channel(values, default):
    return default if values is None else values.reshape(1, -1, 1)


def _row_mean(x):
    return exact_sum(x, 2, True) / np.float64(x.shape[2])


def _moments(x, eps):
    mean = _row_mean(x)
    return mean, 1 / np.sqrt(_row_mean((x - mean) ** 2) + eps)


@oracle("diopiInstanceNorm", dtype="input")
def instance_norm(input, axis, scale, bias, eps):
    x = _slices(input, axis)
    mean, r = _moments(x, eps)
    w, b = _per_channel(scale, 1.0), _per_channel(bias, 0.0)
    # The errors of a mean grow with the deviations from it, because implementations correct the mean by deviations.
    size = np.abs(x) + np.abs(mean) + np.maximum(_row_mean(np.abs(x)), np.sqrt(_row_mean((x - mean) ** 2)))
    result = (x - mean) * r * w + b
    return Value(result.reshape(input.shape), magnitude=(size * np.abs(r * w) + np.abs(b)).reshape(input.shape))


@oracle(
    "diopiInstanceNormBackward",
    dtype={
        "grad_input": "input",
        "grad_scale": lambda dtypes: _parameter_dtype(dtypes),
        "grad_bias": lambda dtypes: _parameter_dtype(dtypes),
    },
)
def instance_norm_backward(grad_output, input, scale, axis, eps, grad_scale=None, grad_bias=None):
    x, g = _slices(input, axis), _slices(grad_output, axis)
    mean, r = _moments(x, eps)
    w = _per_channel(scale, 1.0)
    h, size = (x - mean) * r, (np.abs(x) + np.abs(mean)) * r
    t, limit = g * w, np.abs(g * w)
    sums = {"grad_scale": (g * h, np.abs(g) * size, grad_scale), "grad_bias": (g, np.abs(g), grad_bias)}
    result = {k: Value(_total(v, shape, scale), magnitude=_total(m, shape, scale)) for k, (v, m, shape) in sums.items()}
    result["grad_input"] = Value(
        (r * (t - _row_mean(t) - h * _row_mean(t * h))).reshape(input.shape),
        magnitude=(r * (limit + _row_mean(limit) + size * _row_mean(limit * size))).reshape(input.shape),
    )
    return result


def _total(terms, shape, scale):
    """The sum for each channel, in the shape that the case gives, or that of scale."""
    total = exact_sum(terms, (0, 2))
    return total.reshape(shape if shape is not None else total.shape if scale is None else scale.shape)


def _parameter_dtype(dtypes):
    return "float32" if dtypes["input"] in ("float16", "bfloat16") else dtypes["input"]


@oracle("diopiNormalize", dtype="input")
def normalize(input, p, axis, eps):
    result = input / _divisor(_norm(input, _single(p), axis), eps)
    return Value(result, magnitude=np.abs(result))


def _single(p):
    """A number rounded to float32, because the C function takes it as float."""
    return float(np.float32(p))


def _norm(x, p, axis):
    return vector_norm(x, p, (wrap_dim(axis, x.ndim),) if x.ndim else (), True)


def _divisor(norm, eps):
    return np.where(norm < eps, eps, norm)


@oracle("diopiNormalizeBackward", dtype="input")
def normalize_backward(grad_output, input, p, axis, eps):
    axes = (wrap_dim(axis, input.ndim),) if input.ndim else ()
    p = _single(p)
    norm = _norm(input, p, axis)
    divisor = _divisor(norm, eps)
    slope = np.where(norm < eps, 0.0, -exact_sum(grad_output * input, axes, True) / divisor**2)
    size = np.where(norm < eps, 0.0, exact_sum(np.abs(grad_output * input), axes, True) / divisor**2)
    direct = grad_output / divisor
    return Value(
        np.where(slope == 0, direct, direct + norm_gradient(input, norm, slope, p, axes)),
        magnitude=np.abs(direct) + np.abs(norm_gradient(input, norm, size, p, axes)),
    )
