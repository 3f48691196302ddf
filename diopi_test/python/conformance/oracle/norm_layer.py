# SPDX-License-Identifier: BSD-3-Clause
"""Layer normalisation over the last dimensions."""

import numpy as np

from . import Value, oracle
from .tools import exact_sum, running_mean, wrap_dim


def _statistics_dtype(dtypes):
    return "float32" if dtypes["input"] in ("float16", "bfloat16") else dtypes["input"]


def _axes(x, normalized_shape):
    return tuple(range(x.ndim - len(normalized_shape), x.ndim))


def _spread(statistic, x, normalized_shape):
    return statistic.reshape(x.shape[: x.ndim - len(normalized_shape)] + (1,) * len(normalized_shape))


@oracle("diopiLayerNorm", dtype={"out": "input", "save_mean": _statistics_dtype, "save_invstd": _statistics_dtype})
def layer_norm(input, weight, bias, normalized_shape, eps, save_mean=None, save_invstd=None):
    return _layer_norm(input, weight, bias, normalized_shape, eps, save_mean, save_invstd)


def _layer_norm(input, weight, bias, normalized_shape, eps, save_mean=None, save_invstd=None):
    axes = _axes(input, normalized_shape)
    mean = running_mean(input, axes, keepdims=True)
    deviations = input - mean
    variance = exact_sum(deviations * deviations, axes, keepdims=True) / np.float64(np.prod(normalized_shape))
    invstd = 1 / np.sqrt(variance + eps)
    w = 1.0 if weight is None else weight
    b = 0.0 if bias is None else bias
    # The errors of a mean grow with the deviations from it, because implementations correct the mean by deviations.
    typical = np.maximum(running_mean(np.abs(input), axes, keepdims=True), np.sqrt(variance))
    return {
        "out": Value(
            deviations * invstd * w + b,
            magnitude=(np.abs(input) + np.abs(mean) + typical) * invstd * np.abs(w) + np.abs(b),
        ),
        "save_mean": Value(mean.reshape(save_mean or mean.shape), magnitude=typical.reshape(save_mean or mean.shape)),
        "save_invstd": Value(
            invstd.reshape(save_invstd or invstd.shape),
            magnitude=(invstd * (1 + np.abs(mean) * invstd)).reshape(save_invstd or invstd.shape),
        ),
    }


@oracle(
    "diopiLayerNormBackward",
    dtype={"grad_input": "input", "grad_weight": _statistics_dtype, "grad_bias": _statistics_dtype},
)
def layer_norm_backward(grad_output, input, weight, mean, rstd, normalized_shape):
    axes = _axes(input, normalized_shape)
    outer = tuple(range(axes[0]))
    m, r = _spread(mean, input, normalized_shape), _spread(rstd, input, normalized_shape)
    count = np.float64(np.prod(normalized_shape))
    g = grad_output * (1.0 if weight is None else weight)
    h, size = (input - m) * r, (np.abs(input) + np.abs(m)) * r

    def row_mean(x):
        return exact_sum(x, axes, keepdims=True) / count

    return {
        "grad_input": Value(
            r * (g - row_mean(g) - h * row_mean(g * h)),
            magnitude=r * (np.abs(g) + row_mean(np.abs(g)) + size * row_mean(np.abs(g) * size)),
        ),
        "grad_weight": Value(exact_sum(grad_output * h, outer), magnitude=exact_sum(np.abs(grad_output) * size, outer)),
        "grad_bias": Value(exact_sum(grad_output, outer), magnitude=exact_sum(np.abs(grad_output), outer)),
    }


@oracle("diopiLayerNormGB", dtype={"out": "input", "running_mean": _statistics_dtype, "running_var": _statistics_dtype})
def layer_norm_gb(input, weight, bias, eps, begin_norm_axis):
    axis = wrap_dim(begin_norm_axis, input.ndim)
    statistics = input.shape[:axis]
    result = _layer_norm(input, weight, bias, list(input.shape[axis:]), eps, statistics or None, statistics or None)
    mean, invstd = result["save_mean"], result["save_invstd"]
    return {
        "out": result["out"],
        "running_mean": Value(mean.array.reshape(statistics), magnitude=np.reshape(mean.magnitude, statistics)),
        "running_var": Value(invstd.array.reshape(statistics), magnitude=np.reshape(invstd.magnitude, statistics)),
    }


@oracle(
    "diopiLayerNormGBBackward",
    dtype={"grad_input": "input", "grad_weight": _statistics_dtype, "grad_bias": _statistics_dtype},
)
def layer_norm_gb_backward(grad_output, input, weight, running_mean, running_std, begin_norm_axis):
    axis = wrap_dim(begin_norm_axis, input.ndim)
    return layer_norm_backward(grad_output, input, weight, running_mean, running_std, list(input.shape[axis:]))
